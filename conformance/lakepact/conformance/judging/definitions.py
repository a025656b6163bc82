"""Checks, which send their own requests, and invariants, which are checked on every exchange."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lakepact.conformance.evidence.exchanges import Exchange
from lakepact.generated.contract import OperationId


def everything(operation: OperationId | None, status: int) -> bool:  # noqa: ARG001 - of the protocol
    """Return true: an invariant may say something of answers to all operations, with all
    statuses.
    """
    return True


def answers_of(
    *operations: OperationId, status: int = 0
) -> Callable[[OperationId | None, int], bool]:
    """Return what an invariant concerns that is about answers of these operations, with one status
    or, if it is 0, with all.
    """
    return lambda operation, actual: operation in operations and status in {0, actual}


def refusals(operation: OperationId | None, status: int) -> bool:  # noqa: ARG001 - of the protocol
    """Return whether an answer is a 4xx or 5xx."""
    return status >= 400


@dataclass(frozen=True)
class Check:
    """A scenario and the requirements that it judges."""

    name: str  #: its path below the folder of the contract: `<area>.<module>.<function>`
    sentence: str  #: first line of its docstring
    requirements: tuple[str, ...]
    run: Callable[[Any], None]
    #: runs while no other check runs, after the stateful tests and with a budget of its own: a race
    alone: bool
    #: if not 0, it runs after all others, in this order: a careless server may store what it sends
    last: int = 0
    outside_profile: frozenset[str] = (
        frozenset()
    )  #: requirements that it also judges, but the profile does not have


@dataclass(frozen=True)
class Invariant:
    """A rule that every exchange it applies to must keep."""

    name: str
    sentence: str
    requirements: tuple[str, ...]
    judge: Callable[
        [Exchange], bool | None
    ]  #: returns False or None if it does not apply; raises Unmet if it is broken
    traffic: tuple[str, ...] = ()  #: checks whose exchanges suffice to judge it; empty: all checks
    concerns: Callable[[OperationId | None, int], bool] = (
        everything  #: returns whether it may apply to answers of an operation and status
    )
