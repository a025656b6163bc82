"""The report for a terminal: causes of failures with evidence, the gravest first, a table of areas, and the verdict."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table

from lakepact.conformance.evidence.escaping import terminal
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report import harm
from lakepact.conformance.report.blocked import findings, reason
from lakepact.conformance.report.causes import Severity, plural, summary
from lakepact.conformance.report.looks import by_area
from lakepact.conformance.report.observed import observed
from lakepact.conformance.report.requests import (
    curls,
    deciding,
    evidence_line,
    exchanges_of,
    judged_request,
    offered,
    settings,
    terms,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

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
SHOWN_CURLS = 8  #: requests shown before a finding; earlier ones are in the report file


def show(
    report: Sequence[dict[str, Any]],
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
    header, footer = report[0], report[-1]
    results = [line for line in report if line["line"] == "result"]
    exchanges = exchanges_of(report)
    for cause, group in findings(report):
        if severity and (cause is None or cause["severity"] != Severity[severity.upper()]):
            continue
        if cause is not None:
            _cause(cause, group, exchanges, header, console)
        if cause is not None or len(group) == 1:
            evidence(group[0], exchanges, header, console)
        else:
            _blocked(group, exchanges, console)
    if verbose:
        _kept(results, console)
    console.print(_table(results))
    for client, outcome, tasks in observed(report):
        console.print(f"[bold]{terminal(client)}[/]  {terminal(outcome)}", highlight=False)
        _say((("", task) for task in tasks), console)
    _verdict(
        header,
        footer,
        console,
        causes=summary(report),
    )


def _cause(
    cause: dict[str, Any],
    results: Sequence[dict[str, Any]],
    exchanges: dict[int, dict[str, Any]],
    header: dict[str, Any],
    console: Console,
) -> None:
    """Print a cause and the requirements that it breaks, each with its evidence; that of the first follows at length."""
    colour = COLOURS[Outcome(cause["outcome"])]
    warns = "" if cause["outcome"] == Outcome.FAIL else "  warning"
    heading = f"CAUSE {cause['number']}  {cause['severity']}{warns}"
    console.print(
        f"[{colour}]{terminal(heading)}[/]  [dim]{plural(len(results), 'requirement')}[/]",
        highlight=False,
    )
    console.print(f"      {terminal(cause['title'])}", soft_wrap=True, highlight=False)
    also = (
        (label, text)
        for result in results[1:]
        for label, text in {
            "also": f"{result['requirement']}  {result['level']}  {result['sentence']}",
            "": evidence_line(result, exchanges),
        }.items()
    )
    _say([*harm.terms(header, cause).items(), *also], console)


def evidence(
    result: dict[str, Any],
    exchanges: dict[int, dict[str, Any]],
    header: dict[str, Any],
    console: Console,
) -> None:
    """Print one failed requirement: expected and actual result, request, clause, and curl lines that repeat it.

    Args:
        result: the line of a requirement.
        exchanges: the lines of exchanges by their numbers.
        header: the first line of the report.
        console: where it is printed.
    """
    outcome = Outcome(result["outcome"])
    colour = COLOURS[outcome]

    about = f"[bold]{terminal(result['requirement'])}[/]  {terminal(result['level'])}  [dim]{terminal(result['area'])}[/]"
    console.print(f"[{colour}]{outcome.upper():<5}[/] {about}", highlight=False)
    console.print(f"      {terminal(result['sentence'])}", soft_wrap=True, highlight=False)
    verdict, contract = deciding(result), f"{header['contract']} {header['version']}"
    said = [*terms(result, exchanges).items(), ("clause", f"{contract} {result['clause']}")]
    said += [
        ("correction", f"{each['id']} ({each['effect']}): {each['sentence']}")
        for each in result["corrections"]
    ]
    said += [("interpretation", result["interpretation"])] if result["interpretation"] else []
    sent = curls(verdict, exchanges)
    label = "curl" if header.get("side", "server") == "server" else "sent"
    left_out = (
        [f"({len(sent) - SHOWN_CURLS} earlier requests are in the report file)"]
        if len(sent) > SHOWN_CURLS
        else []
    )
    _say(
        [
            *said,
            ("check", verdict["check"]),
            *((label, line) for line in (*left_out, *sent[-SHOWN_CURLS:])),
        ],
        console,
    )


def _say(terms: Iterable[tuple[str, str]], console: Console) -> None:
    for label, text in terms:
        console.print(f"      [dim]{label:<15}[/]{terminal(text)}", soft_wrap=True, highlight=False)
    console.print()


def _blocked(
    results: Sequence[dict[str, Any]], exchanges: dict[int, dict[str, Any]], console: Console
) -> None:
    """Print requirements that one reason blocks: the reason, the request that shows it, and their ids."""
    request = judged_request(deciding(results[0]), exchanges)
    console.print(
        f"[{COLOURS[Outcome.BLOCKED]}]BLOCKED[/] [bold]{len(results)} requirements[/]",
        highlight=False,
    )
    said = {
        "reason": reason(results[0]),
        "request": request,
        "requirements": " ".join(result["requirement"] for result in results),
    }
    _say(((label, text) for label, text in said.items() if text), console)


def _kept(results: Sequence[dict[str, Any]], console: Console) -> None:
    for result in results:
        if result["outcome"] in (Outcome.PASS, Outcome.NOT_OFFERED):
            remark = "; ".join(sorted({v["remark"] for v in result["verdicts"] if v.get("remark")}))
            colour = COLOURS[Outcome(result["outcome"])]
            console.print(
                f"[{colour}]{result['outcome']:<11}[/] {terminal(result['requirement'])}  {terminal(result['sentence'])}"
                + (f" [dim]({terminal(remark)})[/]" if remark else ""),
                highlight=False,
                soft_wrap=True,
            )
    console.print()


def _table(results: Sequence[dict[str, Any]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=None)
    table.add_column("area")
    shown = [
        o
        for o in Outcome
        if o in {r["outcome"] for r in results} or o in (Outcome.FAIL, Outcome.WARN, Outcome.PASS)
    ]
    for outcome in reversed(shown):
        table.add_column(outcome.value, justify="right")
    for area, seen in by_area(results).items():
        table.add_row(
            terminal(area),
            *(f"[{COLOURS[o]}]{seen[o]}[/]" if seen[o] else "[dim]·[/]" for o in reversed(shown)),
        )
    total = Counter(result["outcome"] for result in results)
    table.add_section()
    table.add_row("[bold]all[/]", *(f"[bold {COLOURS[o]}]{total[o]}[/]" for o in reversed(shown)))
    return table


def _verdict(
    header: dict[str, Any], footer: dict[str, Any], console: Console, *, causes: str
) -> None:
    colour = {
        "conformant": "bold green",
        "not conformant": "bold red",
        "incomplete": "bold yellow",
    }[footer["verdict"]]
    declared = (
        f"{len(header['operations'])} of {header['all_operations']} operations {offered(header)}"
    )
    judged = declared if header.get("side", "server") == "server" else "a client"
    scope = "".join(f", {name} {value}" for name, value in settings(header).items())
    scope += f", only {', '.join(header['only'])}" if header["only"] else ""
    about = (
        f"{terminal(header['target'])}  {header['contract']} {header['version']}{terminal(scope)}"
    )
    console.print(
        f"[{colour}]{footer['verdict']}[/]  {about}\n"
        + (f"{causes}\n" if causes else "")
        + f"[dim]{judged}; {plural(footer['checks'], 'check')} and {plural(footer['invariants'], 'invariant')}, "
        f"{footer['requests']} requests in {footer['seconds']:.1f} s[/]",
        highlight=False,
        soft_wrap=True,
    )
    leftovers = footer.get("leftovers")
    if leftovers:
        many = plural(len(leftovers), "object")
        what = f"{many} created by the checks are still on the target; their names begin with lp_. The first: {leftovers[0]}"
        console.print(f"[yellow]{terminal(what)}[/]", highlight=False, soft_wrap=True)
