"""Requests of real clients that are beyond the letter of the contract are accepted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from raw_requests import Sender, serving

if TYPE_CHECKING:
    from collections.abc import Callable

    Send = Callable[..., Any]

SCHEMA = {
    "type": "struct",
    "fields": [
        {"id": 1, "name": "id", "type": "long", "required": True},
        {"id": 2, "name": "day", "type": "date", "required": False},
    ],
}


@pytest.fixture
def table(send: Sender, tables: str) -> str:
    """Create a table for the test, and return its path."""
    assert send("POST", tables, {"name": "t", "schema": SCHEMA}).status == 200
    return f"{tables}/t"


# -- requests as a whole ---------------------------------------------------------------------------


def test_a_token_that_was_never_configured_is_ignored(send: Sender, tables: str) -> None:
    """pyiceberg sends the text of Python's None."""
    created = send("POST", tables, {"name": "t", "schema": SCHEMA}, Authorization="Bearer None")
    loaded = send("GET", f"{tables}/t", Authorization="Bearer None")

    assert (created.status, loaded.body) == (200, created.body)


@pytest.mark.parametrize(("method", "status"), [("GET", 200), ("HEAD", 204), ("DELETE", 204)])
def test_a_request_without_body_may_name_the_type_of_one(
    send: Sender, table: str, method: str, status: int
) -> None:
    """pyiceberg and the clients in Java, Go and Rust do so with every request."""
    assert send(method, table, Content_Type="application/json").status == status


def test_an_answer_is_plain_json_whatever_encodings_a_client_knows(
    send: Sender, table: str
) -> None:
    """The client in Java asks for lz4 too."""
    answer = send("GET", table, Accept_Encoding="gzip, deflate, lz4-framed, x-gzip")

    assert answer.document == send("GET", table).document
    assert "content-encoding" not in answer.headers


# -- paths and parameters --------------------------------------------------------------------------


@pytest.mark.parametrize(("spelled", "kept"), [("False", True), ("True", False)])
def test_booleans_may_be_spelled_as_python_does(
    tmp_path: Path, spelled: str, *, kept: bool
) -> None:
    """pyiceberg spells booleans in Python's way; a misread False would purge the files of the
    table.
    """
    with serving(warehouse=tmp_path.as_uri()) as send:
        send("POST", "/v1/namespaces", {"namespace": ["ns"]})
        created = send("POST", "/v1/namespaces/ns/tables", {"name": "t", "schema": SCHEMA}).document
        dropped = send("DELETE", f"/v1/namespaces/ns/tables/t?purgeRequested={spelled}").status

        assert dropped == 204
        assert [path.as_uri() for path in tmp_path.rglob("*.json")] == (
            [created["metadata-location"]] if kept else []
        )


@pytest.mark.parametrize(
    "spelled", [lambda folder: folder.name, str, Path.as_uri, lambda folder: f"{folder.as_uri()}/"]
)
def test_the_warehouse_is_known_by_folder_path_or_location(
    tmp_path: Path, spelled: Callable[[Path], str]
) -> None:
    """DuckDB cannot attach a catalog without naming a warehouse."""
    with serving(warehouse=tmp_path.as_uri()) as send:
        assert send("GET", f"/v1/config?warehouse={spelled(tmp_path)}").status == 200


@pytest.mark.parametrize("separator", ["%1F", "%2E"])
def test_a_metadata_table_is_looked_up_in_vain(
    send: Sender, table: str, namespace: str, separator: str
) -> None:
    """The client in Java loads `t.files` first as the table `files` of a namespace, and expects
    404.
    """
    assert send("GET", f"/v1/namespaces/{namespace}{separator}t/tables/files").error == (
        404,
        "NoSuchTableException",
    )


# -- bodies ----------------------------------------------------------------------------------------


def test_a_namespace_may_have_null_for_properties(send: Sender, namespace: str) -> None:
    """The client in Go sends null."""
    answer = send("POST", "/v1/namespaces", {"namespace": [namespace, "child"], "properties": None})

    assert (answer.status, answer.document["namespace"]) == (200, [namespace, "child"])


@pytest.mark.parametrize("member", ["location", "partition-spec", "write-order", "properties"])
def test_a_new_table_may_have_null_for_what_it_leaves_out(
    send: Sender, tables: str, member: str
) -> None:
    """The client in Java sends null for location and write order, pyiceberg for the location."""
    staged = {"name": "t", "schema": SCHEMA, "stage-create": True}
    left_out, null = (
        send("POST", tables, body).document["metadata"]
        for body in (staged, {**staged, member: None})
    )
    for metadata in (left_out, null):
        for its_own in ("table-uuid", "last-updated-ms", "location"):
            del metadata[its_own]

    assert null == left_out
