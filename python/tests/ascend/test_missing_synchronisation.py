"""Every flag the compiler inserts is needed, and the simulator sees each one that is missing.

For a GEMM, a vector and a mixed kernel, one whole flag (its sets, waits, primes and drains) or one barrier is left out,
each in turn: the checks must report a race that names two places. A lone set or wait left out is reported as such.
"""

from __future__ import annotations

import numpy as np
import pytest
from ascend_programs import inputs

import tilelang

KINDS = ["gemm", "vector", "mixed"]
# Flags without which nothing goes wrong: none today; one per loop would be tolerable outside the GEMM.
ALLOWED_REDUNDANT = {"gemm": 0, "vector": 0, "mixed": 0}


def compile_without(kind: str, **dropped: int) -> tuple[tilelang.JITKernel, list[np.ndarray], np.ndarray]:
    program, arguments, reference = inputs(kind)
    configs = {f"debug.{name}": str(number) for name, number in dropped.items()}
    return tilelang.compile(program, target="ascend", pass_configs=configs), arguments, reference


@pytest.mark.parametrize("kind", KINDS)
def test_unbroken_kernel_is_right_and_nothing_is_reported(kind: str) -> None:
    kernel, arguments, reference = compile_without(kind)
    kernel(*arguments, checks="on")
    np.testing.assert_allclose(arguments[-1].astype(np.float32), reference, rtol=2e-3, atol=2e-2)


def count(kind: str, what: str) -> int:
    kernel, _, _ = compile_without(kind)
    return kernel.statistics[f"sync.{what}"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", ["flag", "barrier"])
def test_each_missing_flag_or_barrier_is_a_race(kind: str, what: str) -> None:
    total = count(kind, what + "s")
    silent = []
    for number in range(total):
        kernel, arguments, _ = compile_without(kind, **{f"drop_{what}": number})
        try:
            kernel(*arguments, checks="on")
        except tilelang.errors.CheckError as error:
            text = str(error)
            assert "race" in text, text
            assert text.count("-->") >= 2, text
        else:
            silent.append(number)
    print(f"{kind}: {total - len(silent)} of {total} {what}s are needed; redundant: {silent}")
    assert len(silent) <= ALLOWED_REDUNDANT[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_a_lone_set_or_wait_is_reported(kind: str) -> None:
    total = count(kind, "operations")
    assert total > 0
    for number in range(total):
        kernel, arguments, _ = compile_without(kind, drop_operation=number)
        with pytest.raises(tilelang.errors.CheckError):
            kernel(*arguments, checks="on")


def test_flags_of_the_gemm() -> None:
    """Four pairs per k step, and one each way per tile between Mmad and Fixpipe; no barrier but the last."""
    kernel, _, _ = compile_without("gemm")
    assert kernel.statistics["sync.flags"] <= 7
    assert kernel.statistics["sync.barriers"] == 0
