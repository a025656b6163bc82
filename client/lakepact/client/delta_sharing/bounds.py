"""Statistics of files as the values that they can stand for: writers shorten texts, cut times, and
round numbers.
"""

from __future__ import annotations

import json
import math
from array import array
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from lakepact.client.delta_sharing import partition_values
from lakepact.client.delta_sharing.schemas import Primitive
from lakepact.client.rows.predicates import successor

if TYPE_CHECKING:
    from lakepact.client.delta_sharing.schemas import Type

#: Digits that every double holds: delta-rs writes a decimal as a double.
_DIGITS = 15
#: delta-rs writes these for decimals without a fraction that exceed 64 bits.
_LONGEST = (-(2**63), 2**63 - 1)
#: Characters of a text that is not known to be cut.
_WHOLE = 31
#: Ends of cut texts: characters that writers put there, and halves of characters, also as they are
#: encoded.
_ENDS = "?\ufffd\uffff" + "".join(map(chr, (0x10FFFF, *range(0xD800, 0xE000))))


def around(value: Any, kind: Type) -> tuple[Any, Any] | None:
    """Return the least and the greatest value that a statistic can stand for, None for one without
    limit; None if it says nothing.

    Args:
        value: The statistic as JSON, with real numbers as decimals.
        kind: The type of its column now; the file may be of before it was widened.
    """
    read = _read(value, kind)
    if isinstance(read, float):
        return _real(read)
    if isinstance(read, Decimal):
        return _decimal(read, kind)
    if isinstance(read, str):
        return read, _end(read)
    if isinstance(read, datetime):
        return _time(read)
    return None if read is None else (read, read)


def _read(value: Any, kind: Type) -> Any:
    """Return a statistic in the type of its column; None if it says nothing."""
    if not isinstance(kind, Primitive) or kind.name == "binary" or value is None:
        return None
    if kind.name == "string":
        return value if isinstance(value, str) else None
    try:
        if kind.name in {"float", "double"}:
            return float(value)
        return partition_values.parse(
            value if isinstance(value, str) else json.dumps(value, default=str).strip('"'), kind
        )
    except (ValueError, TypeError, OverflowError):
        return None


def _real(number: float) -> tuple[float, float] | None:
    if math.isnan(number):
        return None  # the greatest number to some writers
    single = array("f", [number])[0]
    # Otherwise it can be the short text of a float, also in a column that is a double now.
    doubt = 0.0 if single == number or math.isinf(single) else abs(number) * 2**-23 + 2**-149
    return number - doubt, number + doubt


def _decimal(number: Decimal, kind: Type) -> tuple[Decimal | None, Decimal | None]:
    doubt = (
        abs(number) * Decimal(2) ** -48
        if isinstance(kind, Primitive) and kind.precision > _DIGITS
        else Decimal(0)
    )
    return None if number == _LONGEST[0] else number - doubt, None if number == _LONGEST[
        1
    ] else number + doubt


def _time(moment: datetime) -> tuple[datetime | None, datetime | None]:
    # Times are cut to milliseconds, and the offsets of zones, which had seconds once, to minutes.
    cut = timedelta(minutes=1) if moment.utcoffset() else timedelta(milliseconds=1)
    return _shift(moment, -cut), _shift(moment, cut)


def _shift(moment: datetime, by: timedelta) -> datetime | None:
    try:
        return moment + by
    except OverflowError:
        return None


def _end(text: str) -> str | None:
    """Return a text behind all that a maximum can stand for."""
    return (
        text
        if len(text) <= _WHOLE and text == text.rstrip(_ENDS[1:])
        else successor(text.rstrip(_ENDS))
    )
