"""Requests that are sent at the same moment, and which of them was accepted."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from lakepact.conformance import expect
from lakepact.conformance.outcome import Blocked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab
    from lakepact.conformance.exchanges import Reply

ROUNDS = 4  #: of each race: in the first one most clients still open their connections


def side_by_side(lab: CatalogLab, sends: Sequence[Callable[[], Reply]], *, what: str) -> list[Reply]:
    """Return the answers to what is sent at the same moment; `what` it is, for a report.

    Raises:
        Blocked: the target says that it has too many requests, so that nothing can be seen of how it decides between them.
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


def sole_winner(replies: Sequence[Reply], *accepted: int, what: str) -> int:
    """Return the place of the one that was answered with a status of success, where all others have to be conflicts.

    Raises:
        Unmet: none was accepted, or several, or another was refused for another reason.
    """
    statuses = [reply.status for reply in replies]
    for reply in replies:
        expect.status(reply, *accepted, 409)
    places = [place for place, status in enumerate(statuses) if status in accepted]
    wanted = f"exactly one of {len(statuses)} simultaneous {what} to be answered with {' or '.join(map(str, accepted))}"
    expect.true(len(places) == 1, wanted, statuses)
    return places[0]
