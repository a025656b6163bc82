"""A page as one HTML file without outside resources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.conformance.escaping import html as escape
from lakepact.conformance.report.style import STYLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SAYS = "requirement"  #: heading of a last column that narrow screens leave out


def page(title: str, parts: Iterable[str]) -> str:
    """Return the file from the parts of its body."""
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{escape(title)}</title>'
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<meta name="color-scheme" content="light dark"><style>{STYLE}</style></head><body>\n'
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def wide(head: Sequence[str], rows: Iterable[str], *, numbers: int = 0, centred: int = 0) -> str:
    """Return a table that scrolls sideways where it does not fit.

    Args:
        head: names of the columns.
        rows: the rows, as HTML.
        numbers: how many columns after the first hold numbers.
        centred: how many columns after these hold signs.
    """
    marks = ["", *["n"] * numbers, *["c"] * centred] + [""] * len(head)
    marks[len(head) - 1] = "sentence" if head[-1] == SAYS else marks[len(head) - 1]
    top = "".join(f'<th scope="col"{f" class={mark}" if mark else ""}>{escape(name)}</th>' for name, mark in zip(head, marks, strict=False))
    return f'<div class="wide" tabindex="0"><table><thead><tr>{top}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
