"""Checks of the updates `add-snapshot` and `remove-snapshots`."""

from __future__ import annotations

from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    Blocked,
    CatalogLab,
    Document,
    Kind,
    Reply,
    Table,
    Wrong,
    check,
    expect,
    set_ref,
    states,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.steps import stored

KEPT = ("main", "kept", "audit")  #: refs whose snapshots are never removed

#: A snapshot id that loses its last digits in a double.
WIDE = 2**62 + 2**53 + 1

SNAPSHOT = "/updates/*/snapshot"


def snapshot_ids(table: Table) -> list[Any]:
    """Return the ids of a table's snapshots."""
    return [snapshot.get("snapshot-id") for snapshot in table.member("snapshots")]


def all_snapshots(table: Table, many: int) -> list[Any]:
    """Return the snapshot ids of a table in order, after `many` were added.

    Raises:
        Blocked: the table has another number of snapshots; the checks of add-snapshot judge that.
    """
    snapshots = sorted(
        table.member("snapshots"),
        key=lambda one: (one.get("sequence-number") or 0, one.get("timestamp-ms") or 0),
    )
    ids = [snapshot.get("snapshot-id") for snapshot in snapshots]
    if len(ids) != many:
        raise Blocked(
            f"{many} snapshots were added, and the table has {len(ids)} (IRC-UPD-035):"
            f" {expect.excerpt(ids)}"
        )
    return ids


def snapshot_of(table: Table, snapshot_id: int) -> Document:
    """Return the snapshot of that id.

    Raises:
        Unmet: there is none.
    """
    by_id: dict[Any, Document] = {
        snapshot.get("snapshot-id"): snapshot for snapshot in table.member("snapshots")
    }
    expect.contains(snapshot_id, by_id, "snapshots", at=table.place("snapshots"))
    return by_id[snapshot_id]


def expect_no_dangling_refs(table: Table) -> None:
    """Every branch and tag points to a snapshot that there is, and so does the current snapshot."""
    ids = snapshot_ids(table)
    for name, ref in table.metadata.get("refs", {}).items():
        expect.contains(
            ref.get("snapshot-id"),
            ids,
            f"snapshots, to which the ref {name} points,",
            at=table.place("snapshots"),
        )
    current = table.metadata.get("current-snapshot-id")
    if current not in (None, -1):
        expect.contains(
            current, ids, "the current snapshot in snapshots:", at=table.place("snapshots")
        )


@check("IRC-UPD-035")
def snapshots_are_added_without_moving_main(lab: CatalogLab) -> None:
    """An added snapshot is stored as sent and raises `last-sequence-number`; main does not move."""
    table = lab.append(upd.table_of_version(lab, 2))
    snapshot = lab.snapshot(table, snapshot_id=WIDE)

    with lab.judge("IRC-UPD-035") as case:
        after = lab.commit_and_load(table, upd.add_snapshot(snapshot))
        actual = snapshot_of(after, WIDE)
        for member in ("sequence-number", "timestamp-ms", "manifest-list", "parent-snapshot-id"):
            with case():
                expect.equal(
                    snapshot[member],
                    actual.get(member),
                    f"{member} of the snapshot",
                    at=after.place("snapshots"),
                )
        expect.member(snapshot["sequence-number"], after.place("last-sequence-number"))
        expect.member(
            table.member("current-snapshot-id"),
            after.place("current-snapshot-id"),
            "still the current-snapshot-id",
        )


@check("IRC-UPD-036")
def duplicate_snapshot_ids_are_refused(lab: CatalogLab) -> None:
    """Adding a snapshot with an existing id returns 400 or 409."""
    table = lab.table_with_snapshot()
    mutation = Wrong.DUPLICATE(f"{SNAPSHOT}/snapshot-id")
    twin = lab.snapshot(
        table, snapshot_id=table.member("current-snapshot-id"), parent_snapshot_id=None
    )
    upd.judge_refusals(
        lab,
        "IRC-UPD-036",
        table,
        {"a snapshot id that is taken": (mutation, [upd.add_snapshot(twin)])},
        allowed=(400, 409),
    )


@check("IRC-UPD-037")
def stale_sequence_numbers_are_refused(lab: CatalogLab) -> None:
    """A snapshot with a parent and a sequence number not above the last one returns 400 or 409."""
    table = lab.append(upd.table_of_version(lab, 2))
    last = table.member("last-sequence-number")
    low = Wrong.VALUE(f"{SNAPSHOT}/sequence-number")
    stale = {n: upd.add_snapshot(lab.snapshot(table, sequence_number=n)) for n in (last, last - 1)}
    cases = {
        f"the sequence number {n} after {last}": (low, [update]) for n, update in stale.items()
    }
    upd.judge_refusals(lab, "IRC-UPD-037", table, cases, allowed=(400, 409))


@check("IRC-UPD-038", "IRC-UPD-039")
def incomplete_snapshots_return_400(lab: CatalogLab) -> None:
    """A snapshot without id, timestamp, manifest list or a summary with a known operation returns
    400.
    """
    table = lab.make_table()
    update = upd.add_snapshot(lab.snapshot(table))
    paths = (
        ("snapshot-id",),
        ("timestamp-ms",),
        ("manifest-list",),
        ("summary",),
        ("summary", "operation"),
    )
    incomplete = {
        f"no {'/'.join(path)} in the snapshot": upd.lacking(update, "snapshot", *path)
        for path in paths
    }
    strange = upd.add_snapshot(lab.snapshot(table, summary={"operation": "x"}))
    upd.judge_refusals(
        lab,
        "IRC-UPD-039",
        table,
        {"the operation `x`": (Wrong.VALUE(f"{SNAPSHOT}/summary/operation"), [strange])},
    )
    upd.judge_refusals(lab, "IRC-UPD-038", table, incomplete, right=[update])


@check("IRC-UPD-040")
def summary_is_kept(lab: CatalogLab) -> None:
    """A snapshot keeps every entry of its summary."""
    table = lab.make_table()
    summary = {
        "operation": "append",
        "added-records": "10",
        "lakepact.note": "grüße, 雪",
        "Lakepact.Case": "Kept",
        "lakepact.empty": "",
    }
    snapshot = lab.snapshot(table, summary=summary)

    with lab.judge_each("IRC-UPD-040") as case:
        after = lab.commit_and_load(table, upd.add_snapshot(snapshot))
        actual = snapshot_of(after, snapshot["snapshot-id"]).get("summary", {})
        for key, value in summary.items():
            with case():
                expect.equal(
                    value, actual.get(key), f"`{key}` of the summary", at=after.place("snapshots")
                )


@check("IRC-UPD-041")
def next_row_id_advances(lab: CatalogLab) -> None:
    """In format version 3, a snapshot raises `next-row-id`; one without or below it returns 400 or
    409.
    """
    table = upd.table_of_version(lab, 3)
    snapshot = lab.snapshot(table, added_rows=25)

    with lab.judge("IRC-UPD-041"):
        after = lab.commit_and_load(table, upd.add_snapshot(snapshot))
        expect.member(snapshot["first-row-id"] + 25, after.place("next-row-id"))
    with_rows = lab.load(table)
    cases = {
        "no first-row-id": upd.lacking(
            upd.add_snapshot(lab.snapshot(with_rows)), "snapshot", "first-row-id"
        ),
        "a first-row-id below next-row-id": (
            Wrong.VALUE(f"{SNAPSHOT}/first-row-id"),
            [upd.add_snapshot(lab.snapshot(with_rows, first_row_id=0))],
        ),
    }
    upd.judge_refusals(lab, "IRC-UPD-041", with_rows, cases, allowed=(400, 409))


@check("IRC-UPD-042")
def schema_of_snapshot_is_kept(lab: CatalogLab) -> None:
    """A snapshot keeps its schema id; an unknown schema id returns 400."""
    table = lab.make_table()
    snapshot = lab.snapshot(table)

    with lab.judge("IRC-UPD-042"):
        after = lab.commit_and_load(table, upd.add_snapshot(snapshot))
        expect.equal(
            snapshot["schema-id"],
            snapshot_of(after, snapshot["snapshot-id"]).get("schema-id"),
            "schema-id of the snapshot",
            at=after.place("snapshots"),
        )
    stray = lab.snapshot(lab.load(table), schema_id=upd.NOWHERE)
    upd.judge_refusals(
        lab,
        "IRC-UPD-042",
        table,
        {
            f"a snapshot of schema {upd.NOWHERE}": upd.unknown_id(
                upd.add_snapshot(stray), "snapshot/schema-id"
            )
        },
    )


@check("IRC-UPD-043")
def later_members_of_snapshots_are_kept(lab: CatalogLab) -> None:
    """A version 3 snapshot keeps `added-rows` and `key-id`, which the contract's Snapshot does not
    list.
    """
    table = upd.table_of_version(lab, 3)
    snapshot = lab.snapshot(table, added_rows=25)

    with lab.judge("IRC-UPD-043"):
        after = lab.commit_and_load(table, upd.add_snapshot(snapshot))
        actual = snapshot_of(after, snapshot["snapshot-id"])
        expect.equal(
            25, actual.get("added-rows"), "added-rows of the snapshot", at=after.place("snapshots")
        )
    key = {"key-id": "lakepact-key", "encrypted-key-metadata": "c2VjcmV0"}
    if lab.try_commit(table, upd.add_encryption_key(key)).status != 200:
        return
    with_key = lab.snapshot(lab.load(table), key_id=key["key-id"])
    with lab.judge("IRC-UPD-043"):
        after = lab.commit_and_load(table, upd.add_snapshot(with_key))
        actual = snapshot_of(after, with_key["snapshot-id"])
        expect.equal(
            key["key-id"],
            actual.get("key-id"),
            "key-id of the snapshot",
            at=after.place("snapshots"),
        )


def require_removals(lab: CatalogLab, reply: Reply) -> None:
    """Check that a server which answered a removal with 5xx can remove a snapshot that nothing
    names.

    Raises:
        StepFailed: it cannot.
    """
    if reply.status >= 500:
        table = lab.make_table()
        snapshot = lab.snapshot(table)
        stored(lab, table, upd.add_snapshot(snapshot))
        with lab.step("IRC-UPD-050"):
            lab.commit_and_load(table, upd.remove_snapshots(snapshot["snapshot-id"]))


@check("IRC-UPD-050")
def listed_snapshots_are_removed(lab: CatalogLab) -> None:
    """`remove-snapshots` removes the listed snapshots and keeps all others unchanged."""
    table = lab.make_table()
    for _ in range(5):
        table = lab.append(table)
    ids = all_snapshots(table, 5)

    with lab.judge("IRC-UPD-050"):
        after = lab.commit_and_load(table, upd.remove_snapshots(*ids[:2]))
        expect.same_items(
            ids[2:],
            snapshot_ids(after),
            "the snapshots that were not listed,",
            at=after.place("snapshots"),
        )
        states.expect_snapshots_whole(table, after)


@check("IRC-UPD-051")
def removing_tagged_snapshots_leaves_no_dangling_tag(lab: CatalogLab) -> None:
    """Removing a tagged snapshot returns 400 or 409, or removes the tag too."""
    first = lab.table_with_snapshot()
    snapshot_id = first.member("current-snapshot-id")
    table = lab.append(stored(lab, first, set_ref("release", snapshot_id, kind="tag")))
    reply = lab.try_commit(table, upd.remove_snapshots(snapshot_id))

    with lab.judge("IRC-UPD-051"):
        require_removals(lab, reply)
        expect.status(reply, 200, 400, 403, 409)
        after = lab.load(table)
        if reply.status == 200:
            with lab.step("IRC-UPD-050"):
                expect.lacks(
                    snapshot_id, snapshot_ids(after), "snapshots", at=after.place("snapshots")
                )
        expect_no_dangling_refs(after)


@check("IRC-UPD-050")
def removing_tagged_snapshots_keeps_other_refs(lab: CatalogLab) -> None:
    """Removing a tagged snapshot keeps all branches and tags of other snapshots."""
    first = lab.table_with_snapshot()
    removal = first.member("current-snapshot-id")
    second = lab.append(stored(lab, first, set_ref("release", removal, kind="tag")))
    stays = second.member("current-snapshot-id")
    stored(lab, second, set_ref("kept", stays, kind="tag"), set_ref("audit", stays))
    lab.try_commit(second, upd.remove_snapshots(removal))

    with lab.judge("IRC-UPD-050"):
        after = lab.load(second)
        refs = after.metadata.get("refs") or {}
        actual = {name: refs.get(name, {}).get("snapshot-id") for name in KEPT}
        expect.equal(
            dict.fromkeys(KEPT, stays), actual, "snapshots of refs", at=after.place("refs")
        )


@check("IRC-UPD-055")
def removing_the_current_snapshot_leaves_no_dangling_main(lab: CatalogLab) -> None:
    """Removing the current snapshot returns 400 or 409, or removes main and leaves no snapshot
    current.
    """
    table = lab.append(lab.table_with_snapshot())
    current = table.member("current-snapshot-id")
    reply = lab.try_commit(table, upd.remove_snapshots(current))

    with lab.judge("IRC-UPD-055"):
        require_removals(lab, reply)
        expect.status(reply, 200, 400, 403, 409)
        after = lab.load(table)
        expect_no_dangling_refs(after)
        if reply.status == 200:
            with lab.step("IRC-UPD-050"):
                expect.lacks(current, snapshot_ids(after), "snapshots", at=after.place("snapshots"))
            expect.lacks("main", after.metadata.get("refs", {}), "refs", at=after.place("refs"))
            current = after.metadata.get("current-snapshot-id")
            expect.true(
                current in (None, -1),
                "no current-snapshot-id, null or -1",
                current,
                kind=Kind.SURPLUS,
                at=after.place("current-snapshot-id"),
            )


@check("IRC-UPD-053", "IRC-UPD-054")
def remove_snapshots_needs_an_array(lab: CatalogLab) -> None:
    """`remove-snapshots` with unknown ids changes nothing; without an array of ids it returns
    400.
    """
    table = lab.append(lab.table_with_snapshot())

    with lab.judge("IRC-UPD-053"):
        after = lab.commit_and_load(table, upd.remove_snapshots(1))
        expect.same_items(
            snapshot_ids(table),
            snapshot_ids(after),
            "the same snapshots",
            at=after.place("snapshots"),
        )
    older = next(one for one in snapshot_ids(table) if one != table.member("current-snapshot-id"))
    with lab.step("IRC-UPD-050"):
        answer = lab.commit_and_load(table, upd.remove_snapshots(older))
        expect.lacks(older, snapshot_ids(answer), "snapshots", at=answer.place("snapshots"))
    update = upd.remove_snapshots(1)
    number = Wrong.TYPE("/updates/*/snapshot-ids"), [{**update, "snapshot-ids": 1}]
    cases = {
        "no snapshot-ids": upd.lacking(update, "snapshot-ids"),
        "a number as snapshot-ids": number,
    }
    upd.judge_refusals(lab, "IRC-UPD-054", table, cases)
