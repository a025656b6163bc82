# Made by codegen.sync_twin from asynchronous/rows.py beside this folder. Do not edit: nox -s generate
"""Rows of tables, which pyiceberg reads and writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.client.iceberg_rest.names import table_identifier
from lakepact.client.iceberg_rest.row_writes import RowWrite, WriteQueue
from lakepact.client.iceberg_rest.synchronous.configured import Configured
from lakepact.client.rows.needs import need
from lakepact.client.several import Names, names, texts

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from datetime import datetime

    from pyiceberg.table import UpsertResult

    from lakepact.client.iceberg_rest.names import TableName
    from lakepact.client.rows import foreign
    from lakepact.client.rows.row_filters import RowFilter


class Rows(Configured):
    """The rows of a catalog's tables; the extra `iceberg` installs what reads and writes them."""

    def scan(
        self,
        table: TableName,
        columns: Names | None = None,
        row_filter: RowFilter | None = None,
        *,
        snapshot: int | str | None = None,
        timestamp: datetime | str | None = None,
        limit: int | None = None,
    ) -> TableScan:
        """Return a scan of a table's rows; nothing is sent before the rows are read.

        Args:
            table: The table.
            columns: The columns, in this order; by default all.
            row_filter: The filter of rows, such as `"id > 3 and city = 'Rome'"`,
                `column("id") > 3`, or an expression of pyiceberg. It selects the rows for which it
                is true, as in SQL; by default all.
            snapshot: The id of a snapshot, or the name of a branch or tag; by default the current
                snapshot.
            timestamp: A time, such as `datetime(2026, 5, 1, tzinfo=UTC)`; the snapshot that was
                current then.
            limit: The maximum number of rows.

        Raises:
            ImportError: A package is missing; the message names the extra to install.
        """
        if limit is not None and (type(limit) is not int or limit < 0):
            raise ValueError(f"limit is a number of rows, 0 or more: given {limit}")
        selection = None if columns is None else names("columns", columns)
        scan = _engine().RowScan(table, selection, row_filter, snapshot, limit, timestamp)
        return TableScan(self, scan)

    def append(
        self,
        table: TableName,
        rows: foreign.ArrowRows,
        *,
        branch: str = "main",
        snapshot_properties: Mapping[str, str] | None = None,
    ) -> None:
        """Append rows to a table, once: a commit whose answer is lost is not repeated, but looked
        up.

        Args:
            table: The table.
            rows: The rows: a table of Arrow, a frame of pandas or polars, a relation of DuckDB,
                columns by name, or a `pyarrow.RecordBatchReader`, which is read as a stream.
            branch: The branch.
            snapshot_properties: Entries for the summary of the snapshot.

        Raises:
            ValueError: The rows do not fit the schema; nothing was written.
            CommitRejected: All tries met a conflict; nothing was changed.
            OutcomeUnknown: The commit may or may not have been applied.
            NoSuchTable: The table does not exist.
            ImportError: A package is missing; the message names the extra to install.
        """
        self._write("append", table, branch, snapshot_properties, rows)

    def overwrite(
        self,
        table: TableName,
        rows: foreign.ArrowRows,
        row_filter: RowFilter = "true",
        *,
        branch: str = "main",
        snapshot_properties: Mapping[str, str] | None = None,
    ) -> None:
        """Replace the rows of a filter, by default all. The other arguments and errors are those of
        `append`.
        """
        self._write("overwrite", table, branch, snapshot_properties, rows, row_filter)

    def overwrite_partitions(
        self,
        table: TableName,
        rows: foreign.ArrowRows,
        *,
        branch: str = "main",
        snapshot_properties: Mapping[str, str] | None = None,
    ) -> None:
        """Replace the partitions that the rows are in. The other arguments and errors are those of
        `append`.
        """
        self._write("overwrite_partitions", table, branch, snapshot_properties, rows)

    def delete(
        self,
        table: TableName,
        row_filter: RowFilter,
        *,
        branch: str = "main",
        snapshot_properties: Mapping[str, str] | None = None,
    ) -> None:
        """Delete the rows of a filter. The other arguments and errors are those of `append`."""
        self._write("delete", table, branch, snapshot_properties, row_filter)

    def upsert(
        self,
        table: TableName,
        rows: foreign.ArrowRows,
        keys: Names | None = None,
        *,
        branch: str = "main",
        snapshot_properties: Mapping[str, str] | None = None,
    ) -> UpsertResult:
        """Update the rows with the same keys, by default the identifier fields, append the others,
        and return their numbers.

        The other arguments and errors are those of `append`.
        """
        columns = None if keys is None else list(names("keys", keys))
        result: UpsertResult = self._write(
            "upsert", table, branch, snapshot_properties, rows, columns
        )
        return result

    def add_files(
        self,
        table: TableName,
        locations: Names,
        *,
        branch: str = "main",
        snapshot_properties: Mapping[str, str] | None = None,
    ) -> None:
        """Add existing Parquet files, which stay where they are; their columns are found by name.

        Args:
            table: The table.
            locations: The locations of the files.
            branch: The branch.
            snapshot_properties: Entries for the summary of the snapshot.

        Raises:
            ValueError: A file does not fit the schema, or the table has it already.
            FileNotFoundError: There is no such file.
            LakepactError: As for `append`.
        """
        files = list(names("locations", locations))
        self._write("add_files", table, branch, snapshot_properties, files)

    def _write(
        self,
        verb: str,
        table: TableName,
        branch: str,
        snapshot_properties: Mapping[str, str] | None,
        *arguments: Any,
    ) -> Any:
        queue = self._write_queues.setdefault(str(table_identifier(table)), WriteQueue())
        how = RowWrite(
            branch, texts("snapshot_properties", snapshot_properties), self._retries, queue
        )
        return _engine().write(self, verb, table, how, *arguments)


class TableScan:
    """A scan of a table's rows; each method reads the table as it is then."""

    def __init__(self, catalog: Rows, scan: Any) -> None:
        self._catalog = catalog
        self._scan = scan

    def batches(self) -> Generator[foreign.ArrowBatch, None, None]:
        """Yield the rows as record batches; a few megabytes of up to four files are held at a time.

        Raises:
            ValueError: The table has no such column, snapshot, branch or tag, or the filter is no
                filter.
            NoSuchTable: The table does not exist.
        """
        reader = _engine().Batches(self._scan, self._catalog)
        try:
            while (batch := reader.following()) is not None:
                yield batch
        finally:
            reader.close()

    def count(self) -> int:
        """Return the number of rows, without reading files if there are no filter and no deletes.
        The errors are those of `batches`.
        """
        number: int = self._scan.count(self._catalog)
        return number

    def reader(self) -> foreign.ArrowReader:
        """Return the rows as a stream of record batches that holds a few at a time.

        It is read in a thread of its own where an event loop runs. The errors are those of
        `batches`.
        """
        stream: foreign.ArrowReader = self._scan.reader(self._catalog)
        return stream

    def to_arrow(self) -> foreign.ArrowTable:
        """Return the rows as a table of Arrow. The errors are those of `batches`."""
        rows: foreign.ArrowTable = self._scan.arrow_table(self._catalog)
        return rows

    def to_pandas(self) -> foreign.PandasFrame:
        """Return the rows as a frame of pandas, with integers and booleans that know nulls. The
        errors are those of `batches`.
        """
        frame: foreign.PandasFrame = _frames("pandas").pandas_frame(self.to_arrow())
        return frame

    def to_polars(self) -> foreign.PolarsFrame:
        """Return the rows as a frame of polars. The errors are those of `batches`."""
        frame: foreign.PolarsFrame = _frames("polars").polars_frame(self.to_arrow())
        return frame

    def to_duckdb(
        self, *, connection: foreign.DuckDBConnection | None = None
    ) -> foreign.DuckDBRelation:
        """Return the rows as a relation of DuckDB, in a connection or the default one. The errors
        are those of `batches`.
        """
        relation: foreign.DuckDBRelation = _frames("duckdb").duckdb_relation(
            self.to_arrow(), connection
        )
        return relation


def _engine() -> Any:
    need("pyiceberg", "pyarrow", "pyroaring")
    from lakepact.client.iceberg_rest import pyiceberg_rows  # noqa: PLC0415 - where they are there

    return pyiceberg_rows


def _frames(library: str) -> Any:
    need(library)
    from lakepact.client.rows import frames  # noqa: PLC0415 - where the library is there

    return frames
