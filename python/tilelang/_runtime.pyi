"""Types of the native module `_runtime`."""

from collections.abc import Callable, Iterable
from typing import Any

class Artifact:
    FORMAT_VERSION: int
    name: str
    entry: str
    target: str
    chip: str
    compiler: str
    kernel_type: str
    cache_key: str
    location_key: str
    block_dim: int
    workspace_bytes: int
    source: str
    statistics: dict[str, int]
    lines: list[tuple[int, str, int, int, int, int]]
    remarks: str
    description: str
    @property
    def parameters(self) -> list[dict[str, Any]]: ...
    @property
    def symbols(self) -> list[str]: ...
    @property
    def cores(self) -> list[str]: ...
    def __init__(self) -> None: ...
    def add_tensor(
        self, name: str, dtype: str, shape: Iterable[Any], strides: Iterable[Any] | None, read: bool, written: bool
    ) -> None: ...
    def add_scalar(self, name: str, dtype: str) -> None: ...
    def add_symbol(self, name: str, dtype: str) -> None: ...
    def set_object(self, core: str, data: bytes) -> None: ...
    def object(self, core: str) -> bytes: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(data: bytes) -> Artifact: ...
    def write(self, path: str) -> None: ...
    @staticmethod
    def read(path: str) -> Artifact: ...

class Report:
    completed: bool
    cycles: float
    microseconds: float
    output: str
    wall_seconds: float
    suppressed_findings: int
    @property
    def finding_count(self) -> int: ...
    @property
    def findings(self) -> list[dict[str, Any]]: ...
    def summary(self) -> dict[str, Any]: ...
    @property
    def timeline_length(self) -> int: ...
    def timeline_addresses(self) -> list[int]: ...
    @staticmethod
    def locate(addresses: list[int]) -> list[tuple[str, int]]: ...
    def accounts(self) -> list[dict[str, Any]]: ...
    def save_timeline(
        self,
        path: str,
        labels: dict[int, tuple[str, str, int]],
        rings: list[tuple[str, int, int, int, int]],
        title: str,
    ) -> None: ...
    def to_json(self, timeline: bool = False) -> str: ...

class Kernel:
    def __init__(
        self,
        artifact: Artifact,
        chip_directory: str,
        outputs: list[int],
        allocate: Callable[[str, tuple[int, ...], str], Any],
    ) -> None: ...
    @property
    def artifact(self) -> Artifact: ...
    def emitted_lines(self, places: list[tuple[str, int]], api_directory: str) -> list[int]: ...
    def launch(
        self,
        arguments: tuple[Any, ...],
        checks: bool = True,
        timeline: bool = False,
        seed: int = 0,
        warm_l2: bool = False,
        cycle_limit: float = 0.0,
        time_only: bool = False,
    ) -> tuple[Any, Report]: ...

class Chip:
    name: str
    description: str
    aic_count: int
    aiv_per_aic: int
    clock_ghz: float
    def validate(self) -> str: ...
    def constants(self) -> dict[str, float]: ...
    @staticmethod
    def load(directory: str, name: str) -> Chip: ...
    @staticmethod
    def list(directory: str) -> list[str]: ...

def compile_for_host(source: str, *, name: str, cores: list[str], native_directory: str) -> dict[str, bytes]: ...
def host_compiler() -> str: ...
