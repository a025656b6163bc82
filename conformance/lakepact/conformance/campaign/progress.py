"""Progress and errors of the verbs of a campaign: one line each, and an exit code."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

import click

from lakepact.conformance.campaign import run_metadata
from lakepact.conformance.campaign.errors import CannotLand, CannotRun, Refused
from lakepact.conformance.campaign.paths import ERRORS_OF
from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.running import runner


def with_errors_in_one_line(verb: str, action: Callable[[], None], *, command: str = "") -> None:
    """Run an action, and report its error in one line.

    Args:
        verb: of a campaign.
        action: the action.
        command: the command in the message, if it is no verb of a campaign.
    """
    speaker = command or f"lakepact campaign {verb}"
    try:
        action()
    except KeyboardInterrupt:
        click.echo(f"{speaker}: interrupted; what had landed is kept", err=True)
        sys.exit(runner.INCOMPLETE)
    except OSError as wrong:
        where = f" ({wrong.filename})" if wrong.filename else ""
        click.echo(
            f"{speaker}: {plain(wrong.strerror or wrong)}{where}; what had landed is kept", err=True
        )
        sys.exit(runner.INCOMPLETE)
    except (LookupError, ValueError) as wrong:
        click.echo(f"{speaker}: {plain(wrong.args[0] if wrong.args else wrong)}", err=True)
        sys.exit(runner.USAGE)
    except Exception as wrong:
        if (
            not isinstance(wrong, (Refused, CannotRun, CannotLand))
            and type(wrong).__module__.partition(".")[0] not in ERRORS_OF
        ):
            raise
        click.echo(f"{speaker}: {plain(wrong)}", err=True)
        sys.exit(runner.INCOMPLETE)


class Ticker:
    """Prints progress: repeatedly on one line of a terminal, rarely on lines of their own
    elsewhere.

    Args:
        what: the counted things.
    """

    EVERY = 1.0  #: seconds between two looks
    SELDOM = 15.0  #: seconds between two lines where none can be written over

    def __init__(self, what: str) -> None:
        self._what = what
        self._started = time.monotonic()
        self._told_at = float("-inf")
        self._first: tuple[int, float] | None = None
        self._terminal = sys.stderr.isatty()
        self.every = self.EVERY

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._terminal and self._first is not None:
            click.echo(err=True)

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self._started

    def tell(self, count: int, total: int) -> None:
        """Print the progress."""
        now = time.monotonic()
        if self._first is None:
            self._first = count, now
        if not self._terminal and now < self._told_at + self.SELDOM and count < total:
            return
        self._told_at = now
        before, since = self._first
        rate = (count - before) / (now - since) if now > since else 0.0
        left = f", {(total - count) / rate:.0f} s to go" if rate and count < total else ""
        line = f"{count} of {total} {self._what}, {self.seconds:.0f} s{left}"
        click.echo(f"\r{line:<72}" if self._terminal else line, err=True, nl=not self._terminal)


def tell_if_incomplete(verb: str, run: Path) -> None:
    """Report the missing cases of an incomplete run, and exit with the code for it."""
    row = run_metadata.row_of(run)
    if not row["complete"]:
        lacking = row["planned_exchanges"] - row["landed_exchanges"]
        advice = f"lakepact campaign run --out {run} --resume goes on"
        click.echo(
            f"lakepact campaign {verb}: the run is incomplete, {lacking} cases have not landed on"
            f" their target; {advice}",
            err=True,
        )
        sys.exit(runner.INCOMPLETE)
