"""From a traced program to an artifact: cache, compiler, host compiler."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import sys
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from .._native_path import chip_directory, native_directory
from ..cache import cache_directory, kernel_cache
from ..errors import HostCompilerError, InternalError, Remark, SourceLocation, raise_diagnostics, remark_from_diagnostic
from ..passes import normalize_pass_configs
from ..runtime.loading import native_compiler, native_runtime
from ..target import Target, determine_target
from ..utils import logger
from .progress import progress
from .user_line import at_user_line

if TYPE_CHECKING:
    from .._runtime import Artifact

__all__ = ["BuildOptions", "CompilerWarning", "build", "compile_module", "lower"]


class CompilerWarning(UserWarning):
    """Something in a program that works and is probably not meant."""


@dataclass(frozen=True)
class BuildOptions:
    """Everything besides the program that decides what comes out."""

    target: Target
    pass_configs: Mapping[str, str] = field(default_factory=dict)
    verbose: bool = False

    @staticmethod
    def make(target: Any, pass_configs: Mapping[Any, Any] | None, verbose: bool | None) -> BuildOptions:
        return BuildOptions(determine_target(target), normalize_pass_configs(pass_configs), bool(verbose))


@functools.cache
def library_stamp() -> str:
    """Changes whenever a part that takes part in compiling does: entries of another build are never used."""
    root = Path(native_directory())
    parts = [__version__]
    for pattern in ("python/*.so", "lib/*.so", "bin/ascc", "chips/*.toml", "include/ascendc/**/*"):
        for path in sorted(root.glob(pattern)):
            status = path.stat()
            parts.append(f"{path.relative_to(root)}:{status.st_size}:{status.st_mtime_ns}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _cache_key(module: Any, signature: list[tuple[Any, ...]], options: BuildOptions) -> str:
    parts = [
        module.hash(),
        repr(signature),
        options.target.kind,
        options.target.chip,
        repr(sorted(options.pass_configs.items())),
        library_stamp(),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def dimension(value: Any) -> Any:
    """A size or stride as artifacts store it: an integer, a name, or (operation, operands...)."""
    name = getattr(value, "name", None)
    if isinstance(name, str):
        return name
    operation = getattr(value, "operation", None)
    if isinstance(operation, str):
        return (operation, *(dimension(operand) for operand in value.operands))
    return int(value)


def _signature(prim_func: Any) -> list[tuple[Any, ...]]:
    """The parameters, as plain values."""
    result: list[tuple[Any, ...]] = []
    for parameter in prim_func.params:
        if parameter.kind == "tensor":
            strides = parameter.strides
            result.append(
                (
                    "tensor",
                    parameter.name,
                    str(parameter.dtype),
                    tuple(dimension(extent) for extent in parameter.shape),
                    tuple(dimension(stride) for stride in strides) if strides else None,
                )
            )
        else:
            result.append(("scalar", parameter.name, str(parameter.dtype)))
    return result


def _symbols(prim_func: Any) -> list[tuple[str, str]]:
    """The run-time sizes that follow the parameters in the entry function."""
    return [(symbol.name, str(symbol.dtype)) for symbol in getattr(prim_func, "symbols", ())]


def compile_module(prim_func: Any, options: BuildOptions, *, keep_stages: bool = False) -> dict[str, Any]:
    """Runs the compiler. Errors are raised; warnings are issued once for each place."""
    compiler = native_compiler()
    result: dict[str, Any] = compiler.compile_for_ascend(
        prim_func.module(),
        chip=options.target.chip,
        chip_directory=chip_directory(),
        pass_configs=dict(options.pass_configs),
        keep_stages=keep_stages,
        reproducer_directory=os.fspath(reproducer_directory()),
    )
    raise_diagnostics(result["diagnostics"])
    if not result["succeeded"]:
        raise InternalError(f"compiling '{prim_func.name}' for {options.target.chip} failed without a message")
    return result


def reproducer_directory() -> Path:
    """Where programs that the compiler fails on are kept: `TILELANG_REPRODUCER_DIR`, else a folder of the cache."""
    chosen = os.environ.get("TILELANG_REPRODUCER_DIR")
    return Path(chosen).expanduser() if chosen else cache_directory() / "reproducers"


def _entries_of(diagnostics: list[dict[str, Any]]) -> str:
    """Warnings and remarks as an artifact keeps them; empty if there are none."""
    kept = [entry for entry in diagnostics if entry["severity"] in ("warning", "remark")]
    return json.dumps(kept) if kept else ""


def remarks_of(artifact: Artifact) -> list[Remark]:
    """What the compiler said about the program of an artifact, in order."""
    return [remark_from_diagnostic(entry) for entry in json.loads(artifact.remarks or "[]")]


def _say_remarks(remarks: list[Remark], verbose: bool) -> None:
    """Warnings always, once for each place; remarks with `verbose`, and to the log."""
    for remark in remarks:
        if remark.severity == "warning":
            place = remark.location or SourceLocation("<unknown>", 0)
            warnings.warn_explicit(str(remark), CompilerWarning, place.file, place.line)
        elif verbose:
            print(remark, file=sys.stderr)
        else:
            logger.info("%s", remark)


def _host_objects(result: dict[str, Any]) -> dict[str, bytes]:
    """Compiles the emitted source for the host, both core types of a mixed kernel at the same time."""
    runtime = native_runtime()
    if not runtime.host_compiler():
        chosen = os.environ.get("TILELANG_CXX")
        raise HostCompilerError(
            f"TILELANG_CXX names '{chosen}', which is no program that can be run"
            if chosen
            else "there is no C++ compiler to build kernels for the simulator with",
            values=[] if chosen else [f"looked for clang++-22 and clang++ in PATH={os.environ.get('PATH', '')}"],
            help="install clang 22, or let TILELANG_CXX name one; `tilelang doctor` shows what is found, and "
            "tilelang.lower(program) gives the emitted source without a compiler",
        )
    cores = {"cube": ["aic"], "vector": ["aiv"], "mixed": ["aic", "aiv"]}[result["kernel_type"]]
    try:
        objects: dict[str, bytes] = runtime.compile_for_host(
            result["source"], name=result["entry"], cores=cores, native_directory=native_directory()
        )
    except InternalError as error:
        error.values = (f"the compiler is {runtime.host_compiler()}", _keep_source(result))
        error.help = "where clang++ 22 from PATH is that compiler, this is a fault of ours: please report it"
        raise
    return objects


def _keep_source(result: dict[str, Any]) -> str:
    """Keeps an emitted source that does not compile; says where."""
    directory = reproducer_directory()
    digest = hashlib.sha256(result["source"].encode()).hexdigest()[:8]
    path = directory / f"{result['entry']}-{digest}.cpp"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        path.write_text(result["source"])
    except OSError as error:
        return f"the source could not be kept in {directory}: {error.strerror}"
    return f"the source is kept in {path}"


def _artifact(
    prim_func: Any, options: BuildOptions, result: dict[str, Any], objects: dict[str, bytes], key: str, location: str
) -> Artifact:
    artifact: Artifact = native_runtime().Artifact()
    artifact.name = prim_func.name
    artifact.entry = result["entry"]
    artifact.target = options.target.kind
    artifact.chip = options.target.chip
    artifact.compiler = __version__
    artifact.kernel_type = result["kernel_type"]
    artifact.cache_key = key
    artifact.location_key = location
    artifact.block_dim = result["block_dim"]
    artifact.workspace_bytes = result["workspace_bytes"]
    artifact.source = result["source"]
    artifact.statistics = result["statistics"]
    artifact.lines = result["lines"]
    artifact.remarks = _entries_of(result["diagnostics"])
    artifact.description = result["description"]
    accesses = native_compiler().argument_accesses(prim_func.module())
    for index, parameter in enumerate(_signature(prim_func)):
        if parameter[0] == "tensor":
            is_read, is_written = accesses[index]
            _, name, dtype, shape, strides = parameter
            artifact.add_tensor(name, dtype, shape, strides, is_read, is_written)
        else:
            artifact.add_scalar(*parameter[1:])
    for name, dtype in _symbols(prim_func):
        artifact.add_symbol(name, dtype)
    for core, data in objects.items():
        artifact.set_object(core, data)
    return artifact


def _code_of(source: str) -> list[str]:
    """The lines of a source without their comments, where the user's lines are named."""
    return [line.split("//")[0].rstrip() for line in source.splitlines()]


def build(prim_func: Any, options: BuildOptions) -> Artifact:
    """The artifact of a program, from the cache or compiled now."""
    module = prim_func.module()
    key = _cache_key(module, [*_signature(prim_func), *_symbols(prim_func)], options)
    location = hashlib.sha256(module.text(locations=True).encode()).hexdigest()
    with kernel_cache.compiling(key):
        cached = kernel_cache.lookup(key)
        if cached is not None and cached.location_key == location:
            logger.info("%s: from the cache (%s)", prim_func.name, key[:12])
            _say_remarks(remarks_of(cached), options.verbose)
            return cached
        start = time.perf_counter()
        with progress(f"compiling {prim_func.name} for {options.target.chip}"):
            result = compile_module(prim_func, options)
            # The same program at other lines: only comments and line table differ, the objects stay.
            if cached is not None and _code_of(cached.source) == _code_of(result["source"]):
                objects = {core: cached.object(core) for core in cached.cores}
            else:
                objects = _host_objects(result)
        artifact = _artifact(prim_func, options, result, objects, key, location)
        logger.info("%s: compiled in %.3f s (%s)", prim_func.name, time.perf_counter() - start, key[:12])
        kernel_cache.store(key, artifact)
    _say_remarks(remarks_of(artifact), options.verbose)
    return artifact


@dataclass(frozen=True)
class LoweredProgram:
    """What `tilelang.lower` gives: the emitted source and how it is launched, without compiling it for the host."""

    kernel_source: str
    entry: str
    kernel_type: str
    block_dim: int
    workspace_bytes: int
    params: list[Any]
    target: Target
    stages: dict[str, str]
    remarks: list[Remark]


def lower(
    func: Any,
    target: Any = "auto",
    *,
    pass_configs: Mapping[Any, Any] | None = None,
    verbose: bool | None = None,
    stages: bool = False,
) -> LoweredProgram:
    """Compiles a program to source. Needs neither a host compiler nor a device."""
    with at_user_line():
        options = BuildOptions.make(target, pass_configs, verbose)
        result = compile_module(func, options, keep_stages=stages)
    remarks = [remark_from_diagnostic(entry) for entry in json.loads(_entries_of(result["diagnostics"]) or "[]")]
    _say_remarks(remarks, options.verbose)
    return LoweredProgram(
        result["source"],
        result["entry"],
        result["kernel_type"],
        result["block_dim"],
        result["workspace_bytes"],
        list(func.params),
        options.target,
        result["stages"],
        remarks,
    )
