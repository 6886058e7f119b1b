"""From a traced program to an artifact: cache, compiler, host compiler."""

from __future__ import annotations

import functools
import hashlib
import os
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from .._native_path import chip_directory, native_directory
from ..cache import kernel_cache
from ..errors import InternalError, raise_diagnostics
from ..passes import normalize_pass_configs
from ..runtime.loading import native_compiler, native_runtime
from ..target import Target, determine_target
from ..utils import logger
from .progress import progress

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
        reproducer_directory=os.environ.get("TILELANG_REPRODUCER_DIR", ""),
    )
    diagnostics = result["diagnostics"]
    for entry in diagnostics:
        kind = entry.get("kind")
        if kind in ("unsupported", "internal") and not entry["message"].startswith(f"{kind}: "):
            entry["message"] = f"{kind}: {entry['message']}"
    raise_diagnostics(diagnostics)
    if not result["succeeded"]:
        raise InternalError(
            f"compiling '{prim_func.name}' for {options.target.chip} failed without a message",
            help="TILELANG_REPRODUCER_DIR=<folder> makes the compiler leave a reproducer there",
        )
    for entry in diagnostics:
        place = f"{entry['file']}:{entry['line']}: " if entry["file"] else ""
        if entry["severity"] == "warning":
            warnings.warn(f"{place}{entry['message']}", CompilerWarning, stacklevel=3)
        else:
            (logger.warning if options.verbose else logger.info)("%s%s: %s", place, entry["severity"], entry["message"])
    return result


def _host_objects(result: dict[str, Any]) -> dict[str, bytes]:
    """Compiles the emitted source for the host, both core types of a mixed kernel at the same time."""
    cores = {"cube": ["aic"], "vector": ["aiv"], "mixed": ["aic", "aiv"]}[result["kernel_type"]]
    objects: dict[str, bytes] = native_runtime().compile_for_host(
        result["source"], name=result["entry"], cores=cores, native_directory=native_directory()
    )
    return objects


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


def lower(
    func: Any,
    target: Any = "auto",
    *,
    pass_configs: Mapping[Any, Any] | None = None,
    verbose: bool | None = None,
    stages: bool = False,
) -> LoweredProgram:
    """Compiles a program to source. Needs neither a host compiler nor a device."""
    options = BuildOptions.make(target, pass_configs, verbose)
    result = compile_module(func, options, keep_stages=stages)
    return LoweredProgram(
        result["source"],
        result["entry"],
        result["kernel_type"],
        result["block_dim"],
        result["workspace_bytes"],
        list(func.params),
        options.target,
        result["stages"],
    )
