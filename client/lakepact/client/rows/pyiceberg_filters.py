"""SQL text and expressions of pyiceberg as predicates."""

from __future__ import annotations

import json
import re
from datetime import date, time, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

from pyiceberg import expressions as e
from pyiceberg.expressions import literals
from pyiceberg.expressions.parser import parse

from lakepact.client.rows.predicates import (
    And,
    Comparison,
    IsNaN,
    IsNull,
    Moment,
    Not,
    Or,
    Predicate,
    column,
)

if TYPE_CHECKING:
    from lakepact.client.rows.predicates import Operator, Value

_COMPARISONS: dict[type, Operator] = {
    e.EqualTo: "equal",
    e.LessThan: "lessThan",
    e.LessThanOrEqual: "lessThanOrEqual",
    e.GreaterThan: "greaterThan",
    e.GreaterThanOrEqual: "greaterThanOrEqual",
}
_NEGATIVE = (e.NotNull, e.NotNaN, e.NotEqualTo, e.NotIn, e.NotStartsWith)
_TEXT = re.compile(r"'(?:[^']|'')*'")
_LIKE = re.compile(r"\blike\s*$", re.IGNORECASE)


def predicate_of(row_filter: Any) -> Predicate:
    """Return text, or an expression of pyiceberg, as a predicate.

    Raises:
        ValueError: The text is not a filter, or compares with NaN.
        TypeError: The expression is bound, or no condition.
    """
    return _predicate(_parse(row_filter) if isinstance(row_filter, str) else row_filter)


def _parse(text: str) -> Any:
    try:
        for one in _TEXT.finditer(text):
            if "_" in one[0] and _LIKE.search(text, 0, one.start()):
                raise ValueError("LIKE has one wildcard, % at the end; write = or several LIKE")  # noqa: TRY301 - reported as below
        return parse(text)
    except Exception as error:  # noqa: BLE001 - the parser raises errors of many kinds
        place = getattr(error, "loc", None)
        rest = (
            str(error) if place is None else f"it cannot be read from {json.dumps(text[place:])} on"
        )
        message = f"expected a filter such as id > 3 and city = 'Rome': {rest}"
    raise ValueError(message)


def _predicate(one: Any) -> Predicate:
    if isinstance(one, (e.AlwaysTrue, e.AlwaysFalse)):
        return And(()) if isinstance(one, e.AlwaysTrue) else Or(())
    if isinstance(one, (e.And, e.Or)):
        kind = And if isinstance(one, e.And) else Or
        return kind((_predicate(one.left), _predicate(one.right)))
    if isinstance(one, e.Not):
        return Not(_predicate(one.child))
    if not isinstance(one, e.UnboundPredicate):
        raise TypeError(f"expected a filter, not a {type(one).__name__}")
    name: str = one.term.name  # type: ignore[attr-defined] # of all terms that there are
    return Not(_positive(~one, name)) if isinstance(one, _NEGATIVE) else _positive(one, name)


def _positive(one: Any, name: str) -> Predicate:
    """Return a condition of a column."""
    if isinstance(one, e.IsNull):
        return IsNull(name)
    if isinstance(one, e.IsNaN):
        return IsNaN(name)
    if isinstance(one, e.In):
        return Or(tuple(Comparison(name, "equal", _value(literal)) for literal in one.literals))
    if isinstance(one, e.StartsWith):
        return column(name).starts_with(one.literal.value)
    return Comparison(name, _COMPARISONS[type(one)], _value(one.literal))


def _value(literal: Any) -> Value:
    """Return the value of a literal; of a moment it does not say whether it has a zone."""
    value: Any = literal.value
    if isinstance(literal, literals.TimestampLiteral):
        return Moment(value)
    if isinstance(literal, literals.DateLiteral):
        return date(1970, 1, 1) + timedelta(days=value)
    if isinstance(literal, literals.TimeLiteral):
        seconds, microsecond = divmod(value, 1_000_000)
        return time(seconds // 3600, seconds // 60 % 60, seconds % 60, microsecond)
    if isinstance(literal, literals.UUIDLiteral):
        return UUID(bytes=value)
    result: Value = value
    return result
