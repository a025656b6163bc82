"""Data files of Iceberg, read in parts without their deleted rows, by any process."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.dataset as ds
from pyiceberg.conversions import from_json
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.expressions.visitors import bind, extract_field_ids
from pyiceberg.io.pyarrow import (
    ArrowAccessor,
    ArrowProjectionVisitor,
    ArrowScan,
    expression_to_pyarrow,
    pyarrow_to_schema,
)
from pyiceberg.manifest import FileFormat
from pyiceberg.schema import visit_with_partner
from pyiceberg.table.deletion_vector import PROPERTY_REFERENCED_DATA_FILE
from pyiceberg.table.puffin import PuffinFile
from pyroaring import BitMap64

from lakepact.client.iceberg_rest.file_io import expired, file_io
from lakepact.client.rows.bounded_parquet import BoundedParquet
from lakepact.client.rows.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence

    from pyiceberg.expressions import BooleanExpression
    from pyiceberg.io import FileIO
    from pyiceberg.manifest import DataFile
    from pyiceberg.schema import Schema
    from pyiceberg.table import DataScan, FileScanTask
    from pyiceberg.table.metadata import TableMetadata

    from lakepact.client.origins import TrustedOrigins

#: The end of the last part of a file, whatever size the manifest states.
END = sys.maxsize


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A part of a data file, with its delete files: the row groups whose middle lies from `start` up to `end`."""

    task: FileScanTask = field(repr=False)
    #: Settings that open this file, over those of the table; the plan may have brought credentials.
    properties: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    start: int = 0
    end: int = END

    @property
    def size(self) -> int:
        """The bytes of the part."""
        return min(self.end, int(self.task.file.file_size_in_bytes)) - self.start


@dataclass(frozen=True, slots=True)
class FileReader:
    """Reads data files in any process; `repr()` shows no credentials."""

    metadata: TableMetadata = field(repr=False)
    schema: Schema = field(repr=False)
    row_filter: BooleanExpression | None
    properties: dict[str, str] = field(repr=False)
    trusted: TrustedOrigins

    @classmethod
    def of(
        cls,
        scan: DataScan,
        properties: dict[str, Any],
        row_filter: BooleanExpression | None,
        *,
        trusted: TrustedOrigins,
    ) -> FileReader:
        """Return the reader of a scan, without the table's history.

        Args:
            scan: The scan.
            properties: The settings that open files, with those of the caller.
            row_filter: The filter of the rows, of columns of the scan; None for all.
            trusted: The origins that the caller trusts, and the values of the caller's settings.
        """
        history: dict[str, Any] = {
            "snapshots": [],
            "current_snapshot_id": None,
            "refs": {},
            "snapshot_log": [],
            "metadata_log": [],
            "statistics": [],
        }
        return cls(
            scan.table_metadata.model_copy(update=history),
            scan.projection(),
            row_filter,
            properties,
            trusted,
        )

    def read(
        self, parts: Iterable[PlannedFile], renewed: Callable[[], dict[str, str]]
    ) -> Iterator[Any]:
        """Yield the record batches of parts of files.

        Args:
            parts: The parts.
            renewed: Returns new properties when the credentials of the old ones have expired.
        """
        newest: dict[str, str] | None = None
        for part in parts:
            properties = newest or {**self.properties, **part.properties}
            if expired(properties):
                properties = newest = renewed()
            passed = 0
            try:
                for batch in self._batches(part, properties):
                    yield batch
                    passed += 1
            except OSError:
                # Storage refuses expired credentials in many ways; with the same ones it would refuse again.
                newest = renewed()
                if newest == properties:
                    raise
                yield from islice(self._batches(part, newest), passed, None)

    def _batches(self, part: PlannedFile, properties: dict[str, str]) -> Iterator[Any]:
        """Yield the rows of a part; the same call yields the same batches, so that a reader can go on after an error."""
        data = part.task.file
        io = file_io(properties, data.file_path, self.trusted)
        if data.file_format != FileFormat.PARQUET:
            yield from ArrowScan(self.metadata, io, self.schema, AlwaysTrue()).to_record_batches(
                [part.task]
            )
            return
        deleted = BitMap64()
        for file in part.task.delete_files:
            for positions in _deleted(io, file, data.file_path):
                deleted |= positions
        bound = bind(self.schema, self.row_filter or AlwaysTrue(), case_sensitive=True)
        condition = expression_to_pyarrow(bound, self.schema)
        table = self.metadata
        downcast = table.format_version <= 2  # without nanoseconds
        # pyiceberg reads files whole: these are the steps of its ArrowScan, for one row group after the other.
        opened: Any = io.new_input(data.file_path).open()
        with opened as source:
            parquet = BoundedParquet(source)
            kept = Selection(but_not=deleted or None).within(parquet.metadata.num_rows)
            held = pyarrow_to_schema(
                parquet.schema_arrow, table.name_mapping(), downcast, table.format_version
            )
            constants = self._constants(data, self.schema.field_ids - held.field_ids)
            names = [
                field.name for field in held.fields if field.field_id in self.schema.field_ids
            ] or parquet.schema_arrow.names[:1]
            for position, batch in _numbered(
                parquet,
                part,
                names,
                self._matching(source, held, condition, extract_field_ids(bound)),
            ):
                mask = kept.mask(batch.num_rows, position)
                rows = batch if mask is None else batch.filter(mask)
                visitor = ArrowProjectionVisitor(
                    held,
                    downcast,
                    projected_missing_fields=constants,
                    allow_timestamp_tz_mismatch=True,
                )
                projected: Any = visit_with_partner(self.schema, rows, visitor, ArrowAccessor(held))
                rows = pa.RecordBatch.from_struct_array(projected)
                yield rows if self.row_filter is None else rows.filter(condition)

    def _constants(self, data: DataFile, missing: set[int]) -> dict[int, Any]:
        """Return the values of columns that a file lacks because all its rows have the value of an identity partition."""
        spec = self.metadata.specs().get(data.spec_id)
        values = {
            each.source_id: data.partition[n]
            for n, each in enumerate(spec.fields if spec else ())
            if str(each.transform) == "identity"
        }
        present = {
            source: value
            for source, value in values.items()
            if source in missing and value is not None
        }
        kinds: dict[int, Any] = {source: self.schema.find_type(source) for source in present}
        # A server sends dates, times and decimals as JSON has them.
        return {
            source: from_json(kinds[source], value) if isinstance(value, str) else value
            for source, value in present.items()
        }

    def _matching(
        self, source: Any, held: Schema, condition: Any, compared: set[int]
    ) -> Container[int]:
        """Return the row groups whose statistics allow matching rows; all if a file has the columns by other names or types."""
        found, wanted = (
            {
                (each.field_id, each.name, str(each.field_type))
                for each in schema.fields
                if each.field_id in compared
            }
            for schema in (held, self.schema)
        )
        if not wanted or found != wanted:
            return range(sys.maxsize)
        fragment: Any = ds.ParquetFileFormat().make_fragment(source)
        return {group.id for group in fragment.subset(condition).row_groups}


def _deleted(io: FileIO, deletes: DataFile, path: str) -> Iterator[BitMap64]:
    """Yield the positions of a data file that a delete file names."""
    with io.new_input(deletes.file_path).open() as opened:
        source: Any = opened
        if deletes.file_format == FileFormat.PUFFIN:
            puffin = PuffinFile(source.read())
            for blob in puffin.footer.blobs:
                if blob.properties.get(PROPERTY_REFERENCED_DATA_FILE) == path:
                    payload = puffin.get_blob_payload(blob)
                    end = 4 + int.from_bytes(payload[:4], "big")  # of the bitmap
                    yield BitMap64.deserialize(payload[8:end])
            return
        if deletes.file_format == FileFormat.ORC:
            tables: Iterable[Any] = [ds.OrcFileFormat().make_fragment(source).to_table()]
        else:
            tables = BoundedParquet(source).tables(["file_path", "pos"])
        for rows in tables:
            yield BitMap64(rows.filter(ds.field("file_path") == path).column("pos").to_pylist())


def _numbered(
    file: BoundedParquet, part: PlannedFile, names: Sequence[str], matching: Container[int]
) -> Iterator[tuple[int, Any]]:
    """Yield the batches of the row groups whose middle lies in a part, each with the position of its first row in the file."""
    groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
    columns = [group.column(0) for group in groups]
    starts = [
        min(filter(None, (column.dictionary_page_offset, column.data_page_offset)))
        for column in columns
    ]
    ends = [*starts[1:], part.task.file.file_size_in_bytes]
    position = 0
    for number, group in enumerate(groups):
        first, position = position, position + group.num_rows
        if part.start <= (starts[number] + ends[number]) // 2 < part.end and number in matching:
            for batch in file.batches(number, names):
                yield first, batch
                first += batch.num_rows
