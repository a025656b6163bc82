"""Data files of Iceberg, written from record batches for each partition."""

from __future__ import annotations

import itertools
import uuid
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyiceberg.io.fileformat import FileFormatFactory
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.partitioning import partition_record_value
from pyiceberg.schema import Schema, sanitize_column_names
from pyiceberg.table import TableProperties
from pyiceberg.table.locations import load_location_provider
from pyiceberg.typedef import Record

from lakepact.client.iceberg_rest.rows.filters import path_of, values_at
from lakepact.client.iceberg_rest.rows.lineage import with_lineage
from lakepact.client.iceberg_rest.rows.manifests import MEMBERS
from lakepact.client.iceberg_rest.rows.projection import Projection, arrow_schema, source_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyiceberg.io import FileIO
    from pyiceberg.table.metadata import TableMetadata

_ROW = "lakepact.row"


class DataWriter:
    """Writes data files of a table with its current schema and partition spec.

    Args:
        metadata: The table.
        io: Opens its files.
        has_lineage: Whether the rows are of other files, and come with their lineage.
    """

    def __init__(self, metadata: TableMetadata, io: FileIO, *, has_lineage: bool = False) -> None:
        self._metadata = metadata
        self._io = io
        self._spec = metadata.spec()
        self._schema = metadata.schema()
        if metadata.format_version >= MEMBERS:
            # Names that lineage needs are refused with the first rows, not with the first copy.
            lineage = with_lineage(self._schema)
            self._schema = lineage if has_lineage else self._schema
        #: With names that Avro allows, as other engines write them.
        self._file_schema: Schema = sanitize_column_names(self._schema)
        properties = metadata.properties
        name = TableProperties.WRITE_FILE_FORMAT
        default = TableProperties.WRITE_FILE_FORMAT_DEFAULT
        self._format = FileFormat(properties.get(name, default))
        self._size = int(
            properties.get(
                TableProperties.WRITE_TARGET_FILE_SIZE_BYTES,
                TableProperties.WRITE_TARGET_FILE_SIZE_BYTES_DEFAULT,
            )
        )
        self._locations = load_location_provider(metadata.location, properties)
        self._name, self._numbers = uuid.uuid4(), itertools.count()

    def write(self, batches: Iterable[Any], schema: pa.Schema) -> list[DataFile]:
        """Write rows, and return their files.

        Raises:
            ValueError: A column is missing, is not one of the table, or has another type.
        """
        source = source_schema(schema, self._schema)
        projection = Projection(source, self._schema, is_write=True)
        output = map(projection.batch, batches)
        if self._file_schema.column_names != self._schema.column_names:
            in_file = Projection(self._schema, self._file_schema, is_write=True)
            output = map(in_file.batch, output)
        files = []
        for group in _groups(output, self._size):
            rows = pa.Table.from_batches(group, arrow_schema(self._file_schema, has_ids=True))
            files += [self._file(part, key) for key, part in self._partitions(rows)]
        return files

    def _partitions(self, rows: pa.Table) -> Iterator[tuple[Record, pa.Table]]:
        if self._spec.is_unpartitioned():
            yield Record(), rows
            return
        columns = {
            field.name: _transform(field, self._file_schema, rows) for field in self._spec.fields
        }
        rows_with_numbers = pa.table({**columns, _ROW: pa.array(range(rows.num_rows), pa.int64())})
        groups = rows_with_numbers.group_by(list(columns), use_threads=False).aggregate(
            [(_ROW, "list")]
        )
        for one in groups.to_pylist():
            values = [
                partition_record_value(field, one[field.name], self._schema)
                for field in self._spec.fields
            ]
            yield Record(*values), rows.take(pa.array(one[f"{_ROW}_list"], pa.int64()))

    def _file(self, rows: pa.Table, partition: Record) -> DataFile:
        model = FileFormatFactory.get(self._format)
        name = f"00000-{next(self._numbers)}-{self._name}.{model.file_extension()}"
        if len(partition):
            name = f"{self._spec.partition_to_path(partition, self._schema)}/{name}"
        path = self._locations.new_data_location(name)
        output = self._io.new_output(path)
        with model.create_writer(output, self._file_schema, self._metadata.properties) as writer:
            writer.write(rows)
        file = DataFile.from_args(
            _table_format_version=MEMBERS,
            content=DataFileContent.DATA,
            file_path=path,
            file_format=self._format,
            partition=partition,
            file_size_in_bytes=len(output),
            **writer.result().to_serialized_dict(),
        )
        file.spec_id = self._metadata.default_spec_id
        return file


def _transform(one: Any, schema: Schema, rows: pa.Table) -> Any:
    name = schema.find_column_name(one.source_id)
    assert name is not None  # noqa: S101
    values = values_at(rows, path_of(schema, name))
    transform = one.transform.pyarrow_transform(schema.find_type(one.source_id))
    return transform(values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values)


def _groups(batches: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Yield batches of up to so many bytes each time."""
    group, total = list[Any](), 0
    for batch in batches:
        if not batch.num_rows:
            continue
        group.append(batch)
        total += batch.nbytes
        if total >= size:
            yield group
            group, total = [], 0
    if group:
        yield group
