"""A compatibility matrix for the terminal, as Markdown and as an HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table

from lakepact.conformance.evidence.escaping import code_cell, html_sentence, markdown_sentence, terminal
from lakepact.conformance.evidence.escaping import html as escape
from lakepact.conformance.evidence.escaping import markdown as md
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report.causes import Severity
from lakepact.conformance.report.compatibility import REQUIREMENT, cell_text, counted, incomplete, marks, outcome_of, signs
from lakepact.conformance.report.looks import LOOKS, VERDICTS, styles
from lakepact.conformance.report.page import SAYS, page, wide
from lakepact.conformance.report.plots import ring, share_bar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import Console

    from lakepact.conformance.report.compatibility import Column, Matrix, Row


def show(matrix: Matrix, console: Console) -> None:
    """Print a matrix."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(matrix.by, no_wrap=True)
    for column in matrix.columns:
        table.add_column(terminal(column.name), justify="center" if matrix.by == REQUIREMENT else "left")
    for row in matrix.rows:
        table.add_row(terminal(row.name), *(cell_text(row.cells.get(column.name), matrix.by) for column in matrix.columns))
    table.add_section()
    table.add_row("[bold]verdict[/]", *(VERDICTS[column.verdict].sentence.lower() for column in matrix.columns))
    table.add_row("[bold]causes[/]", *(of_causes(column) for column in matrix.columns))
    console.print(table)
    for line in (signs(matrix), *matrix.notes):
        console.print(terminal(line), highlight=False, soft_wrap=True)
    for column in matrix.columns:
        console.print(
            f"[bold]{terminal(column.name)}[/]  {terminal(column.url)}  {terminal(column.ended)}", highlight=False, soft_wrap=True
        )
    for line in incomplete(matrix.columns):
        console.print(f"[yellow]{terminal(line)}[/]", highlight=False, soft_wrap=True)


def of_causes(column: Column) -> str:
    """Return the number of causes of a report's failures, the gravest first."""
    return ", ".join(f"{column.causes[severity]} {severity}" for severity in Severity if severity in column.causes) or "none"


def markdown(matrix: Matrix) -> str:
    """Write a matrix as Markdown."""
    return "\n".join(_markdown(matrix)) + "\n"


def _markdown(matrix: Matrix) -> Iterator[str]:
    yield f"# {md(matrix.title)} {md(matrix.version)}: compatibility by {matrix.by}\n"
    yield "| report | target | checked | verdict | causes of failures |"
    yield "|---|---|---|---|---|"
    yield from (f"| {md(c.name)} | {code_cell(c.url)} | {md(c.ended)} | {md(c.verdict)} | {md(of_causes(c))} |" for c in matrix.columns)
    notes = [*incomplete(matrix.columns), *matrix.notes]
    yield from ("", *(f"- {md(note)}" for note in notes)) if notes else ()
    yield f"\n{signs(matrix)}.\n"
    last = matrix.by == REQUIREMENT
    yield f"| {matrix.by} | " + " | ".join(md(column.name) for column in matrix.columns) + (f" | {SAYS} |" if last else " |")
    yield "|---|" + (":---:|" if last else "---|") * len(matrix.columns) + ("---|" if last else "")
    for row in matrix.rows:
        cells = " | ".join(cell_text(row.cells.get(column.name), matrix.by) for column in matrix.columns)
        yield f"| {md(row.name)} | {cells} |" + (f" {markdown_sentence(row.sentence)} |" if last else "")


def html(matrix: Matrix) -> str:
    """Write a matrix as an HTML page."""
    title = f"{matrix.title} {matrix.version}: compatibility by {matrix.by}"
    return page(title, _html(matrix))


def _html(matrix: Matrix) -> Iterator[str]:
    yield '<header class="top"><p class="kicker">Compatibility matrix</p>'
    yield f"<h1>{escape(matrix.title)} {escape(matrix.version)}</h1>"
    yield from (f'<p class="notice">{escape(line)}</p>' for line in (*incomplete(matrix.columns), *matrix.notes))
    yield '</header><main><div class="cards">'
    yield from map(_card, matrix.columns)
    yield f'</div><section id="matrix"><h2>By {escape(matrix.by)}</h2><p class="lead">{escape(signs(matrix))}.</p>'
    names, last = [column.name for column in matrix.columns], (SAYS,) if matrix.by == REQUIREMENT else ()
    yield wide((matrix.by, *names, *last), [_row(row, matrix) for row in matrix.rows], centred=len(names) if last else 0)
    yield "</section></main><footer><p>Made by <code>lakepact matrix</code> from reports of <code>lakepact check</code>.</p></footer>"


def _card(column: Column) -> str:
    look = VERDICTS[column.verdict]
    kept, judged = counted(column.seen)
    tally = "".join(
        f'<li><span class="v {LOOKS[o].style or "none"}">{LOOKS[o].sign} {column.seen[o]:,} {LOOKS[o].sentence}</span></li>'
        for o in LOOKS
        if column.seen[o]
    )
    return (
        f'<div class="card"><h3>{escape(column.name)} <span class="v {look.style}">{look.sign} {look.sentence}</span></h3>'
        f'<p class="where">{escape(column.url)} · {escape(column.ended)}</p><p>Causes of failures: {escape(of_causes(column))}</p>'
        f'<div class="big">{ring(styles(column.seen))}<div>'
        f'<strong>{kept:,} of {judged:,}</strong><span>requirements pass</span></div></div><ul class="tally">{tally}</ul></div>'
    )


def _row(row: Row, matrix: Matrix) -> str:
    cells = "".join(_html_cell(row.cells.get(column.name), matrix) for column in matrix.columns)
    sentence = html_sentence(row.sentence)
    last, beneath = (f'<td class="says">{sentence}</td>', f"<small>{sentence}</small>") if matrix.by == REQUIREMENT else ("", "")
    return f'<tr><th scope="row">{escape(row.name)}{beneath}</th>{cells}{last}</tr>'


def _html_cell(cell: Mapping[str, int] | None, matrix: Matrix) -> str:
    centred = ' class="c"' if matrix.by == REQUIREMENT else ""
    if cell is None:
        return f'<td{centred}><span class="v none" title="not in this report">{cell_text(cell, matrix.by)}</span></td>'
    if matrix.by == REQUIREMENT:
        look = LOOKS[outcome_of(cell)]
        return f'<td{centred}><span class="v {look.style or "none"}" title="{look.sentence}">{look.sign}</span></td>'
    kept, judged = counted(cell)
    if not judged:
        return f'<td><span class="v none" title="{LOOKS[Outcome.NOT_OFFERED].sentence}">{cell_text(cell, matrix.by)}</span></td>'
    bad = " ".join(f'<span class="v {LOOKS[o].style}" title="{LOOKS[o].sentence}">{LOOKS[o].sign} {n}</span>' for o, n in marks(cell))
    return f"<td>{kept} of {judged} {bad}{share_bar(styles(cell))}</td>"
