"""The verbs of a campaign that come after its report: replay and minimize. Parsing and printing
only.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import click

from lakepact.conformance.campaign import replay as replays
from lakepact.conformance.campaign import tables
from lakepact.conformance.campaign.execution import evidence
from lakepact.conformance.campaign.paths import FOLDER
from lakepact.conformance.campaign.progress import with_errors_in_one_line
from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.fuzz.shrinking import ATTEMPTS
from lakepact.reach.options import option, with_options

SHOWN = 600  #: characters of a body


@dataclass(frozen=True, kw_only=True)
class ReplayOptions:
    """The options of `lakepact campaign replay`."""

    run: Path = option("Folder of the run.", type=FOLDER, required=True)
    case: str = option("The case, or the beginning of its name.", "ID", required=True)
    target: str = option("One of the targets of the run.", "NAME", required=True)
    url: str | None = option("Send it there instead.", "URL")


@dataclass(frozen=True, kw_only=True)
class MinimizeOptions(ReplayOptions):
    """The options of `lakepact campaign minimize`."""

    requirement: str | None = option("The broken requirement. [default: the first one]", "ID")
    attempts: int = option("How often to send it at most.", default=ATTEMPTS)


@click.command()
@with_options(ReplayOptions)
def replay(options: ReplayOptions) -> None:
    """Send one case again, and show both answers: that of the run, and that of now.

    Exit code: 0 nothing is broken now, 1 something is, 2 there is no such case, 3 the target does
    not answer.
    """

    def send() -> None:
        result = replays.send_again(options.run, options.case, options.target, url=options.url)
        for step in range(max(len(result.before), len(result.after))):
            for when, answers in (("then", result.before), ("now", result.after)):
                if step < len(answers):
                    _tell_step(when, step, answers[step])
            different = result.differs(step) if result.before else ()
            click.echo(
                "     "
                f" {'not alike: ' + plain('; '.join(different)) if different else 'alike' if result.before else 'it had not landed'}"
            )
        sys.exit(1 if any(one.bad for one in result.after) else 0)

    with_errors_in_one_line("replay", send)


@click.command()
@with_options(MinimizeOptions)
def minimize(options: MinimizeOptions) -> None:
    """Make a case smaller as long as it breaks the same requirement, and show the least that
    does.
    """

    def search() -> None:
        result = replays.minimize(
            options.run,
            options.case,
            options.target,
            requirement=options.requirement,
            url=options.url,
            attempts=options.attempts,
        )
        path = options.run / "minimized" / f"{result.case['case_id']}.json"
        tables.write_json(
            {**result.case, "requirement_id": result.requirement, "target": options.target}, path
        )
        click.echo(
            f"{result.requirement} is broken by {len(result.results)} of {result.before} requests,"
            f" found in {result.attempts} attempts: {path}"
        )
        for step, one in enumerate(result.results):
            _tell_step("", step, one)

    with_errors_in_one_line("minimize", search)


def _tell_step(when: str, step: int, one: replays.Answered) -> None:
    row = one.row
    exchange = evidence.exchange_of(row) if row["url"] else None
    line = (
        f"{step:3} {when:4} {row['operation_id']} {row['state']} {row['http_status'] or ''}"
        f" {row['reason'] or ''}"
    )
    click.echo(plain(line).rstrip())
    if exchange is not None:
        click.echo(f"      {plain(exchange.curl())}")
        click.echo(f"      {plain(exchange.body[:SHOWN].decode('utf-8', 'replace')) or 'no body'}")
    for bad in one.bad:
        line = (
            f"{bad['verdict']} {bad['requirement_id']}: expected {bad['expected']}; observed"
            f" {bad['observed'][:SHOWN]}"
        )
        click.echo(f"      {plain(line)}")


COMMANDS = (replay, minimize)
