"""The tables of `lakepact data write` as they were written: a side of a comparison that needs no
server.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from lakepact.conformance.evidence.arrow import Schema, pa
from lakepact.data.compare.model import Column, Layout, PartitionField, PinnedTable
from lakepact.data.shapes import ICEBERG, Shape
from lakepact.data.truth import Version, WrittenTable

FIELD_ID = b"PARQUET:field_id"
#: Types of Arrow, as both formats name them.
NAMES = {
    "bool": "boolean",
    "int32": "int",
    "int64": "long",
    "float": "float",
    "double": "double",
    "string": "string",
    "binary": "binary",
    "date32[day]": "date",
    "timestamp[us]": "timestamp",
    "timestamp[us, tz=UTC]": "timestamptz",
}


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
    return {path: int(field.metadata[FIELD_ID]) for path, field in _fields(schema, "")}


def _frame(session: Any, shape: Shape, rows: Version) -> Any:
    from_arrow_schema = import_module("pyspark.sql.pandas.types").from_arrow_schema
    numbers = session.range(rows.first, rows.last)
    made = lambda batches: (shape.rows(batch.column(0).to_numpy()) for batch in batches)  # noqa: E731 - Spark sends it to its workers
    return numbers.mapInArrow(made, from_arrow_schema(shape.schema))


def _layout(table: WrittenTable, shape: Shape, version: int) -> Layout:
    is_iceberg = table.protocol == ICEBERG
    ids = table.ids[version] if table.ids else {}
    return Layout(
        format=table.protocol,
        columns=tuple(_columns(shape.schema, ids)),
        partition=tuple(
            PartitionField(transform, column)
            for column, transform in shape.partition
            if is_iceberg or transform == "identity"
        ),
        format_version=str(shape.format_version) if is_iceberg else "",
    )


def _columns(schema: Schema, ids: Mapping[str, int]) -> Iterator[Column]:
    for path, field in _fields(schema, ""):
        yield Column(path, _type(field.type), not field.nullable, ids.get(path))


def _fields(parent: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    count = len(parent) if isinstance(parent, pa.Schema) else parent.num_fields
    fields = [parent.field(n) for n in range(count)]
    names = [field.name for field in fields]
    if isinstance(parent, pa.MapType):
        fields, names = [parent.key_field, parent.item_field], ["key", "value"]
    elif not isinstance(parent, pa.Schema | pa.StructType):
        names = ["element"]
    for name, field in zip(names, fields, strict=True):
        yield f"{prefix}{name}", field
        if pa.types.is_nested(field.type):
            yield from _fields(field.type, f"{prefix}{name}.")


def _type(kind: Any) -> str:
    if pa.types.is_decimal(kind):
        return f"decimal({kind.precision}, {kind.scale})"
    nested = {pa.types.is_struct: "struct", pa.types.is_map: "map", pa.types.is_list: "list"}
    return next((name for check, name in nested.items() if check(kind)), NAMES.get(str(kind), ""))
