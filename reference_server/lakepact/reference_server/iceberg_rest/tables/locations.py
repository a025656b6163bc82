"""The locations of a catalog's tables and views, indexed: neighbours are found without scanning all
records.

Locations are compared as places (`Warehouse.places`), because a folder has many spellings.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import chain
from types import TracebackType
from typing import Any, Protocol

import orjson
from sortedcontainers import SortedDict

from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import IDENTIFIERS, NAMESPACES
from lakepact.reference_server.iceberg_rest.tables.metadata_files import METADATA_PATH
from lakepact.reference_server.storage.store import Key, Record, Store, Transaction
from lakepact.reference_server.warehouse.local import Outside, Warehouse, below, inside, overlap

DATA_PATHS = (
    "write.data.path",
    "write.object-storage.path",
    "write.folder-storage.path",
)  #: where writers put data files
FOLDERS = (METADATA_PATH, *DATA_PATHS)  #: properties that name folders


class Located:
    """A store that knows where what is in it lies.

    The index is read from all records when it is first asked, and follows every transaction from
    then on.

    Args:
        store: the store.
        warehouse: where its tables and views keep their files.
    """

    def __init__(self, store: Store, warehouse: Warehouse) -> None:
        self._store = store
        self.view, self.get, self.pending, self.close = (
            store.view,
            store.get,
            store.pending,
            store.close,
        )
        self._warehouse = warehouse
        self._index: _Index | None = None
        self._following: _Following | None = None  # the transaction that is open
        self.others: Sequence[
            Located
        ] = ()  #: catalogs of other warehouses, whose files may lie in the same folders

    @property
    def is_indexed(self) -> bool:
        """Whether locations are compared without reading all records first."""
        return self._index is not None

    def is_alone(self, key: Key | None, location: str) -> bool:
        """Return whether no table or view but the one at this key lies at a location, above it or
        below it.
        """
        own = () if key is None else (key,)
        return self._is_free(location, own, _Index.is_alone)

    def is_free(self, key: Key, location: str, uuid: str | None = None) -> bool:
        """Return whether a table or view may be put at a location.

        It must be alone there, and no namespace may have its folder there or below.

        Args:
            key: the table or view.
            location: where it is to lie.
            uuid: its UUID if it is registered: the same table may be registered by several names.
        """
        with self._store.begin() as transaction:
            own = (key, *self._read_index(transaction).with_uuid(uuid))
        return self._is_free(location, own, _Index.is_free)

    def is_unused(self, location: str, key: Key | None = None) -> bool:
        """Return whether no table, view or namespace, but the table or view at this key, may have
        files at a location.
        """
        own = () if key is None else (key,)
        return self._is_free(location, own, _Index.is_unused)

    def new_folders(
        self, metadata: Mapping[str, Any], base: Mapping[str, Any] | None
    ) -> Iterator[str]:
        """Yield the folders in the warehouse, outside of the own location, that metadata name and
        `base` does not.
        """
        own = self._warehouse.places(metadata["location"])
        for folder in sorted(_folders(metadata) - (set() if base is None else _folders(base))):
            with contextlib.suppress(Outside):
                self._warehouse.check_location(folder)
                places = self._warehouse.places(folder)
                if not all(any(inside(place, one) for one in own) for place in places):
                    yield folder

    def knows(self, uuid: str) -> bool:
        """Return whether a table or view has this UUID, here or in another warehouse."""
        result = False
        for each in (self, *self.others):
            with each._store.begin() as transaction:  # noqa: SLF001 - of this class
                result = result or bool(each._read_index(transaction).with_uuid(uuid))  # noqa: SLF001
        return result

    def _is_free(
        self, location: str, own: Iterable[Key], is_free: Callable[[_Index, str, set[Key]], bool]
    ) -> bool:
        places = self._warehouse.places(location)
        with self._store.begin() as transaction:
            index, without = self._read_index(transaction), set(own)
            if not all(is_free(index, place, without) for place in places):
                return False
        for other in self.others:
            roots = other._warehouse.places(other._warehouse.root)  # noqa: SLF001 - of this class
            if any(overlap(place, root) for place in places for root in roots):
                return False
            with other._store.begin() as transaction:  # noqa: SLF001
                index = other._read_index(transaction)  # noqa: SLF001
                if not all(is_free(index, place, set()) for place in places):
                    return False
        return True

    def _read_index(self, transaction: Transaction) -> _Index:
        """Return the index, built from all records on first use; the store is locked."""
        if self._index is None:
            self._index = index = _Index(self._warehouse)
            for collection in (NAMESPACES, IDENTIFIERS):
                for key, record in transaction.every(collection):
                    index.note(key, record)
            following = self._following
            while following is not None:
                following.is_read, following = True, following.former
        return self._index

    def begin(self) -> AbstractContextManager[Transaction]:
        """Return a transaction for one `with` block: its changes are kept when the block ends and
        undone when it raises.
        """
        return _Following(self, self._store.begin())

    def enter(self, following: _Following | None) -> _Following | None:
        """Set the open transaction and return the previous one; the store is locked."""
        former, self._following = self._following, following
        return former

    def record_changes(
        self, transaction: Transaction, changes: dict[Key, Record | None], *, is_read: bool
    ) -> None:
        """Record the changes of a transaction; the store is locked until it ends.

        Args:
            transaction: the transaction, which is about to end.
            changes: the stored records; `None` for removed ones.
            is_read: whether the index was read during it, and holds changes that may be rolled
                back.
        """
        if self._index is not None and changes:
            has_moved = [self._index.note(key, record) for key, record in changes.items()]
            if is_read or any(has_moved):
                transaction.otherwise(self.forget)

    def forget(self) -> None:
        """Read everything again, because changes were undone."""
        self._index = None


class _Following(AbstractContextManager["Transaction"]):
    """A transaction for one `with` block, whose changes are noted when it ends."""

    __slots__ = ("_changes", "_located", "_transaction", "_within", "former", "is_read")

    def __init__(self, locations: Located, within: AbstractContextManager[Transaction]) -> None:
        self._located = locations
        self._within = within
        self.is_read = False  #: whether the index was read while it was open
        self.former: _Following | None = None  #: the transaction around it

    def __enter__(self) -> Transaction:
        self._transaction = self._within.__enter__()
        self.former = self._located.enter(self)
        result = _Followed(self._transaction)
        self._changes = result.changes
        return result

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self._located.record_changes(self._transaction, self._changes, is_read=self.is_read)
            elif self.is_read:
                self._located.forget()
        except BaseException as failure:
            self._located.enter(self.former)
            self._within.__exit__(type(failure), failure, failure.__traceback__)
            raise
        self._located.enter(self.former)
        self._within.__exit__(kind, error, trace)


class _Followed:
    """A transaction that writes down what it changes."""

    __slots__ = ("afterwards", "changes", "every", "get", "otherwise", "transaction", "under")

    def __init__(self, transaction: Transaction) -> None:
        self.transaction = transaction
        self.changes: dict[Key, Record | None] = {}
        self.get = transaction.get
        self.every = transaction.every
        self.under = transaction.under
        self.afterwards = transaction.afterwards
        self.otherwise = transaction.otherwise

    def put(self, key: Key, record: Record) -> None:
        self.transaction.put(key, record)
        self.changes[key] = record

    def remove(self, key: Key) -> Record | None:
        self.changes[key] = None
        return self.transaction.remove(key)


class _Ordered(Protocol):
    """The used part of SortedDict from places to keys, with types."""

    def get(self, place: str) -> set[Key] | None: ...
    def setdefault(self, place: str, keys: set[Key]) -> set[Key]: ...
    def irange(self, minimum: str) -> Iterator[str]: ...
    def __getitem__(self, place: str) -> set[Key]: ...
    def __delitem__(self, place: str) -> None: ...


def _new_order() -> _Ordered:
    result: _Ordered = SortedDict()  # type: ignore[no-untyped-call]  # the package has no annotations
    return result


class _Places:
    """Places by key, and keys by place in order; a slash is put behind each place."""

    def __init__(self) -> None:
        self._of: dict[Key, tuple[str, ...]] = {}
        self._at = _new_order()

    def move(self, key: Key, places: Iterable[str]) -> None:
        """Note all places of a key, in place of those before."""
        for former in self._of.pop(key, ()):
            self._at[former].discard(key)
            if not self._at[former]:
                del self._at[former]
        prefixes = tuple(dict.fromkeys(f"{place}/" for place in places))
        if prefixes:
            self._of[key] = prefixes
        for place in prefixes:
            self._at.setdefault(place, set()).add(key)

    def above(self, place: str, own: set[Key]) -> bool:
        """Return whether another key has a place that this one is or lies inside."""
        prefix = f"{place}/"
        ends = (end + 1 for end, letter in enumerate(prefix) if letter == "/")
        return any((self._at.get(prefix[:end]) or set[Key]()) - own for end in ends)

    def within(self, place: str, own: set[Key]) -> bool:
        """Return whether another key has a place that is this one or lies inside it."""
        prefix = f"{place}/"
        for other in self._at.irange(prefix):
            if not other.startswith(prefix):
                return False
            if self._at[other] - own:
                return True
        return False

    def overlaps(self, place: str, own: set[Key]) -> bool:
        """Return whether another key has a place that overlaps with this one."""
        return self.above(place, own) or self.within(place, own)


@dataclass(slots=True)
class _Index:
    """The index of locations of one catalog.

    Args:
        warehouse: the warehouse.
    """

    warehouse: Warehouse
    locations: _Places = field(default_factory=_Places)  #: of tables and views
    metadata: _Places = field(
        default_factory=_Places
    )  #: further folders with metadata files of tables and views
    data: _Places = field(
        default_factory=_Places
    )  #: further folders with data files, or folders in them
    folders: _Places = field(default_factory=_Places)  #: of namespaces
    uuids: dict[str, set[Key]] = field(default_factory=dict[str, set[Key]])
    by_key: dict[Key, tuple[Any, ...]] = field(default_factory=dict[Key, tuple[Any, ...]])

    def is_alone(self, place: str, own: set[Key]) -> bool:
        """Return whether no other table or view lies at a place, above it or below it."""
        return not self.locations.overlaps(place, own)

    def is_free(self, place: str, own: set[Key]) -> bool:
        """Return whether no table or view outside `own` overlaps with a place, and no namespace
        has its folder there or below.
        """
        return self.is_alone(place, own) and not self.folders.within(place, set())

    def is_unused(self, place: str, own: set[Key]) -> bool:
        """Return whether no table, view or namespace, except the keys in `own`, may have files at
        a place.
        """
        return (
            self.is_free(place, own)
            and not self.metadata.within(place, own)
            and not self.data.overlaps(place, own)
        )

    def with_uuid(self, uuid: str | None) -> set[Key]:
        """Return the tables and views that have a UUID."""
        return self.uuids.get(uuid.casefold(), set()) if uuid else set()

    def note(self, key: Key, record: Record | None) -> bool:
        """Note what stands at a key now, and return whether anything here has changed."""
        if key.collection not in {IDENTIFIERS, NAMESPACES}:
            return False
        document = {} if record is None or key.collection == NAMESPACES else _read(record)
        former, now = self.by_key.get(key), None if record is None else _about(document)
        if former == now:
            return False
        if former is not None:
            self._leave(key, former)
        if now is not None:
            self._enter(key, now, document)
        return True

    def _leave(self, key: Key, former: tuple[Any, ...]) -> None:
        del self.by_key[key]
        for places in (self.locations, self.metadata, self.data, self.folders):
            places.move(key, ())
        uuid = former[0] if former else ""
        self.uuids.get(uuid, set()).discard(key)
        if not self.uuids.get(uuid, True):
            del self.uuids[uuid]

    def _enter(self, key: Key, now: tuple[Any, ...], document: Document) -> None:
        self.by_key[key] = now
        if key.collection == NAMESPACES:
            self.folders.move(
                key, self.warehouse.places(below(self.warehouse.root, (*key.place, key.name)))
            )
            return
        self.uuids.setdefault(now[0], set()).add(key)
        self.locations.move(key, self.warehouse.places(document["metadata"]["location"]))
        own = f"{document['metadata']['location'].rstrip('/')}/"
        properties = document["metadata"].get("properties") or {}
        folders = {path.rpartition("/")[0] for path in _files(document)}
        # A table with the default metadata path has the default data path too.
        former = {
            f"{folder.removesuffix('/metadata')}/data"
            for folder in folders
            if folder.endswith("/metadata")
        }
        self.metadata.move(
            key, self._elsewhere(own, {properties.get(METADATA_PATH) or "", *folders})
        )
        self.data.move(
            key,
            self._elsewhere(own, {*(properties.get(name) or "" for name in DATA_PATHS), *former}),
        )

    def _elsewhere(self, own: str, locations: Iterable[str]) -> Iterator[str]:
        """Return the places of locations that are in the warehouse, but not below a table's own."""
        for location in locations:
            if location and not location.startswith(own):
                with contextlib.suppress(Outside):
                    self.warehouse.check_location(location)
                    yield from self.warehouse.places(location)


def _about(document: Document) -> tuple[Any, ...]:
    """Return what the places of a table or view depend on: they are not looked up again while it
    stays the same.
    """
    if not document:
        return ()
    metadata = document["metadata"]
    properties = metadata.get("properties") or {}
    paths = (properties.get(METADATA_PATH), *map(properties.get, DATA_PATHS)) if properties else ()
    uuid: str = metadata.get("table-uuid") or metadata.get("view-uuid") or ""
    return (
        uuid.casefold(),
        metadata["location"],
        document["metadata-location"].rpartition("/")[0],
        *paths,
    )


def _folders(metadata: Mapping[str, Any]) -> set[str]:
    """Return the folders that the properties, manifest lists and former files of metadata name."""
    properties = metadata.get("properties") or {}
    wishes = (properties.get(name, "").rstrip("/") for name in FOLDERS)
    return {*wishes, *(path.rpartition("/")[0] for path in _files_in(metadata))} - {""}


def _files_in(metadata: Mapping[str, Any]) -> Iterable[str]:
    return chain(
        (entry["metadata-file"] for entry in metadata.get("metadata-log") or ()),
        (snapshot.get("manifest-list") or "" for snapshot in metadata.get("snapshots") or ()),
    )


def _files(document: Document) -> Iterable[str]:
    """Return the files that the metadata of a table or view name, as far as they show folders."""
    return chain((document["metadata-location"],), _files_in(document["metadata"]))


def _read(record: Record) -> Document:
    # The documents of records from a file would stay in memory: their bytes are read instead.
    document: Document = record.document if record.is_read else orjson.loads(record.body)
    return document
