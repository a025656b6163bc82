"""Visibility: a store and a warehouse without the records and places that the caller may not know
of.

Handlers do not know the caller: hidden objects do not exist while they answer it, so the answer is
the same as for missing ones. Outside of requests, and in the server's own threads, everything is
visible.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from lakepact.reference_server.iceberg_rest.access.rights import READ, WRITE, Rights, Subject
from lakepact.reference_server.iceberg_rest.identifiers import NAMESPACES
from lakepact.reference_server.storage.store import Key, Place, Record, Store, Transaction, View
from lakepact.reference_server.warehouse.local import (
    LARGEST_DOCUMENT,
    Outside,
    Unreadable,
    Warehouse,
    below,
    inside,
)


@dataclass(frozen=True, slots=True)
class Visibility:
    """The visibility for the current caller.

    Args:
        rights: its rights.
        invisible: further subjects that are hidden from it.
        places: further locations whose documents it may read: that of the requested table.
        principal: the name of the caller.
    """

    rights: Rights
    invisible: frozenset[Subject] = frozenset()
    places: tuple[str, ...] = ()
    principal: str = ""

    @property
    def is_clear(self) -> bool:
        """Whether nothing is hidden."""
        return self.rights.sees_all and not self.invisible

    def shows(self, subject: Subject) -> bool:
        """Return whether a subject is there, if it exists."""
        return subject not in self.invisible and self.rights.sees(subject)


_sight: ContextVar[Visibility | None] = ContextVar("sight", default=None)


@contextmanager
def seeing(sight: Visibility) -> Generator[None]:
    """Let a caller see no more than this for one `with` block."""
    former = _sight.set(sight)
    try:
        yield
    finally:
        _sight.reset(former)


def sight() -> Visibility | None:
    """Return the visibility for the current caller; `None` for everything."""
    return _sight.get()


class FilteredStore:
    """A store as its caller sees it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.pending, self.close = store.pending, store.close

    def begin(self) -> AbstractContextManager[Transaction]:
        """Return a transaction for one `with` block, without what is hidden."""
        now = _sight.get()
        return self._store.begin() if now is None or now.is_clear else _begin(self._store, now)

    def view(self) -> AbstractContextManager[View]:
        """Return the durable records without hidden ones, for one `with` block."""
        now = _sight.get()
        return self._store.view() if now is None or now.is_clear else _view(self._store, now)

    def get(self, key: Key) -> Record | None:
        """Return the record at this key that is kept for good, or None, also where it is hidden."""
        now = _sight.get()
        return self._store.get(key) if now is None or now.shows(_subject(key)) else None


@contextmanager
def _begin(store: Store, visibility: Visibility) -> Generator[Transaction]:
    with store.begin() as transaction:
        yield _SeenTransaction(transaction, visibility)


@contextmanager
def _view(store: Store, visibility: Visibility) -> Generator[View]:
    with store.view() as view:
        yield _SeenView(view, visibility)


class _SeenView:
    """Records, as far as they are shown."""

    __slots__ = ("_sight", "_view")

    def __init__(self, view: View, visibility: Visibility) -> None:
        self._view = view
        self._sight = visibility

    def get(self, key: Key) -> Record | None:
        return self._view.get(key) if self._sight.shows(_subject(key)) else None

    def under(
        self, collection: str, place: Place, after: str | None = None
    ) -> Iterator[tuple[str, Record]]:
        shows, namespaces = self._sight.shows, collection == NAMESPACES
        for name, record in self._view.under(collection, place, after):
            if shows(Subject((*place, name)) if namespaces else Subject(place, name)):
                yield name, record

    def every(self, collection: str) -> Iterator[tuple[Key, Record]]:
        # Locations concern all tables: the result must not depend on the caller.
        return self._view.every(collection)


class _SeenTransaction(_SeenView):
    """Records, as far as they are shown, and changes to them; whether these may be made was decided
    before.
    """

    __slots__ = ("_transaction", "afterwards", "otherwise", "put")

    def __init__(self, transaction: Transaction, visibility: Visibility) -> None:
        super().__init__(transaction, visibility)
        self._transaction = transaction
        self.put, self.afterwards, self.otherwise = (
            transaction.put,
            transaction.afterwards,
            transaction.otherwise,
        )

    def remove(self, key: Key) -> Record | None:
        return self._transaction.remove(key) if self._sight.shows(_subject(key)) else None


def _subject(key: Key) -> Subject:
    collection, place, name = key
    return Subject((*place, name)) if collection == NAMESPACES else Subject(place, name)


class SeenWarehouse:
    """A warehouse in which callers choose locations only below folders of namespaces that they may
    write or read.

    A caller that may write or read everything may choose any location. Locations chosen by the
    catalog are not checked here.
    """

    def __init__(self, warehouse: Warehouse) -> None:
        self._warehouse = warehouse
        self.root = warehouse.root
        self.write = warehouse.write
        self.forget = warehouse.forget
        self.prepare = warehouse.prepare
        self.purge = warehouse.purge
        self.places = warehouse.places

    def check_location(self, location: str) -> None:
        """Refuse a location that this caller may not choose."""
        self._warehouse.check_location(location)
        if not self._is_open(location, WRITE):
            raise Outside(
                f"the location {location[:200]!r} is not below the folder of a namespace that you"
                " may write in"
            )

    def read(self, location: str, largest: int = LARGEST_DOCUMENT) -> bytes:
        """Return the document at a location; one that this caller may not read is as good as
        none.
        """
        self._warehouse.check_location(location)
        if not self._is_open(location, READ):
            why = "it is not below the folder of a namespace that you may read"
            raise Unreadable(f"there is no document at {location[:300]!r} for you: {why}")
        return self._warehouse.read(location, largest)

    def _is_open(self, location: str, level: int) -> bool:
        now = _sight.get()
        if now is None:
            return True
        places = self.places(location)
        open_to_it = (
            *(below(self.root, levels) for levels in now.rights.holding(level)),
            *now.places,
        )
        return any(
            all(inside(place, self.places(folder)[0]) for place in places) for folder in open_to_it
        )
