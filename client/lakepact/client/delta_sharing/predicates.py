"""Predicates: which rows a caller wants, written down once, told to the server as a hint and applied to what it gives.

    (column("country") == "DE") & (column("day") >= date(2024, 1, 1))

They follow SQL: what is unknown, because a value is null, is not wanted; use `is_null` to ask for nulls.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

#: The types of values that a column can be compared with.
Value: TypeAlias = bool | int | float | str | bytes | date | datetime | Decimal
Operator: TypeAlias = Literal["equal", "lessThan", "lessThanOrEqual", "greaterThan", "greaterThanOrEqual"]


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
        raise TypeError("a predicate has no truth of its own: combine predicates by &, | and ~, not by and, or and not")


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
class And(Predicate):
    """All of several conditions."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Or(Predicate):
    """One at least of several conditions."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Not(Predicate):
    """The contrary of a condition."""

    part: Predicate


class Column:
    """A column of a table, to be compared with values."""

    __slots__ = ("_name",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"column({self._name!r})"

    def __eq__(self, value: object) -> Predicate:  # type: ignore[override]
        return self._compared("equal", value)

    def __ne__(self, value: object) -> Predicate:  # type: ignore[override]
        return Not(self._compared("equal", value))

    def __lt__(self, value: Value) -> Predicate:
        return self._compared("lessThan", value)

    def __le__(self, value: Value) -> Predicate:
        return self._compared("lessThanOrEqual", value)

    def __gt__(self, value: Value) -> Predicate:
        return self._compared("greaterThan", value)

    def __ge__(self, value: Value) -> Predicate:
        return self._compared("greaterThanOrEqual", value)

    def is_null(self) -> Predicate:
        """Return rows without a value in this column."""
        return IsNull(self._name)

    def is_not_null(self) -> Predicate:
        """Return rows with a value in this column."""
        return Not(IsNull(self._name))

    def is_in(self, values: Iterable[Value]) -> Predicate:
        """Return rows with one of these values in this column.

        Raises:
            ValueError: There are no values.
        """
        parts = tuple(self._compared("equal", value) for value in values)
        if not parts:
            raise ValueError(f"no values for {self!r} to be one of")
        return parts[0] if len(parts) == 1 else Or(parts)

    def _compared(self, operator: Operator, value: Any) -> Comparison:
        if value is None:
            raise ValueError(f"nothing compares with None; use {self!r}.is_null()")
        if not isinstance(value, (bool, int, float, str, bytes, date, Decimal)):
            raise TypeError(f"{self!r} cannot be compared with a {type(value).__name__}")
        if isinstance(value, (float, Decimal)) and math.isnan(value):
            raise ValueError(f"{self!r} cannot be compared with NaN: nothing is equal to it, more or less")
        return Comparison(self._name, operator, value)


def column(name: str) -> Column:
    """Return the column of that name, to be compared with values."""
    return Column(name)


def columns_of(predicate: Predicate) -> set[str]:
    """Return the names of the columns that a predicate looks at."""
    if isinstance(predicate, (And, Or)):
        return {name for part in predicate.parts for name in columns_of(part)}
    if isinstance(predicate, Not):
        return columns_of(predicate.part)
    assert isinstance(predicate, (Comparison, IsNull))  # noqa: S101 - these are all there are
    return {predicate.column}


def hint(predicate: Predicate) -> str | None:
    """Return JSON predicate hints that every wanted row satisfies; None if there are none."""
    document = _wider(predicate)
    return None if document is None else json.dumps(document, separators=(",", ":"))


def _wider(predicate: Predicate) -> dict[str, Any] | None:
    """Return the tree of a predicate or of a wider one; None for that which every row satisfies."""
    if isinstance(predicate, And):
        known = [tree for part in predicate.parts if (tree := _wider(part)) is not None]
        return {"op": "and", "children": known} if len(known) > 1 else next(iter(known), None)
    if isinstance(predicate, Or):
        trees = [_wider(part) for part in predicate.parts]
        return None if None in trees else {"op": "or", "children": trees}
    return _exact(predicate)


def _exact(predicate: Predicate) -> dict[str, Any] | None:
    """Return the tree of just this predicate; None where the contract has no words for it."""
    if isinstance(predicate, (And, Or)):
        trees = [_exact(part) for part in predicate.parts]
        return None if None in trees else {"op": "and" if isinstance(predicate, And) else "or", "children": trees}
    if isinstance(predicate, Not):
        tree = _exact(predicate.part)
        return None if tree is None else {"op": "not", "children": [tree]}
    if isinstance(predicate, Comparison):
        return _comparison(predicate)
    if isinstance(predicate, IsNull):
        # The type of a column that is only asked for nulls does not matter, but it has to be said.
        return {"op": "isNull", "children": [{"op": "column", "name": predicate.column, "valueType": "string"}]}
    return None


def _comparison(predicate: Comparison) -> dict[str, Any] | None:
    written = _written(predicate.value)
    if written is None:
        return None
    kind, text = written
    column, literal = {"op": "column", "name": predicate.column}, {"op": "literal", "value": text}
    return {"op": predicate.operator, "children": [column | {"valueType": kind}, literal | {"valueType": kind}]}


def _written(value: Value) -> tuple[str, str] | None:
    """Return the type and the text of a value, in the contract's words; None where it has none."""
    if isinstance(value, bool):
        return "bool", "true" if value else "false"
    if isinstance(value, int):
        return ("long", str(value)) if -(2**63) <= value < 2**63 else None
    if isinstance(value, float):
        return ("double", repr(value)) if math.isfinite(value) else None
    if isinstance(value, str):
        return "string", value
    if isinstance(value, datetime):
        # A time without a zone is of a type that the contract's predicates do not know.
        return ("timestamp", utc(value)) if value.tzinfo else None
    return ("date", value.isoformat()) if isinstance(value, date) else None


def utc(moment: datetime) -> str:
    """Return a moment in ISO 8601 as the contract wants it, in UTC.

    Raises:
        ValueError: It has no zone.
    """
    if moment.tzinfo is None:
        raise ValueError("a moment needs a time zone, such as datetime.now(UTC)")
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def _parts(kind: type[And | Or], predicate: Predicate) -> tuple[Predicate, ...]:
    return predicate.parts if isinstance(predicate, kind) else (predicate,)
