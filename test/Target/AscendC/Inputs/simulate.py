"""Emits a kernel, compiles it for the host and runs it on the simulator.

Uses nothing but the standard library and the tools of the build, so that the
numbers of the emitted text are checked without any other part of the package.
"""

from __future__ import annotations

import struct
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[4]
CORES = {"aic": "__DAV_C220_CUBE__", "aiv": "__DAV_C220_VEC__"}
FORMATS = {"f16": "e", "f32": "f", "i8": "b", "i16": "h", "i32": "i", "i64": "q"}


def encode(element: str, numbers: list[float]) -> bytes:
    if element == "bf16":
        words = [struct.unpack("<I", struct.pack("<f", number))[0] >> 16 for number in numbers]
        return struct.pack(f"<{len(words)}H", *words)
    whole = element.startswith("i")
    values = [int(number) if whole else float(number) for number in numbers]
    return struct.pack(f"<{len(values)}{FORMATS[element]}", *values)


def decode(element: str, data: bytes) -> list[float]:
    if element == "bf16":
        words = struct.unpack(f"<{len(data) // 2}H", data)
        return [struct.unpack("<f", struct.pack("<I", word << 16))[0] for word in words]
    code = FORMATS[element]
    return [float(number) for number in struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)]


@dataclass
class Run:
    """One launch: arguments in order, and which buffers to read back."""

    entry: str
    core: str
    arguments: list[bytes | int] = field(default_factory=list)

    def launch(self, program: str) -> list[bytes]:
        """Runs a module; the buffers afterwards. Findings are failures."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            module = folder / "kernel.mlir"
            module.write_text(program)
            source = subprocess.run(
                ["tilelang-opt", str(module), "--ascend-print-source", "-o", "/dev/null"],
                check=True,
                capture_output=True,
            ).stdout
            (folder / "kernel.cpp").write_bytes(source)
            subprocess.run(
                [
                    "clang++",
                    *("-std=c++17", "-shared", "-fPIC", "-g1", "-O1", f"-D{CORES[self.core]}"),
                    f"-I{SOURCE / 'ascendc' / 'include'}",
                    *("-o", str(folder / "kernel.so"), str(folder / "kernel.cpp")),
                ],
                check=True,
            )
            command = ["ascend-sim", "--entry", self.entry, "--chip-dir", str(SOURCE / "chips")]
            command += [f"--{self.core}", str(folder / "kernel.so")]
            outputs = []
            for index, argument in enumerate(self.arguments):
                if isinstance(argument, int):
                    command += ["--scalar", f"i32:{argument}"]
                    continue
                before, after = folder / f"in{index}", folder / f"out{index}"
                before.write_bytes(argument)
                outputs.append(after)
                command += ["--buffer", f"b{index}:{len(argument)}:{before}:{after}"]
            result = subprocess.run(command, capture_output=True, text=True)
            if result.returncode != 0:
                raise SystemExit(f"{result.stdout}{result.stderr}\n{source.decode()}")
            return [output.read_bytes() for output in outputs]
