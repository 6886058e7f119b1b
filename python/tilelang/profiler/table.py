"""Aligned columns of text."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["byte_count", "shortened", "table"]


def table(rows: Sequence[Sequence[str]], right: Sequence[int] = (), indent: int = 2) -> list[str]:
    """Lines with the cells of `rows` in columns; those in `right` are aligned to the right. The first row is the head;
    a column whose other cells are all empty is left out."""
    if len(rows) < 2:
        return []
    kept = [column for column in range(len(rows[0])) if any(row[column] for row in rows[1:])]
    widths = {column: max(len(row[column]) for row in rows) for column in kept}
    lines = []
    for row in rows:
        cells = [row[c].rjust(widths[c]) if c in right else row[c].ljust(widths[c]) for c in kept]
        lines.append((" " * indent + "  ".join(cells)).rstrip())
    return lines


def shortened(text: str, width: int) -> str:
    """At most `width` characters of a line."""
    return text if len(text) <= width else text[: width - 3] + "..."


def byte_count(count: float) -> str:
    """A number of bytes in the unit that keeps it short."""
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if count == int(count) else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"
