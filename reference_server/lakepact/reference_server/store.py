"""What the server knows: documents on shelves, by place and name, changed only by transactions.

A record is a JSON document together with the bytes that are sent for it. Records live on a shelf, in a place (a tuple of names: the
levels of a namespace, for example), under a name. The names of one place on one shelf are one space for records of every kind, so that
a table and a view cannot share one. Records are values: nobody changes a document once it is stored.
"""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from sortedcontainers import SortedDict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

Place = tuple[str, ...]


class Key(NamedTuple):
    """Where a record is found."""

    shelf: str
    place: Place
    name: str


@dataclass(frozen=True, slots=True)
class Record:
    """One stored document."""

    kind: str  #: "namespace", "table", …
    document: dict[str, Any]
    body: bytes  #: the document as it is sent
    tag: bytes = b""  #: what tells this state of the document from every other, as it stands in an ETag header; empty for none


class Transaction(Protocol):
    """A consistent view of all records, and changes to them that happen together or not at all."""

    def get(self, key: Key) -> Record | None:
        """The record at this key, or None."""
        ...

    def put(self, key: Key, record: Record) -> None:
        """Store a record, in the place of any that was there."""
        ...

    def remove(self, key: Key) -> Record | None:
        """Remove the record at this key and return it, or None if there is none."""
        ...

    def under(self, shelf: str, place: Place, after: str | None = None) -> Iterator[tuple[str, Record]]:
        """The records of a place in the order of their names, behind `after` if it is given."""
        ...

    def every(self, shelf: str) -> Iterator[tuple[Key, Record]]:
        """All records of a shelf, place by place."""
        ...


class Store(Protocol):
    """Records on shelves; one transaction at a time, and readers never see half of one."""

    def begin(self) -> AbstractContextManager[Transaction]:
        """A transaction for one `with` block: its changes are kept when the block ends and undone when it raises."""
        ...

    def get(self, key: Key) -> Record | None:
        """The committed record at this key, or None."""
        ...


class MemoryStore:
    """Records in memory, gone when the process ends."""

    def __init__(self) -> None:
        self._shelves: _Shelves = {}
        self._lock = threading.RLock()

    def begin(self) -> AbstractContextManager[Transaction]:
        """A transaction for one `with` block: its changes are kept when the block ends and undone when it raises."""
        return _MemoryTransaction(self._shelves, self._lock)

    def get(self, key: Key) -> Record | None:
        """The committed record at this key, or None."""
        with self._lock:
            return _look_up(self._shelves, key)


class _Records(Protocol):
    """What is used of a SortedDict from names to records, which says nothing of its types."""

    def get(self, name: str) -> Record | None: ...
    def pop(self, name: str, default: None) -> Record | None: ...
    def items(self) -> Iterable[tuple[str, Record]]: ...
    def irange(self, minimum: str | None, *, inclusive: tuple[bool, bool]) -> Iterator[str]: ...
    def __getitem__(self, name: str) -> Record: ...
    def __setitem__(self, name: str, record: Record) -> None: ...
    def __len__(self) -> int: ...


_Shelves = dict[tuple[str, Place], _Records]


def _empty() -> _Records:
    records: _Records = SortedDict()  # type: ignore[no-untyped-call]  # the package has no annotations
    return records


def _look_up(shelves: _Shelves, key: Key) -> Record | None:
    shelf, place, name = key
    records = shelves.get((shelf, place))
    return None if records is None else records.get(name)


class _MemoryTransaction(AbstractContextManager[Transaction]):
    """Changes the shelves at once and remembers how to undo it; the lock keeps everybody else out until the end."""

    __slots__ = ("_lock", "_shelves", "_undo")

    def __init__(self, shelves: _Shelves, lock: AbstractContextManager[bool]) -> None:
        self._shelves = shelves
        self._lock = lock
        self._undo: list[tuple[Key, Record | None]] = []

    def __enter__(self) -> Transaction:
        self._lock.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            if kind is not None:
                for key, record in reversed(self._undo):
                    self._set(key, record)
        finally:
            self._undo = []
            self._lock.__exit__(kind, error, trace)

    def get(self, key: Key) -> Record | None:
        return _look_up(self._shelves, key)

    def put(self, key: Key, record: Record) -> None:
        self._undo.append((key, self.get(key)))
        self._set(key, record)

    def remove(self, key: Key) -> Record | None:
        record = self.get(key)
        if record is not None:
            self._undo.append((key, record))
            self._set(key, None)
        return record

    def under(self, shelf: str, place: Place, after: str | None = None) -> Iterator[tuple[str, Record]]:
        records = self._shelves.get((shelf, place))
        if records is not None:
            for name in records.irange(after, inclusive=(False, True)):
                yield name, records[name]

    def every(self, shelf: str) -> Iterator[tuple[Key, Record]]:
        for (here, place), records in self._shelves.items():
            if here == shelf:
                for name, record in records.items():
                    yield Key(shelf, place, name), record

    def _set(self, key: Key, record: Record | None) -> None:
        shelf, place, name = key
        records = self._shelves.get((shelf, place))
        if record is not None:
            if records is None:
                records = self._shelves[shelf, place] = _empty()
            records[name] = record
        elif records is not None:
            records.pop(name, None)
            if not records:
                del self._shelves[shelf, place]
