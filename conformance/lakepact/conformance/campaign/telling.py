"""How the verbs of a campaign say what is wrong: one line each, and an exit code."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from lakepact.conformance import runner
from lakepact.conformance.campaign import doctor as doctors
from lakepact.conformance.campaign import running
from lakepact.conformance.campaign.landing import CannotLand

if TYPE_CHECKING:
    from collections.abc import Callable


def told(verb: str, action: Callable[[], None]) -> None:
    """Do it; what is wrong becomes one line."""
    try:
        action()
    except (LookupError, ValueError) as wrong:
        click.echo(f"lakepact campaign {verb}: {wrong.args[0] if wrong.args else wrong}", err=True)
        sys.exit(runner.USAGE)
    except (running.Refused, doctors.CannotRun, CannotLand) as refused:
        click.echo(f"lakepact campaign {verb}: {refused}", err=True)
        sys.exit(runner.INCOMPLETE)
