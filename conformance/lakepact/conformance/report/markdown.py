"""The report as Markdown, for a ticket or a repository."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance.evidence.escaping import code, code_block
from lakepact.conformance.evidence.escaping import markdown as md
from lakepact.conformance.evidence.escaping import markdown_sentence as sentence
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report import harm
from lakepact.conformance.report.badge import scope
from lakepact.conformance.report.blocked import findings, reason
from lakepact.conformance.report.causes import summary
from lakepact.conformance.report.looks import by_area
from lakepact.conformance.report.observed import observed
from lakepact.conformance.report.requests import (
    curls,
    deciding,
    evidence_line,
    exchanges_of,
    judged_request,
    terms,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


def markdown(report: Sequence[dict[str, Any]]) -> str:
    """Return a report as Markdown."""
    return "\n".join(_document(report)) + "\n"


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, alignment: str = "---", aligned: int = 0
) -> Iterator[str]:
    """Yield the lines of a table.

    Args:
        head: names of the columns, escaped.
        rows: the cells of each row, escaped.
        alignment: how columns after the first are aligned.
        aligned: how many.
    """
    marks = ("---", *[alignment] * aligned, *["---"] * len(head))
    yield f"| {' | '.join(head)} |"
    yield f"|{'|'.join(marks[: len(head)])}|"
    yield from (f"| {' | '.join(cells)} |" for cells in rows)


def _document(report: Sequence[dict[str, Any]]) -> Iterator[str]:
    header, footer = report[0], report[-1]
    results = [line for line in report if line["line"] == "result"]
    exchanges = exchanges_of(report)
    part = f", {scope(header)}" if header["only"] else ""
    verdict = f"{md(footer['verdict'])}{md(part)}"
    yield f"# {md(header['title'])} {md(header['version'])}: {verdict}\n"
    yield f"{code(header['target'])}, checked {md(header['ended'])} by lakepact {md(header['lakepact'])}: "
    yield f"{len(results)} requirements, {footer['checks']} checks, {footer['requests']} requests, {footer['seconds']:.1f} s.\n"
    if "stopped" in footer:
        yield f"{'Not everything was' if results else 'Nothing could be'} checked: {code(footer['stopped'])}\n"
    if not results:
        return
    if summary(report):
        yield f"{md(summary(report))}.\n"
    shown = [o for o in Outcome if o in {r["outcome"] for r in results}]
    rows = ((md(area), *(str(seen[o]) for o in shown)) for area, seen in by_area(results).items())
    yield from table(
        ("area", *(o.value for o in shown)), rows, alignment="---:", aligned=len(shown)
    )
    for client, observation, tasks in observed(report):
        yield f"- {md(client)} on this server: {md(observation)}"
        yield from (f"  - {md(task)}" for task in tasks)
    outcome = None
    for cause, group in findings(report):
        if cause is not None:
            yield from _cause(cause, group, exchanges, header)
            continue
        if outcome != group[0]["outcome"]:
            outcome = group[0]["outcome"]
            yield f"\n## {outcome}\n"
        yield from _evidence(group[0], exchanges) if len(group) == 1 else _blocked(group, exchanges)


def _cause(
    cause: Mapping[str, Any],
    results: Sequence[dict[str, Any]],
    exchanges: Mapping[int, Mapping[str, Any]],
    header: Mapping[str, Any],
) -> Iterator[str]:
    """Yield a cause: its first requirement at length, and the others with a line of evidence each."""
    yield f"\n## Cause {cause['number']} ({md(cause['outcome'])}): {md(cause['severity'])}\n"
    yield f"{md(cause['title'])}\n"
    yield from (
        f"{name.capitalize()}: {md(text)}.\n" for name, text in harm.terms(header, cause).items()
    )
    yield from _evidence(results[0], exchanges)
    if results[1:]:
        yield "\nAlso broken:\n"
    for result in results[1:]:
        yield _line(result)
        yield f"  {code(evidence_line(result, exchanges))}"


def _blocked(
    results: Sequence[dict[str, Any]], exchanges: Mapping[int, Mapping[str, Any]]
) -> Iterator[str]:
    """Yield requirements that one reason blocks: the reason, the request that shows it, and their sentences."""
    yield f"### {len(results)} requirements\n"
    yield f"- reason: {code(reason(results[0]))}"
    request = judged_request(deciding(results[0]), exchanges)
    if request:
        yield f"- request: {code(request)}"
    yield ""
    yield from map(_line, results)


def _line(result: Mapping[str, Any]) -> str:
    return f"- {md(result['requirement'])} ({md(result['level'])}): {sentence(result['sentence'])}"


def _evidence(
    result: Mapping[str, Any], exchanges: Mapping[int, Mapping[str, Any]]
) -> Iterator[str]:
    yield f"### {md(result['requirement'])} ({md(result['level'])})\n"
    yield f"{sentence(result['sentence'])}\n"
    yield from (f"- {name}: {code(text)}" for name, text in terms(result, exchanges).items())
    yield f"- clause: {code(result['clause'])}"
    if result["interpretation"]:
        yield f"- interpretation: {md(result['interpretation'])}"
    yield from (
        f"- correction {md(e['id'])} ({md(e['effect'])}): {sentence(e['sentence'])}"
        for e in result["corrections"]
    )
    if sent := curls(deciding(result), exchanges):
        yield from ("", *code_block(sent, "sh"), "")
