"""Errors as one line and an exit code: 1 not found, 2 wrong usage or missing package, 3 not
reached, refused or broken.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import ParamSpec

import click

from lakepact.client.errors import BadRequest, LakepactError, NotAuthenticated, NotFound
from lakepact.client.text import plain

P = ParamSpec("P")

#: The first operation of each contract, and where its addresses end.
BASE_ADDRESSES = {
    "getConfig": "the address of a catalog ends before /v1",
    "listShares": "the address of a sharing server is the endpoint of its profile",
}

NOT_FOUND = 1
USAGE = 2
FAILED = 3


class NotThere(Exception):
    """Something that was named is not there; the message says what."""


class NotRead(Exception):
    """The files of a table could not be read; the message says why, without secrets."""


class WrongUsage(Exception):
    """Wrong usage; the message says what to change."""


def one_line(verb: str) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Make a verb end with one line on stderr and an exit code if a call fails."""

    def around(command: Callable[P, None]) -> Callable[P, None]:
        @functools.wraps(command)
        def call(*args: P.args, **kwargs: P.kwargs) -> None:
            try:
                command(*args, **kwargs)
            except NotThere as error:
                _end(verb, str(error), NOT_FOUND)
            except NotFound as error:
                # If the first operation of a contract is missing, the address is not such a server.
                expected = BASE_ADDRESSES.get(error.operation)
                _end(
                    verb,
                    f"{error}; {expected}" if expected else str(error),
                    FAILED if expected else NOT_FOUND,
                )
            except (LakepactError, NotRead) as error:
                _end(verb, f"{error}{_option(error)}", FAILED)
            except (WrongUsage, ImportError, ValueError) as error:
                # The client's arguments are what was typed, and it says what is wrong with them.
                _end(verb, str(error), USAGE)

        return call

    return around


def _option(error: Exception) -> str:
    """Return the options that a refused request lacks, as an end of its message."""
    match error:
        case NotAuthenticated(operation="token"):
            return ": --token-endpoint, --credential-env, --scope"
        case NotAuthenticated():
            return ": --token-env NAME, --credential-env NAME, --sigv4 SERVICE or --header"
        case BadRequest(operation="getConfig"):
            return "; --warehouse NAME names a warehouse"
        case _:
            return ""


def say(verb: str, message: str) -> None:
    """Say something on the error stream, in one line."""
    click.echo(f"lakepact {verb}: {plain(message)}", err=True)


def _end(verb: str, message: str, code: int) -> None:
    say(verb, message)
    sys.exit(code)
