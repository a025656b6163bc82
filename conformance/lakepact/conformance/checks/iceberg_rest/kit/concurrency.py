"""Requests that are sent at the same moment, and which of them was accepted."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab
from lakepact.conformance.evidence.differences import Difference, Kind
from lakepact.conformance.evidence.exchanges import Reply
from lakepact.conformance.evidence.outcome import Blocked, Mutation, Unmet, Wrong
from lakepact.conformance.judging import expect

BEHIND = Mutation(
    Wrong.STALE, "race"
)  #: the mistake of all but one of the requests that are sent at the same moment
CONFLICT = 409
ROUNDS = 4  #: of each race: in the first one most clients still open their connections


def side_by_side(
    lab: CatalogLab, sends: Sequence[Callable[[], Reply]], *, what: str
) -> list[Reply]:
    """Return the answers to what is sent at the same moment; `what` it is, for a report.

    Raises:
        Blocked: the target returns 429 or 503, so that the winner cannot be seen.
    """
    replies = lab.concurrently(sends)
    for reply in replies:
        if reply.status == 429 or (reply.status == 503 and "retry-after" in reply.headers):
            raise Blocked(f"the target does not take {len(sends)} {what} at a time: {reply.shown}")
    return replies


def send_after(send: Callable[[], Reply], seconds: float) -> Reply:
    """Send after a while, so that what is sent beside it is met at another moment."""
    time.sleep(seconds)
    return send()


def sole_winner(replies: Sequence[Reply], *others: int, what: str) -> int:
    """Return the position of the only answer of success; its exact status is judged elsewhere.

    Args:
        replies: the answers to requests that were sent at the same moment.
        others: the statuses that the other requests may return, by default 409.
        what: the requests, for a report.

    Raises:
        Unmet: none was accepted, or several, or another was refused for another reason.
    """
    refused = others or (409,)
    won = [position for position, reply in enumerate(replies) if 200 <= reply.status < 300]
    for position, reply in enumerate(replies):
        if position not in won:
            expect.status(
                reply,
                *refused,
                about=f"for all but one of {len(replies)} simultaneous {what}",
                mutation=BEHIND,
            )
    if len(won) != 1:
        shown = replies[won[-1] if won else 0].exchange.number
        wanted, statuses = (
            f"exactly one of {len(replies)} simultaneous {what} to succeed",
            expect.shown([r.status for r in replies]),
        )
        difference = (
            Difference("", Kind.LOST) if won else None
        )  # nothing is lost where no client wins
        raise Unmet(wanted, statuses, exchange=shown, refusal=len(won) > 1, difference=difference)
    return won[0]


def at_most_one(replies: Sequence[Reply], *, what: str) -> int | None:
    """Return the position of the only answer of success, or `None` where all are conflicts: no
    contract promises a winner.

    Raises:
        Unmet: several were accepted, or another was refused for another reason.
    """
    return (
        None
        if all(reply.status == CONFLICT for reply in replies)
        else sole_winner(replies, what=what)
    )
