"""Timestamps as requests write them: ISO 8601 with a zone, read to the millisecond, and nothing
guessed.
"""

from __future__ import annotations

import datetime as dt
import re

ISO_8601 = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,30}))?)?(?:[Zz]|([+-])(\d{2})(?::?(\d{2}))?)",
    re.ASCII,
)
EPOCH_DAY = dt.date(1970, 1, 1).toordinal()
LONGEST = 60  #: characters of a value that a message repeats


class BadTimestamp(ValueError):
    """A text is not a timestamp of the protocol; the message says what one looks like."""


def not_before(text: str) -> int:
    """Return the first millisecond of the epoch that does not lie before a timestamp.

    Raises:
        BadTimestamp: the text is none.
    """
    milliseconds, beyond = _read(text)
    return milliseconds + beyond


def not_after(text: str) -> int:
    """Return the last millisecond of the epoch that does not lie after a timestamp.

    Raises:
        BadTimestamp: the text is none.
    """
    return _read(text)[0]


def _read(text: str) -> tuple[int, bool]:
    """Return the milliseconds of a timestamp, and whether it lies a little beyond them."""
    match = ISO_8601.fullmatch(text)
    if match is None:
        raise _bad(text)
    year, month, day, hour, minute = (int(part) for part in match.group(1, 2, 3, 4, 5))
    second = int(match[6] or 0)
    ahead_hours, ahead_minutes = int(match[9] or 0), int(match[10] or 0)
    if hour > 23 or minute > 59 or second > 59 or ahead_hours > 18 or ahead_minutes > 59:
        raise _bad(text)
    try:
        days = dt.date(year, month, day).toordinal() - EPOCH_DAY
    except ValueError:
        raise _bad(text) from None
    ahead = (ahead_hours * 60 + ahead_minutes) * (-1 if match[8] == "-" else 1)
    seconds = ((days * 24 + hour) * 60 + minute - ahead) * 60 + second
    fraction = match[7] or ""
    return seconds * 1000 + int(fraction[:3].ljust(3, "0")), fraction[3:].strip("0") != ""


def _bad(text: str) -> BadTimestamp:
    return BadTimestamp(
        f"{text[:LONGEST]!r} is not a timestamp of ISO 8601 with a zone, such as"
        " 2022-01-01T00:00:00Z"
    )
