"""Modelled time of kernels: profiles, timelines, benchmarks; and reports of what the compiler decided."""

from __future__ import annotations

from .accounts import PipeUse, Wait
from .bench import Profiler, do_bench, make_inputs
from .profile import Profile
from .report import KernelReport, kernel_report

__all__ = ["KernelReport", "PipeUse", "Profile", "Profiler", "Wait", "do_bench", "kernel_report", "make_inputs"]
