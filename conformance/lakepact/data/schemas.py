"""Schemas compared column by column: names, types, nullability, and the field ids of Iceberg."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lakepact.conformance.evidence.arrow import Schema, pa

FIELD_ID = b"PARQUET:field_id"


def described(schema: Schema, ids: Mapping[str, int] | None = None) -> dict[str, str]:
    """Return the type, nullability and id of each column and nested field, by path; their order does not matter.

    Args:
        schema: its columns.
        ids: the field ids that fields must have, by path; without them, those of the schema are meant.
    """
    return {
        path: ", ".join(
            (
                _type(field.type),
                "optional" if field.nullable else "required",
                *_numbered(field, path, ids),
            )
        )
        for path, field in _fields(schema, "")
    }


def field_ids(schema: Schema) -> dict[str, int]:
    """Return the field ids of a schema, by path."""
    return {path: int(field.metadata[FIELD_ID]) for path, field in _fields(schema, "")}


def _numbered(field: Any, path: str, ids: Mapping[str, int] | None) -> Iterator[str]:
    number = (field.metadata or {}).get(FIELD_ID, b"").decode() if ids is None else ids.get(path)
    if number:
        yield f"field id {number}"


def _fields(parent: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    fields = [
        parent.field(n)
        for n in range(len(parent) if isinstance(parent, pa.Schema) else parent.num_fields)
    ]
    names = [field.name for field in fields]
    if isinstance(parent, pa.MapType):
        fields, names = [parent.key_field, parent.item_field], ["key", "value"]
    elif not isinstance(parent, pa.Schema | pa.StructType):
        names = ["element"]
    for name, field in zip(names, fields, strict=True):
        yield f"{prefix}{name}", field
        if pa.types.is_nested(field.type):
            yield from _fields(field.type, f"{prefix}{name}.")


def _type(type_: Any) -> str:
    """Return the name of a type, the same for all representations of its values."""
    if pa.types.is_nested(type_):
        return (
            "struct" if pa.types.is_struct(type_) else "map" if pa.types.is_map(type_) else "list"
        )
    return str(type_).replace("large_", "").replace("_view", "")
