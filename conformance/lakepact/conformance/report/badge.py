"""The report as a badge: an SVG of one line that loads nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.conformance.evidence.escaping import html
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report.outline import Outline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakepact.generated.report import Line

COLORS = {"conformant": "#1a7f37", "not conformant": "#c4222b", "incomplete": "#6e5a00"}
CHARACTER, PADDING = 6.6, 12  #: pixels of Verdana at 11 px, and around a text

SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{label}: {words}">
<title>{label}: {words}</title>
<rect width="{width}" height="20" rx="3" fill="#3d444d"/>
<path d="M{left} 0h{right_less}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H{left}z" fill="{color}"/>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="{middle_left}" y="14" textLength="{length_left}">{label}</text>
<text x="{middle_right}" y="14" textLength="{length_right}">{words}</text>
</g>
</svg>
"""


def svg(report: Sequence[Line]) -> str:
    """Return the verdict of a report as an SVG."""
    outline = Outline.of(report)
    label, words = f"{outline.header['contract']} {outline.header['version']}", verdict(outline)
    left, right = (round(len(text) * CHARACTER) + PADDING for text in (label, words))
    return SVG.format(
        label=html(label),
        words=html(words),
        color=COLORS[outline.footer["verdict"]],
        width=left + right,
        left=left,
        right_less=right - 3,
        middle_left=left / 2,
        middle_right=left + right / 2,
        length_left=left - PADDING,
        length_right=right - PADDING,
    )


def verdict(outline: Outline) -> str:
    """Return the verdict of a report in a few words, behind the part that was judged."""
    counts, verdict = outline.footer["counts"], outline.footer["verdict"]
    failing = counts[Outcome.FAIL] + counts[Outcome.UNEXPECTED_PASS]
    known_failures = counts[Outcome.KNOWN_FAIL]
    words = verdict
    if verdict == "not conformant" and failing:
        words = f"{failing} failing"
    elif "stopped" in outline.footer:
        words = f"{verdict}, {outline.coverage}"
    elif verdict == "conformant" and known_failures:
        words = f"{verdict}, {known_failures} known failures"
    elif verdict == "conformant" and outline.scope:
        number = sum(counts.values()) - counts[Outcome.NOT_OFFERED]
        words = f"{number} of {number}"
    return f"{outline.scope}: {words}" if outline.scope else words
