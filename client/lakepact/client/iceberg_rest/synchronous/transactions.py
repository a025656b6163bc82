# Made by codegen.sync_twin from asynchronous/transactions.py beside this folder. Do not edit: nox -s generate
"""Transactions of a catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.client.iceberg_rest import bodies
from lakepact.client.iceberg_rest.settings import PREFIX
from lakepact.client.iceberg_rest.synchronous.configured import Configured
from lakepact.generated.iceberg_rest.endpoints import commit_transaction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakepact.client.iceberg_rest.changes import TableChange


class Transactions(Configured):
    """A catalog's transactions."""

    def commit_transaction(self, changes: Sequence[TableChange]) -> None:
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
        self._call(commit_transaction.call(prefix=PREFIX, body=bodies.commit_transaction(changes)))
