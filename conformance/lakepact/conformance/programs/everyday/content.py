"""The content of a catalog, read from its documents and from the files of its tables, in a form
that two runs have alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from lakepact.conformance.evidence.outcome import NotOffered, Unmet
from lakepact.conformance.programs.everyday.programme import Stored
from lakepact.conformance.programs.program import in_order
from lakepact.conformance.rows.snapshots import columns_of, item_of, rows_at

#: Locations of tables and namespaces, which each server chooses.
PATH = re.compile(r"(?:file|memory|s3[an]?|gs|abfss?|wasbs?|hdfs|oss):/[^\s\"']*")
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
    _values: dict[tuple[str, str], list[Any]] = field(default_factory=dict)
    _rows: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    _documents: dict[tuple[str, str], Document] = field(default_factory=dict)

    def state(self, chain: str = "") -> State:
        """Return the namespaces of a chain, by default of all, with their properties, tables and
        views.
        """
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

    def stored(self, namespace: str, member: Stored) -> Any:
        """Return a member of the metadata of a table, as it was last seen; `None` if there is
        none.
        """
        document = self._documents.get((namespace, member.table), {})
        metadata = document.get("metadata", {})
        first: Document = next(iter(metadata.get("snapshots") or ()), {})
        return first.get(member.member, document.get(member.member))

    def identifiers(self) -> list[Any]:
        """Return the ids that the catalog had so far."""
        return [value for values in self._values.values() for value in values]

    def plain(self, value: Any) -> Any:
        """Return a result of a client with identifiers of the catalog replaced by their numbers,
        and members that are lists in order.
        """
        if isinstance(value, dict):
            return {str(name): in_order(self.plain(member)) for name, member in value.items()}
        if isinstance(value, list | tuple):
            return [self.plain(item) for item in value]
        for (what, _), values in self._values.items():
            if value in values and not isinstance(value, bool):
                return f"{what} {values.index(value) + 1}"
        if not isinstance(value, str):
            return value
        return PATH.sub("PATH", value.removeprefix(self.prefix))

    def _number(self, what: str, of: str, value: Any) -> Any:
        """Return the number of an identifier among those that something had so far."""
        if value is None or value == -1:
            return None
        values = self._values.setdefault((what, of), [])
        if value not in values:
            values.append(value)
        return f"{what} {values.index(value) + 1}"

    def _view(self, metadata: Document, namespace: str) -> Document:
        current = next(
            (
                version
                for version in metadata["versions"]
                if version["version-id"] == metadata["current-version-id"]
            ),
            {"representations": ()},
        )
        return {
            "uuid": self._number("uuid", namespace, metadata["view-uuid"]),
            "sql": [representation.get("sql") for representation in current["representations"]],
        }

    def _table(self, metadata: Document, namespace: str) -> Document:
        """Return the members of metadata that a client sets, without the numbers that servers
        choose.
        """
        schema = item_of(metadata["schemas"], "schema-id", metadata["current-schema-id"])
        spec = item_of(metadata["partition-specs"], "spec-id", metadata["default-spec-id"])
        order = item_of(metadata["sort-orders"], "order-id", metadata["default-sort-order-id"])
        columns = columns_of(schema)
        names = {column["id"]: path for path, column in columns.items()}
        return {
            "columns": {
                path: {"type": column["type"], "required": column["required"]}
                for path, column in columns.items()
            },
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
                    "id": number(snapshot["snapshot-id"]),
                    "parent": number(snapshot.get("parent-snapshot-id")),
                    "operation": snapshot.get("summary", {}).get("operation"),
                }
                for snapshot in metadata.get("snapshots") or ()
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
        if not item_of(metadata.get("snapshots") or (), "snapshot-id", head):
            return "no snapshot"
        key = metadata.get("table-uuid"), head, metadata["current-schema-id"]
        if key not in self._rows:
            try:
                self._rows[key] = sorted(rows_at(metadata, head, self.read), key=str)
            except NotOffered:
                self._rows[key] = None
            except (Unmet, KeyError) as broken:
                self._rows[key] = f"unreadable: {type(broken).__name__}"
        return self._rows[key]
