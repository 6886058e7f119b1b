"""Factories, memoisation, outputs, and compiling."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilelang
import tilelang.language as T
from tilelang.errors import ArgumentTypeError, KernelTypeError, KernelValueError
from tilelang.jit.kernel import checks_enabled, output_indices

PARAMETERS = [{"name": name, "kind": "tensor"} for name in ("A", "B", "C")] + [{"name": "n", "kind": "scalar"}]


def counting_factory(programs: list[Any], **options: Any) -> Any:
    @tilelang.jit(out_idx=-1, **options)
    def factory(A, n, block=256, flag=None):
        @T.prim_func
        def add(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
            with T.Kernel(T.ceildiv(n, block), threads=128) as bx:
                for i in T.Parallel(block):
                    C[bx * block + i] = A[bx * block + i] + B[bx * block + i]

        programs.append(add)
        return add

    return factory


def test_factory_remembers_by_values() -> None:
    programs: list[Any] = []
    factory = counting_factory(programs)
    first = factory(None, 256)
    assert factory(None, n=256) is first
    assert factory(None, 256, 256) is first, "a default that is passed is the same call"
    assert len(programs) == 1
    assert factory(None, 512) is not first
    assert factory(None, 256, flag=True) is not factory(None, 256, flag=1), "True and 1 make different programs"
    assert factory(None, 256, flag=[1, {"a": 2}]) is factory(None, 256, flag=[1, {"a": 2}])


def test_factory_remembers_arrays_by_layout() -> None:
    programs: list[Any] = []
    factory = counting_factory(programs)
    kernel = factory(np.zeros(8, np.float32), 256)
    assert factory(np.ones(8, np.float32), 256) is kernel, "values do not count"
    assert factory(np.zeros(9, np.float32), 256) is not kernel, "shapes count"
    assert factory(np.zeros(8, np.float16), 256) is not kernel, "element types count"
    assert factory(np.zeros(16, np.float32)[::2], 256) is not kernel, "strides count"
    assert factory(np.float32(1), 256) is not factory(np.float32(2), 256), "NumPy's scalars are values"
    assert len(programs) == 6


def test_factory_compiles_once_from_many_threads() -> None:
    programs: list[Any] = []
    factory = counting_factory(programs)
    kernels: list[Any] = []
    threads = [threading.Thread(target=lambda: kernels.append(factory(None, 1024))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(programs) == 1
    assert len({id(kernel) for kernel in kernels}) == 1


def test_factory_call_errors() -> None:
    factory = counting_factory([])
    with pytest.raises(ArgumentTypeError, match="factory: missing a required argument: 'n'"):
        factory(None)
    with pytest.raises(ArgumentTypeError, match="unexpected keyword argument 'size'"):
        factory(None, 256, size=1)


def test_factory_must_return_a_program() -> None:
    @tilelang.jit
    def factory():
        return 3

    with pytest.raises(KernelTypeError, match=r"'factory' returned an int, expected a @T.prim_func"):
        factory()


def test_jit_options() -> None:
    with pytest.raises(ArgumentTypeError, match="unknown option 'outidx'"):
        tilelang.jit(outidx=1)
    with pytest.raises(ArgumentTypeError, match="decorates a function, found an int"):
        tilelang.jit(3)
    # Options of other targets' compilers are taken and have no effect.
    assert callable(tilelang.jit(execution_backend="cython", target_host="llvm", compile_flags=["-O3"]))


def test_par_compile_of_a_factory() -> None:
    programs: list[Any] = []
    factory = counting_factory(programs)
    kernels = factory.par_compile([{"A": None, "n": 256}, (None, 512)], num_workers=2)
    assert [kernel.artifact.parameters[0]["shape"] for kernel in kernels] == [(256,), (512,)]
    assert factory.par_compile([(None,)], ignore_error=True) == [None]


def test_factory_gives_program_and_source() -> None:
    factory = counting_factory([])
    assert factory.get_tir(None, 256).name == "add"
    assert factory.get_kernel_source(None, 256) == factory(None, 256).get_kernel_source()
    assert repr(factory).startswith("<jit factory factory(A, n, block=256, flag=None), 1 kernels>")


def test_compile_takes_programs_only(add_program: Callable[..., Any]) -> None:
    with pytest.raises(KernelTypeError, match=r"takes a @T.prim_func, found a function"):
        tilelang.compile(lambda: None)
    with pytest.raises(ArgumentTypeError, match="unknown option 'taget'"):
        tilelang.compile(add_program(), taget="ascend")


def test_lower_gives_source(add_program: Callable[..., Any]) -> None:
    lowered = tilelang.lower(add_program(), target="ascend", stages=True)
    assert lowered.entry in lowered.kernel_source
    assert lowered.kernel_type == "vector"
    assert lowered.block_dim >= 1
    assert "tile" in lowered.stages


@pytest.mark.parametrize(
    ("out_idx", "expected"), [(None, []), (2, [2]), (-2, [2]), ([0, -2], [0, 2]), ((1,), [1]), ([], [])]
)
def test_output_indices(out_idx: Any, expected: list[int]) -> None:
    assert output_indices(out_idx, PARAMETERS, "main") == expected


@pytest.mark.parametrize(
    ("out_idx", "error", "text"),
    [
        (4, KernelValueError, "has the entry 4, but kernel 'main' has 4 parameters"),
        (-5, KernelValueError, "has the entry -5"),
        ([0, 0], KernelValueError, r"names parameter 0 \('A'\) twice"),
        (3, KernelValueError, "is a scalar"),
        ("C", KernelTypeError, "expected an integer or a list of integers"),
        (True, KernelTypeError, "expected an integer"),
        ([1.0], KernelTypeError, "expected integers"),
    ],
)
def test_wrong_output_indices(out_idx: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        output_indices(out_idx, PARAMETERS, "main")


def test_wrong_out_idx_is_found_before_compiling(add_program: Callable[..., Any]) -> None:
    with pytest.raises(KernelValueError, match="kernel 'add' has 3 parameters"):
        tilelang.compile(add_program(), out_idx=3, target="ascend")


def test_checks_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checks_enabled(None)
    assert not checks_enabled("off")
    assert not checks_enabled(False)
    monkeypatch.setenv("TILELANG_CHECKS", "off")
    assert not checks_enabled(None)
    assert checks_enabled("on")
    monkeypatch.setenv("TILELANG_CHECKS", "maybe")
    with pytest.raises(ValueError, match="TILELANG_CHECKS is 'maybe'"):
        checks_enabled(None)
