"""Existing Parquet files that are added to a table; their columns are matched by name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pyiceberg.exceptions import ResolveError
from pyiceberg.io.pyarrow import (
    compute_statistics_plan,
    data_file_statistics_from_parquet_metadata,
    parquet_path_to_id_mapping,
    pyarrow_to_schema,
)
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.schema import promote
from pyiceberg.table import TableProperties
from pyiceberg.transforms import VoidTransform
from pyiceberg.types import DoubleType, FloatType, PrimitiveType

from lakepact.client.iceberg_rest.arrow_rows import check_names
from lakepact.client.iceberg_rest.rows.damage import file_errors
from lakepact.client.iceberg_rest.rows.manifests import MEMBERS
from lakepact.formats.parquet import BoundedParquet

if TYPE_CHECKING:
    from pyiceberg.io import FileIO
    from pyiceberg.io.fileformat import DataFileStatistics
    from pyiceberg.schema import Schema
    from pyiceberg.table.metadata import TableMetadata
    from pyiceberg.typedef import Record

    from lakepact.formats.limits import Limit

_METRICS = TableProperties.DEFAULT_WRITE_METRICS_MODE


def existing_file(table: TableMetadata, io: FileIO, location: str, limit: Limit) -> DataFile:
    """Return the entry of a file.

    Raises:
        ValueError: Its columns or partitions are not those of the table.
        FileNotFoundError: There is no such file.
    """
    stored = io.new_input(location)
    with stored.open() as stream, file_errors(f"the file {json.dumps(location)}"):
        source: Any = stream
        parquet = BoundedParquet(source, limit)
    try:
        _check(parquet, table)
        partition = _partition(parquet.metadata, table)
    except (ValueError, ResolveError) as error:
        raise ValueError(f"the file {json.dumps(location)} cannot be added: {error}") from error
    file = DataFile.from_args(
        _table_format_version=MEMBERS,
        content=DataFileContent.DATA,
        file_path=location,
        file_format=FileFormat.PARQUET,
        partition=partition,
        file_size_in_bytes=len(stored),
        **_statistics(parquet.metadata, table.schema(), table.properties).to_serialized_dict(),
    )
    file.spec_id = table.default_spec_id
    return file


def name_mapping(table: TableMetadata) -> dict[str, str]:
    """Return the property that finds columns by their names; nothing if the table has it."""
    if table.name_mapping() is not None:
        return {}
    return {TableProperties.DEFAULT_NAME_MAPPING: table.schema().name_mapping.model_dump_json()}


def _check(parquet: BoundedParquet, table: TableMetadata) -> None:
    """Check that a file has columns that readers of the table can read."""
    schema = table.schema()
    check_names(parquet.schema_arrow, schema)
    names = table.name_mapping() or schema.name_mapping
    columns = pyarrow_to_schema(parquet.schema_arrow, names, format_version=table.format_version)
    for name in columns.column_names:
        column, own = columns.find_field(name), schema.find_field(name)
        if column.field_id != own.field_id:
            raise ValueError(f"its column {name} has the field id of another one")
        if own.required and not column.required:
            raise ValueError(f"its column {name} may be null, and the table requires it")
        if isinstance(own.field_type, PrimitiveType) and column.field_type != own.field_type:
            promote(column.field_type, own.field_type)
    names_of_file = set(columns.column_names)
    for own in schema.fields:
        if own.required and own.initial_default is None and own.name not in names_of_file:
            raise ValueError(f"it has no column {own.name}, which the table requires")
    leaves = [parquet.metadata.schema.column(n) for n in range(parquet.metadata.num_columns)]
    if unsigned := [leaf.path for leaf in leaves if "isSigned=false" in str(leaf.logical_type)]:
        raise ValueError(f"its column {unsigned[0]} has unsigned integers, which Iceberg has not")


def _statistics(metadata: Any, schema: Schema, properties: dict[str, str]) -> DataFileStatistics:
    return data_file_statistics_from_parquet_metadata(
        metadata, compute_statistics_plan(schema, properties), parquet_path_to_id_mapping(schema)
    )


def _partition(metadata: Any, table: TableMetadata) -> Record:
    """Return the values of the partition that all rows of a file are in."""
    spec, schema = table.spec(), table.schema()
    whole = _statistics(metadata, schema, {_METRICS: "full"})
    for field in spec.fields:
        nulls = whole.null_value_counts.get(field.source_id)
        has_bounds = nulls == 0 and field.source_id in whole.column_aggregates
        column = schema.find_field(field.source_id)
        is_real = isinstance(column.field_type, (FloatType, DoubleType))
        is_absent = field.source_id not in whole.value_counts and column.initial_default is None
        is_constant = is_absent or isinstance(field.transform, VoidTransform)
        if not is_constant and nulls != whole.record_count and (is_real or not has_bounds):
            raise ValueError(
                f"its statistics do not show that all rows are in one partition by {field.name}:"
                " append the rows instead"
            )
    return whole.partition(spec, schema)
