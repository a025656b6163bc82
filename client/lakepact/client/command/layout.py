"""Rows as columns of text, cut to the terminal."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence

from lakepact.client.text import cut, plain, width

GAP = "  "
#: Cells that a column keeps, if it had them: narrower ones say nothing, so columns are left out
#: instead.
NARROW = 10


def terminal() -> int | None:
    """Return how many cells a line of the terminal has; None where the output goes elsewhere."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit():
        return max(1, shutil.get_terminal_size().columns)
    return None


def table(
    heads: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    cells: int | None,
    right: Sequence[bool] = (),
) -> Iterator[str]:
    """Yield the lines of a table.

    Args:
        heads: The headings of the columns; omitted if all are empty.
        rows: The rows, each with a value per column.
        cells: The maximum width; None for unlimited.
        right: For each column whether its values are right-aligned.
    """
    lines = [[plain(value) for value in row] for row in ([heads, *rows] if any(heads) else rows)]
    natural = [
        max((width(line[place]) for line in lines), default=0) for place in range(len(heads))
    ]
    widths = fit_widths(natural, cells)
    for number, line in enumerate(lines):
        texts = (
            _align(text, wide, place < len(right) and right[place])
            for place, (text, wide) in enumerate(zip(line, widths))  # noqa: B905 - columns at the end are left out
        )
        yield GAP.join(texts).rstrip()
        if number == 0 and any(heads):
            yield GAP.join(
                ("-" if head else " ") * wide
                for head, wide in zip(heads, widths)  # noqa: B905
            ).rstrip()
    if len(widths) < len(heads):
        left_out = heads[len(widths) :]
        yield cut(f"({len(left_out)} more columns: {plain(', '.join(left_out))})", cells or 0)


def fit_widths(natural: Sequence[int], cells: int | None) -> list[int]:
    """Return the widths of the columns that fit: the widest give way first, down to `NARROW`, and
    then the last are left out.
    """
    if cells is None:
        return list(natural)
    widths = [min(wide, cells) for wide in natural]
    while _all(widths) > cells and max(widths) > NARROW:
        widths[widths.index(max(widths))] -= 1
    while len(widths) > 1 and _all(widths) > cells:
        widths.pop()
    return widths


def _all(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _align(text: str, wide: int, right: bool) -> str:  # noqa: FBT001 - which side
    content = cut(text, wide)
    space = " " * (wide - width(content))
    return space + content if right else content + space
