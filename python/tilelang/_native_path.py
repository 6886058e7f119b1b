"""Where the native parts of the package lie: extension modules, tools, libraries, headers, chip descriptions.

The folder has one layout everywhere: `_native/{bin,include,lib,chips,python}`. It is, in this order, the folder that
`TILELANG_NATIVE_DIR` names, the one inside the installed package, or the build tree of a source checkout.
"""

from __future__ import annotations

import os

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def native_directory() -> str:
    """The `_native` folder; it need not exist (nothing built yet)."""
    override = os.environ.get("TILELANG_NATIVE_DIR")
    if override:
        return os.path.abspath(override)
    installed = os.path.join(_PACKAGE, "_native")
    if os.path.isdir(installed):
        return installed
    return os.path.join(os.path.dirname(os.path.dirname(_PACKAGE)), "build", "_native")


def extension_directory() -> str:
    """The folder of the extension modules, which the package adds to its own search path."""
    return os.path.join(native_directory(), "python")


def chip_directory() -> str:
    """The folder of the chip descriptions."""
    return os.path.join(native_directory(), "chips")


def api_directory() -> str:
    """The folder of the Ascend C headers."""
    return os.path.join(native_directory(), "include", "ascendc")
