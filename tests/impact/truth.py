"""The content of the reference server's catalog, read from its store, with every number that the
server chooses.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from lakepact.conformance.programs.everyday.content import Content, Document, Entry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog

#: Members of metadata that are compared as they are.
PLAIN = (
    "format-version",
    "schemas",
    "current-schema-id",
    "partition-specs",
    "default-spec-id",
    "last-partition-id",
    "sort-orders",
    "default-sort-order-id",
    "last-column-id",
    "last-sequence-number",
    "next-row-id",
)


class Truth(Content):
    """The content of one catalog of the reference server."""

    def __init__(self, catalog: Catalog) -> None:
        super().__init__(lambda chain: _entries(catalog, chain), _read)

    def _view(self, metadata: Document, namespace: str) -> Document:
        queries = [
            [one["version-id"], one["schema-id"], [r.get("sql") for r in one["representations"]]]
            for one in metadata["versions"]
        ]
        return {
            "uuid": self._number("uuid", namespace, metadata["view-uuid"]),
            "current-version-id": metadata["current-version-id"],
            "versions": queries,
            "schemas": metadata["schemas"],
        }

    def _table(self, metadata: Document, namespace: str) -> Document:
        history = self._history(metadata, namespace)
        for described, snapshot in zip(
            history["snapshots"], metadata.get("snapshots") or (), strict=True
        ):
            described |= {name: snapshot.get(name) for name in ("sequence-number", "schema-id")}
        return {
            **{member: metadata.get(member) for member in PLAIN},
            "location": self._number("location", namespace, metadata.get("location")),
            **history,
            "snapshot-log": [
                self._number("snapshot", namespace, entry["snapshot-id"])
                for entry in metadata.get("snapshot-log") or ()
            ],
        }


def _entries(catalog: Catalog, chain: str) -> Iterator[Entry]:
    for key, record in catalog.records().items():
        if chain in {"", (*key.place, key.name)[0]}:
            yield Entry(record.kind, tuple(key.place), key.name, record.document)


def _read(location: str) -> bytes:
    return Path(unquote(urlsplit(location).path)).read_bytes()
