"""Rows of a Parquet file of an Iceberg table, streamed in the columns of the table and without its deleted rows."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyiceberg.expressions.visitors import bind, translate_column_names
from pyiceberg.io.pyarrow import ArrowAccessor, ArrowProjectionVisitor, expression_to_pyarrow, pyarrow_to_schema
from pyiceberg.manifest import FileFormat
from pyiceberg.schema import visit_with_partner
from pyiceberg.table.puffin import PuffinFile
from pyiceberg.transforms import IdentityTransform
from pyroaring import BitMap64

from lakepact.client.delta_sharing.rows.selection import Selection
from lakepact.spark.iceberg_expressions import pyiceberg_expression

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyiceberg.io import FileIO
    from pyiceberg.schema import Schema
    from pyiceberg.table import FileScanTask
    from pyiceberg.table.metadata import TableMetadata

    from lakepact.spark.iceberg_files import FileReader, PlannedFile

_MIB = 1024 * 1024
_MOST_ROWS, _BATCH_BYTES = 65_536, 8 * _MIB
#: Larger row groups are fetched piece by piece, each of so many bytes of a column.
_WHOLE, _PIECE = 64 * _MIB, 4 * _MIB
_FORMATS = {FileFormat.PARQUET: ds.ParquetFileFormat, FileFormat.ORC: ds.OrcFileFormat}
_BITMAP = slice(8, -4)  #: of a deletion vector, between its length with magic bytes and its checksum


def parquet_batches(reader: FileReader, io: FileIO, part: PlannedFile) -> Iterator[Any]:
    """Yield the rows of the row groups whose middle lies in a part of a file, as record batches; some may be empty.

    The same call yields the same batches, so that a reader can go on after an error.

    Raises:
        ValueError: The file does not fit the table, or a delete file is damaged.
    """
    task, table = part.task, reader.metadata
    deleted = _deleted(io, task)
    with io.new_input(task.file.file_path).open() as source:
        footer = pq.read_metadata(source)
        kept = Selection(but_not=deleted).mask(footer.num_rows)
        file = _opened(source, footer)
        # Nanoseconds, which only format 3 has, are read as microseconds.
        held = pyarrow_to_schema(file.schema_arrow, table.name_mapping(), table.format_version <= 2, table.format_version)
        names = [field.name for field in held.fields if field.field_id in reader.schema.field_ids] or file.schema_arrow.names[:1]
        condition = _condition(reader, task, held)
        project = ArrowProjectionVisitor(
            held, table.format_version <= 2, projected_missing_fields=_constants(task, table), allow_timestamp_tz_mismatch=True
        )
        for group, first in _row_groups(footer, part, None if condition is None else _matching(source, condition)):
            position = first
            for batch in file.iter_batches(_batch_rows(footer.row_group(group)), [group], names, use_threads=False):
                rows = batch if kept is None else batch.filter(kept.slice(position, batch.num_rows))
                rows = rows if condition is None else rows.filter(condition)
                position += batch.num_rows
                yield pa.RecordBatch.from_struct_array(visit_with_partner(reader.schema, rows, project, ArrowAccessor(held)))


def _deleted(io: FileIO, task: FileScanTask) -> BitMap64 | None:
    """Return the positions of the deleted rows of a file; None without delete files."""
    deleted = BitMap64()
    for file in task.delete_files:
        with io.new_input(file.file_path).open() as source:
            if file.file_format == FileFormat.PUFFIN:
                deleted |= _vector(PuffinFile(source.read()), task.file.file_path)
                continue
            fragment = _FORMATS[file.file_format]().make_fragment(source)
            named = ds.field("file_path") == task.file.file_path
            for batch in ds.Scanner.from_fragment(fragment, columns=["pos"], filter=named).to_batches():
                deleted.update(batch["pos"].to_pylist())
    return deleted if task.delete_files else None


def _vector(file: PuffinFile, path: str) -> BitMap64:
    """Return the rows that the deletion vectors of a file delete in a data file."""
    deleted = BitMap64()
    for blob in file.footer.blobs:
        if blob.properties.get("referenced-data-file") == path:
            deleted |= BitMap64.deserialize(file.get_blob_payload(blob)[_BITMAP])
    return deleted


def _opened(source: Any, footer: Any) -> Any:
    """Return a Parquet file that fetches small row groups whole, and large ones piece by piece."""
    sizes = (sum(group.column(number).total_compressed_size for number in range(group.num_columns)) for group in _groups(footer))
    whole = max(sizes, default=0) <= _WHOLE
    return pq.ParquetFile(source, metadata=footer, pre_buffer=whole, buffer_size=0 if whole else _PIECE, coerce_int96_timestamp_unit="us")


def _groups(footer: Any) -> list[Any]:
    return [footer.row_group(number) for number in range(footer.num_row_groups)]


def _row_groups(footer: Any, part: PlannedFile, matching: set[int] | None) -> Iterator[tuple[int, int]]:
    """Yield the numbers and first rows of the row groups whose middle lies in a part, if they may have matching rows."""
    groups = _groups(footer)
    starts = [min(filter(None, (group.column(0).dictionary_page_offset, group.column(0).data_page_offset))) for group in groups]
    ends = [*starts[1:], part.task.file.file_size_in_bytes]
    rows = accumulate((group.num_rows for group in groups), initial=0)
    for number, (start, end, first) in enumerate(zip(starts, ends, rows, strict=False)):
        if part.start <= (start + end) // 2 < part.end and (matching is None or number in matching):
            yield number, first


def _batch_rows(group: Any) -> int:
    """Return the rows of a batch: as many as have a few megabytes."""
    return min(_MOST_ROWS, max(1, _BATCH_BYTES * group.num_rows // max(1, group.total_byte_size)))


def _constants(task: FileScanTask, table: TableMetadata) -> dict[int, Any]:
    """Return the values of columns that partitions of a file give, by field id, for files without the columns."""
    spec = table.specs().get(task.file.spec_id)
    identities = {place: each for place, each in enumerate(spec.fields if spec else ()) if isinstance(each.transform, IdentityTransform)}
    return {each.source_id: value for place, each in identities.items() if (value := task.file.partition[place]) is not None}


def _condition(reader: FileReader, task: FileScanTask, held: Schema) -> Any:
    """Return the condition on the rows of a file; None for all rows."""
    if reader.predicate is None:
        return None
    table = reader.metadata
    bound = bind(table.schema(), pyiceberg_expression(reader.predicate), case_sensitive=True)
    translated = translate_column_names(bound, held, case_sensitive=True, projected_field_values=_constants(task, table))
    return expression_to_pyarrow(bind(held, translated, case_sensitive=True), held)


def _matching(source: Any, condition: Any) -> set[int]:
    """Return the numbers of the row groups that may have matching rows by their statistics."""
    return {group.id for group in ds.ParquetFileFormat().make_fragment(source).subset(condition).row_groups}
