"""The tables of `lakepact data write` as they were written: a side of a comparison that needs no
server.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from lakepact.conformance.evidence.arrow import Schema, pa
from lakepact.data.compare.arrow_columns import columns, fields
from lakepact.data.compare.model import Layout, PartitionField, PinnedTable
from lakepact.data.shapes import ICEBERG, Shape
from lakepact.data.truth import Version, WrittenTable

FIELD_ID = b"PARQUET:field_id"


def truth(table: WrittenTable, version: int, *, rows: Version | None = None) -> PinnedTable:
    """Return a version of a table as it was written.

    Args:
        table: The table.
        version: Its number, from 0.
        rows: The rows, if not those of the version.
    """
    shape, rows = table.shape_of(version), rows or table.versions[version]
    schema = pa.schema([field.with_nullable(True) for field in shape.schema])
    return PinnedTable(
        name=f"{table.protocol} {table.name}, version {version}",
        pin=f"version {version} of data.json",
        layout=_layout(table, shape, version),
        schema=schema,
        batches=lambda: (batch.cast(schema) for batch in rows.rows(shape)),
        frame=lambda session: _frame(session, shape, rows),
    )


def field_ids(schema: Schema) -> dict[str, int]:
    """Return the field ids of a schema, by path."""
    return {path: int(field.metadata[FIELD_ID]) for path, field in fields(schema)}


def _frame(session: Any, shape: Shape, rows: Version) -> Any:
    from_arrow_schema = import_module("pyspark.sql.pandas.types").from_arrow_schema
    numbers = session.range(rows.first, rows.last)
    batches = lambda batches: (shape.rows(batch.column(0).to_numpy()) for batch in batches)  # noqa: E731 - Spark sends it to its workers
    return numbers.mapInArrow(batches, from_arrow_schema(shape.schema))


def _layout(table: WrittenTable, shape: Shape, version: int) -> Layout:
    is_iceberg = table.protocol == ICEBERG
    ids = table.ids[version] if table.ids else {}
    return Layout(
        format=table.protocol,
        columns=tuple(columns(shape.schema, ids)),
        partition=tuple(
            PartitionField(transform, column)
            for column, transform in shape.partition
            if is_iceberg or transform == "identity"
        ),
        format_version=str(shape.format_version) if is_iceberg else "",
    )
