"""`lakepact report`: show a report that was written as JSON lines, or convert it."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.report import harm, lines, output, text
from lakepact.conformance.report.screen import Screen
from lakepact.conformance.running import runner


@click.command()
@click.argument(
    "report", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="REPORT.jsonl"
)
@click.option(
    "--report",
    "wanted",
    multiple=True,
    metavar="KIND=FILE",
    help="Write html=…, junit=…, md=…, badge=… or jsonl=… instead of printing.",
)
@output.MAKE_FOLDERS
@click.option("--verbose", "-v", is_flag=True, help="Also list the requirements that pass.")
@click.option("--severity", type=output.SEVERITIES, help="Print findings of this severity only.")
def report(
    report: Path,
    *,
    wanted: tuple[str, ...],
    make_folders: bool,
    verbose: bool,
    severity: str | None,
) -> None:
    """Show a report of `lakepact check --report jsonl=REPORT.jsonl`, or convert it. The file may be
    compressed with gzip.

    Exit code: 0 shown or written, 2 wrong usage, 3 a file cannot be written. The exit code says
    nothing about conformance.

    Example: lakepact report report.jsonl.gz --report html=report.html
    """
    try:
        files = output.report_files(wanted, make_folders=make_folders)
        found = harm.annotated(lines.read(report))
    except ValueError as wrong:
        raise click.UsageError(plain(wrong)) from wrong
    if not files:
        text.show(found, Screen(), verbose=verbose, severity=severity)
    written = [output.is_written(found, kind, path, verb="report") for kind, path in files]
    sys.exit(runner.CONFORMANT if all(written) else runner.INCOMPLETE)
