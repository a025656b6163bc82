"""Filters of Spark as predicates of the client.

Spark applies all filters itself afterwards, so a filter may be left out, but a predicate must keep
every row that Spark keeps. Spark sorts NaN after all other numbers, so of floating-point columns
only comparisons that no NaN satisfies are taken.
"""

from __future__ import annotations

import math
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pyspark.sql import types as t
from pyspark.sql.datasource import (
    DataSourceReader,
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Not,
    StringStartsWith,
)

from lakepact.client.rows.predicates import And, Predicate, column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pyspark.sql.datasource import Filter

    from lakepact.client.rows.predicates import Column

#: Longer lists cost more to send and compare than they save.
_MOST_VALUES = 1000
_INTEGERS = (t.ByteType, t.ShortType, t.IntegerType, t.LongType)
_REALS = (t.FloatType, t.DoubleType)

_COMPARISONS: dict[type[Filter], Callable[[Column, Any], Predicate]] = {
    EqualTo: lambda left, value: left == value,
    GreaterThan: lambda left, value: left > value,
    GreaterThanOrEqual: lambda left, value: left >= value,
    LessThan: lambda left, value: left < value,
    LessThanOrEqual: lambda left, value: left <= value,
}
#: Comparisons that no NaN satisfies, in Spark's order of numbers.
_WITHOUT_NAN = (EqualTo, LessThan, LessThanOrEqual)


class TakesFilters(DataSourceReader):
    """A reader that takes filters as hints for planning and for skipping files; Spark applies all
    of them again.
    """

    _schema: t.StructType
    _predicate: Predicate | None

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802 - a name of Spark's
        """Take filters, and return all for Spark to apply."""
        self._predicate = predicate_of(filters, self._schema)
        return filters


def predicate_of(filters: Iterable[Filter], schema: t.StructType) -> Predicate | None:
    """Return a predicate that is true for every row that all filters keep; None if it would be true
    for all rows.
    """
    parts = tuple(part for each in filters if (part := _predicate(each, schema)) is not None)
    return And(parts) if len(parts) > 1 else next(iter(parts), None)


def _predicate(each: Filter, schema: t.StructType) -> Predicate | None:
    if isinstance(each, Not):
        child = each.child
        # Of null and NaN, the contrary is not what the predicate makes of it.
        if isinstance(child, EqualNullSafe) or (
            not isinstance(child, IsNull) and isinstance(_type(child, schema), _REALS)
        ):
            return None
        inner = _predicate(child, schema)
        return None if inner is None else ~inner
    kind = _type(each, schema)
    if kind is None:
        return None
    subject = column(each.attribute[0])
    if isinstance(each, IsNull):
        return subject.is_null()
    if isinstance(each, IsNotNull):
        return subject.is_not_null()
    return _of_values(each, subject, kind)


def _of_values(each: Filter, subject: Column, kind: t.DataType) -> Predicate | None:
    if isinstance(each, EqualNullSafe):
        return (
            subject.is_null()
            if each.value is None
            else _of_values(EqualTo(each.attribute, each.value), subject, kind)
        )
    if isinstance(each, In):
        values = tuple(each.value)
        return (
            subject.is_in(values)
            if 0 < len(values) <= _MOST_VALUES and all(_fits(value, kind) for value in values)
            else None
        )
    if isinstance(each, StringStartsWith):
        return subject.starts_with(each.value) if _fits(each.value, kind) and each.value else None
    compare = _COMPARISONS.get(type(each))
    value = getattr(each, "value", None)
    if (
        compare is None
        or not _fits(value, kind)
        or (isinstance(kind, _REALS) and not isinstance(each, _WITHOUT_NAN))
    ):
        return None
    return compare(subject, value)


def _type(each: Filter, schema: t.StructType) -> t.DataType | None:
    """Return the type of the column that a filter is about; None for a nested column, and for a
    name that hints would take for one.
    """
    attribute: tuple[str, ...] = getattr(each, "attribute", ())
    if len(attribute) != 1 or "." in attribute[0] or attribute[0] not in schema.names:
        return None
    return schema[attribute[0]].dataType


def _fits(value: Any, kind: t.DataType) -> bool:  # noqa: PLR0911 - one for each type
    """Return whether values of a column compare with a value as in Spark."""
    if isinstance(value, bool) or isinstance(kind, t.BooleanType):
        return isinstance(value, bool) and isinstance(kind, t.BooleanType)
    if isinstance(kind, _INTEGERS):
        return isinstance(value, int)
    if isinstance(kind, _REALS):
        return isinstance(value, (int, float)) and math.isfinite(value)
    if isinstance(kind, t.DecimalType):
        return isinstance(value, Decimal) and value.is_finite()
    if type(kind) is t.StringType:
        return (
            isinstance(value, str) and kind == t.StringType()
        )  # a collation has an order of its own
    if isinstance(kind, (t.TimestampType, t.TimestampNTZType)):
        return isinstance(value, datetime) and (value.tzinfo is not None) == isinstance(
            kind, t.TimestampType
        )
    return (
        isinstance(kind, t.DateType) and isinstance(value, date) and not isinstance(value, datetime)
    )
