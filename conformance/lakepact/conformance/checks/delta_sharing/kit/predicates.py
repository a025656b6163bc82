"""Predicates over rows, in SQL and as JSON trees, and their value for a row."""

from __future__ import annotations

import datetime as dt
import json
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any, Protocol

from lakepact.conformance.evidence.exchanges import Document, Members

#: Operation in SQL → comparison of values, operation in JSON, and the operation with its sides
#: swapped.
OPERATIONS: dict[str, tuple[Callable[[Any, Any], bool], str, str]] = {
    "=": (operator.eq, "equal", "="),
    "<": (operator.lt, "lessThan", ">"),
    "<=": (operator.le, "lessThanOrEqual", ">="),
    ">": (operator.gt, "greaterThan", "<"),
    ">=": (operator.ge, "greaterThanOrEqual", "<="),
    "<>": (operator.ne, "", "<>"),
}

#: Type of a column → the `valueType` of a JSON predicate about it; JSON has no others. The contract
#: does not have the last one: a server supports it or ignores the predicate.
VALUE_TYPES = {
    "string": "string",
    "long": "long",
    "integer": "int",
    "short": "int",
    "byte": "int",
    "float": "float",
    "double": "double",
    "boolean": "bool",
    "date": "date",
    "timestamp": "timestamp",
    "timestamp_ntz": "timestamp_ntz",
}

#: Types with unambiguous constants in SQL; a timestamp would need a zone.
SQL_TYPES = frozenset({*VALUE_TYPES, "decimal"} - {"timestamp"})


class Predicate(Protocol):
    """A predicate that holds, does not hold, or is unknown for a row."""

    def holds(self, row: Members) -> bool | None:
        """Return whether a row satisfies it; None where a null, or a NaN, leaves it open."""
        ...

    def sql(self) -> str:
        """Return it as SQL."""
        ...

    def tree(self) -> Document:
        """Return it as a JSON predicate."""
        ...


@dataclass(frozen=True)
class Comparison:
    """A column compared with a constant, which may be written first."""

    column: str
    kind: str
    operation: str
    value: Any
    constant_first: bool = False

    def holds(self, row: Members) -> bool | None:
        """Return whether a row satisfies it."""
        value = row.get(self.column)
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return None
        return OPERATIONS[self.operation][0](value, self.value)

    def sql(self) -> str:
        """Return it as SQL."""
        name = self.column if self.column.isidentifier() else f"`{self.column}`"
        if self.constant_first:
            return f"{constant(self.value)} {OPERATIONS[self.operation][2]} {name}"
        return f"{name} {self.operation} {constant(self.value)}"

    def tree(self) -> Document:
        """Return it as a JSON predicate."""
        if self.operation == "<>":
            return {
                "op": "not",
                "children": [
                    Comparison(self.column, self.kind, "=", self.value, self.constant_first).tree()
                ],
            }
        sides = [column(self.column, self.kind), literal(self.value, self.kind)]
        operation = OPERATIONS[self.operation][2] if self.constant_first else self.operation
        return {
            "op": OPERATIONS[operation][1],
            "children": sides[::-1] if self.constant_first else sides,
        }


@dataclass(frozen=True)
class IsNull:
    """A column is null, or with `inverse` it is not."""

    column: str
    kind: str
    inverse: bool = False

    def holds(self, row: Members) -> bool | None:
        """Return whether a row satisfies it."""
        return (row.get(self.column) is None) != self.inverse

    def sql(self) -> str:
        """Return it as SQL."""
        name = self.column if self.column.isidentifier() else f"`{self.column}`"
        return f"{name} IS {'NOT ' if self.inverse else ''}NULL"

    def tree(self) -> Document:
        """Return it as a JSON predicate."""
        plain = {"op": "isNull", "children": [column(self.column, self.kind)]}
        return {"op": "not", "children": [plain]} if self.inverse else plain


@dataclass(frozen=True)
class Joined:
    """Predicates joined by `and` or `or`."""

    operation: str
    parts: tuple[Predicate, ...]

    def holds(self, row: Members) -> bool | None:
        """Return whether a row satisfies it."""
        outcomes = {part.holds(row) for part in self.parts}
        decisive = self.operation == "or"
        return decisive if decisive in outcomes else None if None in outcomes else not decisive

    def sql(self) -> str:
        """Return it as SQL."""
        return "(" + f" {self.operation.upper()} ".join(part.sql() for part in self.parts) + ")"

    def tree(self) -> Document:
        """Return it as a JSON predicate."""
        return {"op": self.operation, "children": [part.tree() for part in self.parts]}


@dataclass(frozen=True)
class Negated:
    """The negation of a predicate; unknown stays unknown."""

    part: Predicate

    def holds(self, row: Members) -> bool | None:
        """Return whether a row satisfies it."""
        outcome = self.part.holds(row)
        return None if outcome is None else not outcome

    def sql(self) -> str:
        """Return it as SQL."""
        return f"NOT ({self.part.sql()})"

    def tree(self) -> Document:
        """Return it as a JSON predicate."""
        return {"op": "not", "children": [self.part.tree()]}


def column(name: str, kind: str) -> Document:
    """Return a column as a leaf of a JSON predicate."""
    return {"op": "column", "name": name, "valueType": VALUE_TYPES[kind]}


def literal(value: Any, kind: str) -> Document:
    """Return a constant as a leaf of a JSON predicate."""
    return {"op": "literal", "value": text(value), "valueType": VALUE_TYPES[kind]}


def hint(tree: Any) -> str:
    """Return a tree as the string for `jsonPredicateHints`."""
    return json.dumps(tree)


def text(value: Any) -> str:
    """Return a constant as a JSON predicate writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dt.datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%S.%f") + ("Z" if value.tzinfo else "")
    return str(value)


def constant(value: Any) -> str:
    """Return a constant as SQL writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, dt.date)):
        return f"'{value}'"
    return str(value)


# -- at random -------------------------------------------------------------------------------------


class Draw:
    """Draws predicates about the rows of a table, near their values.

    Args:
        random: the source of random numbers.
        rows: the rows of the table.
        kinds: column → type, of the columns that predicates may be about.
    """

    def __init__(self, random: Random, rows: Sequence[Members], kinds: Mapping[str, str]) -> None:
        self._random = random
        self._rows = rows
        self._kinds = kinds

    def leaf(self) -> Predicate:
        """Return a comparison, or a test for null."""
        name = self._random.choice(sorted(self._kinds))
        values = [
            row[name] for row in self._rows if not (row[name] is None or row[name] != row[name])
        ]
        if not values or self._random.random() < 0.12:
            return IsNull(name, self._kinds[name], self._random.random() < 0.5)
        value = self._near(self._random.choice(values))
        operation = self._random.choice(sorted(OPERATIONS))
        return Comparison(name, self._kinds[name], operation, value, self._random.random() < 0.3)

    def tree(self, depth: int = 2) -> Predicate:
        """Return a tree of predicates, at most `depth` deep."""
        chance = self._random.random()
        if depth == 0 or chance < 0.3:
            return self.leaf()
        if chance < 0.5:
            return Negated(self.tree(depth - 1))
        parts = tuple(self.tree(depth - 1) for _ in range(self._random.choice((2, 2, 3))))
        return Joined("and" if chance < 0.75 else "or", parts)

    def _near(self, value: Any) -> Any:
        """Return a value, or one close to it."""
        if self._random.random() < 0.5 or isinstance(value, bool):
            return value
        sign = self._random.choice((-1, 1))
        if isinstance(value, str):
            return (
                self._random.choice((value[: len(value) // 2], value + "~", value.swapcase()))
                .replace("'", "")
                .replace("\\", "")
            )
        if isinstance(value, dt.datetime):
            return value + sign * dt.timedelta(microseconds=self._random.choice((1, 500, 1000)))
        if isinstance(value, dt.date):
            return value + sign * dt.timedelta(days=1)
        if isinstance(value, Decimal):
            return value + sign * Decimal("0.01")
        return value + sign * (1 if isinstance(value, int) else 0.125)
