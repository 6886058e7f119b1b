"""What is installed, what works, and what to do about the rest."""

from __future__ import annotations

import glob
import importlib
import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .. import __version__
from .._native_path import api_directory, chip_directory, native_directory

__all__ = ["Finding", "examine"]

_TOOLKIT_VARIABLES = ("ASCEND_HOME_PATH", "ASCEND_HOME", "ASCEND_TOOLKIT_HOME")
_DEFAULT_TOOLKITS = ("/usr/local/Ascend/ascend-toolkit/latest", "/usr/local/Ascend/latest")
_DEFAULT_DRIVER = "/usr/local/Ascend/driver"


@dataclass(frozen=True)
class Finding:
    """One line of the report. `state` is "ok", "missing" (needed only for something optional), "warning" or "broken"
    (kernels cannot be compiled or run)."""

    section: str
    name: str
    state: str
    detail: str
    advice: str = ""


def _output_of(command: list[str]) -> str:
    """The first line that a command prints; empty if it fails."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    text = result.stdout.strip() or result.stderr.strip()
    return text.splitlines()[0] if text else ""


# -- this package ------------------------------------------------------------------------------------------------------


def _python() -> Iterator[Finding]:
    yield Finding("package", "Python", "ok", f"{platform.python_version()} ({sys.executable}), {platform.machine()}")
    yield Finding("package", "tilelang-native", "ok", f"{__version__} in {Path(__file__).parents[1]}")
    others = sorted(
        {name for name in importlib.metadata.packages_distributions().get("tilelang", ()) if name != "tilelang-native"}
    )
    for name in others:
        yield Finding(
            "package",
            "other package",
            "warning",
            f"the distribution '{name}' ({importlib.metadata.version(name)}) also installs a package named tilelang",
            f"the two overwrite each other's files: uninstall one of them (pip uninstall {name})",
        )


def _module(name: str, purpose: str) -> Finding:
    start = time.perf_counter()
    try:
        module = importlib.import_module(f"tilelang.{name}")
    except ImportError as error:
        return Finding(
            "package",
            name,
            "broken",
            f"{purpose}: {error}",
            "build the project (cmake --preset dev, ninja -C build) or install the package again",
        )
    milliseconds = (time.perf_counter() - start) * 1000
    return Finding("package", name, "ok", f"{purpose}, loaded in {milliseconds:.0f} ms from {module.__file__}")


def _native_modules() -> Iterator[Finding]:
    directory = native_directory()
    yield Finding("package", "native folder", "ok" if os.path.isdir(directory) else "broken", directory)
    yield _module("_compiler", "compiler (MLIR)")
    yield _module("_runtime", "runtime and simulator")


def _headers() -> Iterator[Finding]:
    header = os.path.join(api_directory(), "kernel_operator.h")
    if os.path.isfile(header):
        yield Finding("package", "Ascend C headers", "ok", api_directory())
    else:
        yield Finding("package", "Ascend C headers", "broken", f"no {header}", "install the package again")


def _chips() -> Iterator[Finding]:
    from ..target import list_targets

    names = list_targets()
    if names:
        yield Finding("package", "chips", "ok", ", ".join(name for name in names if name != "auto"))
    else:
        yield Finding(
            "package", "chips", "broken", f"no chip descriptions in {chip_directory()}", "install the package again"
        )


def _cache() -> Iterator[Finding]:
    from ..cache import cache_info

    info = cache_info()
    detail = f"{info.directory}: {info.entries} kernels, {info.bytes / 1024:.0f} KiB"
    if not info.enabled:
        yield Finding(
            "package", "kernel cache", "warning", detail + " (disabled)", "unset TILELANG_DISABLE_CACHE to use it"
        )
        return
    folder = Path(info.directory)
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if folder.is_dir() and os.access(folder, os.W_OK):
        yield Finding("package", "kernel cache", "ok", detail)
    else:
        yield Finding(
            "package",
            "kernel cache",
            "warning",
            f"{info.directory} cannot be written",
            "set TILELANG_CACHE_DIR to another folder",
        )


# -- the host ----------------------------------------------------------------------------------------------------------


def _host_compiler() -> Iterator[Finding]:
    try:
        from .. import _runtime
    except ImportError:
        return  # reported above
    path = _runtime.host_compiler()
    if path:
        yield Finding("host", "host compiler", "ok", f"{path}: {_output_of([path, '--version']) or 'no version'}")
    else:
        advice = "install clang 22 (package clang-22), or name a clang++ in TILELANG_CXX"
        yield Finding("host", "host compiler", "broken", "no clang++ in PATH", advice)


def _cpu() -> Iterator[Finding]:
    flags: set[str] = set()
    model = platform.processor() or "unknown"
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                key, _, value = line.partition(":")
                if key.strip() == "flags":
                    flags = set(value.split())
                elif key.strip() == "model name":
                    model = value.strip()
                if flags and model:
                    break
    except OSError:
        pass
    wanted = ("avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512_bf16", "avx512_fp16", "amx_bf16")
    features = ", ".join(name for name in wanted if name in flags) or "none of those that the simulator uses"
    yield Finding("host", "CPU", "ok", f"{model}, {os.cpu_count()} threads: {features}")


# -- the Ascend stack --------------------------------------------------------------------------------------------------


def _version_in(path: Path) -> str:
    """The version that a vendor's information file names."""
    try:
        text = path.read_text(errors="replace")
    except OSError:
        return ""
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key.strip().lower() in ("version", "package_version", "toolkit_installed_version"):
            return value.strip().strip("[]").split(":")[-1]
    return ""


def _toolkit() -> tuple[Path | None, str]:
    """The toolkit's folder and how it was found."""
    for variable in _TOOLKIT_VARIABLES:
        value = os.environ.get(variable)
        if value:
            return Path(value), variable
    for path in _DEFAULT_TOOLKITS:
        if os.path.isdir(path):
            return Path(path), "default folder"
    return None, ""


def _find_in(folder: Path, patterns: tuple[str, ...]) -> str:
    for pattern in patterns:
        found = sorted(glob.glob(os.fspath(folder / pattern)))
        if found:
            return found[0]
    return ""


def _ascend() -> Iterator[Finding]:
    section = "Ascend"
    driver = _version_in(Path(_DEFAULT_DRIVER) / "version.info")
    if driver:
        yield Finding(section, "driver", "ok", f"version {driver}")
    else:
        yield Finding(
            section, "driver", "missing", f"no {_DEFAULT_DRIVER}/version.info", "needed on a machine with an NPU only"
        )
    folder, origin = _toolkit()
    if folder is None:
        yield Finding(
            section,
            "CANN toolkit",
            "missing",
            f"none of {', '.join(_TOOLKIT_VARIABLES)} is set",
            "needed to build for an NPU only: install CANN and source its set_env.sh",
        )
    elif not folder.is_dir():
        yield Finding(
            section,
            "CANN toolkit",
            "warning",
            f"{origin} names {folder}, which does not exist",
            f"correct or unset {origin}",
        )
    else:
        information = _find_in(
            folder, ("version.cfg", "*/ascend_toolkit_install.info", "ascend_toolkit_install.info", "*/version.info")
        )
        version = _version_in(Path(information)) if information else ""
        yield Finding(section, "CANN toolkit", "ok", f"{version or 'unknown version'} in {folder} ({origin})")
    inside = folder if folder is not None and folder.is_dir() else None
    compiler = shutil.which("bisheng") or (
        _find_in(inside, ("bin/bisheng", "*/ccec_compiler/bin/bisheng", "compiler/ccec_compiler/bin/bisheng"))
        if inside
        else ""
    )
    if compiler:
        yield Finding(
            section, "bisheng compiler", "ok", f"{compiler}: {_output_of([compiler, '--version']) or 'no version'}"
        )
    else:
        yield Finding(
            section, "bisheng compiler", "missing", "not in PATH, not in the toolkit", "comes with the CANN toolkit"
        )
    library = _find_in(inside, ("lib64/libascendcl.so", "*/lib64/libascendcl.so")) if inside else ""
    if library:
        yield Finding(section, "libascendcl", "ok", library)
    else:
        yield Finding(section, "libascendcl", "missing", "not in the toolkit", "comes with the CANN toolkit")
    devices = sorted(glob.glob("/dev/davinci[0-9]*"))
    if devices:
        yield Finding(section, "NPU", "ok", f"{len(devices)}: {', '.join(devices)}")
    else:
        yield Finding(
            section, "NPU", "missing", "no /dev/davinci*", "kernels for the target 'ascend' run on the simulator"
        )


_EXAMINATIONS: tuple[Callable[[], Iterator[Finding]], ...] = (
    _python,
    _native_modules,
    _headers,
    _chips,
    _cache,
    _host_compiler,
    _cpu,
    _ascend,
)


def examine() -> Iterator[Finding]:
    """Everything that the report shows, in order."""
    for examination in _EXAMINATIONS:
        yield from examination()
