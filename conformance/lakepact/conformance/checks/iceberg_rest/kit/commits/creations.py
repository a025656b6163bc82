"""Commits that create tables: free names, and their bodies."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lakepact.conformance.checks.iceberg_rest.kit.commits import updates as upd
from lakepact.conformance.checks.iceberg_rest.kit.commits.requirements import ASSERT_CREATE
from lakepact.conformance.checks.iceberg_rest.kit.lab import (
    SCHEMA,
    CatalogLab,
    Namespace,
    Table,
    set_properties,
)
from lakepact.conformance.evidence.exchanges import Document, Members, Reply
from lakepact.conformance.judging import expect
from lakepact.generated.iceberg_rest import op


@dataclass(frozen=True)
class FreeTableSlot:
    """A free name, and a location that the target accepts for a table of that name."""

    namespace: Namespace
    name: str
    location: str

    @property
    def at(self) -> Document:
        """The arguments that address the table to be."""
        return {"namespace": self.namespace, "table": self.name}

    def snapshot(self, lab: CatalogLab, like: Table, **members: Any) -> Document:
        """Return the first snapshot of a staged table, of format version 2, with its manifest list
        at the staged location.
        """
        snapshot = lab.snapshot(
            like,
            parent_snapshot_id=None,
            sequence_number=1,
            first_row_id=None,
            added_rows=None,
            **members,
        )
        return {
            **snapshot,
            "manifest-list": f"{self.location}/metadata/snap-{snapshot['snapshot-id']}.avro",
        }


def free_slot(lab: CatalogLab, namespace: Namespace) -> FreeTableSlot:
    """Return a free name and the target's location for such a table: the staged one, or else one
    beside an existing table's.
    """
    name = lab.name()
    lab.drop_afterwards(namespace, name)
    if lab.feature("stage-create"):
        stage = lab.try_create_table(namespace, name, stage_create=True)
        if (
            stage.status == 200
            and lab.send(op.load_table, namespace=namespace, table=name).status == 404
        ):
            return FreeTableSlot(namespace, name, stage.at("metadata", "location"))
    further = lab.name()
    lab.drop_afterwards(namespace, further)
    return FreeTableSlot(namespace, further, f"{lab.make_table(namespace).location}-{further}")


def creation(slot: FreeTableSlot, table_uuid: str) -> list[Members]:
    """Return all that a new table needs, as clients send it."""
    return [
        upd.assign_uuid(table_uuid),
        upd.upgrade_format_version(2),
        upd.add_schema(SCHEMA, last_column_id=len(SCHEMA["fields"])),
        upd.set_current_schema(upd.LAST_ADDED),
        upd.add_spec(spec_id=0),
        upd.set_default_spec(upd.LAST_ADDED),
        upd.add_sort_order(order_id=0),
        upd.set_default_sort_order(upd.LAST_ADDED),
        upd.set_location(slot.location),
        set_properties(made="by a commit"),
    ]


def create(lab: CatalogLab, slot: FreeTableSlot, updates: Sequence[Members]) -> Reply:
    """Return the answer to a commit that creates a table."""
    return lab.send(
        op.update_table,
        body={"requirements": [ASSERT_CREATE], "updates": list(updates)},
        **slot.at,
    )


def creating_works(lab: CatalogLab, namespace: Namespace) -> None:
    """Ensure that a commit can create a table without a stage, as a precondition of other checks.

    Raises:
        StepFailed: it cannot.
    """
    stage = free_slot(lab, namespace)
    bare = FreeTableSlot(namespace, lab.name(), f"{stage.location}-bare")
    lab.drop_afterwards(namespace, bare.name)
    with lab.step("IRC-REQ-001"):
        expect.status(
            create(lab, bare, creation(bare, str(uuid.uuid4()))),
            200,
            about="for creating a table that was not staged",
        )
