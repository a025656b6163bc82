"""Client program for `lakepact.client.IcebergCatalog`."""

from __future__ import annotations

import json
import sys
from typing import Any

from lakepact.client import IcebergCatalog, storage_properties

FIELDS = [{"id": 1, "name": "id", "type": "long", "required": True}, {"id": 2, "name": "data", "type": "string", "required": False}]


def done(catalog: IcebergCatalog, task: str, given: dict[str, Any]) -> Any:
    namespace, name = given.get("namespace", ()), given.get("table", "")
    match task:
        case "list-namespaces":
            return [list(found) for found in catalog.list_namespaces()]
        case "list-tables":
            return [found.name for found in catalog.list_tables(namespace)]
        case "create-namespace":
            catalog.create_namespace(namespace)
        case "create-table":
            catalog.create_table(namespace, name, {"type": "struct", "fields": FIELDS})
        case "set-properties" | "set-properties-twice":
            uuid = catalog.load_table(namespace, name).metadata.table_uuid
            for updates in [given["updates"]] if task == "set-properties" else [given["first"], given["second"]]:
                update = {"action": "set-properties", "updates": updates}
                catalog.commit_table(namespace, name, [update], requirements=[{"type": "assert-table-uuid", "uuid": uuid}])
        case "rename-table":
            catalog.rename_table((namespace, name), (namespace, given["to"]))
        case "drop-table":
            catalog.drop_table(namespace, name)
        case "file-properties":
            loaded = catalog.load_table(namespace, name)
            return storage_properties(loaded, loaded.metadata_location)
        case _:
            raise NotImplementedError(task)
    return None


def performed(task: str, given: dict[str, Any]) -> Any:
    with IcebergCatalog(given["uri"], properties=given["properties"]) as catalog:
        return done(catalog, task, given)


def answered(line: str) -> dict[str, Any]:
    """Return the answer to the task in a line."""
    asked = json.loads(line)
    try:
        return {"result": performed(asked["task"], asked["arguments"])}
    except NotImplementedError:
        return {"not_offered": True}
    except Exception as error:  # noqa: BLE001 - reported
        return {"error": {"type": type(error).__name__, "message": str(error)}}


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answered(line)) + "\n")
        sys.stdout.flush()
