# Made by codegen.sync_twin from asynchronous/edits.py beside this folder. Do not edit: nox -s generate
"""Edits of tables, which are committed and repeated after a conflict."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any, Self, TypeVar

from lakepact.client.errors import CommitRejected, LakepactError, OutcomeUnknown
from lakepact.client.iceberg_rest.changes import with_snapshot
from lakepact.client.iceberg_rest.commit_results import committed, incomplete
from lakepact.client.iceberg_rest.row_writes import RowWrite, WriteQueue
from lakepact.client.iceberg_rest.synchronous.tables import Tables
from lakepact.client.iceberg_rest.synchronous.transactions import Transactions
from lakepact.client.iceberg_rest.table_edits import TableEdits
from lakepact.client.retries import Retry
from lakepact.client.rows.needs import need

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from lakepact.client.iceberg_rest.changes import TableChange
    from lakepact.client.iceberg_rest.names import TableName
    from lakepact.client.rows import foreign
    from lakepact.generated.iceberg_rest.models import CommitTableResponse, LoadTableResult

T = TypeVar("T")


class Edits(Tables, Transactions):
    """A catalog's tables, edited by name."""

    def change(self, table: TableName) -> TableCommit:
        """Return the edits of a table, to be filled and committed; nothing is sent before `commit`.

        Args:
            table: The table: `"sales.orders"`, or `("sales", "orders")`.

        Raises:
            ValueError: `table` does not name a table.
        """
        return TableCommit(table, self._commit_table_edits, self._resolved)

    def transaction(self) -> Transaction:
        """Return the edits of several tables, to be filled and committed, all or none; nothing is
        sent before `commit`.
        """
        return Transaction(self._commit_transaction_edits, self._resolved)

    def _commit_table_edits(self, table: TableEdits) -> CommitTableResponse:
        if table.rows is not None:
            return self._append_with_edits(table, *table.rows)

        def commit(changes: list[TableChange]) -> CommitTableResponse:
            (change,) = changes
            name = (change.namespace, change.name)
            try:
                done = self.commit_table(name, change.updates, requirements=change.requirements)
            except (CommitRejected, OutcomeUnknown):
                if (loaded := self._applied(table)) is None:
                    raise
                return committed(loaded)
            if missing := table.missing_in(done.metadata):
                raise incomplete(missing)
            return done

        return self._repeat_after_conflict([table], commit)

    def _append_with_edits(
        self, table: TableEdits, rows: Any, branch: str, properties: Mapping[str, str]
    ) -> CommitTableResponse:
        need("pyiceberg", "pyarrow", "pyroaring")
        from lakepact.client.iceberg_rest import pyiceberg_rows  # noqa: PLC0415 - where they are there

        append: Any = (
            pyiceberg_rows.append_with_edits
        )  # the rows of the catalog are beside this part
        how = RowWrite(branch, properties, self._retries, WriteQueue())
        done: CommitTableResponse = append(self, table, rows, how)
        if missing := table.missing_in(done.metadata):
            raise incomplete(missing)
        return done

    def _commit_transaction_edits(self, tables: Iterable[TableEdits]) -> None:
        def commit(changes: list[TableChange]) -> None:
            try:
                self.commit_transaction(changes)
            except (CommitRejected, OutcomeUnknown):
                if None in [self._applied(table) for table in tables]:
                    raise

        self._repeat_after_conflict(tables, commit)

    def _applied(self, table: TableEdits) -> LoadTableResult | None:
        """Return the table if it has exactly the edits of a commit that was answered with an error;
        else None.
        """
        with contextlib.suppress(LakepactError):
            name = (table.namespace, table.name)
            loaded = self.load_table(name, snapshots=table.snapshots)
            if table.is_applied(loaded.metadata):
                return loaded
        return None

    def _repeat_after_conflict(
        self, tables: Iterable[TableEdits], commit: Callable[[list[TableChange]], T]
    ) -> T:
        started, tried = time.monotonic(), 0
        rejected: CommitRejected | None = None
        while True:
            changes = [self._resolved(table, rejected) for table in tables]
            try:
                return commit(changes)
            except CommitRejected as error:
                rejected, tried = error, tried + 1
                pause = self._retries.pause(
                    tried=tried, elapsed=time.monotonic() - started, retry_after=error.retry_after
                )
                if pause is None:
                    raise
                if self._retries.on_retry is not None:
                    self._retries.on_retry(Retry(error.operation, tried, pause, error.status, None))
            self._connection.pause(pause)

    def _resolved(self, table: TableEdits, rejected: CommitRejected | None = None) -> TableChange:
        loaded = self.load_table((table.namespace, table.name), snapshots=table.snapshots)
        return table.resolved(loaded.metadata, rejected)


class TableCommit(TableEdits):
    """Edits of one table; `commit` makes all of them or none, and so does the end of a `with` block
    without an error.
    """

    def __init__(
        self,
        table: TableName,
        commit: Callable[[TableEdits], CommitTableResponse],
        resolve: Callable[[TableEdits], TableChange],
    ) -> None:
        super().__init__(table)
        self._commit = commit
        self._resolve = resolve

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None and (self._edits or self.rows):
            self.commit()

    def append(
        self,
        rows: foreign.ArrowRows,
        *,
        branch: str = "main",
        snapshot_properties: Mapping[str, str] | None = None,
    ) -> Self:
        """Append rows with the schema and partition spec that the edits make, in the same commit.

        The errors of `commit` are then those of `IcebergCatalog.append` too.

        Args:
            rows: The rows, as for `IcebergCatalog.append`.
            branch: The branch.
            snapshot_properties: Entries for the summary of the snapshot.

        Raises:
            ValueError: The edits have rows already: a commit makes one snapshot.
        """
        if self.rows is not None:
            raise ValueError("a commit makes one snapshot: append all rows at once")
        self.rows = rows, branch, dict(snapshot_properties or {})
        return self

    def preview(self) -> TableChange:
        """Load the table, and return the updates and requirements that `commit` would send to it as
        it is now.

        Rows are shown as a snapshot without files, which `commit` writes.

        Raises:
            ValueError: There are no edits, or they do not fit the table.
            NoSuchTable: The table does not exist.
        """
        change = self._resolve(self)
        return change if self.rows is None else with_snapshot(change, self.rows[1])

    def commit(self) -> CommitTableResponse:
        """Load the table, commit the edits to it, and return the result.

        The commit requires that the table is the same and that its schema, partition spec, branches
        and tags are as loaded, where the edits concern them. After a conflict the table is loaded
        again; the edits are repeated if they still mean the same.

        Raises:
            ValueError: There are no edits, or they do not fit the table. Nothing was sent.
            CommitRejected: A concurrent commit changed what the edits concern, or all tries met a
                conflict; nothing was changed.
            OutcomeUnknown: The commit may or may not have been applied; it is not repeated.
            IncompleteCommit: The server accepted the commit, but the table in its reply lacks
                edits.
            NoSuchTable: The table does not exist.
        """
        done = self._commit(self)
        self._edits.clear()
        self.rows = None
        return done


class Transaction:
    """Edits of several tables; `commit` makes all of them or none, and so does the end of a `with`
    block without an error.
    """

    def __init__(
        self,
        commit: Callable[[Iterable[TableEdits]], None],
        resolve: Callable[[TableEdits], TableChange],
    ) -> None:
        self._commit = commit
        self._resolve = resolve
        self._tables: dict[tuple[str, ...], TableEdits] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None and self._tables:
            self.commit()

    def preview(self) -> list[TableChange]:
        """Load the tables, and return the changes that `commit` would send. The errors are those of
        the `preview` of a table.
        """
        return [self._resolve(table) for table in self._tables.values()]

    def change(self, table: TableName) -> TableEdits:
        """Return the edits of a table in this transaction, the same ones for the same table.

        Raises:
            ValueError: `table` does not name a table.
        """
        edits = TableEdits(table)
        return self._tables.setdefault((*edits.namespace, edits.name), edits)

    def commit(self) -> None:
        """Load the tables and commit the edits to all of them, as the `commit` of a single table
        does.

        The reply does not contain the tables, so that missing edits are not noticed.

        Raises:
            ValueError: There are no edits, or they do not fit their table. Nothing was sent.
            CommitRejected: A concurrent commit changed what the edits concern, or all tries met a
                conflict; nothing was changed.
            OutcomeUnknown: The changes may or may not have been applied; they are not repeated.
            NoSuchTable: One of the tables does not exist; nothing was changed.
            OperationNotSupported: The server does not support transactions.
        """
        if not self._tables:
            raise ValueError("the transaction has no edits to commit")
        self._commit(self._tables.values())
        self._tables = {}
