"""Predicates bound to the columns of a shared table, and the rows for which they are true."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lakepact.client.delta_sharing.schemas import Primitive
from lakepact.client.rows.comparisons import with_type
from lakepact.client.rows.matching import exact_scalar, matcher
from lakepact.client.rows.predicates import Comparison, IsNaN, Predicate, with_leaves

if TYPE_CHECKING:
    import pyarrow as pa

    from lakepact.client.delta_sharing.schemas import Schema
    from lakepact.client.rows.comparisons import Kind
    from lakepact.client.rows.matching import Matcher
    from lakepact.client.rows.predicates import Leaf

#: The types of columns for comparisons.
_KINDS: dict[str, Kind] = {
    "byte": "integer",
    "short": "integer",
    "integer": "integer",
    "long": "integer",
    "decimal": "decimal",
    "float": "real",
    "double": "real",
    "boolean": "boolean",
    "string": "string",
    "binary": "binary",
    "date": "date",
    "timestamp": "timestamptz",
    "timestamp_ntz": "timestamp",
}


def bound(predicate: Predicate, schema: Schema) -> Predicate:
    """Return a predicate with the names of the columns as the schema has them, and values in their
    types.

    Raises:
        ValueError: The table has no such column.
        TypeError: A column is compared with a value of another type.
    """
    return with_leaves(predicate, lambda leaf: _bound(leaf, schema))


def _bound(leaf: Leaf, schema: Schema) -> Leaf:
    column = schema.column(leaf.column)
    kind = column.type if isinstance(column.type, Primitive) else Primitive("")
    leaf = replace(leaf, column=column.name)
    if isinstance(leaf, IsNaN) and _KINDS.get(kind.name) != "real":
        raise TypeError(f"column {column.name} is {column.type}, which has no NaN")
    if not isinstance(leaf, Comparison):
        return leaf
    sizes = {"precision": kind.precision, "scale": kind.scale}
    return with_type(leaf, _KINDS.get(kind.name, "other"), column.type, **sizes)


def row_matcher(predicate: Predicate, columns: pa.Schema) -> Matcher:
    """Return a function of tables of these columns: for each row, whether the predicate is true."""
    return matcher(
        predicate,
        lambda name: lambda rows: rows.column(name),
        lambda name, value: exact_scalar(value, columns.field(name).type),
    )
