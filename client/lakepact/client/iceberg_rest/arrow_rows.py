"""Rows of pandas, polars, DuckDB and Arrow as tables and streams of Arrow."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from pyiceberg.schema import Schema


def arrow_rows(rows: Any, schema: Schema) -> pa.Table | pa.RecordBatchReader:
    """Return rows of a table: a `RecordBatchReader` as a stream, all others as a table of Arrow.

    Raises:
        TypeError: The rows are of a kind without columns.
        ValueError: A column is missing, or is not one of the table.
    """
    result = rows if isinstance(rows, pa.RecordBatchReader) else _table(rows)
    check_names(result.schema, schema)
    return result


def _table(rows: Any) -> pa.Table:
    if hasattr(rows, "index") and hasattr(rows, "columns"):
        return _without_index(rows)
    try:
        # A stream of polars has views, which pyiceberg cannot join.
        return rows.to_arrow() if hasattr(rows, "to_arrow") else pa.table(rows)
    except (TypeError, ValueError) as unfit:
        kind = type(rows).__name__
        message = f"expected a table of Arrow, a frame, or columns by name; given {kind}: {unfit}"
        raise TypeError(message) from unfit


def _without_index(frame: Any) -> pa.Table:
    """Return a frame of pandas without its index, unless the index may be data."""
    index = frame.index
    if index.names != [None] or index.dtype.kind not in "iu":
        names = json.dumps([None if name is None else str(name) for name in index.names])
        raise ValueError(
            f"the frame has the index {names}, which a table has no place for: reset_index() makes"
            " columns of it, reset_index(drop=True) drops it"
        )
    return pa.Table.from_pandas(frame, preserve_index=False)


def check_names(rows_schema: pa.Schema, schema: Schema) -> None:
    """Check that rows have the columns of a table.

    Raises:
        ValueError: A column is missing, is not one of the table, or is there twice.
    """
    own = [field.name for field in schema.fields]
    if unknown := [name for name in rows_schema.names if name not in own]:
        raise ValueError(
            f"the table has no column {json.dumps(unknown[0])}: leave it out of the rows, or add it"
            " with change(table).union_by_name(rows.schema)"
        )
    required = {field.name for field in schema.fields if field.required}
    absent = {field.name for field in schema.fields if field.write_default is None} & required
    if missing := sorted(absent - set(rows_schema.names)):
        raise ValueError(
            f"the rows have no column {json.dumps(missing[0])}, which the table requires"
        )
    if len(set(rows_schema.names)) < len(rows_schema.names):
        raise ValueError(f"two columns of the rows have one name: {json.dumps(rows_schema.names)}")
