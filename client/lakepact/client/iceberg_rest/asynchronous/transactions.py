"""Transactions of a catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.client.iceberg_rest import bodies
from lakepact.client.iceberg_rest.asynchronous.configured import AsyncConfigured
from lakepact.client.iceberg_rest.settings import PREFIX
from lakepact.generated.iceberg_rest.endpoints import commit_transaction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakepact.client.iceberg_rest.changes import TableChange


class AsyncTransactions(AsyncConfigured):
    """A catalog's transactions."""

    async def commit_transaction(self, changes: Sequence[TableChange]) -> None:
        """Make all `changes` or none, if every requirement of every one of them holds.

        A transaction is sent again only while it certainly has not been carried out. The server answers without the tables: load them.

        Args:
            changes: What to do to each table; many servers refuse two changes to one.

        Raises:
            CommitRejected: A requirement does not hold; nothing was changed.
            OutcomeUnknown: The changes may or may not have been made; load a table and look.
            NoSuchTable: One of the tables does not exist; nothing was changed.
            OperationNotSupported: The server has no transactions.
        """
        await self._call(commit_transaction.call(prefix=PREFIX, body=bodies.commit_transaction(changes)))
