"""Comparisons of columns with values of other types, exact for numbers."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from uuid import UUID

from lakepact.client.rows.predicates import Moment

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.client.rows.predicates import Comparison

#: Types of columns; timestamps by whether their values have a zone.
Kind: TypeAlias = Literal[
    "integer",
    "decimal",
    "real",
    "boolean",
    "string",
    "binary",
    "date",
    "time",
    "timestamp",
    "timestamptz",
    "uuid",
    "other",
]
_TYPES: dict[Kind, tuple[type, str]] = {
    "boolean": (bool, "give a bool"),
    "string": (str, "give a str"),
    "binary": (bytes, "give bytes"),
    "date": (date, "give a date"),
    "time": (time, "give a time"),
    "timestamp": (datetime, "give a datetime without a time zone"),
    "timestamptz": (datetime, "give a datetime with a time zone"),
    "uuid": (UUID, "give a UUID"),
}
_READERS: dict[Kind, Callable[[str], Any]] = {
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "timestamp": datetime.fromisoformat,
    "timestamptz": datetime.fromisoformat,
    "uuid": UUID,
}
_NUMBERS = frozenset({"integer", "decimal", "real"})
_LONGEST = 2**63
#: Python drops what is beyond microseconds.
_NANOSECONDS = re.compile(r"\.\d{6}0*[1-9]")


def with_type(
    comparison: Comparison, kind: Kind, type_name: object, *, precision: int = 0, scale: int = 0
) -> Comparison:
    """Return a comparison that selects the same rows, with a value in the type of its column.

    Args:
        comparison: The comparison.
        kind: The type of the column.
        type_name: The type as its contract writes it.
        precision: The digits of a decimal.
        scale: Those of its fraction.

    Raises:
        ValueError: The value is NaN.
        TypeError: A column of this type cannot be compared with it.
    """
    name, value = comparison.column, comparison.value
    if isinstance(value, (float, Decimal)) and math.isnan(value):
        raise ValueError(f"column {name} cannot be compared with NaN: write {name} is nan")
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        if kind == "integer":
            return _round_to_step(comparison, 0, -_LONGEST, _LONGEST - 1)
        if kind == "decimal":
            steps = _round_to_step(comparison, scale, 1 - 10**precision, 10**precision - 1)
            number: Any = steps.value
            digits = tuple(map(int, str(abs(number))))
            return replace(steps, value=Decimal((number < 0, digits, -scale)))
        if kind == "real":
            return replace(comparison, value=_real(value))
    result = _convert(value, kind)
    if result is None:
        advice = "give a number" if kind in _NUMBERS else "it can only be asked for nulls"
        advice = _TYPES[kind][1] if kind in _TYPES else advice
        raise TypeError(
            f"column {name} is {type_name}, and cannot be compared with {_value_text(value)}: {advice}"
        )
    return replace(comparison, value=result)


def _convert(value: Any, kind: Kind) -> Any:
    """Return a value in a type that is no number; None if it is of another one."""
    if kind not in _TYPES:
        return None
    if isinstance(value, Moment):
        value = value.datetime(has_zone=kind == "timestamptz")
    elif isinstance(value, str) and kind in _READERS:
        try:
            value = None if _NANOSECONDS.search(value) else _READERS[kind](value)
        except ValueError:
            return None
    nanosecond: Any = getattr(value, "nanosecond", 0)  # of pandas
    if not isinstance(value, _TYPES[kind][0]) or nanosecond:
        return None
    if isinstance(value, datetime):
        expected = "timestamp" if value.tzinfo is None else "timestamptz"
        return value if kind == expected else None
    return value


def _value_text(value: Any) -> str:
    if isinstance(value, (str, date, time, UUID)):
        return json.dumps(str(value), ensure_ascii=False)
    return str(value)


def _real(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def _round_to_step(comparison: Comparison, scale: int, least: int, largest: int) -> Comparison:
    """Return an exact comparison of multiples of `10 ** -scale` with any number, as one of
    integers.
    """
    value: Any = comparison.value
    is_infinite = isinstance(value, (float, Decimal)) and math.isinf(value)
    number = (Fraction(largest + 1) if value > 0 else Fraction(least - 1)) if is_infinite else (
        Fraction(value) * 10**scale
    )  # fmt: skip
    operator, step = comparison.operator, math.floor(number)
    if operator == "equal":
        if step != number or not least <= step <= largest:
            operator, step = "lessThan", least  # false of all values, and unknown of null
    elif step != number:
        operator = "lessThanOrEqual" if operator.startswith("less") else "greaterThan"
    if step > largest:
        operator = "greaterThanOrEqual" if operator.startswith("less") else "lessThan"
        step = least
    elif step < least:
        operator = "lessThan" if operator.startswith("less") else "greaterThanOrEqual"
        step = least
    return replace(comparison, operator=operator, value=step)
