"""Filters of rows: SQL text, expressions of pyiceberg and predicates as one tree.

A row is selected if the filter is true of it, as in SQL; null is not true. NaN is equal to nothing,
and neither less nor greater.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg import expressions as e
from pyiceberg import types as t
from pyiceberg.expressions.literals import Literal, TimestampLiteral, literal
from pyiceberg.expressions.parser import parse
from pyiceberg.utils.decimal import unscaled_to_decimal

from lakepact.client.iceberg_rest.rows.projection import scalar
from lakepact.client.rows.predicates import (
    And,
    Comparison,
    IsNaN,
    IsNull,
    Not,
    Or,
    Predicate,
    column,
)

if TYPE_CHECKING:
    from pyiceberg.expressions import BooleanExpression
    from pyiceberg.schema import Schema

    from lakepact.client.rows.predicates import Operator

#: Filters that callers write.
RowFilter: TypeAlias = "str | Predicate | BooleanExpression"

_COMPARISONS: dict[type, Operator] = {
    e.EqualTo: "equal",
    e.NotEqualTo: "equal",
    e.LessThan: "lessThan",
    e.LessThanOrEqual: "lessThanOrEqual",
    e.GreaterThan: "greaterThan",
    e.GreaterThanOrEqual: "greaterThanOrEqual",
}
_NEGATIVE = (e.NotNull, e.NotNaN, e.NotEqualTo, e.NotIn, e.NotStartsWith)
_LONGEST = 2**63
#: Types whose literals pyiceberg reads, and the type by which it reads those in nanoseconds.
_MOMENTS: dict[type, t.PrimitiveType] = {
    t.TimestampNanoType: t.TimestampType(),
    t.TimestamptzNanoType: t.TimestamptzType(),
}


def predicate_of(row_filter: RowFilter) -> Predicate:
    """Return a filter as a predicate.

    Raises:
        ValueError: The text is not a filter, or compares with NaN.
        TypeError: It is of another type.
    """
    if isinstance(row_filter, Predicate):
        return row_filter
    if isinstance(row_filter, str):
        text = row_filter
        try:
            row_filter = parse(text)
        except Exception as error:  # noqa: BLE001 - the parser raises errors of many kinds
            place = getattr(error, "loc", None)
            rest = (
                str(error)
                if place is None
                else f"it cannot be read from {json.dumps(text[place:])} on"
            )
            message = f"expected a filter such as id > 3 and city = 'Rome': {rest}"
            raise ValueError(message) from None
    return _predicate(row_filter)


def _predicate(one: Any) -> Predicate:
    if isinstance(one, (e.AlwaysTrue, e.AlwaysFalse)):
        return And(()) if isinstance(one, e.AlwaysTrue) else Or(())
    if isinstance(one, (e.And, e.Or)):
        kind = And if isinstance(one, e.And) else Or
        return kind((_predicate(one.left), _predicate(one.right)))
    if isinstance(one, e.Not):
        return Not(_predicate(one.child))
    if not isinstance(one, e.UnboundPredicate):
        raise TypeError(f"expected a filter, not a {type(one).__name__}")
    name: str = one.term.name  # type: ignore[attr-defined] # of all terms that there are
    positive = _positive(one, name)
    return Not(positive) if isinstance(one, _NEGATIVE) else positive


def _positive(one: Any, name: str) -> Predicate:
    """Return a condition of a column, or the contrary of one that is called `Not…`."""
    if isinstance(one, (e.IsNull, e.NotNull)):
        return IsNull(name)
    if isinstance(one, (e.IsNaN, e.NotNaN)):
        return IsNaN(name)
    if isinstance(one, (e.In, e.NotIn)):
        return Or(tuple(_comparison(name, "equal", value) for value in one.literals))
    if isinstance(one, (e.StartsWith, e.NotStartsWith)):
        return column(name).starts_with(one.literal.value)
    return _comparison(name, _COMPARISONS[type(one)], one.literal)


def _comparison(name: str, operator: Operator, value: Any) -> Predicate:
    # Of a moment the literal does not say whether it has a zone; the column does.
    moment: Any = value
    return Comparison(
        name, operator, moment if isinstance(value, TimestampLiteral) else value.value
    )


def bound(predicate: Predicate, schema: Schema) -> Predicate:
    """Return a predicate with values in the types of the columns, as the bounds of files have them.

    Raises:
        ValueError: The schema has no such column.
        TypeError: A column is compared with a value of another type.
    """
    if isinstance(predicate, (And, Or)):
        return type(predicate)(tuple(bound(part, schema) for part in predicate.parts))
    if isinstance(predicate, Not):
        return Not(bound(predicate.part, schema))
    assert isinstance(predicate, (Comparison, IsNull, IsNaN))  # noqa: S101
    name = predicate.column
    kind = schema.find_field(name).field_type
    path_of(schema, name)
    if isinstance(predicate, IsNaN) and not isinstance(kind, (t.FloatType, t.DoubleType)):
        raise TypeError(f"column {name} is {kind}, which has no NaN")
    return _compared(predicate, kind) if isinstance(predicate, Comparison) else predicate


def _compared(predicate: Comparison, kind: Any) -> Predicate:
    name, value = predicate.column, predicate.value
    if isinstance(value, (float, Decimal)) and math.isnan(value):
        raise ValueError(f"column {name} cannot be compared with NaN: write {name} is nan")
    is_number = isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
    if isinstance(kind, (t.IntegerType, t.LongType)) and is_number:
        return _stepped(predicate, 0, -_LONGEST, _LONGEST - 1)
    if isinstance(kind, t.DecimalType) and is_number:
        largest = 10**kind.precision - 1
        return _stepped(predicate, kind.scale, -largest, largest)
    if isinstance(kind, (t.FloatType, t.DoubleType)) and is_number:
        return Comparison(name, predicate.operator, _real(value))
    try:
        result = _converted(value, kind)
    except (ValueError, TypeError) as error:
        message = f"column {name} is {kind}, and cannot be compared with {_text_of(value)}: {error}"
        raise TypeError(message) from None
    return Comparison(name, predicate.operator, result)


def _text_of(value: Any) -> str:
    value = value.value if isinstance(value, Literal) else value
    return f'"{value}"' if isinstance(value, (str, date)) else str(value)


def _real(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def _stepped(predicate: Comparison, scale: int, least: int, largest: int) -> Predicate:
    """Return an exact comparison of multiples of `10 ** -scale` with any number."""
    value: Any = predicate.value
    is_infinite = isinstance(value, (float, Decimal)) and math.isinf(value)
    number = (Fraction(largest + 1) if value > 0 else Fraction(least - 1)) if is_infinite else (
        Fraction(value) * 10**scale
    )  # fmt: skip
    operator, step = predicate.operator, math.floor(number)
    if operator == "equal":
        if step != number or not least <= step <= largest:
            operator, step = "lessThan", least  # false of all values, and unknown of null
    elif step != number:
        operator = "lessThanOrEqual" if operator.startswith("less") else "greaterThan"
    if step > largest:
        operator, step = (
            ("greaterThanOrEqual" if operator.startswith("less") else "lessThan"),
            least,
        )
    elif step < least:
        operator, step = (
            ("lessThan" if operator.startswith("less") else "greaterThanOrEqual"),
            least,
        )
    return Comparison(
        predicate.column, operator, unscaled_to_decimal(step, scale) if scale else step
    )


def _converted(value: Any, kind: Any) -> Any:
    """Return a value as a literal of a type that is no number.

    Raises:
        ValueError: It is no text of the type.
        TypeError: It has no such literal.
    """
    if isinstance(kind, (t.DecimalType, t.IntegerType, t.LongType, t.FloatType, t.DoubleType)):
        raise TypeError("give a number")
    if isinstance(value, datetime):
        has_zone = isinstance(kind, (t.TimestamptzType, t.TimestamptzNanoType))
        if (value.tzinfo is not None) != has_zone:
            raise TypeError(f"give a datetime {'with' if has_zone else 'without'} a time zone")
    if isinstance(kind, t.DateType) and isinstance(value, (datetime, TimestampLiteral)):
        raise TypeError("give a date")
    read_as = _MOMENTS.get(type(kind), kind)
    result: Any = (value if isinstance(value, Literal) else literal(value)).to(read_as).value
    return result if read_as is kind else result * 1000


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
