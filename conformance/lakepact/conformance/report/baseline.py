"""A file of known failures made from a report: every failing requirement, with its evidence as comments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report.requests import deciding, exchanges_of, judged_request

SHOWN = 200  #: characters of a text in a comment
REASON = 120  #: characters of a reason
UNEXAMINED = "not examined yet"  #: how the reasons of new failures begin


def failing(report: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the results that fail a run: broken MUSTs, of strict runs broken SHOULDs too, and known failures that still fail."""
    outcomes = {Outcome.FAIL, Outcome.KNOWN_FAIL} | (
        {Outcome.WARN} if report[0]["strict"] else set()
    )
    return [line for line in report if line["line"] == "result" and line["outcome"] in outcomes]


def text(report: Sequence[dict[str, Any]]) -> str:
    """Return the file of known failures: the reasons of those that were known, and the evidence of all."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Sequence[dict[str, Any]]) -> Iterator[str]:
    header = report[0]
    exchanges = exchanges_of(report)
    causes = {line["number"]: line for line in report if line["line"] == "cause"}
    results = failing(report)
    target = f"{plain(header['target'])}, {header['contract']} {header['version']}"
    yield f"# Known failures ({len(results)}) of {target}: a report of {header['ended']} by lakepact {header['lakepact']}."
    yield "# `lakepact check --known-failures THIS-FILE` accepts them; it fails on other failures, and on these once they pass."
    order = {number: place for place, number in enumerate(causes)}
    shown = None
    for result in sorted(results, key=lambda line: order.get(line.get("cause"), len(order))):
        cause = causes.get(result.get("cause", 0))
        if cause is not None and cause["number"] != shown:
            shown = cause["number"]
            yield f"\n# == {plain(cause['title'])}"
        yield from _entry(result, exchanges)


def _entry(result: Mapping[str, Any], exchanges: Mapping[int, Mapping[str, Any]]) -> Iterator[str]:
    """Yield the line of one requirement, after its evidence."""
    verdict = deciding(result)
    request = judged_request(verdict, exchanges)
    evidence = {
        "request": request,
        **{name: verdict.get(name, "") for name in ("expected", "actual")},
    }
    evidence |= {"clause": result["clause"], "check": verdict["check"]}
    yield f"\n# {plain(result['sentence'])}"
    yield from (
        f"#   {name:<9} {_short(value, SHOWN)}" for name, value in evidence.items() if value
    )
    is_known = result["outcome"] == Outcome.KNOWN_FAIL
    reason = (
        verdict["remark"]
        if is_known
        else f"{UNEXAMINED}: expected {evidence['expected']}, got {evidence['actual']}"
    )
    yield f"{result['requirement']}  {plain(reason) if is_known else _short(reason, REASON)}"


def _short(said: str, most: int) -> str:
    line = " ".join(plain(said).split())
    return line if len(line) <= most else f"{line[:most]}…"
