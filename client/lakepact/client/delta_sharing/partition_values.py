"""Values of partition columns, from the text that lines hold to what they mean.

Each type has one way to be written, and a text that is not written so is an error: a boolean `True`
that were taken for false would give wrong rows without a word.
"""

from __future__ import annotations

import re
from array import array
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from lakepact.client.delta_sharing.schemas import Primitive

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.client.delta_sharing.schemas import Type

_RANGES = {"byte": 2**7, "short": 2**15, "integer": 2**31, "long": 2**63}
_INTEGER = re.compile(r"[+-]?\d{1,19}")
_REAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(
    r"(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:?\d{2})?"
)
_NO_NUMBERS = {"nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"}


def parse(text: str | None, kind: Type) -> Any:
    """Return the value of a partition column of that type; None for null, which may be written as
    an empty text.

    Raises:
        ValueError: The text is not such a value.
    """
    if text is None or text == "":
        return None
    read = _READERS.get(kind.name) if isinstance(kind, Primitive) else None
    if read is None:
        raise ValueError(f"a column of type {kind} cannot be one that a table is partitioned by")
    try:
        value = read(text, kind)
    except (ValueError, InvalidOperation):
        value = None
    if value is None:
        raise ValueError(f"{text[:80]!r} is not a {kind}")
    return value


def _boolean(text: str, _: Type) -> bool | None:
    return {"true": True, "false": False}.get(text)


def _integer(text: str, kind: Type) -> int | None:
    if not text.isascii() or not _INTEGER.fullmatch(text):
        return None
    value, limit = int(text), _RANGES[str(kind)]
    return value if -limit <= value < limit else None


def _real(text: str, _: Type) -> float | None:
    return (
        float(text)
        if text.lower() in _NO_NUMBERS or (text.isascii() and _REAL.fullmatch(text))
        else None
    )


def _float(text: str, kind: Type) -> float | None:
    # Rows hold the nearest float.
    read = _real(text, kind)
    return None if read is None else array("f", [read])[0]


def _decimal(text: str, kind: Type) -> Decimal | None:
    if not text.isascii() or not _REAL.fullmatch(text) or not isinstance(kind, Primitive):
        return None
    value = Decimal(text)
    _, digits, exponent = value.as_tuple()
    whole, fraction = len(digits) + int(exponent), -int(exponent)
    # Zeros at the end of a fraction say nothing.
    while fraction > kind.scale and digits and digits[-1] == 0:
        digits, fraction = digits[:-1], fraction - 1
    return (
        value
        if fraction <= kind.scale and (whole <= kind.precision - kind.scale or not any(digits))
        else None
    )


def _date(text: str, _: Type) -> date | None:
    return date.fromisoformat(text) if text.isascii() and _DATE.fullmatch(text) else None


def _timestamp(text: str, _: Type) -> datetime | None:
    moment = _moment(text)
    # Without a zone it is in UTC, as everything that a table stores.
    return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC)


def _timestamp_ntz(text: str, _: Type) -> datetime | None:
    # A column that was widened from dates has days.
    moment = _moment(f"{text} 00:00:00" if _DATE.fullmatch(text) else text)
    return moment if moment is None or moment.tzinfo is None else None


def _moment(text: str) -> datetime | None:
    match = _MOMENT.fullmatch(text) if text.isascii() else None
    if match is None:
        return None
    day, time, fraction, zone = match.groups()
    fraction = (fraction or "").ljust(9, "0")
    # A table holds microseconds; more would have to be dropped.
    if fraction[6:] != "000":
        return None
    return datetime.fromisoformat(f"{day}T{time}.{fraction[:6]}{zone or ''}")


def _string(text: str, _: Type) -> str:
    return text


def _binary(text: str, _: Type) -> bytes | None:
    # Each byte is a character of that number.
    return text.encode("latin-1") if all(ord(character) < 256 for character in text) else None


_READERS: dict[str, Callable[[str, Type], Any]] = {
    "binary": _binary,
    "boolean": _boolean,
    "byte": _integer,
    "date": _date,
    "decimal": _decimal,
    "double": _real,
    "float": _float,
    "integer": _integer,
    "long": _integer,
    "short": _integer,
    "string": _string,
    "timestamp": _timestamp,
    "timestamp_ntz": _timestamp_ntz,
}
