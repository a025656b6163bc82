"""Tables with nested columns, a partition spec and a sort order, whose current schema has lost its highest column."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lakepact.conformance.clients.iceberg_rest.kit.lab import CatalogClientLab

    Document = dict[str, Any]
    Columns = dict[str, Document]

VERSIONS = (2, 1, 3)
#: The ids are neither in order nor without gaps: servers and clients may give others at creation.
NESTED: Document = json.loads(Path(__file__).with_name("nested_table.json").read_text("utf-8"))


def evolved(lab: CatalogClientLab, version: int, *, nested: bool) -> dict[str, Any]:
    """Create a table whose current schema is older than its latest, and which has dropped its highest column.

    Returns:
        The arguments that name it.
    """
    where: dict[str, Any] = {"namespace": lab.namespace(), "table": "t"}
    lab.create(**where, **(NESTED if nested else {}) | {"properties": NESTED["properties"] | {"format-version": str(version)}})
    metadata = lab.stored(**where)["metadata"]
    schema, highest = metadata["schemas"][0], metadata["last-column-id"]
    inner = {"id": highest + 2, "name": "inner", "type": "string", "required": False}
    dropped = {"id": highest + 1, "name": "dropped", "type": {"type": "struct", "fields": [inner]}, "required": False}
    update = {"action": "add-schema", "schema": {**schema, "schema-id": 1, "fields": [*schema["fields"], dropped]}}
    lab.commit(*where.values(), update, {"action": "set-current-schema", "schema-id": -1})
    lab.commit(*where.values(), {"action": "set-current-schema", "schema-id": schema["schema-id"]})
    return where


def current_schema(metadata: Document) -> Document:
    """Return the current schema of a table."""
    schema: Document = next(schema for schema in metadata["schemas"] if schema["schema-id"] == metadata["current-schema-id"])
    return schema


def columns_of(kind: Document, outer: str = "") -> Columns:
    """Return all columns of a schema by their paths, also nested ones; the type of a column with others in it is struct, list or map."""
    parts = kind.get("fields") or [
        {"id": kind[f"{part}-id"], "name": part, "type": kind[part], "required": kind.get(f"{part}-required", True)}
        for part in ("element", "key", "value")
        if part in kind
    ]
    found: Columns = {}
    for part in parts:
        is_nested, path = isinstance(part["type"], dict), f"{outer}{part['name']}"
        found[path] = {**part, "type": part["type"]["type"]} if is_nested else part
        found |= columns_of(part["type"], f"{path}.") if is_nested else {}
    return found
