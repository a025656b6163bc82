"""Shared tables read by Spark: the driver lists files and divides them into partitions, executors
fetch and read them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceReader, InputPartition

from lakepact.client import SharingClient
from lakepact.client.delta_sharing.rows.plan import Plan
from lakepact.spark.errors import explain
from lakepact.spark.filters import TakesFilters
from lakepact.spark.options import LATEST, OptionError
from lakepact.spark.schemas import check_fits, record_batches, spark_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql.types import StructType

    from lakepact.client import ReadTask
    from lakepact.client.delta_sharing.lines import Format, Metadata
    from lakepact.client.delta_sharing.synchronous.listing import Listing
    from lakepact.client.delta_sharing.synchronous.table import Table
    from lakepact.client.rows.predicates import Predicate
    from lakepact.spark.options import SharedTable

_DOWNLOADS = 4  #: files that one task fetches at once
_MEMORY = 128 * 1024 * 1024


def connect(options: SharedTable) -> SharingClient:
    """Return a client of the table's server."""
    return SharingClient(options.profile, downloads=_DOWNLOADS, memory=_MEMORY)


def table_of(client: SharingClient, options: SharedTable) -> Table:
    """Return the table."""
    return client.table(options.share, options.schema, options.name)


def formats(options: SharedTable) -> tuple[Format, ...]:
    """Return the response formats to request."""
    choices: tuple[Format, ...] = ("delta", "parquet")
    return tuple(choice for choice in choices if options.response_format in (None, choice))


def columns_of(metadata: Metadata, *, with_changes: bool) -> Any:
    """Return the columns of a table as Arrow has them, with those of change rows."""
    return Plan(
        metadata, "getTableMetadata", columns=None, predicate=None, gives_changes=with_changes
    ).schema


def describe(options: SharedTable) -> StructType:
    """Return the schema of the table as the server describes it."""
    with connect(options) as client:
        description = table_of(client, options).metadata(
            version=options.version, timestamp=options.timestamp
        )
    return spark_schema(columns_of(description.metadata, with_changes=options.reads_changes))


class FilesPartition(InputPartition):
    """The files of one Spark task; `repr()` shows no URL."""

    def __init__(self, task: ReadTask) -> None:
        super().__init__(None)
        self.task = task

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.task.pieces)} files, {self.task.size} bytes)"


def partitions_of(
    listing: Listing, options: SharedTable, schema: StructType
) -> list[FilesPartition]:
    """Divide the files of a listing into partitions.

    Raises:
        AnalysisException: The schema does not fit the table.
    """
    check_fits(columns_of(listing.metadata, with_changes=listing.question.gives_changes), schema)
    return [
        FilesPartition(task)
        for task in listing.tasks(columns=schema.names, task_bytes=options.partition_bytes)
    ]


def rows_of(
    partition: FilesPartition | None, options: SharedTable, schema: StructType
) -> Iterator[Any]:
    """Yield the record batches of a partition."""
    if partition is None:
        return  # Spark reads the partition None of a table without files
    with connect(options) as client:
        for table in client.read(partition.task):
            yield from record_batches(table, schema)


class Reader(DataSourceReader):
    """Reads one version of a shared table, or the changes of several versions.

    Args:
        options: The table.
        schema: The wanted columns.
    """

    def __init__(self, options: SharedTable, schema: StructType) -> None:
        self._options = options
        self._schema = schema
        self._predicate: Predicate | None = None

    def partitions(self) -> list[InputPartition]:
        """List the files and divide them into partitions."""
        options = self._options
        with explain(), connect(options) as client:
            listing = (
                self._changes(table_of(client, options))
                if options.reads_changes
                else self._snapshot(table_of(client, options))
            )
            return list(partitions_of(listing, options, self._schema))

    def _snapshot(self, table: Table) -> Listing:
        options = self._options
        return table.query(
            row_filter=self._predicate,
            version=options.version,
            timestamp=options.timestamp,
            formats=formats(options),
        )

    def _changes(self, table: Table) -> Listing:
        options = self._options
        start = options.starting_version
        if start == LATEST or (start is None and options.starting_timestamp is None):
            raise OptionError(
                "readChangeFeed needs startingVersion (a number) or startingTimestamp"
            )
        return table.changes(
            starting_version=int(start) if start is not None else None,
            starting_timestamp=options.starting_timestamp,
            ending_version=options.ending_version,
            ending_timestamp=options.ending_timestamp,
            row_filter=self._predicate,
            formats=formats(options),
        )

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the rows of a partition as record batches."""
        assert partition is None or isinstance(partition, FilesPartition)  # noqa: S101 - what `partitions` returned
        return rows_of(partition, self._options, self._schema)


class FilteredReader(TakesFilters, Reader):
    """Reads a shared table without the files that filters exclude."""
