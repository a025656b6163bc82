"""Requests of real clients that are beyond the letter of the contract are accepted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lakepact.reference_server import running

if TYPE_CHECKING:
    from collections.abc import Callable

    Send = Callable[..., Any]

SCHEMA = {
    "type": "struct",
    "fields": [{"id": 1, "name": "id", "type": "long", "required": True}, {"id": 2, "name": "day", "type": "date", "required": False}],
}
BY_DAY = {"source-id": 2, "name": "day", "transform": "identity"}
APPENDED = {
    "snapshot-id": 7,
    "sequence-number": 1,
    "timestamp-ms": 1_800_000_000_000,
    "manifest-list": "memory:/m.avro",
    "summary": {"operation": "append"},
    "schema-id": 0,
}


@pytest.fixture
def tables(namespace: str) -> str:
    """Return the path of the tables in the namespace of the test."""
    return f"/v1/namespaces/{namespace}/tables"


@pytest.fixture
def table(send: Send, tables: str) -> str:
    """Create a table for the test, and return its path."""
    assert send("POST", tables, {"name": "t", "schema": SCHEMA}).status == 200
    return f"{tables}/t"


# -- requests as a whole --------------------------------------------------------------------------------------------------


def test_a_token_that_was_never_configured_is_ignored(send: Send, tables: str) -> None:
    """pyiceberg sends the text of Python's None."""
    created = send("POST", tables, {"name": "t", "schema": SCHEMA}, Authorization="Bearer None")
    loaded = send("GET", f"{tables}/t", Authorization="Bearer None")

    assert (created.status, loaded.body) == (200, created.body)


@pytest.mark.parametrize(("method", "status"), [("GET", 200), ("HEAD", 204), ("DELETE", 204)])
def test_a_request_without_body_may_name_the_type_of_one(send: Send, table: str, method: str, status: int) -> None:
    """pyiceberg and the clients in Java, Go and Rust do so with every request."""
    assert send(method, table, Content_Type="application/json").status == status


def test_an_answer_is_plain_json_whatever_encodings_a_client_knows(send: Send, table: str) -> None:
    """The client in Java asks for lz4 too."""
    answer = send("GET", table, Accept_Encoding="gzip, deflate, lz4-framed, x-gzip")

    assert answer.document == send("GET", table).document
    assert "content-encoding" not in answer.headers


def test_credentials_that_are_asked_for_and_not_given_are_no_error(send: Send, tables: str) -> None:
    """pyiceberg, Go and Sail ask for them with every table."""
    created = send("POST", tables, {"name": "t", "schema": SCHEMA}, X_Iceberg_Access_Delegation="vended-credentials")
    loaded = send("GET", f"{tables}/t", X_Iceberg_Access_Delegation="vended-credentials")

    assert (created.status, loaded.status, loaded.body) == (200, 200, created.body)


# -- paths and parameters -------------------------------------------------------------------------------------------------


def test_needless_percent_encoding_is_decoded(send: Send, namespace: str, table: str) -> None:
    """Sail encodes the underscore."""
    spelled = table.replace("_", "%5F").replace("/t", "/%74")

    assert spelled != table
    assert send("GET", spelled).body == send("GET", table).body
    assert send("GET", f"/v1/namespaces/{namespace.replace('_', '%5F')}").document["namespace"] == [namespace]


@pytest.mark.parametrize("size", ["", "&pageSize=1", "&pageSize=1000"])
def test_an_empty_page_token_asks_for_the_first_page(send: Send, tables: str, size: str) -> None:
    """The client in Java always sends one, with a page size or without."""
    for name in ("a", "b"):
        assert send("POST", tables, {"name": name, "schema": SCHEMA}).status == 200
    names = [identifier["name"] for identifier in send("GET", f"{tables}?pageToken={size}").document["identifiers"]]

    assert names == (["a"] if size == "&pageSize=1" else ["a", "b"])


@pytest.mark.parametrize(("spelled", "kept"), [("False", True), ("True", False)])
def test_booleans_may_be_spelled_as_python_does(tmp_path: Path, sending_to: Callable[[str], Any], spelled: str, *, kept: bool) -> None:
    """pyiceberg spells booleans in Python's way; a misread False would purge the files of the table."""
    with running(warehouse=tmp_path.as_uri()) as server, sending_to(server.url) as send:
        send("POST", "/v1/namespaces", {"namespace": ["ns"]})
        created = send("POST", "/v1/namespaces/ns/tables", {"name": "t", "schema": SCHEMA}).document
        dropped = send("DELETE", f"/v1/namespaces/ns/tables/t?purgeRequested={spelled}").status

        assert dropped == 204
        assert [path.as_uri() for path in tmp_path.rglob("*.json")] == ([created["metadata-location"]] if kept else [])


@pytest.mark.parametrize("spelled", [lambda folder: folder.name, str, Path.as_uri, lambda folder: f"{folder.as_uri()}/"])
def test_the_warehouse_is_known_by_folder_path_or_location(
    tmp_path: Path, sending_to: Callable[[str], Any], spelled: Callable[[Path], str]
) -> None:
    """DuckDB cannot attach a catalog without naming a warehouse."""
    with running(warehouse=tmp_path.as_uri()) as server, sending_to(server.url) as send:
        assert send("GET", f"/v1/config?warehouse={spelled(tmp_path)}").status == 200


@pytest.mark.parametrize("separator", ["%1F", "%2E"])
def test_a_metadata_table_is_looked_up_in_vain(send: Send, table: str, namespace: str, separator: str) -> None:
    """The client in Java loads `t.files` first as the table `files` of a namespace, and expects 404."""
    assert send("GET", f"/v1/namespaces/{namespace}{separator}t/tables/files").error == (404, "NoSuchTableException", 404)


# -- bodies ---------------------------------------------------------------------------------------------------------------


def test_a_namespace_may_have_null_for_properties(send: Send, namespace: str) -> None:
    """The client in Go sends null."""
    answer = send("POST", "/v1/namespaces", {"namespace": [namespace, "child"], "properties": None})

    assert (answer.status, answer.document["namespace"]) == (200, [namespace, "child"])


@pytest.mark.parametrize("member", ["location", "partition-spec", "write-order", "properties"])
def test_a_new_table_may_have_null_for_what_it_leaves_out(send: Send, tables: str, member: str) -> None:
    """The client in Java sends null for location and write order, pyiceberg for the location."""
    staged = {"name": "t", "schema": SCHEMA, "stage-create": True}
    left_out, null = (send("POST", tables, body).document["metadata"] for body in (staged, {**staged, member: None}))
    for metadata in (left_out, null):
        for its_own in ("table-uuid", "last-updated-ms", "location"):
            del metadata[its_own]

    assert null == left_out


def test_a_partition_spec_needs_no_ids(send: Send, tables: str) -> None:
    """The client in Rust leaves `spec-id` and every `field-id` to the server."""
    answer = send("POST", tables, {"name": "t", "schema": SCHEMA, "partition-spec": {"fields": [BY_DAY]}})

    assert answer.document["metadata"]["partition-specs"] == [{"spec-id": 0, "fields": [{**BY_DAY, "field-id": 1000}]}]


def test_a_partition_spec_that_a_commit_adds_needs_no_ids(send: Send, table: str) -> None:
    """The client in Rust leaves them out here too."""
    updates = [{"action": "add-spec", "spec": {"fields": [BY_DAY]}}, {"action": "set-default-spec", "spec-id": -1}]
    metadata = send("POST", table, {"requirements": [], "updates": updates}).document["metadata"]

    assert metadata["default-spec-id"] == 1
    assert metadata["partition-specs"][1] == {"spec-id": 1, "fields": [{**BY_DAY, "field-id": 1000}]}


def test_a_branch_that_must_not_exist_is_asserted_with_null(send: Send, table: str) -> None:
    """All clients send null; the first append is committed, and the second is a conflict."""
    commit = {
        "requirements": [{"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None}],
        "updates": [
            {"action": "add-snapshot", "snapshot": APPENDED},
            {"action": "set-snapshot-ref", "ref-name": "main", "type": "branch", "snapshot-id": 7},
        ],
    }

    assert [send("POST", table, commit).status for _ in range(2)] == [200, 409]


def test_a_commit_may_require_and_remove_nothing(send: Send, table: str) -> None:
    """The client in Rust writes empty lists."""
    before = send("GET", table).body
    answer = send("POST", table, {"requirements": [], "updates": [{"action": "remove-properties", "removals": []}]})

    assert (answer.status, answer.body) == (200, before)


def test_a_registration_may_say_that_it_overwrites_nothing(send: Send, table: str, namespace: str) -> None:
    """The client in Rust always sends overwrite."""
    location = send("GET", table).document["metadata-location"]
    register = f"/v1/namespaces/{namespace}/register"
    answers = [send("POST", register, {"name": name, "metadata-location": location, "overwrite": False}).status for name in ("u", "t")]

    assert answers == [200, 409]


@pytest.mark.parametrize(("there", "status"), [(True, 204), (False, 404)])
def test_existence_is_told_by_a_status_without_body(send: Send, table: str, namespace: str, *, there: bool, status: int) -> None:
    """DuckDB asks before nearly every statement, and creates missing objects."""
    name = "" if there else "x"
    answers = [send("HEAD", path + name) for path in (f"/v1/namespaces/{namespace}", table)]

    assert [(answer.status, answer.body) for answer in answers] == [(status, b"")] * 2
