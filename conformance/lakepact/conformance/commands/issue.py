"""`lakepact issue`: print the text of an issue for the maintainers of a server."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report import lines
from lakepact.conformance.report.issue import issue as text_of
from lakepact.conformance.reproduction.script import NO_FAILURE
from lakepact.conformance.running import runner
from lakepact.reach.options import EXISTING_FILE


@click.command()
@click.argument("report", type=EXISTING_FILE, metavar="REPORT.jsonl")
@click.argument("cause", type=int, required=False)
@click.option(
    "--server",
    metavar="TEXT",
    default="",
    help="Name and version of the server.  [default: its address]",
)
def issue(report: Path, cause: int | None, *, server: str) -> None:
    """Print an issue about cause CAUSE of a report: steps with curl, the clause, expected and
    actual result, versions.

    Without CAUSE, list the causes. Read the text before you send it: it holds the answers of your
    server.

    Exit code: 0 printed, 2 wrong usage.

    Example: lakepact issue report.jsonl 1 --server "Nessie 0.99.0"
    """
    try:
        records = lines.read(report)
    except ValueError as wrong:
        raise click.UsageError(plain(wrong)) from wrong
    causes = {line["number"]: line for line in records if line["line"] == "cause"}
    if not causes:
        click.echo(f"lakepact issue: {report} has no cause: {NO_FAILURE}", err=True)
        sys.exit(runner.USAGE if cause else 0)
    if cause is None:
        for line in causes.values():
            warns = "" if line["outcome"] == Outcome.FAIL else " (warning)"
            click.echo(plain(f"{line['number']:>3}  {line['severity']}{warns}  {line['title']}"))
    elif cause in causes:
        click.echo(text_of(records, causes[cause], server=server, file=report.name), nl=False)
    else:
        click.echo(
            f"lakepact issue: {report} has numbers 1 to {len(causes)}, not {cause}", err=True
        )
        sys.exit(runner.USAGE)
