"""Modelled time of kernels: profiles, timelines, benchmarks."""

from __future__ import annotations

from .bench import Profiler, do_bench, make_inputs
from .profile import Profile

__all__ = ["Profile", "Profiler", "do_bench", "make_inputs"]
