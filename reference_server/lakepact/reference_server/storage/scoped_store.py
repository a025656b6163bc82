"""One owner's collections of a shared store, which other owners do not see."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager

from lakepact.reference_server.storage.store import Key, Place, Record, Store, Transaction, View


class ScopedStore:
    """A store with its own collections.

    Args:
        store: the shared store.
        owner: the owner of the collections.
    """

    def __init__(self, store: Store, owner: str) -> None:
        self._store = store
        self._owner = owner
        self.pending, self.close = store.pending, store.close

    @contextmanager
    def begin(self) -> Generator[Transaction]:
        """Yield a transaction: its changes are kept when the block ends and undone when it
        raises.
        """
        with self._store.begin() as transaction:
            yield _OwnTransaction(transaction, self._owner)

    @contextmanager
    def view(self) -> Generator[View]:
        """Yield the durable records, which do not change in the block."""
        with self._store.view() as view:
            yield _OwnView(view, self._owner)

    def get(self, key: Key) -> Record | None:
        """Return the durable record at this key, or None."""
        return self._store.get(_key_in(self._owner, key))


class _OwnView:
    """The collections of one owner."""

    __slots__ = ("_owner", "_view")

    def __init__(self, view: View, owner: str) -> None:
        self._view = view
        self._owner = owner

    def get(self, key: Key) -> Record | None:
        return self._view.get(_key_in(self._owner, key))

    def under(
        self, collection: str, place: Place, after: str | None = None
    ) -> Iterator[tuple[str, Record]]:
        return self._view.under(_collection_name(self._owner, collection), place, after)

    def every(self, collection: str) -> Iterator[tuple[Key, Record]]:
        for key, record in self._view.every(_collection_name(self._owner, collection)):
            yield key._replace(collection=collection), record


class _OwnTransaction(_OwnView):
    """The collections of one owner, and changes to them."""

    __slots__ = ("_transaction", "afterwards", "otherwise")

    def __init__(self, transaction: Transaction, owner: str) -> None:
        super().__init__(transaction, owner)
        self._transaction = transaction
        self.afterwards, self.otherwise = transaction.afterwards, transaction.otherwise

    def put(self, key: Key, record: Record) -> None:
        self._transaction.put(_key_in(self._owner, key), record)

    def remove(self, key: Key) -> Record | None:
        return self._transaction.remove(_key_in(self._owner, key))


def _collection_name(owner: str, collection: str) -> str:
    return f"{collection} of {owner}"


def _key_in(owner: str, key: Key) -> Key:
    return Key(_collection_name(owner, key.collection), key.place, key.name)
