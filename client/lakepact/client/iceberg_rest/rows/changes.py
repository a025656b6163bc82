"""Changes of rows, which replace files by copies in one snapshot."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.table import TableProperties, UpsertResult
from pyiceberg.table.update import SetPropertiesUpdate

from lakepact.client.iceberg_rest.arrow_rows import arrow_rows
from lakepact.client.iceberg_rest.rows.data_files import FileReader
from lakepact.client.iceberg_rest.rows.data_writer import DataWriter
from lakepact.client.iceberg_rest.rows.existing_files import existing_file, name_mapping
from lakepact.client.iceberg_rest.rows.file_ranges import FileRanges
from lakepact.client.iceberg_rest.rows.filters import bound
from lakepact.client.iceberg_rest.rows.lineage import with_lineage
from lakepact.client.iceberg_rest.rows.manifests import MEMBERS
from lakepact.client.iceberg_rest.rows.planning import plan_files, scan_of
from lakepact.client.iceberg_rest.rows.projection import arrow_schema
from lakepact.client.iceberg_rest.rows.snapshot_writer import SnapshotWriter, discard
from lakepact.client.iceberg_rest.rows.upserts import KeyedRows
from lakepact.client.retries import Retry
from lakepact.client.rows.ranges import ALWAYS
from lakepact.client.rows.row_filters import predicate_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pyiceberg.manifest import DataFile
    from pyiceberg.schema import Schema
    from pyiceberg.table import Table

    from lakepact.client.iceberg_rest.row_writes import RowWrite
    from lakepact.client.iceberg_rest.rows.data_files import PlannedFile
    from lakepact.client.origins import TrustedOrigins
    from lakepact.client.retries import Retries
    from lakepact.client.rows.predicates import Predicate
    from lakepact.client.rows.row_filters import RowFilter

_BATCH_ROWS = 65_536


@dataclass(slots=True)
class Replacement:
    """The data files that a snapshot removes and adds."""

    old_files: list[DataFile] = field(default_factory=list["DataFile"])
    new_files: list[DataFile] = field(default_factory=list["DataFile"])
    #: Properties of the table that the added files need.
    properties: dict[str, str] = field(default_factory=dict[str, str])
    #: Whether the change has written the added files, which are deleted if it fails.
    owns_files: bool = True

    def __bool__(self) -> bool:
        return bool(self.old_files or self.new_files)


@dataclass(slots=True)
class RowChanges:
    """Changes the rows of one table.

    After a conflict, appended files are committed again, and other changes are made again from
    the rows that the table has then.
    """

    #: Loads the table as it is then.
    load: Callable[[], Table]
    origins: TrustedOrigins
    how: RowWrite

    def append(self, rows: Any) -> None:
        """Append rows."""
        commits, table = self.how.queue.commits, self.load()
        rows = arrow_rows(rows, table.schema())
        new_files = _write(table, rows)
        with self.how.queue.lock:
            if self.how.queue.commits != commits:
                table = self.load()
            self._commit(
                table,
                lambda now: _append(table, now, new_files),
                may_be_empty=True,
                keeps_files=True,
            )

    def add_files(self, locations: list[str]) -> None:
        """Add Parquet files as they are."""

        def replacement(table: Table) -> Replacement:
            files = plan_files(scan_of(table, self.how.branch), None)
            stored = {file.task.file.file_path for file in files}
            limit = self.origins.decoding
            new_files: list[DataFile] = []
            for location in locations:
                if location in stored:
                    raise ValueError(f"the table has the file {json.dumps(location)} already")
                new_files.append(existing_file(table.metadata, table.io, location, limit))
                stored.add(location)
            return Replacement([], new_files, name_mapping(table.metadata), owns_files=False)

        with self.how.queue.lock:
            self._commit(self.load(), replacement)

    def delete(self, row_filter: RowFilter) -> None:
        """Delete the rows of a filter."""
        predicate = predicate_of(row_filter)
        with self.how.queue.lock:
            self._commit(self.load(), lambda table: self._without(table, predicate))

    def overwrite(self, rows: Any, row_filter: RowFilter, *, may_be_empty: bool = False) -> None:
        """Replace the rows of a filter; commit also without any rows if that is wanted."""
        predicate = predicate_of(row_filter)
        with self.how.queue.lock:
            current = self.load()
            rows = _repeatable(rows, current)

            def replacement(table: Table) -> Replacement:
                result = self._without(table, predicate)
                result.new_files += _write(table, rows)
                return result

            self._commit(current, replacement, may_be_empty=may_be_empty)

    def overwrite_partitions(self, rows: Any) -> None:
        """Replace the partitions of rows."""
        with self.how.queue.lock:
            current = self.load()
            rows = _repeatable(rows, current)

            def replacement(table: Table) -> Replacement:
                if table.spec().is_unpartitioned():
                    raise ValueError("the table has no partitions: call overwrite() instead")
                new_files = _write(table, rows)
                partitions = {_partition(file) for file in new_files}
                files = [
                    file.task.file for file in plan_files(scan_of(table, self.how.branch), None)
                ]
                if any(file.spec_id != table.spec().spec_id for file in files):
                    raise ValueError(
                        "the table has files of an earlier partition spec: call overwrite() with a"
                        " filter of the partitions"
                    )
                old_files = [file for file in files if _partition(file) in partitions]
                return Replacement(old_files, new_files)

            self._commit(current, replacement)

    def upsert(self, rows: Any, keys: list[str] | None) -> UpsertResult:
        """Update the rows with the same keys, append the others, and return their numbers."""
        with self.how.queue.lock:
            current = self.load()
            rows, numbers = _repeatable(rows, current), UpsertResult()

            def replacement(table: Table) -> Replacement:
                schema = table.schema()
                names = keys or sorted(schema.identifier_field_names())
                source = KeyedRows.of(rows, names, schema)
                result = self._update(table, source)
                numbers.rows_updated, numbers.rows_inserted = (
                    source.updates_count,
                    source.others.num_rows,
                )
                result.new_files += _write(table, source.others)
                return result

            self._commit(current, replacement)
            return numbers

    # -- files ------------------------------------------------------------------------------------

    def _without(self, table: Table, predicate: Predicate) -> Replacement:
        """Return the replacement of files with rows of a filter by copies without them."""
        scan = scan_of(table, self.how.branch)
        reader = FileReader.of(scan, table.io.properties, predicate, origins=self.origins)
        predicate = bound(predicate, table.schema())
        ranges = FileRanges(predicate, table.schema(), table.specs())
        others = replace(reader, schema=_schema_of_copies(table), is_contrary=True)
        hits = replace(reader, schema=reader.filter_schema)

        def copy(file: PlannedFile) -> Iterable[Any] | None:
            if ranges.of_file(file.task.file) == ALWAYS:
                return ()
            if not any(batch.num_rows for batch in self._read(hits, file)):
                return None
            return self._read(others, file)

        return self._copy_files(table, plan_files(scan, predicate), copy)

    def _update(self, table: Table, source: KeyedRows) -> Replacement:
        """Return the replacement of files whose rows are updated."""
        scan = scan_of(table, self.how.branch)
        reader = FileReader.of(scan, table.io.properties, None, origins=self.origins)
        reader = replace(reader, schema=_schema_of_copies(table))

        def copy(file: PlannedFile) -> Iterable[Any] | None:
            before = source.updates_count
            for batch in self._read(reader, file):
                source.match(batch)
            if source.updates_count == before:
                return None
            return (part for batch in self._read(reader, file) for part in source.updates(batch))

        predicate = bound(source.predicate(), table.schema())
        result = self._copy_files(table, plan_files(scan, predicate), copy)
        source.finish()
        return result

    def _read(self, reader: FileReader, file: PlannedFile) -> Iterable[Any]:
        return reader.read([file], lambda: self.load().io.properties)

    def _copy_files(
        self,
        table: Table,
        files: Iterable[PlannedFile],
        copy: Callable[[PlannedFile], Iterable[Any] | None],
    ) -> Replacement:
        """Return the replacement of files by copies; a copy of None leaves the file."""
        result, schema = Replacement(), arrow_schema(_schema_of_copies(table))
        for file in files:
            batches = copy(file)
            if batches is not None:
                result.old_files.append(file.task.file)
                writer = DataWriter(table.metadata, table.io, has_lineage=_has_lineage(table))
                result.new_files += writer.write(batches, schema)
        return result

    # -- commits ----------------------------------------------------------------------------------

    def _commit(
        self,
        table: Table,
        replacement: Callable[[Table], Replacement],
        *,
        may_be_empty: bool = False,
        keeps_files: bool = False,
    ) -> None:
        """Commit a replacement; make it again after conflicts, as often as retries allow."""
        retries, start, tries = _retries(self.how.retries, table.properties), time.monotonic(), 0
        while True:
            tries += 1
            files = replacement(table)
            if not files and not may_be_empty:
                return
            writer = SnapshotWriter(table, self.how.branch)
            requirements, updates = writer.changes(
                files.old_files, files.new_files, self.how.snapshot_properties
            )
            if files.properties:
                updates = (SetPropertiesUpdate(updates=files.properties), *updates)
            try:
                table.catalog.commit_table(table, requirements, updates)
            except CommitFailedException as error:
                conflict = error
            else:
                return
            finally:
                self.how.queue.commits += 1
            table = self.load()
            if table.snapshot_by_id(writer.snapshot_id) is not None:
                return  # an earlier request was applied, and its repetition rejected
            writer.discard()
            pause = retries.pause(tries=tries, elapsed=time.monotonic() - start, retry_after=None)
            if files.owns_files and (pause is None or not keeps_files):
                discard(table, [file.file_path for file in files.new_files])
            if pause is None:
                raise conflict
            time.sleep(pause)
            cause: Any = conflict.__cause__
            if retries.on_retry is not None and cause is not None:
                retries.on_retry(Retry(cause.operation, tries, pause, cause.status, None))


def _append(earlier: Table, now: Table, files: list[DataFile]) -> Replacement:
    if earlier.spec().spec_id != now.spec().spec_id:
        raise CommitFailedException(
            "the partition spec was changed while the rows were written: append them again"
        )
    return Replacement(new_files=files)


def _partition(file: DataFile) -> str:
    """Return the values of a partition as text: NaN equals itself, and -0.0 is not 0.0."""
    return repr([file.partition[place] for place in range(len(file.partition))])


def _write(table: Table, rows: Any) -> list[DataFile]:
    is_stream = isinstance(rows, pa.RecordBatchReader)
    batches = rows if is_stream else rows.to_batches(max_chunksize=_BATCH_ROWS)
    return DataWriter(table.metadata, table.io).write(batches, rows.schema)


def _repeatable(rows: Any, table: Table) -> Any:
    """Return rows as a table of Arrow, which can be read again after a conflict."""
    result: Any = arrow_rows(rows, table.schema())
    return result.read_all() if isinstance(result, pa.RecordBatchReader) else result


def _has_lineage(table: Table) -> bool:
    return table.format_version >= MEMBERS


def _schema_of_copies(table: Table) -> Schema:
    return with_lineage(table.schema()) if _has_lineage(table) else table.schema()


def _retries(retries: Retries, properties: Mapping[str, str]) -> Retries:
    """Return the retries, changed by the properties `commit.retry.*` of a table."""
    milliseconds = {
        "first_pause": TableProperties.COMMIT_MIN_RETRY_WAIT_MS,
        "longest_pause": TableProperties.COMMIT_MAX_RETRY_WAIT_MS,
        "total": TableProperties.COMMIT_TOTAL_RETRY_TIME_MS,
    }
    overrides: dict[str, Any] = {
        name: int(properties[key]) / 1000 for name, key in milliseconds.items() if key in properties
    }
    if (tries := properties.get(TableProperties.COMMIT_NUM_RETRIES)) is not None:
        overrides["tries"] = int(tries) + 1
    return replace(retries, **overrides)
