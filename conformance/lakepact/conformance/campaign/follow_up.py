"""The verbs of a campaign that come after its report: replay and minimize. Parsing and printing
only.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from lakepact.conformance.campaign import replay as replays
from lakepact.conformance.campaign import tables
from lakepact.conformance.campaign.execution import evidence
from lakepact.conformance.campaign.paths import FOLDER
from lakepact.conformance.campaign.progress import with_errors_in_one_line
from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.fuzz.shrinking import ATTEMPTS

of_run = click.option("--run", "run_folder", type=FOLDER, required=True, help="Folder of the run.")
of_case = click.option(
    "--case", "case_id", required=True, metavar="ID", help="The case, or the beginning of its name."
)
of_target = click.option(
    "--target", required=True, metavar="NAME", help="One of the targets of the run."
)
elsewhere = click.option("--url", metavar="URL", help="Send it there instead.")
SHOWN = 600  #: characters of a body


@click.command()
@of_run
@of_case
@of_target
@elsewhere
def replay(*, run_folder: Path, case_id: str, target: str, url: str | None) -> None:
    """Send one case again, and show both answers: that of the run, and that of now.

    Exit code: 0 nothing is broken now, 1 something is, 2 there is no such case, 3 the target does
    not answer.
    """

    def send() -> None:
        found = replays.replayed(run_folder, case_id, target, url=url)
        for step in range(max(len(found.before), len(found.after))):
            for when, answers in (("then", found.before), ("now", found.after)):
                if step < len(answers):
                    _tell_step(when, step, answers[step])
            different = found.differs(step) if found.before else ()
            click.echo(
                "     "
                f" {'not alike: ' + plain('; '.join(different)) if different else 'alike' if found.before else 'it had not landed'}"
            )
        sys.exit(1 if any(one.bad for one in found.after) else 0)

    with_errors_in_one_line("replay", send)


@click.command()
@of_run
@of_case
@of_target
@elsewhere
@click.option(
    "--requirement", metavar="ID", help="The broken requirement. [default: the first one]"
)
@click.option(
    "--attempts", default=ATTEMPTS, show_default=True, help="How often to send it at most."
)
def minimize(
    *,
    run_folder: Path,
    case_id: str,
    target: str,
    url: str | None,
    requirement: str | None,
    attempts: int,
) -> None:
    """Make a case smaller as long as it breaks the same requirement, and show the least that
    does.
    """

    def search() -> None:
        found = replays.minimized(
            run_folder, case_id, target, requirement=requirement, url=url, attempts=attempts
        )
        path = run_folder / "minimized" / f"{found.case['case_id']}.json"
        tables.write_json(
            {**found.case, "requirement_id": found.requirement, "target": target}, path
        )
        click.echo(
            f"{found.requirement} is broken by {len(found.answered)} of {found.before} requests,"
            f" found in {found.sent} attempts: {path}"
        )
        for step, one in enumerate(found.answered):
            _tell_step("", step, one)

    with_errors_in_one_line("minimize", search)


def _tell_step(when: str, step: int, one: replays.Answered) -> None:
    row = one.row
    exchange = evidence.exchange_of(row) if row["url"] else None
    said = (
        f"{step:3} {when:4} {row['operation_id']} {row['state']} {row['http_status'] or ''}"
        f" {row['reason'] or ''}"
    )
    click.echo(plain(said).rstrip())
    if exchange is not None:
        click.echo(f"      {plain(exchange.curl())}")
        click.echo(f"      {plain(exchange.body[:SHOWN].decode('utf-8', 'replace')) or 'no body'}")
    for bad in one.bad:
        said = (
            f"{bad['verdict']} {bad['requirement_id']}: expected {bad['expected']}; observed"
            f" {bad['observed'][:SHOWN]}"
        )
        click.echo(f"      {plain(said)}")


COMMANDS = (replay, minimize)
