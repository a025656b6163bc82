"""The content of a catalog, read from the store of the server and from the files of its tables, in a form that two runs have alike."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import fastavro
import pyarrow.parquet as pq

from lakepact.conformance.programs.everyday.programme import Stored
from lakepact.conformance.programs.program import in_order

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog

DELETED = 2  #: the status of a manifest's entry whose file is gone
FIELD_ID = b"PARQUET:field_id"
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
PATH = re.compile(r"file:/[^\s\"']*")
State = dict[str, dict[str, Any]]  #: by namespace, what is in it


@dataclass
class Truth:
    """The content of one catalog, and the identifiers that it had so far."""

    catalog: Catalog
    _seen: dict[tuple[str, str], list[Any]] = field(default_factory=dict)
    _rows: dict[str, Any] = field(default_factory=dict)
    _documents: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)

    def state(self) -> State:
        """Return namespaces with their properties, tables with metadata and rows, and views."""
        found: State = {}
        for key, record in self.catalog.records().items():
            document, place = record.document, key.place or (key.name,)
            kept = found.setdefault(place[0], {})
            if record.kind == "namespace":
                properties = {
                    name: PATH.sub("PATH", value) for name, value in document["properties"].items()
                }
                kept[".".join((*key.place, key.name))] = {"properties": properties}
                continue
            name = ".".join((*key.place, key.name))
            self._documents[key.place[0], key.name] = document
            describe = self._table if record.kind == "table" else self._view
            kept[f"{record.kind} {name}"] = describe(document, place[0])
        return found

    def stored(self, namespace: str, wanted: Stored) -> Any:
        """Return a member of the metadata of a table, as it was last seen; `None` if there is none."""
        document = self._documents.get((namespace, wanted.table), {})
        metadata = document.get("metadata", {})
        first: dict[str, Any] = next(iter(metadata.get("snapshots") or ()), {})
        return first.get(wanted.member, document.get(wanted.member))

    def identifiers(self) -> list[Any]:
        """Return the ids that the catalog had so far."""
        return [value for known in self._seen.values() for value in known]

    def plain(self, value: Any) -> Any:
        """Return a result of a client with identifiers of the catalog replaced by their numbers, and members that are lists in order."""
        if isinstance(value, dict):
            return {str(name): in_order(self.plain(member)) for name, member in value.items()}
        if isinstance(value, list | tuple):
            return [self.plain(item) for item in value]
        for (what, _), known in self._seen.items():
            if value in known and not isinstance(value, bool):
                return f"{what} {known.index(value) + 1}"
        return PATH.sub("PATH", value) if isinstance(value, str) else value

    def _number(self, what: str, of: str, value: Any) -> Any:
        """Return the number of an identifier among those that something had so far."""
        if value is None or value == -1:
            return None
        known = self._seen.setdefault((what, of), [])
        if value not in known:
            known.append(value)
        return f"{what} {known.index(value) + 1}"

    def _view(self, document: dict[str, Any], namespace: str) -> dict[str, Any]:
        metadata = document["metadata"]
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

    def _table(self, document: dict[str, Any], namespace: str) -> dict[str, Any]:
        metadata = document["metadata"]

        def number(identifier: Any) -> Any:
            return self._number("snapshot", namespace, identifier)

        snapshots = metadata.get("snapshots") or []
        heads = {name: ref["snapshot-id"] for name, ref in (metadata.get("refs") or {}).items()}
        return {
            **{member: metadata.get(member) for member in PLAIN},
            "uuid": self._number("uuid", namespace, metadata.get("table-uuid")),
            "location": self._number("location", namespace, metadata.get("location")),
            "properties": metadata.get("properties") or {},
            "snapshots": [
                {
                    "id": number(one["snapshot-id"]),
                    "parent": number(one.get("parent-snapshot-id")),
                    "operation": one.get("summary", {}).get("operation"),
                    "sequence-number": one.get("sequence-number"),
                    "schema-id": one.get("schema-id"),
                }
                for one in snapshots
            ],
            "current-snapshot": number(metadata.get("current-snapshot-id")),
            "snapshot-log": [
                number(entry["snapshot-id"]) for entry in metadata.get("snapshot-log") or ()
            ],
            "refs": {
                name: {**ref, "snapshot-id": number(ref["snapshot-id"])}
                for name, ref in (metadata.get("refs") or {}).items()
            },
            "rows": {name: self._rows_of(metadata, head) for name, head in sorted(heads.items())},
        }

    def _rows_of(self, metadata: dict[str, Any], head: int) -> Any:
        location = next(
            (
                one.get("manifest-list")
                for one in metadata.get("snapshots") or ()
                if one["snapshot-id"] == head
            ),
            None,
        )
        if location is None:
            return "no snapshot"
        if location not in self._rows:
            try:
                self._rows[location] = list(_rows(location))
            except (OSError, ValueError, KeyError) as broken:
                return f"unreadable: {type(broken).__name__}"
        schema = next(
            (
                one
                for one in metadata["schemas"]
                if one["schema-id"] == metadata["current-schema-id"]
            ),
            {"fields": ()},
        )
        names = {column["id"]: column["name"] for column in schema["fields"]}
        rows = [
            {name: row.get(number) for number, name in names.items()}
            for row in self._rows[location]
        ]
        return sorted(rows, key=str)


def _path(location: str) -> Path:
    return Path(unquote(urlsplit(location).path))


def _rows(manifest_list: str) -> Iterator[dict[int, Any]]:
    """Yield the rows of a snapshot, by the ids of their columns; the programme deletes no rows."""
    for manifest in _records(manifest_list):
        for entry in _records(manifest["manifest_path"]):
            if entry["status"] != DELETED:
                table = pq.ParquetFile(_path(entry["data_file"]["file_path"])).read()
                numbers = [
                    int((column.metadata or {}).get(FIELD_ID, position + 1))
                    for position, column in enumerate(table.schema)
                ]
                yield from (
                    dict(zip(numbers, row.values(), strict=True)) for row in table.to_pylist()
                )


def _records(location: str) -> list[dict[str, Any]]:
    with _path(location).open("rb") as file:
        return [dict(record) for record in fastavro.reader(file) if isinstance(record, dict)]
