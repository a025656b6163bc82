"""The bench of checks of clients of catalogs: what they find there is made behind the scripted server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from lakepact.conformance.clients.lab import ClientLab

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "fields": [
        {"id": 1, "name": "id", "type": "long", "required": True},
        {"id": 2, "name": "data", "type": "string", "required": False},
    ],
}


#: Arguments of every task: uri, the address of the catalog, and properties, the client's own.
TASKS = {
    "list-namespaces": "print the namespaces at the top, an array of arrays of levels",
    "list-tables": "namespace: print the names of its tables, an array",
    "create-namespace": "namespace",
    "create-table": "namespace, table: with a column id of type long, which is required, and an optional one data of type string",
    "set-properties": "namespace, table, updates: load the table and commit these properties",
    "rename-table": "namespace, table, to: give it another name in its namespace",
    "drop-table": "namespace, table",
    "file-properties": "namespace, table: load the table, print the properties that its metadata file would be opened with, an object",
}


class CatalogClientLab(ClientLab):
    """The bench of one check of a catalog's clients."""

    tasks = TASKS

    def arguments(self, url: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the address of the catalog and the client's own properties, and what the task needs."""
        return {"uri": url, "properties": {}, **arguments}

    def namespace(self, *tables: str, within: Sequence[str] = (), named: str = "") -> list[str]:
        """Return a new namespace with these tables in it."""
        levels = [*within, named or self.name()]
        self.server.ask("POST", "/v1/namespaces", document={"namespace": levels, "properties": {}})
        path = quote("\x1f".join(levels), safe="")
        for table in tables:
            self.server.ask("POST", f"/v1/namespaces/{path}/tables", document={"name": table, "schema": SCHEMA})
        return levels
