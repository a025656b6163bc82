"""Checks of concurrent commits, by their responses and by the table afterwards."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from functools import partial

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Kind,
    Members,
    Reply,
    Table,
    check,
    expect,
    op,
    set_properties,
    set_ref,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.commits.creations import (
    creating_works,
    creation,
    free_slot,
)
from lakepact.conformance.checks.iceberg_rest.kit.commits.requirements import (
    ASSERT_CREATE,
    assert_ref,
    assert_uuid,
    expect_refusal_alone,
    stale,
)
from lakepact.conformance.checks.iceberg_rest.kit.concurrency import (
    BEHIND,
    at_most_one,
    side_by_side,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import properties_of

CLIENTS = 16
#: of each race: in the first one most clients still open their connections, and the window of a
#: race is small
ROUNDS = 3


def race(lab: CatalogLab, at: Members, bodies: Sequence[Members]) -> list[Reply]:
    """Return the answers to commits that are sent at the same moment."""
    return side_by_side(
        lab,
        [partial(lab.send, op.update_table, body=dict(body), **at) for body in bodies],
        what="commits",
    )


def judge_progress(lab: CatalogLab, replies: Sequence[Reply]) -> None:
    """Judge that not all of several simultaneous commits are refused."""
    with lab.judge("IRC-COM-035"):
        statuses = [reply.status for reply in replies]
        expect.true(
            any(status != 409 for status in statuses),
            "one of the simultaneous commits to be accepted",
            statuses,
            at=None,
        )


def _race_of_snapshots(lab: CatalogLab, table: Table, ref: str) -> Table:
    """One race for a branch, and the table after it; the accepted snapshot is there, and none of
    the others.
    """
    before = lab.load(table)
    refs: dict[str, Document] = before.metadata.get("refs") or {}
    now = refs[ref]["snapshot-id"] if ref in refs else None
    snapshots = [lab.snapshot(before) for _ in range(CLIENTS)]
    bodies = [
        {
            "requirements": [assert_ref(ref, now)],
            "updates": [upd.add_snapshot(snapshot), set_ref(ref, snapshot["snapshot-id"])],
        }
        for snapshot in snapshots
    ]
    replies = race(lab, table.at, bodies)
    after = lab.load(table)
    ids = [snapshot["snapshot-id"] for snapshot in snapshots]
    judge_progress(lab, replies)
    with lab.judge("IRC-COM-020") as case:
        if (
            sum(reply.status == 200 for reply in replies) > 1
        ):  # what does not hold may be accepted without a race too
            expect_refusal_alone(lab, after, [assert_ref(ref, now)], stale(assert_ref(ref, now)))
        won = at_most_one(replies, what="commits")
        winner = now if won is None else ids[won]
        actual = ((after.metadata.get("refs") or {}).get(ref) or {}).get("snapshot-id")
        expect.equal(
            winner,
            actual,
            f"{ref} to be at the snapshot of the accepted commit,",
            at=after.place("refs", ref, "snapshot-id"),
        )
        stored = [snapshot["snapshot-id"] for snapshot in after.metadata.get("snapshots") or ()]
        new = [one for one in ids if one in stored]
        expect.equal(
            [] if won is None else [winner],
            new,
            "of the snapshots that were sent, the table to hold",
            at=after.place("snapshots"),
        )
        for former in before.metadata.get("snapshots") or ():
            with case():
                expect.contains(
                    former["snapshot-id"], stored, "snapshots", at=after.place("snapshots")
                )
    return after


@check("IRC-COM-020", "IRC-COM-035", alone=True)
def concurrent_appends_have_one_winner(lab: CatalogLab) -> None:
    """When many writers append to the same branch concurrently, at most one gets 200 and the others
    get 409.
    """
    for ref in lab.each(("main", "side")):
        lab.append(
            lab.append(lab.make_table(), ref=ref), ref=ref
        )  # commits that lose snapshots or refs do so without a race too
        table = lab.make_table()
        for _ in lab.each(lab.repeat(ROUNDS)):
            table = _race_of_snapshots(lab, table, ref)


@check("IRC-COM-020", "IRC-COM-035", alone=True)
def concurrent_ref_moves_have_one_winner(lab: CatalogLab) -> None:
    """When many writers move a branch concurrently, at most one gets 200, and the branch is at its
    snapshot.
    """
    table = lab.table_with_snapshot()
    first, targets = table.member("current-snapshot-id"), list[int]()
    for number in range(CLIENTS):
        table = lab.append(table, ref=f"target{number}")
        targets.append(table.member("refs", f"target{number}", "snapshot-id"))
    for turn in lab.each(lab.repeat(ROUNDS)):
        branch = f"turn{turn}"
        lab.commit(table, set_ref(branch, first))
        bodies = [
            {"requirements": [assert_ref(branch, first)], "updates": [set_ref(branch, target)]}
            for target in targets
        ]
        replies = race(lab, table.at, bodies)
        after = lab.load(table)
        judge_progress(lab, replies)
        with lab.judge("IRC-COM-020"):
            won = at_most_one(replies, what="commits")
            winner = first if won is None else targets[won]
            expect.member(
                winner,
                after.place("refs", branch, "snapshot-id"),
                f"{branch} to be at the snapshot of the accepted commit,",
            )


def _race_of_properties(
    lab: CatalogLab, table: Table, requirements: Sequence[Members], turn: str
) -> None:
    """One race of commits that do not touch each other; what was accepted is there."""
    keys = [f"lakepact.{turn}.{number}" for number in range(CLIENTS)]
    replies = race(
        lab,
        table.at,
        [
            {"requirements": list(requirements), "updates": [set_properties(**{key: key})]}
            for key in keys
        ],
    )
    after = lab.load(table)
    with lab.judge("IRC-COM-021") as case:
        for reply in replies:
            with case():
                expect.status(reply, 200, 409)
        missing = [
            key
            for key, reply in zip(keys, replies, strict=True)
            if reply.status == 200 and properties_of(after).get(key) != key
        ]
        expect.equal(
            [],
            missing,
            "properties of accepted commits that the table lacks:",
            at=after.place("properties"),
            kind=Kind.LOST,
        )


@check("IRC-COM-021", alone=True)
def accepted_commits_are_kept(lab: CatalogLab) -> None:
    """When many writers set different properties concurrently, every property whose commit returned
    200 is set.
    """
    table = lab.make_table()
    for turn in lab.each(lab.repeat(ROUNDS)):
        _race_of_properties(lab, table, [], f"free{turn}")
        _race_of_properties(lab, table, [assert_uuid(table.uuid)], f"held{turn}")


@check("IRC-REQ-002", "IRC-COM-035", alone=True)
def concurrent_creating_commits_have_one_winner(lab: CatalogLab) -> None:
    """When many commits create the same table concurrently, at most one gets 200, and the table has
    its UUID.
    """
    home = lab.make_namespace()
    creating_works(lab, home)
    for _ in lab.each(lab.repeat(ROUNDS)):
        slot = free_slot(lab, home)
        uuids = [str(uuid.uuid4()) for _ in range(CLIENTS)]
        replies = race(
            lab,
            slot.at,
            [{"requirements": [ASSERT_CREATE], "updates": creation(slot, one)} for one in uuids],
        )
        load = lab.send(op.load_table, **slot.at)
        judge_progress(lab, replies)
        with lab.judge("IRC-REQ-002"):
            won = at_most_one(replies, what="commits")
            if won is None:
                expect.status(load, 404, mutation=BEHIND)
                continue
            winner = uuids[won]
            expect.status(load, 200)
            table = Table(slot.namespace, slot.name, load)
            expect.equal(
                winner,
                table.uuid.lower(),
                "the UUID that the accepted commit assigned,",
                at=table.place("table-uuid"),
            )
