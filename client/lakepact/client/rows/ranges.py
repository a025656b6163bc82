"""Outcomes of predicates on rows that are not read, from the ranges of their columns.

A predicate on a row is true, false, or unknown (null). The range of each column shows which of the
three can occur; rows on which a predicate is never true are skipped. A missing bound excludes
nothing.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from lakepact.client.rows.predicates import And, Comparison, IsNaN, IsNull, Not, Or, Predicate

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.client.rows.predicates import Leaf

#: The values that a predicate can have on some rows; None is unknown.
Outcomes: TypeAlias = frozenset[bool | None]
ANY: Outcomes = frozenset({True, False, None})
ALWAYS: Outcomes = frozenset({True})


@dataclass(frozen=True, slots=True)
class Range:
    """The bounds of a column in some rows, without nulls and NaN; None for unknown ones."""

    low: Any = None
    high: Any = None
    has_nulls: bool = True
    has_values: bool = True
    has_nans: bool = False


def outcomes(predicate: Predicate, of_leaf: Callable[[Leaf], Outcomes]) -> Outcomes:
    """Return the possible values of a predicate, from those of its conditions on single columns."""
    if isinstance(predicate, (And, Or)):
        is_and = isinstance(predicate, And)
        join = _both if is_and else _either
        result: Outcomes = frozenset({is_and})
        for part in predicate.parts:
            result = frozenset(
                itertools.starmap(join, itertools.product(result, outcomes(part, of_leaf)))
            )
        return result
    if isinstance(predicate, Not):
        return frozenset(
            None if outcome is None else not outcome
            for outcome in outcomes(predicate.part, of_leaf)
        )
    assert isinstance(predicate, (Comparison, IsNull, IsNaN))  # noqa: S101
    return of_leaf(predicate)


def of_range(leaf: Leaf, column: Range) -> Outcomes:
    """Return the possible values of a condition on a column with a range."""
    if isinstance(leaf, IsNull):
        possible = ((True, column.has_nulls), (False, column.has_values))
        return frozenset(outcome for outcome, can_be in possible if can_be)
    result: set[bool | None] = {None} if column.has_nulls else set()
    if column.has_values and isinstance(leaf, IsNaN):
        result |= {False, column.has_nans}
    elif column.has_values and isinstance(leaf, Comparison):
        result |= _of_values(leaf, column)
        if column.has_nans:
            result.add(False)
    return frozenset(result)


def _of_values(predicate: Comparison, column: Range) -> set[bool | None]:
    low, high, value = column.low, column.high, predicate.value
    try:
        below, above = low is None or low < value, high is None or high > value
        from_low, to_high = low is None or low <= value, high is None or high >= value
    except TypeError:
        return {True, False}
    can_be = {
        "equal": (from_low and to_high, below or above),
        "lessThan": (below, to_high),
        "lessThanOrEqual": (from_low, above),
        "greaterThan": (above, from_low),
        "greaterThanOrEqual": (to_high, below),
    }
    is_true, is_false = can_be[predicate.operator]
    return {outcome for outcome, is_possible in ((True, is_true), (False, is_false)) if is_possible}


def _both(one: bool | None, other: bool | None) -> bool | None:  # noqa: FBT001
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def _either(one: bool | None, other: bool | None) -> bool | None:  # noqa: FBT001
    if one is True or other is True:
        return True
    return None if one is None or other is None else False
