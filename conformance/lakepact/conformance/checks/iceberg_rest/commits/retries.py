"""Checks of conflicts that a client can resolve by trying again: it learns so from the status, and
nothing was applied.
"""

from __future__ import annotations

from functools import partial

from lakepact.conformance.checks.iceberg_rest.api import (
    Blocked,
    CatalogLab,
    NotOffered,
    Table,
    Wrong,
    check,
    expect,
    req,
    set_properties,
    set_ref,
    states,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.concurrency import side_by_side

WRITERS = 12
ROUNDS = 3
SIDE = "audit"
NEWEST = 3
STALE_SNAPSHOT = Wrong.STALE("/updates/*/snapshot/sequence-number")


@check("IRC-UPD-091")
def stale_snapshots_of_branches_return_409(lab: CatalogLab) -> None:
    """Adding a snapshot to a branch returns 409 if another branch moved after the snapshot was
    made.
    """
    tables = [new for version in (2, 3) if (new := _of_version(lab, version))]
    if not tables:
        lab.make_table()  # a target that refuses every table says nothing about versions
        lab.skip("IRC-UPD-091", "the target makes no tables of format version 2 or 3")
        return

    with lab.judge_each("IRC-UPD-091") as case:
        for new in tables:
            with case():
                table = lab.append(lab.append(new), ref=SIDE)
                base = table.member("refs", SIDE, "snapshot-id")
                stale = lab.snapshot(table, parent_snapshot_id=base)
                before = lab.load(lab.append(table))
                late = lab.try_commit(
                    table,
                    upd.add_snapshot(stale),
                    set_ref(SIDE, stale["snapshot-id"]),
                    requirements=[req.assert_uuid(table.uuid), req.assert_ref(SIDE, base)],
                )
                about = (
                    f"for a snapshot of {SIDE} in format version {table.member('format-version')},"
                    " made before main moved"
                )
                expect.status(late, 409, about=about, mutation=STALE_SNAPSHOT)
                states.expect_no_change(lab, before)


def _of_version(lab: CatalogLab, version: int) -> Table | None:
    """Return a new table of a format version; none where the target makes no such tables."""
    if version == NEWEST and not lab.feature("format-v3"):
        return None
    try:
        return upd.table_of_version(lab, version)
    except (Blocked, NotOffered):  # what an upgrade does instead is judged elsewhere
        return None


@check("IRC-COM-033", alone=True)
def commits_with_4xx_are_not_applied(lab: CatalogLab) -> None:
    """Concurrent commits that return 4xx change nothing."""
    table = lab.make_table()
    for turn in lab.each(lab.repeat(ROUNDS)):
        keys = [f"lakepact.{turn}.{writer}" for writer in range(WRITERS)]
        commits = [
            partial(
                lab.try_commit,
                table,
                set_properties(**{key: key}),
                requirements=[req.assert_uuid(table.uuid)],
            )
            for key in keys
        ]
        replies = side_by_side(lab, commits, what="commits")
        after = lab.load(table)
        refusals = {
            key: reply.status
            for key, reply in zip(keys, replies, strict=True)
            if 400 <= reply.status < 500
        }
        with lab.judge("IRC-COM-033"):
            effects = {
                key: status
                for key, status in refusals.items()
                if key in states.properties_of(after)
            }
            expect.equal(
                {},
                effects,
                "properties in the table whose commits returned 4xx, with that status:",
                at=after.place("properties"),
            )
