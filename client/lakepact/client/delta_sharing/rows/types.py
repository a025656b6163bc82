"""Types of Delta as types of Arrow."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from lakepact.client.delta_sharing.schemas import Array, Field, Map, Primitive, Struct, Type

_PRIMITIVES: dict[str, Any] = {
    "binary": pa.binary(),
    "boolean": pa.bool_(),
    "byte": pa.int8(),
    "date": pa.date32(),
    "double": pa.float64(),
    "float": pa.float32(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "short": pa.int16(),
    "string": pa.string(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "timestamp_ntz": pa.timestamp("us"),
    "void": pa.null(),
}


class UnknownType(Exception):
    """A type that is not known here."""


def arrow_type(kind: Type) -> Any:
    """Return the Arrow type of a Delta type, without nullability.

    Raises:
        UnknownType: There is none.
    """
    if isinstance(kind, Primitive):
        return (
            pa.decimal128(kind.precision, kind.scale)
            if kind.name == "decimal"
            else _PRIMITIVES[kind.name]
        )
    if isinstance(kind, Struct):
        return pa.struct([arrow_field(part) for part in kind.fields])
    if isinstance(kind, Array):
        return pa.list_(pa.field("element", arrow_type(kind.element)))
    if isinstance(kind, Map):
        return pa.map_(arrow_type(kind.key), arrow_type(kind.value))
    raise UnknownType(str(kind))


def arrow_field(column: Field) -> Any:
    """Return the field of Arrow for a column.

    Raises:
        UnknownType: Its type is not known here.
    """
    return pa.field(column.name, arrow_type(column.type))
