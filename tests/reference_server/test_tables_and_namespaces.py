"""The catalog's own rules at the wire: what the contract says of namespaces, tables and commits, one promise each."""

from __future__ import annotations

import json
import threading
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lakepact.generated.contract import Contract
from lakepact.reference_server import Server, running
from lakepact.reference_server.iceberg_rest import NOT_OFFERED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "id", "type": "long", "required": True}]}
MISSING = "2cc52516-5e73-41f2-b139-545d41a4e151"


@pytest.fixture
def table(send: Callable[..., Any], namespace: str) -> str:
    """The path of a table of the test's own."""
    assert send("POST", f"/v1/namespaces/{namespace}/tables", {"name": "t", "schema": SCHEMA}).status == 200
    return f"/v1/namespaces/{namespace}/tables/t"


@pytest.fixture(scope="module")
def files() -> Iterator[Server]:
    """A server whose tables are files."""
    with running() as server:
        yield server


@pytest.fixture
def write(files: Server, sending_to: Callable[[str], Any]) -> Iterator[Callable[..., Any]]:
    """Requests to that server, below the namespace `ns` of the test's own."""
    with sending_to(files.url) as send:
        name = f"ns_{uuid.uuid4().hex}"
        created = send("POST", "/v1/namespaces", {"namespace": [name]})
        assert created.status == 200
        yield lambda method, path, *rest, **headers: send(method, path.replace("/ns", f"/{name}", 1), *rest, **headers)


def path_of(location: str) -> Path:
    return Path(location.removeprefix("file://"))


def test_the_endpoints_are_those_that_are_served_as_the_contract_spells_them(send: Callable[..., Any]) -> None:
    operations = Contract("iceberg_rest").operations.values()

    assert send("GET", "/v1/config").document == {
        "defaults": {},
        "overrides": {},
        "endpoints": [f"{o.method.upper()} {o.path}" for o in operations if o.id not in NOT_OFFERED],
    }


@pytest.mark.parametrize("warehouse", ["", "memory%3A", "memory:"])
def test_the_warehouse_is_known_by_its_location(send: Callable[..., Any], warehouse: str) -> None:
    assert send("GET", f"/v1/config?warehouse={warehouse}").status == 200


def test_another_warehouse_is_400(send: Callable[..., Any]) -> None:
    assert send("GET", "/v1/config?warehouse=s3%3A%2F%2Fbucket").error == (400, "BadRequestException", 400)


def test_a_namespace_needs_its_parent(send: Callable[..., Any]) -> None:
    assert send("POST", "/v1/namespaces", {"namespace": ["irc_missing", "child"]}).error == (404, "NoSuchNamespaceException", 404)


@pytest.mark.parametrize("levels", [[], [""], ["a", ""], ["a\x1fb"], ["."], [".."], ["x" * 1001]])
def test_a_namespace_that_no_path_can_name_is_400(send: Callable[..., Any], levels: list[str]) -> None:
    assert send("POST", "/v1/namespaces", {"namespace": levels}).error == (400, "BadRequestException", 400)


def test_a_namespace_is_made_once_and_keeps_its_first_properties(send: Callable[..., Any], namespace: str) -> None:
    send("POST", f"/v1/namespaces/{namespace}/properties", {"updates": {"owner": "a"}})
    again = send("POST", "/v1/namespaces", {"namespace": [namespace], "properties": {"owner": "b"}})

    assert again.error == (409, "AlreadyExistsException", 409)
    assert send("GET", f"/v1/namespaces/{namespace}").document["properties"]["owner"] == "a"


def test_only_direct_children_are_listed(send: Callable[..., Any], namespace: str) -> None:
    for levels in ([namespace, "b"], [namespace, "b", "c"], [namespace + "b"], [namespace + "b", "d"]):
        send("POST", "/v1/namespaces", {"namespace": levels})

    assert send("GET", f"/v1/namespaces?parent={namespace}").document["namespaces"] == [[namespace, "b"]]
    assert send("GET", f"/v1/namespaces?parent={namespace}%1Fb").document["namespaces"] == [[namespace, "b", "c"]]
    assert send("GET", f"/v1/namespaces?parent={namespace}%1Fb%1Fc").document["namespaces"] == []


def test_pages_of_children_and_of_tables_end(send: Callable[..., Any], namespace: str) -> None:
    for name in ("a", "b", "c"):
        send("POST", "/v1/namespaces", {"namespace": [namespace, name]})
        send("POST", f"/v1/namespaces/{namespace}/tables", {"name": name, "schema": SCHEMA})
    found: dict[str, list[Any]] = {"namespaces": [], "identifiers": []}
    for member, path in (("namespaces", f"/v1/namespaces?parent={namespace}&"), ("identifiers", f"/v1/namespaces/{namespace}/tables?")):
        token: str | None = ""
        while token is not None:
            page = send("GET", f"{path}pageSize=2&pageToken={token}").document
            found[member].append(len(page[member]))
            token = page["next-page-token"]

    assert found == {"namespaces": [2, 1], "identifiers": [2, 1]}


def test_a_token_of_one_listing_is_400_in_another(send: Callable[..., Any], namespace: str) -> None:
    for name in ("a", "b"):
        send("POST", "/v1/namespaces", {"namespace": [namespace, name]})
    token = send("GET", f"/v1/namespaces?parent={namespace}&pageSize=1").document["next-page-token"]

    assert send("GET", f"/v1/namespaces?pageToken={token}").status == 400
    assert send("GET", f"/v1/namespaces/{namespace}/tables?pageToken={token}").status == 400


@pytest.mark.parametrize("holds", ["table", "namespace"])
def test_a_namespace_that_holds_something_stays(send: Callable[..., Any], namespace: str, holds: str) -> None:
    if holds == "table":
        send("POST", f"/v1/namespaces/{namespace}/tables", {"name": "t", "schema": SCHEMA})
    else:
        send("POST", "/v1/namespaces", {"namespace": [namespace, "child"]})

    assert send("DELETE", f"/v1/namespaces/{namespace}").error == (409, "NamespaceNotEmptyException", 409)
    assert send("HEAD", f"/v1/namespaces/{namespace}").status == 204


def test_properties_are_set_and_removed_and_said_to_be(send: Callable[..., Any], namespace: str) -> None:
    send("POST", f"/v1/namespaces/{namespace}/properties", {"updates": {"a": "1", "b": "2", "c": "3"}})
    answer = send("POST", f"/v1/namespaces/{namespace}/properties", {"updates": {"a": "9"}, "removals": ["b", "nope"]})
    properties = send("GET", f"/v1/namespaces/{namespace}").document["properties"]

    assert answer.document == {"updated": ["a"], "removed": ["b"], "missing": ["nope"]}
    assert {key: properties.get(key) for key in "abc"} == {"a": "9", "b": None, "c": "3"}


def test_an_empty_property_can_be_removed(send: Callable[..., Any], namespace: str) -> None:
    send("POST", f"/v1/namespaces/{namespace}/properties", {"updates": {"a": ""}})

    assert send("POST", f"/v1/namespaces/{namespace}/properties", {"removals": ["a"]}).document["removed"] == ["a"]


def test_a_property_is_not_set_and_removed_at_once(send: Callable[..., Any], namespace: str) -> None:
    before = send("GET", f"/v1/namespaces/{namespace}").body
    answer = send("POST", f"/v1/namespaces/{namespace}/properties", {"updates": {"a": "1", "b": "2"}, "removals": ["a"]})

    assert answer.error == (422, "UnprocessableEntityException", 422)
    assert send("GET", f"/v1/namespaces/{namespace}").body == before


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


def test_a_table_does_not_leave_the_warehouse_by_a_commit(send: Callable[..., Any], table: str) -> None:
    before = send("GET", table).body
    answer = send("POST", table, {"requirements": [], "updates": [{"action": "set-location", "location": "file:///etc"}]})

    assert answer.error == (400, "BadRequestException", 400)
    assert send("GET", table).body == before


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


def test_a_commit_that_changes_nothing_writes_nothing(send: Callable[..., Any], table: str) -> None:
    assert send("POST", table, {"requirements": [], "updates": []}).body == send("GET", table).body


def test_a_commit_for_another_table_is_400(send: Callable[..., Any], table: str) -> None:
    body = {"identifier": {"namespace": ["other"], "name": "t"}, "requirements": [], "updates": []}

    assert send("POST", table, body).error == (400, "BadRequestException", 400)


@pytest.mark.parametrize("path", ["/v1/namespaces/irc_missing/tables/t", "/v1/namespaces/{namespace}/tables/irc_missing"])
@pytest.mark.parametrize("method", ["GET", "DELETE", "POST"])
def test_a_table_that_is_not_there_is_404(send: Callable[..., Any], namespace: str, method: str, path: str) -> None:
    body = {"requirements": [], "updates": []} if method == "POST" else None

    assert send(method, path.format(namespace=namespace), body).error == (404, "NoSuchTableException", 404)


def test_of_sixteen_commits_on_one_state_one_wins(
    server: Server, sending_to: Callable[[str], Any], table: str, send: Callable[..., Any]
) -> None:
    statuses: list[int] = []

    def commit(number: int) -> None:
        reference = {"ref-name": "main", "type": "branch", "snapshot-id": number}
        snapshot = {
            "snapshot-id": number,
            "sequence-number": 1,
            "timestamp-ms": 1_800_000_000_000,
            "manifest-list": "memory:/m.avro",
            "summary": {"operation": "append"},
            "schema-id": 0,
        }
        body = {
            "requirements": [{"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None}],
            "updates": [{"action": "add-snapshot", "snapshot": snapshot}, {"action": "set-snapshot-ref", **reference}],
        }
        with sending_to(server.url) as mine:
            statuses.append(mine("POST", table, body).status)

    threads = [threading.Thread(target=commit, args=[number]) for number in range(1, 17)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(statuses) == [200] + [409] * 15
    assert len(send("GET", table).document["metadata"]["snapshots"]) == 1


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
def test_a_rename_that_cannot_be_changes_nothing(
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


def test_the_metadata_file_of_a_commit_is_there_when_it_is_acknowledged(write: Callable[..., Any]) -> None:
    created = write("POST", "/v1/namespaces/ns/tables", {"name": "t", "schema": SCHEMA}).document
    update = {"requirements": [], "updates": [{"action": "set-properties", "updates": {"a": "b"}}]}
    committed = write("POST", "/v1/namespaces/ns/tables/t", update).document
    logged = [entry["metadata-file"] for entry in committed["metadata"]["metadata-log"]]

    assert json.loads(path_of(committed["metadata-location"]).read_bytes()) == committed["metadata"]
    assert logged == [created["metadata-location"]]
    assert path_of(committed["metadata-location"]).name.startswith("00001-")


def test_the_folders_of_a_staged_table_are_there(write: Callable[..., Any]) -> None:
    staged = write("POST", "/v1/namespaces/ns/tables", {"name": "t", "schema": SCHEMA, "stage-create": True}).document

    assert (path_of(staged["metadata"]["location"]) / "metadata").is_dir()


@pytest.mark.parametrize(("query", "there"), [("", True), ("?purgeRequested=false", True), ("?purgeRequested=True", False)])
def test_files_go_only_when_a_purge_is_asked_for(write: Callable[..., Any], query: str, *, there: bool) -> None:
    created = write("POST", "/v1/namespaces/ns/tables", {"name": "t", "schema": SCHEMA}).document
    write("DELETE", f"/v1/namespaces/ns/tables/t{query}")

    assert path_of(created["metadata-location"]).exists() == there


def test_a_purge_leaves_files_that_another_table_has(write: Callable[..., Any]) -> None:
    created = write("POST", "/v1/namespaces/ns/tables", {"name": "t", "schema": SCHEMA}).document
    write("POST", "/v1/namespaces/ns/register", {"name": "twin", "metadata-location": created["metadata-location"]})
    write("DELETE", "/v1/namespaces/ns/tables/t?purgeRequested=true")

    assert path_of(created["metadata-location"]).exists()


def test_a_dropped_table_can_be_registered_again(write: Callable[..., Any]) -> None:
    created = write("POST", "/v1/namespaces/ns/tables", {"name": "t", "schema": SCHEMA})
    write("DELETE", "/v1/namespaces/ns/tables/t")
    body = {"name": "again", "metadata-location": created.document["metadata-location"]}

    assert write("POST", "/v1/namespaces/ns/register", body).document == created.document


def test_a_registration_replaces_a_table_only_when_told_to(write: Callable[..., Any]) -> None:
    first = write("POST", "/v1/namespaces/ns/tables", {"name": "t", "schema": SCHEMA}).document
    second = write("POST", "/v1/namespaces/ns/tables", {"name": "u", "schema": SCHEMA}).document
    body = {"name": "t", "metadata-location": second["metadata-location"]}

    assert write("POST", "/v1/namespaces/ns/register", body).error == (409, "AlreadyExistsException", 409)
    assert write("GET", "/v1/namespaces/ns/tables/t").document == first
    assert write("POST", "/v1/namespaces/ns/register", {**body, "overwrite": True}).document == second


@pytest.mark.parametrize(
    "content", [None, b"", b"{}", b"not json", b'{"format-version": 2}', b'{"format-version":2,"table-uuid":"x","a":1,"a":2}']
)
def test_what_is_not_table_metadata_is_not_registered(write: Callable[..., Any], content: bytes | None) -> None:
    created = write("POST", "/v1/namespaces/ns/tables", {"name": "t", "schema": SCHEMA}).document
    location = created["metadata-location"].replace("00000-", "99999-")
    if content is not None:
        path_of(location).write_bytes(content)

    assert write("POST", "/v1/namespaces/ns/register", {"name": "new", "metadata-location": location}).error == (
        400,
        "BadRequestException",
        400,
    )
    assert write("HEAD", "/v1/namespaces/ns/tables/new").status == 404


@pytest.mark.parametrize("location", ["file:///etc/passwd", "s3://bucket/m.json", "{root}/../../../etc/passwd", "http://127.0.0.1/", "x"])
def test_nothing_is_registered_from_outside_the_warehouse(write: Callable[..., Any], location: str) -> None:
    created = write("POST", "/v1/namespaces/ns/tables", {"name": "t", "schema": SCHEMA}).document
    body = {"name": "new", "metadata-location": location.format(root=created["metadata"]["location"])}
    answer = write("POST", "/v1/namespaces/ns/register", body)

    assert answer.error == (400, "BadRequestException", 400)
    assert "root:" not in answer.message


def test_metadata_that_says_it_lives_elsewhere_is_not_registered(write: Callable[..., Any]) -> None:
    created = write("POST", "/v1/namespaces/ns/tables", {"name": "t", "schema": SCHEMA}).document
    location = created["metadata-location"].replace("00000-", "99999-")
    path_of(location).write_text(json.dumps({**created["metadata"], "location": "file:///etc"}))

    assert write("POST", "/v1/namespaces/ns/register", {"name": "new", "metadata-location": location}).error == (
        400,
        "BadRequestException",
        400,
    )
