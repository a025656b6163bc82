"""The report as a badge: an SVG of one line that loads nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance.evidence.escaping import html
from lakepact.conformance.evidence.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

COLORS = {"conformant": "#1a7f37", "not conformant": "#c4222b", "incomplete": "#6e5a00"}
QUICK = "--quick"  #: among the patterns of `--only` in a report
SHOWN = 2  #: patterns in a badge
CHARACTER, PADDING = 6.6, 12  #: pixels of Verdana at 11 px, and around a text

SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{label}: {said}">
<title>{label}: {said}</title>
<rect width="{width}" height="20" rx="3" fill="#3d444d"/>
<path d="M{left} 0h{right_less}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H{left}z" fill="{color}"/>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="{middle_left}" y="14" textLength="{length_left}">{label}</text>
<text x="{middle_right}" y="14" textLength="{length_right}">{said}</text>
</g>
</svg>
"""


def svg(report: Sequence[Mapping[str, Any]]) -> str:
    """Return the verdict of a report as an SVG."""
    header, footer = report[0], report[-1]
    label, said = f"{header['contract']} {header['version']}", verdict(header, footer)
    left, right = (round(len(text) * CHARACTER) + PADDING for text in (label, said))
    return SVG.format(
        label=html(label),
        said=html(said),
        color=COLORS[footer["verdict"]],
        width=left + right,
        left=left,
        right_less=right - 3,
        middle_left=left / 2,
        middle_right=left + right / 2,
        length_left=left - PADDING,
        length_right=right - PADDING,
    )


def scope(header: Mapping[str, Any]) -> str:
    """Return to which part of the contract a run was limited, such as "only IRC-CFG-001"."""
    only = header["only"]
    if only == [QUICK]:
        return QUICK.removeprefix("--")
    more = f" and {len(only) - SHOWN} more" if len(only) > SHOWN else ""
    return f"only {', '.join(only[:SHOWN])}{more}" if only else ""


def verdict(header: Mapping[str, Any], footer: Mapping[str, Any]) -> str:
    """Return the verdict of a report in a few words, behind the part that was judged."""
    part = scope(header)
    return f"{part}: {_verdict(header, footer)}" if part else _verdict(header, footer)


def _verdict(header: Mapping[str, Any], footer: Mapping[str, Any]) -> str:
    counts = footer["counts"]
    failing = counts[Outcome.FAIL] + counts[Outcome.UNEXPECTED_PASS]
    if footer["verdict"] == "not conformant" and failing:
        return f"{failing} failing"
    known = counts[Outcome.KNOWN_FAIL]
    if header["only"] and footer["verdict"] == "conformant" and not known:
        judged = sum(counts.values()) - counts[Outcome.NOT_OFFERED]
        return f"{judged} of {judged}"
    return (
        f"{footer['verdict']}, {known} known failures"
        if known and footer["verdict"] == "conformant"
        else str(footer["verdict"])
    )
