"""Checks of concurrent transactions: their answers, the final state, and the states that readers
see.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial

from lakepact.conformance.checks.iceberg_rest.api import (
    Blocked,
    CatalogLab,
    Document,
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

Change = Document

CLIENTS = 12
ROUNDS = 3  #: of each race
TURNS = 12  #: transactions during which readers load the tables
READERS = 4  #: in each order of the tables


def race(lab: CatalogLab, transactions: Sequence[Sequence[Change]]) -> list[Reply]:
    """Return the answers to transactions that are sent at the same moment."""
    return side_by_side(
        lab, [partial(transact, lab, *changes) for changes in transactions], what="transactions"
    )


def _main(table: Table) -> int | None:
    refs: dict[str, Document] = table.metadata.get("refs") or {}
    snapshot: int | None = refs["main"]["snapshot-id"] if "main" in refs else None
    return snapshot


def _expect_atomic_refusal(lab: CatalogLab, tables: Sequence[Table]) -> None:
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
        expect.refusal(reply, mutation=req.stale(req.assert_uuid(req.NOBODY)))
        expect_no_changes(lab, before)


def _requirements_count(
    lab: CatalogLab, replies: Sequence[Reply], table: Table, assertion: Change
) -> None:
    """Check, if several transactions were accepted, that a commit to one table is refused by the
    requirement that they had.

    Raises:
        StepFailed: it is accepted without a race too.
    """
    if sum(reply.status in MADE for reply in replies) > 1:
        req.expect_refusal_alone(lab, table, [assertion], req.stale(assertion))


@check("IRC-TXN-010", alone=True)
def concurrent_appends_have_one_winner(lab: CatalogLab) -> None:
    """When many transactions append to the same two tables concurrently, at most one succeeds, and
    both tables hold its snapshots alone.
    """
    tables = make_tables(lab, 2)
    _expect_atomic_refusal(lab, tables)
    for _ in lab.each(lab.repeat(ROUNDS)):
        before = [lab.load(table) for table in tables]
        snapshots = [[lab.snapshot(table) for table in before] for _ in range(CLIENTS)]
        transactions = [
            [
                change(
                    table,
                    add_snapshot(one),
                    set_ref("main", one["snapshot-id"]),
                    requirements=[req.assert_ref("main", _main(table))],
                )
                for table, one in zip(before, of, strict=True)
            ][:: 1 if number % 2 else -1]
            for number, of in enumerate(snapshots)
        ]
        replies = race(lab, transactions)
        after = [lab.load(table) for table in tables]
        with lab.judge("IRC-TXN-010") as case:
            _requirements_count(lab, replies, after[0], req.assert_ref("main", _main(before[0])))
            won = at_most_one(replies, what="transactions")
            winner = (
                [_main(table) for table in before]
                if won is None
                else [one["snapshot-id"] for one in snapshots[won]]
            )
            for number, table in enumerate(after):
                with case():
                    ids = {of[number]["snapshot-id"] for of in snapshots}
                    expect.equal(
                        winner[number],
                        _main(table),
                        "main of both tables to be at",
                        at=table.place("refs", "main"),
                    )
                    stored = [
                        snapshot["snapshot-id"]
                        for snapshot in table.metadata.get("snapshots") or ()
                        if snapshot["snapshot-id"] in ids
                    ]
                    expect.equal(
                        [] if won is None else [winner[number]],
                        stored,
                        "of the snapshots that were sent, the table to hold",
                        at=table.place("snapshots"),
                    )


@check("IRC-TXN-010", alone=True)
def concurrent_transactions_do_not_skew_writes(lab: CatalogLab) -> None:
    """When transactions assert the state of both tables and each changes one, at most one succeeds
    and only its change is made.
    """
    tables = make_tables(lab, 2)
    _expect_atomic_refusal(lab, tables)
    for _ in lab.each(lab.repeat(ROUNDS)):
        before = [lab.load(table) for table in tables]
        assertions = [req.assert_ref("main", _main(table)) for table in before]
        snapshots = [lab.snapshot(before[number % 2]) for number in range(CLIENTS)]
        transactions = []
        for number, snapshot in enumerate(snapshots):
            mine, other = number % 2, 1 - number % 2
            moving = (add_snapshot(snapshot), set_ref("main", snapshot["snapshot-id"]))
            transactions.append(
                [
                    change(before[mine], *moving, requirements=[assertions[mine]]),
                    change(before[other], requirements=[assertions[other]]),
                ]
            )
        replies = race(lab, transactions)
        after = [lab.load(table) for table in tables]
        with lab.judge("IRC-TXN-010") as case:
            number_of_change = next(
                (number for number in (0, 1) if _main(before[number]) != _main(after[number])), 0
            )
            _requirements_count(lab, replies, after[number_of_change], assertions[number_of_change])
            winner = at_most_one(replies, what="transactions")
            expected = [_main(table) for table in before]
            if winner is not None:
                expected[winner % 2] = snapshots[winner]["snapshot-id"]
            for snapshot_id, table in zip(expected, after, strict=True):
                with case():
                    expect.equal(
                        snapshot_id,
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
        assertions = [req.assert_uuid(table.uuid) for table in tables]
        replies = race(
            lab,
            [
                [
                    change(
                        table,
                        set_properties(**{key: key, "last": key}),
                        requirements=[assertion] if turn else [],
                    )
                    for table, assertion in zip(tables, assertions, strict=True)
                ][:: 1 if number % 2 else -1]
                for number, key in enumerate(keys)
            ],
        )
        after = [lab.load(table) for table in tables]
        with lab.judge("IRC-TXN-010") as case:
            for reply in replies:
                with case():
                    expect.status(reply, *MADE, 409)
            keys_with_success = [
                key for key, reply in zip(keys, replies, strict=True) if reply.status in MADE
            ]
            for table in after:
                with case():
                    stored = [key for key in keys if states.properties_of(table).get(key) == key]
                    subject = "the accepted transactions to be on the table:"
                    expect.equal(
                        keys_with_success,
                        stored,
                        subject,
                        at=table.place("properties"),
                        kind=Kind.LOST,
                    )
            first, second = (states.properties_of(table).get("last") for table in after)
            expect.equal(
                first,
                second,
                "the last transaction on both tables to be the same:",
                at=after[1].place("properties", "last"),
            )


def _observe(
    lab: CatalogLab, first: Table, then: Table, end: threading.Event
) -> list[tuple[int, int]]:
    """Return the marks of two tables, loaded one after the other, again and again until it is
    done.
    """
    observations: list[tuple[int, int]] = []
    while not end.is_set() and len(observations) < len(lab.repeat(TURNS)) * 100:
        marks = int(mark_of(lab, first) or 0), int(mark_of(lab, then) or 0)
        if not observations or observations[-1] != marks:
            observations.append(marks)
    return observations


def _write(lab: CatalogLab, tables: Sequence[Table], end: threading.Event) -> list[tuple[int, int]]:
    try:
        for turn, _ in enumerate(lab.repeat(TURNS), start=1):
            lab.require(transact(lab, *[marking(table, str(turn)) for table in tables]), *MADE)
    finally:
        end.set()
    return []


@check("IRC-TXN-009", alone=True)
def readers_see_no_partial_transaction(lab: CatalogLab) -> None:
    """Loading the tables of a transaction one after the other never shows an older state after a
    newer one.
    """
    one, other = make_tables(lab, 2)
    end = threading.Event()
    readers = [
        partial(_observe, lab, first, then, end)
        for first, then in ((one, other), (other, one))
        for _ in range(READERS)
    ]
    observations = lab.concurrently([partial(_write, lab, (one, other), end), *readers])
    if not mark_of(lab, one):
        raise Blocked("transactions return 204 and change nothing (IRC-TXN-001)")
    with lab.judge("IRC-TXN-009"):
        halves = [marks for of in observations for marks in of if marks[1] < marks[0]]
        if halves:
            first, then = halves[0]
            expected = (
                f"the second table to show transaction {first} or a later one, as the first table"
                f" showed {first} before"
            )
            raise expect.unmet(
                expected,
                f"transaction {then}; {len(halves)} pairs of loads show half a transaction",
                at=None,
            )
