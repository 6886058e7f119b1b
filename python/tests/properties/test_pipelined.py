"""Random pipelined loops with products and vector work: the depth never shows in the result, which is NumPy's.

A program is compiled as it is and with num_stages=0; the outputs of both must be equal bit by bit, and within the bound
that the interpreter gives. On failure the notes show the source, which runs as it stands.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from random_loops import RUNS, random_loop
from tile_programs import (
    Gemm,
    If,
    Interpreter,
    Program,
    arguments_of,
    assert_right,
    assert_same_bytes,
    compile_program,
    inputs_of,
    run_kernel,
    source_of,
    statements,
)

from tilelang.errors import KernelCompileError

EXAMPLES = int(os.environ.get("TILELANG_PIPELINED_EXAMPLES", "120"))
#: What the chip has too little of; anything else that is refused is a fault.
CAPACITY = ("do not fit", "does not fit", "events from pipe to pipe")


def check(program: Program) -> tuple[str, float]:
    """What became of a program, and the bound of the error relative to the largest element."""
    inputs = inputs_of(program, len(program.body))
    runs = RUNS if program.scalars else RUNS[-1:]
    expected = {n: Interpreter(program, inputs, {"n": n}).run() for n in runs}
    try:
        pipelined, serial = compile_program(program), compile_program(program, stages=0)
    except KernelCompileError as error:
        if any(text in str(error) for text in CAPACITY):
            return "refused", 0.0
        raise
    bound = 0.0
    for n in runs:
        note(f"n = {n}")
        outputs = run_kernel(pipelined, program, inputs, {"n": n})
        assert_same_bytes(outputs, run_kernel(serial, program, inputs, {"n": n}), "num_stages changes the result")
        bound = max(bound, assert_right(outputs, expected[n]))
    return "right", bound


@pytest.mark.parametrize("counts", ["fixed", "run time"])
def test_random_loops(counts: str) -> None:
    """Fewer than one program in ten does not fit the chip, and the bounds are tight enough to tell right from wrong."""
    outcomes: Counter[str] = Counter()
    products: Counter[int] = Counter()
    bounds: list[float] = []
    branches: list[bool] = []

    @settings(
        max_examples=EXAMPLES // 2,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
    )
    @given(st.randoms(use_true_random=False))
    def run(random: Any) -> None:
        program = random_loop(random, counts)
        note(source_of(program))
        outcome, bound = check(program)
        outcomes[outcome] += 1
        bounds.append(bound)
        found = list(statements(program.body))
        products[sum(isinstance(statement, Gemm) for statement in found)] += 1
        branches.append(any(isinstance(statement, If) for statement in found))

    run()
    total = sum(outcomes.values())
    print(f"{total} programs, {outcomes['refused']} do not fit, {sum(branches)} with branches; products {products}")
    print(f"error bound relative to the largest element: median {np.median(bounds):.1e}, most {np.max(bounds):.1e}")
    assert 10 * outcomes["refused"] < total
    assert np.quantile(bounds, 0.9) < 0.05
    assert 5 * sum(branches) > total
    assert sum(number for count, number in products.items() if count >= 2) == total


def test_two_runs_are_the_same() -> None:
    """Bytes and cycles, of programs with all kinds of trip counts."""
    from random import Random

    for seed in range(6):
        program = random_loop(Random(seed), "run time" if seed % 2 else "fixed")
        kernel = compile_program(program)
        inputs = inputs_of(program, seed)
        scalars = [5] if program.scalars else []
        results = []
        for _ in range(2):
            arguments = arguments_of(program, inputs)
            profile = kernel.profile(*arguments, *scalars)
            outputs = {t.name: a for t, a in zip(program.tensors, arguments, strict=True) if t.output}
            results.append((profile.cycles, outputs))
        assert results[0][0] == results[1][0]
        assert_same_bytes(results[0][1], results[1][1], "two runs of one program")
