"""The records of the server: JSON documents in collections, by place and name, changed only by
transactions.

A record is a JSON document together with its serialized bytes. It lives in a collection, in a place
(a tuple of names, for example the levels of a namespace), under a name. A place has one name space
for records of every kind, so that
a table and a view cannot share a name. Records are values: a stored document never changes.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from operator import itemgetter
from types import TracebackType
from typing import Any, NamedTuple, Protocol

import orjson
from sortedcontainers import SortedDict

Place = tuple[str, ...]


class Key(NamedTuple):
    """The key of a record."""

    collection: str
    place: Place
    name: str


@dataclass(frozen=True, slots=True)
class Record:
    """One stored document."""

    kind: str  #: "namespace", "table", …
    document: dict[str, Any]
    body: bytes  #: the document as it is sent, and as it is stored in files
    tag: bytes = b""  #: the ETag of this state of the document; empty for none

    @classmethod
    def stored(cls, kind: str, body: bytes, tag: bytes) -> Record:
        """Return a record from its bytes; its document is parsed on first use."""
        record: Record = object.__new__(cls)
        for name, value in (("kind", kind), ("body", body), ("tag", tag)):
            object.__setattr__(record, name, value)
        return record

    def unread(self) -> None:
        """Drop the document, which is parsed again on next use."""
        with contextlib.suppress(AttributeError):
            object.__delattr__(self, "document")

    @property
    def is_read(self) -> bool:
        """Whether the document is in memory."""
        try:
            object.__getattribute__(self, "document")
        except AttributeError:
            return False
        return True

    def __getattr__(self, name: str) -> Any:
        # Called for an absent attribute only: the document of a record from a file, at its first
        # use.
        if name != "document":
            raise AttributeError(name)
        document = orjson.loads(self.body)
        object.__setattr__(self, name, document)
        return document


class NotKept(Exception):
    """Changes that could not be stored and were rolled back.

    Args:
        message: the reason and what to do; sent to the caller.
        status: HTTP status for callers that made or read the changes: 507 without room, 503 after a
            failure, 500 if it is unknown whether the changes reappear when the store is opened
            again.
    """

    def __init__(self, message: str, status: int = 503) -> None:
        super().__init__(message, status)
        self.message = message
        self.status = status

    def __str__(self) -> str:
        return self.message


class View(Protocol):
    """A consistent view of all records."""

    def get(self, key: Key) -> Record | None:
        """Return the record at this key, or None."""
        ...

    def under(
        self, collection: str, place: Place, after: str | None = None
    ) -> Iterator[tuple[str, Record]]:
        """Return the records of a place in the order of their names, behind `after` if it is
        given.
        """
        ...

    def every(self, collection: str) -> Iterator[tuple[Key, Record]]:
        """Return all records of a collection, place by place."""
        ...


class Transaction(View, Protocol):
    """A consistent view of all records, and changes to them that happen together or not at all."""

    def put(self, key: Key, record: Record) -> None:
        """Store a record, in the place of any that was there."""
        ...

    def remove(self, key: Key) -> Record | None:
        """Remove the record at this key and return it, or None if there is none."""
        ...

    def afterwards(self, action: Callable[[], None]) -> None:
        """Run an action that cannot be undone after the changes are durable and before the answer;
        never if they are rolled back.
        """
        ...

    def otherwise(self, action: Callable[[], None]) -> None:
        """Run an action if the changes are rolled back."""
        ...


class Pending(Awaitable[None], Protocol):
    """Changes that are not durable yet; awaiting them raises `NotKept` if they were rolled back."""

    def wait(self) -> None:
        """Wait in a thread.

        Raises:
            NotKept: they were rolled back.
        """
        ...


class Store(Protocol):
    """Records in collections, changed by one transaction at a time. Readers see only durable state,
    and wait for no transaction.
    """

    def begin(self) -> AbstractContextManager[Transaction]:
        """Return a transaction for one `with` block: its changes are stored when the block ends and
        rolled back when it raises.

        It sees the changes of all earlier transactions, also those that are not durable yet. A
        caller that has seen them waits for `pending` before it answers.
        """
        ...

    def view(self) -> AbstractContextManager[View]:
        """Return the durable records, for one `with` block in which they do not change."""
        ...

    def get(self, key: Key) -> Record | None:
        """Return the durable record at this key, or None."""
        ...

    def pending(self) -> Pending | None:
        """Return the pending changes that this thread's last transactions made or read; `None` if
        all are durable.

        Waiting raises `NotKept` if it was rolled back.
        """
        ...

    def close(self) -> None:
        """Make pending changes durable and close the store."""
        ...


class Turn(Protocol):
    """A lock that its thread may take again."""

    def acquire(self, blocking: bool = True) -> bool:  # noqa: FBT001, FBT002 - as `threading.RLock` has it
        """Take the lock, and return whether it was free."""
        ...

    def release(self) -> None:
        """Release the lock."""
        ...


class WholeStore(Store, Protocol):
    """A store that is not part of another one."""

    @property
    def turn(self) -> Turn:
        """The lock that a thread holds during a transaction."""
        ...


class MemoryStore:
    """Records in memory, gone when the process ends."""

    def __init__(self) -> None:
        self._collections = Collections()
        self._lock = threading.RLock()
        self.turn = threading.RLock()  #: held by the thread that is in a transaction

    def begin(self) -> AbstractContextManager[Transaction]:
        """Return a transaction for one `with` block: its changes are kept when the block ends and
        undone when it raises.
        """
        return Changing(self._collections, self.turn, self._lock)

    def view(self) -> AbstractContextManager[View]:
        """Return the records, for one `with` block in which they do not change."""
        return Looking(self._collections, self._lock)

    def get(self, key: Key) -> Record | None:
        """Return the committed record at this key, or None."""
        with self._lock:
            return self._collections.get(key)

    def pending(self) -> Pending | None:
        """Return None: changes are final when their transaction ends."""

    def close(self) -> None:
        """Do nothing: no file is open."""


class _Records(Protocol):
    """The used part of SortedDict from names to records, with types."""

    def get(self, name: str) -> Record | None: ...
    def pop(self, name: str, default: None) -> Record | None: ...
    def items(self) -> Iterable[tuple[str, Record]]: ...
    def irange(self, minimum: str | None, *, inclusive: tuple[bool, bool]) -> Iterator[str]: ...
    def __getitem__(self, name: str) -> Record: ...
    def __setitem__(self, name: str, record: Record) -> None: ...
    def __len__(self) -> int: ...


def _empty() -> _Records:
    records: _Records = SortedDict()  # type: ignore[no-untyped-call]  # the package has no annotations
    return records


class Collections:
    """The records themselves, ordered by name; the caller holds the lock."""

    __slots__ = ("_places",)

    def __init__(self) -> None:
        self._places: dict[tuple[str, Place], _Records] = {}

    def get(self, key: Key) -> Record | None:
        """Return the record at this key, or None."""
        collection, place, name = key
        records = self._places.get((collection, place))
        return None if records is None else records.get(name)

    def put(self, key: Key, record: Record | None) -> None:
        """Put a record in the place of any that was there, or none."""
        collection, place, name = key
        records = self._places.get((collection, place))
        if record is not None:
            if records is None:
                records = self._places[collection, place] = _empty()
            records[name] = record
        elif records is not None:
            records.pop(name, None)
            if not records:
                del self._places[collection, place]

    def under(
        self, collection: str, place: Place, after: str | None = None
    ) -> Iterator[tuple[str, Record]]:
        """Yield the records of a place in the order of their names, behind `after` if it is
        given.
        """
        records = self._places.get((collection, place))
        if records is not None:
            for name in records.irange(after, inclusive=(False, True)):
                yield name, records[name]

    def every(self, collection: str) -> Iterator[tuple[Key, Record]]:
        """Yield all records of a collection, place by place."""
        for (here, place), records in self._places.items():
            if here == collection:
                for name, record in records.items():
                    yield Key(collection, place, name), record


class Looking(AbstractContextManager[View]):
    """A view of collections, which do not change until it ends."""

    __slots__ = ("_collections", "_lock")

    def __init__(self, collections: Collections, lock: AbstractContextManager[bool]) -> None:
        self._collections = collections
        self._lock = lock

    def __enter__(self) -> View:
        self._lock.__enter__()
        return self._collections

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.__exit__(kind, error, trace)


class Changing(AbstractContextManager[Transaction]):
    """A transaction that gathers its changes and makes them when it ends.

    Args:
        collections: what is changed.
        turn: keeps all other transactions out until the end.
        lock: keeps readers out while the changes are made.
    """

    __slots__ = ("_changes", "_collections", "_lock", "_otherwise", "_then", "_turn")

    def __init__(
        self,
        collections: Collections,
        turn: AbstractContextManager[bool],
        lock: AbstractContextManager[bool],
    ) -> None:
        self._collections = collections
        self._turn = turn
        self._lock = lock
        self._changes: dict[Key, Record | None] = {}
        self._then: list[Callable[[], None]] = []
        self._otherwise: list[Callable[[], None]] = []

    def __enter__(self) -> Transaction:
        self._turn.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self._keep()
            else:
                self._undo()
        finally:
            self._turn.__exit__(kind, error, trace)

    def get(self, key: Key) -> Record | None:
        """Return the record at this key, or None."""
        return self._changes[key] if key in self._changes else self._collections.get(key)

    def under(
        self, collection: str, place: Place, after: str | None = None
    ) -> Iterator[tuple[str, Record]]:
        """Return the records of a place in the order of their names, behind `after` if it is
        given.
        """
        changes = {
            key.name: record
            for key, record in self._changes.items()
            if (key.collection, key.place) == (collection, place)
            and (after is None or key.name > after)
        }
        if not changes:
            return self._collections.under(collection, place, after)
        records = {**dict(self._collections.under(collection, place, after)), **changes}
        return iter(
            [
                (name, record)
                for name, record in sorted(records.items(), key=itemgetter(0))
                if record is not None
            ]
        )

    def every(self, collection: str) -> Iterator[tuple[Key, Record]]:
        """Yield all records of a collection, the changed ones last."""
        for key, record in self._collections.every(collection):
            if key not in self._changes:
                yield key, record
        for key, newest in self._changes.items():
            if key.collection == collection and newest is not None:
                yield key, newest

    def put(self, key: Key, record: Record) -> None:
        """Store a record, in the place of any that was there."""
        self._changes[key] = record

    def remove(self, key: Key) -> Record | None:
        """Remove the record at this key and return it, or None if there is none."""
        record = self.get(key)
        if record is not None:
            self._changes[key] = None
        return record

    def afterwards(self, action: Callable[[], None]) -> None:
        """Run an action that cannot be undone once the changes are durable."""
        self._then.append(action)

    def otherwise(self, action: Callable[[], None]) -> None:
        """Run an action if the changes are rolled back."""
        self._otherwise.append(action)

    def _keep(self) -> None:
        """Make the changes, and keep them."""
        self._make()
        for action in self._then:
            action()

    def _make(self) -> None:
        with self._lock:
            for key, record in self._changes.items():
                self._collections.put(key, record)

    def _undo(self) -> None:
        """Forget the changes."""
        for action in self._otherwise:
            action()
