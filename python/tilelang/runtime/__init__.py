"""Between a compiled kernel and the machine: artifacts, loading, memory of outputs."""

from __future__ import annotations

from .errors import ArtifactError, LaunchError
from .loading import allocate_output, load_artifact, load_kernel, native_compiler, native_runtime

__all__ = [
    "ArtifactError",
    "LaunchError",
    "allocate_output",
    "load_artifact",
    "load_kernel",
    "native_compiler",
    "native_runtime",
]
