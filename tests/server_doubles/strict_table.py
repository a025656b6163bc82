"""A table of a server that refuses what one of several catalogs refuses, as a test double.

Iceberg's Java server needs `spec-id`, `order-id` and an addition that adds. Nessie needs
`last-column-id` and `field-id`, and assigns the ids of schemas itself. S3 Tables of MiniStack
counts no nested ids in `last-column-id`, and keeps the first schema of an id.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import httpx

from driving import Desk

UUID = "9c12d441-03fe-4693-9a96-a0705ddf69c1"
TABLES = "/v1/namespaces/n/tables"


class Refused(Exception):
    """A request that one of the catalogs refuses."""


class StrictTable:
    """The table `n.t`; `desk` answers for it, and `change_reply` may change what a commit
    returns.
    """

    def __init__(self) -> None:
        self.metadata: dict[str, Any] = {}
        self.locations = 0
        self.change_reply: Callable[[dict[str, Any]], object] = lambda _: None
        self.desk = Desk(
            {
                "GET /v1/config": {"defaults": {}, "overrides": {}},
                f"POST {TABLES}": self._answer(self._create),
                f"GET {TABLES}/t": lambda _: self._loaded(),
                f"POST {TABLES}/t": self._answer(self._commit),
                "POST /v1/transactions/commit": self._answer(self._commit_transaction),
            }
        )

    def _loaded(self) -> dict[str, Any]:
        return {
            "metadata-location": f"memory:{self.locations}",
            "metadata": copy.deepcopy(self.metadata),
        }

    def _answer(self, handle: Callable[[dict[str, Any]], Any]) -> Callable[[httpx.Request], Any]:
        def answer(request: httpx.Request) -> Any:
            try:
                return handle(json.loads(request.content))
            except (Refused, KeyError) as refused:
                error = {"message": str(refused), "type": "ValidationException", "code": 400}
                return httpx.Response(400, json={"error": error})

        return answer

    def _create(self, body: dict[str, Any]) -> dict[str, Any]:
        schema, spec = body["schema"], body.get("partition-spec", {"spec-id": 0, "fields": []})
        order = body.get("write-order", {"order-id": 0, "fields": []})
        self.metadata = {
            "format-version": 2,
            "table-uuid": UUID,
            "location": "memory:t",
            "last-updated-ms": 1,
            "last-sequence-number": 0,
            "properties": body.get("properties", {}),
            "schemas": [schema],
            "current-schema-id": schema["schema-id"],
            "last-column-id": len(schema["fields"]),
            "partition-specs": [spec],
            "default-spec-id": spec["spec-id"],
            "last-partition-id": max((field["field-id"] for field in spec["fields"]), default=999),
            "sort-orders": [order],
            "default-sort-order-id": order["order-id"],
            "current-snapshot-id": 7,
            "refs": {"main": {"type": "branch", "snapshot-id": 7}},
            "metadata-log": [],
        }
        return self._loaded()

    def _commit_transaction(self, body: dict[str, Any]) -> httpx.Response:
        for change in body["table-changes"]:
            self._commit(change)
        return httpx.Response(204)

    def _commit(self, body: dict[str, Any]) -> dict[str, Any]:
        before = {
            "metadata-file": f"memory:{self.locations}",
            "timestamp-ms": self.metadata["last-updated-ms"],
        }
        for requirement in body["requirements"]:
            self._require(**{name.replace("-", "_"): value for name, value in requirement.items()})
        after = _Commit(copy.deepcopy(self.metadata))
        for update in body["updates"]:
            getattr(after, update["action"].replace("-", "_"))(update)
        self.metadata, self.locations = after.metadata, self.locations + 1
        self.metadata["last-updated-ms"] += 1
        self.metadata["metadata-log"].append(before)
        reply = self._loaded()
        self.change_reply(reply["metadata"])
        return reply

    def _require(self, type: str, **wanted: Any) -> None:  # noqa: A002
        now = self.metadata
        found = {
            "assert-table-uuid": now["table-uuid"],
            "assert-current-schema-id": now["current-schema-id"],
            "assert-last-assigned-field-id": now["last-column-id"],
            "assert-default-spec-id": now["default-spec-id"],
            "assert-last-assigned-partition-id": now["last-partition-id"],
            "assert-ref-snapshot-id": now["refs"].get(wanted.get("ref"), {}).get("snapshot-id"),
        }[type]
        if found != list(wanted.values())[-1]:
            raise Refused(f"{type} does not hold")


class _Commit:
    """The updates of one commit, by their actions."""

    def __init__(self, metadata: dict[str, Any]) -> None:
        self.metadata = metadata
        self._known = {
            "schemas": _ids_of(metadata["schemas"], "schema-id"),
            "partition-specs": _ids_of(metadata["partition-specs"], "spec-id"),
        }
        self._added: dict[str, int | None] = {}

    def add_schema(self, update: dict[str, Any]) -> None:
        new, last = update["schema"], update["last-column-id"]
        ids = field_ids(new["fields"])
        if len(set(ids)) < len(ids) or max(ids) > last:
            raise Refused(f"field ids {ids}, last-column-id {last}")
        ever = [id_ for schema in self.metadata["schemas"] for id_ in field_ids(schema["fields"])]
        current = next(
            one
            for one in self.metadata["schemas"]
            if one["schema-id"] == self.metadata["current-schema-id"]
        )
        if any(id_ <= max(ever) for id_ in set(ids) - set(field_ids(current["fields"]))):
            raise Refused(f"a new column has an id up to {max(ever)}")
        self._add("schemas", "schema-id", new)
        self.metadata["last-column-id"] = max(
            field["id"] for field in new["fields"]
        )  # the nested ids are left out

    def set_current_schema(self, update: dict[str, Any]) -> None:
        self.metadata["current-schema-id"] = self._chosen("schemas", update["schema-id"])

    def add_spec(self, update: dict[str, Any]) -> None:
        ids = [field["field-id"] for field in update["spec"]["fields"]]
        if len(set(ids)) < len(ids):
            raise Refused(f"partition field ids {ids}")
        self._add("partition-specs", "spec-id", update["spec"])

    def set_default_spec(self, update: dict[str, Any]) -> None:
        self.metadata["default-spec-id"] = self._chosen("partition-specs", update["spec-id"])

    def _add(self, kind: str, id_name: str, new: dict[str, Any]) -> None:
        kept = self.metadata[kind]
        if any(one["fields"] == new["fields"] for one in kept):
            self._added[kind] = None
        elif new[id_name] in _ids_of(kept, id_name):
            raise Refused(f"{id_name} {new[id_name]} exists already")
        else:
            self._added[kind] = new[id_name]
            kept.append(new)

    def _chosen(self, kind: str, id_: int) -> int:
        chosen = self._added.get(kind) if id_ == -1 else id_
        if chosen is None:
            raise Refused(f"cannot set the last added of {kind}: none has been added")
        if id_ != -1 and id_ not in self._known[kind]:
            raise Refused(f"{kind} had no {id_} before this commit")
        return chosen

    def upgrade_format_version(self, update: dict[str, Any]) -> None:
        self.metadata["format-version"] = update["format-version"]

    def set_properties(self, update: dict[str, Any]) -> None:
        self.metadata["properties"] |= update["updates"]

    def remove_properties(self, update: dict[str, Any]) -> None:
        for name in update["removals"]:
            self.metadata["properties"].pop(name, None)

    def set_location(self, update: dict[str, Any]) -> None:
        self.metadata["location"] = update["location"]

    def set_snapshot_ref(self, update: dict[str, Any]) -> None:
        self.metadata["refs"][update["ref-name"]] = {
            name: update[name] for name in update.keys() - {"action", "ref-name"}
        }

    def remove_snapshot_ref(self, update: dict[str, Any]) -> None:
        self.metadata["refs"].pop(update["ref-name"], None)


def _ids_of(kept: list[dict[str, Any]], name: str) -> set[int]:
    return {one[name] for one in kept}


def field_ids(within: Any) -> list[int]:
    """Return the ids of all fields in a list of fields, nested ones too."""
    if isinstance(within, list):
        return [id_ for one in within for id_ in field_ids(one)]
    if not isinstance(within, dict):
        return []
    own = [within[name] for name in ("id", "element-id", "key-id", "value-id") if name in within]
    return own + [id_ for value in within.values() for id_ in field_ids(value)]
