"""Checks of concurrent transactions: their answers, the final state, and the states that readers
see.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    Blocked,
    CatalogLab,
    Kind,
    Reply,
    Table,
    check,
    expect,
    req,
    set_properties,
    set_ref,
    states,
)
from lakepact.conformance.checks.iceberg_rest.kit.commits.updates import add_snapshot
from lakepact.conformance.checks.iceberg_rest.kit.concurrency import at_most_one, side_by_side
from lakepact.conformance.checks.iceberg_rest.kit.transactions import (
    MADE,
    change,
    expect_no_changes,
    make_tables,
    mark_of,
    marking,
    transact,
)

Change = dict[str, Any]

CLIENTS = 12
ROUNDS = 3  #: of each race
TURNS = 12  #: transactions that are looked at while they are made
READERS = 4  #: in each order of the tables


def raced(lab: CatalogLab, transactions: Sequence[Sequence[Change]]) -> list[Reply]:
    """Return the answers to transactions that are sent at the same moment."""
    return side_by_side(
        lab, [partial(transact, lab, *changes) for changes in transactions], what="transactions"
    )


def _main(table: Table) -> int | None:
    refs: dict[str, dict[str, Any]] = table.metadata.get("refs") or {}
    snapshot: int | None = refs["main"]["snapshot-id"] if "main" in refs else None
    return snapshot


def _refused_as_a_whole(lab: CatalogLab, tables: Sequence[Table]) -> None:
    """Check that a transaction whose second change is refused leaves the table of the first one as
    it was, without a race.

    Raises:
        StepFailed: it changes the table.
    """
    first, second = tables
    before = [lab.load(table) for table in tables]
    with lab.step("IRC-TXN-002"):
        reply = transact(
            lab,
            marking(first, "refused"),
            change(second, req.HARMLESS, requirements=[req.assert_uuid(req.NOBODY)]),
        )
        expect.refused(reply, mutation=req.stale(req.assert_uuid(req.NOBODY)))
        expect_no_changes(lab, before)


def _requirements_count(
    lab: CatalogLab, replies: Sequence[Reply], table: Table, asserted: Change
) -> None:
    """Check, if several transactions were accepted, that a commit to one table is refused by the
    requirement that they had.

    Raises:
        StepFailed: it is accepted without a race too.
    """
    if sum(reply.status in MADE for reply in replies) > 1:
        req.expect_refusal_alone(lab, table, [asserted], req.stale(asserted))


@check("IRC-TXN-010", alone=True)
def concurrent_appends_have_one_winner(lab: CatalogLab) -> None:
    """When many transactions append to the same two tables concurrently, at most one succeeds, and
    both tables hold its snapshots alone.
    """
    tables = make_tables(lab, 2)
    _refused_as_a_whole(lab, tables)
    for _ in lab.each(lab.repeat(ROUNDS)):
        known = [lab.load(table) for table in tables]
        snapshots = [[lab.snapshot(table) for table in known] for _ in range(CLIENTS)]
        transactions = [
            [
                change(
                    table,
                    add_snapshot(one),
                    set_ref("main", one["snapshot-id"]),
                    requirements=[req.assert_ref("main", _main(table))],
                )
                for table, one in zip(known, of, strict=True)
            ][:: 1 if number % 2 else -1]
            for number, of in enumerate(snapshots)
        ]
        replies = raced(lab, transactions)
        after = [lab.load(table) for table in tables]
        with lab.judge("IRC-TXN-010") as case:
            _requirements_count(lab, replies, after[0], req.assert_ref("main", _main(known[0])))
            won = at_most_one(replies, what="transactions")
            winner = (
                [_main(table) for table in known]
                if won is None
                else [one["snapshot-id"] for one in snapshots[won]]
            )
            for number, table in enumerate(after):
                with case():
                    sent = {of[number]["snapshot-id"] for of in snapshots}
                    expect.equal(
                        winner[number],
                        _main(table),
                        "main of both tables to be at",
                        at=table.place("refs", "main"),
                    )
                    held = [
                        one["snapshot-id"]
                        for one in table.metadata.get("snapshots") or ()
                        if one["snapshot-id"] in sent
                    ]
                    expect.equal(
                        [] if won is None else [winner[number]],
                        held,
                        "of the snapshots that were sent, the table to hold",
                        at=table.place("snapshots"),
                    )


@check("IRC-TXN-010", alone=True)
def concurrent_transactions_do_not_skew_writes(lab: CatalogLab) -> None:
    """When transactions assert the state of both tables and each changes one, at most one succeeds
    and only its change is made.
    """
    tables = make_tables(lab, 2)
    _refused_as_a_whole(lab, tables)
    for _ in lab.each(lab.repeat(ROUNDS)):
        known = [lab.load(table) for table in tables]
        relied = [req.assert_ref("main", _main(table)) for table in known]
        snapshots = [lab.snapshot(known[number % 2]) for number in range(CLIENTS)]
        transactions = []
        for number, one in enumerate(snapshots):
            mine, other = number % 2, 1 - number % 2
            moving = (add_snapshot(one), set_ref("main", one["snapshot-id"]))
            transactions.append(
                [
                    change(known[mine], *moving, requirements=[relied[mine]]),
                    change(known[other], requirements=[relied[other]]),
                ]
            )
        replies = raced(lab, transactions)
        moved = [lab.load(table) for table in tables]
        with lab.judge("IRC-TXN-010") as case:
            changed = next(
                (number for number in (0, 1) if _main(known[number]) != _main(moved[number])), 0
            )
            _requirements_count(lab, replies, moved[changed], relied[changed])
            winner = at_most_one(replies, what="transactions")
            expected = [_main(table) for table in known]
            if winner is not None:
                expected[winner % 2] = snapshots[winner]["snapshot-id"]
            for wanted, table in zip(expected, moved, strict=True):
                with case():
                    expect.equal(
                        wanted,
                        _main(table),
                        "main of both tables to be at",
                        at=table.place("refs", "main"),
                    )


@check("IRC-TXN-010", alone=True)
def accepted_transactions_are_kept(lab: CatalogLab) -> None:
    """Concurrent transactions without a conflict return 204 or 409; both tables hold the accepted
    ones, in the same order.
    """
    tables = make_tables(lab, 2)
    for turn in lab.each(lab.repeat(ROUNDS)):
        keys = [f"lakepact.{turn}.{number}" for number in range(CLIENTS)]
        held = [req.assert_uuid(table.uuid) for table in tables]
        replies = raced(
            lab,
            [
                [
                    change(
                        table,
                        set_properties(**{key: key, "last": key}),
                        requirements=[one] if turn else [],
                    )
                    for table, one in zip(tables, held, strict=True)
                ][:: 1 if number % 2 else -1]
                for number, key in enumerate(keys)
            ],
        )
        after = [lab.load(table) for table in tables]
        with lab.judge("IRC-TXN-010") as case:
            for reply in replies:
                with case():
                    expect.status(reply, *MADE, 409)
            accepted = [
                key for key, reply in zip(keys, replies, strict=True) if reply.status in MADE
            ]
            for table in after:
                with case():
                    found = [key for key in keys if states.properties_of(table).get(key) == key]
                    about = "the accepted transactions to be on the table:"
                    expect.equal(
                        accepted, found, about, at=table.place("properties"), kind=Kind.LOST
                    )
            first, second = (states.properties_of(table).get("last") for table in after)
            expect.equal(
                first,
                second,
                "the last transaction on both tables to be the same:",
                at=after[1].place("properties", "last"),
            )


def _watched(
    lab: CatalogLab, first: Table, then: Table, done: threading.Event
) -> list[tuple[int, int]]:
    """Return the marks of two tables, loaded one after the other, again and again until it is
    done.
    """
    seen: list[tuple[int, int]] = []
    while not done.is_set() and len(seen) < len(lab.repeat(TURNS)) * 100:
        marks = int(mark_of(lab, first) or 0), int(mark_of(lab, then) or 0)
        if not seen or seen[-1] != marks:
            seen.append(marks)
    return seen


def _written(
    lab: CatalogLab, tables: Sequence[Table], done: threading.Event
) -> list[tuple[int, int]]:
    try:
        for turn, _ in enumerate(lab.repeat(TURNS), start=1):
            lab.require(transact(lab, *[marking(table, str(turn)) for table in tables]), *MADE)
    finally:
        done.set()
    return []


@check("IRC-TXN-009", alone=True)
def readers_see_no_partial_transaction(lab: CatalogLab) -> None:
    """Loading the tables of a transaction one after the other never shows an older state after a
    newer one.
    """
    one, other = make_tables(lab, 2)
    done = threading.Event()
    readers = [
        partial(_watched, lab, first, then, done)
        for first, then in ((one, other), (other, one))
        for _ in range(READERS)
    ]
    seen = lab.concurrently([partial(_written, lab, (one, other), done), *readers])
    if not mark_of(lab, one):
        raise Blocked("transactions return 204 and change nothing (IRC-TXN-001)")
    with lab.judge("IRC-TXN-009"):
        halves = [marks for of in seen for marks in of if marks[1] < marks[0]]
        if halves:
            first, then = halves[0]
            wanted = (
                f"the second table to show transaction {first} or a later one, as the first table"
                f" showed {first} before"
            )
            raise expect.unmet(
                wanted,
                f"transaction {then}; {len(halves)} pairs of loads show half a transaction",
                at=None,
            )
