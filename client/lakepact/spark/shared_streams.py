"""Streams of a shared table: each version is delivered once, and an offset is the last version
delivered.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.errors import AnalysisException
from pyspark.sql.datasource import DataSourceStreamReader

from lakepact.spark.errors import explain
from lakepact.spark.offsets import NOTHING, after, offset, version_of
from lakepact.spark.options import LATEST, OptionError
from lakepact.spark.shared_tables import (
    FilesPartition,
    connect,
    formats,
    partitions_of,
    rows_of,
    table_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql.datasource import InputPartition
    from pyspark.sql.types import StructType

    from lakepact.client.delta_sharing.synchronous.table import Table
    from lakepact.spark.options import SharedTable


class SharedTableStream(DataSourceStreamReader):
    """Reads the rows that versions append, or with `readChangeFeed` the rows that versions change.

    Args:
        options: The table.
        schema: The wanted columns.
    """

    def __init__(self, options: SharedTable, schema: StructType) -> None:
        if (
            options.reads_changes
            and options.starting_version is None
            and options.starting_timestamp is None
        ):
            raise OptionError(
                "a stream of changes needs startingVersion (a number or latest) or"
                " startingTimestamp"
            )
        self._options = options
        self._schema = schema
        self._latest = -1

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - a name of Spark's
        """Return the version before the first; without a start, the stream begins with a
        snapshot.
        """
        start = self._options.starting_version
        if isinstance(start, int):
            return offset(start - 1)
        if self._options.starting_timestamp is None and start is None:
            return NOTHING
        with explain(), connect(self._options) as client:
            table = table_of(client, self._options)
            if start == LATEST:
                return offset(table.version())
            return offset(table.version(starting_timestamp=self._options.starting_timestamp) - 1)

    def latestOffset(self) -> dict[str, Any]:  # noqa: N802 - a name of Spark's
        """Return the latest version of the table; an earlier one, of a server that lags behind, is
        not returned.
        """
        with explain(), connect(self._options) as client:
            self._latest = max(self._latest, table_of(client, self._options).version())
        return offset(self._latest)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """List the files of the versions after `start` up to `end`."""
        first, last = after(start), version_of(end)
        assert last is not None  # noqa: S101 - no end is before the first version
        self._latest = max(self._latest, last, (first or 0) - 1)
        if first is not None and first > last + 1:
            message = (
                f"lakepact: the server returned version {last}, and the stream has read up to"
                f" {first - 1}: the server lags behind, "
            )
            raise AnalysisException(
                message
                + "or the table was replaced; restart the stream when the server has the version"
            )
        if first is not None and first > last:
            return []
        with explain(), connect(self._options) as client:
            return self._files(table_of(client, self._options), first, last)

    def _files(self, table: Table, first: int | None, last: int) -> list[FilesPartition]:
        options = self._options
        if first is None:
            listing = table.query(version=last, formats=formats(options))
        elif options.reads_changes:
            listing = table.changes(
                starting_version=first, ending_version=last, formats=formats(options)
            )
        else:
            listing = table.query(
                starting_version=first, ending_version=last, formats=formats(options)
            )
        partitions = partitions_of(listing, options, self._schema)
        return (
            partitions
            if first is None or options.reads_changes
            else _appends(partitions, skips=options.skips_change_commits)
        )

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the rows of a partition as record batches."""
        assert isinstance(partition, FilesPartition)  # noqa: S101 - what `partitions` returned
        return rows_of(partition, self._options, self._schema)


def _appends(partitions: list[FilesPartition], *, skips: bool) -> list[FilesPartition]:
    """Return the partitions without the versions that deleted or updated rows.

    Raises:
        AnalysisException: There is such a version, and it is not to be skipped.
    """
    pieces = [piece for partition in partitions for piece in partition.task.pieces]
    changing = {
        piece.file.version for piece in pieces if piece.change == "delete" or piece.only is not None
    }
    if not changing:
        return partitions
    if not skips:
        first = min(version or 0 for version in changing)
        way_out = (
            'set option readChangeFeed to "true", or skipChangeCommits to "true" to leave out such'
            " versions"
        )
        raise AnalysisException(
            f"lakepact: version {first} deletes or updates rows, and this stream delivers appends:"
            f" {way_out}"
        )
    rest = [
        FilesPartition(
            replace(
                partition.task,
                pieces=tuple(
                    piece for piece in partition.task.pieces if piece.file.version not in changing
                ),
            )
        )
        for partition in partitions
    ]
    return [each for each in rest if each.task.pieces]
