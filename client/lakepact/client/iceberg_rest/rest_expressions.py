"""Predicates as expressions of Iceberg, for a scan that the server plans."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import reduce
from typing import Any
from uuid import UUID

from lakepact.client.rows.predicates import (
    And,
    Comparison,
    IsNaN,
    IsNull,
    Moment,
    Not,
    Or,
    Predicate,
)

_REST = {
    "equal": "eq",
    "lessThan": "lt",
    "lessThanOrEqual": "lt-eq",
    "greaterThan": "gt",
    "greaterThanOrEqual": "gt-eq",
}


def rest_expression(predicate: Predicate) -> dict[str, Any]:
    """Return a predicate as the filter of a scan in the REST contract."""
    if isinstance(predicate, (And, Or)):
        kind, of_none = ("and", "true") if isinstance(predicate, And) else ("or", "false")
        return reduce(
            lambda left, right: {"type": kind, "left": left, "right": right},
            [rest_expression(part) for part in predicate.parts] or [{"type": of_none}],
        )
    if isinstance(predicate, Not):
        return {"type": "not", "child": rest_expression(predicate.part)}
    if isinstance(predicate, (IsNull, IsNaN)):
        kind = "is-null" if isinstance(predicate, IsNull) else "is-nan"
        return {"type": kind, "term": predicate.column}
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
    if isinstance(value, Moment):
        raise TypeError(
            "an expression of pyiceberg does not say whether its time has a zone: write"
            ' column("…") and a datetime instead'
        )
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    return value
