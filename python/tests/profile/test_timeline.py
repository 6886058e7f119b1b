"""The timeline: slices that do not overlap, waits with names, slots of travelling tiles, arrows from sets to waits."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from ascend_programs import inputs
from report_programs import softmax_gemm, softmax_gemm_inputs

import tilelang

Event = dict[str, Any]
#: Microseconds; times are written with twelve digits.
CLOSE = 1e-6


class Trace:
    def __init__(self, path: Path) -> None:
        self.events: list[Event] = json.loads(path.read_text())["traceEvents"]
        self.slices = [event for event in self.events if event["ph"] == "X"]
        self.processes = self.named("process_name", lambda event: event["pid"])
        self.threads = self.named("thread_name", lambda event: (event["pid"], event["tid"]))

    def named(self, what: str, key: Any) -> dict[Any, str]:
        return {key(event): event["args"]["name"] for event in self.events if event["name"] == what}

    def track(self, event: Event) -> str:
        return f"{self.processes[event['pid']]}, {self.threads[event['pid'], event['tid']]}"

    def enclosing(self, arrow: Event) -> Event:
        """The slice that one end of an arrow lies in."""
        (found,) = [
            event
            for event in self.slices
            if (event["pid"], event["tid"]) == (arrow["pid"], arrow["tid"])
            and event["ts"] <= arrow["ts"] < event["ts"] + event["dur"]
        ]
        return found

    def arrows(self, category: str) -> list[tuple[Event, Event]]:
        ends: dict[str, dict[int, Event]] = {"s": {}, "f": {}}
        for event in self.events:
            if event["ph"] in ends and event["cat"] == category:
                assert event["id"] not in ends[event["ph"]]
                ends[event["ph"]][event["id"]] = event
        assert ends["s"].keys() == ends["f"].keys()
        return [(start, ends["f"][number]) for number, start in ends["s"].items()]


@pytest.fixture(scope="module")
def kernel() -> tilelang.JITKernel:
    return tilelang.compile(softmax_gemm(), target="ascend")


@pytest.fixture(scope="module")
def trace(kernel: tilelang.JITKernel, tmp_path_factory: pytest.TempPathFactory) -> Trace:
    path = tmp_path_factory.mktemp("trace") / "timeline.json"
    kernel.profile(*softmax_gemm_inputs()[0]).save_timeline(path)
    return Trace(path)


def test_slices_of_a_track_do_not_overlap(trace: Trace) -> None:
    tracks: dict[str, list[Event]] = defaultdict(list)
    for event in trace.slices:
        tracks[trace.track(event)].append(event)
    assert {"AIC 0, M", "AIC 0, FIX", "AIV 0, V", "AIV 1, MTE3", "workspace of block 0, s slot 0"} <= tracks.keys()
    for name, events in tracks.items():
        events.sort(key=lambda event: event["ts"])
        for first, second in itertools.pairwise(events):
            assert first["ts"] + first["dur"] <= second["ts"] + CLOSE, name


def test_waits_are_slices_with_the_lines_of_wait_and_set(trace: Trace) -> None:
    waits = [event for event in trace.slices if event["cat"] == "wait"]
    assert all(event["name"].startswith("wait: ") for event in waits)
    for stem in ("MTE2_V", "M_FIX", "CrossCoreWaitFlag"):
        (first, *_) = [event for event in waits if event["args"]["instruction"].startswith(stem)]
        assert "report_programs.py:" in first["args"]["source"] and "report_programs.py:" in first["args"]["set_at"]
    counters = {trace.track(event) for event in waits if event["args"]["instruction"].startswith("CrossCore")}
    assert {"AIC 0, S", "AIV 0, S", "AIV 1, S"} <= counters


def test_arrows_between_cores(trace: Trace) -> None:
    arrows = trace.arrows("counter")
    pairs = {(trace.track(start), trace.track(end)) for start, end in arrows}
    assert ("AIC 0, FIX", "AIV 0, S") in pairs and ("AIC 0, FIX", "AIV 1, S") in pairs
    assert pairs & {("AIV 0, MTE3", "AIC 0, S"), ("AIV 1, MTE3", "AIC 0, S")}
    for start, end in arrows:
        assert start["ts"] <= end["ts"]
        assert trace.enclosing(start)["cat"] != "wait"
        waits = trace.enclosing(end)
        assert waits["args"]["instruction"] == start["name"] == end["name"]


def test_arrows_between_pipes(trace: Trace) -> None:
    arrows = trace.arrows("flag")
    assert arrows
    for start, end in arrows:
        assert start["ts"] <= end["ts"] and start["pid"] == end["pid"]
        source, target = start["name"].split(" ")[0].split("_")
        assert (trace.threads[start["pid"], start["tid"]], trace.threads[end["pid"], end["tid"]]) == (source, target)
        setter, waiter = trace.enclosing(start), trace.enclosing(end)
        assert setter["cat"] == source
        # Where the wait took no time, the arrow leads to the instruction behind it.
        assert waiter["cat"] in ("wait", target)
        released = waiter["ts"] + (waiter["dur"] if waiter["cat"] == "wait" else 0)
        assert setter["ts"] + setter["dur"] <= released + CLOSE


def test_slots_are_taken_from_the_first_write_to_the_last_read(kernel: tilelang.JITKernel, trace: Trace) -> None:
    report = kernel.report()
    fillings = [event for event in trace.slices if event["cat"] == "workspace"]
    names = {(trace.processes[event["pid"]], event["name"]) for event in fillings}
    # Each block hands over each tile once.
    assert names == {
        (f"workspace of block {block}", f"{ring.name} 0") for block in range(report.blocks) for ring in report.rings
    }
    for filling in fillings:
        tile = filling["name"].split(" ")[0]
        producer = next(ring.producer for ring in report.rings if ring.name == tile)
        writer, reader = ("FIX", "MTE2") if producer == "Cube" else ("MTE3", "MTE2")
        inside = [
            event
            for event in trace.slices
            if event["cat"] in (writer, reader)
            and filling["ts"] - CLOSE <= event["ts"]
            and event["ts"] + event["dur"] <= filling["ts"] + filling["dur"] + CLOSE
        ]
        starts = [event for event in inside if event["cat"] == writer and abs(event["ts"] - filling["ts"]) < CLOSE]
        ends = [
            event
            for event in inside
            if event["cat"] == reader and abs(event["ts"] + event["dur"] - filling["ts"] - filling["dur"]) < CLOSE
        ]
        assert starts and ends
        assert starts[0]["args"]["source"] == filling["args"]["source"]
        assert filling["args"]["read_at"] in {event["args"]["source"] for event in ends}


def test_slots_rotate(tmp_path: Path) -> None:
    """More fillings than slots: they take turns, and none is filled while it is still read."""
    program, arguments, _ = inputs("mixed")
    kernel = tilelang.compile(program, target="ascend")
    kernel.profile(*arguments).save_timeline(tmp_path / "timeline.json")
    trace = Trace(tmp_path / "timeline.json")
    (ring,) = kernel.report().rings
    fillings = [
        event
        for event in trace.slices
        if event["cat"] == "workspace" and trace.processes[event["pid"]] == "workspace of block 0"
    ]
    fillings.sort(key=lambda event: event["ts"])
    assert len(fillings) == -(-81 // 24), "81 blocks of the grid on 24"
    assert [event["args"]["slot"] for event in fillings] == [i % ring.slots for i in range(len(fillings))]
    assert [event["name"] for event in fillings] == [f"acc {i}" for i in range(len(fillings))]


def test_kernels_of_one_core_type(tmp_path: Path) -> None:
    program, arguments, _ = inputs("gemm")
    tilelang.compile(program, target="ascend").profile(*arguments).save_timeline(tmp_path / "timeline.json")
    trace = Trace(tmp_path / "timeline.json")
    assert trace.arrows("flag") and not trace.arrows("counter")
    assert not [event for event in trace.slices if event["cat"] == "workspace"]
