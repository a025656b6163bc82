"""Known ranges of a column's values in a file, and whether a predicate holds for no, every or some
row.

A span contains every value that the file may hold, so that a skipped file cannot have a matching
row.
Readers differ: whether NaN is greater than every number, and whether null is unequal to a value. A
file is kept if any of them could find a row, and a predicate holds for every row only if all of
them agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from lakepact.reference_server.iceberg_rest.scan_planning.values import Literal


class Rows(Enum):
    """Which rows of a file match a test."""

    NONE = auto()
    SOME = auto()  #: unknown without reading rows
    ALL = auto()


@dataclass(frozen=True, slots=True)
class Span:
    """The possible values."""

    values: bool = True  #: neither null nor NaN
    null: bool = True
    nan: bool = False
    lower: Any = None  #: no value is less; None if that is not known
    upper: Any = None  #: no value is greater
    upper_is_prefix: bool = False  #: values may begin with `upper` and go on
    admits: Callable[[Literal], bool] | None = (
        None  #: whether a value can be among them, where bounds do not say it
    )

    def may_be_above(self, value: Any, *, or_equal: bool) -> bool:
        """Return whether there may be a value above, or equal if that counts."""
        upper = self.upper
        if upper is None:
            return True
        if self.upper_is_prefix:
            return bool(upper >= value[: len(upper)])
        return bool(upper > value or (or_equal and upper == value))

    def may_be_below(self, value: Any, *, or_equal: bool) -> bool:
        """Return whether there may be a value below, or equal if that counts."""
        return self.lower is None or bool(self.lower < value or (or_equal and self.lower == value))

    def may_be(self, literal: Literal) -> bool:
        """Return whether the literal may be among the values."""
        return (
            self.may_be_above(literal.low, or_equal=True)
            and self.may_be_below(literal.high, or_equal=True)
            and (self.admits is None or self.admits(literal))
        )

    def is_only(self, literal: Literal) -> bool:
        """Return whether every value is exactly that one."""
        return (
            self.lower is not None
            and not self.upper_is_prefix
            and self.lower == self.upper == literal.low == literal.high
        )

    def only_values(self) -> bool:
        """Return whether no row is null or NaN."""
        return self.values and not self.null and not self.nan


ANYTHING = Span(nan=True)


def rows(span: Span, kind: str, literals: tuple[Literal, ...], *, or_nan: bool = False) -> Rows:
    """Return which rows match a test of that kind; with `or_nan`, NaN may match too."""
    none, every = _JUDGES[kind](span, literals)
    return Rows.NONE if none and not (or_nan and span.nan) else Rows.ALL if every else Rows.SOME


def _is_null(span: Span, _: tuple[Literal, ...]) -> tuple[bool, bool]:
    return not span.null, span.null and not span.values and not span.nan


def _not_null(span: Span, _: tuple[Literal, ...]) -> tuple[bool, bool]:
    return not span.values and not span.nan, not span.null


def _is_nan(span: Span, _: tuple[Literal, ...]) -> tuple[bool, bool]:
    return not span.nan, span.nan and not span.values and not span.null


def _not_nan(span: Span, _: tuple[Literal, ...]) -> tuple[bool, bool]:
    return span.nan and not span.values and not span.null, not span.nan and not span.null


def _below(span: Span, literal: Literal, *, or_equal: bool) -> tuple[bool, bool]:
    none = not (span.values and span.may_be_below(literal.high, or_equal=or_equal))
    return none, span.only_values() and not span.may_be_above(literal.low, or_equal=not or_equal)


def _above(span: Span, literal: Literal, *, or_equal: bool) -> tuple[bool, bool]:
    none = not (span.nan or (span.values and span.may_be_above(literal.low, or_equal=or_equal)))
    return none, span.only_values() and not span.may_be_below(literal.high, or_equal=not or_equal)


def _in(span: Span, literals: tuple[Literal, ...]) -> tuple[bool, bool]:
    none = not (span.values and any(span.may_be(literal) for literal in literals))
    return none, span.only_values() and any(span.is_only(literal) for literal in literals)


def _not_in(span: Span, literals: tuple[Literal, ...]) -> tuple[bool, bool]:
    none = span.only_values() and any(span.is_only(literal) for literal in literals)
    return none, span.only_values() and not any(span.may_be(literal) for literal in literals)


def _starts_with(span: Span, literals: tuple[Literal, ...]) -> tuple[bool, bool]:
    prefix = literals[0].low
    none = not (span.values and _may_begin_with(span, prefix))
    return none, span.only_values() and _begins_with(span, prefix)


def _not_starts_with(span: Span, literals: tuple[Literal, ...]) -> tuple[bool, bool]:
    prefix = literals[0].low
    none = span.only_values() and _begins_with(span, prefix)
    return none, span.only_values() and not _may_begin_with(span, prefix)


def _may_begin_with(span: Span, prefix: Any) -> bool:
    length = len(prefix)
    if span.lower is not None and span.lower[:length] > prefix:
        return False
    if span.upper is None:
        return True
    shared = min(length, len(span.upper)) if span.upper_is_prefix else length
    return bool(span.upper[:length] >= prefix[:shared])


def _begins_with(span: Span, prefix: Any) -> bool:
    return all(
        bound is not None and bound[: len(prefix)] == prefix for bound in (span.lower, span.upper)
    )


_JUDGES: dict[str, Callable[[Span, tuple[Literal, ...]], tuple[bool, bool]]] = {
    "is-null": _is_null,
    "not-null": _not_null,
    "is-nan": _is_nan,
    "not-nan": _not_nan,
    "lt": lambda span, literals: _below(span, literals[0], or_equal=False),
    "lt-eq": lambda span, literals: _below(span, literals[0], or_equal=True),
    "gt": lambda span, literals: _above(span, literals[0], or_equal=False),
    "gt-eq": lambda span, literals: _above(span, literals[0], or_equal=True),
    "eq": _in,
    "not-eq": _not_in,
    "in": _in,
    "not-in": _not_in,
    "starts-with": _starts_with,
    "not-starts-with": _not_starts_with,
}
