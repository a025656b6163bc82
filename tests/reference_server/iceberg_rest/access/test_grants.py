"""Principals may do what they were granted; other changes return 403 and change nothing."""

from __future__ import annotations

from typing import Any

import pytest

from lakepact.generated.contract import Contract
from lakepact.reference_server.iceberg_rest.access import unsaid_needs
from sample_tables.table_documents import view_version

from .conftest import SCHEMA, As, guarded

VIEW = {"name": "v", "schema": SCHEMA, "view-version": view_version(), "properties": {}}
COMMIT = {"requirements": [], "updates": [{"action": "set-properties", "updates": {"a": "b"}}]}
CREATION = {
    "requirements": [{"type": "assert-create"}],
    "updates": [{"action": "set-properties", "updates": {"a": "b"}}],
}


def named(namespace: str, name: str) -> dict[str, Any]:
    return {"namespace": [namespace], "name": name}


def change(namespace: str, name: str) -> dict[str, Any]:
    return {"identifier": named(namespace, name), **COMMIT}


#: Requests that change something that a reader sees, in ways that the check of readers does not
#: try.
MUTATIONS: dict[str, tuple[str, str, dict[str, Any] | None]] = {
    "createNamespace, at the top": ("POST", "/v1/namespaces", {"namespace": ["new"]}),
    "createTable, staged": (
        "POST",
        "/v1/namespaces/open/tables",
        {"name": "new", "schema": SCHEMA, "stage-create": True},
    ),
    "updateTable, creating": ("POST", "/v1/namespaces/open/tables/new", CREATION),
    "dropTable, purging": ("DELETE", "/v1/namespaces/open/tables/shown?purgeRequested=true", None),
}


def everything(root: Any) -> list[Any]:
    """Return everything that a principal with full access sees."""
    paths = ["/v1/namespaces", "/v1/namespaces?parent=open", "/v1/namespaces/open"]
    paths += [
        f"/v1/namespaces/open/{kind}"
        for kind in ("tables", "views", "tables/shown", "tables/other")
    ]
    return [(answer.status, answer.document) for answer in (root("GET", path) for path in paths)]


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_changes_by_a_reader_return_403_and_change_nothing(bearing: As, mutation: str) -> None:
    before = everything(bearing("root-token"))
    method, path, body = MUTATIONS[mutation]
    answer = bearing("reader-token")(method, path, body)

    assert answer.error == (403, "NotAuthorizedException")
    assert before == everything(bearing("root-token"))


def test_reader_reads_the_same_as_root(bearing: As) -> None:
    assert everything(bearing("root-token")) == everything(bearing("reader-token"))


def test_transaction_with_a_hidden_table_returns_404_and_changes_nothing(
    bearing: As,
) -> None:
    root, writer = bearing("root-token"), bearing("writer-token")
    before = root("GET", "/v1/namespaces/open/tables/shown").document
    for hidden in ("secret", "nothing"):
        answer = writer(
            "POST",
            "/v1/transactions/commit",
            {"table-changes": [change("open", "shown"), change("closed", hidden)]},
        )

        assert answer.error == (404, "NoSuchTableException")
    assert before == root("GET", "/v1/namespaces/open/tables/shown").document


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/v1/namespaces/open/tables", {"name": "mine", "schema": SCHEMA}, 200),
        ("POST", "/v1/namespaces/open/tables/mine", COMMIT, 200),
        ("POST", "/v1/namespaces/open%1Fchild/tables", {"name": "mine", "schema": SCHEMA}, 200),
        (
            "POST",
            "/v1/tables/rename",
            {"source": named("open", "mine"), "destination": named("open", "yours")},
            204,
        ),
        (
            "POST",
            "/v1/tables/rename",
            {"source": named("open", "yours"), "destination": named("far", "yours")},
            403,
        ),
        (
            "POST",
            "/v1/tables/rename",
            {"source": named("open", "yours"), "destination": named("closed", "yours")},
            404,
        ),
        ("DELETE", "/v1/namespaces/open/tables/yours?purgeRequested=true", None, 403),
        ("DELETE", "/v1/namespaces/open/tables/yours", None, 204),
        ("POST", "/v1/namespaces/open/views", VIEW, 200),
        ("POST", "/v1/namespaces/open/views/v", {"requirements": [], "updates": []}, 200),
        ("DELETE", "/v1/namespaces/open/views/v", None, 204),
        ("POST", "/v1/namespaces", {"namespace": ["open", "new"]}, 403),
        ("POST", "/v1/namespaces/open/properties", {"updates": {"a": "b"}, "removals": []}, 403),
        ("GET", "/v1/namespaces/far", None, 403),
        ("HEAD", "/v1/namespaces/far", None, 204),
        ("GET", "/v1/namespaces/far/tables", None, 403),
        ("POST", "/v1/namespaces/far/tables", {"name": "mine", "schema": SCHEMA}, 403),
        ("GET", "/v1/namespaces/far%1Faway", None, 200),
        ("POST", "/v1/namespaces", {"namespace": ["far", "away", "new"]}, 200),
        ("DELETE", "/v1/namespaces/far%1Faway%1Fnew", None, 204),
        ("GET", "/v1/namespaces/far%1Foff", None, 404),
        ("GET", "/v1/namespaces/open/tables/nothing", None, 404),
        ("POST", "/v1/namespaces/open/tables/nothing", COMMIT, 404),
    ],
)
def test_grants_hold_for_a_namespace_and_all_below_it(
    bearing: As, method: str, path: str, body: dict[str, Any] | None, status: int
) -> None:
    assert bearing("writer-token")(method, path, body).status == status


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/v1/namespaces", {"namespaces": [["far"], ["open"]], "next-page-token": None}),
        ("/v1/namespaces?parent=far", {"namespaces": [["far", "away"]], "next-page-token": None}),
        (
            "/v1/namespaces?parent=open",
            {"namespaces": [["open", "child"]], "next-page-token": None},
        ),
    ],
)
def test_listings_leave_out_what_may_not_be_seen(
    bearing: As, path: str, found: dict[str, Any]
) -> None:
    assert found == bearing("writer-token")("GET", path).document


def test_a_grant_for_one_table_shows_that_and_the_way_there(bearing: As) -> None:
    looker = bearing("looker-token")

    assert looker("GET", "/v1/namespaces").document["namespaces"] == [["open"]]
    assert looker("GET", "/v1/namespaces/open/tables").document["identifiers"] == [
        named("open", "shown")
    ]
    assert looker("GET", "/v1/namespaces/open/tables/shown").status == 200
    assert looker("GET", "/v1/namespaces/open/tables/other").error == (404, "NoSuchTableException")
    assert looker("GET", "/v1/namespaces?parent=open").error == (403, "NotAuthorizedException")
    assert looker("POST", "/v1/namespaces/open/tables/shown", COMMIT).error == (
        403,
        "NotAuthorizedException",
    )
    assert looker("POST", "/v1/namespaces/open/tables/other", COMMIT).error == (
        404,
        "NoSuchTableException",
    )


def test_principal_without_grants_gets_403_and_404(bearing: As) -> None:
    stranger = bearing("stranger-token")

    assert [
        stranger("GET", path).status
        for path in ("/v1/config", "/v1/namespaces", "/v1/namespaces?pageSize=1")
    ] == [403, 403, 403]
    assert [stranger("GET", f"/v1/namespaces/{name}").status for name in ("open", "nothing")] == [
        404,
        404,
    ]


def test_pages_are_full_however_much_is_left_out(tmp_path_factory: pytest.TempPathFactory) -> None:
    grants = "".join(
        f'[[grants]]\nprincipal = "some"\nnamespace = ["n{i:02}"]\naccess = "read"\n'
        for i in range(0, 20, 3)
    )
    text = f'[principals.root]\ntoken = "r"\n[principals.some]\ntoken = "s"\n[[grants]]\nprincipal = "root"\naccess = "admin"\n{grants}'
    with guarded(tmp_path_factory.mktemp("pages"), text) as (_, bearing):
        root, some = bearing("r"), bearing("s")
        for i in range(20):
            root("POST", "/v1/namespaces", {"namespace": [f"n{i:02}"]})
        pages, token = [], ""
        while token is not None:
            page = some("GET", f"/v1/namespaces?pageSize=3&pageToken={token}").document
            pages.append([name for (name,) in page["namespaces"]])
            token = page["next-page-token"]

    assert pages == [["n00", "n03", "n06"], ["n09", "n12", "n15"], ["n18"]]


def test_every_operation_of_every_version_declares_its_needed_access() -> None:
    versions = Contract("iceberg_rest").versions

    assert [
        operation
        for version in versions
        for operation in unsaid_needs(Contract("iceberg_rest", version))
    ] == []
