"""Values of Iceberg tables as Delta spells them: partition values as text, bounds as JSON."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from lakepact.reference_server.iceberg_rest.scan_planning.values import LONGEST_DECIMAL

EPOCH = date(1970, 1, 1)
START = datetime(1970, 1, 1)  # noqa: DTZ001  # a time of day is put behind the day, and the zone behind both
#: Types of Delta partition values: all readers parse their text in the same way.
PARTITION_TYPES = frozenset({"string", "integer", "long", "date", "boolean"})


class NoText(ValueError):
    """A value whose text readers parse differently."""


def partition_text(type_: str, value: Any) -> str | None:
    """Return the text of a partition value.

    Args:
        type_: its type, as Delta names it.
        value: the value as Avro has it.

    Raises:
        NoText: it has none.
    """
    if value is None:
        return None
    if type_ == "boolean" and isinstance(value, bool):
        return "true" if value else "false"
    if type_ in {"integer", "long"} and isinstance(value, int):
        return str(value)
    if type_ == "date" and isinstance(value, int):
        return _day(value).isoformat()
    if type_ == "string" and isinstance(value, str) and value:  # an empty one would be null
        return value
    if type_.startswith("decimal") and isinstance(value, bytes) and len(value) <= LONGEST_DECIMAL:
        return _decimal(value, type_)
    raise NoText(type_)


def bound(type_: str, raw: bytes) -> str | None:
    """Return a bound as JSON text; None if it has none that holds for all readers.

    Args:
        type_: the type of the column, as Delta names it.
        raw: the bound as Iceberg serialises single values.
    """
    reader = _BOUNDS.get(type_) or (_decimal if type_.startswith("decimal") else None)
    if reader is None:
        return None
    try:
        return reader(raw, type_)
    except (struct.error, NoText, ValueError, OverflowError):
        return None


def _day(days: int) -> date:
    try:
        return EPOCH + timedelta(days=days)
    except OverflowError:
        raise NoText("date") from None


def _integer(raw: bytes, _: str) -> str:
    # Values written before their column became a long still have four bytes.
    return str(struct.unpack("<i" if len(raw) == 4 else "<q", raw)[0])


def _real(raw: bytes, _: str) -> str:
    value: float = struct.unpack("<f" if len(raw) == 4 else "<d", raw)[0]
    if not math.isfinite(value):
        raise NoText("infinity")
    return repr(value)


def _date(raw: bytes, _: str) -> str:
    return f'"{_day(struct.unpack("<i", raw)[0]).isoformat()}"'


def _timestamp(raw: bytes, type_: str) -> str:
    moment = START + timedelta(microseconds=struct.unpack("<q", raw)[0])
    return f'"{moment.isoformat(timespec="microseconds")}{"Z" if type_ == "timestamp" else ""}"'


def _string(raw: bytes, _: str) -> str:
    return json.dumps(raw.decode())


def _decimal(raw: bytes, type_: str) -> str:
    scale = int(type_.rstrip(")").rpartition(",")[2])
    return format(
        Decimal(f"{int.from_bytes(raw, 'big', signed=True)}E-{scale}"), "f"
    )  # calculated with, it would be rounded


_BOUNDS: dict[str, Callable[[bytes, str], str]] = {
    "integer": _integer,
    "long": _integer,
    "float": _real,
    "double": _real,
    "date": _date,
    "timestamp": _timestamp,
    "timestamp_ntz": _timestamp,
    "string": _string,
}
