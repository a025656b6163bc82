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
        """Apply all `changes` or none, if all requirements hold.

        A transaction is retried only if it has certainly not been applied. The answer does not
        contain the tables: load them.

        Args:
            changes: The change of each table; many servers refuse two changes to the same table.

        Raises:
            CommitRejected: A requirement does not hold; nothing was changed.
            OutcomeUnknown: The changes may or may not have been applied; load a table to find out.
            NoSuchTable: One of the tables does not exist; nothing was changed.
            OperationNotSupported: The server does not support transactions.
        """
        await self._call(
            commit_transaction.call(prefix=PREFIX, body=bodies.commit_transaction(changes))
        )
