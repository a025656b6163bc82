"""Checks of the update `assign-uuid`."""

from __future__ import annotations

import uuid

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Wrong,
    check,
    expect,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.requests import commit_stage, stage_table


@check("IRC-UPD-001")
def assign_uuid_sets_the_uuid_of_new_tables(lab: CatalogLab) -> None:
    """A table created by a commit has the UUID that the commit assigns."""
    table = stage_table(lab)
    lab.require(commit_stage(lab, table), 200)

    with lab.judge("IRC-UPD-001"):
        after = lab.load(table)
        expect.member(table.uuid, after.place("table-uuid"), "the assigned table-uuid")


@check("IRC-UPD-002")
def assign_uuid_does_not_change_existing_uuids(lab: CatalogLab) -> None:
    """`assign-uuid` with another UUID does not change that of an existing table."""
    table = lab.make_table()
    reply = lab.try_commit(table, upd.assign_uuid(str(uuid.uuid4())))

    with lab.judge("IRC-UPD-002"):
        after = lab.load(table)
        expect.member(
            table.uuid,
            after.place("table-uuid"),
            f"after a commit that was answered with status {reply.status}, still the table-uuid",
        )


@check("IRC-UPD-003")
def same_uuid_changes_nothing(lab: CatalogLab) -> None:
    """`assign-uuid` with the table's own UUID returns 200 and changes nothing."""
    table = lab.make_table()

    with lab.judge("IRC-UPD-003"):
        after = lab.commit_and_load(table, upd.assign_uuid(table.uuid))
        expect.member(table.uuid, after.place("table-uuid"), "the table-uuid as before,")


@check("IRC-UPD-004")
def malformed_uuids_return_400(lab: CatalogLab) -> None:
    """`assign-uuid` with a malformed UUID returns 400."""
    upd.judge_refusals(
        lab,
        "IRC-UPD-004",
        lab.make_table(),
        {"a malformed uuid": (Wrong.VALUE("/updates/*/uuid"), [upd.assign_uuid("x")])},
    )
