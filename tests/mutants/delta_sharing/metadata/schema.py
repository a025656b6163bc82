"""Schemas of tables whose parts are not as they should be."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from lakepact.reference_server.faults import Install, fault
from mutants.delta_sharing.operators.wrapped import Document, leave_out, on_wrapped, rewrite, write

OTHER_NAMES = {"long": "bigint", "integer": "int", "short": "smallint", "string": "varchar"}


def _on_schema(edit: Callable[[Document], Any]) -> Install:
    """Send what `edit` makes of each schema: it edits in place, or returns another one."""

    def change(metadata: Document) -> None:
        inner = metadata.get("deltaMetadata", metadata)
        schema = json.loads(inner["schemaString"])
        edited = edit(schema)
        inner["schemaString"] = json.dumps(schema if edited is None else edited)

    return on_wrapped("metaData", change)


def _each(name: str, edit: Callable[[Document], object]) -> Install:
    """Edit in place every struct, array or map of schemas."""

    def walk(kind: Any) -> None:
        if isinstance(kind, dict):
            inside = [f["type"] for f in kind.get("fields", ())] + [
                kind.get(m) for m in ("elementType", "keyType", "valueType")
            ]
            for one in inside:
                walk(one)
            if kind["type"] == name:
                edit(kind)

    return _on_schema(walk)


def _on_fields(edit: Callable[[Document], object]) -> Install:
    """Edit in place every field of every struct."""

    def change(struct: Document) -> None:
        for field in struct["fields"]:
            edit(field)

    return _each("struct", change)


@fault("DS-SCH-02", by=_on_fields)
def comments_are_lost(field: Document) -> None:
    field.get("metadata", {}).pop("comment", None)


FAULTS = {
    "schema-is-an-array DS-SCH-01": _on_schema(lambda schema: schema["fields"]),
    "structs-have-columns DS-SCH-01": _each("struct", lambda s: s.update(columns=s.pop("fields"))),
    "schema-is-a-record DS-SCH-01": _on_schema(write(type="record")),
    "everything-may-be-null DS-SCH-02": _on_fields(write(nullable=True)),
    "fields-without-nullable DS-SCH-02": _on_fields(leave_out("nullable")),
    "nullable-is-a-text DS-SCH-02": _on_fields(rewrite("nullable", str)),
    "fields-without-metadata DS-SCH-02": _on_fields(leave_out("metadata")),
    "types-of-sql DS-SCH-03": _on_fields(
        rewrite("type", lambda kind: OTHER_NAMES.get(kind, kind) if isinstance(kind, str) else kind)
    ),
    "decimals-are-too-wide DS-SCH-03": _on_fields(
        rewrite(
            "type",
            lambda kind: (
                "decimal(39,2)" if isinstance(kind, str) and kind.startswith("decimal") else kind
            ),
        )
    ),
    "arrays-do-not-say-of-nulls DS-SCH-04": _each("array", leave_out("containsNull")),
    "arrays-without-elements DS-SCH-04": _each("array", leave_out("elementType")),
    "maps-do-not-say-of-nulls DS-SCH-05": _each("map", leave_out("valueContainsNull")),
    "maps-without-keys DS-SCH-05": _each("map", leave_out("keyType")),
}
