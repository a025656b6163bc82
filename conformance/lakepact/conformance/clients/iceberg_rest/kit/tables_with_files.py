"""Tables with appended rows, their files, and tables with nested columns and an older schema."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from lakepact.conformance.clients import expect
from lakepact.conformance.clients.iceberg_rest.kit.lab import TABLE, CatalogClientLab
from lakepact.conformance.evidence.exchanges import Document
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.evidence.shared_files import SharedFile
from lakepact.conformance.programs.listener import Answer
from lakepact.conformance.programs.scripted_server import Forward, Request, Script
from lakepact.conformance.rows.snapshots import item_of
from lakepact.generated.contract import OperationId

Rows = list[Document]
MAIN = "main"
LARGE = 9_007_199_254_740_993  #: the first integer that a float does not hold
APPENDED: tuple[Rows, ...] = tuple(
    [{"id": number, "data": data}]
    for number, data in enumerate(("first", "second", "third", "fourth"), 1)
)
USUAL = 2  #: appends of most tables


def set_reference(name: str, kind: str, snapshot: int) -> Document:
    """Return an update that makes or moves a branch or tag."""
    return {
        "action": "set-snapshot-ref",
        "ref-name": name,
        "type": kind,
        "snapshot-id": snapshot,
    }


def set_schema(schema: Document) -> tuple[Document, Document]:
    """Return the updates that add a schema and make it the current one."""
    current = {"action": "set-current-schema", "schema-id": -1}
    return {"action": "add-schema", "schema": schema}, current


@dataclass(frozen=True)
class GrownTable:
    """A table to which the client has appended rows.

    Args:
        namespace: of the table.
        snapshots: the snapshot of main after each append.
    """

    namespace: list[str]
    snapshots: tuple[Document, ...]

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of its snapshots."""
        return tuple(snapshot["snapshot-id"] for snapshot in self.snapshots)

    @property
    def where(self) -> Document:
        """The arguments that name it."""
        return {"namespace": self.namespace, "table": TABLE}


def rows_of(number: int) -> Rows:
    """Return the rows of the table after a number of appends."""
    return [row for rows in APPENDED[:number] for row in rows]


def table_with_rows(lab: CatalogClientLab, appends: int = USUAL) -> GrownTable:
    """Return a table to which the client has appended rows that many times.

    Raises:
        NotOffered: it appends no rows.
        Blocked: it does not commit them.
    """
    namespace = lab.namespace(TABLE)
    where: Document = {"namespace": namespace, "table": TABLE}
    heads: dict[int, Document] = {}
    for rows in APPENDED[:appends]:
        lab.require_success(lab.performs("append-rows", **where, rows=rows))
        metadata = lab.metadata(**where)
        heads |= {
            snapshot["snapshot-id"]: snapshot
            for snapshot in metadata.get("snapshots") or []
            if snapshot["snapshot-id"] == metadata["current-snapshot-id"]
        }
    if len(heads) != appends:
        raise Blocked(f"{appends} appends moved main to {len(heads)} snapshots")
    return GrownTable(namespace, tuple(heads.values()))


VERSIONS = (2, 1, 3)
#: The ids are neither in order nor without gaps: servers and clients may give others at creation.
NESTED: Document = json.loads(Path(__file__).with_name("nested_table.json").read_text("utf-8"))


def table_with_older_schema(lab: CatalogClientLab, version: int, *, nested: bool) -> Document:
    """Create a table whose current schema is older than its latest, and which has dropped its
    highest column.

    Returns:
        The arguments that name it.
    """
    properties = NESTED["properties"] | {"format-version": str(version)}
    where = lab.table(**(NESTED if nested else {}) | {"properties": properties})
    metadata = lab.metadata(**where)
    schema, highest = metadata["schemas"][0], metadata["last-column-id"]
    inner = {"id": highest + 2, "name": "inner", "type": "string", "required": False}
    column = {
        "id": highest + 1,
        "name": "dropped",
        "type": {"type": "struct", "fields": [inner]},
        "required": False,
    }
    new_schema = {**schema, "schema-id": 1, "fields": [*schema["fields"], column]}
    lab.commit(*where.values(), *set_schema(new_schema))
    lab.commit(*where.values(), {"action": "set-current-schema", "schema-id": schema["schema-id"]})
    return where


def current_schema(metadata: Document) -> Document:
    """Return the current schema of a table."""
    return item_of(metadata["schemas"], "schema-id", metadata["current-schema-id"])


class TableFiles:
    """The files of a table at some requests, to detect later deletions.

    Args:
        folder: of the table.
    """

    def __init__(self, folder: SharedFile) -> None:
        self._folder = folder
        self._before: set[SharedFile] = set()

    def watch(self, script: Script, operations: Collection[OperationId]) -> Script:
        """Return the script; it also notes the files at each request for one of the operations."""

        def watching(request: Request, forward: Forward) -> Answer:
            if request.operation in operations:
                self._before |= self._folder.files()
            return script(request, forward)

        return watching

    def expect_files(self, how: str) -> None:
        """Expect that all noted files still exist.

        Args:
            how: names the files.

        Raises:
            Unmet: some are deleted.
        """
        expect.equal(
            [],
            sorted(file.name for file in self._before - self._folder.files()),
            f"deleted files {how}:",
        )
