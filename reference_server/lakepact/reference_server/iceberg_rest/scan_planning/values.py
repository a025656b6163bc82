"""Values of columns: parsed from requests and data files, and written into answers.

Within the planner a value is what can be compared: whole numbers for numbers of any kind of time,
text for text, bytes for bytes and UUIDs, decimals for decimals. Types are as `types.name_of` names
them.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any

from lakepact.reference_server.iceberg_rest.documents import as_text, refusal
from lakepact.reference_server.iceberg_rest.scan_planning import calendar
from lakepact.reference_server.iceberg_rest.tables.types import name_of, primitive

INTEGERS = frozenset({"int", "long"})
FLOATS = frozenset({"float", "double"})
MOMENTS = {
    "timestamp": ("us", False),
    "timestamptz": ("us", True),
    "timestamp_ns": ("ns", False),
    "timestamptz_ns": ("ns", True),
}
BYTES = frozenset({"fixed", "binary"})
#: Types whose values have an order that every writer of bounds follows.
ORDERED = (
    INTEGERS | FLOATS | MOMENTS.keys() | BYTES | {"boolean", "date", "time", "decimal", "string"}
)
COMPARED = ORDERED | {"uuid"}  #: types whose values a filter may be about

TINY = 5e-324  #: the least number above 0.0 and -0.0
EXACTLY = Context(prec=200)  #: keeps every digit of a decimal, which the usual context does not

_DECIMAL = re.compile(
    r"[+-]?(?:[0-9]{1,80}(?:\.[0-9]{0,80})?|\.[0-9]{1,80})(?:[eE][+-]?[0-9]{1,3})?"
)
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2})*")


@dataclass(frozen=True, slots=True)
class Literal:
    """A value of a filter; the two differ where readers compare it in more than one way."""

    low: Any
    high: Any


def literal(value: Any, column_type: Any, where: str) -> Literal:
    """Return the value that a filter compares a column of this type with.

    Raises:
        Problem: 400, there is no such value of the type.
    """
    kind = name_of(column_type)
    result = _READ[kind](value, kind) if kind in _READ else None
    if result is None:
        type_name = column_type if isinstance(column_type, str) else kind
        raise refusal(
            where, f"{as_text(value)} is no value of type {type_name}{_HINTS.get(kind, '')}"
        )
    if kind in FLOATS:
        # Some readers round the literal to the column's type, others widen the column. Iceberg
        # orders -0.0 before 0.0, SQL does not.
        narrow = _narrow(result) if kind == "float" else result
        return Literal(min(result, narrow) or -TINY, max(result, narrow) or TINY)
    return Literal(result, result)


_HINTS = {
    "date": "; write YYYY-MM-DD, or the days since 1970",
    "time": "; write HH:MM:SS.ssssss, or microseconds",
    "timestamp": "; write YYYY-MM-DDTHH:MM:SS.ssssss without a zone, or microseconds since 1970",
    "timestamptz": "; write YYYY-MM-DDTHH:MM:SS.ssssss+00:00, or microseconds since 1970",
    "timestamp_ns": (
        "; write YYYY-MM-DDTHH:MM:SS.sssssssss without a zone, or nanoseconds since 1970"
    ),
    "timestamptz_ns": "; write YYYY-MM-DDTHH:MM:SS.sssssssss+00:00, or nanoseconds since 1970",
    "binary": "; write two hexadecimal digits for each byte",
    "fixed": "; write two hexadecimal digits for each byte",
}


def _whole(value: Any, _: str = "") -> int | None:
    if type(value) is float and value.is_integer():
        return int(value)
    return value if type(value) is int else None


def _number(value: Any, _: str) -> float | None:
    if type(value) is int:
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    return value if type(value) is float and not math.isnan(value) else None


def _decimal(value: Any, _: str) -> Decimal | None:
    if type(value) in {int, float}:
        value = repr(value)
    return Decimal(value) if isinstance(value, str) and _DECIMAL.fullmatch(value) else None


def _text(value: Any, _: str) -> str | None:
    return value if isinstance(value, str) else None


def _boolean(value: Any, _: str) -> bool | None:
    return value if isinstance(value, bool) else None


def _uuid(value: Any, _: str) -> bytes | None:
    return (
        bytes.fromhex(value.replace("-", ""))
        if isinstance(value, str) and _UUID.fullmatch(value)
        else None
    )


def _bytes(value: Any, _: str) -> bytes | None:
    return bytes.fromhex(value) if isinstance(value, str) and _HEX.fullmatch(value) else None


def _date(value: Any, _: str) -> int | None:
    return calendar.read_date(value) if isinstance(value, str) else _whole(value)


def _time(value: Any, _: str) -> int | None:
    return calendar.read_time(value) if isinstance(value, str) else _whole(value)


def _moment(value: Any, kind: str) -> int | None:
    unit, with_zone = MOMENTS[kind]
    return (
        calendar.read_moment(value, unit, with_zone=with_zone)
        if isinstance(value, str)
        else _whole(value)
    )


_READ: dict[str, Callable[[Any, str], Any]] = {
    "boolean": _boolean,
    "int": _whole,
    "long": _whole,
    "float": _number,
    "double": _number,
    "decimal": _decimal,
    "string": _text,
    "uuid": _uuid,
    "fixed": _bytes,
    "binary": _bytes,
    "date": _date,
    "time": _time,
    **dict.fromkeys(MOMENTS, _moment),
}


def _narrow(value: float) -> float:
    try:
        narrow: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return narrow


# -- as files keep them ----------------------------------------------------------------------------


LONGEST_DECIMAL = 32  #: bytes; 38 digits have 16, which a writer may pad


def from_bytes(raw: bytes, column_type: Any) -> Any:
    """Return the value that bytes of a bound stand for; None for what is not known.

    A column may have been of a narrower type when the file was written.
    """
    kind = name_of(column_type)
    try:
        return _value_of_bytes(raw, kind, column_type)
    except (struct.error, UnicodeDecodeError, ValueError):
        return None


def _value_of_bytes(raw: bytes, kind: str, column_type: Any) -> Any:
    if kind in FLOATS:
        value: float = struct.unpack("<f" if len(raw) == 4 else "<d", raw)[0]
        return None if math.isnan(value) else value
    if kind in MOMENTS and len(raw) == 4:
        return midnight(_little(raw, 4), kind)
    if kind == "decimal":
        return unscaled(raw, column_type)
    return _FROM_BYTES[kind](raw) if kind in _FROM_BYTES else None


def _little(raw: bytes, *lengths: int) -> int:
    if len(raw) not in lengths:
        raise ValueError("bytes of another type")
    return int.from_bytes(raw, "little", signed=True)


_FROM_BYTES: dict[str, Callable[[bytes], Any]] = {
    "boolean": lambda raw: _little(raw, 1) != 0,
    "string": lambda raw: raw.decode(),
    "uuid": bytes,
    "fixed": bytes,
    "binary": bytes,
    "date": lambda raw: _little(raw, 4),
    **dict.fromkeys((*INTEGERS, *MOMENTS, "time"), lambda raw: _little(raw, 4, 8)),
}


def unscaled(raw: bytes, column_type: Any) -> Decimal:
    """Return the decimal whose digits are a big-endian whole number.

    Raises:
        ValueError: it has more bytes than the longest decimal; those of 250 KB take a minute.
    """
    if len(raw) > LONGEST_DECIMAL:
        raise ValueError("bytes of another type")
    decimal_type = primitive(column_type)
    scale = decimal_type.numbers[1] if decimal_type else 0
    return (
        Decimal(int.from_bytes(raw, "big", signed=True)).scaleb(-scale, EXACTLY)
        if raw
        else Decimal(0)
    )


def midnight(days: int, moments: str) -> int:
    """Return the moment that a date is in a column that was one of dates."""
    return days * calendar.DAY_SECONDS * calendar.SECOND[MOMENTS[moments][0]]


def from_avro(value: Any, column_type: Any) -> Any:
    """Return a value as manifests keep it, their logical types left aside; every NaN is one
    object.
    """
    kind = name_of(column_type)
    if kind == "decimal" and isinstance(value, bytes):
        return unscaled(value, column_type)
    if kind == "uuid" and isinstance(value, str):
        return _uuid(value, kind)
    if kind in FLOATS and isinstance(value, int | float):
        return math.nan if math.isnan(value) else float(value)
    if kind == "string" and isinstance(value, bytes):
        return value.decode(errors="replace")
    if kind in BYTES and isinstance(value, str):
        return value.encode()
    return value


# -- as answers tell them --------------------------------------------------------------------------


def value_as_json(value: Any, column_type: Any) -> Any:
    """Return a value in the JSON form of its type."""
    kind = name_of(column_type)
    if value is None or kind not in _TOLD:
        return value.hex().upper() if isinstance(value, bytes) else value
    return _TOLD[kind](value, column_type)


def _float_as_json(value: float, _: Any) -> float | str:
    """JSON has no way to write what is not finite."""
    return (
        value
        if math.isfinite(value)
        else {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    )


def _moment_as_json(value: int, column_type: str) -> str:
    unit, with_zone = MOMENTS[column_type]
    return calendar.show_moment(value, unit, with_zone=with_zone)


def _uuid_as_json(value: bytes, _: Any) -> str:
    text = value.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _decimal_as_json(value: Decimal, column_type: Any) -> str:
    decimal_type = primitive(column_type)
    scale = decimal_type.numbers[1] if decimal_type else 0
    sign, digits, exponent = value.as_tuple()
    number = "".join(map(str, digits)) + "0" * (int(exponent) + scale)
    if scale:
        number = number.rjust(scale + 1, "0")
        number = f"{number[:-scale]}.{number[-scale:]}"
    return f"{'-' if sign else ''}{number}"


_TOLD: dict[str, Callable[[Any, Any], Any]] = {
    "float": _float_as_json,
    "double": _float_as_json,
    "decimal": _decimal_as_json,
    "date": lambda value, _: calendar.show_date(value),
    "time": lambda value, _: calendar.show_time(value),
    "uuid": _uuid_as_json,
    **dict.fromkeys(MOMENTS, _moment_as_json),
}
