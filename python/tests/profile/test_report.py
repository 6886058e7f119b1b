"""`kernel.report()`: what the compiler says it did is what is in the emitted program."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from ascend_programs import inputs
from report_programs import softmax_gemm, too_many_stages, wide_product

import tilelang
from tilelang.errors import UnsupportedError
from tilelang.profiler import KernelReport
from tilelang.runtime import load_kernel
from tilelang.tools.cli import main


@pytest.fixture(scope="module")
def mixed() -> tilelang.JITKernel:
    return tilelang.compile(softmax_gemm(), target="ascend")


def units(report: KernelReport, text: str) -> dict[str, set[str]]:
    """Core types and pipes of the statements with these words."""
    found: dict[str, set[str]] = {}
    for statement in report.statements:
        if text in statement.text:
            found.setdefault(statement.core, set()).update(statement.pipes)
    return found


def test_gemm() -> None:
    report = tilelang.compile(inputs("gemm")[0], target="ascend").report()
    assert (report.kernel_type, report.blocks, report.rings) == ("cube", 24, ())
    assert units(report, "T.copy(A[") == {"Cube": {"MTE2"}}
    assert units(report, "T.gemm(") == {"Cube": {"MTE1", "M"}}
    assert units(report, "T.copy(acc, C[") == {"Cube": {"FIX"}}
    buffers = {buffer.name: buffer for buffer in report.buffers if not buffer.temporary}
    assert {name: (b.memory, b.versions, b.bytes) for name, b in buffers.items()} == {
        "A_shared": ("L1", 2, 64 * 32 * 2),
        "B_shared": ("L1", 2, 32 * 64 * 2),
        "acc": ("L0C", 2, 64 * 64 * 4),
    }
    (loop,) = [loop for loop in report.loops if loop.stages]
    assert (loop.stages, loop.skew, loop.depth, loop.counter_sets, dict(loop.barriers)) == (2, 0, 1, 0, {})
    assert "T.Pipelined" in loop.text and loop.flag_sets == loop.flag_waits > 0
    assert {flag.set_at is not None and flag.waited_at is not None for flag in report.flags} == {True}
    assert "order of tasks" not in str(report), "only mixed kernels have an order of tasks"


def test_vector() -> None:
    report = tilelang.compile(inputs("vector")[0], target="ascend").report()
    assert report.kernel_type == "vector" and {s.core for s in report.statements} == {"Vector"}
    assert units(report, "c[i] = (a[i] + b[i]) * a[i]") == {"Vector": {"V"}}
    assert {(b.name, b.memory, b.shape, b.dtype) for b in report.buffers} == {
        (name, "UB", (512,), "float32") for name in "abc"
    }
    assert report.not_vectorised == () and "not vectorised\n  nothing" in str(report)


def test_mixed(mixed: tilelang.JITKernel) -> None:
    report = mixed.report()
    assert report.kernel_type == "mixed" and report.split_over_vector_cores
    assert units(report, "T.reduce_sum(s, total, dim=1)") == {"Vector": {"V"}}
    assert {"M", "MTE1"} <= units(report, "T.gemm(p, v, o")["Cube"]
    rings = {ring.name: ring for ring in report.rings}
    assert {name: (r.producer, r.consumer, r.bytes) for name, r in rings.items()} == {
        "s": ("Cube", "Vector", 64 * 64 * 4),
        "p": ("Vector", "Cube", 64 * 64 * 2),
        "o": ("Cube", "Vector", 64 * 64 * 4),
    }
    assert all(ring.slots > 1 and ring.written_at and ring.read_at for ring in report.rings)
    counters = [flag for flag in report.flags if flag.is_counter]
    assert len(counters) >= 3 and all(flag.setter != flag.waiter for flag in counters)
    assert len(report.flags) == report.statistics["sync.flags"]
    written = {(s.core, ring) for s in report.statements for ring in s.writes}
    assert written == {("Cube", "s"), ("Vector", "p"), ("Cube", "o")}


def test_buffers_are_those_of_the_source(mixed: tilelang.JITKernel) -> None:
    """Memory, address and versions as the emitted comments say."""
    comment = re.compile(r"LocalTensor<.*>.* // (\w+), (?:(\d+) versions of )?(\d+) B at 0x([0-9a-f]+)")
    emitted = sorted(
        (memory, int(address, 16), int(count), int(versions or 1))
        for memory, versions, count, address in comment.findall(mixed.get_kernel_source())
    )
    assert emitted
    assert emitted == sorted((b.memory, b.address, b.bytes, b.versions) for b in mixed.report().buffers)


def test_memories_hold_their_buffers(mixed: tilelang.JITKernel) -> None:
    report = mixed.report()
    for memory in report.memories:
        ends = [
            buffer.address + buffer.bytes * buffer.versions
            for buffer in report.buffers
            if (buffer.core, buffer.memory) == (memory.core, memory.memory)
        ]
        assert 0 < max(ends) == memory.used <= memory.limit


def test_text_names_the_lines_of_the_program(mixed: tilelang.JITKernel) -> None:
    text = str(mixed.report())
    assert text.startswith(
        "softmax_gemm in report_programs.py for ascend910b2: 4 blocks of one Cube and two Vector cores"
    )
    program = Path(softmax_gemm.__code__.co_filename).read_text().splitlines()
    for words in ("T.copy(Q[bx * block, 0], q)", "s[i, j] = T.exp(s[i, j] - high[i])", "T.copy(o, R[bx * block, 0])"):
        number = next(number for number, line in enumerate(program, 1) if words in line)
        assert re.search(rf"^ +{number}  {re.escape(words)}", text, re.MULTILINE), words
    for title in ("where statements run", "what buffers became", "tiles that travel", "loops", "order of tasks"):
        assert f"\n{title}" in text
    assert "Vector -> Cube" in text and "split over both Vector cores" in text
    assert max(len(line) for line in text.splitlines()) < 160


def test_order_of_tasks(mixed: tilelang.JITKernel) -> None:
    """Either a loop is skewed, then its tasks are listed, or the text says that none is."""
    report = mixed.report()
    skewed = [loop for loop in report.loops if loop.skew]
    assert ("no skew" in str(report)) == (not skewed and not report.skew_remarks)
    for loop in skewed:
        assert all(0 <= task.behind <= loop.skew and task.locations for task in loop.tasks)


def test_why_not_vectorised() -> None:
    report = tilelang.compile(wide_product(), target="ascend").report()
    (remark,) = report.not_vectorised
    assert remark.message.startswith("runs as a scalar loop")
    (statement,) = [s for s in report.statements if s.scalar_reason]
    assert "a[i] * 3" in statement.text and statement.scalar_reason in remark.message
    assert f"scalar loop: {statement.scalar_reason}" in str(report)


def test_why_fewer_versions() -> None:
    report = tilelang.compile(too_many_stages(), target="ascend").report()
    fewer = [b for b in report.buffers if b.versions < b.wanted and b.memory == "L1"]
    assert {buffer.name for buffer in fewer} == {"a", "b"}
    assert all(buffer.wanted == 4 and "num_stages = 4 does not fit L1" in buffer.why_fewer for buffer in fewer)
    text = str(report)
    assert "2 of 4" in text and "num_stages = 4 does not fit L1" in text


def test_cached_and_loaded_kernels_report_the_same(mixed: tilelang.JITKernel, tmp_path: Path) -> None:
    report = mixed.report()
    again = tilelang.compile(softmax_gemm(), target="ascend")
    assert again.report() == report
    mixed.save(tmp_path / "kernel.tlk")
    loaded = load_kernel(tmp_path / "kernel.tlk")
    assert loaded.report() == report and str(loaded.report()) == str(report)


def test_json(mixed: tilelang.JITKernel) -> None:
    data = json.loads(mixed.report().to_json())
    assert data["name"] == "softmax_gemm" and data["buffers"][0]["location"]["line"] > 0
    assert {statement["core"] for statement in data["statements"]} == {"Cube", "Vector"}


def test_artifacts_without_a_description(mixed: tilelang.JITKernel) -> None:
    artifact = type(mixed.artifact).from_bytes(mixed.artifact.to_bytes())
    artifact.description = ""
    with pytest.raises(UnsupportedError, match="has no description of what the compiler decided"):
        tilelang.JITKernel(artifact).report()


def test_command(mixed: tilelang.JITKernel, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "kernel.tlk"
    mixed.save(path)
    assert main(["report", str(path)]) == 0
    assert capsys.readouterr().out == f"{mixed.report()}\n"
    assert main(["report", str(path), "--json"]) == 0
    (data,) = json.loads(capsys.readouterr().out)
    assert data == json.loads(mixed.report().to_json())


def test_command_on_a_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import tilelang\n"
        "from report_programs import wide_product\n"
        "for n in (64, 128, 64):\n"
        "    tilelang.compile(wide_product(n), target='ascend')\n"
    )
    assert main(["report", str(script)]) == 0
    out = capsys.readouterr().out
    assert out.count("wide_product in report_programs.py for ascend910b2") == 2, "equal kernels are shown once"


def test_report_is_plain_data(mixed: Any) -> None:
    report = mixed.report()
    with pytest.raises(AttributeError):
        report.blocks = 1
    assert mixed.report() is not report and mixed.report() == report
