"""Rows of tables, read and written by pyiceberg, with the retries and errors of the client."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.exceptions import CommitFailedException, ValidationException
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.expressions.visitors import bind, extract_field_ids
from pyiceberg.io.pyarrow import schema_to_pyarrow

from lakepact.client.decoding import explained
from lakepact.client.errors import CommitRejected, Failure, LakepactError
from lakepact.client.iceberg_rest.arrow_rows import arrow_rows, check_columns
from lakepact.client.iceberg_rest.data_files import FileReader, PlannedFile
from lakepact.client.iceberg_rest.pyiceberg_tables import pyiceberg_table
from lakepact.client.iceberg_rest.snapshots import snapshot_id
from lakepact.client.retries import Retry

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from datetime import datetime

    from pydantic import ValidationError
    from pyiceberg.catalog import Catalog
    from pyiceberg.expressions import BooleanExpression
    from pyiceberg.table import DataScan, Table

    from lakepact.client.iceberg_rest.names import TableName
    from lakepact.client.iceberg_rest.synchronous.catalog import IcebergCatalog
    from lakepact.client.retries import Retries
    from lakepact.client.rows.foreign import ArrowBatch, ArrowTable


@dataclass(frozen=True, slots=True)
class RowScan:
    """The wanted rows of a table; see `IcebergCatalog.scan`."""

    table: TableName
    columns: Sequence[str] | None
    row_filter: str | BooleanExpression
    snapshot: int | str | None
    limit: int | None
    timestamp: datetime | str | None = None

    def count(self, catalog: IcebergCatalog) -> int:
        """Return the number of rows; manifests say it if there are no filter and no deletes."""
        with client_errors():
            scan = self._scan(_loaded(catalog, self.table))
            if isinstance(scan.row_filter, AlwaysTrue):
                tasks = list(scan.plan_files())
                if not any(task.delete_files for task in tasks):
                    rows = sum(task.file.record_count for task in tasks)
                    return rows if self.limit is None else min(rows, self.limit)
            narrow = replace(self, columns=[scan.projection().fields[0].name])
            return sum(batch.num_rows for batch in narrow.batches(catalog))

    def arrow_table(self, catalog: IcebergCatalog) -> ArrowTable:
        """Return the rows."""
        with client_errors():
            scan = self._scan(_loaded(catalog, self.table))
            return scan.to_arrow().select(self._names(scan))

    def batches(self, catalog: IcebergCatalog) -> Generator[ArrowBatch, None, None]:
        """Yield the rows; no more than a batch of them is held."""
        table = _loaded(catalog, self.table)
        scan = self._scan(table)
        names, projection = (
            self._names(scan),
            schema_to_pyarrow(scan.projection(), include_field_ids=False),
        )
        schema = pa.schema([projection.field(name) for name in names])
        if self.columns is not None:
            every = scan.update(selected_fields=("*",)).projection()
            compared = extract_field_ids(bind(every, scan.row_filter, case_sensitive=True))
            scan = scan.update(
                selected_fields=(*self.columns, *map(every.find_column_name, compared))
            )
        reader = FileReader.of(
            scan, table.io.properties, scan.row_filter, trusted=catalog.trusted_origins
        )
        files = (PlannedFile(task) for task in scan.plan_files())
        left = self.limit
        for batch in reader.read(
            files if left != 0 else (), lambda: _loaded(catalog, self.table).io.properties
        ):
            kept = batch.select(names).cast(schema).slice(0, left)
            yield kept
            left = None if left is None else left - kept.num_rows
            if left == 0:
                return

    def _scan(self, table: Table) -> DataScan:
        snapshot = self.snapshot
        if self.timestamp is not None:
            snapshot = snapshot_id(table.metadata, snapshot, self.timestamp)
        scan = table.scan(
            self.row_filter,
            ("*",) if self.columns is None else tuple(self.columns),
            limit=self.limit,
        )
        return (
            scan.use_ref(snapshot)
            if isinstance(snapshot, str)
            else scan.update(snapshot_id=snapshot)
        )

    def _names(self, scan: DataScan) -> list[str]:
        """Return the columns of the result in their order, nested ones in their outermost struct."""
        names = [field.name for field in scan.projection().fields]
        wanted = names if self.columns is None else self.columns
        return list(
            dict.fromkeys(name if name in names else name.partition(".")[0] for name in wanted)
        )


class Batches:
    """The record batches of a scan, which one thread after the other reads."""

    def __init__(self, scan: RowScan, catalog: IcebergCatalog) -> None:
        self._batches = scan.batches(catalog)
        self._lock = threading.Lock()

    def following(self) -> ArrowBatch | None:
        """Return the next batch that has rows, None after the last."""
        with self._lock, client_errors():
            return next((batch for batch in self._batches if batch.num_rows), None)

    def close(self) -> None:
        """Close the files, once the batch that is being read has come."""
        with self._lock:
            self._batches.close()


def write(
    catalog: IcebergCatalog,
    verb: str,
    table: TableName,
    retries: Retries,
    arguments: dict[str, Any],
) -> Any:
    """Let pyiceberg change the rows of a table; `retries` hold after conflicts, unless the table has properties `commit.retry.*`."""
    with client_errors():
        loaded = _loaded(catalog, table)
        if "df" in arguments:
            arguments["df"] = arrow_rows(arguments["df"], loaded.schema())
        waits = {
            "min-wait-ms": retries.first_pause,
            "max-wait-ms": retries.longest_pause,
            "total-timeout-ms": retries.total,
        }
        ours = {
            "num-retries": retries.tries - 1,
            **{name: round(seconds * 1000) for name, seconds in waits.items()},
        }
        properties = {
            **{f"commit.retry.{name}": str(value) for name, value in ours.items()},
            **loaded.properties,
        }
        loaded.metadata = loaded.metadata.model_copy(update={"properties": properties})
        if retries.on_retry is not None:
            loaded.catalog = cast("Catalog", _Reported(loaded.catalog, retries.on_retry))
        return getattr(loaded, verb)(**arguments)


class _Reported:
    """The catalog of one write, which reports each commit after the first one as a retry."""

    def __init__(self, catalog: Catalog, on_retry: Callable[[Retry], object]) -> None:
        self._catalog = catalog
        self._on_retry = on_retry
        self._rejected: tuple[int, float, LakepactError] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._catalog, name)

    def commit_table(self, *arguments: Any) -> Any:
        """Commit, and keep a conflict for the report of the next commit."""
        tries = 1
        if self._rejected is not None:
            tried, at, error = self._rejected
            self._on_retry(Retry(error.operation, tried, time.monotonic() - at, error.status, None))
            tries = tried + 1
        try:
            return self._catalog.commit_table(*arguments)
        except CommitFailedException as conflict:
            if isinstance(conflict.__cause__, LakepactError):
                self._rejected = tries, time.monotonic(), conflict.__cause__
            raise


def inspect(
    catalog: IcebergCatalog, kind: str, table: TableName, choice: tuple[Any, Any] | None
) -> Any:
    """Return what the metadata or the manifests of a snapshot say, as pyiceberg's `inspect` has it."""
    with client_errors():
        loaded = _loaded(catalog, table)
        chosen = () if choice is None else (snapshot_id(loaded.metadata, *choice),)
        return getattr(loaded.inspect, kind)(*chosen)


def add_files(
    catalog: IcebergCatalog,
    table: TableName,
    locations: list[str],
    branch: str,
    properties: dict[str, str],
) -> None:
    """Let pyiceberg add files to a table; it prints what does not fit, so that the columns are compared before."""
    with client_errors():
        loaded = _loaded(catalog, table)
        for location in locations:
            with loaded.io.new_input(location).open() as file:
                check_columns(
                    pq.read_schema(cast("Any", file)), loaded.schema(), json.dumps(location)
                )
        loaded.add_files(locations, properties, branch=branch)


@contextlib.contextmanager
def client_errors() -> Generator[None]:
    """Raise the client's errors in place of those that pyiceberg made of them, and built-in ones in place of its own.

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
        if library == "pyparsing":
            text = json.dumps(getattr(error, "pstr", ""), ensure_ascii=False)
            example = json.dumps("id > 3 and city = 'Rome'")
            raise ValueError(f"the filter {text} is not understood; one is {example}") from error
        if library == "pydantic_core":
            raise ValueError(explained(cast("ValidationError", error))) from error
        if library == "pyiceberg":
            raise ValueError(" ".join(str(error).split())) from error
        raise


def _loaded(catalog: IcebergCatalog, table: TableName) -> Table:
    is_chosen = any(
        name.lower() == "header.x-iceberg-access-delegation" for name in catalog.properties()
    )
    return pyiceberg_table(
        catalog, table, access_delegation=None if is_chosen else "vended-credentials"
    )
