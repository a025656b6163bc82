"""The content of a catalog, read from its documents and from the files of its tables, in a form that two runs have alike."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import fastavro

from lakepact.conformance.evidence.arrow import pq
from lakepact.conformance.evidence.outcome import NotOffered
from lakepact.conformance.programs.everyday.programme import Stored
from lakepact.conformance.programs.program import in_order
from lakepact.formats.avro import Avro
from lakepact.formats.limits import DECODED, Limit

DELETED = 2  #: the status of a manifest's entry whose file is gone
FIELD_ID = b"PARQUET:field_id"
PATH = re.compile(r"file:/[^\s\"']*")
State = dict[str, dict[str, Any]]  #: by namespace, its content
Document = dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """A namespace, table or view of a catalog, with its document."""

    kind: str
    levels: tuple[str, ...]  #: of the namespace that it is in
    name: str
    document: Document


@dataclass
class Content:
    """The content of one catalog, and the identifiers that it had so far.

    Args:
        entries: returns the objects in the namespaces of a chain, by default of all chains.
        read: returns the content of a file.
        prefix: of the namespaces that the programme makes; states and results are without it.
    """

    entries: Callable[[str], Iterable[Entry]]
    read: Callable[[str], bytes]
    prefix: str = ""
    _seen: dict[tuple[str, str], list[Any]] = field(default_factory=dict)
    _rows: dict[str, Any] = field(default_factory=dict)
    _documents: dict[tuple[str, str], Document] = field(default_factory=dict)

    def state(self, chain: str = "") -> State:
        """Return the namespaces of a chain, by default of all, with their properties, tables and views."""
        state: State = {}
        for entry in self.entries(chain):
            path = (*entry.levels, entry.name)
            top, name = (each.removeprefix(self.prefix) for each in (path[0], ".".join(path)))
            objects = state.setdefault(top, {})
            if entry.kind == "namespace":
                properties = entry.document.get("properties") or {}
                objects[name] = {"properties": self.plain(properties)}
                continue
            self._documents[top, entry.name] = entry.document
            describe = self._table if entry.kind == "table" else self._view
            objects[f"{entry.kind} {name}"] = describe(entry.document["metadata"], top)
        return state

    def stored(self, namespace: str, wanted: Stored) -> Any:
        """Return a member of the metadata of a table, as it was last seen; `None` if there is none."""
        document = self._documents.get((namespace, wanted.table), {})
        metadata = document.get("metadata", {})
        first: Document = next(iter(metadata.get("snapshots") or ()), {})
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
        if not isinstance(value, str):
            return value
        return PATH.sub("PATH", value.removeprefix(self.prefix))

    def _number(self, what: str, of: str, value: Any) -> Any:
        """Return the number of an identifier among those that something had so far."""
        if value is None or value == -1:
            return None
        known = self._seen.setdefault((what, of), [])
        if value not in known:
            known.append(value)
        return f"{what} {known.index(value) + 1}"

    def _view(self, metadata: Document, namespace: str) -> Document:
        current = next(
            (
                one
                for one in metadata["versions"]
                if one["version-id"] == metadata["current-version-id"]
            ),
            {"representations": ()},
        )
        return {
            "uuid": self._number("uuid", namespace, metadata["view-uuid"]),
            "sql": [one.get("sql") for one in current["representations"]],
        }

    def _table(self, metadata: Document, namespace: str) -> Document:
        """Return the members of metadata that a client sets, without the numbers that servers choose."""
        schema = _numbered(metadata["schemas"], "schema-id", metadata["current-schema-id"])
        spec = _numbered(metadata["partition-specs"], "spec-id", metadata["default-spec-id"])
        order = _numbered(metadata["sort-orders"], "order-id", metadata["default-sort-order-id"])
        columns = dict(_columns(schema))
        names = {number: path for path, (number, _) in columns.items()}
        return {
            "columns": {path: described for path, (_, described) in columns.items()},
            "partition": [
                [names.get(one["source-id"]), one["transform"], one["name"]]
                for one in spec.get("fields", ())
            ],
            "order": [
                [names.get(one["source-id"]), one["transform"], one["direction"]]
                for one in order.get("fields", ())
            ],
            "location": self._number("location", namespace, metadata.get("location")),
            **self._history(metadata, namespace),
        }

    def _history(self, metadata: Document, namespace: str) -> Document:
        """Return identity, properties, snapshots, references and rows of a table."""

        def number(identifier: Any) -> Any:
            return self._number("snapshot", namespace, identifier)

        refs: dict[str, Document] = metadata.get("refs") or {}
        return {
            "uuid": self._number("uuid", namespace, metadata.get("table-uuid")),
            "properties": metadata.get("properties") or {},
            "snapshots": [
                {
                    "id": number(one["snapshot-id"]),
                    "parent": number(one.get("parent-snapshot-id")),
                    "operation": one.get("summary", {}).get("operation"),
                }
                for one in metadata.get("snapshots") or ()
            ],
            "current-snapshot": number(metadata.get("current-snapshot-id")),
            "refs": {
                name: {**ref, "snapshot-id": number(ref["snapshot-id"])}
                for name, ref in refs.items()
            },
            "rows": {
                name: self._rows_of(metadata, ref["snapshot-id"])
                for name, ref in sorted(refs.items())
            },
        }

    def _rows_of(self, metadata: Document, head: int) -> Any:
        location = _numbered(metadata.get("snapshots") or (), "snapshot-id", head).get(
            "manifest-list"
        )
        if location is None:
            return "no snapshot"
        if location not in self._rows:
            try:
                self._rows[location] = list(self._read_rows(location))
            except NotOffered:
                return None
            except (OSError, ValueError, KeyError) as broken:
                return f"unreadable: {type(broken).__name__}"
        schema = _numbered(metadata["schemas"], "schema-id", metadata["current-schema-id"])
        names = {column["id"]: column["name"] for column in schema.get("fields", ())}
        rows = [
            {name: row.get(number) for number, name in names.items()}
            for row in self._rows[location]
        ]
        return sorted(rows, key=str)

    def _read_rows(self, manifest_list: str) -> Iterator[dict[int, Any]]:
        """Yield the rows of a snapshot, by the ids of their columns; the programme deletes no rows."""
        for manifest in self._records(manifest_list):
            for entry in self._records(manifest["manifest_path"]):
                if entry["status"] != DELETED:
                    file = io.BytesIO(self.read(entry["data_file"]["file_path"]))
                    table = pq.ParquetFile(file).read()
                    numbers = [
                        int((column.metadata or {}).get(FIELD_ID, position + 1))
                        for position, column in enumerate(table.schema)
                    ]
                    yield from (
                        dict(zip(numbers, row.values(), strict=True)) for row in table.to_pylist()
                    )

    def _records(self, location: str) -> list[Document]:
        checked = Avro(self.read(location), Limit(DECODED, "no setting")).uncompressed()
        content = io.BytesIO(checked)  # a server wrote it, and fastavro trusts what it reads
        return [dict(record) for record in fastavro.reader(content) if isinstance(record, dict)]


def _numbered(items: Iterable[Document], member: str, number: Any) -> Document:
    """Return the item with a number; empty if there is none."""
    return next((one for one in items if one.get(member) == number), {})


def _columns(kind: Document, outer: str = "") -> Iterator[tuple[str, tuple[int, Document]]]:
    """Yield the id and the description of each column of a schema, also of nested ones, by its path."""
    parts: list[Document] = kind.get("fields") or [
        {"id": kind[f"{part}-id"], "name": part, "type": kind[part]}
        for part in ("element", "key", "value")
        if part in kind
    ]
    for part in parts:
        inner, path = part["type"], f"{outer}{part['name']}"
        is_plain = isinstance(inner, str)
        described = {"type": inner.replace(" ", "") if is_plain else inner["type"]}
        if "required" in part:
            described["required"] = part["required"]
        yield path, (part["id"], described)
        if not is_plain:
            yield from _columns(inner, f"{path}.")
