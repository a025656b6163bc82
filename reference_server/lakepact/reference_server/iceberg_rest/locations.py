"""Where the tables and views of a catalog lie, kept in order beside its store: a neighbour is found without looking at all of them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

import orjson
from sortedcontainers import SortedDict

from lakepact.reference_server.store import Key

from .catalog import IDENTIFIERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from lakepact.reference_server.store import Place, Record, Settling, Store, Transaction, View

    from .documents import Document


class Located:
    """A store that knows where what is in it lies.

    Where that is, is read from all records when it is asked for the first time, and followed from then on.

    Args:
        store: the store.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: _Known | None = None

    def is_alone(self, key: Key | None, location: str) -> bool:
        """Whether nothing but the table at this key, if one is named, lies at a location, above it or below it."""
        with self._store.begin() as transaction:
            if self._known is None:
                self._known = _Known({other: _spelled(_read(record)["metadata"]) for other, record in transaction.every(IDENTIFIERS)})
            return self._known.is_alone(key, location)

    def begin(self) -> AbstractContextManager[Transaction]:
        """A transaction for one `with` block: its changes are kept when the block ends and undone when it raises."""
        return _Following(self, self._store.begin())

    def follow(self, transaction: Transaction) -> _Followed | None:
        """A transaction that tells where it puts what; None as long as nobody has asked, and all will be read."""
        return None if self._known is None else _Followed(transaction)

    def moved(self, transaction: Transaction, changes: dict[Key, str | None]) -> None:
        """Note what a transaction has moved; nobody else is in the store until it has ended."""
        if changes and self._known is not None:
            transaction.otherwise(self._forget)
            for key, location in changes.items():
                self._known.move(key, location)

    def _forget(self) -> None:
        """Read everything again, because changes were undone."""
        self._known = None

    def view(self) -> AbstractContextManager[View]:
        """What is kept for good, for one `with` block in which it does not change."""
        return self._store.view()

    def get(self, key: Key) -> Record | None:
        """The record at this key that is kept for good, or None."""
        return self._store.get(key)

    def settled(self) -> Settling | None:
        """What to wait for until everything that this thread's last transactions saw and did is kept for good; None if it is."""
        return self._store.settled()

    def close(self) -> None:
        """Keep what is to be kept, and let go of what is held."""
        self._store.close()


class _Following(AbstractContextManager["Transaction"]):
    """A transaction for one `with` block, followed where somebody has asked for locations before."""

    __slots__ = ("_followed", "_located", "_within")

    def __init__(self, located: Located, within: AbstractContextManager[Transaction]) -> None:
        self._located = located
        self._within = within
        self._followed: _Followed | None = None

    def __enter__(self) -> Transaction:
        transaction = self._within.__enter__()
        self._followed = self._located.follow(transaction)
        return self._followed or transaction

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None and self._followed is not None:
            try:
                self._located.moved(self._followed.transaction, self._followed.changes)
            except BaseException as failure:
                self._within.__exit__(type(failure), failure, failure.__traceback__)
                raise
        self._within.__exit__(kind, error, trace)


class _Followed:
    """A transaction that writes down what moves."""

    __slots__ = ("changes", "transaction")

    def __init__(self, transaction: Transaction) -> None:
        self.transaction = transaction
        self.changes: dict[Key, str | None] = {}

    def get(self, key: Key) -> Record | None:
        return self.transaction.get(key)

    def every(self, shelf: str) -> Iterator[tuple[Key, Record]]:
        return self.transaction.every(shelf)

    def afterwards(self, action: Callable[[], None]) -> None:
        self.transaction.afterwards(action)

    def otherwise(self, action: Callable[[], None]) -> None:
        self.transaction.otherwise(action)

    def under(self, shelf: str, place: Place, after: str | None = None) -> Iterator[tuple[str, Record]]:
        return self.transaction.under(shelf, place, after)

    def put(self, key: Key, record: Record) -> None:
        self.transaction.put(key, record)
        if key.shelf == IDENTIFIERS:
            self.changes[key] = _spelled(record.document["metadata"])

    def remove(self, key: Key) -> Record | None:
        if key.shelf == IDENTIFIERS:
            self.changes[key] = None
        return self.transaction.remove(key)


class _Places(Protocol):
    """What is used of a SortedDict from locations to keys, which says nothing of its types."""

    def get(self, location: str) -> set[Key] | None: ...
    def setdefault(self, location: str, keys: set[Key]) -> set[Key]: ...
    def irange(self, minimum: str) -> Iterator[str]: ...
    def __getitem__(self, location: str) -> set[Key]: ...
    def __delitem__(self, location: str) -> None: ...


class _Known:
    """Locations by key, and keys by location in order; each location ends with a slash."""

    def __init__(self, locations: dict[Key, str]) -> None:
        self._of: dict[Key, str] = {}
        self._at: _Places = SortedDict()  # type: ignore[no-untyped-call]  # the package has no annotations
        for key, location in locations.items():
            self.move(key, location)

    def move(self, key: Key, location: str | None) -> None:
        former = self._of.pop(key, None)
        if former is not None:
            self._at[former].discard(key)
            if not self._at[former]:
                del self._at[former]
        if location is not None:
            self._of[key] = location
            self._at.setdefault(location, set()).add(key)

    def is_alone(self, key: Key | None, location: str) -> bool:
        location = f"{location.rstrip('/')}/"
        own = set[Key]() if key is None else {key}
        for end, letter in enumerate(location):
            if letter == "/" and (self._at.get(location[: end + 1]) or set[Key]()) - own:
                return False
        for place in self._at.irange(location):
            if not place.startswith(location):
                break
            if self._at[place] - own:
                return False
        return True


def _read(record: Record) -> Document:
    # The documents of records from a file would stay in memory: their bytes are read instead.
    document: Document = record.document if record.is_read else orjson.loads(record.body)
    return document


def _spelled(metadata: Document) -> str:
    return f"{metadata['location'].rstrip('/')}/"
