"""The lab of checks of catalog clients, with objects on the server behind the scripted server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote

from lakepact.conformance.clients import expect
from lakepact.conformance.clients.iceberg_rest.kit.watch import MAIN, Watch
from lakepact.conformance.clients.lab import ClientLab, Performance
from lakepact.conformance.evidence.exchanges import Document, Members
from lakepact.conformance.evidence.outcome import NotOffered, Unmet
from lakepact.conformance.evidence.shared_files import SharedFile
from lakepact.conformance.programs.program import in_order
from lakepact.conformance.programs.scripted_server import Script
from lakepact.conformance.rows.snapshots import rows_at

VIEW_SQL = "SELECT 1 AS id"
TABLE = "t"
NAN = "NaN"  #: JSON has no value for it
KEPT = {"lakepact.note": "kept"}  #: properties of namespaces and tables
DROPS_DIALECTS = (
    "replace.drop-dialect.allowed"  #: allows a client of another dialect to replace a view
)

SCHEMA: Document = {
    "type": "struct",
    "schema-id": 0,
    "fields": [
        {"id": 1, "name": "id", "type": "long", "required": True},
        {"id": 2, "name": "data", "type": "string", "required": False},
    ],
}


ADDRESS = "{uri}"  #: stands for the address of the catalog in properties of the client

#: Arguments of every task: uri, the address of the catalog, and properties, the client's own.
TASKS = {
    "list-namespaces": "return the namespaces at the top, an array of arrays of levels",
    "list-child-namespaces": (
        "parent, an array of levels: return the namespaces directly below it, an array of arrays of"
        " all their levels"
    ),
    "namespace-exists": "namespace: return true or false",
    "create-namespace": "namespace",
    "load-namespace": "namespace: return its properties, an object",
    "set-namespace-properties": "namespace, updates, removals: set and remove properties",
    "drop-namespace": "namespace",
    "list-tables": "namespace: return the names of its tables, an array",
    "list-tables-repeatedly": (
        "namespace, times, pause: list the tables that many times with one catalog object, with"
        " pauses of that many seconds, and return an array of the listings; null for one that"
        " failed"
    ),
    "table-exists": "namespace, table: return true or false",
    "create-table": (
        "namespace, table: with a required column id of type long, and an optional column data of"
        " type string"
    ),
    "create-table-with-layout": (
        "namespace, table, schema, partition-spec and write-order, objects as in the contract,"
        " format-version, an integer, and properties"
    ),
    "load-table": (
        "namespace, table: return an object with uuid, location, properties, snapshot-ids, and"
        " current-snapshot-id, which is null for a table without snapshots"
    ),
    "load-table-repeatedly": (
        "namespace, table, times, pause: return an array of what load-table returns, with one"
        " catalog object"
    ),
    "load-tables": (
        "namespace, tables, names: return an array of what load-table returns for each, with one"
        " catalog object"
    ),
    "set-properties": "namespace, table, updates: load the table and commit these properties",
    "add-column": "namespace, table, column: add an optional column of type string",
    "edit-columns": (
        "namespace, table, edits: make these edits in one change; each has column, an array of the"
        " names of the column and of those around it, and edit: add (an optional string), drop,"
        " rename (to), widen (type), relax (make it optional) or document (doc)"
    ),
    "add-partition-field": (
        "namespace, table, column, transform, name: add a field to the partition spec"
    ),
    "append-rows": "namespace, table, rows: append these rows, objects with id and data",
    "delete-rows-where": (
        "namespace, table, where, an object of columns and values: delete the rows that have these"
        " values"
    ),
    "update-rows": (
        "namespace, table, where, set, an object of columns and new values: change the rows that"
        " have the values of where"
    ),
    "upsert-rows": (
        "namespace, table, rows, key, names of columns: replace the rows with these keys, and"
        " append the others"
    ),
    "overwrite-rows": "namespace, table, rows: replace all rows by these",
    "append-and-read": (
        "namespace, table, rows: append these rows, and return all rows of the table, read with the"
        " same catalog object"
    ),
    "change-and-read": (
        "namespace, table, changes, an array of objects with where and set: change rows as"
        " update-rows does, one change after another, and return all rows of the table, read with"
        " the same catalog object"
    ),
    "read-rows": "namespace, table: return the rows, an array of objects",
    "read-rows-where": (
        "namespace, table, where, an object of columns and values: return the rows that have these"
        " values"
    ),
    "read-rows-at-snapshot": "namespace, table, snapshot-id: return the rows of that snapshot",
    "read-rows-at-timestamp": (
        "namespace, table, timestamp in milliseconds since 1970: return the rows as of that time"
    ),
    "read-rows-at-ref": "namespace, table, ref, the name of a branch or tag: return its rows",
    "list-snapshots": (
        "namespace, table: return the ids of the snapshots in its metadata table snapshots, an"
        " array"
    ),
    "expire-snapshots": (
        "namespace, table, older-than in milliseconds since 1970: expire the snapshots that are"
        " older"
    ),
    "append-rows-to-branch": (
        "namespace, table, branch, rows: append these rows to an existing branch"
    ),
    "create-branch": "namespace, table, branch, snapshot-id: create a branch at that snapshot",
    "create-tag": "namespace, table, tag, snapshot-id: create a tag of that snapshot",
    "fast-forward-branch": (
        "namespace, table, branch, to, the name of another branch: move branch to the latest"
        " snapshot of the other"
    ),
    "drop-branch": "namespace, table, branch",
    "drop-tag": "namespace, table, tag",
    "rename-table": "namespace, table, to: rename it within its namespace",
    "drop-table": "namespace, table: drop it without a purge of its files",
    "purge-table": "namespace, table: drop it, and have the server purge its files",
    "register-table": (
        "namespace, table, metadata-location: register a table from its metadata file"
    ),
    "commit-transaction": (
        "namespace, tables, updates: commit these properties to several tables in one transaction"
    ),
    "report-metrics": "namespace, table: send a report of a scan",
    "plan-scan": (
        "namespace, table: let the server plan a scan, and return an array of objects with file, a"
        " path, and deletes, an array of paths"
    ),
    "file-properties": (
        "namespace, table: load the table, return the properties with which its metadata file is"
        " opened, an object"
    ),
    "file-properties-repeatedly": (
        "namespace, table, times, pause: load the table once and return an array of what"
        " file-properties returns, for the same table object"
    ),
    "sign-repeatedly": (
        "namespace, table, times, pause: load the table once, and with one table object have its"
        " server sign that many GET requests to the storage; return an array of the signed values"
        " of Authorization"
    ),
    "list-views": "namespace: return the names of its views, an array",
    "create-view": "namespace, view, sql: with a column id of type long",
    "load-view": "namespace, view: return an object with uuid and sql",
    "replace-view": "namespace, view, sql: replace its query; the column stays",
    "rename-view": "namespace, view, to: rename it within its namespace",
    "drop-view": "namespace, view",
}


class CatalogClientLab(ClientLab):
    """The lab of one check of a catalog client."""

    tasks = TASKS
    implicit_requirements = ("IRC-CLI-058", "IRC-CLI-076", "IRC-CLI-077")

    def arguments(self, url: str, arguments: Members) -> Members:
        """Return the arguments of a task, with the address of the catalog and the client's own
        properties.
        """
        properties = {
            name: value.replace(ADDRESS, url)
            for name, value in arguments.get("properties", {}).items()
        }
        return {"uri": url, **arguments, "properties": properties}

    def observe(
        self, task: str, script: Script, arguments: Members
    ) -> tuple[Script, Callable[[Performance], None]]:
        """Return the script, and a judge of changes to objects that the task does not name."""
        watch = Watch(self, task, arguments)
        return watch.script(script), watch.judge

    def namespace(self, *tables: str, within: Sequence[str] = (), name: str = "") -> list[str]:
        """Return a new namespace with these tables in it."""
        levels = [*within, name or self.name()]
        self.server.ask(
            "POST", "/v1/namespaces", document={"namespace": levels, "properties": KEPT}
        )
        for table in tables:
            self.create(levels, table)
        return levels

    def listable(self) -> list[str]:
        """Return a new namespace whose table the client lists, with an unchanged server."""
        home = self.namespace(TABLE)
        self.does("list-tables", [TABLE], namespace=home)
        return home

    def changeable(self) -> list[str]:
        """Return a new namespace whose table the client changes, with an unchanged server."""
        home = self.namespace(TABLE)
        self.does("set-properties", namespace=home, table=TABLE, updates={"lakepact.first": "1"})
        return home

    def create(self, namespace: Sequence[str], table: str, **members: Any) -> None:
        """Create a table; members of the request replace the usual ones."""
        self.own_changes += 1
        self.server.ask(
            "POST",
            path_of(namespace, "tables"),
            document={"name": table, "schema": SCHEMA, **members},
        )

    def view(self, namespace: Sequence[str], name: str) -> None:
        """Create a view."""
        self.server.ask("POST", f"{path_of(namespace)}/views", document=view_request(name))

    def stored(self, namespace: Sequence[str], table: str) -> Document:
        """Return a table of the server behind the scripted server."""
        document: Document = self.server.ask("GET", path_of(namespace, "tables", table)).document
        return document

    def metadata(self, namespace: Sequence[str], table: str) -> Document:
        """Return the metadata of a table of the server behind the scripted server."""
        metadata: Document = self.stored(namespace, table)["metadata"]
        return metadata

    def table(self, **members: Any) -> Document:
        """Return the arguments that name a new table; members are those of the request."""
        where: Document = {"namespace": self.namespace(), "table": TABLE}
        self.create(**where, **members)
        return where

    def files_of(self, namespace: Sequence[str], table: str) -> SharedFile:
        """Return the folder of a table."""
        return self.target.shared_files.at(self.metadata(namespace, table)["location"])

    def rows_left(
        self, namespace: Sequence[str], table: str, ref: str = MAIN
    ) -> list[Document] | None:
        """Return the rows of a branch or tag, read without the client; None for other files than
        Iceberg's.

        Raises:
            Unmet: a file is missing.
        """
        metadata = self.metadata(namespace, table)
        head = (metadata.get("refs") or {}).get(ref, {}).get("snapshot-id")
        missing = []

        def read(location: str) -> bytes:
            file = self.target.shared_files.at(location)
            missing.extend([] if file.exists() else [file.name])
            return file.read()

        try:
            rows = rows_at(metadata, head, read)
        except (Unmet, NotOffered):
            if missing:
                raise Unmet(f"the files of {ref}", f"{missing[0]} is missing") from None
            return None
        return [
            {name: NAN if value != value else value for name, value in row.items()}  # noqa: PLR0124
            for row in rows
        ]

    def leaves(
        self, performance: Performance, where: Members, how: str, *allowed: Sequence[Any]
    ) -> None:
        """Expect one of some sets of rows in the files after a task, and as the client reads them
        if JSON has all their values.
        """
        stored = self.rows_left(**where)
        is_plain = stored is None or NAN not in str(allowed)
        read = self.tries("read-rows", **where) if is_plain else None
        self.show(performance)  # the task is the evidence
        views = ("rows in the files", stored), ("rows", read and read.result)
        for view, rows in views:
            if rows is not None:
                actual = in_order(rows)
                expected = [in_order(rows_allowed) for rows_allowed in allowed]
                closest = actual if actual in expected else expected[0]
                expect.equal(closest, actual, f"{view} {how}:")

    def commit(self, namespace: Sequence[str], table: str, *updates: Members) -> Document:
        """Commit updates to a table, as another client would, and return its metadata."""
        self.own_changes += 1
        document = {"requirements": [], "updates": list(updates)}
        metadata: Document = self.server.ask(
            "POST", path_of(namespace, "tables", table), document=document
        ).document["metadata"]
        return metadata


def path_of(namespace: Sequence[str], *further: str) -> str:
    """Return the path of a namespace, or of an object in it."""
    return "/".join(
        ["/v1/namespaces", *(quote(step, safe="") for step in ("\x1f".join(namespace), *further))]
    )


def view_request(name: str) -> Document:
    """Return the body of a request that creates a view."""
    version = {
        "version-id": 1,
        "timestamp-ms": 1_700_000_000_000,
        "schema-id": 0,
        "summary": {},
        "representations": [{"type": "sql", "sql": VIEW_SQL, "dialect": "spark"}],
        "default-namespace": ["lakepact"],
    }
    return {
        "name": name,
        "schema": SCHEMA,
        "view-version": version,
        "properties": {DROPS_DIALECTS: "true"},
    }
