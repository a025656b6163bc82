"""Schemas of tables whose parts are not as they should be."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Install, fault
from mutants.delta_sharing.operators.wrapped import Document, leave_out, on_wrapped, rewrite, write

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


@fault("DS-SCH-01")
def schema_is_an_array() -> Install:
    """The schema of a table is an array of its fields."""
    return _on_schema(lambda schema: schema["fields"])


@fault("DS-SCH-01")
def structs_have_columns() -> Install:
    """Structs call their fields otherwise."""
    return _each("struct", lambda s: s.update(columns=s.pop("fields")))


@fault("DS-SCH-01")
def schema_is_a_record() -> Install:
    """The schema is of another type."""
    return _on_schema(write(type="record"))


@fault("DS-SCH-02")
def everything_may_be_null() -> Install:
    """Every field is said to be nullable."""
    return _on_fields(write(nullable=True))


@fault("DS-SCH-02", by=partial(_on_fields))
def comments_are_lost(field: Document) -> None:
    """Fields come without their comments."""
    field.get("metadata", {}).pop("comment", None)


@fault("DS-SCH-02")
def fields_without_nullable() -> Install:
    """Fields do not say whether they are nullable."""
    return _on_fields(leave_out("nullable"))


@fault("DS-SCH-02")
def nullable_is_a_text() -> Install:
    """Fields say in a text whether they are nullable."""
    return _on_fields(rewrite("nullable", str))


@fault("DS-SCH-02")
def fields_without_metadata() -> Install:
    """Fields have no metadata."""
    return _on_fields(leave_out("metadata"))


@fault("DS-SCH-03", by=lambda act: _on_fields(rewrite("type", act)))
def types_of_sql(kind: Any) -> Any:
    """Primitive types are called as in SQL."""
    return OTHER_NAMES.get(kind, kind) if isinstance(kind, str) else kind


@fault("DS-SCH-03", by=lambda act: _on_fields(rewrite("type", act)))
def decimals_are_too_wide(kind: Any) -> Any:
    """Decimals have more than 38 digits."""
    return "decimal(39,2)" if isinstance(kind, str) and kind.startswith("decimal") else kind


@fault("DS-SCH-04")
def arrays_do_not_say_of_nulls() -> Install:
    """Arrays do not say whether they contain nulls."""
    return _each("array", leave_out("containsNull"))


@fault("DS-SCH-04")
def arrays_without_elements() -> Install:
    """Arrays do not say of what they are."""
    return _each("array", leave_out("elementType"))


@fault("DS-SCH-05")
def maps_do_not_say_of_nulls() -> Install:
    """Maps do not say whether values may be null."""
    return _each("map", leave_out("valueContainsNull"))


@fault("DS-SCH-05")
def maps_without_keys() -> Install:
    """Maps do not say what their keys are."""
    return _each("map", leave_out("keyType"))
