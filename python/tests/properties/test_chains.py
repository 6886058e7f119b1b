"""Random chains of products, elementwise operations, reductions, broadcasts and casts on odd sizes, against NumPy."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from random_chains import random_chain
from tile_programs import (
    Gemm,
    Interpreter,
    Reduce,
    assert_right,
    compile_program,
    inputs_of,
    run_kernel,
    source_of,
    statements,
)

from tilelang.errors import KernelCompileError

EXAMPLES = int(os.environ.get("TILELANG_CHAIN_EXAMPLES", "100"))


def test_random_chains() -> None:
    outcomes: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    bounds: list[float] = []

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
    )
    @given(st.randoms(use_true_random=False))
    def run(random: Any) -> None:
        program = random_chain(random)
        note(source_of(program))
        inputs = inputs_of(program, len(program.body))
        expected = Interpreter(program, inputs, {}).run()
        try:
            kernel = compile_program(program)
        except KernelCompileError as error:
            if "do not fit" not in str(error):
                raise
            outcomes["refused"] += 1
            return
        bounds.append(assert_right(run_kernel(kernel, program, inputs, {}), expected))
        outcomes["right"] += 1
        found = list(statements(program.body))
        kinds["with products"] += any(isinstance(statement, Gemm) for statement in found)
        kinds["with reductions"] += any(isinstance(statement, Reduce) for statement in found)

    run()
    total = sum(outcomes.values())
    print(f"{total} programs, {outcomes['refused']} do not fit; {dict(kinds)}")
    print(f"error bound relative to the largest element: median {np.median(bounds):.1e}, most {np.max(bounds):.1e}")
    assert 10 * outcomes["refused"] < total
    assert np.quantile(bounds, 0.9) < 0.05
    assert 3 * kinds["with products"] > total
    assert 3 * kinds["with reductions"] > total
