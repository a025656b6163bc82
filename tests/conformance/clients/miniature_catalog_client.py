"""A small correct client of Iceberg REST catalogs, with one fault for each value of LAKEPACT_FAULT."""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
import uuid
from typing import Any
from urllib.parse import quote

FAULT = os.environ.get("LAKEPACT_FAULT", "")
LISTED = {"list-namespaces": "namespaces", "list-tables": "identifiers"}


class Catalog:
    def __init__(self, uri: str, properties: dict[str, str]) -> None:
        self.uri = uri
        self.has_keys = False
        config = self.ask("GET", "/v1/config" + ("?warehouse" if FAULT == "sends-no-warehouse" else ""))
        defaults, overrides = config["defaults"], config["overrides"]
        if FAULT == "own-settings-win":
            overrides = {}
        if FAULT == "defaults-win":
            properties = {**properties, **defaults}
        if FAULT == "no-defaults":
            defaults = {}
        self.has_keys = "idempotency-key-lifetime" in config or FAULT == "relies-on-any-server"
        prefix = {**defaults, **properties, **overrides}.get("prefix")
        self.root = f"/v1/{prefix}" if prefix else "/v1"

    def ask(self, method: str, path: str, document: Any = None, headers: dict[str, str] | None = None) -> Any:
        body = None if document is None else json.dumps(document).encode()
        given = {"Content-Type": "application/json", **(headers or {})}
        key = str(uuid.UUID(int=7 << 76 | 2 << 62)) if FAULT == "has-one-key" else str(uuid.uuid4())
        is_keyed = self.has_keys and method != "GET"
        tries = 2 if is_keyed or (FAULT == "sends-commits-again" and method == "POST") else 1
        for left in reversed(range(tries)):
            if is_keyed:
                given["Idempotency-Key"] = str(uuid.uuid4()) if FAULT == "has-keys-for-attempts" else key
            request = urllib.request.Request(self.uri + path, data=body, method=method, headers=given)
            try:
                with urllib.request.urlopen(request, timeout=20) as answer:
                    read = answer.read()
                    return json.loads(read) if read else None
            except urllib.error.HTTPError as error:
                if error.code >= 500 and left:
                    continue
                if FAULT == "takes-refusals-for-nothing" and method == "GET":
                    return {"identifiers": [], "namespaces": [], "defaults": {}, "overrides": {}}
                if FAULT == "takes-conflicts-for-done" and error.code == 409:
                    return None
                raise
        raise AssertionError

    def namespace(self, levels: list[str]) -> str:
        if FAULT == "joins-levels-by-dots":
            return f"{self.root}/namespaces/" + quote(".".join(levels), safe="")
        joined = "\x1f".join(levels)
        encoded = quote(joined, safe="%" if FAULT == "leaves-percent-signs" else "")
        if FAULT == "writes-spaces-as-plus":
            encoded = encoded.replace("%20", "+")
        return f"{self.root}/namespaces/{encoded}"

    def table(self, levels: list[str], name: str) -> str:
        return f"{self.namespace(levels)}/tables/{quote(name, safe='')}"

    def pages(self, path: str, member: str) -> list[Any]:
        token, found = "", []
        while True:
            size = "none" if FAULT == "sends-a-word-as-size" else "2"
            page = self.ask("GET", f"{path}?pageSize={size}&pageToken={quote(token, safe='')}")
            found += page[member]
            if FAULT == "needs-the-token":
                token = page["next-page-token"] or ""
            elif FAULT == "takes-null-for-a-token" and "next-page-token" in page:
                token = str(page["next-page-token"])
            else:
                token = page.get("next-page-token") or ""
            if not token:
                return found


def create(catalog: Catalog, namespace: list[str], table: str) -> None:
    fields = [
        {"id": 1, "name": "id", "type": "long", "required": True},
        {"id": 2, "name": "data", "type": "string", "required": False},
    ]
    if FAULT == "fields-without-ids":
        fields = [{k: v for k, v in field.items() if k != "id"} for field in fields]
    schema = {"type": "struct", "schema-id": 0, "fields": fields}
    catalog.ask("POST", f"{catalog.namespace(namespace)}/tables", {"name": table, "schema": schema})


def commit(catalog: Catalog, namespace: list[str], table: str, updates: dict[str, Any]) -> None:
    loaded = catalog.ask("GET", catalog.table(namespace, table))
    body = {
        "requirements": [{"type": "assert-table-uuid", "uuid": loaded["metadata"]["table-uuid"]}],
        "updates": [{"action": "set-properties", "updates": updates}],
    }
    if FAULT == "forgets-the-action":
        del body["updates"][0]["action"]
        body["updates"][0]["type"] = "set-properties"
    if FAULT == "forgets-the-requirements":
        del body["requirements"]
    catalog.ask("POST", catalog.table(namespace, table), body)


def file_properties(catalog: Catalog, namespace: list[str], table: str) -> dict[str, str]:
    loaded = catalog.ask("GET", catalog.table(namespace, table))
    location = loaded["metadata-location"]
    fitting = [c for c in loaded.get("storage-credentials", []) if location.startswith(c["prefix"])]
    if FAULT == "takes-any-prefix":
        fitting = loaded.get("storage-credentials", [])
    if FAULT == "takes-the-shortest-prefix":
        fitting.sort(key=lambda c: -len(c["prefix"]))
    elif FAULT != "takes-the-first-prefix":
        fitting.sort(key=lambda c: len(c["prefix"]))
    else:
        fitting = fitting[:1]
    config: dict[str, str] = loaded.get("config", {})
    chosen: dict[str, str] = fitting[-1]["config"] if fitting else {}
    return {**chosen, **config} if FAULT == "takes-config-first" else {**config, **chosen}


def performed(task: str, given: dict[str, Any]) -> Any:
    catalog = Catalog(given["uri"], given["properties"])
    namespace = given.get("namespace", [])
    result: Any = None
    if task == "list-namespaces":
        result = catalog.pages(f"{catalog.root}/namespaces", "namespaces")
    elif task == "list-tables":
        result = [found["name"] for found in catalog.pages(f"{catalog.namespace(namespace)}/tables", "identifiers")]
    elif task == "create-namespace":
        body: Any = {"namespace": ".".join(namespace) if FAULT == "namespaces-are-words" else namespace, "properties": {}}
        catalog.ask("POST", f"{catalog.root}/namespaces", body)
    elif task == "create-table":
        create(catalog, namespace, given["table"])
    elif task.startswith("set-properties"):
        for updates in (given[member] for member in ("updates", "first", "second") if member in given):
            commit(catalog, namespace, given["table"], updates)
    elif task == "rename-table":
        source, to = {"namespace": namespace, "name": given["table"]}, {"namespace": namespace, "name": given["to"]}
        body = {"source": source, "target" if FAULT == "renames-to-a-target" else "destination": to}
        catalog.ask("POST", f"{catalog.root}/tables/rename", body)
    elif task == "drop-table":
        catalog.ask("DELETE", catalog.table(namespace, given["table"]))
    elif task == "file-properties":
        result = file_properties(catalog, namespace, given["table"])
    else:
        raise NotImplementedError(task)
    return result


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
