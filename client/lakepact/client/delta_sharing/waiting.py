"""Waiting for a query that the server runs in the background."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.client.errors import QueryFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.client.delta_sharing.lines import QueryStatus
    from lakepact.client.errors import Failure

FIRST_PAUSE, LONGEST_PAUSE = (
    0.5,
    30.0,
)  #: seconds between two requests; each pause is twice the one before


class Waiting:
    """The state of a query in the background.

    Args:
        patience: The seconds to wait for its answer.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._waited = 0.0
        self._next = FIRST_PAUSE
        #: The id of the query, None before the server gave it one.
        self.query_id: str | None = None

    def pause(self, status: QueryStatus, failure: Callable[[str], Failure]) -> float:
        """Return the seconds to the next request for the answer.

        Raises:
            QueryFailed: The query failed, or its answer did not come in time.
        """
        if status.status == "failed":
            raise QueryFailed(failure(f"the query {status.query_id} failed in the background"))
        if self._waited >= self._patience:
            raise QueryFailed(
                failure(
                    f"the query {status.query_id} still runs after {self._waited:g} seconds;"
                    " patience=… waits longer"
                )
            )
        self.query_id = status.query_id
        pause = min(self._next, LONGEST_PAUSE, self._patience - self._waited)
        self._waited, self._next = self._waited + pause, 2 * pause
        return pause
