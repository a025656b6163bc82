"""The places of calls that may be long, chosen before their handlers begin."""

from __future__ import annotations

from lakepact.reference_server.http.workers import LARGE_RECORD, Place
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import identifier_key, levels_of
from lakepact.reference_server.iceberg_rest.tables.locations import FOLDERS, Located
from lakepact.reference_server.storage.store import Key


class Places:
    """Keeps calls off the event loop that work on large records, on files of unknown size, or on
    the index of all locations.

    Args:
        located: the records and locations of one catalog.
    """

    def __init__(self, locations: Located) -> None:
        self._located = locations

    def create_table(self, *, body: Document, **_: object) -> Place:
        """Build the index of locations in a thread, for the first location that a client
        chooses.
        """
        properties = body.get("properties") or {}
        names = body.get("location") is not None or not properties.keys().isdisjoint(FOLDERS)
        return self._place(chooses_location=names)

    create_view = create_table

    def register_table(self, **_: object) -> Place:
        """Read files in a thread."""
        return Place.QUEUE

    register_view = register_table

    def load_table(
        self, *, namespace: str, table: str, snapshots: str = "all", **_: object
    ) -> Place:
        """Parse a large table in a thread."""
        return (
            Place.LOOP
            if snapshots == "all"
            else self._place(identifier_key(levels_of(namespace), table))
        )

    def drop_table(
        self, *, namespace: str, table: str, purge_requested: bool = False, **_: object
    ) -> Place:
        """Remove files in a thread."""
        return (
            Place.QUEUE
            if purge_requested
            else self._place(identifier_key(levels_of(namespace), table))
        )

    unregister_table = drop_table

    def rename_table(self, *, body: Document, **_: object) -> Place:
        """Move a large record in a thread."""
        return self._place(_key(body["source"]))

    rename_view = rename_table

    def update_table(self, *, namespace: str, table: str, body: Document, **_: object) -> Place:
        """Change a large table in a thread."""
        return self._place(
            identifier_key(levels_of(namespace), table), chooses_location=_chooses_location(body)
        )

    def replace_view(self, *, namespace: str, view: str, body: Document, **_: object) -> Place:
        """Change a large view in a thread."""
        return self._place(
            identifier_key(levels_of(namespace), view), chooses_location=_chooses_location(body)
        )

    def commit_transaction(self, *, body: Document, **_: object) -> Place:
        """Change large tables in a thread, or many that are large together."""
        changes = body["table-changes"]
        keys = [_key(change["identifier"]) for change in changes if "identifier" in change]
        return self._place(*keys, chooses_location=any(map(_chooses_location, changes)))

    def _place(self, *keys: Key, chooses_location: bool = False) -> Place:
        records = map(self._located.get, keys)
        size = sum(len(record.body) for record in records if record is not None)
        return (
            Place.QUEUE
            if size > LARGE_RECORD or (chooses_location and not self._located.is_indexed)
            else Place.LOOP
        )


def _key(identifier: Document) -> Key:
    return identifier_key(identifier["namespace"], identifier["name"])


def _chooses_location(change: Document) -> bool:
    return any(
        update.get("action") == "set-location"
        or any(name in FOLDERS for name in update.get("updates") or ())
        for update in change["updates"]
    )
