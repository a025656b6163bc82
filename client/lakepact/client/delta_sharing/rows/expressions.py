"""Predicates bound to the columns of a shared table, and as expressions of Arrow."""

from __future__ import annotations

import functools
import operator
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from lakepact.client.delta_sharing.schemas import Primitive
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
    from collections.abc import Callable

    from lakepact.client.delta_sharing.schemas import Schema
    from lakepact.client.rows.comparisons import Kind
    from lakepact.client.rows.predicates import Leaf

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "equal": operator.eq,
    "lessThan": operator.lt,
    "lessThanOrEqual": operator.le,
    "greaterThan": operator.gt,
    "greaterThanOrEqual": operator.ge,
}
#: The types of columns for comparisons.
_KINDS: dict[str, Kind] = {
    "byte": "integer",
    "short": "integer",
    "integer": "integer",
    "long": "integer",
    "decimal": "decimal",
    "float": "real",
    "double": "real",
    "boolean": "boolean",
    "string": "string",
    "binary": "binary",
    "date": "date",
    "timestamp": "timestamptz",
    "timestamp_ntz": "timestamp",
}


def bound(predicate: Predicate, schema: Schema) -> Predicate:
    """Return a predicate with the names of the columns as the schema has them, and values in their types.

    Raises:
        ValueError: The table has no such column.
        TypeError: A column is compared with a value of another type.
    """
    return with_leaves(predicate, lambda leaf: _bound(leaf, schema))


def _bound(leaf: Leaf, schema: Schema) -> Leaf:
    column = schema.column(leaf.column)
    kind = column.type if isinstance(column.type, Primitive) else Primitive("")
    leaf = replace(leaf, column=column.name)
    if isinstance(leaf, IsNaN) and _KINDS.get(kind.name) != "real":
        raise TypeError(f"column {column.name} is {column.type}, which has no NaN")
    if not isinstance(leaf, Comparison):
        return leaf
    sizes = {"precision": kind.precision, "scale": kind.scale}
    return typed(leaf, _KINDS.get(kind.name, "other"), column.type, **sizes)


def expression(predicate: Predicate) -> Any:
    """Return the expression for a bound predicate."""
    if isinstance(predicate, (And, Or)):
        join = operator.and_ if isinstance(predicate, And) else operator.or_
        made = [expression(part) for part in predicate.parts]
        return functools.reduce(join, made or [pc.scalar(isinstance(predicate, And))])
    if isinstance(predicate, Not):
        return ~expression(predicate.part)
    assert isinstance(predicate, (Comparison, IsNull, IsNaN))  # noqa: S101
    values = pc.field(predicate.column)
    if isinstance(predicate, IsNull):
        return values.is_null()
    if isinstance(predicate, IsNaN):
        return pc.is_nan(values)
    return _OPERATORS[predicate.operator](values, _scalar(predicate.value))


def _scalar(value: Any) -> Any:
    # Numbers are compared exactly: narrow columns as 64 bits.
    if isinstance(value, datetime):
        return pa.scalar(
            value, pa.timestamp("us", tz="UTC") if value.tzinfo else pa.timestamp("us")
        )
    if isinstance(value, (bool, Decimal)):
        return pa.scalar(value)
    types = {int: pa.int64(), float: pa.float64(), str: pa.string(), bytes: pa.binary()}
    return pa.scalar(value, pa.date32() if isinstance(value, date) else types[type(value)])
