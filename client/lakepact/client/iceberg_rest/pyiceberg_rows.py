"""Rows of tables, read and written by pyiceberg, with the retries and errors of the client."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa
from pydantic import TypeAdapter
from pyiceberg.exceptions import CommitFailedException, ValidationException
from pyiceberg.schema import Schema
from pyiceberg.table.update import TableUpdate, update_table_metadata

from lakepact.client.decoding import explain
from lakepact.client.errors import CommitRejected, Failure, LakepactError
from lakepact.client.iceberg_rest.pyiceberg_tables import pyiceberg_table
from lakepact.client.iceberg_rest.rows.changes import RowChanges
from lakepact.client.iceberg_rest.rows.data_files import FileReader
from lakepact.client.iceberg_rest.rows.filters import field_of
from lakepact.client.iceberg_rest.rows.planning import plan_files, scan_of
from lakepact.client.iceberg_rest.rows.projection import arrow_schema
from lakepact.client.iceberg_rest.snapshots import snapshot_id
from lakepact.client.rows.predicates import Or
from lakepact.client.rows.row_filters import selection_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from datetime import datetime

    from pydantic import ValidationError
    from pyiceberg.table import Table

    from lakepact.client.iceberg_rest.catalog_calls import CatalogCalls
    from lakepact.client.iceberg_rest.changes import TableChange
    from lakepact.client.iceberg_rest.names import TableName
    from lakepact.client.iceberg_rest.row_writes import RowWrite
    from lakepact.client.iceberg_rest.table_edits import TableEdits
    from lakepact.client.rows.foreign import ArrowBatch, ArrowReader, ArrowTable
    from lakepact.client.rows.row_filters import RowFilter
    from lakepact.generated.iceberg_rest.models import CommitTableResponse, LoadTableResult


_UPDATES: TypeAdapter[Any] = TypeAdapter(TableUpdate)


@dataclass(frozen=True, slots=True)
class RowScan:
    """The wanted rows of a table; see `IcebergCatalog.scan`."""

    table: TableName
    columns: Sequence[str] | None
    row_filter: RowFilter | None
    snapshot: int | str | None
    limit: int | None
    timestamp: datetime | str | None = None

    def count(self, catalog: CatalogCalls) -> int:
        """Return the number of rows; manifests say it without filter and deletes."""
        with client_errors():
            scan = scan_of(_load(catalog, self.table), self.snapshot, self.timestamp)
            if selection_of(self.row_filter) is None:
                tasks = [file.task for file in plan_files(scan, None)]
                if not any(task.delete_files for task in tasks):
                    rows = sum(task.file.record_count for task in tasks)
                    return rows if self.limit is None else min(rows, self.limit)
            narrow = replace(self, columns=[scan.projection().fields[0].name])
        return sum(batch.num_rows for batch in narrow.reader(catalog))

    def reader(self, catalog: CatalogCalls) -> ArrowReader:
        """Return the rows as a stream that holds a few megabytes of up to four files."""
        with client_errors():
            table = _load(catalog, self.table)
            scan = scan_of(table, self.snapshot, self.timestamp)
            if self.columns is not None:
                for name in self.columns:
                    field_of(scan.projection(), name)
                scan = scan.select(*self.columns)
            reader = FileReader.of(
                scan,
                table.io.properties,
                selection_of(self.row_filter),
                origins=catalog.trusted_origins,
            )
            reader = replace(reader, schema=self._in_name_order(reader.schema))
            files = plan_files(scan, reader.predicate) if self.limit != 0 else []
        rows = reader.read(files, lambda: _load(catalog, self.table).io.properties)
        return pa.RecordBatchReader.from_batches(
            arrow_schema(reader.schema), _with_client_errors(_up_to(rows, self.limit))
        )

    def arrow_table(self, catalog: CatalogCalls) -> ArrowTable:
        """Return the rows."""
        rows: ArrowTable = self.reader(catalog).read_all()
        return rows

    def _in_name_order(self, schema: Schema) -> Schema:
        """Return the columns in the order of their names, nested ones in their outermost struct."""
        if self.columns is None:
            return schema
        fields = {field.name: field for field in schema.fields}
        names = [name if name in fields else name.partition(".")[0] for name in self.columns]
        return Schema(*(fields[name] for name in dict.fromkeys(names)))


def _up_to(batches: Iterator[Any], limit: int | None) -> Generator[Any, None, None]:
    remaining = limit
    for batch in batches:
        if batch.num_rows:
            part = batch.slice(0, remaining)
            yield part
            remaining = None if remaining is None else remaining - part.num_rows
        if remaining == 0:
            return


def _with_client_errors(batches: Generator[Any, None, None]) -> Generator[Any, None, None]:
    with client_errors():
        yield from batches


class Batches:
    """The record batches of a scan, which one thread after the other reads."""

    def __init__(self, scan: RowScan, catalog: CatalogCalls) -> None:
        self._scan, self._catalog = scan, catalog
        self._reader: Any = None
        self._lock = threading.Lock()

    def following(self) -> ArrowBatch | None:
        """Return the next batch, None after the last."""
        with self._lock:
            self._reader = self._reader or self._scan.reader(self._catalog)
            batch: ArrowBatch | None = next(self._reader, None)
            return batch

    def close(self) -> None:
        """Close the files, once the batch that is being read has come."""
        with self._lock:
            if self._reader is not None:
                self._reader.close()


def write(
    catalog: CatalogCalls, verb: str, table: TableName, write: RowWrite, *arguments: Any
) -> Any:
    """Change the rows of a table."""

    def load() -> Table:
        return _load(catalog, table)

    with client_errors():
        return getattr(RowChanges(load, catalog.trusted_origins, write), verb)(*arguments)


def append_with_edits(
    catalog: CatalogCalls, edits: TableEdits, rows: Any, how: RowWrite
) -> CommitTableResponse:
    """Commit edits of a table, and rows with the schema that they make, in one snapshot."""
    editor = _WithEdits(catalog, edits)

    def load() -> Table:
        table = _load(cast("Any", editor), (edits.namespace, edits.name))
        updates = tuple(map(_UPDATES.validate_python, editor.change.updates))
        try:
            table.metadata = update_table_metadata(table.metadata, updates)
        except ValueError as error:
            message = f"rows cannot be committed with these edits, commit the edits first: {error}"
            raise ValueError(message) from None
        return table

    with client_errors():
        changes = RowChanges(load, catalog.trusted_origins, how)
        changes.overwrite(rows, Or(()), may_be_empty=True)
    return editor.reply


class _WithEdits:
    """A catalog that sends edits of a table with the snapshots that pyiceberg commits to it."""

    change: TableChange
    reply: CommitTableResponse

    def __init__(self, catalog: CatalogCalls, edits: TableEdits) -> None:
        self._catalog, self._edits = catalog, edits
        self._rejected: CommitRejected | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._catalog, name)

    def load_table(self, *args: Any, **kwargs: Any) -> LoadTableResult:
        """Load the table; renewed credentials leave the edits as they are."""
        result = self._catalog.load_table(*args, **kwargs)
        if "snapshots" not in kwargs:
            self.change = self._edits.resolve(result.metadata, self._rejected)
        return result

    def commit_table(
        self, table: TableName, updates: list[Any], *, requirements: list[Any]
    ) -> CommitTableResponse:
        """Commit the edits and a snapshot."""
        required = [*self.change.requirements]
        try:
            self.reply = self._catalog.commit_table(
                table,
                [*self.change.updates, *updates],
                requirements=[
                    *required,
                    *(requirement for requirement in requirements if requirement not in required),
                ],
            )
        except CommitRejected as error:
            self._rejected = error
            raise
        return self.reply


def inspect(
    catalog: CatalogCalls, kind: str, table: TableName, choice: tuple[Any, Any] | None
) -> Any:
    """Return what the metadata or the manifests of a snapshot say, as pyiceberg's `inspect` has
    it.
    """
    with client_errors():
        source = _load(catalog, table)
        snapshot_ids = () if choice is None else (snapshot_id(source.metadata, *choice),)
        return getattr(source.inspect, kind)(*snapshot_ids)


@contextlib.contextmanager
def client_errors() -> Generator[None]:
    """Raise the client's errors in place of those that pyiceberg made of them, and built-in ones in
    place of its own.

    A conflict that it finds itself is `CommitRejected`, all others are `ValueError`.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error.__cause__, LakepactError):
            raise error.__cause__ from None
        if isinstance(error, (CommitFailedException, ValidationException)):
            raise CommitRejected(Failure(operation="updateTable", message=str(error))) from error
        library = type(error).__module__.partition(".")[0]
        if library == "pydantic_core":
            raise ValueError(explain(cast("ValidationError", error))) from error
        if library == "pyiceberg":
            raise ValueError(" ".join(str(error).split())) from error
        raise


def _load(catalog: CatalogCalls, table: TableName) -> Table:
    names_delegation = any(
        name.lower() == "header.x-iceberg-access-delegation" for name in catalog.properties()
    )
    return pyiceberg_table(
        catalog, table, access_delegation=None if names_delegation else "vended-credentials"
    )
