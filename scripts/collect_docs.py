"""Writes the reference pages of the documentation into docs/reference (not under version control): dialects and passes
from what TableGen generated, the Python language from its docstrings."""

from __future__ import annotations

import inspect
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
GENERATED = ROOT / "build" / "docs"
TARGET = ROOT / "docs" / "reference"


def dialect_page(text: str, dialect: str) -> str:
    """The generated page under a title that reads well in the navigation."""
    body = re.sub(r"^# '.*' Dialect$", "", text, flags=re.MULTILINE)
    # Operations appear in the table of contents by their name alone.
    body = re.sub(r"^### `([\w.]+)` \(::.*\)$", r"### `\1`", body, flags=re.MULTILINE)
    return f"# The {dialect} dialect\n\n{body.strip()}\n"


def passes_page(pages: list[pathlib.Path]) -> str:
    """All passes on one page, by name."""
    sections: dict[str, str] = {}
    for page in pages:
        for section in re.split(r"^### ", page.read_text(), flags=re.MULTILINE)[1:]:
            name = section.split("`")[1].lstrip("-")
            body = section.split("\n", 1)[1].replace("#### Options", "Options:")
            sections[name] = f"## `{name}`\n\n{body.strip()}\n"
    return "# Passes\n\n" + "\n".join(sections[name] for name in sorted(sections))


def signature_of(item: object) -> str:
    """Parameters with defaults; the annotations of the package say `Any`, which helps nobody."""
    try:
        signature = inspect.signature(item)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""
    parameters = []
    for parameter in signature.parameters.values():
        default = parameter.default
        if default is not inspect.Parameter.empty and not isinstance(default, (int, float, str, bool, type(None))):
            parameter = parameter.replace(default=inspect.Parameter.empty)
        parameters.append(parameter.replace(annotation=inspect.Parameter.empty))
    try:
        return str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))
    except ValueError:
        return "(...)"


def python_page(title: str, prefix: str, module: object, names: list[str]) -> str:
    """The functions and classes of a module that have a docstring of their own."""
    parts = [f"# {title}\n"]
    for name in sorted(names, key=str.lower):
        item = getattr(module, name)
        text = inspect.getdoc(item)
        if text and (inspect.isfunction(item) or inspect.isclass(item)):
            parts.append(f"## `{prefix}.{name}`\n\n```text\n{prefix}.{name}{signature_of(item)}\n```\n\n{text}\n")
    return "\n".join(parts)


def main() -> int:
    dialects = sorted(GENERATED.glob("*-dialect.md"))
    passes = sorted(GENERATED.glob("*-passes.md"))
    if not dialects or not passes:
        print(f"no generated pages in {GENERATED}: build the target tilelang-docs first", file=sys.stderr)
        return 1
    sys.path.insert(0, str(ROOT / "python"))
    import tilelang
    import tilelang.language

    pages = {page.name: dialect_page(page.read_text(), page.stem.removesuffix("-dialect")) for page in dialects}
    pages["passes.md"] = passes_page(passes)
    pages["language.md"] = python_page("The language", "T", tilelang.language, list(tilelang.language.__all__))
    pages["package.md"] = python_page("The package", "tilelang", tilelang, list(tilelang.__all__))
    shutil.rmtree(TARGET, ignore_errors=True)
    TARGET.mkdir(parents=True)
    for name, text in pages.items():
        (TARGET / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
