"""The report for a terminal: causes of failures with evidence, the gravest first, a table of areas,
and the verdict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table

from lakepact.conformance.evidence.escaping import terminal
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report.causes import Severity, plural
from lakepact.conformance.report.observed import clients
from lakepact.conformance.report.outline import VARIABLE, Outline

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

    from lakepact.conformance.report.outline import Entry, Group
    from lakepact.generated.report import Line

COLOURS = {
    Outcome.ERROR: "bold magenta",
    Outcome.FAIL: "bold red",
    Outcome.UNEXPECTED_PASS: "bold red",
    Outcome.BLOCKED: "yellow",
    Outcome.KNOWN_FAIL: "dim red",
    Outcome.WARN: "yellow",
    Outcome.PASS: "green",
    Outcome.NOT_OFFERED: "dim",
}
VERDICTS = {
    "conformant": "bold green",
    "not conformant": "bold red",
    "incomplete": "bold yellow",
}
SHOWN_CURLS = 8  #: requests shown before a finding; earlier ones are in the report file


def show(
    report: Sequence[Line],
    console: Console,
    *,
    verbose: bool = False,
    severity: str | None = None,
) -> None:
    """Print a report.

    Args:
        report: its lines.
        console: where it is printed.
        verbose: also print passed requirements, with remarks.
        severity: the name of a `Severity`; other findings are not printed.
    """
    outline = Outline.of(report)
    for group in outline.groups:
        if not severity or (group.cause and group.cause["severity"] == Severity[severity.upper()]):
            _group(group, console)
    if verbose:
        _others(outline.entries, console)
    console.print(_table(outline))
    for client, outcome, tasks in clients(outline):
        _say(f"[bold]{terminal(client)}[/]  {terminal(outcome)}", console)
        _terms((("", task) for task in tasks), console)
    _verdict(outline, console)


def _group(group: Group, console: Console) -> None:
    """Print a cause with its first requirement at length, or the requirements that one reason
    blocks.
    """
    first, *others = group.entries
    colour = COLOURS[group.outcome]
    many = plural(len(group.entries), "requirement")
    if cause := group.cause:
        warns = "" if group.outcome is Outcome.FAIL else "  warning"
        heading = terminal(f"CAUSE {cause['number']}  {cause['severity']}{warns}")
        _say(f"[{colour}]{heading}[/]  [dim]{many}[/]", console)
        _say(f"      {terminal(group.title)}", console)
        also = [
            term
            for entry in others
            for term in (("also", f"{about(entry)}  {entry.result['sentence']}"), ("", entry.line))
        ]
        _terms(also, console)
    elif others:
        _say(f"[{colour}]BLOCKED[/] [bold]{many}[/]", console)
        ids = " ".join(entry.result["requirement"] for entry in group.entries)
        request = [("request", first.request)] if first.request else []
        _terms([("reason", group.title), *request, ("requirements", ids)], console)
        return
    evidence(first, console)


def about(entry: Entry) -> str:
    """Return id and level of a requirement."""
    return f"{entry.result['requirement']}  {entry.result['level']}"


def evidence(entry: Entry, console: Console) -> None:
    """Print one requirement: expected and actual result, request, clause, and curl lines."""
    outcome, area = entry.outcome, terminal(entry.result["area"])
    heading = f"[bold]{terminal(about(entry))}[/]  [dim]{area}[/]"
    _say(f"[{COLOURS[outcome]}]{outcome.upper():<5}[/] {heading}", console)
    _say(f"      {terminal(entry.result['sentence'])}", console)
    requests = entry.curls(SHOWN_CURLS)
    label = "curl" if requests and requests[-1].startswith("curl ") else "sent"  # by a client
    _terms([*entry.terms, *((label, line) for line in requests)], console)


def _terms(terms: Iterable[tuple[str, str]], console: Console) -> None:
    for label, text in terms:
        _say(f"      [dim]{label:<15}[/]{terminal(text)}", console)
    console.print()


def _say(text: str, console: Console) -> None:
    console.print(text, highlight=False, soft_wrap=True)


def _others(entries: Iterable[Entry], console: Console) -> None:
    """Print the requirements that passed or were not offered, with remarks."""
    for entry in entries:
        if entry.outcome in (Outcome.PASS, Outcome.NOT_OFFERED):
            result = entry.result
            remarks = "; ".join(sorted({v.get("remark", "") for v in result["verdicts"]} - {""}))
            _say(
                f"[{COLOURS[entry.outcome]}]{entry.outcome:<11}[/]"
                f" {terminal(result['requirement'])}  {terminal(result['sentence'])}"
                + (f" [dim]({terminal(remarks)})[/]" if remarks else ""),
                console,
            )
    console.print()


def _table(outline: Outline) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=None)
    table.add_column("area")
    always = {Outcome.FAIL, Outcome.WARN, Outcome.PASS}
    outcomes = [o for o in reversed(Outcome) if o in always.union(outline.outcomes)]
    for outcome in outcomes:
        table.add_column(outcome.value, justify="right")
    for area, counts in outline.areas.items():
        style = "bold" if area == "all" else "not bold"
        cells = (f"[{COLOURS[o]}]{counts[o]}[/]" if counts[o] else "[dim]·[/]" for o in outcomes)
        table.add_row(terminal(area), *cells, style=style)
    return table


def _verdict(outline: Outline, console: Console) -> None:
    header = outline.header
    settings = "".join(
        f", {name} {value}"
        for name, value in outline.settings.items()
        if name not in {"target", "checked"}
    )
    about = f"{header['target']}  {header['contract']} {header['version']}{settings}"
    verdict = f"[{VERDICTS[outline.footer['verdict']]}]{terminal(outline.verdict)}[/]"
    _say(f"{verdict}  {terminal(about)}", console)
    if outline.summary:
        _say(outline.summary, console)
    figures = (
        outline.figures_line if outline.is_of_a_server else f"a client; {outline.figures_line}"
    )
    _say(f"[dim]{figures}[/]", console)
    if any("$AUTHORIZATION" in exchange["curl"] for exchange in outline.exchanges.values()):
        _say(f"[dim]{VARIABLE}[/]", console)
    for notice in outline.notices:
        _say(f"[yellow]{terminal(notice)}[/]", console)
