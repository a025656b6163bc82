"""Columns of an Arrow schema and parts of nested ones, with the types of Iceberg."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lakepact.conformance.evidence.arrow import Schema, pa
from lakepact.data.compare.model import Column

#: Types of Arrow, as Iceberg names them, and those that Delta alone has.
NAMES = {
    "bool": "boolean",
    "int8": "byte",
    "int16": "short",
    "int32": "int",
    "int64": "long",
    "date32[day]": "date",
    "timestamp[us]": "timestamp",
    "timestamp[us, tz=UTC]": "timestamptz",
}


def columns(schema: Schema, ids: Mapping[str, int]) -> Iterator[Column]:
    """Yield the columns of a schema.

    Args:
        schema: Its fields may have comments.
        ids: Field ids by path.
    """
    for path, field in fields(schema):
        doc = (field.metadata or {}).get(b"comment", b"").decode()
        yield Column(path, _type(field.type), not field.nullable, ids.get(path), doc)


def fields(parent: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the fields of a schema or of a nested type, with their paths."""
    count = len(parent) if isinstance(parent, pa.Schema) else parent.num_fields
    inner = [parent.field(n) for n in range(count)]
    names = [field.name for field in inner]
    if isinstance(parent, pa.MapType):
        inner, names = [parent.key_field, parent.item_field], ["key", "value"]
    elif not isinstance(parent, pa.Schema | pa.StructType):
        names = ["element"]
    for name, field in zip(names, inner, strict=True):
        yield f"{prefix}{name}", field
        if pa.types.is_nested(field.type):
            yield from fields(field.type, f"{prefix}{name}.")


def _type(kind: Any) -> str:
    if pa.types.is_decimal(kind):
        return f"decimal({kind.precision}, {kind.scale})"
    nested = {pa.types.is_struct: "struct", pa.types.is_map: "map", pa.types.is_list: "list"}
    plain = NAMES.get(str(kind), str(kind))
    return next((name for check, name in nested.items() if check(kind)), plain)
