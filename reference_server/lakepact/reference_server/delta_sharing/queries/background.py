"""Queries that run in the background: each has an id, with which the client asks for its status and
its answer.
"""

from __future__ import annotations

import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import Any

from lakepact.reference_server.delta_sharing.answers import one_line, refusal
from lakepact.reference_server.delta_sharing.queries.queries import Query, malformed
from lakepact.reference_server.delta_sharing.queries.requests import Request
from lakepact.reference_server.delta_sharing.shares import fold

KEYS = ("idempotencyKey", "idempotency_key")  #: as the protocol and as clients on the JVM spell it
PENDING, FAILED = "pending", "failed"
WORKERS = 2  #: queries that run at once
MOST_KEPT = 1000  #: queries; the oldest is forgotten first

Owner = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """One query in the background.

    Args:
        id: its id.
        owner: the recipient and the table.
        query: the query.
        content: the query with the versions that it read when it began.
        file_id_hash: the value of the header fileidhash.
        work: reads the table.
    """

    id: str
    owner: Owner
    query: Query
    content: Mapping[str, Any]
    file_id_hash: str | None
    work: Future[object]

    @property
    def status(self) -> str | None:
        """The status; None when the answer is ready."""
        if not self.work.done():
            return PENDING
        return FAILED if self.work.exception() is not None else None

    def line(self) -> bytes:
        """Return the queryStatus line."""
        return (
            one_line({"queryStatus": {"queryId": self.id, "status": self.status or PENDING}})
            + b"\n"
        )


def key_of(body: Mapping[str, Any]) -> str:
    """Return the idempotency key of a query.

    Raises:
        Problem: 400, it is missing.
    """
    key = next((body[name] for name in KEYS if body.get(name)), None)
    if not isinstance(key, str):
        raise malformed(
            "a query with the capability asyncquery=true needs an idempotencyKey, a text that"
            " names it"
        )
    return key


class BackgroundQueries:
    """The queries that run in the background, and those that ended, by id and by idempotency
    key.
    """

    def __init__(self) -> None:
        self._workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="lakepact query")
        self._lock = Lock()
        self._by_key: OrderedDict[tuple[Owner, str], Run] = OrderedDict()
        self._by_id: dict[str, Run] = {}

    def begin(
        self,
        request: Request,
        key: str,
        query: Query,
        *,
        content: Mapping[str, Any],
        file_id_hash: str | None,
        work: Callable[[], object],
    ) -> Run:
        """Return the query with this key, which begins now unless it has begun before.

        Args:
            request: the request.
            key: its idempotency key.
            query: the query.
            content: the query with the versions that it reads.
            file_id_hash: the value of the header fileidhash.
            work: reads the table.

        Raises:
            Problem: 400, the key belongs to another query.
        """
        owner = _owner(request)
        with self._lock:
            earlier = self._by_key.get((owner, key))
            if earlier is not None:
                if earlier.query != query or earlier.file_id_hash != file_id_hash:
                    raise malformed("the idempotencyKey belongs to another query; choose a new one")
                return earlier
            run = Run(
                uuid.uuid4().hex, owner, query, content, file_id_hash, self._workers.submit(work)
            )
            self._by_key[owner, key] = self._by_id[run.id] = run
            if len(self._by_key) > MOST_KEPT:
                _, oldest = self._by_key.popitem(last=False)
                del self._by_id[oldest.id]
            return run

    def of(self, request: Request, query_id: str) -> Run:
        """Return the query with an id.

        Raises:
            Problem: 404, this recipient has no such query of this table.
        """
        run = self._by_id.get(query_id)
        if run is None or run.owner != _owner(request):
            raise refusal(404, f"there is no query {query_id[:100]!r} of this table")
        return run

    def close(self) -> None:
        """Stop the workers."""
        self._workers.shutdown(wait=False, cancel_futures=True)


def _owner(request: Request) -> Owner:
    table = request.table
    return (
        request.caller.recipient.name,
        *map(fold, (table.share, table.schema, table.name)),
        table.id,
    )
