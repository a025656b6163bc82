"""Timestamps as requests write them."""

from __future__ import annotations

import datetime as dt

EPOCH = "1970-01-01T00:00:00Z"
LATEST = "9999-01-01T00:00:00Z"
SECOND = 1000  #: milliseconds


def as_of(milliseconds: int) -> str:
    """Return the next whole second at or after a time, in ISO 8601 and UTC."""
    return at(-(-milliseconds // SECOND) * SECOND)


def at(milliseconds: int, *, offset_hours: int = 0, fraction: bool = False) -> str:
    """Return a time in ISO 8601, to the second or to the millisecond, in UTC or with another
    offset.
    """
    zone = dt.timezone(dt.timedelta(hours=offset_hours))
    moment = dt.datetime.fromtimestamp(milliseconds // SECOND, tz=dt.UTC).astimezone(zone)
    text = moment.strftime("%Y-%m-%dT%H:%M:%S") + (
        f".{milliseconds % SECOND:03d}" if fraction else ""
    )
    return text + (moment.strftime("%z")[:3] + ":00" if offset_hours else "Z")
