# Made by codegen.sync_twin from asynchronous/inspection.py beside this folder. Do not edit: nox -s generate
"""Metadata and manifests of a catalog's tables, as tables of Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.client.iceberg_rest.synchronous.configured import Configured
from lakepact.client.rows.needs import need

if TYPE_CHECKING:
    from datetime import datetime

    from lakepact.client.iceberg_rest.names import TableName
    from lakepact.client.rows import foreign


class Inspection(Configured):
    """The insides of a catalog's tables."""

    def snapshots(self, table: TableName) -> foreign.ArrowTable:
        """Return the snapshots of a table, with their times, operations and summaries.

        Args:
            table: The table.

        Raises:
            NoSuchTable: The table does not exist.
            ImportError: A package is missing; the message names the extra to install.
        """
        return self._inspect("snapshots", table)

    def history(self, table: TableName) -> foreign.ArrowTable:
        """Return the snapshots that were current, with the times from when on. The argument and
        errors are those of `snapshots`.
        """
        return self._inspect("history", table)

    def refs(self, table: TableName) -> foreign.ArrowTable:
        """Return the branches and tags of a table. The argument and errors are those of
        `snapshots`.
        """
        return self._inspect("refs", table)

    def files(
        self,
        table: TableName,
        *,
        snapshot: int | str | None = None,
        timestamp: datetime | str | None = None,
    ) -> foreign.ArrowTable:
        """Return the data and delete files of a snapshot, one in each row, with their statistics.

        Args:
            table: The table.
            snapshot: The id of a snapshot, or the name of a branch or tag; by default the current
                snapshot.
            timestamp: A time; the snapshot that was current then.

        Raises:
            ValueError: The table has no such snapshot, branch or tag.
            NoSuchTable: The table does not exist.
            ImportError: A package is missing; the message names the extra to install.
        """
        return self._inspect("files", table, (snapshot, timestamp))

    def partitions(
        self,
        table: TableName,
        *,
        snapshot: int | str | None = None,
        timestamp: datetime | str | None = None,
    ) -> foreign.ArrowTable:
        """Return the partitions of a snapshot with their numbers of rows and files. The arguments
        and errors are those of `files`.
        """
        return self._inspect("partitions", table, (snapshot, timestamp))

    def _inspect(
        self, kind: str, table: TableName, choice: tuple[Any, Any] | None = None
    ) -> foreign.ArrowTable:
        need("pyiceberg", "pyarrow", "pyroaring")
        from lakepact.client.iceberg_rest import pyiceberg_rows  # noqa: PLC0415 - where they are there

        inspect: Any = pyiceberg_rows.inspect  # the other parts of the catalog are beside this one
        rows: foreign.ArrowTable = inspect(self, kind, table, choice)
        return rows
