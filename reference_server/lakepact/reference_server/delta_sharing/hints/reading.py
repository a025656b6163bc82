"""Values as logs spell them: partition values as text, statistics as JSON. Unreadable values are
unknown, never guessed.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

import orjson

from lakepact.reference_server.delta_sharing.hints.columns import Column, kind
from lakepact.reference_server.delta_sharing.hints.values import (
    EPOCH,
    Kind,
    Values,
    anything,
    double,
    null,
)

LIMITS = {"byte": 2**7, "short": 2**15, "integer": 2**31, "long": 2**63}
BEHIND = b"\xff"  #: sorts behind whatever a text may go on with
LAST = ("\ufffd".encode(), "\uffff".encode(), "\U0010ffff".encode())
TINY = 5e-324  #: 0.0 and -0.0 are one number to some readers and two to others
MILLISECOND = 1000  #: statistics of timestamps are cut to milliseconds
NAMED_NUMBERS = frozenset({"nan", "infinity", "+infinity", "-infinity", "inf", "+inf", "-inf"})
MINUTE = 60_000_000
PLACES = 15  #: digits that a double holds whatever they are; some writers make doubles of decimals

_INTEGER = re.compile(r"[+-]?[0-9]{1,40}")
_NUMBER = re.compile(
    r"[+-]?(?:[0-9]{1,80}(?:\.[0-9]{0,80})?|\.[0-9]{1,80})(?:[eE][+-]?[0-9]{1,4})?"
)
_DATE = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})")
_TIMESTAMP = re.compile(
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
    r"(?:[T ]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,12}))?)?)?"
    r" ?(Z|UTC|[+-][0-9]{2}:?[0-9]{2})?"
)


class Unreadable(ValueError):
    """A text that is no value of its type."""


class Bounds(NamedTuple):
    """The smallest and greatest meaning of a spelled value."""

    low: Any
    high: Any
    nan: bool = False
    zoneless: bool = False


def read(type_: str, text: str) -> Values:
    """Return the value that a text means in a type.

    Raises:
        Unreadable: it means nothing.
    """
    low, high, nan, zoneless = _bounds(type_, text)
    return Values(kind(type_), low, high, some=not nan, nan=nan, zoneless=zoneless)


def partition_value(column: Column, values: Mapping[str, str | None]) -> Values:
    """Return the value of a partition column in a file."""
    of = column.kind
    (name,) = column.path
    if name not in values:
        return anything(of)
    text = values[name]
    if text is None:
        return null(of)
    if text == "":  # null by the protocol, an empty text to many readers
        return Values(of, b"", b"", nulls=True) if of is Kind.TEXT else null(of)
    if of is Kind.OTHER:
        return Values(of)
    # A double may have been a float when its text was written.
    type_ = "float" if column.type == "double" and not column.statistics else column.type
    try:
        return read(type_, text)
    except Unreadable:
        return anything(of)


class Statistics:
    """The statistics of a file; they include deleted rows."""

    def __init__(self, text: str | None) -> None:
        self._document = _document(text)
        self.records = _count(self._document.get("numRecords"))

    def values(self, column: Column) -> Values:
        """Return the possible values of a column; deleted rows can only widen them."""
        of, path = column.kind, column.path
        nulls = _count(self._at("nullCount", path)) if column.type != "other" else None
        if nulls is not None and nulls == self.records:
            return null(of)
        # In a structure, some writers count only the nulls whose parent is there.
        may_be_null = nulls != 0 or len(path) > 1
        if of is Kind.OTHER or not column.statistics:
            return anything(of)._replace(nulls=may_be_null)
        low = _bound(column.type, self._at("minValues", path))
        high = _bound(column.type, self._at("maxValues", path))
        if low is not _UNKNOWN and high is not _UNKNOWN and low.zoneless is not high.zoneless:
            low = high = _UNKNOWN
        # Writers leave NaN out of the bounds, or take it for the largest, or for the smallest.
        nan = of is Kind.REAL and not column.type.startswith("decimal")
        return Values(
            of,
            _below(of, low),
            _above(of, high),
            True,
            may_be_null,
            nan,
            low.zoneless or high.zoneless,
        )

    def _at(self, name: str, path: tuple[str, ...]) -> Any:
        node = self._document.get(name)
        for step in path:
            if not isinstance(node, dict):
                return None
            node = node.get(step)
        return node


_UNKNOWN = Bounds(None, None)


def _below(of: Kind, bounds: Bounds) -> Any:
    if bounds.low is None:
        return None
    return bounds.low - MILLISECOND if of is Kind.TIMESTAMP else bounds.low


def _above(of: Kind, bounds: Bounds) -> Any:
    if bounds.high is None:
        return None
    if (
        of is Kind.TEXT
    ):  # cut by most writers, some of which put a large character behind what is left; to some texts it is not large enough
        return (
            bounds.high.removesuffix(LAST[0]).removesuffix(LAST[1]).removesuffix(LAST[2]) + BEHIND
        )
    return bounds.high + MILLISECOND if of is Kind.TIMESTAMP else bounds.high


def _bound(type_: str, value: Any) -> Bounds:
    if value is None:
        return _UNKNOWN
    try:
        return _bounds(type_, value)
    except Unreadable:
        return _UNKNOWN


def _bounds(type_: str, value: Any) -> Bounds:
    reader = _READERS.get(type_) or (_decimal if type_.startswith("decimal") else None)
    if reader is None:
        raise Unreadable(type_)
    return reader(type_, value)


def _boolean(_: str, value: Any) -> Bounds:
    if isinstance(value, str):
        value = {"true": True, "false": False}.get(value.lower())
    if not isinstance(value, bool):
        raise Unreadable("boolean")
    return Bounds(value, value)


def _integer(type_: str, value: Any) -> Bounds:
    match = isinstance(value, str) and _INTEGER.fullmatch(value)
    if match or (isinstance(value, float) and value.is_integer() and abs(value) < 2**53):
        value = int(value)
    if (
        not isinstance(value, int)
        or isinstance(value, bool)
        or not -LIMITS[type_] <= value < LIMITS[type_]
    ):
        raise Unreadable(type_)
    return Bounds(value, value)


def _real(type_: str, value: Any) -> Bounds:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Unreadable(type_)
    if (
        isinstance(value, str)
        and not _NUMBER.fullmatch(value)
        and value.lower() not in NAMED_NUMBERS
    ):
        raise Unreadable(type_)
    number = double(value)
    if number != number:  # noqa: PLR0124  # NaN
        return Bounds(None, None, nan=True)
    low = high = number
    if (
        type_ == "float"
    ):  # the value is a float, its text may be that of the nearest double or of the shortest digits
        short = single(number)
        low, high = min(number, short), max(number, short)
    return Bounds(low or -TINY, high or TINY)


def single(number: float) -> float:
    """Return the float of 32 bits next to a number."""
    try:
        short: float = struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        short = float("inf") if number > 0 else float("-inf")
    return short


def _decimal(type_: str, value: Any) -> Bounds:
    text = value if isinstance(value, str) else repr(value)
    if isinstance(value, bool) or not _NUMBER.fullmatch(text):
        raise Unreadable(type_)
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise Unreadable(type_) from None
    if isinstance(value, str) or int(type_.removeprefix("decimal(").partition(",")[0]) <= PLACES:
        return Bounds(number, number)
    if number in {
        LIMITS["long"] - 1,
        LIMITS["long"],
        -LIMITS["long"],
    }:  # what delta-rs writes of all that goes beyond
        raise Unreadable(type_)
    doubt = abs(number) * Decimal(2) ** -50
    return Bounds(number - doubt, number + doubt)


def _text(type_: str, value: Any) -> Bounds:
    if not isinstance(value, str):
        raise Unreadable(type_)
    # Half a surrogate pair at the end is what cutting left of a character.
    cut = (
        value.rstrip("".join(map(chr, range(0xD800, 0xE000))))
        if value and "\ud800" <= value[-1] < "\ue000"
        else value
    )
    raw = cut.encode("utf-8", "surrogatepass")
    return Bounds(raw, raw)


def _date(type_: str, value: Any) -> Bounds:
    if not isinstance(value, str) or not (match := _DATE.fullmatch(value)):
        raise Unreadable(type_)
    try:
        day = date(int(match[1]), int(match[2]), int(match[3])).toordinal()
    except ValueError:
        raise Unreadable(type_) from None
    return Bounds(day, day)


def _timestamp(type_: str, value: Any) -> Bounds:
    if not isinstance(value, str) or not (match := _TIMESTAMP.fullmatch(value)):
        raise Unreadable(type_)
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    try:
        days = datetime(  # noqa: DTZ001
            int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0)
        )
    except ValueError:
        raise Unreadable(type_) from None
    seconds = (days.toordinal() - EPOCH) * 86400 + days.hour * 3600 + days.minute * 60 + days.second
    micros = seconds * 1_000_000 + int((fraction or "")[:6].ljust(6, "0"))
    more = 1 if len(fraction or "") > 6 else 0
    if type_ == "timestamp_ntz":
        if zone not in {None, "Z", "UTC", "+00:00"}:
            raise Unreadable(type_)
        return Bounds(micros, micros + more, zoneless=True)
    offset = _offset(zone)
    micros -= offset * MINUTE
    # Offsets were no multiples of a quarter once, and had seconds, which old writers cut.
    doubt = MINUTE if offset % 15 else 0
    return Bounds(micros - doubt, micros + doubt + more, zoneless=zone is None)


def _offset(zone: str | None) -> int:
    """Minutes."""
    if zone is None or zone in {"Z", "UTC"}:
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return -minutes if zone[0] == "-" else minutes


_READERS: dict[str, Callable[[str, Any], Bounds]] = {
    "boolean": _boolean,
    "byte": _integer,
    "short": _integer,
    "integer": _integer,
    "long": _integer,
    "float": _real,
    "double": _real,
    "string": _text,
    "date": _date,
    "timestamp": _timestamp,
    "timestamp_ntz": _timestamp,
}


def _document(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        return _mapping(orjson.loads(text))
    except orjson.JSONDecodeError:
        pass
    # NaN as a token, half a surrogate pair: read by few, written by some.
    with suppress(ValueError, RecursionError):
        return _mapping(json.loads(text))
    return {}


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
