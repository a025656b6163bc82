"""Possible values of a column in the rows of a file, and comparisons of two such sets."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any, NamedTuple

from lakepact.reference_server.delta_sharing.hints.outcomes import FALSE, NOTHING, NULL, TRUE

#: A time of day without a zone is an instant of this many microseconds earlier or later, wherever
#: its reader sits.
ZONES = 24 * 3600 * 1_000_000
#: The largest shift at a clock change: a skipped local time is read at most this much later.
SKIPPED = 2 * 3600 * 1_000_000


class Kind(Enum):
    """Values that can be compared with each other."""

    BOOLEAN = auto()
    INTEGER = auto()  #: int
    REAL = auto()  #: int, float or Decimal; may be compared with INTEGER
    TEXT = auto()  #: bytes of UTF-8, whose order is the order of code points
    DATE = auto()  #: days since the year 1
    TIMESTAMP = auto()  #: microseconds since 1970
    OTHER = auto()  #: nothing is known but whether it is null


class Values(NamedTuple):
    """The possible values: those from `low` to `high`, null, and NaN.

    The bounds need not occur. Equal bounds mean that single value.
    """

    kind: Kind
    low: Any = None  #: None: there is no bound
    high: Any = None
    some: bool = True  #: may hold values within the bounds
    nulls: bool = False
    nan: bool = False
    zoneless: bool = (
        False  #: of timestamps: a date and a time of day, an instant only for those who know where
    )

    @property
    def point(self) -> bool:
        """Whether it is one known value, or null."""
        return self.some and not self.nan and self.low is not None and self.low == self.high

    @property
    def empty(self) -> bool:
        """Whether there is nothing but null, if that."""
        return not self.some and not self.nan


def anything(kind: Kind) -> Values:
    """Return all that values of a kind could be."""
    return Values(kind, nulls=True, nan=kind is Kind.REAL)


def null(kind: Kind) -> Values:
    """Null and nothing else."""
    return Values(kind, some=False, nulls=True)


_RELATED = ({Kind.INTEGER, Kind.REAL}, {Kind.DATE, Kind.TIMESTAMP})


def together(left: Values, right: Values) -> Values:
    """Return all that two files may hold."""
    if right.empty or left.empty:
        wider, other = (left, right) if right.empty else (right, left)
        return wider._replace(nulls=wider.nulls or other.nulls)
    lows: list[Any] = [left.low, right.low]
    highs: list[Any] = [left.high, right.high]
    same_clock = left.zoneless is right.zoneless
    return Values(
        left.kind,
        min(lows) if None not in lows and same_clock else None,
        max(highs) if None not in highs and same_clock else None,
        left.some or right.some,
        left.nulls or right.nulls,
        left.nan or right.nan,
        left.zoneless,
    )


def comparable(left: Kind, right: Kind) -> bool:
    """Return whether values of two kinds have an order between them; a date also counts as its
    midnight.
    """
    return Kind.OTHER not in {left, right} and (left is right or {left, right} in _RELATED)


def equal(left: Values, right: Values) -> int:
    """Return the outcomes that left = right may have in a row, as flags: TRUE, FALSE, NULL."""
    left, right = _align(left, right)
    result = NULL if left.nulls or right.nulls else NOTHING
    if left.some and right.some:
        if _reaches(left.low, right.high) and _reaches(right.low, left.high):
            result |= TRUE
        if not (left.low == left.high == right.low == right.high) or left.low is None:
            result |= FALSE
    if (left.nan and right.some) or (right.nan and left.some):
        result |= FALSE
    if left.nan and right.nan:  # equal to itself in SQL, to nothing in IEEE 754
        result |= TRUE | FALSE
    return result


def less(left: Values, right: Values, *, or_equal: bool) -> int:
    """Return the outcomes that left < right, or left <= right, may have in a row, as flags."""
    left, right = _align(left, right)
    result = NULL if left.nulls or right.nulls else NOTHING
    if left.some and right.some:
        if (
            left.low is None
            or right.high is None
            or left.low < right.high
            or (or_equal and left.low == right.high)
        ):
            result |= TRUE
        if (
            left.high is None
            or right.low is None
            or left.high > right.low
            or (not or_equal and left.high == right.low)
        ):
            result |= FALSE
    # NaN is the largest number in SQL, and neither less nor more than anything in IEEE 754.
    if left.nan and (right.some or right.nan):
        result |= FALSE
    if right.nan and (left.some or left.nan):
        result |= TRUE | FALSE
    return result


def _align(left: Values, right: Values) -> tuple[Values, Values]:
    """Return both as whatever they may be compared as."""
    if left.kind is Kind.TIMESTAMP or right.kind is Kind.TIMESTAMP:
        return _on_one_clock(left, right)
    # Some readers compare doubles whenever one side is not whole: decimals may then be equal that
    # are not.
    return (
        (as_doubles(left), as_doubles(right))
        if left.kind is Kind.REAL or right.kind is Kind.REAL
        else (left, right)
    )


def as_doubles(values: Values) -> Values:
    """Return numbers as they are or as the nearest doubles, whichever a reader compares."""
    low, high = values.low, values.high
    return values._replace(
        kind=Kind.REAL,
        low=None if low is None else min(low, double(low)),
        high=None if high is None else max(high, double(high)),
    )


def double(number: Any) -> float:
    """Return the double next to a number."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def midnight(dates: Values) -> Values:
    """Dates as the timestamps they are cast to."""
    low, high = dates.low, dates.high
    return dates._replace(kind=Kind.TIMESTAMP, low=_start(low), high=_start(high), zoneless=True)


EPOCH = 719_163  #: 1970-01-01 in days since the year 1
DAY = 24 * 3600 * 1_000_000


def _start(day: int | None) -> int | None:
    return None if day is None else (day - EPOCH) * DAY


def _reaches(low: Any, high: Any) -> bool:
    return low is None or high is None or low <= high


def _on_one_clock(left: Values, right: Values) -> tuple[Values, Values]:
    left, right = (midnight(side) if side.kind is Kind.DATE else side for side in (left, right))
    if left.zoneless and right.zoneless:
        return _shift(left, 0, SKIPPED), _shift(right, 0, SKIPPED)
    return (_shift(left, ZONES, ZONES) if left.zoneless else left), (
        _shift(right, ZONES, ZONES) if right.zoneless else right
    )


def _shift(values: Values, down: int, up: int) -> Values:
    return values._replace(
        low=None if values.low is None else values.low - down,
        high=None if values.high is None else values.high + up,
    )
