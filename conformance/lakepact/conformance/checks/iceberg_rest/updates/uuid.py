"""Checks of the update `assign-uuid`."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from lakepact.conformance import expect
from lakepact.conformance.checks.iceberg_rest.kit.table_requests import commit_stage, staged
from lakepact.conformance.checks.iceberg_rest.kit.updates import assign_uuid, changed, judge_refusals
from lakepact.conformance.checks.iceberg_rest.suite import check

if TYPE_CHECKING:
    from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab


@check("IRC-UPD-001")
def created_with_the_staged_uuid(lab: CatalogLab) -> None:
    """A table that is created by a commit has the UUID which that commit assigns."""
    table = staged(lab)
    lab.require(commit_stage(lab, table), 200)

    with lab.judge("IRC-UPD-001"):
        expect.equal(table.uuid, lab.load(table).uuid, "the assigned table-uuid")


@check("IRC-UPD-002")
def another_uuid_is_refused(lab: CatalogLab) -> None:
    """The UUID of a table that exists cannot be changed."""
    table = lab.make_table()
    reply = lab.try_commit(table, assign_uuid(str(uuid.uuid4())))

    with lab.judge("IRC-UPD-002"):
        expect.equal(table.uuid, lab.load(table).uuid, f"after a commit that was answered with status {reply.status}, still the table-uuid")


@check("IRC-UPD-003")
def same_uuid_changes_nothing(lab: CatalogLab) -> None:
    """A commit may assign the UUID that the table has."""
    table = lab.make_table()

    with lab.judge("IRC-UPD-003"):
        expect.equal(table.uuid, changed(lab, table, assign_uuid(table.uuid)).uuid, "the table-uuid from before,")


@check("IRC-UPD-004")
def malformed_uuid_is_refused(lab: CatalogLab) -> None:
    """A text that is no UUID cannot be assigned."""
    judge_refusals(lab, "IRC-UPD-004", lab.make_table(), {"a uuid that is none": [assign_uuid("x")]})
