"""Checks of the metadata log, `last-updated-ms`, and the history of a table that is replaced."""

from __future__ import annotations

import time
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Members,
    Table,
    check,
    expect,
    req,
    set_properties,
    set_ref,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.metadata_members import (
    expect_times_in_order,
)

AHEAD_MS = 30_000  #: how far the clock of a writer may be ahead of the server's, as clocks are
BEHIND_MS = 3_600_000  #: how far that of another one is behind
PAUSE = 0.05  #: seconds between two commits whose times are compared


@check("IRC-COM-027", "IRC-META-012")
def commits_log_former_metadata(lab: CatalogLab) -> None:
    """After each commit, `metadata-log` names all former metadata files, the oldest first."""
    table = lab.commit(lab.make_table(), set_properties(turn="none"))
    former: list[Any] = []
    for turn in lab.each(range(4)):
        former.append(table.reply.at("metadata-location"))
        table = lab.commit(table, set_properties(turn=str(turn)))
        with lab.judge("IRC-COM-027") as case:
            log = [entry.get("metadata-file") for entry in table.metadata.get("metadata-log") or ()]
            for location in former:
                with case():
                    expect.contains(location, log, "metadata-log", at=table.place("metadata-log"))
            expect.lacks(
                table.metadata_location,
                log,
                "metadata-log of former states",
                at=table.place("metadata-log"),
            )
        with lab.judge("IRC-META-012"):
            expect.equal(
                [one for one in former if one in log],
                [one for one in log if one in former],
                "metadata-log, the oldest first:",
                at=table.place("metadata-log"),
            )


@check("IRC-COM-028")
def last_updated_ms_does_not_decrease(lab: CatalogLab) -> None:
    """`last-updated-ms` does not decrease, except by the seconds that a writer's clock is ahead of
    the server's.
    """
    table = lab.make_table()
    snapshot = lab.snapshot(table, timestamp_ms=table.member("last-updated-ms") + AHEAD_MS)
    commits: tuple[list[Members], ...] = (
        [set_properties(turn="first")],
        [set_properties(turn="second")],
        [upd.add_snapshot(snapshot), set_ref("main", snapshot["snapshot-id"])],
        [set_properties(turn="third")],
        [set_ref("tag", snapshot["snapshot-id"], kind="tag")],
    )
    last, skew = table.member("last-updated-ms"), 0
    for updates in lab.each(commits):
        table = lab.commit(table, *updates)
        updated = table.member("last-updated-ms")
        with lab.judge(
            "IRC-COM-028",
            remark=f"a snapshot of a writer whose clock is {AHEAD_MS} ms ahead may have set it"
            if skew
            else "",
        ):
            floor = last - skew
            expect.true(
                updated >= floor,
                f"`last-updated-ms` of at least {floor}",
                updated,
                at=table.place("last-updated-ms"),
            )
        last = updated
        skew = (
            AHEAD_MS if skew or any(update["action"] == "add-snapshot" for update in updates) else 0
        )


@check("IRC-COM-034")
def commits_set_last_updated_ms(lab: CatalogLab) -> None:
    """`last-updated-ms` of a table is later after a commit that changes its properties than before
    it.
    """
    table = lab.make_table()
    changes = (
        {"action": "set-properties", "updates": {"turn": "first"}},
        {"action": "remove-properties", "removals": ["turn"]},
    )

    with lab.judge_each("IRC-COM-034") as case:
        for change in changes:
            last = table.member("last-updated-ms")
            time.sleep(PAUSE)
            lab.commit(table, change)
            table = lab.load(table)
            with case():
                updated = table.member("last-updated-ms")
                expect.true(
                    updated > last,
                    f"`last-updated-ms` later than {last} after {change['action']}",
                    updated,
                    at=table.place("last-updated-ms"),
                )


@check("IRC-META-011")
def snapshot_log_is_ordered_despite_slow_clocks(lab: CatalogLab) -> None:
    """A snapshot whose timestamp is an hour old is refused with 400 or 409, or logged in order of
    time.
    """
    table = lab.table_with_snapshot()
    snapshot = lab.snapshot(table, timestamp_ms=table.member("last-updated-ms") - BEHIND_MS)
    reply = lab.try_commit(
        table, upd.add_snapshot(snapshot), set_ref("main", snapshot["snapshot-id"])
    )

    with lab.judge("IRC-META-011"):
        expect.status(reply, 200, 400, 409)
        if reply.status == 200:
            now = lab.load(table)
            expect_times_in_order(now.metadata, "snapshot-log", at=now.place())


def replacement(table: Table) -> list[Members]:
    """Updates by which a client replaces a table: main is gone, and schema, spec and order are
    others.
    """
    key, value = upd.next_column(table, "key", "long"), upd.next_column(table, "value", skip=1)
    return [
        upd.remove_ref("main"),
        upd.add_schema({**upd.schema_with(table), "fields": [key, value]}),
        upd.set_current_schema(upd.LAST_ADDED),
        upd.add_spec(
            upd.partition_field(
                key["id"], "bucket[8]", "key_bucket", field_id=upd.next_field(table)
            )
        ),
        upd.set_default_spec(upd.LAST_ADDED),
        upd.add_sort_order(upd.sort_field(value["id"])),
        upd.set_default_sort_order(upd.LAST_ADDED),
    ]


@check("IRC-COM-030")
def replaced_tables_keep_their_history(lab: CatalogLab) -> None:
    """A replaced table, with or without new data, keeps its UUID, its snapshots and its snapshot
    log.
    """
    for with_data in lab.each((False, True)):
        table = lab.append(lab.table_with_snapshot())
        before = lab.load(table)
        updates = replacement(table)
        if with_data:
            snapshot = lab.snapshot(table, parent_snapshot_id=None, schema_id=None)
            updates += [upd.add_snapshot(snapshot), set_ref("main", snapshot["snapshot-id"])]
        with lab.judge("IRC-COM-030") as case:
            expect.status(
                lab.try_commit(table, *updates, requirements=[req.assert_uuid(table.uuid)]), 200
            )
            after = lab.load(table)
            expect.member(before.uuid, after.place("table-uuid"), "the UUID as before,")
            ids = [snapshot["snapshot-id"] for snapshot in after.member("snapshots")]
            for snapshot in before.member("snapshots"):
                with case():
                    expect.contains(
                        snapshot["snapshot-id"], ids, "snapshots", at=after.place("snapshots")
                    )
            log, later = (one.metadata.get("snapshot-log") or [] for one in (before, after))
            expect.equal(
                log,
                later[: len(log)],
                "a snapshot-log that begins with",
                at=after.place("snapshot-log"),
            )
        with lab.judge("IRC-COM-030"):
            again = lab.commit_and_load(after, set_properties(replaced="yes"))
            expect.member(before.uuid, again.place("table-uuid"), "the UUID as before,")
