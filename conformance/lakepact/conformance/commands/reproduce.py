"""`lakepact reproduce`: write a script that repeats one finding of a report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.evidence.target import address
from lakepact.conformance.report import lines
from lakepact.conformance.report.outline import Outline
from lakepact.conformance.reproduction.script import (
    NO_FAILURE,
    NotReproducible,
    finding_lines,
    script,
)
from lakepact.conformance.running import runner
from lakepact.reach.options import EXISTING_FILE, OUTPUT_FILE

if TYPE_CHECKING:
    from lakepact.generated.report import Line


@click.command()
@click.argument("report", type=EXISTING_FILE)
@click.argument("requirement", metavar="[ID]", required=False)
@click.option(
    "--url",
    metavar="URL",
    help="The address that the script uses by default.  [default: the report's]",
)
@click.option(
    "--check", metavar="NAME", help="The check whose verdict is repeated.  [default: the clearest]"
)
@click.option(
    "--out",
    type=OUTPUT_FILE,
    metavar="FILE",
    help="Write the script there instead of printing it.",
)
def reproduce(
    report: Path, requirement: str | None, *, url: str | None, check: str | None, out: Path | None
) -> None:
    """Write a script that repeats a finding of REPORT, written by
    `lakepact check --report jsonl=REPORT`, on a fresh server.

    ID is a requirement, or the number of a cause, whose first requirement is repeated. Without ID,
    list the findings, and whether their scripts need lakepact. A script exits with 1 while the
    fault is there
    and with 0 when it is gone. Exit code of this command: 0 written, 2 wrong usage, for example a
    requirement that does not fail in the report.

    Example: lakepact reproduce report.jsonl IRC-NS-CREATE-014 --out finding.py
    """
    try:
        records = lines.read(report)
        if requirement and requirement.isdigit():
            records, requirement, check = _of_cause(records, int(requirement))
        text = (
            script(records, requirement, check=check, url=address(url) if url else None)
            if requirement
            else "".join(finding_lines(records))
        )
    except (lines.UnreadableReport, NotReproducible, ValueError) as wrong:
        click.echo(f"lakepact reproduce: {plain(wrong)}", err=True)
        sys.exit(runner.USAGE)
    if not text:
        click.echo(f"lakepact reproduce: {report} has no finding: {NO_FAILURE}", err=True)
    if out is None:
        click.echo(text, nl=False)
        return
    try:
        out.write_text(text, "utf-8")
    except OSError as wrong:
        click.echo(f"lakepact reproduce: {out} cannot be written: {wrong.strerror}", err=True)
        sys.exit(runner.INCOMPLETE)


def _of_cause(report: list[Line], number: int) -> tuple[list[Line], str, str]:
    """Return a report whose results are those of one cause, the requirement that explains it, and
    its check.

    Raises:
        NotReproducible: the report has no cause of this number.
    """
    overview = Outline.of(report)
    cause = next((line for line in overview.causes if line["number"] == number), None)
    if cause is None:
        raise NotReproducible(f"the report has no cause {number}; it has {len(overview.causes)}")
    entries = overview.of_cause(cause).entries
    results = [entry.result for entry in entries]
    lines: list[Line] = [overview.header, *results, *overview.exchanges.values(), overview.footer]
    return lines, results[0]["requirement"], entries[0].verdict["check"]
