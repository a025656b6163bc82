"""Updates of schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.iceberg_rest.documents import INT32, child, children, exact, refused, shown
from lakepact.reference_server.iceberg_rest.metadata import with_id
from lakepact.reference_server.iceberg_rest.schemas import columns, same_schema, types_by_id
from lakepact.reference_server.iceberg_rest.types import name_of, related

from .draft import chosen_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.schemas import Column

    from .draft import Draft


def add_schema(draft: Draft, update: Document) -> None:
    """The schema is known under the next id, or under the id of one that is the same; its field ids stay as they are."""
    where = f"{draft.where}/schema"
    schema = child(update, "schema", draft.where)
    found = columns(schema, where, format_version=draft.format_version)
    known: list[Document] = draft.items("schemas")
    twin = next((other for other in known if same_schema(other, schema)), None)
    if twin is not None:
        draft.added_schema = twin["schema-id"]
        return
    if draft.snapshots and not draft.main_removed:
        # A commit that replaces the table takes its data away first, and may then use names and ids for other types;
        # where there is no data yet, no file was written with the old type.
        _check_reused_ids(draft, found, where)
    draft.added_schema = max((other["schema-id"] for other in known), default=-1) + 1
    draft.own_list("schemas").append({**schema, "schema-id": draft.added_schema})
    draft.set("last-column-id", max(draft.get("last-column-id") or 0, max(found, default=0)))


def _check_reused_ids(draft: Draft, found: Mapping[int, Column], where: str) -> None:
    known: list[Document] = draft.items("schemas")
    current = with_id(known, "schema-id", draft.get("current-schema-id"))
    types: dict[int, Any] = {}
    for schema in [*known, *([current] if current else [])]:
        types.update(types_by_id(schema))
    for column in found.values():
        if column.id in types and not related(types[column.id], column.type):
            raise refused(
                column.where(where),
                f"field id {column.id} is that of a {name_of(types[column.id])} column and cannot become {name_of(column.type)}; "
                f"give {shown(column.name)} an id above last-column-id, which is {draft.get('last-column-id')}",
            )


def set_current_schema(draft: Draft, update: Document) -> None:
    """The schema is the one that is read and written with, from now on."""
    schema_id = chosen_id(draft, update, "schema-id", added=draft.added_schema, kind="schema")
    if with_id(draft.items("schemas"), "schema-id", schema_id) is None:
        raise refused(f"{draft.where}/schema-id", f"the table has no schema {schema_id}")
    if draft.get("current-schema-id") != schema_id:
        draft.set("current-schema-id", schema_id)


def remove_schemas(draft: Draft, update: Document) -> None:
    """The schemas are gone; the current one, and those that snapshots were written with, cannot go."""
    where = f"{draft.where}/schema-ids"
    schema_ids = {exact(value, f"{where}/{index}", within=INT32) for index, value in enumerate(children(update, "schema-ids", draft.where))}
    if draft.get("current-schema-id") in schema_ids:
        raise refused(where, f"schema {draft.get('current-schema-id')} is the current schema; set another one first")
    known: list[Document] = draft.items("schemas")
    removed = {schema["schema-id"] for schema in known} & schema_ids
    if not removed:
        return
    for snapshot in draft.items("snapshots"):
        if snapshot.get("schema-id") in removed:
            raise refused(
                where, f"snapshot {snapshot['snapshot-id']} was written with schema {snapshot['schema-id']}; remove the snapshot first"
            )
    draft.set("schemas", [schema for schema in known if schema["schema-id"] not in removed])
    if draft.added_schema in removed:
        draft.added_schema = None
