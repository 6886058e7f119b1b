"""Where the time of the pipes goes: every cycle is booked once, and waits name the lines that end them."""

from __future__ import annotations

import numpy as np
import pytest
from ascend_programs import inputs
from report_programs import softmax_gemm, softmax_gemm_inputs

import tilelang
from tilelang.profiler import Profile

KINDS = ["gemm", "vector", "mixed", "softmax_gemm"]


@pytest.fixture(scope="module", params=KINDS)
def profile(request: pytest.FixtureRequest) -> Profile:
    if request.param == "softmax_gemm":
        arguments, reference = softmax_gemm_inputs()
        program = softmax_gemm()
    else:
        program, arguments, reference = inputs(request.param)
    result = tilelang.compile(program, target="ascend").profile(*arguments)
    np.testing.assert_allclose(arguments[-1].astype(np.float32), reference, rtol=2e-2, atol=2e-2)
    return result


def test_shares_add_up(profile: Profile) -> None:
    assert profile.cores
    for uses in [*profile.pipes.values(), *profile.cores.values()]:
        for use in uses.values():
            shares = use.shares()
            assert min(shares.values()) >= 0
            assert sum(shares.values()) == pytest.approx(1, abs=1e-9)


def test_busy_is_the_utilisation(profile: Profile) -> None:
    for core_type, uses in profile.pipes.items():
        for pipe, use in uses.items():
            if pipe != "S":
                assert use.busy + use.memory == pytest.approx(profile.utilisation[core_type][pipe])
    assert profile.cube_busy == profile.utilisation.get("AIC", {}).get("M", 0)
    assert profile.vector_busy == profile.utilisation.get("AIV", {}).get("V", 0)


def test_waits_are_those_of_the_shares(profile: Profile) -> None:
    for core_type, uses in profile.pipes.items():
        for pipe, use in uses.items():
            mine = [wait for wait in profile.waits if (wait.core_type, wait.pipe) == (core_type, pipe)]
            assert sum(wait.share for wait in mine) == pytest.approx(
                use.flags + use.counters + use.barriers + use.full_queues
            )
    assert all(wait.count > 0 and wait.cycles > 0 for wait in profile.waits)
    assert profile.waits == sorted(profile.waits, key=lambda wait: -wait.cycles)


def test_one_core_type_is_the_mean_of_its_cores(profile: Profile) -> None:
    for core_type, uses in profile.pipes.items():
        cores = [uses for (name, _), uses in profile.cores.items() if name == core_type]
        for pipe, use in uses.items():
            assert use.busy == pytest.approx(np.mean([core[pipe].busy if pipe in core else 0 for core in cores]))


def test_text(profile: Profile) -> None:
    text = str(profile)
    assert "where the time of the pipes goes" in text and "longest waits (lines of " in text
    table = profile.pipe_table()
    for line in table[1:]:
        shares = [float(cell.removesuffix("%")) for cell in line.split() if cell.endswith("%")]
        assert sum(shares) == pytest.approx(100, abs=0.05 * 9)
    assert max(len(line) for line in text.splitlines()) < 180


def test_waits_name_the_lines() -> None:
    """The vector unit waits at its statement for the load of the line above it."""
    program, arguments, _ = inputs("vector")
    kernel = tilelang.compile(program, target="ascend")
    profile = kernel.profile(*arguments)
    wait = next(wait for wait in profile.waits if wait.pipe == "V" and wait.name.startswith("MTE2_V"))
    line_of = {s.text: s.location.line for s in kernel.report().statements if s.location is not None}
    assert wait.kind == "flag" and wait.set_by == "AIV MTE2" and not wait.through_dispatch
    assert wait.waits_at is not None and wait.waits_at.line == line_of["c[i] = (a[i] + b[i]) * a[i]"]
    assert wait.set_at is not None and wait.set_at.line == line_of["T.copy(B[bx * block], b)"]
    (row,) = [row for row in profile.wait_table() if "MTE2_V" in row]
    assert "c[i] = (a[i] + b[i]) * a[i]" in row and "T.copy(B[bx * block], b)" in row


def test_counters_hold_the_pipes_of_a_core() -> None:
    """While the dispatch stands at a counter, no pipe of the core has instructions: that is what they wait for."""
    arguments, _ = softmax_gemm_inputs()
    profile = tilelang.compile(softmax_gemm(), target="ascend").profile(*arguments)
    assert profile.pipes["AIV"]["V"].counters > 0.05
    wait = next(wait for wait in profile.waits if (wait.core_type, wait.pipe, wait.kind) == ("AIV", "V", "counter"))
    assert wait.through_dispatch and wait.set_by == "AIC FIX"
    assert wait.set_at is not None and wait.waits_at is not None
    assert any("counter" in row and "AIC FIX" in row for row in profile.wait_table())


def test_accounts_do_not_depend_on_the_timeline() -> None:
    arguments, _ = softmax_gemm_inputs()
    kernel = tilelang.compile(softmax_gemm(), target="ascend")
    with_timeline, without = (kernel.profile(*arguments, timeline=timeline) for timeline in (True, False))
    assert with_timeline.cycles == without.cycles
    assert with_timeline.cores == without.cores
    assert with_timeline.waits == without.waits
