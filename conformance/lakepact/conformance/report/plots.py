"""Pictures as SVG and plain boxes: they take their colours from the page, so that they are right by day and by night."""

from __future__ import annotations

from math import log10, tau
from typing import TYPE_CHECKING, Any

from lakepact.conformance.evidence.escaping import html as escape
from lakepact.conformance.report.style import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

COLOURS = ("a", "b", "c", "d", "e", "f")  #: of targets, classes and the like
SHARES = tuple(filter(None, NAMES))
RADIUS, STROKE = 26, 9
WIDTH, LEFT, ROW, TOP = 520, 150, 20, 22
MOST_LETTERS = 22
TENTHS = (1, 2, 5)


def ring(counts: Mapping[str, int]) -> str:
    """Return the shares of verdicts as a ring."""
    whole, around, at = sum(counts.values()) or 1, tau * RADIUS, 0.0
    size = 2 * (RADIUS + STROKE)
    parts = []
    for verdict in SHARES:
        length = around * counts.get(verdict, 0) / whole
        if length:
            parts.append(
                f'<circle cx="{size / 2}" cy="{size / 2}" r="{RADIUS}" fill="none" stroke="var(--{verdict})" stroke-width="{STROKE}"'
                f' stroke-dasharray="{length:.2f} {around - length:.2f}" stroke-dashoffset="{-at:.2f}"'
                f' transform="rotate(-90 {size / 2} {size / 2})"/>'
            )
        at += length
    said = ", ".join(f"{counts[verdict]} {NAMES[verdict]}" for verdict in SHARES if counts.get(verdict))
    return f'<svg width="{size}" height="{size}" viewBox="0 0 {size} {size}" role="img" aria-label="{escape(said)}">{"".join(parts)}</svg>'


def share_bar(counts: Mapping[str, int]) -> str:
    """Return the shares of verdicts as a bar."""
    parts = "".join(f'<i class="{v}" style="flex:{counts[v]}"></i>' for v in SHARES if counts.get(v))
    return f'<span class="bar">{parts}</span>'


def stacked(title: str, counts: Mapping[str, Mapping[str, int]], colours: Mapping[str, str]) -> str:
    """Return a bar for each row, a part for each count, all to one scale, with a legend of what is there."""
    shown = [what for what in colours if any(row.get(what) for row in counts.values())]
    most = max((sum(row.get(what, 0) for what in shown) for row in counts.values()), default=0) or 1
    rows = []
    for name, row in counts.items():
        whole = sum(row.get(what, 0) for what in shown)
        parts = "".join(
            f'<i style="flex:{row[what]};background:var(--{colours[what]})" title="{row[what]:,} {escape(what)}"></i>'
            for what in shown
            if row.get(what)
        )
        rest = f'<i style="flex:{most - whole};min-width:0"></i>' if whole < most else ""
        rows.append(
            f'<div><span title="{escape(name)}">{escape(name)}</span><span class="bar">{parts}{rest}</span><span>{whole:,}</span></div>'
        )
    legend = "".join(f'<li><i style="background:var(--{colours[what]})"></i>{escape(what)}</li>' for what in shown)
    return (
        f'<figure><figcaption>{escape(title)}</figcaption><div class="bars">{"".join(rows)}</div><ul class="legend">{legend}</ul></figure>'
    )


def ranges(title: str, rows: Sequence[Mapping[str, Any]], targets: Sequence[str]) -> str:
    """From the median to the 99th of a hundred, with a mark at the 95th, for each operation and target, on a scale of powers of ten."""
    operations = sorted({row["operation_id"] for row in rows})
    by_key = {(row["operation_id"], row["target"]): row for row in rows}
    least = min(max(row["p50_us"], 1) for row in rows)
    most = max(max(row["p99_us"], 1) for row in rows)
    low, high = log10(least) - 0.1, log10(most) + 0.1

    def across(micros: int) -> float:
        return LEFT + (WIDTH - LEFT - 12) * (log10(max(micros, 1)) - low) / (high - low)

    height = TOP + sum(ROW + 4 for _ in operations) + 6
    drawn = list(_scale(least, most, across, height))
    for place, operation in enumerate(operations):
        y = TOP + place * (ROW + 4)
        drawn.append(f'<text x="{LEFT - 8}" y="{y + ROW / 2 + 4}" text-anchor="end">{escape(_short(operation))}</text>')
        for number, target in enumerate(targets):
            row = by_key.get((operation, target))
            if row is None:
                continue
            at = y + (number + 0.5) * ROW / len(targets)
            colour = COLOURS[number % len(COLOURS)]
            told = (
                f"{target}: median {_time(row['p50_us'])}, 95 % {_time(row['p95_us'])}, 99 % {_time(row['p99_us'])} of {row['exchanges']:,}"
            )
            x1, x2, x3 = (across(row[name]) for name in ("p50_us", "p95_us", "p99_us"))
            drawn.append(
                f'<g stroke="var(--{colour})" fill="var(--{colour})"><title>{escape(told)}</title>'
                f'<line x1="{x1:.1f}" x2="{x3:.1f}" y1="{at:.1f}" y2="{at:.1f}" stroke-width="2" opacity=".55"/>'
                f'<circle cx="{x1:.1f}" cy="{at:.1f}" r="3"/>'
                f'<line x1="{x2:.1f}" x2="{x2:.1f}" y1="{at - 3:.1f}" y2="{at + 3:.1f}" stroke-width="2"/></g>'
            )
    legend = "".join(
        f'<li><i style="background:var(--{COLOURS[n % len(COLOURS)]})"></i>{escape(target)}</li>' for n, target in enumerate(targets)
    )
    picture = f'<svg width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img" font-size="11">{"".join(drawn)}</svg>'
    legend += "<li>● median, | 95 %, end of line 99 %</li>"
    return f'<figure><figcaption>{escape(title)}</figcaption>{picture}<ul class="legend">{legend}</ul></figure>'


def _scale(least: int, most: int, across: Any, height: int) -> Iterator[str]:
    for power in range(9):
        for tenth in TENTHS:
            micros = tenth * 10**power
            if least * 0.8 <= micros <= most * 1.25 and (tenth == 1 or most < least * 100):
                x = across(micros)
                yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 6}" y2="{height - 4}"/>'
                yield f'<text class="soft" x="{x:.1f}" y="{TOP - 10}" text-anchor="middle">{_time(micros)}</text>'


def _time(micros: int) -> str:
    if micros < 1000:
        return f"{micros} µs"
    return f"{micros / 1000:.3g} ms" if micros < 1_000_000 else f"{micros / 1_000_000:.3g} s"


def _short(name: str) -> str:
    return name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1]}…"
