"""Data files of Iceberg, read in parts without their deleted rows, by any process."""

from __future__ import annotations

import contextlib
import math
import sys
from collections import defaultdict, deque
from collections.abc import Generator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.io.pyarrow import pyarrow_to_schema
from pyiceberg.manifest import DataFileContent, FileFormat
from pyiceberg.schema import Schema
from pyiceberg.table import FileScanTask
from pyiceberg.table.deletion_vector import PROPERTY_REFERENCED_DATA_FILE
from pyiceberg.table.puffin import PuffinFile
from pyiceberg.utils.concurrent import ExecutorFactory
from pyroaring import BitMap64

from lakepact.client.errors import Failure, UpgradeNeeded
from lakepact.client.iceberg_rest.file_io import file_io, is_expired
from lakepact.client.iceberg_rest.rows.damage import file_errors
from lakepact.client.iceberg_rest.rows.file_ranges import FileRanges
from lakepact.client.iceberg_rest.rows.filters import bound, row_matcher
from lakepact.client.iceberg_rest.rows.lineage import ROW_ID, Lineage
from lakepact.client.iceberg_rest.rows.manifests import FIRST_ROW_ID
from lakepact.client.iceberg_rest.rows.projection import Projection
from lakepact.client.rows.predicates import And, columns_of
from lakepact.client.rows.ranges import ALWAYS, ANY
from lakepact.client.rows.selection import Selection
from lakepact.formats.parquet import BoundedParquet, size_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyiceberg.io import FileIO
    from pyiceberg.manifest import DataFile
    from pyiceberg.table import DataScan
    from pyiceberg.table.metadata import TableMetadata

    from lakepact.client.origins import TrustedOrigins
    from lakepact.client.rows.predicates import Predicate
    from lakepact.formats.limits import Limit

#: The end of the last part of a file, whatever size the manifest states.
END = sys.maxsize
#: The delete files that are kept for other data files.
_SHARED = 8
#: The files that other threads begin to read ahead, each until it has so many bytes.
_AHEAD, _BEGUN_BYTES = 3, 4 << 20


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """The row groups of a data file whose middle lies from `start` up to `end`."""

    task: FileScanTask = field(repr=False)
    #: Settings that open this file, over those of the table; the plan may have brought credentials.
    properties: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    start: int = 0
    end: int = END
    #: The sequence number of the data, if the plan comes from manifests.
    sequence_number: int | None = None

    @property
    def size(self) -> int:
        """The bytes of the part."""
        return min(self.end, int(self.task.file.file_size_in_bytes)) - self.start


def snapshot_schema(scan: DataScan) -> Schema:
    """Return the schema of the snapshot that a scan shows, with all columns."""
    return scan.update(selected_fields=("*",)).projection()


@dataclass(frozen=True, slots=True)
class FileReader:
    """Reads data files in any process; `repr()` shows no credentials."""

    metadata: TableMetadata = field(repr=False)
    schema: Schema = field(repr=False)
    #: The bound filter of the rows, and the columns that it looks at; None for all rows.
    predicate: Predicate | None
    filter_schema: Schema = field(repr=False)
    properties: dict[str, str] = field(repr=False)
    origins: TrustedOrigins
    #: Whether the rows are read for which the filter is not true.
    is_contrary: bool = False

    @classmethod
    def of(
        cls,
        scan: DataScan,
        properties: dict[str, Any],
        predicate: Predicate | None,
        *,
        origins: TrustedOrigins,
    ) -> FileReader:
        """Return the reader of a scan, without the table's history.

        Args:
            scan: The scan.
            properties: The settings that open files, with those of the caller.
            predicate: The filter, of columns of the shown snapshot; None for all rows.
            origins: The origins that the caller trusts, and the values of the caller's settings.

        Raises:
            ValueError: The filter names another column.
            TypeError: A column is compared with a value of another type.
        """
        history: dict[str, Any] = {
            "snapshots": [],
            "current_snapshot_id": None,
            "refs": {},
            "snapshot_log": [],
            "metadata_log": [],
            "statistics": [],
        }
        schema = snapshot_schema(scan)
        predicate = None if predicate is None else bound(predicate, schema)
        names = set[str]() if predicate is None else columns_of(predicate)
        return cls(
            scan.table_metadata.model_copy(update=history),
            scan.projection(),
            None if predicate == And(()) else predicate,
            schema.select(*names) if names else Schema(),
            properties,
            origins,
        )

    def read(
        self, parts: Iterable[PlannedFile], renew: Callable[[], dict[str, str]]
    ) -> Iterator[Any]:
        """Yield the record batches of parts of files.

        Args:
            parts: The parts.
            renew: Returns new properties when the credentials of the old ones have expired.
        """
        session = _Opened(self, renew)
        each = (self._part(part, session) for part in parts)
        ahead = deque[Future[tuple[list[Any], Generator[Any]]]]()
        try:
            # The rows of the first file come at once.
            batches = next(each, None)
            while batches is not None:
                while len(ahead) < _AHEAD and (following := next(each, None)) is not None:
                    ahead.append(ExecutorFactory.get_or_create().submit(_begin, following))
                yield from batches
                batches = None
                if ahead:
                    first, batches = ahead.popleft().result()
                    yield from first
        finally:
            for one in ahead:
                if not one.cancel():
                    with contextlib.suppress(Exception):
                        one.result()[1].close()

    def _part(self, part: PlannedFile, session: _Opened) -> Generator[Any]:
        """Yield the record batches of a part; begin again if its credentials expire."""
        properties, position = session.properties(part), 0
        with file_errors():
            try:
                for batch in self._batches(part, session, properties):
                    yield batch
                    position += 1
            except OSError:
                # Storage refuses expired credentials in many ways, and the same ones again.
                if (newest := session.renew(properties)) == properties:
                    raise
                yield from islice(self._batches(part, session, newest), position, None)

    def _batches(
        self, part: PlannedFile, session: _Opened, properties: dict[str, str]
    ) -> Iterator[Any]:
        """Yield the rows of a part, in the same batches each time."""
        data = part.task.file
        if self.predicate is not None and self._selects_all(data):
            everything = replace(self, predicate=None, filter_schema=Schema())
            yield from everything._batches(part, session, properties)  # noqa: SLF001
            return
        io = session.io(data.file_path, properties)
        equality = [
            session.equality(io, file)
            for file in part.task.delete_files
            if file.content == DataFileContent.EQUALITY_DELETES
        ]
        source: Any = io.new_input(data.file_path).open()
        with source:
            field_ids = self.schema.field_ids.union(
                self.filter_schema.field_ids, *(deletes.schema.field_ids for deletes in equality)
            )
            file = _OpenFile(source, data, self.metadata, field_ids, self.origins.decoding)
            lineage = None
            if ROW_ID.field_id in self.schema.field_ids:
                lineage = Lineage(file.schema, data[FIRST_ROW_ID], part.sequence_number)
                file.schema = lineage.schema
            projection = Projection(file.schema, self.schema, file.constants)
            filters = [deletes.live_mask(file) for deletes in equality]
            if self.predicate is not None:
                filters.append(self._selection(self.predicate, file))
            live = Selection(but_not=_positions(session, io, part.task)).within(file.rows)
            for position, batch in file.batches(part, self._may_match(file)):
                rows = batch if lineage is None else lineage.batch(batch, position)
                alive = live.mask(rows.num_rows, position)
                rows = rows if alive is None else rows.filter(alive)
                for each in filters:
                    rows = rows.filter(each(rows))
                yield projection.batch(rows)

    def _selects_all(self, data: DataFile) -> bool:
        assert self.predicate is not None  # noqa: S101
        ranges = FileRanges(self.predicate, self.filter_schema, self.metadata.specs())
        outcomes = ranges.of_file(data)
        return True not in outcomes if self.is_contrary else outcomes == ALWAYS

    def _selection(self, predicate: Predicate, file: _OpenFile) -> Callable[[Any], Any]:
        """Return a function of batches of a file: for each row, whether it is selected."""
        projection = Projection(file.schema, self.filter_schema, file.constants)
        match = row_matcher(predicate, self.filter_schema)
        if self.is_contrary:
            return lambda rows: pc.invert(match(projection.batch(rows)).fill_null(False))
        return lambda rows: match(projection.batch(rows))

    def _may_match(self, file: _OpenFile) -> Callable[[Any], bool]:
        """Return a test of row groups: whether their statistics allow selected rows."""
        if self.predicate is None:
            return lambda _: True
        ranges = FileRanges(self.predicate, self.filter_schema, {})
        excluding = ALWAYS if self.is_contrary else ANY - ALWAYS
        return lambda group: not ranges.of_group(group, file.schema, file.constants) <= excluding


class _Opened:
    """Access to the files of a read, and the last delete files, which other data files share."""

    def __init__(self, reader: FileReader, renewal: Callable[[], dict[str, str]]) -> None:
        self._reader, self._renewal = reader, renewal
        self._newest: dict[str, str] | None = None
        self._lock = Lock()
        self._access: dict[str, tuple[dict[str, str], FileIO]] = {}
        limit = reader.origins.decoding
        self.equality = lru_cache(_SHARED)(partial(EqualityDeletes.of, reader.metadata, limit))
        self.deleted = lru_cache(_SHARED)(partial(_positions_by_file, limit))

    def properties(self, part: PlannedFile) -> dict[str, str]:
        """Return the settings that open the files of a part, with credentials that have not
        expired.
        """
        result = self._newest or {**self._reader.properties, **part.properties}
        return self.renew(result) if is_expired(result) else result

    def renew(self, properties: dict[str, str]) -> dict[str, str]:
        """Return newer settings than these, of one renewal for all threads."""
        with self._lock:
            if self._newest in (None, properties):
                self._newest = self._renewal()
            return self._newest

    def io(self, path: str, properties: dict[str, str]) -> FileIO:
        """Return the access to a file, which keeps connections for the others of its scheme."""
        scheme = path.partition(":")[0]
        before, io = self._access.get(scheme, (None, None))
        if io is None or before != properties:
            io = file_io(properties, path, self._reader.origins)
            self._access[scheme] = (properties, io)
        return io


class _OpenFile:
    """A data file, and the values of columns that its partition states."""

    def __init__(
        self, source: Any, data: DataFile, table: TableMetadata, field_ids: set[int], limit: Limit
    ) -> None:
        self._parquet = _parquet(source, data, limit)
        self.rows = self._parquet.metadata.num_rows
        schema = pyarrow_to_schema(
            self._parquet.schema_arrow,
            table.name_mapping(),
            table.format_version <= 2,
            table.format_version,
        )
        names = [one.name for one in schema.fields if one.field_id in field_ids]
        self._names = names or self._parquet.schema_arrow.names[:1]
        self.schema = schema.select(*self._names)
        spec = table.specs().get(data.spec_id)
        self.constants = {
            each.source_id: data.partition[n]
            for n, each in enumerate(spec.fields if spec else ())
            if str(each.transform) == "identity" and each.source_id not in schema.field_ids
        }

    def batches(
        self, part: PlannedFile, may_match: Callable[[Any], bool]
    ) -> Iterator[tuple[int, Any]]:
        """Yield batches of the needed columns with the positions of their first rows."""
        footer, starts = self._parquet.metadata, list[int]()
        groups = [footer.row_group(number) for number in range(footer.num_row_groups)]
        for group in groups:
            column = group.column(0)
            offsets = (column.dictionary_page_offset, column.data_page_offset)
            starts.append(min(filter(None, offsets)))
        ends, position = [*starts[1:], part.task.file.file_size_in_bytes], 0
        for number, group in enumerate(groups):
            first, position = position, position + group.num_rows
            if part.start <= (starts[number] + ends[number]) // 2 < part.end and may_match(group):
                for batch in self._parquet.batches(number, self._names):
                    yield first, batch
                    first += batch.num_rows


def _parquet(source: Any, file: DataFile, limit: Limit) -> BoundedParquet:
    if file.file_format != FileFormat.PARQUET:
        # No reader of ORC or Avro is known that decodes data files within a limit.
        message = f"{file.file_path} is of {file.file_format.value}; only Parquet is read"
        raise UpgradeNeeded(Failure(operation="loadTable", message=message))
    return BoundedParquet(source, limit)


def _begin(batches: Generator[Any]) -> tuple[list[Any], Generator[Any]]:
    """Return the first batches of a file, and the others."""
    first, size = list[Any](), 0
    for batch in batches:
        first.append(batch)
        size += size_of(batch)
        if size >= _BEGUN_BYTES:
            break
    return first, batches


def _positions(session: _Opened, io: FileIO, task: FileScanTask) -> BitMap64 | None:
    """Return the positions of the deleted rows of a file; None if there are none."""
    positions = BitMap64()
    for file in task.delete_files:
        if file.content == DataFileContent.POSITION_DELETES:
            positions |= session.deleted(io, file).get(task.file.file_path, BitMap64())
    return positions or None


@dataclass(frozen=True, slots=True)
class EqualityDeletes:
    """The values of rows that are deleted; null and NaN equal themselves."""

    schema: Schema
    values: frozenset[tuple[Any, ...]]

    @classmethod
    def of(cls, table: TableMetadata, limit: Limit, io: FileIO, file: DataFile) -> EqualityDeletes:
        """Return the deletes of a file."""
        history = {one.field_id: one for schema in table.schemas for one in schema.fields}
        fields = {**history, **{one.field_id: one for one in table.schema().fields}}
        ids = file.equality_ids or []
        if missing := [number for number in ids if number not in fields]:
            raise ValueError(f"equality deletes of nested columns are not read: {missing}")
        schema = Schema(*(fields[number].model_copy(update={"required": False}) for number in ids))
        stream: Any = io.new_input(file.file_path).open()
        with stream as source:
            file_read = _OpenFile(source, file, table, schema.field_ids, limit)
            projection = Projection(file_read.schema, schema, file_read.constants)
            rows, size = set[tuple[Any, ...]](), 0
            for _, batch in file_read.batches(PlannedFile(FileScanTask(file)), lambda _: True):
                size += size_of(batch)
                limit.check(size)
                rows.update(_tuples(projection.batch(batch)))
        return cls(schema, frozenset(rows))

    def live_mask(self, file: _OpenFile) -> Callable[[Any], Any]:
        """Return a function from a batch of a file to a mask that is true for its live rows."""
        projection = Projection(file.schema, self.schema, file.constants)

        def mask(rows: Any) -> Any:
            keys = _tuples(projection.batch(rows))
            return pa.array([row not in self.values for row in keys], pa.bool_())

        return mask


def _tuples(batch: Any) -> Iterator[tuple[Any, ...]]:
    columns = [
        [None if value is None else _comparable(value) for value in column.to_pylist()]
        for column in batch.columns
    ]
    return zip(*columns, strict=True)


def _comparable(value: Any) -> Any:
    return "NaN" if isinstance(value, float) and math.isnan(value) else value


def _positions_by_file(limit: Limit, io: FileIO, deletes: DataFile) -> dict[str, BitMap64]:
    """Return the positions that a delete file names, by data file."""
    result = defaultdict[str, BitMap64](BitMap64)
    stored = io.new_input(deletes.file_path)
    with stored.open() as stream:
        source: Any = stream
        if deletes.file_format == FileFormat.PUFFIN:
            limit.check(len(stored))
            puffin = PuffinFile(source.read())
            for blob in puffin.footer.blobs:
                if blob.compression_codec is not None:
                    raise ValueError(
                        "expected a deletion vector without compression-codec in"
                        f" {deletes.file_path}"
                    )
                payload = puffin.get_blob_payload(blob)
                end = 4 + int.from_bytes(payload[:4], "big")  # of the bitmap
                path = blob.properties.get(PROPERTY_REFERENCED_DATA_FILE, "")
                result[path] |= BitMap64.deserialize(payload[8:end])
            return result
        for rows in _parquet(source, deletes, limit).tables(["file_path", "pos"]):
            by_path = rows.group_by("file_path", use_threads=False).aggregate([("pos", "list")])
            for path, positions in zip(*by_path.columns, strict=True):
                result[path.as_py()] |= BitMap64(positions.as_py())
    return result
