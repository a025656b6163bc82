"""Default values of columns, in the JSON form that each column type has for a single value."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from typing import Any

from lakepact.reference_server.iceberg_rest.documents import INT32, INT64, as_text, refusal
from lakepact.reference_server.iceberg_rest.tables.types import Primitive, primitive

SINCE = 3  #: the first format version with default values
MEMBERS = ("initial-default", "write-default")

_DECIMAL = re.compile(r"-?([0-9]+)(?:\.([0-9]+))?")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2})*")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.[0-9]{1,6})?")
_TIMESTAMP = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,9}))?(\+00:00)?"
)


def check_default(
    field: Mapping[str, Any], member: str, where: str, *, format_version: int
) -> None:
    """Refuse a default value that a column of this type cannot have."""
    value = field.get(member)
    if value is None:
        return
    where = f"{where}/{member}"
    if format_version < SINCE:
        raise refusal(
            where,
            f"default values need format version {SINCE}, and the table has {format_version}; leave"
            " it out, or upgrade the table",
        )
    column_type = field.get("type")
    kind = primitive(column_type) if isinstance(column_type, str) else None
    accepts = _VALUES.get(kind.name) if kind else None
    if kind is None or accepts is None:
        raise refusal(where, "columns of this type can only default to null")
    if not accepts(value, kind):
        raise refusal(where, f"{as_text(value)} is no value of the type {column_type}")


def _within(bounds: range) -> Callable[[Any, Primitive], bool]:
    return lambda value, _: type(value) is int and value in bounds


def _matches(pattern: re.Pattern[str]) -> Callable[[Any, Primitive], bool]:
    return lambda value, _: isinstance(value, str) and pattern.fullmatch(value) is not None


def _number(value: Any, _: Primitive) -> bool:
    return type(value) in {int, float} and math.isfinite(value)


def _decimal(value: Any, of: Primitive) -> bool:
    match = _DECIMAL.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return False
    precision, scale = of.numbers
    fraction = match[2] or ""
    return len(fraction) == scale and len((match[1] + fraction).lstrip("0")) <= precision


def _fixed(value: Any, of: Primitive) -> bool:
    return (
        isinstance(value, str)
        and len(value) == 2 * of.numbers[0]
        and _HEX.fullmatch(value) is not None
    )


def _exists(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True


def _date(value: Any, _: Primitive) -> bool:
    return (
        isinstance(value, str)
        and _DATE.fullmatch(value) is not None
        and _exists(date.fromisoformat, value)
    )


def _time(value: Any, _: Primitive) -> bool:
    match = _TIME.fullmatch(value) if isinstance(value, str) else None
    return match is not None and _exists(time.fromisoformat, match[1])


def _timestamp(value: Any, of: Primitive) -> bool:
    match = _TIMESTAMP.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return False
    digits = 9 if of.name.endswith("_ns") else 6
    has_zone = of.name.startswith("timestamptz")
    return (
        len(match[2] or "") <= digits
        and bool(match[3]) == has_zone
        and _exists(datetime.fromisoformat, match[1])
    )


_VALUES: dict[str, Callable[[Any, Primitive], bool]] = {
    "boolean": lambda value, _: isinstance(value, bool),
    "int": _within(INT32),
    "long": _within(INT64),
    "float": _number,
    "double": _number,
    "decimal": _decimal,
    "date": _date,
    "time": _time,
    "timestamp": _timestamp,
    "timestamptz": _timestamp,
    "timestamp_ns": _timestamp,
    "timestamptz_ns": _timestamp,
    "string": lambda value, _: isinstance(value, str),
    "uuid": _matches(_UUID),
    "fixed": _fixed,
    "binary": _matches(_HEX),
}
