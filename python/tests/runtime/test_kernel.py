"""Kernel objects: what they tell, artifacts, profiles, checks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilelang
import tilelang.language as T
from tilelang.errors import ArgumentValueError, CheckError, TileLangError, UnsupportedError
from tilelang.profiler import Profiler, do_bench, make_inputs
from tilelang.runtime import ArtifactError, load_kernel


@pytest.fixture(scope="module")
def gemm(gemm_program: Callable[..., Any]) -> Any:
    return tilelang.compile(gemm_program(), out_idx=[2], target="ascend")


@pytest.fixture
def matrices(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return rng.standard_normal((128, 64)).astype(np.float16), rng.standard_normal((64, 128)).astype(np.float16)


def test_gemm(gemm: Any, matrices: Any) -> None:
    a, b = matrices
    np.testing.assert_allclose(gemm(a, b), a.astype(np.float32) @ b.astype(np.float32), rtol=1e-3, atol=1e-3)


def test_calls_from_several_threads(gemm: Any) -> None:
    def call(seed: int) -> bool:
        generator = np.random.default_rng(seed)
        a = generator.standard_normal((128, 64)).astype(np.float16)
        b = generator.standard_normal((64, 128)).astype(np.float16)
        return np.allclose(gemm(a, b), a.astype(np.float32) @ b.astype(np.float32), rtol=1e-3, atol=1e-3)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(call, range(8)))


def test_what_a_kernel_loads_is_not_left_behind(gemm: Any, matrices: Any) -> None:
    """Shared objects are opened from files that exist for that moment only."""
    gemm.profile(*matrices).save_timeline(os.devnull)
    mine = f"tilelang-{os.getpid()}-"
    assert not [name for name in os.listdir(tempfile.gettempdir()) if name.startswith(mine)]


def test_repr(gemm: Any) -> None:
    text = repr(gemm)
    assert "gemm(A: float16[128, 64], B: float16[64, 128], C: float32[128, 128] (out))" in text
    assert "on the simulator of ascend910b2" in text


def test_sources(gemm: Any, capsys: pytest.CaptureFixture[str]) -> None:
    source = gemm.get_kernel_source()
    for word in ("Mmad", "DataCopy", "Flag", gemm.artifact.entry):
        assert word in source
    gemm.show_source()
    assert capsys.readouterr().out.rstrip("\n") == source.rstrip("\n")
    with pytest.raises(UnsupportedError, match="has no host source"):
        gemm.get_host_source()


def test_stages(gemm: Any, capsys: pytest.CaptureFixture[str]) -> None:
    text = gemm.show_ir("tile")
    assert "tile.gemm" in text and "tile.gemm" in capsys.readouterr().out
    assert "ascend." in gemm.get_ir("final")
    with pytest.raises(ArgumentValueError, match="unknown stage 'last'"):
        gemm.get_ir("last")


def test_written_parameters_are_derived(gemm: Any) -> None:
    uses = {parameter["name"]: (parameter["read"], parameter["written"]) for parameter in gemm.artifact.parameters}
    assert uses == {"A": (True, False), "B": (True, False), "C": (False, True)}


# -- artifacts ---------------------------------------------------------------------------------------------------------


def test_artifact_round_trip(gemm: Any, matrices: Any, tmp_path: Path) -> None:
    path = tmp_path / "gemm.tlk"
    gemm.save(path)
    loaded = load_kernel(path, out_idx=2)
    np.testing.assert_array_equal(loaded(*matrices), gemm(*matrices))
    assert loaded.get_kernel_source() == gemm.get_kernel_source()
    assert loaded.artifact.to_bytes() == gemm.artifact.to_bytes()
    with pytest.raises(UnsupportedError, match="loaded from an artifact"):
        loaded.get_ir("final")


def test_loading_an_artifact_never_loads_the_compiler(gemm: Any, tmp_path: Path) -> None:
    path = tmp_path / "gemm.tlk"
    gemm.save(path)
    code = (
        "import sys, numpy as np\n"
        "from tilelang.runtime import load_kernel\n"
        f"k = load_kernel({str(path)!r}, out_idx=2)\n"
        "c = k(np.ones((128, 64), np.float16), np.ones((64, 128), np.float16))\n"
        "print(c[0, 0], 'tilelang._compiler' in sys.modules)\n"
    )
    root = Path(tilelang.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert result.stdout.split() == ["64.0", "False"], result.stderr


def test_broken_artifacts(gemm: Any, tmp_path: Path) -> None:
    path = tmp_path / "gemm.tlk"
    gemm.save(path)
    data = path.read_bytes()
    path.write_bytes(data[:-10])
    with pytest.raises(ArtifactError, match="cut short"):
        load_kernel(path)
    path.write_bytes(data[:2000] + bytes([data[2000] ^ 1]) + data[2001:])
    with pytest.raises(ArtifactError, match="damaged"):
        load_kernel(path)
    path.write_bytes(data[:8] + (99).to_bytes(4, "little") + data[12:])
    with pytest.raises(ArtifactError, match="artifact format version 99, this library reads version 1"):
        load_kernel(path)
    path.write_text("not a kernel")
    with pytest.raises(ArtifactError, match="not a kernel artifact"):
        load_kernel(path)
    with pytest.raises(ArtifactError, match="No such file"):
        load_kernel(tmp_path / "absent.tlk")


# -- profiles ----------------------------------------------------------------------------------------------------------


def test_profile(gemm: Any, matrices: Any) -> None:
    profile = gemm.profile(*matrices)
    assert profile.cycles > 0
    assert profile.microseconds > profile.cycles / 1800  # cycles at 1.8 GHz, and the launch
    assert profile.flops >= 2 * 128 * 128 * 64
    assert 0 < profile.flops_per_second < profile.peak_flops_per_second
    assert profile.peak_flops_per_second == pytest.approx(353.9e12, rel=1e-3)
    assert 0 < profile.utilisation["AIC"]["M"] <= 1
    assert any(path.startswith("GM->L1") for path in profile.bytes_per_path)
    assert gemm.profile(*matrices).cycles == profile.cycles, "the model is deterministic"
    np.testing.assert_array_equal(profile.result, gemm(*matrices))


def test_profile_of_time_only(gemm: Any, matrices: Any) -> None:
    profile = gemm.profile(*matrices, time_only=True)
    full = gemm.profile(*matrices)
    assert (profile.cycles, profile.flops, profile.bytes_per_path) == (full.cycles, full.flops, full.bytes_per_path)
    assert profile.result is None
    with pytest.raises(ValueError, match="cannot be checked in a profile with time_only=True, which computes nothing"):
        gemm.profile(*matrices, time_only=True, checks="on")


def test_profile_table(gemm: Any, matrices: Any, capsys: pytest.CaptureFixture[str]) -> None:
    profile = gemm.profile(*matrices)
    text = str(profile)
    assert text.startswith("gemm on the simulator of ascend910b2\n")
    for word in ("modelled time", "cycles", "AIC", "Cube arithmetic", "float16 peak", "GM->L1", "L2"):
        assert word in text
    profile.show()
    assert capsys.readouterr().out == text + "\n", "plain text in a pipe"


def test_timeline(gemm: Any, matrices: Any, tmp_path: Path) -> None:
    path = tmp_path / "timeline.json"
    profile = gemm.profile(*matrices)
    profile.save_timeline(path)
    trace = json.loads(path.read_text())
    events = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    processes = {
        event["pid"]: event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "process_name"
    }
    threads = {(event["pid"], event["tid"]) for event in trace["traceEvents"] if event["name"] == "thread_name"}
    assert "AIC 0" in processes.values()
    assert events and all((event["pid"], event["tid"]) in threads for event in events)
    assert all(event["dur"] >= 0 for event in events)
    end = max(event["ts"] + event["dur"] for event in events)
    assert end <= profile.microseconds * 1.0001
    mmads = [event for event in events if event["args"]["instruction"].startswith("Mmad")]
    assert mmads and all("T.gemm(" in event["name"] for event in mmads)
    assert all("conftest.py:" in event["args"]["source"] for event in mmads)


def test_profile_without_timeline(gemm: Any, matrices: Any, tmp_path: Path) -> None:
    with pytest.raises(ArgumentValueError, match="has no timeline"):
        gemm.profile(*matrices, timeline=False).save_timeline(tmp_path / "timeline.json")


def test_profile_makes_inputs(gemm: Any) -> None:
    assert gemm.profile().cycles > 0
    inputs = make_inputs(gemm)
    assert [tuple(value.shape) for value in inputs] == [(128, 64), (64, 128)]


def test_profiler(gemm: Any) -> None:
    profiler = gemm.get_profiler()
    assert isinstance(profiler, Profiler)
    milliseconds = profiler.do_bench()
    assert 0 < milliseconds < 1
    assert profiler.do_bench() == milliseconds, "modelled time has no noise"
    profiler.assert_allclose(_reference, rtol=1e-2, atol=1e-2)
    with pytest.raises(AssertionError, match=r"output 'C': .* elements differ"):
        profiler.assert_allclose(lambda a, b: _reference(a, b) + 1)
    with pytest.raises(AssertionError, match="has shape"):
        profiler.assert_allclose(lambda a, b: _reference(a, b)[:1])
    assert profiler.do_bench(lambda a, b: None, warmup=0, rep=1) < 10


def _reference(a: Any, b: Any) -> Any:
    if hasattr(a, "numpy"):
        return a.float() @ b.float()
    return a.astype(np.float32) @ b.astype(np.float32)


def test_supply_kinds(gemm: Any) -> None:
    kinds = tilelang.TensorSupplyType
    for kind, check in ((kinds.Zero, lambda v: not v.any()), (kinds.One, lambda v: (v == 1).all())):
        assert all(check(value) for value in gemm.get_profiler(kind).inputs())
    with pytest.raises(ArgumentValueError, match="expected a member of TensorSupplyType"):
        gemm.get_profiler("random")


def test_do_bench_measures_host_time() -> None:
    assert 0 <= do_bench(lambda: None, warmup=0, rep=1) < 10


# -- checks ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def uninitialised() -> Any:
    @T.prim_func
    def uninitialised(A: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=128) as _:
            tile = T.alloc_shared((256,), "float32")
            T.copy(A[0:128], tile[0:128])
            T.copy(tile, A)  # nothing was ever written to half of the tile

    return tilelang.compile(uninitialised, target="ascend")


def test_findings_name_the_line(uninitialised: Any) -> None:
    with pytest.raises(CheckError) as caught:
        uninitialised(np.zeros(256, np.float32))
    text = str(caught.value)
    assert "kernel 'uninitialised', uninitialised:" in text
    assert "test_kernel.py:" in text
    assert "T.copy(tile, A)" in text
    assert isinstance(caught.value, RuntimeError)


def test_checks_can_be_turned_off(uninitialised: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    a = np.zeros(256, np.float32)
    uninitialised(a, checks="off")
    monkeypatch.setenv("TILELANG_CHECKS", "off")
    uninitialised(a)
    with pytest.raises(CheckError):
        uninitialised(a, checks="on")
    with pytest.raises(ArgumentValueError, match="checks is 'sometimes'"):
        uninitialised(a, checks="sometimes")


def test_compile_errors_name_the_line(gemm_program: Callable[..., Any]) -> None:
    with pytest.raises(TileLangError) as caught:
        tilelang.compile(gemm_program(512, 512, 64, 256, 256, 64), target="ascend")
    text = str(caught.value)
    assert "L0C" in text and "conftest.py:" in text
    assert "internal" not in text.lower()
