"""A file of known failures made from a report: every failing requirement, with its evidence as
comments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report.outline import Outline

if TYPE_CHECKING:
    from lakepact.conformance.report.outline import Entry
    from lakepact.generated.report import Line

SHOWN = 200  #: characters of a text in a comment
REASON = 120  #: characters of a reason
UNEXAMINED = "not examined yet"  #: how the reasons of new failures begin


def failing(outline: Outline) -> list[Entry]:
    """Return what fails a run: broken MUSTs, of strict runs broken SHOULDs too, and known failures
    that still fail.
    """
    outcomes = {Outcome.FAIL, Outcome.KNOWN_FAIL}
    outcomes |= {Outcome.WARN} if outline.header["strict"] else set()
    return [entry for entry in outline.entries if entry.outcome in outcomes]


def text(report: Sequence[Line]) -> str:
    """Return the file of known failures: the reasons of those that were known, and the evidence of
    all.
    """
    return "\n".join(_lines(Outline.of(report))) + "\n"


def _lines(outline: Outline) -> Iterator[str]:
    header = outline.header
    titles = {cause["number"]: cause["title"] for cause in outline.causes}
    entries = failing(outline)
    target = f"{plain(header['target'])}, {header['contract']} {header['version']}"
    yield (
        f"# Known failures ({len(entries)}) of {target}: a report of {header['ended']} by lakepact"
        f" {header['lakepact']}."
    )
    yield (
        "# `lakepact check --known-failures THIS-FILE` accepts them; it fails on other failures,"
        " and on these once they pass."
    )
    last, number = len(titles) + 1, 0
    for entry in sorted(entries, key=lambda entry: entry.result.get("cause", last)):
        if (cause := entry.result.get("cause", number)) != number:
            number = cause
            yield f"\n# == {plain(titles[number])}"
        yield from _entry(entry)


def _entry(entry: Entry) -> Iterator[str]:
    """Yield the line of one requirement, after its evidence."""
    terms = dict(entry.terms)
    yield f"\n# {plain(entry.result['sentence'])}"
    for name in ("request", "expected", "actual", "clause", "check"):
        if value := terms.get(name):
            yield f"#   {name:<9} {_short(value, SHOWN)}"
    reason = f"{UNEXAMINED}: expected {terms.get('expected', '')}, got {terms.get('actual', '')}"
    is_known = entry.outcome is Outcome.KNOWN_FAIL
    reason = plain(entry.verdict.get("remark", "")) if is_known else _short(reason, REASON)
    yield f"{entry.result['requirement']}  {reason}"


def _short(text: str, most: int) -> str:
    line = " ".join(plain(text).split())
    return line if len(line) <= most else f"{line[:most]}…"
