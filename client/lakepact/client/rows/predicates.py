"""Predicates: which rows a caller wants, written down once, told to the server as a hint and
applied to what it gives.

    (column("country") == "DE") & (column("day") >= date(2024, 1, 1))

They follow SQL: what is unknown, because a value is null, is not wanted; use `is_null` to ask for
nulls. NaN is equal to nothing, and
neither less nor greater: it satisfies `!=` and the contrary of any other comparison; use `is_nan`
to ask for it.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from uuid import UUID

from lakepact.client.moments import utc
from lakepact.client.several import Several, several

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment in microseconds since 1970; only its column says whether it has a zone."""

    microseconds: int

    def datetime(self, *, has_zone: bool) -> datetime:
        """Return the moment, in UTC if it has a zone."""
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=self.microseconds)
        return moment if has_zone else moment.replace(tzinfo=None)


#: The types of values that a column can be compared with.
Value: TypeAlias = (
    bool | int | float | str | bytes | date | datetime | time | Decimal | UUID | Moment
)
Operator: TypeAlias = Literal[
    "equal", "lessThan", "lessThanOrEqual", "greaterThan", "greaterThanOrEqual"
]
_LAST_CODE_POINT, _SURROGATES = 0x10FFFF, (0xD800, 0xDFFF)
#: Types of hints whose statistics are exact, or are cut so that they hold for any comparison.
_EXACT = frozenset({"bool", "string", "date"})
_CONTRARIES: dict[str, tuple[Operator, ...]] = {
    "equal": ("lessThan", "greaterThan"),
    "lessThan": ("greaterThanOrEqual",),
    "lessThanOrEqual": ("greaterThan",),
    "greaterThan": ("lessThanOrEqual",),
    "greaterThanOrEqual": ("lessThan",),
}


class Predicate:
    """A condition on rows; `&`, `|` and `~` make others of it."""

    __slots__ = ()

    def __and__(self, other: Predicate) -> Predicate:
        return And((*_parts(And, self), *_parts(And, other)))

    def __or__(self, other: Predicate) -> Predicate:
        return Or((*_parts(Or, self), *_parts(Or, other)))

    def __invert__(self) -> Predicate:
        return Not(self)

    def __bool__(self) -> bool:
        raise TypeError(
            "a predicate has no truth of its own: combine predicates by &, | and ~, not by and, or"
            " and not"
        )


@dataclass(frozen=True, slots=True)
class Comparison(Predicate):
    """A column compared with a value."""

    column: str
    operator: Operator
    value: Value


@dataclass(frozen=True, slots=True)
class IsNull(Predicate):
    """A column without a value."""

    column: str


@dataclass(frozen=True, slots=True)
class IsNaN(Predicate):
    """A real column whose value is no number."""

    column: str


@dataclass(frozen=True, slots=True)
class And(Predicate):
    """All of several conditions; true without any."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Or(Predicate):
    """One at least of several conditions; false without any."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Not(Predicate):
    """The contrary of a condition."""

    part: Predicate


#: A condition on one column.
Leaf: TypeAlias = Comparison | IsNull | IsNaN


class Column:
    """A column of a table, to be compared with values."""

    __slots__ = ("_name",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"column({self._name!r})"

    def __eq__(self, value: object) -> Predicate:  # type: ignore[override]
        return self._compare("equal", value)

    def __ne__(self, value: object) -> Predicate:  # type: ignore[override]
        return Not(self._compare("equal", value))

    def __lt__(self, value: Value) -> Predicate:
        return self._compare("lessThan", value)

    def __le__(self, value: Value) -> Predicate:
        return self._compare("lessThanOrEqual", value)

    def __gt__(self, value: Value) -> Predicate:
        return self._compare("greaterThan", value)

    def __ge__(self, value: Value) -> Predicate:
        return self._compare("greaterThanOrEqual", value)

    def is_null(self) -> Predicate:
        """Return rows without a value in this column."""
        return IsNull(self._name)

    def is_not_null(self) -> Predicate:
        """Return rows with a value in this column."""
        return Not(IsNull(self._name))

    def is_nan(self) -> Predicate:
        """Return rows with NaN in this column."""
        return IsNaN(self._name)

    def starts_with(self, prefix: str) -> Predicate:
        """Return rows with a text in this column that begins with a prefix."""
        after, first = successor(prefix), self >= prefix
        return first if after is None else first & (self < after)

    def is_in(self, values: Several[Value]) -> Predicate:
        """Return rows with one of these values in this column.

        Raises:
            ValueError: There are no values.
        """
        parts = tuple(self._compare("equal", value) for value in several("values", values))
        if not parts:
            raise ValueError(f"no values for {self!r} to be one of")
        return parts[0] if len(parts) == 1 else Or(parts)

    def _compare(self, operator: Operator, value: Any) -> Comparison:
        if value is None:
            raise ValueError(f"nothing compares with None; use {self!r}.is_null()")
        if type(value).__module__ == "numpy":
            value = value.item()
        if not isinstance(value, (bool, int, float, str, bytes, date, time, Decimal, UUID)):
            raise TypeError(f"{self!r} cannot be compared with a {type(value).__name__}")
        if isinstance(value, (float, Decimal)) and math.isnan(value):
            raise ValueError(
                f"{self!r} cannot be compared with NaN: nothing is equal to it, more or less"
            )
        return Comparison(self._name, operator, value)


def column(name: str) -> Column:
    """Return the column of that name, to be compared with values."""
    return Column(name)


def columns_of(predicate: Predicate) -> set[str]:
    """Return the names of the columns that a predicate looks at."""
    names = set[str]()

    def note(leaf: Leaf) -> Leaf:
        names.add(leaf.column)
        return leaf

    with_leaves(predicate, note)
    return names


def with_leaves(predicate: Predicate, replacement: Callable[[Leaf], Predicate]) -> Predicate:
    """Return a predicate with others in place of its conditions on single columns."""
    if isinstance(predicate, (And, Or)):
        return type(predicate)(tuple(with_leaves(part, replacement) for part in predicate.parts))
    if isinstance(predicate, Not):
        return Not(with_leaves(predicate.part, replacement))
    assert isinstance(predicate, (Comparison, IsNull, IsNaN))  # noqa: S101 - these are all there are
    return replacement(predicate)


def successor(prefix: str) -> str | None:
    """Return the first text after all that begin with a prefix, in the order of code points; None
    if there is none.
    """
    rest = prefix.rstrip(chr(_LAST_CODE_POINT))
    if not rest:
        return None
    point = ord(rest[-1]) + 1
    return rest[:-1] + chr(
        _SURROGATES[1] + 1 if _SURROGATES[0] <= point <= _SURROGATES[1] else point
    )


def hint(predicate: Predicate) -> str | None:
    """Return JSON predicate hints that every wanted row satisfies; None if there are none.

    Servers compare hints with statistics: some take `not` of a comparison, or `isNull`, for a fact
    about all rows of a file, and times that were cut to milliseconds for exact ones. So hints are
    comparisons that no such server answers with too few files.
    """
    document = _wider(predicate, negative=False)
    return None if document is None else json.dumps(document, separators=(",", ":"))


def _wider(predicate: Predicate, *, negative: bool) -> dict[str, Any] | None:
    """Return the tree of a predicate, of its contrary, or of a wider one; None for that which every
    row may satisfy.
    """
    if isinstance(predicate, Not):
        return _wider(predicate.part, negative=not negative)
    if isinstance(predicate, (And, Or)):
        trees = [_wider(part, negative=negative) for part in predicate.parts] or [None]
        if isinstance(predicate, And) is not negative:
            return _join("and", [tree for tree in trees if tree is not None])
        return None if None in trees else {"op": "or", "children": trees}
    if isinstance(predicate, Comparison) and (bounds := _hint_texts(predicate.value)) is not None:
        return _contrary(predicate, *bounds) if negative else _comparison(predicate, *bounds)
    return None


def _comparison(predicate: Comparison, kind: str, low: str, high: str) -> dict[str, Any]:
    def comparison(operator: str, text: str) -> dict[str, Any]:
        column = {"op": "column", "name": predicate.column}
        literal = {"op": "literal", "value": text}
        return {
            "op": operator,
            "children": [column | {"valueType": kind}, literal | {"valueType": kind}],
        }

    if predicate.operator != "equal":
        # Statistics of inexact kinds are rounded, so the bound itself is included.
        operator = (
            predicate.operator
            if kind in _EXACT
            else predicate.operator.removesuffix("OrEqual") + "OrEqual"
        )
        return comparison(operator, high if operator.startswith("less") else low)
    if low == high:
        return comparison("equal", low)
    return {
        "op": "and",
        "children": [comparison("greaterThanOrEqual", low), comparison("lessThanOrEqual", high)],
    }


def _contrary(predicate: Comparison, kind: str, low: str, high: str) -> dict[str, Any] | None:
    """Return the contrary of a comparison; None for numbers, as NaN satisfies it and no statistic
    counts NaN.
    """
    if kind == "long" or (predicate.operator == "equal" and kind not in _EXACT):
        return None
    trees = [
        _comparison(replace(predicate, operator=operator), kind, low, high)
        for operator in _CONTRARIES[predicate.operator]
    ]
    return _join("or", trees)


def _join(operator: str, trees: list[dict[str, Any]]) -> dict[str, Any] | None:
    return {"op": operator, "children": trees} if len(trees) > 1 else next(iter(trees), None)


def _hint_texts(value: Value) -> tuple[str, str, str] | None:
    """Return the type of a value and the texts between which statistics have it, in the contract's
    words; None where it has none.
    """
    if isinstance(value, bool):
        text = "true" if value else "false"
        return "bool", text, text
    if isinstance(value, int):
        # Statistics of decimals can be rounded to doubles.
        low, high = value - (abs(value) >> 50), value + (abs(value) >> 50)
        return ("long", str(low), str(high)) if -(2**63) <= low <= high < 2**63 else None
    if isinstance(value, str):
        # Servers order texts by UTF-8 or by UTF-16, which differ from there on. The column may
        # hold dates or times, of which the text is one spelling.
        is_safe = all(letter < "\ud800" for letter in value) and not _is_moment(value)
        return ("string", value, value) if is_safe else None
    if isinstance(value, datetime):
        # A time without a zone is of a type that the contract's predicates do not know.
        return (
            (
                "timestamp",
                utc(value.replace(microsecond=value.microsecond // 1000 * 1000)),
                utc(value),
            )
            if value.tzinfo
            else None
        )
    # Statistics of real numbers are short texts, and NaN can be the greatest of them: no hint is
    # right for all.
    return ("date", value.isoformat(), value.isoformat()) if isinstance(value, date) else None


def _is_moment(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _parts(kind: type[And | Or], predicate: Predicate) -> tuple[Predicate, ...]:
    return predicate.parts if isinstance(predicate, kind) else (predicate,)
