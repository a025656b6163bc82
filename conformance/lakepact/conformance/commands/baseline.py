"""`lakepact baseline`: a file of known failures made from a report."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report import baseline as known_failures
from lakepact.conformance.report import lines
from lakepact.conformance.running import runner
from lakepact.reach.options import EXISTING_FILE, OUTPUT_FILE


@click.command()
@click.argument("report", type=EXISTING_FILE, metavar="REPORT.jsonl")
@click.option(
    "--out",
    type=OUTPUT_FILE,
    metavar="FILE",
    help="Write the file there.  [default: print it]",
)
def baseline(report: Path, *, out: Path | None) -> None:
    """Write a file of known failures from a report of `lakepact check --report jsonl=REPORT.jsonl`.

    Each failing requirement gets a line with a reason to edit, and its evidence as comments.
    Reasons of failures that
    were known stay. Exit code: 0 written, 2 wrong usage, 3 the report is incomplete or cannot be
    written.

    Example: lakepact baseline report.jsonl --out known-failures.txt
    """
    try:
        records = lines.read(report)
        text = known_failures.text(records)
        if out is None:
            click.echo(text, nl=False)
        else:
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_text(text, encoding="utf-8")
    except lines.UnreadableReport as wrong:
        raise click.UsageError(plain(wrong)) from wrong
    except OSError as wrong:
        click.echo(
            f"lakepact baseline: {out} cannot be written: {wrong.strerror or wrong}", err=True
        )
        sys.exit(runner.INCOMPLETE)
    open_count = sum(
        line["line"] == "result" and line["outcome"] in (Outcome.BLOCKED, Outcome.ERROR)
        for line in records
    )
    if open_count or "stopped" in records[-1]:
        why = f"{open_count} requirements are blocked or in error, and not listed"
        click.echo(f"lakepact baseline: the report is incomplete: {why}", err=True)
        sys.exit(runner.INCOMPLETE)
