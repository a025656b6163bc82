"""Schemas of Arrow as schemas of Spark, and Arrow tables as the record batches that Spark
expects.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pyarrow as pa
from pyspark.errors import AnalysisException, PySparkTypeError
from pyspark.sql import types as t
from pyspark.sql.pandas.types import from_arrow_type, to_arrow_schema

#: Rows of one record batch: Spark holds several at a time.
_BATCH_ROWS = 65_536


def spark_schema(schema: Any) -> t.StructType:
    """Return the schema of Spark for a schema of Arrow, with everything nullable, as
    `spark.read.parquet` has it.

    Raises:
        AnalysisException: Spark has no type for a column.
    """
    return t.StructType([t.StructField(field.name, _nullable(_type(field))) for field in schema])


def _type(field: Any) -> t.DataType:
    if _is_uuid(field.type):
        return t.StringType()  # as Iceberg's own source has it
    try:
        return from_arrow_type(field.type, prefer_timestamp_ntz=True)
    except PySparkTypeError:
        message = (
            f"lakepact: Spark has no type for column {field.name}, which is {field.type}; name"
            " other columns with .schema(…)"
        )
        raise AnalysisException(message) from None


def _is_uuid(kind: Any) -> bool:
    return isinstance(kind, pa.BaseExtensionType) and kind.extension_name == "arrow.uuid"


def _texts(column: Any) -> Any:
    """Return UUIDs as texts of 36 characters."""
    values = [value for chunk in column.chunks for value in chunk.storage.to_pylist()]
    texts = [None if value is None else str(UUID(bytes=value)) for value in values]
    return pa.chunked_array([pa.array(texts, pa.string())])


def _nullable(kind: t.DataType) -> t.DataType:
    if isinstance(kind, t.StructType):
        return t.StructType(
            [t.StructField(field.name, _nullable(field.dataType)) for field in kind]
        )
    if isinstance(kind, t.ArrayType):
        return t.ArrayType(_nullable(kind.elementType))
    if isinstance(kind, t.MapType):
        return t.MapType(_nullable(kind.keyType), _nullable(kind.valueType))
    return kind


def check_fits(table: Any, schema: t.StructType) -> None:
    """Check that the wanted columns are columns of a table, with their types.

    Args:
        table: The columns of the table as Arrow has them.
        schema: The wanted columns.

    Raises:
        AnalysisException: A column is missing or has another type.
    """
    fields = {field.name: field for field in table}
    for each in schema:
        if each.name not in fields:
            raise AnalysisException(
                f"lakepact: the table has no column {each.name!r}; it has {', '.join(fields)}"
            )
        actual, expected = _nullable(_type(fields[each.name])), _nullable(each.dataType)
        if actual != expected:
            types = (
                f"{actual.simpleString()} in the table, and {expected.simpleString()} in the schema"
            )
            raise AnalysisException(
                f"lakepact: column {each.name} is {types}; load the table again"
            )


def record_batches(table: Any, schema: t.StructType) -> Iterator[Any]:
    """Yield the rows of a table of Arrow in the columns and types of a schema of Spark.

    Raises:
        ValueError: A value has no equal in the type of its column.
    """
    kinds = to_arrow_schema(
        t.StructType([t.StructField(field.name, _nullable(field.dataType)) for field in schema])
    )
    columns = [
        _texts(column) if _is_uuid(column.type) else column.cast(kind.type)
        for column, kind in zip(table.select(schema.names).columns, kinds, strict=True)
    ]
    yield from pa.table(columns, schema=kinds).to_batches(max_chunksize=_BATCH_ROWS)
