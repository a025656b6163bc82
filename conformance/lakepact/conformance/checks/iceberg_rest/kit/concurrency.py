"""Concurrent requests, and the one of them that is accepted."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab
from lakepact.conformance.evidence.differences import Difference, Kind
from lakepact.conformance.evidence.exchanges import Reply
from lakepact.conformance.evidence.outcome import Blocked, Unmet, Wrong
from lakepact.conformance.judging import expect

BEHIND = Wrong.STALE(
    "race"
)  #: the mistake of all but one of the requests that are sent at the same moment
ROUNDS = 4  #: of each race: in the first one most clients still open their connections


def side_by_side(
    lab: CatalogLab, sends: Sequence[Callable[[], Reply]], *, what: str
) -> list[Reply]:
    """Return the answers to concurrent requests; `what` they are, for a report.

    Raises:
        Blocked: the target returns 429 or 503, so that no winner can be told.
    """
    replies = lab.concurrently(sends)
    for reply in replies:
        if reply.status == 429 or (reply.status == 503 and "retry-after" in reply.headers):
            raise Blocked(
                f"the target does not take {len(sends)} {what} at a time: {reply.summary}"
            )
    return replies


def send_after(send: Callable[[], Reply], seconds: float) -> Reply:
    """Send after a delay, so that it meets a concurrent request at another moment."""
    time.sleep(seconds)
    return send()


def sole_winner(replies: Sequence[Reply], *others: int, what: str) -> int:
    """Return the position of the only answer of success; its exact status is judged elsewhere.

    Args:
        replies: the answers to requests that were sent at the same moment.
        others: the statuses that the other requests may return, by default 409.
        what: the requests, for a report.

    Raises:
        Unmet: none succeeds, or several, or another returns a status that is not among `others`.
    """
    refusals = others or (409,)
    won = [position for position, reply in enumerate(replies) if 200 <= reply.status < 300]
    for position, reply in enumerate(replies):
        if position not in won:
            expect.status(
                reply,
                *refusals,
                about=f"for all but one of {len(replies)} simultaneous {what}",
                mutation=BEHIND,
            )
    if len(won) != 1:
        exchange = replies[won[-1] if won else 0].exchange.number
        expected = f"exactly one of {len(replies)} simultaneous {what} to succeed"
        actual = expect.excerpt([r.status for r in replies])
        difference = (
            Difference("", Kind.LOST) if won else None
        )  # nothing is lost where no client wins
        raise Unmet(
            expected, actual, exchange=exchange, refusal=len(won) > 1, difference=difference
        )
    return won[0]


def at_most_one(replies: Sequence[Reply], *, what: str) -> int | None:
    """Return the position of the only answer of success, or `None` if all are conflicts: the
    contract does not promise a winner.

    Raises:
        Unmet: several succeed, or one returns neither success nor 409.
    """
    return (
        None if all(reply.status == 409 for reply in replies) else sole_winner(replies, what=what)
    )
