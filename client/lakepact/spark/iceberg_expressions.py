"""Predicates as expressions of Iceberg, for pyiceberg and for a scan that the server plans."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from functools import reduce
from typing import Any

from pyiceberg import expressions as e

from lakepact.client.rows.predicates import And, Comparison, IsNull, Not, Or, Predicate

_PYICEBERG: dict[str, Any] = {
    "equal": e.EqualTo,
    "lessThan": e.LessThan,
    "lessThanOrEqual": e.LessThanOrEqual,
    "greaterThan": e.GreaterThan,
    "greaterThanOrEqual": e.GreaterThanOrEqual,
}
_REST = {
    "equal": "eq",
    "lessThan": "lt",
    "lessThanOrEqual": "lt-eq",
    "greaterThan": "gt",
    "greaterThanOrEqual": "gt-eq",
}


def pyiceberg_expression(predicate: Predicate) -> e.BooleanExpression:
    """Return a predicate as an expression of pyiceberg."""
    if isinstance(predicate, (And, Or)):
        return reduce(
            e.And if isinstance(predicate, And) else e.Or,
            map(pyiceberg_expression, predicate.parts),
        )
    if isinstance(predicate, Not):
        return e.Not(pyiceberg_expression(predicate.part))
    if isinstance(predicate, IsNull):
        return e.IsNull(term=e.Reference(predicate.column))
    assert isinstance(predicate, Comparison)  # noqa: S101 - these are all there are
    made: e.BooleanExpression = _PYICEBERG[predicate.operator](predicate.column, predicate.value)
    return made


def rest_expression(predicate: Predicate) -> dict[str, Any]:
    """Return a predicate as the filter of a scan in the REST contract."""
    if isinstance(predicate, (And, Or)):
        kind = "and" if isinstance(predicate, And) else "or"
        return reduce(
            lambda left, right: {"type": kind, "left": left, "right": right},
            map(rest_expression, predicate.parts),
        )
    if isinstance(predicate, Not):
        return {"type": "not", "child": rest_expression(predicate.part)}
    if isinstance(predicate, IsNull):
        return {"type": "is-null", "term": predicate.column}
    assert isinstance(predicate, Comparison)  # noqa: S101 - these are all there are
    return {
        "type": _REST[predicate.operator],
        "term": predicate.column,
        "value": _value(predicate.value),
    }


def _value(value: Any) -> Any:
    """Return a value in the single-value serialization of Iceberg."""
    if isinstance(value, datetime):
        moment = value.astimezone(UTC) if value.tzinfo else value
        return moment.isoformat(timespec="microseconds")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return f"{value:f}"
    return value
