"""Filters of the rows of Iceberg tables.

A row is selected if the filter is true of it, as in SQL; null is not true. NaN is equal to nothing,
and neither less nor greater.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, time
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg import types as t
from pyiceberg.expressions.literals import literal

from lakepact.client.iceberg_rest.rows.projection import arrow_type, scalar
from lakepact.client.rows.comparisons import with_type
from lakepact.client.rows.matching import exact_scalar, matcher
from lakepact.client.rows.predicates import Comparison, IsNaN, Predicate, with_leaves

if TYPE_CHECKING:
    from pyiceberg.schema import Schema
    from pyiceberg.types import NestedField

    from lakepact.client.rows.comparisons import Kind
    from lakepact.client.rows.matching import Matcher
    from lakepact.client.rows.predicates import Leaf

#: The types of columns for comparisons.
_KINDS: dict[type, Kind] = {
    t.IntegerType: "integer",
    t.LongType: "integer",
    t.DecimalType: "decimal",
    t.FloatType: "real",
    t.DoubleType: "real",
    t.BooleanType: "boolean",
    t.StringType: "string",
    t.BinaryType: "binary",
    t.FixedType: "binary",
    t.DateType: "date",
    t.TimeType: "time",
    t.TimestampType: "timestamp",
    t.TimestampNanoType: "timestamp",
    t.TimestamptzType: "timestamptz",
    t.TimestamptzNanoType: "timestamptz",
    t.UUIDType: "uuid",
}


def field_of(schema: Schema, name: str) -> NestedField:
    """Return a column, which may be in structs.

    Raises:
        ValueError: The schema has no such column.
    """
    try:
        return schema.find_field(name)
    except ValueError:
        columns = ", ".join(field.name for field in schema.fields)
        raise ValueError(
            f"the table has no column {json.dumps(name, ensure_ascii=False)}; it has {columns}"
        ) from None


def bound(predicate: Predicate, schema: Schema) -> Predicate:
    """Return a predicate with values in the types of the columns, as the bounds of files have them.

    Raises:
        ValueError: The schema has no such column.
        TypeError: A column is compared with a value of another type.
    """
    return with_leaves(predicate, lambda leaf: _bound(leaf, schema))


def _bound(leaf: Leaf, schema: Schema) -> Leaf:
    name = leaf.column
    kind: Any = field_of(schema, name).field_type
    path_of(schema, name)
    if isinstance(leaf, IsNaN) and not isinstance(kind, (t.FloatType, t.DoubleType)):
        raise TypeError(f"column {name} is {kind}, which has no NaN")
    if not isinstance(leaf, Comparison):
        return leaf
    sizes: dict[str, int] = (
        {"precision": kind.precision, "scale": kind.scale}
        if isinstance(kind, t.DecimalType)
        else {}
    )
    result = with_type(leaf, _KINDS.get(type(kind), "other"), kind, **sizes)
    return replace(result, value=_stored(result.value, kind))


def _stored(value: Any, kind: Any) -> Any:
    """Return a value of Python as the bounds of files have it."""
    if isinstance(value, (date, time, UUID)):
        native: Any = value
        stored: Any = literal(native).value
        return stored * 1000 if "Nano" in type(kind).__name__ else stored
    return value


def path_of(schema: Schema, name: str) -> list[int]:
    """Return the positions that lead to a column: that of its outermost struct first.

    Raises:
        ValueError: The column is in a list or map.
    """
    try:
        accessor: Any = schema.accessor_for_field(schema.find_field(name).field_id)
    except ValueError:
        message = f"column {name} is in a list or map, which filters cannot look into"
        raise ValueError(message) from None
    path = list[int]()
    while accessor is not None:
        path.append(accessor.position)
        accessor = accessor.inner
    return path


def row_matcher(predicate: Predicate, schema: Schema) -> Matcher:
    """Return a function of batches of a schema: for each row, whether a bound predicate is true."""
    return matcher(
        predicate,
        lambda name: partial(values_at, path=path_of(schema, name)),
        lambda name, value: _scalar(value, schema.find_field(name).field_type),
    )


def values_at(rows: Any, path: list[int]) -> Any:
    """Return the values of a column of a batch, null where its struct is null."""
    first, *others = path
    values = rows.column(first)
    values = pc.struct_field(values, others) if others else values
    return values.storage if isinstance(values.type, pa.BaseExtensionType) else values


def _scalar(value: Any, kind: Any) -> Any:
    result = arrow_type(kind)
    if pa.types.is_integer(result) or pa.types.is_floating(result):
        return exact_scalar(value, result)
    return scalar(value, kind)
