"""Wrong ways with transactions that are made side by side, and with what others see of them."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Install, all_of, fault, on_call, on_wire, wrap_rule
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NO_CONTENT, Reply
from mutants.iceberg_rest.operators.operations import TRANSACT
from mutants.iceberg_rest.operators.races import FAILURE, WHILE, crowded, read_before
from mutants.iceberg_rest.operators.transactions import committer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lakepact.reference_server.http.service import Arguments, Handler, Service
    from lakepact.reference_server.http.wire import Wire
    from lakepact.reference_server.iceberg_rest.commits.commits import Commits
    from lakepact.reference_server.iceberg_rest.commits.transactions import Change
    from lakepact.reference_server.storage.store import Key, Record, Transaction

    Formers = dict[Key, Record | None]


@fault("IRC-TXN-009")
def transactions_are_seen_half_way(service: Service) -> None:
    commit_one = committer(service)

    def later(change: dict[str, Any]) -> None:
        with contextlib.suppress(Problem):
            commit_one(change)

    def act(_: Handler, arguments: Arguments) -> Reply:
        for place, change in enumerate(arguments["body"]["table-changes"]):
            if place:
                asyncio.get_running_loop().call_later(WHILE / 2, later, change)
            else:
                commit_one(change)
        return NO_CONTENT

    async def answer(wire: Wire, reply: Reply) -> None:
        await asyncio.sleep(WHILE)
        await wire.answer(reply)

    all_of(on_call(TRANSACT, act), on_wire(TRANSACT, answer))(service)


@fault("IRC-TXN-010")
def transactions_allow_write_skew() -> Install:
    read: Formers = {}
    accepted: list[Reply] = []  # whose answers wait

    def wrapper(find: Callable[..., Formers]) -> Callable[..., Formers]:
        def committed_tables(
            commits: Commits, transaction: Transaction, changes: Sequence[Change]
        ) -> Formers:
            for change in changes:
                read.setdefault(change.key, transaction.get(change.key))
            fresh = find(commits, transaction, [change for change in changes if change.updates])
            for change in changes:
                former = read[change.key]
                if not change.updates:
                    commits.check_requirements(former, change.requirements)
            return {
                change.key: fresh[change.key] if change.updates else transaction.get(change.key)
                for change in changes
            }

        return committed_tables

    async def answer(wire: Wire, reply: Reply) -> None:
        if reply.status < 300:
            accepted.append(reply)
            await asyncio.sleep(WHILE)
            accepted.pop()
        if not accepted:  # a refused request must not discard what was read
            read.clear()
        await wire.answer(reply)

    return all_of(wrap_rule("tables_to_commit", wrapper), on_wire(TRANSACT, answer))


FAULTS = {
    "transactions-check-and-swap-apart IRC-TXN-010": read_before(TRANSACT, checked_again=False),
    "transactions-overwrite-others IRC-TXN-010": read_before(TRANSACT, checked_again=True),
    "racing-transactions-fail IRC-TXN-010": crowded(TRANSACT, first=None, others=FAILURE),
}
