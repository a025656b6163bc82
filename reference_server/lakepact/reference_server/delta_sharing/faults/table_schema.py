"""Schemas of tables whose parts are not as they should be."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault

from .ways.wrapped import Document, leave_out, on_wrapped, rewrite, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.faults import Install

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
            inside = [f["type"] for f in kind.get("fields", ())] + [kind.get(m) for m in ("elementType", "keyType", "valueType")]
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


def _renamed(kind: Any) -> Any:
    return OTHER_NAMES.get(kind, kind) if isinstance(kind, str) else kind


def _wide(kind: Any) -> Any:
    return "decimal(39,2)" if isinstance(kind, str) and kind.startswith("decimal") else kind


def _without_comment(field: Document) -> None:
    field.get("metadata", {}).pop("comment", None)


FAULTS = (
    Fault(
        "schema-is-an-array",
        "The schema of a table is an array of its fields.",
        ("DS-SCH-01",),
        _on_schema(lambda schema: schema["fields"]),
    ),
    Fault(
        "structs-have-columns",
        "Structs call their fields otherwise.",
        ("DS-SCH-01",),
        _each("struct", lambda s: s.update(columns=s.pop("fields"))),
    ),
    Fault("schema-is-a-record", "The schema is of another type.", ("DS-SCH-01",), _on_schema(write(type="record"))),
    Fault("everything-may-be-null", "Every field is said to be nullable.", ("DS-SCH-02",), _on_fields(write(nullable=True))),
    Fault("comments-are-lost", "Fields come without their comments.", ("DS-SCH-02",), _on_fields(_without_comment)),
    Fault("fields-without-nullable", "Fields do not say whether they are nullable.", ("DS-SCH-02",), _on_fields(leave_out("nullable"))),
    Fault("nullable-is-a-text", "Fields say in a text whether they are nullable.", ("DS-SCH-02",), _on_fields(rewrite("nullable", str))),
    Fault("fields-without-metadata", "Fields have no metadata.", ("DS-SCH-02",), _on_fields(leave_out("metadata"))),
    Fault("types-of-sql", "Primitive types are called as in SQL.", ("DS-SCH-03",), _on_fields(rewrite("type", _renamed))),
    Fault("decimals-are-too-wide", "Decimals have more than 38 digits.", ("DS-SCH-03",), _on_fields(rewrite("type", _wide))),
    Fault(
        "arrays-do-not-say-of-nulls",
        "Arrays do not say whether they contain nulls.",
        ("DS-SCH-04",),
        _each("array", leave_out("containsNull")),
    ),
    Fault("arrays-without-elements", "Arrays do not say of what they are.", ("DS-SCH-04",), _each("array", leave_out("elementType"))),
    Fault(
        "maps-do-not-say-of-nulls",
        "Maps do not say whether values may be null.",
        ("DS-SCH-05",),
        _each("map", leave_out("valueContainsNull")),
    ),
    Fault("maps-without-keys", "Maps do not say what their keys are.", ("DS-SCH-05",), _each("map", leave_out("keyType"))),
)
