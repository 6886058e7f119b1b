"""The kernel cache: compiled kernels in memory and on disk.

Entries are artifacts (docs/artifact.md) in the user's cache folder under `tilelang-native`; `TILELANG_CACHE_DIR` names
another folder, `TILELANG_DISABLE_CACHE=1` turns the cache off.
"""

from __future__ import annotations

from .store import (
    KernelCache,
    cache_directory,
    cache_info,
    clear_cache,
    disable_cache,
    enable_cache,
    is_cache_enabled,
    kernel_cache,
)

__all__ = [
    "KernelCache",
    "cache_directory",
    "cache_info",
    "clear_cache",
    "disable_cache",
    "enable_cache",
    "is_cache_enabled",
    "kernel_cache",
]
