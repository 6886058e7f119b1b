"""Compiled kernels."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..errors import (
    ArgumentError,
    ArgumentTypeError,
    ArgumentValueError,
    KernelTypeError,
    KernelValueError,
    Note,
    Remark,
    TileLangError,
    UnsupportedError,
    split_message,
)
from ..runtime.loading import native_kernel
from .build import BuildOptions, compile_module, remarks_of
from .progress import progress
from .user_line import at_user_line, calling_line

if TYPE_CHECKING:
    from .._runtime import Artifact, Report
    from ..profiler import KernelReport, Profile, Profiler

__all__ = ["JITKernel", "checks_enabled", "observe", "output_indices"]

_STAGES = ("tile", "normalized", "placed", "ordered", "final")


#: Set by the command line while it runs a program: told of each new kernel, and asked to do each launch.
_on_created: Callable[[JITKernel], None] | None = None
_on_launch: Callable[[JITKernel, tuple[Any, ...]], Any] | None = None


@contextmanager
def observe(
    created: Callable[[JITKernel], None] | None = None,
    launched: Callable[[JITKernel, tuple[Any, ...]], Any] | None = None,
) -> Iterator[None]:
    """While the body runs, `created` sees each new kernel and `launched` replaces each call of one."""
    global _on_created, _on_launch
    saved = _on_created, _on_launch
    _on_created, _on_launch = created, launched
    try:
        yield
    finally:
        _on_created, _on_launch = saved


def checks_enabled(checks: str | bool | None) -> bool:
    """Whether the simulator's checks run: the argument, else `TILELANG_CHECKS`, else yes."""
    source = "checks"
    if checks is None:
        source = "TILELANG_CHECKS"
        checks = os.environ.get("TILELANG_CHECKS") or "on"
    if isinstance(checks, bool):
        return checks
    value = checks.lower() if isinstance(checks, str) else checks
    if value in ("on", "1", "true"):
        return True
    if value in ("off", "0", "false"):
        return False
    raise ArgumentValueError(f'{source} is {checks!r}, expected "on" or "off"')


def output_indices(out_idx: int | Sequence[int] | None, parameters: Sequence[dict[str, Any]], name: str) -> list[int]:
    """`out_idx` as non-negative indices of tensor parameters, in the order given."""
    if out_idx is None:
        return []
    if isinstance(out_idx, bool) or not isinstance(out_idx, (int, list, tuple)):
        raise KernelTypeError(f"out_idx is {out_idx!r}, expected an integer or a list of integers")
    count = len(parameters)
    names = ", ".join(f"{index}: {parameter['name']}" for index, parameter in enumerate(parameters))
    result: list[int] = []
    for index in [out_idx] if isinstance(out_idx, int) else out_idx:
        if isinstance(index, bool) or not isinstance(index, int):
            raise KernelTypeError(f"out_idx has the entry {index!r}, expected integers")
        if not -count <= index < count:
            raise KernelValueError(
                f"out_idx has the entry {index}, but kernel '{name}' has {count} parameters", values=[names]
            )
        index %= count
        if parameters[index]["kind"] != "tensor":
            raise KernelValueError(
                f"out_idx names parameter {index} ('{parameters[index]['name']}') of kernel '{name}', which is a "
                "scalar; only tensors can be outputs",
                values=[names],
            )
        if index in result:
            raise KernelValueError(f"out_idx names parameter {index} ('{parameters[index]['name']}') twice")
        result.append(index)
    return result


class JITKernel:
    """A compiled kernel. Call it with the arrays and scalars of its parameters, in order; parameters named by `out_idx`
    are allocated and returned: one output as an array, several as a list."""

    def __init__(
        self,
        artifact: Artifact,
        *,
        out_idx: int | Sequence[int] | None = None,
        checks: str | bool | None = None,
        prim_func: Any = None,
        options: BuildOptions | None = None,
    ) -> None:
        self.artifact = artifact
        self.prim_func = prim_func
        self.out_idx = out_idx
        self._options = options
        self._checks = checks
        self._parameters = artifact.parameters
        self._outputs = output_indices(out_idx, self._parameters, artifact.name)
        checks_enabled(checks)  # A wrong value is found here, not at the first call.
        self._native = native_kernel(artifact, self._outputs)
        if _on_created is not None:
            _on_created(self)

    # -- calling -------------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, checks: str | bool | None = None, **unknown: Any) -> Any:
        if unknown:
            with at_user_line():
                raise ArgumentTypeError(
                    f"kernel '{self.name}' takes its arguments by position, found the keyword "
                    + ", ".join(repr(key) for key in unknown),
                    values=[f"parameters: {', '.join(self.parameter_names)}"],
                    help="leave the names out",
                )
        if _on_launch is not None:
            return _on_launch(self, args)
        try:
            checked = checks_enabled(self._checks if checks is None else checks)
            if sys.stderr.isatty():
                with progress(f"simulating {self.name} on {self.artifact.chip}"):
                    value, report = self._native.launch(args, checked)
            else:
                value, report = self._native.launch(args, checked)
        except TileLangError as error:
            self._explain(error)
            raise
        self._conclude(report)
        return value

    def _explain(self, error: TileLangError) -> None:
        """Adds to an error of a call where that is, and where the parameter it is about is declared."""
        if error.location is not None:
            return
        error.location = calling_line()
        if not isinstance(error, ArgumentError):
            return
        error.message, values, help = split_message(error.message)
        error.values, error.help = (*error.values, *values), error.help or help
        named = re.match(r"argument \d+ \('(\w+)'\)", error.message)
        function = getattr(self.prim_func, "function", None)
        if function is None:
            return
        from ..language.primfunc import parameter_location

        place = parameter_location(function, named.group(1) if named else "")
        what = f"parameter '{named.group(1)}'" if named else f"kernel '{self.name}'"
        error.notes = (*error.notes, Note(f"{what} is declared here", place))

    def _conclude(self, report: Report) -> None:
        """Shows what the kernel printed and raises what the checks found."""
        if report.output:
            sys.stdout.write(report.output)
        if report.finding_count or not report.completed:
            from .findings import check_error

            raise check_error(self._native, report)

    # -- what it is ----------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self.artifact.name

    @property
    def params(self) -> list[Any]:
        """The parameters of the program, or their descriptions where the kernel came from an artifact."""
        return list(self.prim_func.params) if self.prim_func is not None else list(self._parameters)

    @property
    def parameter_names(self) -> list[str]:
        return [parameter["name"] for parameter in self._parameters]

    @property
    def statistics(self) -> dict[str, int]:
        """Counts of the compilation: flags, barriers, what the synchronisation proof found redundant."""
        return dict(self.artifact.statistics)

    @property
    def remarks(self) -> list[Remark]:
        """What the compiler remarked about the program: hints that it could not follow, slow forms that it took. Each
        has a message and a place; `str()` shows them as errors are shown."""
        return remarks_of(self.artifact)

    def report(self) -> KernelReport:
        """What the compiler made of the program: where each statement runs, what each buffer became, what travels
        between cores, how deep tasks are skewed, what was not vectorised, and why. Prints as tables."""
        from ..profiler import kernel_report

        return kernel_report(self.artifact, self.remarks)

    @property
    def target(self) -> str:
        return self.artifact.target

    def __repr__(self) -> str:
        artifact = self.artifact
        shown = []
        for index, parameter in enumerate(self._parameters):
            text = f"{parameter['name']}: {parameter['dtype']}"
            if parameter["kind"] == "tensor":
                text += f"[{', '.join(_dimension_text(extent) for extent in parameter['shape'])}]"
            shown.append(text + (" (out)" if index in self._outputs else ""))
        return (
            f"<JITKernel {artifact.name}({', '.join(shown)}) on the simulator of {artifact.chip}, "
            f"{artifact.kernel_type} kernel, {artifact.block_dim} blocks>"
        )

    # -- looking inside ------------------------------------------------------------------------------------------------

    def get_kernel_source(self, kernel_only: bool = True) -> str:
        """The Ascend C source that was emitted."""
        return self.artifact.source

    def get_host_source(self) -> str:
        """Host code that launches the kernel: not generated, the launch is the runtime's own."""
        raise UnsupportedError(
            f"kernel '{self.name}' has no host source on target '{self.artifact.target}': the runtime launches it",
            help="get_kernel_source() gives the device source; save(path) writes an artifact that C and C++ can load",
        )

    def show_source(self) -> None:
        """Prints the emitted source, coloured on a terminal."""
        if not sys.stdout.isatty():
            print(self.artifact.source)
            return
        from rich.console import Console
        from rich.syntax import Syntax

        Console().print(Syntax(self.artifact.source, "cpp", line_numbers=True))

    def show_ir(self, stage: str = "tile") -> str:
        """Prints and returns the program after a stage of the compiler: tile, normalized, placed, ordered, final."""
        text = self.get_ir(stage)
        print(text)
        return text

    def get_ir(self, stage: str = "tile") -> str:
        """The program after a stage of the compiler, as text."""
        if stage not in _STAGES:
            raise ArgumentValueError(f"unknown stage {stage!r}", values=[f"stages: {', '.join(_STAGES)}"])
        if self.prim_func is None or self._options is None:
            raise UnsupportedError(
                f"kernel '{self.name}' was loaded from an artifact, which does not keep the stages of its compilation",
                help="compile the program itself to look at its IR",
            )
        if stage == "tile":
            return str(self.prim_func.module())
        stages = compile_module(self.prim_func, self._options, keep_stages=True)["stages"]
        if stage not in stages:
            raise UnsupportedError(f"the compiler kept no stage {stage!r}", values=[f"kept: {', '.join(stages)}"])
        return str(stages[stage])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the kernel as an artifact, which Python (`tilelang.runtime.load_kernel`), C and C++ load."""
        self.artifact.write(os.fspath(path))

    export_library = save

    # -- measuring -----------------------------------------------------------------------------------------------------

    def profile(
        self,
        *args: Any,
        timeline: bool = True,
        checks: str | bool | None = None,
        warm_l2: bool = False,
        time_only: bool = False,
    ) -> Profile:
        """Runs the kernel once and tells where the modelled time goes. Without arguments it makes random inputs.

        `warm_l2`: the arguments are in L2 when the kernel starts, as far as they fit. `time_only`: the same time
        several times faster, but nothing is computed or checked and `result` is None; for kernels whose time does not
        depend on values that they compute."""
        from ..profiler import Profile, make_inputs

        if not args and self._parameters:
            args = tuple(make_inputs(self))
        checked = checks_enabled(self._checks if checks is None else checks)
        if time_only:
            if checked and checks is not None:
                raise ArgumentValueError(
                    f"kernel '{self.name}' cannot be checked in a profile with time_only=True, which computes nothing",
                    help="leave checks out, or time_only",
                )
            checked = False
        try:
            with progress(f"profiling {self.name} on {self.artifact.chip}"):
                value, report = self._native.launch(
                    args, checked, timeline=timeline, warm_l2=warm_l2, time_only=time_only
                )
        except TileLangError as error:
            self._explain(error)
            raise
        self._conclude(report)
        return Profile(self._native, report, None if time_only else value)

    def get_profiler(self, tensor_supply_type: Any = None) -> Profiler:
        """A profiler that makes its own inputs."""
        from ..profiler import Profiler

        return Profiler(self, tensor_supply_type)


def _dimension_text(value: Any) -> str:
    if isinstance(value, tuple):
        operation, *operands = value
        texts = [_dimension_text(operand) for operand in operands]
        return f"{operation}({', '.join(texts)})" if operation.isalpha() else f" {operation} ".join(texts)
    return str(value)
