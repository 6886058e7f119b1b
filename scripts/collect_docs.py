"""Copies the reference pages that TableGen generates into the documentation tree (not under version control)."""

from __future__ import annotations

import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
GENERATED = ROOT / "build" / "docs"
TARGET = ROOT / "docs" / "reference"


def main() -> int:
    pages = sorted(GENERATED.rglob("*.md"))
    if not pages:
        print(f"no generated pages in {GENERATED}: build the target tilelang-docs first", file=sys.stderr)
        return 1
    shutil.rmtree(TARGET, ignore_errors=True)
    TARGET.mkdir(parents=True)
    for page in pages:
        text = page.read_text()
        title = page.stem
        if not text.lstrip().startswith("# "):
            text = f"# {title}\n\n{text}"
        # Generated pages begin with a comment that would hide the title.
        (TARGET / page.name).write_text(text.replace("[TOC]\n", ""))
    print(f"{len(pages)} reference pages in {TARGET.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
