"""Predicates over the rows of a file, evaluated on its statistics and partition values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Protocol

from lakepact.reference_server.delta_sharing.hints.casts import cast
from lakepact.reference_server.delta_sharing.hints.columns import Column
from lakepact.reference_server.delta_sharing.hints.outcomes import (
    ANYTHING,
    FALSE,
    NOTHING,
    NULL,
    TRUE,
    both,
    either,
    negate,
)
from lakepact.reference_server.delta_sharing.hints.values import Values, equal, less


class Known(Protocol):
    """The facts about a file."""

    def values(self, column: Column) -> Values:
        """Return the possible values of a column in its rows."""
        ...


class Predicate(Protocol):
    """True, false or null for a row."""

    def outcomes(self, facts: Known) -> int:
        """Return the possible results for the rows of a file."""
        ...

    def columns(self) -> frozenset[Column]:
        """Return the columns that it asks for."""
        ...

    def size(self) -> int:
        """Return how many comparisons it takes."""
        ...


class _Single:
    """A predicate that counts as one comparison."""

    __slots__ = ()

    def size(self) -> int:
        """Return how many comparisons it takes."""
        return 1


@dataclass(frozen=True, slots=True)
class Literal:
    """A value that stands in the predicate itself."""

    type: str
    value: Values

    def values(self, _: Known) -> Values:
        """Return the possible meanings."""
        return self.value

    def columns(self) -> frozenset[Column]:
        """None."""
        return frozenset()


@dataclass(frozen=True, slots=True)
class Reading:
    """A column, read as a type."""

    column: Column
    type: str

    def values(self, facts: Known) -> Values:
        """Return the possible values."""
        return cast(facts.values(self.column), self.column.type, self.type)

    def columns(self) -> frozenset[Column]:
        """Return the one."""
        return frozenset({self.column})


Operand = Literal | Reading


def _equal(left: Values, right: Values) -> int:
    return equal(left, right)


def _less(left: Values, right: Values) -> int:
    return less(left, right, or_equal=False)


def _less_or_equal(left: Values, right: Values) -> int:
    return less(left, right, or_equal=True)


def _greater(left: Values, right: Values) -> int:
    return less(right, left, or_equal=False)


def _greater_or_equal(left: Values, right: Values) -> int:
    return less(right, left, or_equal=True)


COMPARISONS: dict[str, Callable[[Values, Values], int]] = {
    "=": _equal,
    "<": _less,
    "<=": _less_or_equal,
    ">": _greater,
    ">=": _greater_or_equal,
}


@dataclass(frozen=True, slots=True)
class Comparison(_Single):
    """Two operands, compared by one of `COMPARISONS`."""

    sign: str
    left: Operand
    right: Operand

    def outcomes(self, facts: Known) -> int:
        """Return the possible results for the rows of a file."""
        return COMPARISONS[self.sign](self.left.values(facts), self.right.values(facts))

    def columns(self) -> frozenset[Column]:
        """Return the columns that it asks for."""
        return self.left.columns() | self.right.columns()


@dataclass(frozen=True, slots=True)
class IsNull(_Single):
    """The predicate `isNull`."""

    operand: Operand

    def outcomes(self, facts: Known) -> int:
        """Return the possible results for the rows of a file."""
        values = self.operand.values(facts)
        return (TRUE if values.nulls else NOTHING) | (NOTHING if values.empty else FALSE)

    def columns(self) -> frozenset[Column]:
        """Return the columns that it asks for."""
        return self.operand.columns()


@dataclass(frozen=True, slots=True)
class Holds(_Single):
    """A boolean operand that is itself the predicate."""

    operand: Operand

    def outcomes(self, facts: Known) -> int:
        """Return the possible results for the rows of a file."""
        values = self.operand.values(facts)
        result = NULL if values.nulls else NOTHING
        if values.some:
            result |= (TRUE if values.high is not False else NOTHING) | (
                FALSE if values.low is not True else NOTHING
            )
        return result

    def columns(self) -> frozenset[Column]:
        """Return the columns that it asks for."""
        return self.operand.columns()


@dataclass(frozen=True, slots=True)
class Unsure(_Single):
    """Something about columns that this server cannot judge."""

    def outcomes(self, facts: Known) -> int:  # noqa: ARG002  # nothing of the file helps
        """Anything."""
        return ANYTHING

    def columns(self) -> frozenset[Column]:
        """None that would help."""
        return frozenset()


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite of a predicate."""

    child: Predicate

    def outcomes(self, facts: Known) -> int:
        """Return the possible results for the rows of a file."""
        return negate(self.child.outcomes(facts))

    def columns(self) -> frozenset[Column]:
        """Return the columns that it asks for."""
        return self.child.columns()

    def size(self) -> int:
        """Return how many comparisons it takes."""
        return self.child.size()


@dataclass(frozen=True, slots=True)
class Joined:
    """Predicates joined by AND (`both`) or OR (`either`)."""

    join: Callable[[int, int], int]
    children: tuple[Predicate, ...]

    def outcomes(self, facts: Known) -> int:
        """Return the possible results for the rows of a file; all children are evaluated, so that
        every error counts.
        """
        return reduce(
            self.join,
            [child.outcomes(facts) for child in self.children],
            TRUE if self.join is both else FALSE,
        )

    def columns(self) -> frozenset[Column]:
        """Return the columns that it asks for."""
        return frozenset().union(*(child.columns() for child in self.children))

    def size(self) -> int:
        """Return how many comparisons it takes."""
        return sum(child.size() for child in self.children)


def conjunction(*children: Predicate) -> Predicate:
    """Return all of the predicates."""
    return Joined(both, children) if len(children) != 1 else children[0]


def disjunction(*children: Predicate) -> Predicate:
    """Return the predicate that at least one of several holds."""
    return Joined(either, children) if len(children) != 1 else children[0]
