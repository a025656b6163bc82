"""How the verbs of a campaign say how far they are and what is wrong: one line each, and an exit
code.
"""

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
    """Do it; what is wrong becomes one line.

    Args:
        verb: of a campaign.
        action: what is done.
        command: what speaks, if it is no verb of a campaign.
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
    """Says how far something is: over and over on one line of a terminal, now and then on a line of
    its own elsewhere.

    Args:
        what: is counted.
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

    def tell(self, done: int, planned: int) -> None:
        """Print how many of how many are done."""
        now = time.monotonic()
        if self._first is None:
            self._first = done, now
        if not self._terminal and now < self._told_at + self.SELDOM and done < planned:
            return
        self._told_at = now
        before, since = self._first
        rate = (done - before) / (now - since) if now > since else 0.0
        left = f", {(planned - done) / rate:.0f} s to go" if rate and done < planned else ""
        line = f"{done} of {planned} {self._what}, {self.seconds:.0f} s{left}"
        click.echo(f"\r{line:<72}" if self._terminal else line, err=True, nl=not self._terminal)


def tell_if_incomplete(verb: str, run: Path) -> None:
    """Say of a run that has not come to its end what it lacks, and end with the code that says
    so.
    """
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
