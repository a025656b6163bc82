"""Where the tables and views of a catalog lie, kept in order beside its store: a neighbour is found without looking at all of them."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Protocol

import orjson
from sortedcontainers import SortedDict

from lakepact.reference_server.store import Key

from .catalog import IDENTIFIERS

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

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

    def is_alone(self, key: Key, location: str) -> bool:
        """Whether nothing but the table at this key lies at a location, above it or below it."""
        with self._store.begin() as transaction:
            if self._known is None:
                # The documents of records from a file would stay in memory: their bytes are read instead.
                bodies = ((other, orjson.loads(record.body)) for other, record in transaction.every(IDENTIFIERS))
                self._known = _Known({other: _spelled(document["metadata"]) for other, document in bodies})
            return self._known.is_alone(key, location)

    def begin(self) -> AbstractContextManager[Transaction]:
        """A transaction for one `with` block: its changes are kept when the block ends and undone when it raises."""
        return self._begun()

    @contextmanager
    def _begun(self) -> Generator[Transaction]:
        with self._store.begin() as transaction:
            changes: dict[Key, str | None] = {}
            yield _Followed(transaction, changes)
            # Nobody else is in the store until the block has ended: what is known stays in step with what is there.
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


class _Followed:
    """A transaction that writes down what moves."""

    __slots__ = ("_changes", "_transaction")

    def __init__(self, transaction: Transaction, changes: dict[Key, str | None]) -> None:
        self._transaction = transaction
        self._changes = changes

    def get(self, key: Key) -> Record | None:
        return self._transaction.get(key)

    def every(self, shelf: str) -> Iterator[tuple[Key, Record]]:
        return self._transaction.every(shelf)

    def afterwards(self, action: Callable[[], None]) -> None:
        self._transaction.afterwards(action)

    def otherwise(self, action: Callable[[], None]) -> None:
        self._transaction.otherwise(action)

    def under(self, shelf: str, place: Place, after: str | None = None) -> Iterator[tuple[str, Record]]:
        return self._transaction.under(shelf, place, after)

    def put(self, key: Key, record: Record) -> None:
        self._transaction.put(key, record)
        if key.shelf == IDENTIFIERS:
            self._changes[key] = _spelled(record.document["metadata"])

    def remove(self, key: Key) -> Record | None:
        if key.shelf == IDENTIFIERS:
            self._changes[key] = None
        return self._transaction.remove(key)


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

    def is_alone(self, key: Key, location: str) -> bool:
        location = f"{location.rstrip('/')}/"
        for end, letter in enumerate(location):
            if letter == "/" and (self._at.get(location[: end + 1]) or set[Key]()) - {key}:
                return False
        for place in self._at.irange(location):
            if not place.startswith(location):
                break
            if self._at[place] - {key}:
                return False
        return True


def _spelled(metadata: Document) -> str:
    return f"{metadata['location'].rstrip('/')}/"
