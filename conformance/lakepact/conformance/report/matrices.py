"""A compatibility matrix for the terminal, as Markdown and as an HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table

from lakepact.conformance.evidence.escaping import (
    code_cell,
    html_sentence,
    markdown_sentence,
    terminal,
)
from lakepact.conformance.evidence.escaping import html as escape
from lakepact.conformance.evidence.escaping import markdown as md
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report.causes import Severity
from lakepact.conformance.report.compatibility import (
    REQUIREMENT,
    cell_text,
    incomplete,
    marks,
    outcome_of,
    passing_and_applicable,
    signs,
)
from lakepact.conformance.report.looks import LOOKS, VERDICTS, looks
from lakepact.conformance.report.markdown import table
from lakepact.conformance.report.page import SAYS, card, chip, page, section, share_bar, top, wide

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import Console

    from lakepact.conformance.report.compatibility import Column, Matrix, Row


def show(matrix: Matrix, console: Console) -> None:
    """Print a matrix."""
    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    grid.add_column(matrix.by, no_wrap=True)
    for column in matrix.columns:
        grid.add_column(
            terminal(column.name), justify="center" if matrix.by == REQUIREMENT else "left"
        )
    for row in matrix.rows:
        grid.add_row(
            terminal(row.name),
            *(cell_text(row.cells.get(column.name), matrix.by) for column in matrix.columns),
        )
    grid.add_section()
    grid.add_row(
        "[bold]verdict[/]",
        *(VERDICTS[column.verdict].sentence.lower() for column in matrix.columns),
    )
    grid.add_row("[bold]causes[/]", *(of_causes(column) for column in matrix.columns))
    console.print(grid)
    for line in (signs(matrix), *matrix.notes):
        console.print(terminal(line), highlight=False, soft_wrap=True)
    for column in matrix.columns:
        console.print(
            f"[bold]{terminal(column.name)}[/]  {terminal(column.url)}  {terminal(column.ended_at)}",
            highlight=False,
            soft_wrap=True,
        )
    for line in incomplete(matrix.columns):
        console.print(f"[yellow]{terminal(line)}[/]", highlight=False, soft_wrap=True)


def of_causes(column: Column) -> str:
    """Return the number of causes of a report's failures, the gravest first."""
    return (
        ", ".join(
            f"{column.causes[severity]} {severity}"
            for severity in Severity
            if severity in column.causes
        )
        or "none"
    )


def markdown(matrix: Matrix) -> str:
    """Write a matrix as Markdown."""
    return "\n".join(_markdown(matrix)) + "\n"


def _markdown(matrix: Matrix) -> Iterator[str]:
    yield f"# {md(matrix.title)} {md(matrix.version)}: compatibility by {matrix.by}\n"
    head = ("report", "target", "checked", "verdict", "causes of failures")
    yield from table(
        head,
        (
            (md(c.name), code_cell(c.url), md(c.ended_at), md(c.verdict), md(of_causes(c)))
            for c in matrix.columns
        ),
    )
    if remarks := [*incomplete(matrix.columns), *matrix.notes]:
        yield from ("", *(f"- {md(remark)}" for remark in remarks))
    yield f"\n{signs(matrix)}.\n"
    is_last = matrix.by == REQUIREMENT
    rows = (
        (
            md(row.name),
            *(cell_text(row.cells.get(column.name), matrix.by) for column in matrix.columns),
            *([markdown_sentence(row.sentence)] if is_last else []),
        )
        for row in matrix.rows
    )
    names = [
        matrix.by,
        *(md(column.name) for column in matrix.columns),
        *([SAYS] if is_last else []),
    ]
    yield from table(
        names, rows, alignment=":---:" if is_last else "---", columns=len(matrix.columns)
    )


def html(matrix: Matrix) -> str:
    """Write a matrix as an HTML page."""
    title = f"{matrix.title} {matrix.version}: compatibility by {matrix.by}"
    return page(title, _html(matrix))


def _html(matrix: Matrix) -> Iterator[str]:
    yield top(
        "Compatibility matrix",
        escape(f"{matrix.title} {matrix.version}"),
        {},
        notices=map(escape, matrix.notes),
    )
    yield '<main><div class="cards">'
    yield from map(_card, matrix.columns)
    names = [column.name for column in matrix.columns]
    last = (SAYS,) if matrix.by == REQUIREMENT else ()
    marks = ["c"] * len(names) if last else ()
    whole = wide((matrix.by, *names, *last), [_row(row, matrix) for row in matrix.rows], marks)
    yield "</div>"
    yield from section("matrix", f"By {matrix.by}", [whole], lead=f"{signs(matrix)}.")
    yield (
        "</main><footer><p>Made by <code>lakepact matrix</code> from reports of <code>lakepact"
        " check</code>.</p></footer>"
    )


def _card(column: Column) -> str:
    look = VERDICTS[column.verdict]
    where = (
        f'<p class="where">{escape(column.url)} · {escape(column.ended_at)}</p><p>Causes of failures:'
        f" {escape(of_causes(column))}</p>"
    )
    lacking = f"<p>Incomplete: {escape(column.incomplete)}.</p>" if column.incomplete else ""
    return card(
        f"{escape(column.name)} {chip(look, look.sentence)}",
        where + lacking,
        looks(column.outcomes),
    )


def _row(row: Row, matrix: Matrix) -> str:
    cells = "".join(_html_cell(row.cells.get(column.name), matrix) for column in matrix.columns)
    sentence = html_sentence(row.sentence)
    last, beneath = (
        (f'<td class="says">{sentence}</td>', f"<small>{sentence}</small>")
        if matrix.by == REQUIREMENT
        else ("", "")
    )
    return f'<tr><th scope="row">{escape(row.name)}{beneath}</th>{cells}{last}</tr>'


def _html_cell(cell: Mapping[str, int] | None, matrix: Matrix) -> str:
    style = ' class="c"' if matrix.by == REQUIREMENT else ""
    if cell is None:
        return (
            f'<td{style}><span class="v none" title="not in this'
            f' report">{cell_text(cell, matrix.by)}</span></td>'
        )
    if matrix.by == REQUIREMENT:
        look = LOOKS[outcome_of(cell)]
        return f"<td{style}>{chip(look, title=look.sentence)}</td>"
    passing, applicable = passing_and_applicable(cell)
    if not applicable:
        return f"<td>{chip(LOOKS[Outcome.NOT_OFFERED], title=LOOKS[Outcome.NOT_OFFERED].sentence)}</td>"
    bad = " ".join(chip(LOOKS[o], n, title=LOOKS[o].sentence) for o, n in marks(cell))
    return f"<td>{passing} of {applicable} {bad}{share_bar(looks(cell))}</td>"
