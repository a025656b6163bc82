"""Casts of the possible values of a column to another type."""

from __future__ import annotations

from datetime import date
from typing import Any

from lakepact.reference_server.delta_sharing.hints.columns import kind
from lakepact.reference_server.delta_sharing.hints.reading import (
    LIMITS,
    TINY,
    Unreadable,
    read,
    single,
)
from lakepact.reference_server.delta_sharing.hints.values import (
    DAY,
    EPOCH,
    Kind,
    Values,
    anything,
    as_doubles,
    midnight,
)

#: Kinds that have no cast between them in any dialect that clients speak.
IMPOSSIBLE = {
    Kind.DATE: frozenset({Kind.BOOLEAN, Kind.INTEGER, Kind.REAL}),
    Kind.BOOLEAN: frozenset({Kind.DATE, Kind.TIMESTAMP}),
    Kind.INTEGER: frozenset({Kind.DATE}),
    Kind.REAL: frozenset({Kind.DATE}),
}


class BadCast(ValueError):
    """Values of one type cannot be made into another."""


def check_cast(source: str, target: str) -> None:
    """Refuse casts that no value survives.

    Raises:
        BadCast: this is one of them.
    """
    if kind(target) is Kind.OTHER or kind(target) in IMPOSSIBLE.get(kind(source), ()):
        raise BadCast(f"{source[:50]} cannot be cast to {target[:50]}")


def cast(values: Values, source: str, target: str) -> Values:
    """Return the possible values of type `source` after a cast to type `target`.

    Raises:
        BadCast: a constant cannot be cast.
    """
    if source == target and values.kind is not Kind.OTHER:
        return values
    to = kind(target)
    if values.kind is Kind.OTHER:
        return anything(to)._replace(nulls=values.nulls or source != target)
    if values.empty:
        return values._replace(kind=to)
    if values.kind is Kind.TEXT:
        return _from_text(values, target)
    result = _CASTS[to](values, target)
    return result if result is not None else anything(to)


def _from_text(values: Values, target: str) -> Values:
    if not values.point:
        return anything(kind(target))
    text = values.low.decode("utf-8", "replace")
    try:
        return read(target, text)._replace(nulls=values.nulls)
    except Unreadable:
        raise BadCast(f"{text[:50]!r} cannot be cast to {target[:50]}") from None


def _to_integer(values: Values, target: str) -> Values | None:
    if values.kind is Kind.BOOLEAN:
        return values._replace(kind=Kind.INTEGER, low=_one(values.low), high=_one(values.high))
    if values.kind is not Kind.INTEGER or values.low is None or values.high is None:
        return None
    limit = LIMITS[target]
    return values if -limit <= values.low and values.high < limit else None


def _one(value: bool | None) -> int | None:  # noqa: FBT001  # the value of a column
    return None if value is None else int(value)


def _to_real(values: Values, target: str) -> Values | None:
    if target.startswith("decimal") or values.kind not in {Kind.INTEGER, Kind.REAL}:
        return None
    near = as_doubles(values)
    low, high = near.low, near.high
    if target == "float":  # a reader may as well compare what was not rounded
        low = None if low is None else min(low, single(float(low))) or -TINY
        high = None if high is None else max(high, single(float(high))) or TINY
    return near._replace(low=low, high=high)


def _to_text(values: Values, _: str) -> Values | None:
    if not values.point:
        return None
    text = _spell(values)
    return (
        None
        if text is None
        else Values(Kind.TEXT, text.encode(), text.encode(), nulls=values.nulls)
    )


def _spell(values: Values) -> str | None:
    value: Any = values.low
    if values.kind is Kind.BOOLEAN:
        return str(value).lower()
    if values.kind is Kind.INTEGER:
        return str(value)
    if values.kind is Kind.DATE:
        return date.fromordinal(value).isoformat()
    return None


def _to_date(values: Values, _: str) -> Values | None:
    if values.kind is not Kind.TIMESTAMP:
        return None
    # The day depends on the zone of the reader.
    low = None if values.low is None else values.low // DAY + EPOCH - 1
    high = None if values.high is None else values.high // DAY + EPOCH + 1
    return values._replace(kind=Kind.DATE, low=low, high=high, zoneless=False)


def _to_timestamp(values: Values, _: str) -> Values | None:
    if values.kind is Kind.TIMESTAMP:
        return values
    return midnight(values) if values.kind is Kind.DATE else None


def _unknown(_: Values, __: str) -> Values | None:
    return None


_CASTS = {
    Kind.BOOLEAN: _unknown,
    Kind.INTEGER: _to_integer,
    Kind.REAL: _to_real,
    Kind.TEXT: _to_text,
    Kind.DATE: _to_date,
    Kind.TIMESTAMP: _to_timestamp,
}
