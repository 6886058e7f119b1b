"""Compiled kernels in memory and on disk."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..runtime.errors import ArtifactError
from ..utils import logger, say_once

if TYPE_CHECKING:
    from .._runtime import Artifact

_SUFFIX = ".tlk"
_MEMORY_ENTRIES = 256


@dataclass(frozen=True)
class CacheInfo:
    """What the cache holds."""

    directory: str
    enabled: bool
    entries: int
    bytes: int


def cache_directory() -> Path:
    """The folder of the disk cache; it need not exist."""
    override = os.environ.get("TILELANG_CACHE_DIR")
    if override:
        return Path(override).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("tilelang-native", appauthor=False))


class KernelCache:
    """Artifacts by key. Safe to use from several threads and processes: an entry is written to a file of its own and
    renamed, so that a reader sees a whole entry or none, and two that compile the same kernel write the same entry."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._memory: OrderedDict[str, Artifact] = OrderedDict()
        self._key_locks: dict[str, tuple[threading.Lock, int]] = {}
        self._enabled = True

    @property
    def enabled(self) -> bool:
        return self._enabled and os.environ.get("TILELANG_DISABLE_CACHE", "0").lower() in ("", "0", "false", "off")

    def set_enabled(self, enabled: bool) -> None:
        self._enabled = enabled

    @contextlib.contextmanager
    def compiling(self, key: str) -> Iterator[None]:
        """Held while a key is looked up and compiled, so that threads of one process compile it once."""
        with self._lock:
            lock, users = self._key_locks.get(key, (threading.Lock(), 0))
            self._key_locks[key] = (lock, users + 1)
        try:
            with lock:
                yield
        finally:
            with self._lock:
                lock, users = self._key_locks[key]
                if users == 1:
                    del self._key_locks[key]
                else:
                    self._key_locks[key] = (lock, users - 1)

    def path(self, key: str) -> Path:
        # Two characters of fan-out keep folders small.
        return cache_directory() / "kernels" / key[:2] / f"{key}{_SUFFIX}"

    def lookup(self, key: str) -> Artifact | None:
        """The entry of a key. One that cannot be read counts as absent and is replaced by the next `store`."""
        if not self.enabled:
            return None
        with self._lock:
            artifact = self._memory.get(key)
            if artifact is not None:
                self._memory.move_to_end(key)
                return artifact
        path = self.path(key)
        if not path.is_file():
            return None
        from ..runtime.loading import load_artifact

        try:
            artifact = load_artifact(path)
            if artifact.cache_key != key:
                raise ArtifactError(f"'{path}' holds the entry of another key")
        except (ArtifactError, OSError) as error:
            logger.info("cache entry ignored and compiled again: %s", error)
            return None
        self._remember(key, artifact)
        return artifact

    def store(self, key: str, artifact: Artifact) -> None:
        """Keeps an entry. A folder that cannot be written is said once; the program works on."""
        if not self.enabled:
            return
        self._remember(key, artifact)
        path = self.path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            artifact.write(os.fspath(path))
        except OSError as error:
            say_once(
                f"cache:{cache_directory()}",
                f"the kernel cache {cache_directory()} cannot be written ({error}); kernels are compiled again in the "
                "next process. TILELANG_CACHE_DIR names another folder.",
                warning=True,
            )

    def _remember(self, key: str, artifact: Artifact) -> None:
        with self._lock:
            self._memory[key] = artifact
            self._memory.move_to_end(key)
            while len(self._memory) > _MEMORY_ENTRIES:
                self._memory.popitem(last=False)

    def forget(self) -> None:
        """Drops the entries in memory."""
        with self._lock:
            self._memory.clear()

    def files(self) -> list[Path]:
        """The files of the disk cache, unfinished ones included."""
        return sorted(path for path in (cache_directory() / "kernels").glob("??/*") if path.is_file())

    def clear(self) -> None:
        """Drops all entries, in memory and on disk."""
        self.forget()
        for path in self.files():
            # Another process may clear at the same time.
            with contextlib.suppress(FileNotFoundError):
                path.unlink()


kernel_cache = KernelCache()


def clear_cache() -> None:
    """Drops all compiled kernels, in memory and on disk."""
    kernel_cache.clear()


def disable_cache() -> None:
    """Compiles every kernel anew from now on."""
    kernel_cache.set_enabled(False)


def enable_cache() -> None:
    """Undoes `disable_cache`; `TILELANG_DISABLE_CACHE` still counts."""
    kernel_cache.set_enabled(True)


def is_cache_enabled() -> bool:
    """Whether compiled kernels are kept."""
    return kernel_cache.enabled


def cache_info() -> CacheInfo:
    """Where the disk cache is and what it holds."""
    entries = [path for path in kernel_cache.files() if path.suffix == _SUFFIX]
    size = 0
    for path in entries:
        with contextlib.suppress(OSError):
            size += path.stat().st_size
    return CacheInfo(str(cache_directory()), kernel_cache.enabled, len(entries), size)
