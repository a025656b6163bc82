"""Client program for `lakepact.client.IcebergCatalog`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from client_loop import answer_tasks, repeatedly

from lakepact.client import (
    BearerToken,
    ClientCredentials,
    IcebergCatalog,
    LakepactError,
    Retries,
    TableChange,
    storage_properties,
)

if TYPE_CHECKING:
    from lakepact.client import Auth

FIELDS = [
    {"id": 1, "name": "id", "type": "long", "required": True},
    {"id": 2, "name": "data", "type": "string", "required": False},
]


class Tasks:
    """The tasks, one method each."""

    def __init__(self, catalog: IcebergCatalog, arguments: dict[str, Any]) -> None:
        self.catalog = catalog
        self.arguments = arguments
        self.namespace = arguments.get("namespace", ())
        self.table = arguments.get("table", "")
        self.view = arguments.get("view", "")

    def list_namespaces(self) -> Any:
        return [list(levels) for levels in self.catalog.list_namespaces()]

    def list_child_namespaces(self) -> Any:
        return [list(levels) for levels in self.catalog.list_namespaces(self.arguments["parent"])]

    def namespace_exists(self) -> Any:
        return self.catalog.namespace_exists(self.namespace)

    def create_namespace(self) -> Any:
        self.catalog.create_namespace(self.namespace)

    def load_namespace(self) -> Any:
        return dict(self.catalog.load_namespace(self.namespace).properties)

    def set_namespace_properties(self) -> Any:
        self.catalog.update_namespace_properties(
            self.namespace, updates=self.arguments["updates"], removals=self.arguments["removals"]
        )

    def drop_namespace(self) -> Any:
        self.catalog.drop_namespace(self.namespace)

    def list_tables(self) -> Any:
        return [identifier.name for identifier in self.catalog.list_tables(self.namespace)]

    def list_tables_repeatedly(self) -> Any:
        def names_or_none() -> Any:
            try:
                return self.list_tables()
            except LakepactError:
                return None

        return repeatedly(names_or_none, self.arguments)

    def table_exists(self) -> Any:
        return self.catalog.table_exists((self.namespace, self.table))

    def create_table(self) -> Any:
        self.catalog.create_table(
            (self.namespace, self.table), {"type": "struct", "fields": FIELDS}
        )

    def load_table(self) -> Any:
        metadata = self.catalog.load_table((self.namespace, self.table)).metadata
        current = metadata.current_snapshot_id
        return {
            "uuid": metadata.table_uuid,
            "location": metadata.location,
            "properties": dict(metadata.properties),
            "snapshot-ids": [snapshot.snapshot_id for snapshot in metadata.snapshots],
            "current-snapshot-id": None if current == -1 else current,
        }

    def load_tables(self) -> Any:
        tables = []
        for table in self.arguments["tables"]:
            self.table = table
            tables.append(self.load_table())
        return tables

    def load_table_repeatedly(self) -> Any:
        return repeatedly(self.load_table, self.arguments)

    def commit(self, updates: dict[str, str]) -> None:
        uuid = self.catalog.load_table((self.namespace, self.table)).metadata.table_uuid
        update = {"action": "set-properties", "updates": updates}
        self.catalog.commit_table(
            (self.namespace, self.table),
            [update],
            requirements=[{"type": "assert-table-uuid", "uuid": uuid}],
        )

    def set_properties(self) -> Any:
        self.commit(self.arguments["updates"])

    def set_properties_twice(self) -> Any:
        self.commit(self.arguments["first"])
        self.commit(self.arguments["second"])

    def add_column(self) -> Any:
        self.catalog.change((self.namespace, self.table)).add_column(
            self.arguments["column"], "string"
        ).commit()

    def rename_table(self) -> Any:
        self.catalog.rename_table(
            (self.namespace, self.table), (self.namespace, self.arguments["to"])
        )

    def drop_table(self) -> Any:
        self.catalog.drop_table((self.namespace, self.table))

    def purge_table(self) -> Any:
        self.catalog.drop_table((self.namespace, self.table), purge=True)

    def change_references(self, update: dict[str, Any], *requirements: dict[str, Any]) -> None:
        self.catalog.commit_table(
            (self.namespace, self.table), [update], requirements=list(requirements)
        )

    def create_branch(self) -> Any:
        self.create_reference(self.arguments["branch"], "branch")

    def create_tag(self) -> Any:
        self.create_reference(self.arguments["tag"], "tag")

    def create_reference(self, name: str, kind: str) -> None:
        update = {
            "action": "set-snapshot-ref",
            "ref-name": name,
            "type": kind,
            "snapshot-id": self.arguments["snapshot-id"],
        }
        self.change_references(
            update, {"type": "assert-ref-snapshot-id", "ref": name, "snapshot-id": None}
        )

    def drop_branch(self) -> Any:
        self.change_references(
            {"action": "remove-snapshot-ref", "ref-name": self.arguments["branch"]}
        )

    def drop_tag(self) -> Any:
        self.change_references({"action": "remove-snapshot-ref", "ref-name": self.arguments["tag"]})

    def register_table(self) -> Any:
        self.catalog.register_table(
            (self.namespace, self.table), self.arguments["metadata-location"]
        )

    def commit_transaction(self) -> Any:
        update = {"action": "set-properties", "updates": self.arguments["updates"]}
        self.catalog.commit_transaction(
            [TableChange(self.namespace, name, [update], []) for name in self.arguments["tables"]]
        )

    def plan_scan(self) -> Any:
        plan = self.catalog.plan_scan((self.namespace, self.table))
        return [
            {
                "file": task.data_file.file_path,
                "deletes": [file.file_path for file in task.delete_files],
            }
            for task in self.catalog.scan_tasks((self.namespace, self.table), plan)
        ]

    def file_properties(self) -> Any:
        result = self.catalog.load_table((self.namespace, self.table))
        return dict(storage_properties(result, result.metadata_location))

    def list_views(self) -> Any:
        return [identifier.name for identifier in self.catalog.list_views(self.namespace)]

    def load_view(self) -> Any:
        metadata = self.catalog.load_view((self.namespace, self.view)).metadata
        version = next(
            version
            for version in metadata.versions
            if version.version_id == metadata.current_version_id
        )
        return {"uuid": metadata.view_uuid, "sql": version.representations[0].sql}

    def create_view(self) -> Any:
        self.catalog.create_view(
            (self.namespace, self.view),
            {"type": "struct", "fields": FIELDS[:1]},
            version=self.version(1),
        )

    def version(self, identifier: int) -> dict[str, Any]:
        representation = {"type": "sql", "sql": self.arguments["sql"], "dialect": "spark"}
        version = {
            "version-id": identifier,
            "timestamp-ms": int(time.time() * 1000),
            "schema-id": 0,
            "summary": {},
        }
        return version | {
            "representations": [representation],
            "default-namespace": list(self.namespace),
        }

    def replace_view(self) -> Any:
        metadata = self.catalog.load_view((self.namespace, self.view)).metadata
        version = self.version(1 + max(version.version_id for version in metadata.versions))
        addition: dict[str, Any] = {"action": "add-view-version", "view-version": version}
        current: dict[str, Any] = {"action": "set-current-view-version", "view-version-id": -1}
        requirement = {"type": "assert-view-uuid", "uuid": metadata.view_uuid}
        self.catalog.replace_view(
            (self.namespace, self.view), [addition, current], requirements=[requirement]
        )

    def rename_view(self) -> Any:
        self.catalog.rename_view(
            (self.namespace, self.view), (self.namespace, self.arguments["to"])
        )

    def drop_view(self) -> Any:
        self.catalog.drop_view((self.namespace, self.view))


def auth(arguments: dict[str, Any]) -> Auth | None:
    properties = arguments["properties"]
    if "credential" in properties:
        identity, _, secret = properties["credential"].rpartition(":")
        address = properties.get("oauth2-server-uri", f"{arguments['uri']}/v1/oauth/tokens")
        return ClientCredentials(address, identity, secret, in_form=True)
    return BearerToken(properties["token"]) if "token" in properties else None


def perform(task: str, arguments: dict[str, Any]) -> Any:
    act = getattr(Tasks, task.replace("-", "_"), None)
    if act is None:
        raise NotImplementedError(task)
    properties = arguments["properties"]
    setting: dict[str, Any] = {
        "warehouse": properties.get("warehouse"),
        "properties": properties,
        "retries": Retries(first_pause=0.01),
    }
    with IcebergCatalog(arguments["uri"], auth=auth(arguments), **setting) as catalog:
        return act(Tasks(catalog, arguments))


if __name__ == "__main__":
    answer_tasks(perform)
