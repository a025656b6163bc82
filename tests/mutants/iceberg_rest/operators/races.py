"""Races of commits, although handlers answer one after the other.

A race must be forced: an answer waits for a while, so that the unexpected change happens in
between.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable

from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest.documents import TableRequirement
from lakepact.reference_server.faults import Install, all_of, on_wire, per_server, wrap_rule
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.wire import Wire
from lakepact.reference_server.iceberg_rest.commits.preconditions import check
from lakepact.reference_server.storage.store import Key, Record, Transaction
from mutants.iceberg_rest.operators.operations import COMMIT

WHILE = 0.1  #: seconds that an answer waits

CONFLICT = Reply(
    409,
    b'{"error":{"message":"somebody else was faster","type":"CommitFailedException","code":409}}',
)
FAILURE = Reply(
    500, b'{"error":{"message":"database is locked","type":"OperationalError","code":500}}'
)


@per_server
def read_before(operation: OperationId = COMMIT, *, checked_again: bool) -> Install:
    """Commits start from the table as it was when no other commit was in progress, and overwrite
    its changes.

    Args:
        operation: the operation of the commits.
        checked_again: whether their requirements are checked against the current table.
    """
    read: dict[Key, Record | None] = {}

    def wrapper(find: Callable[..., Record | None]) -> Callable[..., Record | None]:
        def committed_table(
            transaction: Transaction, key: Key, requirements: list[TableRequirement]
        ) -> Record | None:
            now = find(transaction, key, requirements)
            if checked_again:
                check(now.document["metadata"] if now else None, requirements)
            return read.setdefault(key, now)

        return committed_table

    async def answer(wire: Wire, reply: Reply) -> None:
        if reply.status < 300:
            await asyncio.sleep(WHILE)
        read.clear()
        await wire.answer(reply)

    return all_of(wrap_rule("table_to_commit", wrapper), on_wire(operation, answer))


@per_server
def crowded(operation: OperationId = COMMIT, *, first: Reply | None, others: Reply) -> Install:
    """Commits at one path that meet while their answers wait are answered otherwise.

    Args:
        operation: that makes the commits.
        first: the answer to the one that came first; None for its own.
        others: the answer to all others.
    """
    arrived: Counter[bytes] = Counter()
    waiting: Counter[bytes] = Counter()

    async def answer(wire: Wire, reply: Reply) -> None:
        table: bytes = wire.scope["raw_path"]
        arrived[table] += 1
        waiting[table] += 1
        place = arrived[table]
        await asyncio.sleep(WHILE)
        met = arrived[table] > 1
        waiting[table] -= 1
        if not waiting[table]:
            del arrived[table]
        await wire.answer(((first or reply) if place == 1 else others) if met else reply)

    return on_wire(operation, answer)
