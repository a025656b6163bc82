"""Wrong ways with commits that are made side by side.

Handlers answer one after the other, so a race has to be made: an answer waits for a while, and what the server did not expect to
happen meanwhile happens for certain.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

from lakepact.reference_server.faults import Fault, Install, all_of, around, on_wire
from lakepact.reference_server.iceberg_rest.faults.ways.operations import COMMIT
from lakepact.reference_server.iceberg_rest.preconditions import check
from lakepact.reference_server.replies import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.store import Key, Record, Transaction
    from lakepact.reference_server.wire import Wire

WHILE = 0.1  #: seconds that an answer waits

CONFLICT = Reply(409, b'{"error":{"message":"somebody else was faster","type":"CommitFailedException","code":409}}')
FAILURE = Reply(500, b'{"error":{"message":"database is locked","type":"OperationalError","code":500}}')


def read_before(*, checked_again: bool) -> Install:
    """Commits start from the table as it was when no other commit was under way, and overwrite what these have made of it.

    Args:
        checked_again: whether their requirements are held against the table as it is.
    """
    read: dict[Key, Record | None] = {}

    def wrapper(find: Callable[..., Record | None]) -> Callable[..., Record | None]:
        def committed_table(transaction: Transaction, key: Key, requirements: list[Document]) -> Record | None:
            now = find(transaction, key, requirements)
            if checked_again:
                check(now.document["metadata"] if now else None, requirements)
            return read.setdefault(key, now)

        return committed_table

    async def answer(wire: Wire, reply: Reply) -> None:
        if reply.status == 200:
            await asyncio.sleep(WHILE)
        read.clear()
        await wire.answer(reply)

    return all_of(around("rules", "committed-table", wrapper), on_wire(COMMIT, answer))


def crowded(*, first: Reply | None, others: Reply) -> Install:
    """Commits to one table that meet while their answers wait are answered otherwise.

    Args:
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

    return on_wire(COMMIT, answer)


FAULTS = (
    Fault(
        "checks-and-swaps-apart",
        "Between the check of the requirements and the swap other commits may come.",
        ("IRC-COM-020", "IRC-COM-021", "IRC-REQ-002"),
        read_before(checked_again=False),
    ),
    Fault(
        "overwrites-other-commits",
        "Requirements are checked at the swap, but the updates were applied to what was read before.",
        ("IRC-COM-021",),
        read_before(checked_again=True),
    ),
    Fault(
        "racing-commits-all-conflict",
        "Of simultaneous commits each is told that another one won.",
        ("IRC-COM-020", "IRC-REQ-002"),
        crowded(first=CONFLICT, others=CONFLICT),
    ),
    Fault(
        "racing-commits-fail",
        "Of simultaneous commits all but the first fail with 500.",
        ("IRC-COM-020", "IRC-COM-021", "IRC-REQ-002"),
        crowded(first=None, others=FAILURE),
    ),
)
