"""Checks of the update `assign-uuid`."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from lakepact.conformance import expect
from lakepact.conformance.checks.iceberg_rest.lab import Table
from lakepact.conformance.checks.iceberg_rest.suite import check
from lakepact.conformance.checks.iceberg_rest.table_updates import (
    LAST_ADDED,
    add_schema,
    add_sort_order,
    add_spec,
    assign_uuid,
    changed,
    current_schema,
    judge_refusals,
    set_current_schema,
    set_default_sort_order,
    set_default_spec,
    set_location,
    upgrade_format_version,
)

if TYPE_CHECKING:
    from lakepact.conformance.checks.iceberg_rest.lab import CatalogLab


def creation(staged: Table) -> list[dict[str, Any]]:
    """The updates by which a client creates a table that was staged."""
    return [
        assign_uuid(staged.uuid),
        upgrade_format_version(staged.member("format-version")),
        add_schema(current_schema(staged)),
        set_current_schema(LAST_ADDED),
        add_spec(spec_id=0),
        set_default_spec(LAST_ADDED),
        add_sort_order(order_id=0),
        set_default_sort_order(LAST_ADDED),
        set_location(staged.location),
    ]


@check("IRC-UPD-001")
def created_with_the_staged_uuid(lab: CatalogLab) -> None:
    """A table that is created by a commit has the UUID which that commit assigns."""
    home, name = lab.make_namespace(), lab.name()
    request = lab.table_request(name, stage_create=True)
    staged = Table(home, name, lab.works(lab.send("createTable", namespace=home, body=request), 200))
    lab.drop_afterwards(home, name)
    lab.committed(staged, *creation(staged), requirements=[{"type": "assert-create"}])

    with lab.judge("IRC-UPD-001"):
        expect.equal(staged.uuid, lab.load(staged).uuid, "the assigned table-uuid")


@check("IRC-UPD-002")
def another_uuid_is_refused(lab: CatalogLab) -> None:
    """The UUID of a table that exists cannot be changed."""
    table = lab.make_table()
    reply = lab.commit(table, assign_uuid(str(uuid.uuid4())))

    with lab.judge("IRC-UPD-002"):
        expect.status(reply, 400)
        expect.equal(table.uuid, lab.load(table).uuid, "the table-uuid from before,")


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
