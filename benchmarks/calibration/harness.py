"""Compiles and launches the calibration kernels on the simulator, for their time only."""

from __future__ import annotations

import ctypes
import json
import pathlib
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = pathlib.Path(__file__).resolve().parent / "kernels"


@dataclass(frozen=True)
class I32:
    """A scalar argument of a kernel."""

    value: int


Argument = I32 | np.ndarray


@dataclass
class Time:
    """What a launch says about its time."""

    microseconds: float
    cycles: float
    report: dict[str, Any]

    def busy(self, core: str, pipe: str) -> float:
        """Mean busy microseconds of a pipe."""
        clock = self.report["clock_ghz"]
        return float(self.report["core_types"][core]["mean_busy_cycles"][pipe] / clock / 1e3)


class Simulator:
    """The simulator library through its C interface, and the host compiler beside it."""

    def __init__(self, native: pathlib.Path | None = None, chips: pathlib.Path | None = None) -> None:
        self.native = native or ROOT / "build" / "_native"
        self.chips = str(chips or ROOT / "chips")
        self.folder = tempfile.TemporaryDirectory(prefix="calibration-")
        self.objects: dict[tuple[str, str], str] = {}
        self.artifacts: dict[tuple[object, ...], tuple[str, str, int]] = {}
        library = ctypes.CDLL(str(self.native / "lib" / "libascendsim.so"))
        pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64
        for name, result, arguments in (
            ("last_error", text, ()),
            ("kernel_load", pointer, (text, text, text, ctypes.c_int)),
            ("kernel_free", None, (pointer,)),
            ("launch_new", pointer, (pointer, ctypes.c_uint32)),
            ("launch_free", None, (pointer,)),
            ("launch_add_buffer", None, (pointer, text, pointer, number, ctypes.c_int, ctypes.c_int)),
            ("launch_add_scalar", None, (pointer, text, ctypes.c_int, number)),
            ("launch_set_chip", None, (pointer, text, text)),
            ("launch_set_option", ctypes.c_int, (pointer, text, number)),
            ("launch_run", pointer, (pointer,)),
            ("report_free", None, (pointer,)),
            ("report_cycles", ctypes.c_double, (pointer,)),
            ("report_microseconds", ctypes.c_double, (pointer,)),
            ("report_json", text, (pointer, ctypes.c_int)),
        ):
            function = getattr(library, "ascendsim_" + name)
            function.restype, function.argtypes = result, list(arguments)
        self.library = library

    def compile(self, source: str, core: str) -> str:
        """Builds a kernel file for one core type; the path of its shared object."""
        if (source, core) not in self.objects:
            output = pathlib.Path(self.folder.name) / f"{source}.{core}.so"
            command = [self.native / "bin" / "ascc", KERNELS / f"{source}.cpp", "-o", output, "--core", core]
            subprocess.run([str(part) for part in command], check=True)
            self.objects[source, core] = str(output)
        return self.objects[source, core]

    def run(
        self,
        source: str,
        core: str,
        entry: str,
        blocks: int,
        arguments: Sequence[Argument],
        chip: str = "ascend910b1",
        **options: bool,
    ) -> Time:
        """Launches an entry of a kernel file; options as those of `launch`."""
        return self.launch(self.compile(source, core), core, entry, blocks, arguments, chip, **options)

    def launch(
        self,
        path: str,
        core: str,
        entry: str,
        blocks: int,
        arguments: Sequence[Argument],
        chip: str = "ascend910b1",
        time_only: bool = True,
        checks: bool = False,
        warm_l2: bool = False,
    ) -> Time:
        """Launches an entry of a shared object."""
        library = self.library
        objects = (path.encode(), None) if core == "aic" else (None, path.encode())
        kernel = self.check(library.ascendsim_kernel_load(*objects, entry.encode(), 0 if core == "aic" else 1))
        launch = self.check(library.ascendsim_launch_new(kernel, blocks))
        for index, argument in enumerate(arguments):
            if isinstance(argument, I32):
                library.ascendsim_launch_add_scalar(launch, b"", 5, argument.value & 0xFFFFFFFF)
            else:
                name = f"argument {index}".encode()
                library.ascendsim_launch_add_buffer(launch, name, argument.ctypes.data, argument.nbytes, 0, 1)
        library.ascendsim_launch_set_chip(launch, chip.encode(), self.chips.encode())
        for name, value in ((b"checks", checks), (b"time_only", time_only), (b"warm_l2", warm_l2)):
            library.ascendsim_launch_set_option(launch, name, value)
        report = self.check(library.ascendsim_launch_run(launch))
        document = json.loads(library.ascendsim_report_json(report, 0))
        time = Time(library.ascendsim_report_microseconds(report), library.ascendsim_report_cycles(report), document)
        library.ascendsim_report_free(report)
        library.ascendsim_launch_free(launch)
        library.ascendsim_kernel_free(kernel)
        if document["findings"] or not document["completed"]:
            raise RuntimeError(f"{entry}: {document['findings'][:1]}")
        return time

    def check(self, pointer: Any) -> Any:
        if not pointer:
            raise RuntimeError(self.library.ascendsim_last_error().decode())
        return pointer
