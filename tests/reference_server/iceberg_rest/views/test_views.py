"""Views over HTTP: names, versions, renaming and replacement."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lakepact.reference_server.iceberg_rest.identifiers import identifier_key
from lakepact.reference_server.iceberg_rest.views.views import write_view_metadata
from raw_requests import Sender, serving
from sample_tables.table_documents import view_version

SCHEMA = {"type": "struct", "fields": [{"id": 7, "name": "id", "type": "long", "required": False}]}


def request(name: str = "v", **members: Any) -> dict[str, Any]:
    return {
        "name": name,
        "schema": SCHEMA,
        "view-version": view_version(),
        "properties": {},
        **members,
    }


@pytest.fixture
def views(namespace: str) -> str:
    return f"/v1/namespaces/{namespace}/views"


@pytest.fixture
def view(send: Sender, views: str) -> str:
    """Create a view for the test, and return its path."""
    assert send("POST", views, request()).status == 200
    return f"{views}/v"


def replace(send: Sender, view: str, *updates: dict[str, Any], **members: Any) -> Any:
    return send("POST", view, {"updates": list(updates), **members})


def new_version(sql: str, *dialects: str, **members: Any) -> list[dict[str, Any]]:
    return [
        {"action": "add-view-version", "view-version": view_version(sql, *dialects, **members)},
        {"action": "set-current-view-version", "view-version-id": -1},
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"view-version": view_version("")},
        {"view-version": view_version(version_id=2**40)},
        {
            "schema": {
                "type": "struct",
                "fields": [{"id": 1, "name": "id", "type": "number", "required": True}],
            }
        },
        {"location": "s3://bucket/v"},
        {"name": ""},
        {"name": ".."},
    ],
)
def test_invalid_view_returns_400(send: Sender, views: str, wrong: dict[str, Any]) -> None:
    assert send("POST", views, request(**wrong)).error == (400, "BadRequestException")
    assert send("GET", views).document["identifiers"] == []


def test_view_is_created_without_properties(send: Sender, views: str) -> None:
    created = send("POST", views, {"name": "v", "schema": SCHEMA, "view-version": view_version()})

    assert (created.status, created.document["metadata"]["properties"]) == (200, {})


def test_duplicate_dialect_returns_400_with_the_message_of_iceberg(
    send: Sender, views: str
) -> None:
    refused = send(
        "POST", views, request(**{"view-version": view_version("SELECT 1", "spark", "Spark")})
    )

    assert refused.error == (400, "IllegalArgumentException")
    assert refused.document["error"]["message"] == (
        "at /view-version/representations/1/dialect: Invalid view version: Cannot add multiple queries for dialect Spark"
    )
    assert send("GET", views).document["identifiers"] == []


@pytest.mark.parametrize(
    "updates",
    [
        [{"action": "assign-uuid", "uuid": "5f0c1c1e-0000-4000-8000-000000000000"}],
        [{"action": "set-location", "location": "s3://bucket/v"}],
        [{"action": "no-such-update"}],
        new_version("SELECT 2", "trino"),
    ],
)
def test_invalid_replacement_returns_400_and_keeps_the_view(
    send: Sender, view: str, updates: list[dict[str, Any]]
) -> None:
    before = send("GET", view).body
    answer = replace(send, view, {"action": "set-properties", "updates": {"a": "1"}}, *updates)

    assert (answer.error, send("GET", view).body) == ((400, "BadRequestException"), before)


def test_a_dialect_may_go_where_a_property_says_so(send: Sender, view: str) -> None:
    allowed = {"action": "set-properties", "updates": {"replace.drop-dialect.allowed": "true"}}

    assert replace(send, view, allowed, *new_version("SELECT 2", "trino")).status == 200


def test_a_purge_spares_what_a_view_holds(tmp_path: Path) -> None:
    with serving(warehouse=str(tmp_path)) as send:
        send("POST", "/v1/namespaces", {"namespace": ["n"]})
        table = send("POST", "/v1/namespaces/n/tables", {"name": "t", "schema": SCHEMA}).document
        view = send(
            "POST", "/v1/namespaces/n/views", request(location=f"{tmp_path}/n/view")
        ).document
        catalog = send.server.service.catalogs[0]
        below = {**view["metadata"], "location": f"{table['metadata']['location']}/view"}
        with catalog.store.begin() as transaction:  # as earlier versions of the server allowed
            transaction.put(
                identifier_key(("n",), "below"),
                write_view_metadata(catalog.warehouse, below, former=None),
            )
        view = send("GET", "/v1/namespaces/n/views/below").document
        purged = send("DELETE", "/v1/namespaces/n/tables/t?purgeRequested=true").status

        assert (purged, Path(view["metadata-location"].removeprefix("file://")).exists()) == (
            204,
            True,
        )


@pytest.mark.parametrize(
    ("method", "path", "begins"),
    [
        ("GET", "views/x", "View does not exist: {namespace}.x"),
        ("GET", "tables/v", "Table does not exist: {namespace}.v"),
        ("POST", "views", "View already exists: {namespace}.v"),
        ("POST", "tables", "View with same name already exists: {namespace}.v"),
    ],
)
def test_messages_begin_as_clients_of_iceberg_know_them(
    send: Sender, namespace: str, view: str, *, method: str, path: str, begins: str
) -> None:
    bodies = {"views": request("v"), "tables": {"name": "v", "schema": SCHEMA}}
    answer = send(method, f"/v1/namespaces/{namespace}/{path}", bodies.get(path))

    assert answer.message.startswith(begins.format(namespace=namespace))
    assert send("HEAD", view).status == 204


def test_rename_to_a_taken_name_reports_the_existing_table(
    send: Sender, namespace: str, table: str, view: str
) -> None:
    names = [{"namespace": [namespace], "name": path.rpartition("/")[2]} for path in (view, table)]
    answer = send("POST", "/v1/views/rename", {"source": names[0], "destination": names[1]})

    assert (
        answer.message
        == f"Cannot rename {namespace}.v to {namespace}.t. Table already exists: {namespace}.t"
    )
