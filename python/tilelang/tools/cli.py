"""The `tilelang` command."""

from __future__ import annotations

import argparse
import ast
import os
import runpy
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..errors import ArgumentValueError, TileLangError

if TYPE_CHECKING:
    from ..jit import JITKernel

__all__ = ["main"]


# -- commands that look ------------------------------------------------------------------------------------------------


def _doctor(_: argparse.Namespace) -> int:
    from .doctor import examine

    marks = {"ok": "ok", "missing": "--", "warning": "!!", "broken": "XX"}
    colours = {"ok": "\033[32m", "missing": "\033[2m", "warning": "\033[33m", "broken": "\033[31m"}
    coloured = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    section = ""
    states = set()
    for finding in examine():
        if finding.section != section:
            section = finding.section
            print(f"{section}:")
        states.add(finding.state)
        mark = marks[finding.state]
        if coloured:
            mark = f"{colours[finding.state]}{mark}\033[0m"
        print(f"  {mark}  {finding.name}: {finding.detail}", flush=True)
        if finding.advice and finding.state != "ok":
            print(f"        -> {finding.advice}")
    if "broken" in states:
        print("Kernels cannot be compiled and run: see the lines marked XX.")
        return 1
    print("Kernels compile and run on the simulator.")
    return 0


def _targets(_: argparse.Namespace) -> int:
    from .._native_path import chip_directory
    from ..runtime.loading import native_runtime
    from ..target import determine_target, list_targets

    names = list_targets()
    if not names:
        print(f"no targets: there are no chip descriptions in {chip_directory()}", file=sys.stderr)
        return 1
    for name in names:
        if name == "auto":
            print("auto            the best device present; here: ascend on the simulator")
            continue
        chip = determine_target(name).chip
        description = native_runtime().Chip.load(chip_directory(), chip).description
        print(f"{name:<15} {description} (simulator)")
    return 0


def _cache(options: argparse.Namespace) -> int:
    from ..cache import cache_info, clear_cache

    info = cache_info()
    if options.action == "clear":
        clear_cache()
        print(f"removed {info.entries} kernels from {info.directory}")
    elif options.action == "dir":
        print(info.directory)
    else:
        state = "" if info.enabled else " (disabled)"
        print(f"{info.directory}{state}: {info.entries} kernels, {info.bytes / 1024:.0f} KiB")
    return 0


# -- commands that run a program ---------------------------------------------------------------------------------------


def _literal(text: str) -> Any:
    """A Python literal; anything else is the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _split_arguments(texts: Sequence[str]) -> tuple[list[Any], dict[str, Any]]:
    """Values by position and `name=value`."""
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if equals and name.isidentifier():
            named[name] = _literal(value)
        else:
            positional.append(_literal(text))
    return positional, named


@contextmanager
def _program_environment(script: str, arguments: Sequence[str]) -> Iterator[None]:
    """As Python itself runs a script: its folder first in the search path, its arguments in sys.argv."""
    saved = sys.argv, list(sys.path)
    sys.argv = [script, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    try:
        yield
    finally:
        sys.argv, sys.path[:] = saved


def _split_program(text: str) -> tuple[str, str | None]:
    script, colon, name = text.rpartition(":")
    if colon and name.isidentifier() and not os.path.exists(text):
        return script, name
    return text, None


def _kernel_of(script: str, name: str, options: argparse.Namespace) -> JITKernel:
    """The kernel of a factory or program that a script defines."""
    from ..jit import JITFunction, compile

    with _program_environment(script, ()):
        # Not "__main__": what the script does when it is run is not wanted here.
        namespace = runpy.run_path(script, run_name="__tilelang__")
    value = namespace.get(name)
    if value is None:
        factories = sorted(
            key for key, item in namespace.items() if isinstance(item, JITFunction) or hasattr(item, "params")
        )
        raise ArgumentValueError(
            f"{script} defines no '{name}'",
            values=[
                f"factories and programs there: {', '.join(factories) or 'none'} (only those at module level are seen)"
            ],
        )
    positional, named = _split_arguments(options.args)
    if isinstance(value, JITFunction):
        if options.target:
            value.target = options.target
        return value.compile(*positional, **named)
    if positional or named:
        raise ArgumentValueError(f"'{name}' in {script} is no jit factory, so it takes no --args")
    return compile(value, target=options.target or "auto")


def _run_script(script: str, options: argparse.Namespace) -> None:
    if options.args:
        raise ArgumentValueError(
            "--args needs a factory: script.py:factory", help="arguments of the script follow `--`"
        )
    if options.target:
        os.environ["TILELANG_DEFAULT_TARGET"] = options.target
    with _program_environment(script, options.script_args):
        try:
            runpy.run_path(script, run_name="__main__")
        except SystemExit as end:
            if end.code not in (None, 0):
                raise


def _check_script(script: str) -> None:
    if not os.path.isfile(script):
        raise ArgumentValueError(f"there is no file '{script}'")


def _compiled_kernels(options: argparse.Namespace) -> list[JITKernel]:
    """The kernels that a script compiles while it runs, or that of one factory or program in it."""
    script, name = _split_program(options.program)
    _check_script(script)
    if name is not None:
        return [_kernel_of(script, name, options)]
    from ..jit.kernel import observe

    kernels: list[JITKernel] = []
    with observe(created=kernels.append):
        _run_script(script, options)
    if not kernels:
        print(f"{script} compiled no kernel", file=sys.stderr)
    return kernels


def _report(options: argparse.Namespace) -> int:
    if options.program.endswith(".tlk"):
        from ..runtime import load_kernel

        kernels = [load_kernel(options.program)]
    else:
        kernels = _compiled_kernels(options)
    # A script may ask for one kernel many times.
    chosen = list({kernel.artifact.cache_key: kernel for kernel in kernels}.values())
    if options.json:
        import json

        print(json.dumps([kernel.report().to_dict() for kernel in chosen]))
    else:
        print("\n\n".join(str(kernel.report()) for kernel in chosen))
    return 0 if chosen else 1


def _compile(options: argparse.Namespace) -> int:
    script, _ = _split_program(options.program)
    kernels = _compiled_kernels(options)
    if not kernels:
        return 1
    output = Path(options.output) if options.output else None
    if len(kernels) > 1 and output is not None and not output.is_dir():
        if output.suffix:
            raise ArgumentValueError(
                f"{script} compiled {len(kernels)} kernels: -o must name a folder, found '{output}'"
            )
        output.mkdir(parents=True)
    used: set[str] = set()
    for kernel in kernels:
        stem, number = kernel.name, 1
        while stem in used:
            number += 1
            stem = f"{kernel.name}-{number}"
        used.add(stem)
        path = output if output is not None and not output.is_dir() else (output or Path()) / f"{stem}.tlk"
        kernel.save(path)
        if options.source:
            path.with_suffix(".cpp").write_text(kernel.get_kernel_source())
        print(f"{path}: {kernel!r}")
    return 0


def _profile(options: argparse.Namespace) -> int:
    from ..jit.kernel import observe
    from ..profiler import Profile

    script, name = _split_program(options.program)
    _check_script(script)
    profiles: list[tuple[JITKernel, Profile, int]] = []

    def launched(kernel: JITKernel, args: tuple[Any, ...]) -> Any:
        profile = kernel.profile(*args, timeline=bool(options.timeline), checks=options.checks, warm_l2=options.warm_l2)
        for index, (known, first, count) in enumerate(profiles):
            if known is kernel:
                profiles[index] = (known, first, count + 1)
                return profile.result
        profiles.append((kernel, profile, 1))
        return profile.result

    if name is not None:
        kernel = _kernel_of(script, name, options)
        launched(kernel, ())
    else:
        with observe(launched=launched):
            _run_script(script, options)
    if not profiles:
        print(f"{script} launched no kernel", file=sys.stderr)
        return 1
    for number, (_, profile, count) in enumerate(profiles):
        profile.show()
        if count > 1:
            print(f"  first of {count} launches")
        if options.timeline:
            path = Path(options.timeline)
            if number:
                path = path.with_stem(f"{path.stem}-{number + 1}")
            profile.save_timeline(path)
            print(f"  timeline: {path} (open in https://ui.perfetto.dev)")
    return 0


# -- the command line --------------------------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tilelang", description="Tile programs for Ascend, and an Ascend chip in software."
    )
    parser.add_argument("--version", action="version", version=f"tilelang-native {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    commands.add_parser("doctor", help="what is installed, what works, what to do").set_defaults(run=_doctor)
    commands.add_parser("targets", help="what kernels can be compiled for").set_defaults(run=_targets)

    cache = commands.add_parser("cache", help="the kernel cache: info, clear, dir")
    cache.add_argument("action", nargs="?", default="info", choices=("info", "clear", "dir"))
    cache.set_defaults(run=_cache)

    def program(name: str, help: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=help)
        command.add_argument(
            "program", metavar="SCRIPT[:FACTORY]", help="a script, or a jit factory or prim_func in it"
        )
        command.add_argument(
            "--args", nargs="*", default=[], metavar="VALUE", help="arguments of the factory: literals, name=literal"
        )
        command.add_argument("--target", help="the target, where the program says 'auto' or for a factory")
        command.add_argument("script_args", nargs="*", metavar="ARG", help="arguments of the script, after --")
        return command

    compile = program("compile", "compile kernels into artifacts")
    compile.add_argument("-o", "--output", metavar="PATH", help="file, or folder for several kernels")
    compile.add_argument("--source", action="store_true", help="also write the emitted source beside the artifact")
    compile.set_defaults(run=_compile)

    report = program("report", "compile kernels and show what the compiler decided; also of an artifact (FILE.tlk)")
    report.add_argument("--json", action="store_true", help="a list of reports as JSON")
    report.set_defaults(run=_report)

    profile = program("profile", "run kernels and show where the modelled time goes")
    profile.add_argument("--timeline", metavar="FILE", help="write a trace for Perfetto")
    profile.add_argument("--warm-l2", action="store_true", help="inputs are in L2 when a kernel starts")
    profile.add_argument("--checks", choices=("on", "off"), help="the simulator's checks")
    profile.set_defaults(run=_profile)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; the exit status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    # What follows `--` belongs to the script, also where it looks like an option.
    rest: list[str] = []
    if "--" in arguments:
        position = arguments.index("--")
        arguments, rest = arguments[:position], arguments[position + 1 :]
    options = _parser().parse_args(arguments)
    if rest:
        options.script_args = rest
    try:
        return int(options.run(options))
    except TileLangError as error:
        print(f"tilelang: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader (head, less) has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())
