"""Predicates as expressions of Arrow, with each value in a type that its column can be compared with."""

from __future__ import annotations

import functools
import operator
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from lakepact.client.delta_sharing.schemas import Primitive
from lakepact.client.rows.predicates import And, Comparison, IsNaN, IsNull, Not, Or, Predicate

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.client.delta_sharing.schemas import Schema, Type
    from lakepact.client.rows.predicates import Value

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "equal": operator.eq,
    "lessThan": operator.lt,
    "lessThanOrEqual": operator.le,
    "greaterThan": operator.gt,
    "greaterThanOrEqual": operator.ge,
}
_INTEGERS = frozenset({"byte", "short", "integer", "long"})
#: The largest integer up to which a double has all of them.
_EXACT = 2**53


def expression(predicate: Predicate, schema: Schema) -> Any:
    """Return the expression for a predicate on a table of that schema.

    Raises:
        ValueError: The table has no such column.
        TypeError: A column is compared with a value of another type.
    """
    if isinstance(predicate, (And, Or)):
        join = operator.and_ if isinstance(predicate, And) else operator.or_
        made = [expression(part, schema) for part in predicate.parts]
        return functools.reduce(join, made or [pc.scalar(isinstance(predicate, And))])
    if isinstance(predicate, Not):
        return ~expression(predicate.part, schema)
    if isinstance(predicate, IsNull):
        return pc.field(schema.column(predicate.column).name).is_null()
    if isinstance(predicate, IsNaN):
        column = schema.column(predicate.column)
        if str(column.type) not in {"float", "double"}:
            raise TypeError(f"column {column.name} is {column.type}, which has no NaN")
        return pc.is_nan(pc.field(column.name))
    if isinstance(predicate, Comparison):
        column = schema.column(predicate.column)
        return _OPERATORS[predicate.operator](
            pc.field(column.name), _scalar(predicate.value, column.type, column.name)
        )
    raise TypeError(f"not a predicate: {type(predicate).__name__}")


def _scalar(value: Value, kind: Type, name: str) -> Any:
    typed = _typed(value, kind.name if isinstance(kind, Primitive) else "")
    if typed is None:
        raise TypeError(
            f"column {name} is {kind}, and cannot be compared with {value!r}: {_wanted(kind)}"
        )
    return typed


def _typed(value: Value, name: str) -> Any:  # noqa: PLR0911 - one for each type
    if isinstance(value, bool):
        return pa.scalar(value) if name == "boolean" else None
    if isinstance(value, int):
        return _integer(value, name)
    if isinstance(value, float):
        return pa.scalar(value, pa.float64()) if name in {"float", "double"} else None
    if isinstance(value, Decimal):
        return pa.scalar(value) if name == "decimal" else None
    if isinstance(value, str):
        return pa.scalar(value, pa.string()) if name == "string" else None
    if isinstance(value, bytes):
        return pa.scalar(value, pa.binary()) if name == "binary" else None
    if isinstance(value, datetime):
        if value.tzinfo:
            return pa.scalar(value, pa.timestamp("us", tz="UTC")) if name == "timestamp" else None
        return pa.scalar(value, pa.timestamp("us")) if name == "timestamp_ntz" else None
    return pa.scalar(value, pa.date32()) if name == "date" else None


def _integer(value: int, name: str) -> Any:
    if name in _INTEGERS and -(2**63) <= value < 2**63:
        return pa.scalar(value, pa.int64())
    if name in {"float", "double"} and abs(value) <= _EXACT:
        return pa.scalar(float(value), pa.float64())
    return pa.scalar(Decimal(value)) if name == "decimal" else None


def _wanted(kind: Type) -> str:
    name = kind.name if isinstance(kind, Primitive) else ""
    if name in _INTEGERS:
        return "give an int"
    words = {
        "binary": "bytes",
        "boolean": "a bool",
        "date": "a date",
        "decimal": "a Decimal or an int",
        "double": "a float",
        "float": "a float",
        "string": "a str",
        "timestamp": "a datetime with a time zone",
        "timestamp_ntz": "a datetime without a time zone",
    }
    return f"give {words[name]}" if name in words else "it can only be asked for nulls"
