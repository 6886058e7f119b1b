"""Targets by name."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass
from typing import Any

from .._native_path import chip_directory
from ..errors import InternalError, KernelTypeError, KernelValueError, UnsupportedError
from ..utils import say_once

__all__ = ["Target", "determine_target", "list_targets"]

#: Names that mean one of the chips.
_CHIP_ALIASES = {"ascend": "ascend910b2", "ascend910b": "ascend910b2"}
#: Planned, so that the message can say more than "unknown".
_NOT_YET = ("cpu", "cuda", "hip", "metal", "llvm", "c", "ascend310p", "ascend950", "npu")


@dataclass(frozen=True)
class Target:
    """What a kernel is compiled for."""

    kind: str
    chip: str

    def __str__(self) -> str:
        return self.chip


def _chips() -> list[str]:
    """The chips that are described, found without loading the runtime."""
    try:
        names = os.listdir(chip_directory())
    except OSError:
        return []
    chips = []
    for name in sorted(names):
        if name.endswith(".toml"):
            with open(os.path.join(chip_directory(), name), encoding="utf-8") as file:
                # The common base of several chips is no chip.
                if not any(line.split("#")[0].replace(" ", "").strip() == "abstract=true" for line in file):
                    chips.append(name.removesuffix(".toml"))
    return chips


def list_targets() -> list[str]:
    """The targets that kernels can be compiled for here."""
    chips = _chips()
    if not chips:
        return []
    aliases = [alias for alias, chip in _CHIP_ALIASES.items() if chip in chips]
    return ["auto", *aliases, *chips]


def determine_target(target: Any = None) -> Target:
    """The target that a name means. `None` and "auto" take the best that is present (`TILELANG_DEFAULT_TARGET`
    overrides)."""
    if isinstance(target, Target):
        return target
    if target is None:
        target = "auto"
    if not isinstance(target, str):
        raise KernelTypeError(
            f"target is {target!r}, expected a name",
            values=[f"known targets: {', '.join(list_targets())}"],
            help='pass one of these, for example target="ascend"',
        )
    if target == "auto":
        target = os.environ.get("TILELANG_DEFAULT_TARGET") or "auto"
    name, *options = target.split() or [""]
    if options:
        raise UnsupportedError(f"target options {' '.join(options)!r} of target {name!r} are not supported")
    if name == "auto":
        name = "ascend"
        say_once("auto-target", "no device is present: target 'auto' takes 'ascend', run on the simulator (910B2)")
    chip = _CHIP_ALIASES.get(name, name)
    if chip in _chips():
        return Target("ascend", chip)
    known = list_targets()
    if not known:
        raise InternalError(
            f"target {name!r}: there are no chip descriptions in {chip_directory()}",
            help="build the project; `tilelang doctor` shows what is found",
        )
    values = [f"known targets: {', '.join(known)}"]
    if name in _NOT_YET:
        raise UnsupportedError(
            f"target {name!r} is not available in this version", values=values, help='use target="ascend" meanwhile'
        )
    near = difflib.get_close_matches(name, known, n=1)
    raise KernelValueError(
        f"unknown target {name!r}",
        values=values,
        help=f"did you mean {near[0]!r}?" if near else 'pass one of these, for example target="ascend"',
    )
