"""Filters of rows as callers write them, for both contracts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias

from lakepact.client.rows.needs import need
from lakepact.client.rows.predicates import And, Predicate

if TYPE_CHECKING:
    from pyiceberg.expressions import BooleanExpression

#: Filters that callers write.
RowFilter: TypeAlias = "str | Predicate | BooleanExpression"


def predicate_of(row_filter: RowFilter) -> Predicate:
    """Return a filter as a predicate.

    Raises:
        ValueError: The text is not a filter, or compares with NaN.
        TypeError: It is of another type.
        ImportError: pyiceberg, which reads text, is missing.
    """
    if isinstance(row_filter, Predicate):
        return row_filter
    is_expression = type(row_filter).__module__.startswith("pyiceberg.")
    if not isinstance(row_filter, str) and not is_expression:
        raise TypeError(
            "expected a filter: text such as \"id > 3 and city = 'Rome'\", a predicate such as"
            ' column("id") > 3, or an expression of pyiceberg; given a '
            + json.dumps(type(row_filter).__name__)
        )
    need("pyiceberg")
    from lakepact.client.rows import pyiceberg_filters  # noqa: PLC0415 - where pyiceberg is there

    return pyiceberg_filters.predicate_of(row_filter)


def selection_of(row_filter: RowFilter | None) -> Predicate | None:
    """Return a filter as a predicate, None for all rows. The errors are those of `predicate_of`."""
    predicate = None if row_filter is None else predicate_of(row_filter)
    return None if predicate == And(()) else predicate
