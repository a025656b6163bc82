# Made by codegen.sync_twin from asynchronous/edits.py beside this folder. Do not edit: nox -s generate
"""Edits of tables, which are committed and repeated after a conflict."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any, Self, TypeVar

from lakepact.client.errors import CommitRejected, LakepactError, OutcomeUnknown
from lakepact.client.iceberg_rest.changes import with_snapshot
from lakepact.client.iceberg_rest.commit_results import commit_response, incomplete
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
        return TableCommit(table, self._commit_table_edits, self._resolve)

    def transaction(self) -> Transaction:
        """Return the edits of several tables, to be filled and committed, all or none; nothing is
        sent before `commit`.
        """
        return Transaction(self._commit_transaction_edits, self._resolve)

    def _commit_table_edits(self, table: TableEdits) -> CommitTableResponse:
        if table.rows is not None:
            return self._append_with_edits(table, *table.rows)

        def commit(changes: list[TableChange]) -> CommitTableResponse:
            (change,) = changes
            name = (change.namespace, change.name)
            try:
                response = self.commit_table(name, change.updates, requirements=change.requirements)
            except (CommitRejected, OutcomeUnknown):
                if (result := self._result_of_edits(table)) is None:
                    raise
                return commit_response(result)
            if missing := table.missing_in(response.metadata):
                raise incomplete(missing)
            return response

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
        response: CommitTableResponse = append(self, table, rows, how)
        if missing := table.missing_in(response.metadata):
            raise incomplete(missing)
        return response

    def _commit_transaction_edits(self, tables: Iterable[TableEdits]) -> None:
        def commit(changes: list[TableChange]) -> None:
            try:
                self.commit_transaction(changes)
            except (CommitRejected, OutcomeUnknown):
                if None in [self._result_of_edits(table) for table in tables]:
                    raise

        self._repeat_after_conflict(tables, commit)

    def _result_of_edits(self, table: TableEdits) -> LoadTableResult | None:
        """Return the table if it has exactly the edits of a commit that was answered with an error;
        else None.
        """
        with contextlib.suppress(LakepactError):
            name = (table.namespace, table.name)
            result = self.load_table(name, snapshots=table.snapshots)
            if table.is_applied(result.metadata):
                return result
        return None

    def _repeat_after_conflict(
        self, tables: Iterable[TableEdits], commit: Callable[[list[TableChange]], T]
    ) -> T:
        start, tries = time.monotonic(), 0
        rejection: CommitRejected | None = None
        while True:
            changes = [self._resolve(table, rejection) for table in tables]
            try:
                return commit(changes)
            except CommitRejected as error:
                rejection, tries = error, tries + 1
                pause = self._retries.pause(
                    tries=tries, elapsed=time.monotonic() - start, retry_after=error.retry_after
                )
                if pause is None:
                    raise
                if self._retries.on_retry is not None:
                    self._retries.on_retry(Retry(error.operation, tries, pause, error.status, None))
            self._connection.pause(pause)

    def _resolve(self, table: TableEdits, rejection: CommitRejected | None = None) -> TableChange:
        result = self.load_table((table.namespace, table.name), snapshots=table.snapshots)
        return table.resolve(result.metadata, rejection)


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
        response = self._commit(self)
        self._edits.clear()
        self.rows = None
        return response


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
