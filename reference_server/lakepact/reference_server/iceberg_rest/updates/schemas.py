"""Updates of schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.reference_server.iceberg_rest.documents import (
    INT32,
    as_text,
    child,
    children,
    exact,
    refusal,
)
from lakepact.reference_server.iceberg_rest.tables.schemas import columns
from lakepact.reference_server.iceberg_rest.tables.types import are_compatible, name_of
from lakepact.reference_server.iceberg_rest.updates.draft import resolve_id

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
    by_id = columns(schema, where, format_version=draft.format_version)
    schemas = draft.members("schemas")
    twin = schemas.twin(schema)
    if twin is not None:
        draft.added_schema = twin["schema-id"]
        return
    if draft.snapshots and not draft.main_removed:
        # A commit that replaces the table takes its data away first, and may then use names and ids
        # for other types; where there is no data yet, no file was written with the old type.
        _check_id_reuse(draft, by_id, where)
    draft.added_schema = schemas.highest(-1) + 1
    draft.append("schemas", {**schema, "schema-id": draft.added_schema})
    draft.set("last-column-id", max(draft.get("last-column-id") or 0, max(by_id, default=0)))


def _check_id_reuse(draft: Draft, by_id: Mapping[int, Column], where: str) -> None:
    schemas = draft.members("schemas")
    current = schemas.get(draft.get("current-schema-id"))
    of_current = draft.field_types.of_schema(current) if current else {}
    for column in by_id.values():
        former = (
            of_current[column.id]
            if column.id in of_current
            else draft.field_types.latest(column.id, schemas)
        )
        if former is not None and not are_compatible(former, column.type):
            raise refusal(
                column.where(where),
                f"field id {column.id} is that of a {name_of(former)} column and cannot become"
                f" {name_of(column.type)}; give {as_text(column.name)} an id above last-column-id,"
                f" which is {draft.get('last-column-id')}",
            )


def set_current_schema(draft: Draft, update: SetCurrentSchemaUpdate) -> None:
    """Set the current schema."""
    schema_id = resolve_id(draft, update, "schema-id", newest=draft.added_schema, kind="schema")
    if draft.members("schemas").get(schema_id) is None:
        raise refusal(f"{draft.where}/schema-id", f"the table has no schema {schema_id}")
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
        raise refusal(
            where,
            f"schema {draft.get('current-schema-id')} is the current schema; set another one first",
        )
    schemas = draft.members("schemas")
    ids = {schema_id for schema_id in schema_ids if schemas.get(schema_id) is not None}
    for schema_id in sorted(ids):
        snapshot = _snapshot_of(draft, schema_id)
        if snapshot is not None:
            raise refusal(
                where,
                f"snapshot {snapshot['snapshot-id']} was written with schema {schema_id}; remove"
                " the snapshot first",
            )
    draft.discard("schemas", ids)
    if draft.added_schema in ids:
        draft.added_schema = None


def _snapshot_of(draft: Draft, schema_id: int) -> Snapshot | None:
    """Return a snapshot that was written with a schema, or None."""
    snapshots = draft.snapshots_by_schema.get(schema_id)
    while snapshots and draft.snapshots.get(snapshots[-1]["snapshot-id"]) is not snapshots[-1]:
        snapshots.pop()
    return snapshots[-1] if snapshots else None
