"""Return what a partition value implies for its source column, and the type of the value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

from lakepact.reference_server.iceberg_rest.scan_planning import calendar
from lakepact.reference_server.iceberg_rest.scan_planning.hashing import bucket
from lakepact.reference_server.iceberg_rest.scan_planning.spans import ANYTHING, Span
from lakepact.reference_server.iceberg_rest.scan_planning.values import EXACTLY, MOMENTS, Literal
from lakepact.reference_server.iceberg_rest.tables.transforms import transform_name
from lakepact.reference_server.iceberg_rest.tables.types import name_of, primitive

_HOUR_SECONDS = 3600


def result_type(transform: str, source: Any) -> Any:
    """Return the type of a partition field's values."""
    name = transform_name(transform)
    if name in {"bucket", "year", "month", "hour"}:
        return "int"
    return "date" if name == "day" else source


def value_span(span: Span, transform: str, source: Any) -> Span:
    """Return the span of a field's values if what is written of them is within `span`.

    Old writers rounded moments before 1970 up: what they wrote as 0 or below may belong one lower.
    """
    name = transform_name(transform)
    if (
        name not in {"year", "month", "day", "hour"}
        or (name, source) == ("day", "date")
        or span.lower is None
        or span.lower > 0
    ):
        return span
    return replace(span, lower=span.lower - 1)


def source_span(span: Span, transform: str, source: Any) -> Span:
    """Return the span of a column if the values of a field derived from it are within `span`."""
    name = transform_name(transform)
    if name == "identity":
        return span
    if name in {None, "void"}:
        return ANYTHING
    if not span.values:
        return span
    if name == "bucket":
        return Span(null=span.null, admits=partial(_in_buckets, span, source, _number(transform)))
    if name == "truncate":
        return _truncation_span(span, source, _number(transform))
    return _of_time(span, str(name), name_of(source))


def _number(transform: str) -> int:
    return int(transform.partition("[")[2].rstrip("]"))


def _in_buckets(span: Span, source: Any, buckets: int, literal: Literal) -> bool:
    number = bucket(literal.low, source, buckets)
    return (
        number is not None
        and (span.lower is None or span.lower <= number)
        and (span.upper is None or number <= span.upper)
    )


def _truncation_span(span: Span, source: Any, width: int) -> Span:
    kind = name_of(source)
    if kind in {"string", "binary"}:
        return _of_prefixes(span, width)
    upper = span.upper
    if upper is not None and kind == "decimal":
        decimal_type = primitive(source)
        upper = EXACTLY.add(
            upper,
            Decimal(width - 1).scaleb(-decimal_type.numbers[1] if decimal_type else 0, EXACTLY),
        )
    elif upper is not None:
        upper += width - 1
    return Span(null=span.null, lower=span.lower, upper=upper)


def _of_prefixes(span: Span, width: int) -> Span:
    """Return the span of texts or bytes whose first `width` are within `span`; a shorter value is
    whole.
    """
    whole = span.upper is not None and len(span.upper) < width and span.lower == span.upper
    return Span(
        null=span.null,
        lower=span.lower,
        upper=span.upper,
        upper_is_prefix=not whole and span.upper is not None,
    )


def _of_time(span: Span, name: str, kind: str) -> Span:
    begin = _begins(name, kind)
    if begin is None:
        return ANYTHING
    lower = None if span.lower is None else begin(span.lower)
    upper = None if span.upper is None else begin(span.upper + 1) - 1
    return Span(null=span.null, lower=lower, upper=upper)


def _begins(name: str, kind: str) -> Callable[[int], int] | None:
    """From a year, month, day or hour to the first date or moment of it."""
    if kind == "date":
        return _DAYS.get(name)
    if kind not in MOMENTS:
        return None
    second = calendar.SECOND[MOMENTS[kind][0]]
    if name == "hour":
        return lambda hours: hours * _HOUR_SECONDS * second
    days = _DAYS.get(name)
    return None if days is None else lambda number: days(number) * calendar.DAY_SECONDS * second


_DAYS: dict[str, Callable[[int], int]] = {
    "year": lambda years: calendar.month_begin(years * 12),
    "month": calendar.month_begin,
    "day": lambda days: days,
}
