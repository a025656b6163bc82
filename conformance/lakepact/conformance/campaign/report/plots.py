"""Bars as SVG, small enough for a telephone."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

COLOURS = {
    "fail": "#c0392b",
    "warn": "#d68910",
    "error": "#7d3c98",
    "inconclusive": "#909497",
    "pass": "#2e8b57",
    "2xx": "#2e8b57",
    "3xx": "#2874a6",
    "4xx": "#d68910",
    "5xx": "#c0392b",
    "status": "#c0392b",
    "error_type": "#d68910",
    "schema": "#7d3c98",
    "body": "#2874a6",
    "header": "#909497",
}
WIDTH, NAMES, ROW, TOP = 360, 100, 26, 24
MOST_LETTERS = 14


def bars(title: str, counts: Mapping[str, Mapping[str, int]], *, order: Sequence[str]) -> str:
    """A bar for each row, with a part for each count, all to one scale, and a legend of what is there."""
    shown = [what for what in order if any(row.get(what) for row in counts.values())]
    height = TOP + ROW * len(counts) + 4
    said = "; ".join(f"{name}: {', '.join(f'{row.get(what, 0)} {what}' for what in shown)}" for name, row in counts.items())
    drawn = "".join((*_legend(shown), *_rows(counts, shown)))
    picture = f'<svg viewBox="0 0 {WIDTH} {height}" role="img" font-family="system-ui, sans-serif" font-size="12" fill="currentColor">'
    return f"<figure><figcaption>{escape(title)}</figcaption>{picture}<title>{escape(said)}</title>{drawn}</svg></figure>"


def _legend(shown: Sequence[str]) -> Iterator[str]:
    at = 0
    for what in shown:
        yield f'<rect x="{at}" y="4" width="10" height="10" fill="{COLOURS[what]}"/><text x="{at + 14}" y="13">{escape(what)}</text>'
        at += 26 + 7 * len(what)


def _rows(counts: Mapping[str, Mapping[str, int]], shown: Sequence[str]) -> Iterator[str]:
    most = max((sum(row.get(what, 0) for what in shown) for row in counts.values()), default=0) or 1
    for place, (name, row) in enumerate(counts.items()):
        y, x = TOP + ROW * place, float(NAMES)
        short = name if len(name) <= MOST_LETTERS else name[: MOST_LETTERS - 1] + "…"
        yield f'<text x="{NAMES - 6}" y="{y + 15}" text-anchor="end">{escape(short)}</text>'
        for what in shown:
            wide = (WIDTH - NAMES - 40) * row.get(what, 0) / most
            if wide:
                yield f'<rect x="{x:.1f}" y="{y + 2}" width="{max(wide, 1):.1f}" height="18" fill="{COLOURS[what]}"/>'
                x += max(wide, 1)
        yield f'<text x="{x + 4:.1f}" y="{y + 15}">{sum(row.get(what, 0) for what in shown)}</text>'
