"""Values of partition columns, parsed from their text."""

from __future__ import annotations

import datetime as dt
import re
import struct
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.exchanges import Place
from lakepact.conformance.judging import expect

DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
TIMESTAMP = re.compile(r"(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(\.\d{1,9})?(Z|[+-]00:?00)?")
WHOLE = re.compile(r"[+-]?\d+")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(Infinity|Inf|NaN)", re.IGNORECASE)


def value_of(text: Any, kind: str, *, at: Place | None = None) -> Any:
    """Return the value of a partition column, whose text is at a place; null and the empty string
    are null.

    Raises:
        Unmet: the text is not that of such a value.
    """
    if text is None or text == "":
        return None
    if not isinstance(text, str):
        raise expect.unmet(
            f"a string as the value of a partition column of type {kind}",
            expect.excerpt(text),
            at=at,
            kind=Kind.TYPE,
        )
    reader = _READERS.get(kind, _decimal if kind.startswith("decimal") else None)
    if reader is None:
        raise expect.unmet("a partition column of a primitive type", kind, at=None)
    try:
        return reader(text)
    except (ValueError, InvalidOperation) as wrong:
        raise expect.unmet(
            f"the text of a {kind} as partition value", expect.excerpt(text), at=at
        ) from wrong


def _integer(text: str) -> int:
    if not WHOLE.fullmatch(text):
        raise ValueError(text)
    return int(text)


def _double(text: str) -> float:
    if not NUMBER.fullmatch(text):
        raise ValueError(text)
    return float(text)


def _float(text: str) -> float:
    return float(struct.unpack("<f", struct.pack("<f", _double(text)))[0])


def _decimal(text: str) -> Decimal:
    return Decimal(text)


def _boolean(text: str) -> bool:
    if text not in {"true", "false"}:
        raise ValueError(text)
    return text == "true"


def _date(text: str) -> dt.date:
    if not DATE.fullmatch(text):
        raise ValueError(text)
    return dt.date.fromisoformat(text)


def _local(text: str) -> dt.datetime:
    match = TIMESTAMP.fullmatch(text)
    if not match:
        raise ValueError(text)
    micros = (match[3] or ".")[1:7].ljust(6, "0")
    return dt.datetime.fromisoformat(f"{match[1]}T{match[2]}.{micros}")


def _timestamp(text: str) -> dt.datetime:
    return _local(text).replace(tzinfo=dt.UTC)


_READERS: dict[str, Callable[[str], Any]] = {
    "string": str,
    "long": _integer,
    "integer": _integer,
    "short": _integer,
    "byte": _integer,
    "float": _float,
    "double": _double,
    "boolean": _boolean,
    "date": _date,
    "timestamp": _timestamp,
    "timestamp_ntz": _local,
}
