"""`lakepact report`: show a report that was written as JSON lines, or convert it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import click

from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.report import lines, output, text
from lakepact.conformance.report.screen import Screen
from lakepact.conformance.running import runner
from lakepact.reach.options import EXISTING_FILE, argument, flag, option, several, with_options


@dataclass(frozen=True, kw_only=True)
class Conversion:
    """The options of `lakepact report`."""

    run: Path = argument(type=EXISTING_FILE, metavar="REPORT.jsonl")
    report: tuple[str, ...] = several(
        "Write html=…, junit=…, md=…, badge=… or jsonl=… instead of printing.", "KIND=FILE"
    )
    make_folders: bool = flag(output.MAKE_FOLDERS)
    verbose: bool = flag("Also list the requirements that pass.", "-v")
    severity: str | None = option("Print findings of this severity only.", type=output.SEVERITIES)


@click.command()
@with_options(Conversion)
def report(options: Conversion) -> None:
    """Show a report of `lakepact check --report jsonl=REPORT.jsonl`, or convert it. The file may be
    compressed with gzip.

    Exit code: 0 shown or written, 2 wrong usage, 3 a file cannot be written. The exit code says
    nothing about conformance.

    Example: lakepact report report.jsonl.gz --report html=report.html
    """
    try:
        files = output.report_files(options.report, make_folders=options.make_folders)
        records = lines.read(options.run)
    except ValueError as wrong:
        raise click.UsageError(plain(wrong)) from wrong
    if not files:
        text.show(records, Screen(), verbose=options.verbose, severity=options.severity)
    results = [output.writes(records, kind, path, verb="report") for kind, path in files]
    sys.exit(runner.CONFORMANT if all(results) else runner.INCOMPLETE)
