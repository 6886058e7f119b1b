"""The tile language: `import tilelang.language as T`.

Importing it loads neither NumPy nor torch nor the compiler.
"""

from __future__ import annotations

from typing import Any

from ..dtypes import EXPORTED as _DTYPE_NAMES
from ..dtypes import dtype
from .annotations import Buffer, StridedTensor, Tensor, dynamic, symbolic
from .atomics import atomic_add, atomic_addx2, atomic_addx4
from .compute import GemmWarpPolicy, gemm
from .control import Parallel, Persistent, Pipelined, Serial, if_then_else, serial, unroll, vectorized
from .control import select as Select
from .eager import const, empty
from .hints import (
    Fragment,
    Layout,
    annotate_layout,
    assume,
    evaluate,
    make_swizzled_layout,
    no_effect,
    use_swizzle,
)
from .kernel import Kernel
from .macro import Macro, Ref, macro
from .mathematics import (
    UNARY as _UNARY,
)
from .mathematics import (
    Cast,
    abs,
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    cast,
    ceildiv,
    clamp,
    exp10,
    floordiv,
    floormod,
    fmod,
    infinity,
    isfinite,
    isinf,
    isnan,
    max,
    max_value,
    min,
    min_value,
    pow,
    reinterpret,
    shift_left,
    shift_right,
    sigmoid,
    truncdiv,
    truncmod,
)
from .memory import alloc_fragment, alloc_local, alloc_shared, alloc_var, clear, copy, fill
from .primfunc import Param, PrimFunc, prim_func
from .reductions import reduce_absmax, reduce_abssum, reduce_max, reduce_min, reduce_sum

parallel = Parallel
Unroll = unroll
Vectorized = vectorized
cdiv = ceildiv
#: The older spelling of `Ref`.
Var = Ref
# Hints of other targets.
disable_warp_group_reg_alloc = no_set_max_nreg = no_effect

__all__ = [
    "Buffer",
    "Cast",
    "Fragment",
    "GemmWarpPolicy",
    "Kernel",
    "Layout",
    "Macro",
    "Parallel",
    "Param",
    "Persistent",
    "Pipelined",
    "PrimFunc",
    "Ref",
    "Select",
    "Serial",
    "StridedTensor",
    "Tensor",
    "abs",
    "alloc_fragment",
    "alloc_local",
    "alloc_shared",
    "alloc_var",
    "annotate_layout",
    "assume",
    "atomic_add",
    "atomic_addx2",
    "atomic_addx4",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "cast",
    "ceildiv",
    "clamp",
    "clear",
    "const",
    "copy",
    "dtype",
    "dynamic",
    "empty",
    "evaluate",
    "exp10",
    "fill",
    "floordiv",
    "floormod",
    "fmod",
    "gemm",
    "if_then_else",
    "infinity",
    "isfinite",
    "isinf",
    "isnan",
    "macro",
    "make_swizzled_layout",
    "max",
    "max_value",
    "min",
    "min_value",
    "pow",
    "prim_func",
    "reduce_absmax",
    "reduce_abssum",
    "reduce_max",
    "reduce_min",
    "reduce_sum",
    "reinterpret",
    "serial",
    "shift_left",
    "shift_right",
    "sigmoid",
    "symbolic",
    "truncdiv",
    "truncmod",
    "unroll",
    "use_swizzle",
    "vectorized",
]

globals().update(_UNARY)
globals().update({_name: dtype(_name) for _name in _DTYPE_NAMES})
__all__ += [*_UNARY, *_DTYPE_NAMES]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from .unavailable import stand_in

    return stand_in(name, __all__)
