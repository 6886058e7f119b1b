"""Element types.

A `dtype` is a string (`"float16"`) with facts about the type: it compares equal to its name, is accepted wherever NumPy
accepts a name, and can be called to cast a value: `T.float32(x)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

__all__ = ["dtype"]


@dataclass(frozen=True)
class _Facts:
    bits: int
    kind: str  # "float", "int", "uint", "bool", "handle"
    storage: str  # MLIR element type of a buffer
    scalar: str  # MLIR type of a value in a register: signless


def _integers() -> dict[str, _Facts]:
    table = {}
    for bits in (8, 16, 32, 64):
        table[f"int{bits}"] = _Facts(bits, "int", f"i{bits}", f"i{bits}")
        table[f"uint{bits}"] = _Facts(bits, "uint", f"ui{bits}", f"i{bits}")
    table["int4"] = _Facts(4, "int", "i4", "i4")
    table["uint4"] = _Facts(4, "uint", "ui4", "i4")
    return table


_FACTS: dict[str, _Facts] = {
    **_integers(),
    "bool": _Facts(1, "bool", "i1", "i1"),
    "float16": _Facts(16, "float", "f16", "f16"),
    "bfloat16": _Facts(16, "float", "bf16", "bf16"),
    "float32": _Facts(32, "float", "f32", "f32"),
    "float64": _Facts(64, "float", "f64", "f64"),
    "tfloat32": _Facts(32, "float", "tf32", "tf32"),
    "float8_e4m3fn": _Facts(8, "float", "f8E4M3FN", "f8E4M3FN"),
    "float8_e4m3fnuz": _Facts(8, "float", "f8E4M3FNUZ", "f8E4M3FNUZ"),
    "float8_e4m3": _Facts(8, "float", "f8E4M3", "f8E4M3"),
    "float8_e5m2": _Facts(8, "float", "f8E5M2", "f8E5M2"),
    "float8_e5m2fnuz": _Facts(8, "float", "f8E5M2FNUZ", "f8E5M2FNUZ"),
    "float8_e8m0fnu": _Facts(8, "float", "f8E8M0FNU", "f8E8M0FNU"),
    "float4_e2m1fn": _Facts(4, "float", "f4E2M1FN", "f4E2M1FN"),
    "handle": _Facts(64, "handle", "i64", "i64"),
}

_ALIASES = {
    "float": "float32",
    "half": "float16",
    "double": "float64",
    "int": "int32",
    "long": "int64",
    "short": "int16",
    "char": "int8",
    "uint": "uint32",
    "fp16": "float16",
    "bf16": "bfloat16",
    "fp32": "float32",
    "fp64": "float64",
    "e4m3_float8": "float8_e4m3fn",
    "e5m2_float8": "float8_e5m2",
}

_PYTHON_TYPES: dict[type, str] = {bool: "bool", int: "int32", float: "float32"}


class dtype(str):
    """An element type, from its name, a NumPy or torch dtype, or a Python type."""

    __slots__ = ("bits", "kind", "scalar_type", "storage_type")

    bits: int
    kind: str
    storage_type: str
    scalar_type: str

    _known: ClassVar[dict[str, dtype]] = {}

    def __new__(cls, value: Any) -> dtype:
        if type(value) is cls:
            return value
        name = _name_of(value)
        known = cls._known.get(name)
        if known is not None:
            return known
        facts = _FACTS.get(name)
        if facts is None:
            raise TypeError(f"{value!r} is no element type; known are {', '.join(sorted(_FACTS))}")
        self = str.__new__(cls, name)
        self.bits = facts.bits
        self.kind = facts.kind
        self.storage_type = facts.storage
        self.scalar_type = facts.scalar
        cls._known[name] = self
        return self

    @property
    def bytes(self) -> int:
        """Bytes of one element in memory (at least one)."""
        return (self.bits + 7) // 8

    @property
    def itemsize(self) -> int:
        return self.bytes

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_integer(self) -> bool:
        """True for signed and unsigned integers, not for bool."""
        return self.kind in ("int", "uint")

    @property
    def compute_type(self) -> str:
        """The MLIR type that arithmetic on values of this type uses: short floats compute in float32."""
        if self.kind == "float":
            return "f64" if self.bits == 64 else "f32"
        return self.scalar_type

    def as_numpy(self) -> Any:
        """The NumPy dtype; types that NumPy lacks come from ml_dtypes."""
        import numpy

        name = str(self)
        if hasattr(numpy, name) and name not in ("bool",):
            return numpy.dtype(name)
        if name == "bool":
            return numpy.dtype(numpy.bool_)
        import ml_dtypes

        found = getattr(ml_dtypes, name, None)
        if found is None:
            raise TypeError(f"NumPy has no element type for {name}")
        return numpy.dtype(found)

    def as_torch(self) -> Any:
        """The torch dtype."""
        import torch

        found = getattr(torch, str(self), None)
        if found is None:
            raise TypeError(f"torch has no element type for {self!s}")
        return found

    def __call__(self, *values: Any) -> Any:
        """`T.float32(x)` casts; without a value the type itself, as in annotations."""
        if not values:
            return self
        from .language.values import cast_call

        return cast_call(self, values)

    def __repr__(self) -> str:
        return f"T.{self!s}"

    def __str__(self) -> str:
        return str.__str__(self)

    def __hash__(self) -> int:
        return str.__hash__(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return str.__eq__(self, other)
        try:
            return str.__eq__(self, _name_of(other))
        except TypeError:
            return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __reduce__(self) -> Any:
        return dtype, (str(self),)


def _name_of(value: Any) -> str:
    """The canonical name behind anything that names an element type."""
    if isinstance(value, str):
        name = str(value)
        name = name.removeprefix("torch.").removeprefix("numpy.")
        return _ALIASES.get(name, name)
    if isinstance(value, type):
        if value in _PYTHON_TYPES:
            return _PYTHON_TYPES[value]
        if value.__module__.split(".")[0] in ("numpy", "ml_dtypes"):  # numpy.float16, ml_dtypes.bfloat16
            return {"bool_": "bool", "bool8": "bool"}.get(value.__name__, value.__name__)
    module = type(value).__module__.split(".")[0]
    if module == "torch":
        return str(value).removeprefix("torch.")
    if module == "numpy":  # numpy.dtype
        return str(getattr(value, "name", value))
    raise TypeError(f"{value!r} is no element type")


#: Names that `tilelang.language` exports.
EXPORTED = [*sorted(_FACTS), *sorted(name for name in _ALIASES if name.isidentifier())]
