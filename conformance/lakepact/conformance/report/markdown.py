"""The report as Markdown, for a ticket or a repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.conformance.evidence.escaping import code, code_block
from lakepact.conformance.evidence.escaping import markdown as md
from lakepact.conformance.evidence.escaping import markdown_sentence as sentence
from lakepact.conformance.report.observed import clients
from lakepact.conformance.report.outline import PROSE, Outline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lakepact.conformance.report.outline import Entry, Group
    from lakepact.generated.report import Line

SHOWN_CURLS = 60  #: requests shown for a finding; earlier ones are in the report file


def markdown(report: Sequence[Line]) -> str:
    """Return a report as Markdown."""
    return "\n".join(_document(report)) + "\n"


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, alignment: str = "---", columns: int = 0
) -> Iterator[str]:
    """Yield the lines of a table.

    Args:
        head: names of the columns, escaped.
        rows: the cells of each row, escaped.
        alignment: how columns after the first are aligned.
        columns: how many.
    """
    marks = ("---", *[alignment] * columns, *["---"] * len(head))
    yield f"| {' | '.join(head)} |"
    yield f"|{'|'.join(marks[: len(head)])}|"
    yield from (f"| {' | '.join(cells)} |" for cells in rows)


def _document(report: Sequence[Line]) -> Iterator[str]:
    outline = Outline.of(report)
    yield f"# {md(outline.contract)}: {md(outline.verdict)}\n"
    settings = ", ".join(f"{name} {code(value)}" for name, value in outline.settings.items())
    yield f"{settings}, by lakepact {md(outline.header['lakepact'])}: {outline.figures_line}.\n"
    yield from (f"{code(notice)}\n" for notice in outline.notices)
    if not outline.results:
        return
    if outline.summary:
        yield f"{md(outline.summary)}.\n"
    outcomes = outline.outcomes
    rows = ((md(area), *(str(n[o]) for o in outcomes)) for area, n in outline.areas.items())
    yield from table(("area", *outcomes), rows, alignment="---:", columns=len(outcomes))
    for client, outcome, tasks in clients(outline):
        yield f"- {md(client)} on this server: {md(outcome)}"
        yield from (f"  - {md(task)}" for task in tasks)
    for group in outline.groups:
        yield from _group(group)


def _group(group: Group) -> Iterator[str]:
    """Yield a cause with its first requirement at length, or the requirements that one reason
    blocks.
    """
    first, *others = group.entries
    if cause := group.cause:
        yield f"\n## Cause {cause['number']} ({group.outcome}): {md(cause['severity'])}\n"
        yield f"{md(group.title)}\n"
    elif others:
        yield f"\n## {group.outcome}: {len(group.entries)} requirements\n"
        yield f"- reason: {code(group.title)}"
        yield from [f"- request: {code(first.request)}"] if first.request else []
        yield from ("", *map(_line, group.entries))
        return
    else:
        yield f"\n## {group.outcome}\n"
    yield from _evidence(first)
    if others:
        yield "\nAlso broken:\n"
        yield from (f"{_line(entry)}\n  {code(entry.line)}" for entry in others)


def _line(entry: Entry) -> str:
    return f"- {_about(entry)}: {sentence(entry.result['sentence'])}"


def _about(entry: Entry) -> str:
    return f"{md(entry.result['requirement'])} ({md(entry.result['level'])})"


def _evidence(entry: Entry) -> Iterator[str]:
    yield f"### {_about(entry)}\n"
    yield f"{sentence(entry.result['sentence'])}\n"
    yield from (
        f"- {label}: {sentence(text) if label in PROSE else code(text)}"
        for label, text in entry.terms
    )
    if entry.requests:
        yield from ("", *code_block(entry.curls(SHOWN_CURLS), "sh"), "")
