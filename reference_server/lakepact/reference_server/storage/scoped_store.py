"""One owner's collections of a shared store, which other owners do not see."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager

from lakepact.reference_server.storage.store import Key, Pending, Place, Record, Store, Transaction, View


class ScopedStore:
    """A store with its own collections.

    Args:
        store: the shared store.
        owner: the owner of the collections.
    """

    def __init__(self, store: Store, owner: str) -> None:
        self._store = store
        self._owner = owner

    def begin(self) -> AbstractContextManager[Transaction]:
        """Return a transaction for one `with` block: its changes are kept when the block ends and undone when it raises."""
        return self._begun()

    @contextmanager
    def _begun(self) -> Generator[Transaction]:
        with self._store.begin() as transaction:
            yield _OwnTransaction(transaction, self._owner)

    def view(self) -> AbstractContextManager[View]:
        """Return the durable records, for one `with` block in which they do not change."""
        return self._viewed()

    @contextmanager
    def _viewed(self) -> Generator[View]:
        with self._store.view() as view:
            yield _OwnView(view, self._owner)

    def get(self, key: Key) -> Record | None:
        """Return the durable record at this key, or None."""
        return self._store.get(_scoped(self._owner, key))

    def pending(self) -> Pending | None:
        """Return the pending changes that this thread's last transactions made or read; `None` if all are durable."""
        return self._store.pending()

    def close(self) -> None:
        """Make pending changes durable and close the store."""
        self._store.close()


class _OwnView:
    """The collections of one owner."""

    __slots__ = ("_owner", "_view")

    def __init__(self, view: View, owner: str) -> None:
        self._view = view
        self._owner = owner

    def get(self, key: Key) -> Record | None:
        return self._view.get(_scoped(self._owner, key))

    def under(self, collection: str, place: Place, after: str | None = None) -> Iterator[tuple[str, Record]]:
        return self._view.under(_spelled(self._owner, collection), place, after)

    def every(self, collection: str) -> Iterator[tuple[Key, Record]]:
        for key, record in self._view.every(_spelled(self._owner, collection)):
            yield key._replace(collection=collection), record


class _OwnTransaction(_OwnView):
    """The collections of one owner, and changes to them."""

    __slots__ = ("_transaction",)

    def __init__(self, transaction: Transaction, owner: str) -> None:
        super().__init__(transaction, owner)
        self._transaction = transaction

    def put(self, key: Key, record: Record) -> None:
        self._transaction.put(_scoped(self._owner, key), record)

    def remove(self, key: Key) -> Record | None:
        return self._transaction.remove(_scoped(self._owner, key))

    def afterwards(self, action: Callable[[], None]) -> None:
        self._transaction.afterwards(action)

    def otherwise(self, action: Callable[[], None]) -> None:
        self._transaction.otherwise(action)


def _spelled(owner: str, collection: str) -> str:
    return f"{collection} of {owner}"


def _scoped(owner: str, key: Key) -> Key:
    return Key(_spelled(owner, key.collection), key.place, key.name)
