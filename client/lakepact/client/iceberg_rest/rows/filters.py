"""Filters of the rows of Iceberg tables.

A row is selected if the filter is true of it, as in SQL; null is not true. NaN is equal to nothing,
and neither less nor greater.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, time
from functools import reduce
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg import types as t
from pyiceberg.expressions.literals import literal

from lakepact.client.iceberg_rest.rows.projection import scalar
from lakepact.client.rows.comparisons import typed
from lakepact.client.rows.predicates import (
    And,
    Comparison,
    IsNaN,
    IsNull,
    Not,
    Or,
    Predicate,
    with_leaves,
)

if TYPE_CHECKING:
    from pyiceberg.schema import Schema

    from lakepact.client.rows.comparisons import Kind
    from lakepact.client.rows.predicates import Leaf, Operator

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


def bound(predicate: Predicate, schema: Schema) -> Predicate:
    """Return a predicate with values in the types of the columns, as the bounds of files have them.

    Raises:
        ValueError: The schema has no such column.
        TypeError: A column is compared with a value of another type.
    """
    return with_leaves(predicate, lambda leaf: _bound(leaf, schema))


def _bound(leaf: Leaf, schema: Schema) -> Leaf:
    name = leaf.column
    kind: Any = schema.find_field(name).field_type
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
    result = typed(leaf, _KINDS.get(type(kind), "other"), kind, **sizes)
    return replace(result, value=_stored(result.value, kind))


def _stored(value: Any, kind: Any) -> Any:
    """Return a value of Python as the bounds of files have it."""
    if isinstance(value, (date, time, UUID)):
        native: Any = value
        stored: Any = literal(native).value
        return stored * 1000 if "Nano" in type(kind).__name__ else stored
    return value


def path_of(schema: Schema, name: str) -> list[int]:
    """Return the places of a column, and of its structs, in their structs.

    Raises:
        ValueError: The column is in a list or map.
    """
    number, path, fields = schema.find_field(name).field_id, list[int](), schema.fields
    while all(field.field_id != number for field in fields):
        for place, field in enumerate(fields):
            kind = field.field_type
            if isinstance(kind, t.StructType) and _holds(kind, number):
                path.append(place)
                fields = kind.fields
                break
        else:
            raise ValueError(f"column {name} is in a list or map, which filters cannot look into")
    return [*path, [field.field_id for field in fields].index(number)]


def _holds(kind: t.StructType, number: int) -> bool:
    return any(
        field.field_id == number
        or (isinstance(field.field_type, t.StructType) and _holds(field.field_type, number))
        for field in kind.fields
    )


def matcher(predicate: Predicate, schema: Schema) -> Callable[[Any], Any]:
    """Return a function of batches: for each row, whether a bound predicate is true, or null."""
    if isinstance(predicate, (And, Or)):
        return _joint(predicate, schema)
    if isinstance(predicate, Not):
        part = matcher(predicate.part, schema)
        return lambda rows: pc.invert(part(rows))
    assert isinstance(predicate, (Comparison, IsNull, IsNaN))  # noqa: S101
    path = path_of(schema, predicate.column)
    if isinstance(predicate, IsNull):
        return lambda rows: values_at(rows, path).is_null()
    if isinstance(predicate, IsNaN):
        return lambda rows: pc.is_nan(values_at(rows, path))
    value = _scalar(predicate.value, schema.find_field(predicate.column).field_type)
    compare = _FUNCTIONS[predicate.operator]
    return lambda rows: compare(values_at(rows, path), value)


def _joint(predicate: And | Or, schema: Schema) -> Callable[[Any], Any]:
    is_and = isinstance(predicate, And)
    if not is_and and (members := _membership(predicate.parts, schema)) is not None:
        return members
    parts = [matcher(part, schema) for part in predicate.parts]
    if not parts:
        return lambda rows: pa.repeat(is_and, rows.num_rows)
    join: Callable[[Any, Any], Any] = pc.and_kleene if is_and else pc.or_kleene
    return lambda rows: reduce(join, (part(rows) for part in parts))


def _membership(parts: tuple[Predicate, ...], schema: Schema) -> Callable[[Any], Any] | None:
    """Return a function as `matcher` does, if the parts compare one column with several values."""
    equal = [one for one in parts if isinstance(one, Comparison) and one.operator == "equal"]
    if len(equal) < max(2, len(parts)) or len({one.column for one in equal}) > 1:
        return None
    name = equal[0].column
    path, kind = path_of(schema, name), schema.find_field(name).field_type
    if isinstance(kind, (t.FloatType, t.DoubleType)):
        return None  # hashes of 0.0 and -0.0 differ
    values = pa.array([_scalar(one.value, kind) for one in equal])
    null = pa.scalar(None, pa.bool_())

    def match(rows: Any) -> Any:
        column = values_at(rows, path).cast(values.type)
        return pc.if_else(column.is_valid(), pc.is_in(column, value_set=values), null)

    return match


_FUNCTIONS: dict[Operator, Callable[[Any, Any], Any]] = {
    "equal": pc.equal,
    "lessThan": pc.less,
    "lessThanOrEqual": pc.less_equal,
    "greaterThan": pc.greater,
    "greaterThanOrEqual": pc.greater_equal,
}


def values_at(rows: Any, path: list[int]) -> Any:
    """Return the values of a column of a batch, null where its struct is null."""
    first, *others = path
    values = rows.column(first)
    values = pc.struct_field(values, others) if others else values
    return values.storage if isinstance(values.type, pa.BaseExtensionType) else values


def _scalar(value: Any, kind: Any) -> Any:
    # Numbers are compared exactly: narrow columns as 64 bits.
    if isinstance(kind, (t.IntegerType, t.LongType)):
        return pa.scalar(value, pa.int64())
    if isinstance(kind, (t.FloatType, t.DoubleType)):
        return pa.scalar(value, pa.float64())
    return scalar(value, kind)
