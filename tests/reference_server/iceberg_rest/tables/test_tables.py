"""Tables over HTTP: creation, staging, loading and renaming."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lakepact.generated.contract import Contract

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "id", "type": "long", "required": True}]}


def test_a_created_table_loads_as_it_was_answered(send: Callable[..., Any], namespace: str) -> None:
    created = send("POST", f"/v1/namespaces/{namespace}/tables", {"name": "t", "schema": SCHEMA})

    assert send("GET", f"/v1/namespaces/{namespace}/tables/t").body == created.body
    assert Contract("iceberg_rest").operations["loadTable"].answers["200"].schema == "LoadTableResult"


@pytest.mark.parametrize("stage", [False, True])
def test_a_table_is_made_once(send: Callable[..., Any], table: str, *, stage: bool) -> None:
    before = send("GET", table).body
    answer = send("POST", table.removesuffix("/t"), {"name": "t", "schema": SCHEMA, "stage-create": stage})

    assert answer.error == (409, "AlreadyExistsException", 409)
    assert send("GET", table).body == before


@pytest.mark.parametrize("location", ["s3://bucket/t", "file:///etc/t", "memory:/../t", "memory:", ""])
def test_a_table_outside_the_warehouse_is_400(send: Callable[..., Any], namespace: str, location: str) -> None:
    answer = send("POST", f"/v1/namespaces/{namespace}/tables", {"name": "t", "schema": SCHEMA, "location": location})

    assert answer.error == (400, "BadRequestException", 400)


def test_a_staged_table_is_not_there_until_it_is_committed(send: Callable[..., Any], namespace: str) -> None:
    tables = f"/v1/namespaces/{namespace}/tables"
    staged = send("POST", tables, {"name": "t", "schema": SCHEMA, "stage-create": True}).document
    absent = send("HEAD", f"{tables}/t").status, send("GET", tables).document["identifiers"]
    metadata = staged["metadata"]
    updates = [
        {"action": "assign-uuid", "uuid": metadata["table-uuid"]},
        {"action": "upgrade-format-version", "format-version": 2},
        {"action": "add-schema", "schema": metadata["schemas"][0]},
        {"action": "set-current-schema", "schema-id": -1},
        {"action": "add-spec", "spec": metadata["partition-specs"][0]},
        {"action": "set-default-spec", "spec-id": -1},
        {"action": "add-sort-order", "sort-order": metadata["sort-orders"][0]},
        {"action": "set-default-sort-order", "sort-order-id": -1},
        {"action": "set-location", "location": metadata["location"]},
    ]
    commit = {"requirements": [{"type": "assert-create"}], "updates": updates}
    first, second = send("POST", f"{tables}/t", commit), send("POST", f"{tables}/t", commit)

    assert (staged.get("metadata-location"), absent) == (None, (404, []))
    assert (first.status, first.document["metadata"]["table-uuid"]) == (200, metadata["table-uuid"])
    assert second.error == (409, "CommitFailedException", 409)
    assert send("GET", f"{tables}/t").document["metadata"] == first.document["metadata"]


@pytest.mark.parametrize("path", ["/v1/namespaces/irc_missing/tables/t", "/v1/namespaces/{namespace}/tables/irc_missing"])
@pytest.mark.parametrize("method", ["GET", "DELETE", "POST"])
def test_a_table_that_is_not_there_is_404(send: Callable[..., Any], namespace: str, method: str, path: str) -> None:
    body = {"requirements": [], "updates": []} if method == "POST" else None

    assert send(method, path.format(namespace=namespace), body).error == (404, "NoSuchTableException", 404)


def test_only_snapshots_of_references_are_loaded_when_asked_for(send: Callable[..., Any], table: str) -> None:
    updates: list[dict[str, Any]] = []
    for number in (1, 2, 3):
        snapshot = {
            "snapshot-id": number,
            "sequence-number": number,
            "timestamp-ms": 1_800_000_000_000 + number,
            "manifest-list": "memory:/m.avro",
            "summary": {"operation": "append"},
            "schema-id": 0,
        }
        updates += [
            {"action": "add-snapshot", "snapshot": snapshot},
            {"action": "set-snapshot-ref", "ref-name": "main", "type": "branch", "snapshot-id": number},
        ]
    updates.append({"action": "set-snapshot-ref", "ref-name": "first", "type": "tag", "snapshot-id": 1})
    send("POST", table, {"requirements": [], "updates": updates})
    whole, refs = send("GET", table).document, send("GET", f"{table}?snapshots=refs").document

    assert [s["snapshot-id"] for s in refs["metadata"].pop("snapshots")] == [1, 3]
    assert [s["snapshot-id"] for s in whole["metadata"].pop("snapshots")] == [1, 2, 3]
    assert refs == whole


def test_a_renamed_table_is_the_same_under_another_name(send: Callable[..., Any], table: str, namespace: str) -> None:
    before = send("GET", table).body
    names = {"source": {"namespace": [namespace], "name": "t"}, "destination": {"namespace": [namespace], "name": "u"}}
    renamed = send("POST", "/v1/tables/rename", names)

    assert (renamed.status, renamed.body) == (204, b"")
    assert send("GET", table.removesuffix("t") + "u").body == before
    assert send("HEAD", table).status == 404


@pytest.mark.parametrize(
    ("source", "destination", "expected"),
    [
        (["{ns}", "irc"], ["{ns}", "u"], (404, "NoSuchTableException", 404)),
        (["irc_missing", "t"], ["{ns}", "u"], (404, "NoSuchTableException", 404)),
        (["{ns}", "t"], ["irc_missing", "u"], (404, "NoSuchNamespaceException", 404)),
        (["{ns}", "t"], ["{ns}", "other"], (409, "AlreadyExistsException", 409)),
        (["{ns}", "t"], ["{ns}", ""], (400, "BadRequestException", 400)),
    ],
)
def test_refused_rename_changes_nothing(
    send: Callable[..., Any], table: str, namespace: str, source: list[str], destination: list[str], expected: tuple[int, str, int]
) -> None:
    send("POST", table.removesuffix("/t"), {"name": "other", "schema": SCHEMA})
    before = send("GET", table).body
    names = {
        side: {"namespace": [levels.format(ns=namespace)], "name": name}
        for side, (levels, name) in (("source", source), ("destination", destination))
    }

    assert send("POST", "/v1/tables/rename", names).error == expected
    assert send("GET", table).body == before


def test_renaming_a_table_to_itself_changes_nothing(send: Callable[..., Any], table: str, namespace: str) -> None:
    name = {"namespace": [namespace], "name": "t"}

    assert send("POST", "/v1/tables/rename", {"source": name, "destination": name}).status == 204
    assert send("HEAD", table).status == 204
