"""Predicates with values at the bounds of statistics, and next to them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import chain
from math import inf, isnan, nextafter
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa

from lakepact.client import column
from lakepact.client.delta_sharing.schemas import Primitive
from lakepact.client.rows.predicates import Column, Predicate

_EPOCH, _MICROSECOND, _MILLISECOND = (
    datetime(1970, 1, 1),  # noqa: DTZ001
    timedelta(microseconds=1),
    timedelta(milliseconds=1),
)
_OPERATORS: tuple[Callable[[Column, Any], Predicate], ...] = (
    lambda left, value: left == value,
    lambda left, value: left != value,
    lambda left, value: left < value,
    lambda left, value: left <= value,
    lambda left, value: left > value,
    lambda left, value: left >= value,
    lambda left, value: ~(left < value),
    lambda left, value: ~(left >= value),
)


def predicates_of(name: str, kind: Primitive, values: Any) -> Iterator[Predicate]:
    """Yield predicates about a column that holds these values of Arrow."""
    yield column(name).is_null()
    yield column(name).is_not_null()
    near = dict.fromkeys(
        chain.from_iterable(neighbours(kind, value) for value in python_values(kind, values))
    )
    for value in near:
        for operator in _OPERATORS:
            yield operator(column(name), value)


def combinations(random: Random, predicates: list[Predicate], count: int) -> Iterator[Predicate]:
    """Yield so many predicates that join others."""
    for _ in range(count):
        one, other, third = random.choices(predicates, k=3)
        yield random.choice(
            (
                (one & other),
                (one | other),
                ~(one & other),
                ~(one | other),
                (one & ~other) | third,
                (one | other) & ~third,
            )
        )


def python_values(kind: Primitive, values: Any) -> list[Any]:
    """Return the distinct values that Python has too: not null, not NaN, and of years up to
    9999.
    """
    distinct = values.drop_null().unique()
    if kind.name in {"timestamp", "timestamp_ntz", "date"}:
        return list(
            _times(
                kind.name,
                distinct.cast(pa.int32() if kind.name == "date" else pa.int64()).to_pylist(),
            )
        )
    return [
        value for value in distinct.to_pylist() if not (isinstance(value, float) and isnan(value))
    ]


def _times(name: str, numbers: list[int]) -> Iterator[Any]:
    for number in numbers:
        with contextlib.suppress(OverflowError):
            moment = _EPOCH + (timedelta(days=number) if name == "date" else number * _MICROSECOND)
            yield (
                moment.date()
                if name == "date"
                else moment.replace(tzinfo=UTC if name == "timestamp" else None)
            )


def neighbours(kind: Primitive, value: Any) -> Iterable[Any]:
    """Return a value, what writers make of it, and the values just below and above."""
    if isinstance(value, bool):
        return (True, False)
    if isinstance(value, int):
        return [near for near in (value - 1, value, value + 1) if -(2**63) <= near < 2**63]
    if isinstance(value, float):
        return {
            value,
            nextafter(value, -inf),
            nextafter(value, inf),
            float(str(np.float32(value))) if abs(value) < 3e38 else 0.0,
            -value,
        }
    if isinstance(value, Decimal):
        step = Decimal(1).scaleb(-kind.scale)
        return [
            near
            for near in (value - step, value, value + step)
            if len(near.as_tuple().digits) <= kind.precision
        ]
    if isinstance(value, str):
        return {value, value[:-1], value[:32], value[:32] + "\x7f", value + "a"}
    if isinstance(value, bytes):
        return {value, value[:-1], value + b"\0"}
    return list(_near_times(value))


def _near_times(value: date) -> Iterator[date]:
    days = (timedelta(days=-1), timedelta(0), timedelta(days=1))
    if not isinstance(value, datetime):
        steps: Iterable[timedelta] = days
    else:
        cut = value.microsecond % 1000 * _MICROSECOND
        steps = {
            timedelta(0),
            _MICROSECOND,
            -_MICROSECOND,
            -cut,
            _MILLISECOND - cut,
            timedelta(seconds=-30),
            timedelta(seconds=30),
        }
    for step in steps:
        with contextlib.suppress(OverflowError):
            yield value + step
