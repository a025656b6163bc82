"""Dates and times as the integers of the table format, for any year, parsed from text and written
as text.
"""

from __future__ import annotations

import re

SECOND = {"us": 1_000_000, "ns": 1_000_000_000}  #: units of a second
DAY_SECONDS = 86_400
DIGITS = {"us": 6, "ns": 9}

_DATE = r"([+-]?[0-9]{4,6})-([0-9]{2})-([0-9]{2})"
_TIME = r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?"
_WHOLE_DATE = re.compile(_DATE)
_WHOLE_TIME = re.compile(_TIME)
_MOMENT = re.compile(f"{_DATE}T{_TIME}(Z|[+-][0-9]{{2}}:[0-9]{{2}})?")
_MONTH_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def days_of(year: int, month: int, day: int) -> int:
    """Return the days from 1970-01-01 to a date of the proleptic Gregorian calendar."""
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def date_of(days: int) -> tuple[int, int, int]:
    """Year, month and day of a date."""
    era, of_era = divmod(days + 719_468, 146_097)
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month_index = (5 * of_year + 2) // 153
    month = month_index + 3 if month_index < 10 else month_index - 9
    return year + era * 400 + (month <= 2), month, of_year - (153 * month_index + 2) // 5 + 1


def read_date(text: str) -> int | None:
    """Return the days that a date stands for, or None if it is no date."""
    match = _WHOLE_DATE.fullmatch(text)
    return _days(*match.groups()) if match else None


def read_time(text: str, unit: str = "us") -> int | None:
    """Return the units since midnight that a time stands for, or None if it is no time."""
    match = _WHOLE_TIME.fullmatch(text)
    return _units(match.groups(), unit) if match else None


def read_moment(text: str, unit: str, *, with_zone: bool) -> int | None:
    """Return the units since 1970 that a timestamp stands for, or None if it is none, or has a zone
    where none belongs or the reverse.
    """
    match = _MOMENT.fullmatch(text)
    if match is None or (match[8] is not None) != with_zone:
        return None
    days, units = _days(*match.groups()[:3]), _units(match.groups()[3:7], unit)
    offset = _offset(match[8]) if with_zone else 0
    if days is None or units is None or offset is None:
        return None
    return (days * DAY_SECONDS - offset) * SECOND[unit] + units


def show_date(days: int) -> str:
    """Return a date as text."""
    year, month, day = date_of(days)
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04d}-{month:02d}-{day:02d}"


def show_time(units: int, unit: str = "us") -> str:
    """Return a time of day as text."""
    seconds, fraction = divmod(units, SECOND[unit])
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{fraction:0{DIGITS[unit]}d}"


def show_moment(units: int, unit: str, *, with_zone: bool) -> str:
    """Return a timestamp as text; one with a zone is in UTC."""
    days, rest = divmod(units, DAY_SECONDS * SECOND[unit])
    return f"{show_date(days)}T{show_time(rest, unit)}{'+00:00' if with_zone else ''}"


def month_begin(months: int) -> int:
    """Return the days to the first day of a month that is counted from 1970-01."""
    year, month = divmod(months, 12)
    return days_of(1970 + year, month + 1, 1)


def _days(year: str, month: str, day: str) -> int | None:
    y, m, d = int(year), int(month), int(day)
    if not 1 <= m <= 12 or not 1 <= d <= _MONTH_DAYS[m - 1]:
        return None
    days = days_of(y, m, d)
    return days if date_of(days) == (y, m, d) else None


def _units(groups: tuple[str | None, ...], unit: str) -> int | None:
    hour, minute, second, fraction = (group or "" for group in groups)
    hours, minutes, seconds = int(hour), int(minute), int(second or 0)
    if hours > 23 or minutes > 59 or seconds > 59:
        return None
    # Values finer than the unit cannot be distinguished from their neighbours.
    if len(fraction) > DIGITS[unit] and fraction[DIGITS[unit] :].strip("0"):
        return None
    return (hours * 3600 + minutes * 60 + seconds) * SECOND[unit] + int(
        fraction[: DIGITS[unit]].ljust(DIGITS[unit], "0")
    )


def _offset(zone: str) -> int | None:
    if zone == "Z":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[4:6])
    if hours > 18 or minutes > 59:
        return None
    return (-1 if zone[0] == "-" else 1) * (hours * 3600 + minutes * 60)
