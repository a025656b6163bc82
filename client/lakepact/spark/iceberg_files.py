"""Data files of Iceberg: planned by the server or from manifests, and read in parts without their deleted rows."""

from __future__ import annotations

import re
import sys
import time
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyiceberg.catalog.rest.scan_planning import ScanTasks
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.expressions.visitors import bind
from pyiceberg.io.pyarrow import (
    ArrowAccessor,
    ArrowProjectionVisitor,
    ArrowScan,
    expression_to_pyarrow,
    pyarrow_to_schema,
    schema_to_pyarrow,
)
from pyiceberg.manifest import DataFileContent, FileFormat
from pyiceberg.schema import visit_with_partner
from pyiceberg.table import FileScanTask
from pyiceberg.table.deletion_vector import deletion_vectors_from_puffin_file
from pyiceberg.table.puffin import PuffinFile
from pyroaring import BitMap64

from lakepact.client.delta_sharing.predicates import columns_of
from lakepact.client.delta_sharing.rows.selection import Selection
from lakepact.client.iceberg_rest.file_io import file_io
from lakepact.client.iceberg_rest.storage import storage_credential
from lakepact.spark.iceberg_expressions import pyiceberg_expression, rest_expression

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence

    from pyiceberg.io import FileIO
    from pyiceberg.manifest import DataFile
    from pyiceberg.schema import Schema
    from pyiceberg.table import DataScan
    from pyiceberg.table.metadata import TableMetadata

    from lakepact.client import IcebergCatalog
    from lakepact.client.delta_sharing.predicates import Predicate
    from lakepact.client.iceberg_rest.scans import ScanPlan, ScanTask
    from lakepact.client.origins import TrustedOrigins

#: Members of a content file that reading needs; statistics serve planning alone.
_MEMBERS = frozenset(
    {
        "content",
        "content-offset",
        "content-size-in-bytes",
        "file-format",
        "file-path",
        "file-size-in-bytes",
        "first-row-id",
        "partition",
        "record-count",
        "referenced-data-file",
        "spec-id",
        "split-offsets",
    }
)
#: Settings that say when credentials expire, in milliseconds since 1970.
_EXPIRES = re.compile(r"s3\.session-token-expires-at-ms|gcs\.oauth2\.token-expires-at|adls\.sas-token-expires-at-ms.*")
#: Milliseconds before their end from which credentials are not used.
_MARGIN = 60_000
#: The end of the last part of a file, whatever size the manifest states.
END = sys.maxsize
#: The most rows and bytes of a batch, and the bytes of a column that are fetched at once.
_BATCH_ROWS, _BATCH_BYTES, _FETCHED = 65_536, 8 << 20, 4 << 20


class UnsupportedDeletes(ValueError):
    """The table has equality delete files: pyiceberg does not apply them, and without them its rows would be wrong."""

    def __init__(self, path: str) -> None:
        message = "the table has equality delete files, which are not applied here: rewrite its data files to remove them; one is "
        super().__init__(message + path)


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


def arrow_schema(schema: Schema) -> Any:
    """Return the columns of a schema as Arrow has them."""
    return schema_to_pyarrow(schema, include_field_ids=False)


def planned_by_driver(scan: DataScan, predicate: Predicate | None) -> list[PlannedFile]:
    """Return the files of a scan, planned from its manifests.

    Raises:
        UnsupportedDeletes: The table has equality delete files.
    """
    filtered = scan if predicate is None else scan.filter(pyiceberg_expression(predicate))
    try:
        return [PlannedFile(task) for task in filtered.plan_files()]
    except ValueError as error:
        if "equality deletes" not in str(error):
            raise
    snapshot = scan.snapshot()
    entries = (entry for manifest in (snapshot.manifests(scan.io) if snapshot else ()) for entry in manifest.fetch_manifest_entry(scan.io))
    raise UnsupportedDeletes(
        next(entry.data_file.file_path for entry in entries if entry.data_file.content == DataFileContent.EQUALITY_DELETES)
    )


def planned_by_server(
    catalog: IcebergCatalog, name: tuple[Sequence[str], str], scan: DataScan, predicate: Predicate | None
) -> list[PlannedFile]:
    """Return the files of a scan, planned by the server.

    Raises:
        OperationNotSupported: The server does not plan scans.
        UnsupportedDeletes: The table has equality delete files.
    """
    snapshot = scan.snapshot()
    plan = catalog.plan_scan(
        name,
        row_filter=None if predicate is None else rest_expression(predicate),
        select=None if "*" in scan.selected_fields else [*scan.selected_fields],
        snapshot_id=None if snapshot is None else snapshot.snapshot_id,
        use_snapshot_schema=scan.snapshot_id is not None or None,
    )
    return [_planned(task, plan) for task in catalog.scan_tasks(name, plan)]


def _planned(task: ScanTask, plan: ScanPlan) -> PlannedFile:
    files = [each.to_wire() for each in (task.data_file, *task.delete_files)]
    for each in files:
        if each.get("content") == "equality-deletes":
            raise UnsupportedDeletes(each["file-path"])
    data, *deletes = [{name: value for name, value in each.items() if name in _MEMBERS} for each in files]
    references = list(range(len(deletes)))
    document = {"data-file": data, "delete-file-references": references}
    tasks = ScanTasks.model_validate({"file-scan-tasks": [document], "delete-files": deletes})
    credential = storage_credential(plan.storage_credentials, task.data_file.file_path)
    opening = {} if credential is None else dict(credential.config)
    return PlannedFile(FileScanTask.from_rest_response(tasks.file_scan_tasks[0], tasks.delete_files), opening)


@dataclass(frozen=True, slots=True)
class FileReader:
    """Reads data files in any process; `repr()` shows no credentials."""

    metadata: TableMetadata = field(repr=False)
    schema: Schema = field(repr=False)
    predicate: Predicate | None
    properties: dict[str, str] = field(repr=False)
    trusted: TrustedOrigins

    @classmethod
    def of(cls, scan: DataScan, properties: dict[str, str], predicate: Predicate | None, *, trusted: TrustedOrigins) -> FileReader:
        """Return the reader of a scan, without the table's history.

        Args:
            scan: The scan.
            properties: The settings that open files, with those of the caller.
            predicate: The filter of the rows; None for all.
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
        return cls(scan.table_metadata.model_copy(update=history), scan.projection(), predicate, properties, trusted)

    def read(self, parts: Iterable[PlannedFile], renewed: Callable[[], dict[str, str]]) -> Iterator[Any]:
        """Yield the record batches of parts of files.

        Args:
            parts: The parts.
            renewed: Returns new properties when the credentials of the old ones have expired.
        """
        newest: dict[str, str] | None = None
        for part in parts:
            properties = newest or {**self.properties, **part.properties}
            if _expired(properties):
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
            yield from ArrowScan(self.metadata, io, self.schema, AlwaysTrue()).to_record_batches([part.task])
            return
        deleted = BitMap64(chain.from_iterable(_deleted(io, file, data.file_path) for file in part.task.delete_files))
        row_filter = AlwaysTrue() if self.predicate is None else pyiceberg_expression(self.predicate)
        condition = expression_to_pyarrow(bind(self.schema, row_filter, case_sensitive=True), self.schema)
        table = self.metadata
        downcast = table.format_version <= 2  # without nanoseconds
        # pyiceberg reads files whole: these are the steps of its ArrowScan, for one row group after the other.
        opened: Any = io.new_input(data.file_path).open()
        with opened as source:
            file = pq.ParquetFile(source, pre_buffer=False, buffer_size=_FETCHED, coerce_int96_timestamp_unit="us")
            kept = Selection(but_not=deleted or None).mask(file.metadata.num_rows)
            held = pyarrow_to_schema(file.schema_arrow, table.name_mapping(), downcast, table.format_version)
            constants = self._constants(data, self.schema.field_ids - held.field_ids)
            names = [field.name for field in held.fields if field.field_id in self.schema.field_ids] or file.schema_arrow.names[:1]
            for position, batch in _numbered(file, part, names, self._matching(source, held, condition)):
                rows = batch if kept is None else batch.filter(kept.slice(position, batch.num_rows))
                visitor = ArrowProjectionVisitor(held, downcast, projected_missing_fields=constants, allow_timestamp_tz_mismatch=True)
                projected: Any = visit_with_partner(self.schema, rows, visitor, ArrowAccessor(held))
                rows = pa.RecordBatch.from_struct_array(projected)
                yield rows if self.predicate is None else rows.filter(condition)

    def _constants(self, data: DataFile, missing: set[int]) -> dict[int, Any]:
        """Return the values of columns that a file lacks because all its rows have the value of an identity partition."""
        spec = self.metadata.specs().get(data.spec_id)
        values = {
            each.source_id: data.partition[n] for n, each in enumerate(spec.fields if spec else ()) if str(each.transform) == "identity"
        }
        return {source: value for source, value in values.items() if source in missing and value is not None}

    def _matching(self, source: Any, held: Schema, condition: Any) -> Container[int]:
        """Return the row groups whose statistics allow matching rows; all if a file has the columns by other names or types."""
        compared = set[str]() if self.predicate is None else columns_of(self.predicate)
        found, wanted = (
            {(each.field_id, each.name, str(each.field_type)) for each in schema.fields if each.name in compared}
            for schema in (held, self.schema)
        )
        if not wanted or found != wanted:
            return range(sys.maxsize)
        fragment: Any = ds.ParquetFileFormat().make_fragment(source)
        return {group.id for group in fragment.subset(condition).row_groups}


def _deleted(io: FileIO, deletes: DataFile, path: str) -> list[Any]:
    """Return the positions of a data file that a delete file names."""
    with io.new_input(deletes.file_path).open() as opened:
        source: Any = opened
        if deletes.file_format == FileFormat.PUFFIN:
            vectors = deletion_vectors_from_puffin_file(PuffinFile(source.read()))
            return [position for each in vectors if each.referenced_data_file == path for position in each.to_vector().to_pylist()]
        form = ds.OrcFileFormat() if deletes.file_format == FileFormat.ORC else ds.ParquetFileFormat()
        rows = form.make_fragment(source).to_table(columns=["pos"], filter=ds.field("file_path") == path)
        return rows.column("pos").to_pylist()


def _numbered(file: Any, part: PlannedFile, names: Sequence[str], matching: Container[int]) -> Iterator[tuple[int, Any]]:
    """Yield the batches of the row groups whose middle lies in a part, each with the position of its first row in the file."""
    groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
    columns = [group.column(0) for group in groups]
    starts = [min(filter(None, (column.dictionary_page_offset, column.data_page_offset))) for column in columns]
    ends = [*starts[1:], part.task.file.file_size_in_bytes]
    position = 0
    for number, group in enumerate(groups):
        first, position = position, position + group.num_rows
        if part.start <= (starts[number] + ends[number]) // 2 < part.end and number in matching:
            rows = min(_BATCH_ROWS, _BATCH_BYTES * group.num_rows // (group.total_byte_size or 1) or 1)
            for batch in file.iter_batches(rows, [number], names, use_threads=False):
                yield first, batch
                first += batch.num_rows


def _expired(properties: dict[str, str]) -> bool:
    ends = [int(value) for name, value in properties.items() if _EXPIRES.fullmatch(name) and value.isdigit()]
    return any(end - _MARGIN < time.time() * 1000 for end in ends)
