"""Loading native modules and artifacts, and allocating outputs."""

from __future__ import annotations

import importlib
import os
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .._native_path import chip_directory, extension_directory
from ..errors import InternalError

if TYPE_CHECKING:
    from .. import _runtime
    from ..jit.kernel import JITKernel


def _native(name: str) -> ModuleType:
    try:
        return importlib.import_module(f"tilelang.{name}")
    except ImportError as error:
        directory = extension_directory()
        raise InternalError(
            f"the native module {name} cannot be loaded: {error}",
            values=[f"searched in {directory}" + ("" if os.path.isdir(directory) else " (no such folder)")],
            help="build the project (cmake --preset dev, ninja -C build) or install the package again; "
            "`tilelang doctor` shows what is found",
        ) from error


def native_compiler() -> Any:
    """The `_compiler` module; loads MLIR."""
    return _native("_compiler")


def native_runtime() -> Any:
    """The `_runtime` module; loads the simulator."""
    return _native("_runtime")


def allocate_output(library: str, shape: tuple[int, ...], dtype: str) -> Any:
    """Uninitialised memory for an output, in the library of the first tensor argument."""
    if library == "torch":
        import torch

        return torch.empty(shape, dtype=getattr(torch, dtype))
    import numpy

    return numpy.empty(shape, dtype=numpy_dtype(dtype))


def numpy_dtype(name: str) -> Any:
    """NumPy's dtype of a name; the small floats come from ml_dtypes."""
    import numpy

    if name.startswith(("bfloat", "float8", "float4", "float6")):
        import ml_dtypes

        return numpy.dtype(getattr(ml_dtypes, name))
    return numpy.dtype(name)


def load_artifact(path: str | os.PathLike[str]) -> _runtime.Artifact:
    """Reads an artifact file; an `ArtifactError` says what is wrong with one that cannot be read."""
    artifact: _runtime.Artifact = native_runtime().Artifact.read(os.fspath(path))
    return artifact


def load_kernel(path: str | os.PathLike[str], out_idx: int | list[int] | None = None) -> JITKernel:
    """A kernel from an artifact file, ready to be called. Never loads the compiler."""
    from ..jit.kernel import JITKernel

    return JITKernel(load_artifact(path), out_idx=out_idx)


def native_kernel(artifact: _runtime.Artifact, outputs: list[int]) -> _runtime.Kernel:
    """Loads the shared objects of an artifact."""
    kernel: _runtime.Kernel = native_runtime().Kernel(artifact, chip_directory(), outputs, allocate_output)
    return kernel
