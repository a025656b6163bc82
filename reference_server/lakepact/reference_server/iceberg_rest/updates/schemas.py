"""Updates of schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.reference_server.iceberg_rest.documents import (
    INT32,
    child,
    children,
    exact,
    refused,
    shown,
)
from lakepact.reference_server.iceberg_rest.tables.schemas import columns
from lakepact.reference_server.iceberg_rest.tables.types import name_of, related
from lakepact.reference_server.iceberg_rest.updates.draft import chosen_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.generated.iceberg_rest.documents import (
        AddSchemaUpdate,
        RemoveSchemasUpdate,
        Schema,
        SetCurrentSchemaUpdate,
        Snapshot,
    )
    from lakepact.reference_server.iceberg_rest.tables.schemas import Column
    from lakepact.reference_server.iceberg_rest.updates.draft import Draft


def add_schema(draft: Draft, update: AddSchemaUpdate) -> None:
    """Add a schema under the next id, or return the id of an equal one; its field ids are kept."""
    where = f"{draft.where}/schema"
    schema: Schema = child(update, "schema", draft.where)
    found = columns(schema, where, format_version=draft.format_version)
    known = draft.members("schemas")
    twin = known.twin(schema)
    if twin is not None:
        draft.added_schema = twin["schema-id"]
        return
    if draft.snapshots and not draft.main_removed:
        # A commit that replaces the table takes its data away first, and may then use names and ids
        # for other types; where there is no data yet, no file was written with the old type.
        _check_reused_ids(draft, found, where)
    draft.added_schema = known.highest(-1) + 1
    draft.append("schemas", {**schema, "schema-id": draft.added_schema})
    draft.set("last-column-id", max(draft.get("last-column-id") or 0, max(found, default=0)))


def _check_reused_ids(draft: Draft, found: Mapping[int, Column], where: str) -> None:
    schemas = draft.members("schemas")
    current = schemas.get(draft.get("current-schema-id"))
    of_current = draft.field_types.of_schema(current) if current else {}
    for column in found.values():
        former = (
            of_current[column.id]
            if column.id in of_current
            else draft.field_types.latest(column.id, schemas)
        )
        if former is not None and not related(former, column.type):
            raise refused(
                column.where(where),
                f"field id {column.id} is that of a {name_of(former)} column and cannot become"
                f" {name_of(column.type)}; give {shown(column.name)} an id above last-column-id,"
                f" which is {draft.get('last-column-id')}",
            )


def set_current_schema(draft: Draft, update: SetCurrentSchemaUpdate) -> None:
    """Set the current schema."""
    schema_id = chosen_id(draft, update, "schema-id", added=draft.added_schema, kind="schema")
    if draft.members("schemas").get(schema_id) is None:
        raise refused(f"{draft.where}/schema-id", f"the table has no schema {schema_id}")
    if draft.get("current-schema-id") != schema_id:
        draft.set("current-schema-id", schema_id)


def remove_schemas(draft: Draft, update: RemoveSchemasUpdate) -> None:
    """Remove schemas; the current one and those of snapshots cannot be removed."""
    where = f"{draft.where}/schema-ids"
    schema_ids = {
        exact(value, f"{where}/{index}", within=INT32)
        for index, value in enumerate(children(update, "schema-ids", draft.where))
    }
    if draft.get("current-schema-id") in schema_ids:
        raise refused(
            where,
            f"schema {draft.get('current-schema-id')} is the current schema; set another one first",
        )
    known = draft.members("schemas")
    removed = {schema_id for schema_id in schema_ids if known.get(schema_id) is not None}
    for schema_id in sorted(removed):
        snapshot = _written_with(draft, schema_id)
        if snapshot is not None:
            raise refused(
                where,
                f"snapshot {snapshot['snapshot-id']} was written with schema {schema_id}; remove"
                " the snapshot first",
            )
    draft.discard("schemas", removed)
    if draft.added_schema in removed:
        draft.added_schema = None


def _written_with(draft: Draft, schema_id: int) -> Snapshot | None:
    """Return a snapshot that was written with a schema, or None."""
    found = draft.written_with.get(schema_id)
    while found and draft.snapshots.get(found[-1]["snapshot-id"]) is not found[-1]:
        found.pop()
    return found[-1] if found else None
