"""Views over HTTP: names, versions, renaming and replacement."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lakepact.reference_server import running
from lakepact.reference_server.iceberg_rest.identifiers import identifier_key
from lakepact.reference_server.iceberg_rest.views.views import view_written

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA = {"type": "struct", "fields": [{"id": 7, "name": "id", "type": "long", "required": False}]}


def version(sql: str = "SELECT 1 AS id", *dialects: str, **members: Any) -> dict[str, Any]:
    return {
        "version-id": 1,
        "timestamp-ms": 1_700_000_000_000,
        "schema-id": 0,
        "summary": {"engine-name": "spark"},
        "representations": [{"type": "sql", "sql": sql, "dialect": dialect} for dialect in dialects or ("spark",)],
        "default-namespace": ["n"],
        **members,
    }


def request(name: str = "v", **members: Any) -> dict[str, Any]:
    return {"name": name, "schema": SCHEMA, "view-version": version(), "properties": {}, **members}


@pytest.fixture
def views(namespace: str) -> str:
    return f"/v1/namespaces/{namespace}/views"


@pytest.fixture
def view(send: Callable[..., Any], views: str) -> str:
    """Create a view for the test, and return its path."""
    assert send("POST", views, request()).status == 200
    return f"{views}/v"


def replace(send: Callable[..., Any], view: str, *updates: dict[str, Any], **members: Any) -> Any:
    return send("POST", view, {"updates": list(updates), **members})


def new_version(sql: str, *dialects: str, **members: Any) -> list[dict[str, Any]]:
    return [
        {"action": "add-view-version", "view-version": version(sql, *dialects, **members)},
        {"action": "set-current-view-version", "view-version-id": -1},
    ]


def test_a_created_view_loads_as_it_was_answered(send: Callable[..., Any], views: str) -> None:
    created = send("POST", views, request())
    metadata = created.document["metadata"]

    assert send("GET", f"{views}/v").body == created.body
    assert metadata["schemas"] == [{**SCHEMA, "schema-id": 0}]
    assert metadata["versions"] == [version()]
    assert (metadata["format-version"], metadata["current-version-id"]) == (1, 1)
    assert [entry["version-id"] for entry in metadata["version-log"]] == [1]


def test_the_metadata_file_holds_what_is_answered(tmp_path: Path, sending_to: Callable[..., Any]) -> None:
    with running(warehouse=str(tmp_path)) as server, sending_to(server.url) as send:
        send("POST", "/v1/namespaces", {"namespace": ["n"]})
        send("POST", "/v1/namespaces/n/views", request())
        answer = replace(send, "/v1/namespaces/n/views/v", *new_version("SELECT 2 AS id")).document
        text = Path(answer["metadata-location"].removeprefix("file://")).read_text(encoding="utf-8")

    assert json.loads(text) == answer["metadata"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"view-version": version(representations=[])},
        {"view-version": version(representations=[{"type": "ast", "sql": "SELECT 1", "dialect": "spark"}])},
        {"view-version": version("")},
        {"view-version": version(**{"version-id": 2**40})},
        {"schema": {"type": "struct", "fields": [{"id": 1, "name": "id", "type": "number", "required": True}]}},
        {"properties": {"a": 1}},
        {"location": "s3://bucket/v"},
        {"name": ""},
        {"name": ".."},
    ],
)
def test_invalid_view_returns_400(send: Callable[..., Any], views: str, wrong: dict[str, Any]) -> None:
    assert send("POST", views, request(**wrong)).error == (400, "BadRequestException", 400)
    assert send("GET", views).document["identifiers"] == []


def test_duplicate_dialect_returns_400_with_the_message_of_iceberg(send: Callable[..., Any], views: str) -> None:
    refused = send("POST", views, request(**{"view-version": version("SELECT 1", "spark", "Spark")}))

    assert refused.error == (400, "IllegalArgumentException", 400)
    assert refused.document["error"]["message"] == (
        "at /view-version/representations/1/dialect: Invalid view version: Cannot add multiple queries for dialect Spark"
    )
    assert send("GET", views).document["identifiers"] == []


@pytest.mark.parametrize(("first", "second"), [("tables", "views"), ("views", "tables"), ("views", "views")])
def test_tables_and_views_share_their_names(send: Callable[..., Any], namespace: str, first: str, second: str) -> None:
    bodies = {"tables": {"name": "x", "schema": SCHEMA}, "views": request("x")}
    made = send("POST", f"/v1/namespaces/{namespace}/{first}", bodies[first])
    again = send("POST", f"/v1/namespaces/{namespace}/{second}", bodies[second])

    assert (made.status, again.error) == (200, (409, "AlreadyExistsException", 409))
    assert send("GET", f"/v1/namespaces/{namespace}/{first}/x").body == made.body


def test_each_listing_has_its_own_kind(send: Callable[..., Any], table: str, view: str) -> None:
    tables, views = (send("GET", path.rpartition("/")[0]).document["identifiers"] for path in (table, view))

    assert ([i["name"] for i in tables], [i["name"] for i in views]) == (["t"], ["v"])


def test_listings_of_views_are_paged(send: Callable[..., Any], views: str) -> None:
    for name in "abc":
        send("POST", views, request(name))
    first = send("GET", f"{views}?pageSize=2").document
    second = send("GET", f"{views}?pageSize=2&pageToken={first['next-page-token']}").document
    of_tables = send("GET", f"{views.removesuffix('views')}tables?pageToken={first['next-page-token']}")

    assert [[i["name"] for i in page["identifiers"]] for page in (first, second)] == [["a", "b"], ["c"]]
    assert second["next-page-token"] is None
    assert of_tables.status == 400


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "POST"])
def test_a_table_is_no_view(send: Callable[..., Any], table: str, method: str) -> None:
    body = {"updates": []} if method == "POST" else None

    assert send(method, table.replace("/tables/", "/views/"), body).status == 404
    assert send("HEAD", table).status == 204


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "POST"])
def test_a_view_is_no_table(send: Callable[..., Any], view: str, method: str) -> None:
    body = {"requirements": [], "updates": []} if method == "POST" else None

    assert send(method, view.replace("/views/", "/tables/"), body).status == 404
    assert send("HEAD", view).status == 204


@pytest.mark.parametrize("path", ["/v1/namespaces/irc_missing/views/v", "/v1/namespaces/{namespace}/views/irc_missing"])
@pytest.mark.parametrize("method", ["GET", "DELETE", "POST"])
def test_a_view_that_is_not_there_is_404(send: Callable[..., Any], namespace: str, method: str, path: str) -> None:
    body = {"updates": []} if method == "POST" else None

    assert send(method, path.format(namespace=namespace), body).error == (404, "NoSuchViewException", 404)


def test_a_namespace_with_a_view_stays(send: Callable[..., Any], namespace: str, view: str) -> None:
    refused = send("DELETE", f"/v1/namespaces/{namespace}")
    gone = send("DELETE", view)

    assert refused.error == (409, "NamespaceNotEmptyException", 409)
    assert (gone.status, send("DELETE", f"/v1/namespaces/{namespace}").status) == (204, 204)


def test_a_renamed_view_is_the_same_elsewhere(send: Callable[..., Any], namespace: str, view: str) -> None:
    before = send("GET", view).body
    names = [{"namespace": [namespace], "name": name} for name in ("v", "w")]
    renamed = send("POST", "/v1/views/rename", {"source": names[0], "destination": names[1]})

    assert (renamed.status, send("GET", view).status) == (204, 404)
    assert send("GET", view.removesuffix("v") + "w").body == before


@pytest.mark.parametrize(("kind", "source", "target", "error"), [
    ("views", "v", "t", (409, "AlreadyExistsException", 409)),
    ("tables", "t", "v", (409, "AlreadyExistsException", 409)),
    ("views", "t", "x", (404, "NoSuchViewException", 404)),
    ("tables", "v", "x", (404, "NoSuchTableException", 404)),
])  # fmt: skip
def test_renames_keep_tables_and_views_apart(
    send: Callable[..., Any], namespace: str, table: str, view: str, *, kind: str, source: str, target: str, error: tuple[int, str, int]
) -> None:
    body = {side: {"namespace": [namespace], "name": name} for side, name in (("source", source), ("destination", target))}

    assert send("POST", f"/v1/{kind}/rename", body).error == error
    assert [send("HEAD", path).status for path in (table, view)] == [204, 204]


def test_a_replaced_view_keeps_its_versions(send: Callable[..., Any], view: str) -> None:
    before = send("GET", view).document
    other = {"type": "struct", "fields": [{"id": 1, "name": "n", "type": "string", "required": False}]}
    answer = replace(
        send,
        view,
        {"action": "add-schema", "schema": other},
        *new_version("SELECT 'a' AS n", **{"schema-id": -1}),
        requirements=[{"type": "assert-view-uuid", "uuid": before["metadata"]["view-uuid"]}],
    )
    metadata = answer.document["metadata"]

    assert send("GET", view).body == answer.body
    assert [(v["version-id"], v["schema-id"]) for v in metadata["versions"]] == [(1, 0), (2, 1)]
    assert (metadata["current-version-id"], [entry["version-id"] for entry in metadata["version-log"]]) == (2, [1, 2])
    assert answer.document["metadata-location"] != before["metadata-location"]


def test_a_version_that_is_known_is_made_current_again(send: Callable[..., Any], view: str) -> None:
    replace(send, view, *new_version("SELECT 2 AS id"))
    back = replace(send, view, *new_version("SELECT 1 AS id", **{"timestamp-ms": 1_800_000_000_000})).document["metadata"]

    assert (len(back["versions"]), back["current-version-id"]) == (2, 1)
    assert [entry["version-id"] for entry in back["version-log"]] == [1, 2, 1]


def test_a_view_keeps_as_many_versions_as_its_property_says(send: Callable[..., Any], view: str) -> None:
    replace(send, view, {"action": "set-properties", "updates": {"version.history.num-entries": "2"}})
    for number in (2, 3, 4):
        answer = replace(send, view, *new_version(f"SELECT {number} AS id"))
    metadata = answer.document["metadata"]

    assert [v["version-id"] for v in metadata["versions"]] == [3, 4]
    assert [entry["version-id"] for entry in metadata["version-log"]] == [3, 4]


def test_properties_alone_add_no_version(send: Callable[..., Any], view: str) -> None:
    answer = replace(
        send, view, {"action": "set-properties", "updates": {"a": "1", "b": "2"}}, {"action": "remove-properties", "removals": ["b", "c"]}
    )
    metadata = answer.document["metadata"]

    assert (metadata["properties"], len(metadata["versions"]), len(metadata["version-log"])) == ({"a": "1"}, 1, 1)


def test_a_commit_without_updates_changes_nothing(send: Callable[..., Any], view: str) -> None:
    assert replace(send, view, requirements=None).body == send("GET", view).body


@pytest.mark.parametrize(
    "updates",
    [
        [{"action": "set-current-view-version", "view-version-id": 9}],
        [{"action": "set-current-view-version", "view-version-id": -1}],
        [{"action": "add-view-version", "view-version": version("SELECT 2", **{"schema-id": 9})}],
        [{"action": "add-view-version", "view-version": version("SELECT 2", **{"schema-id": -1})}],
        [{"action": "add-spec", "spec": {"fields": []}}],
        [{"action": "upgrade-format-version", "format-version": 2}],
        [{"action": "assign-uuid", "uuid": "5f0c1c1e-0000-4000-8000-000000000000"}],
        [{"action": "set-location", "location": "s3://bucket/v"}],
        [{"action": "no-such-update"}],
        new_version("SELECT 2", "trino"),
    ],
)
def test_invalid_replacement_returns_400_and_keeps_the_view(send: Callable[..., Any], view: str, updates: list[dict[str, Any]]) -> None:
    before = send("GET", view).body
    answer = replace(send, view, {"action": "set-properties", "updates": {"a": "1"}}, *updates)

    assert (answer.error, send("GET", view).body) == ((400, "BadRequestException", 400), before)


def test_a_dialect_may_go_where_a_property_says_so(send: Callable[..., Any], view: str) -> None:
    allowed = {"action": "set-properties", "updates": {"replace.drop-dialect.allowed": "true"}}

    assert replace(send, view, allowed, *new_version("SELECT 2", "trino")).status == 200


@pytest.mark.parametrize(
    ("requirement", "error"),
    [
        ({"type": "assert-view-uuid", "uuid": "5f0c1c1e-0000-4000-8000-000000000000"}, (409, "CommitFailedException", 409)),
        ({"type": "assert-view-uuid"}, (400, "BadRequestException", 400)),
        ({"type": "assert-table-uuid", "uuid": "5f0c1c1e-0000-4000-8000-000000000000"}, (400, "BadRequestException", 400)),
    ],
)
def test_a_requirement_that_does_not_hold_leaves_the_view_alone(
    send: Callable[..., Any], view: str, requirement: dict[str, Any], error: tuple[int, str, int]
) -> None:
    before = send("GET", view).body
    answer = replace(send, view, {"action": "set-properties", "updates": {"a": "1"}}, requirements=[requirement])

    assert (answer.error, send("GET", view).body) == (error, before)


def test_a_purge_spares_what_a_view_holds(tmp_path: Path, sending_to: Callable[..., Any]) -> None:
    with running(warehouse=str(tmp_path)) as server, sending_to(server.url) as send:
        send("POST", "/v1/namespaces", {"namespace": ["n"]})
        table = send("POST", "/v1/namespaces/n/tables", {"name": "t", "schema": SCHEMA}).document
        view = send("POST", "/v1/namespaces/n/views", request(location=f"{tmp_path}/n/view")).document
        catalog = server.service.catalogs[0]
        below = {**view["metadata"], "location": f"{table['metadata']['location']}/view"}
        with catalog.store.begin() as transaction:  # as earlier versions of the server allowed
            transaction.put(identifier_key(("n",), "below"), view_written(catalog.warehouse, below, former=None))
        view = send("GET", "/v1/namespaces/n/views/below").document
        purged = send("DELETE", "/v1/namespaces/n/tables/t?purgeRequested=true").status

        assert (purged, Path(view["metadata-location"].removeprefix("file://")).exists()) == (204, True)


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
    send: Callable[..., Any], namespace: str, view: str, *, method: str, path: str, begins: str
) -> None:
    bodies = {"views": request("v"), "tables": {"name": "v", "schema": SCHEMA}}
    answer = send(method, f"/v1/namespaces/{namespace}/{path}", bodies.get(path))

    assert answer.message.startswith(begins.format(namespace=namespace))
    assert send("HEAD", view).status == 204


def test_rename_to_a_taken_name_reports_the_existing_table(send: Callable[..., Any], namespace: str, table: str, view: str) -> None:
    names = [{"namespace": [namespace], "name": path.rpartition("/")[2]} for path in (view, table)]
    answer = send("POST", "/v1/views/rename", {"source": names[0], "destination": names[1]})

    assert answer.message == f"Cannot rename {namespace}.v to {namespace}.t. Table already exists: {namespace}.t"
