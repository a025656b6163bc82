"""The catalog asks what the contract says, where the server serves it, and gives back what the contract says."""

from __future__ import annotations

import json

import httpx
import pytest

from driving import KINDS, Desk, Driven
from lakepact.client import errors
from lakepact.client.retries import NO_RETRIES

ENDPOINTS = [
    "GET /v1/{prefix}/namespaces",
    "POST /v1/{prefix}/namespaces",
    "GET /v1/{prefix}/namespaces/{namespace}",
    "HEAD /v1/{prefix}/namespaces/{namespace}",
    "DELETE /v1/{prefix}/namespaces/{namespace}",
    "POST /v1/{prefix}/namespaces/{namespace}/properties",
    "GET /v1/{prefix}/namespaces/{namespace}/tables",
    "POST /v1/{prefix}/namespaces/{namespace}/tables",
    "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}",
    "HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}",
    "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}",
    "DELETE /v1/{prefix}/namespaces/{namespace}/tables/{table}",
    "POST /v1/{prefix}/namespaces/{namespace}/register",
    "POST /v1/{prefix}/tables/rename",
]
CONFIG = {"defaults": {}, "overrides": {}, "endpoints": ENDPOINTS}
METADATA = {"format-version": 2, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1"}
TABLE = {"metadata-location": "file:///w/t.json", "metadata": METADATA}
SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "x", "type": "long", "required": False}]}


@pytest.fixture(params=KINDS)
def catalog(request):
    """Opens a catalog at a desk."""
    opened = []

    def open_catalog(answers, *, config=CONFIG, **options):
        desk = Desk({"GET /base/v1/config": config, **answers})
        driven = Driven(KINDS[request.param], "http://irc.test/base/", carrier=desk.carrier, retries=NO_RETRIES, **options)
        opened.append(driven)
        return driven, desk

    yield open_catalog
    for driven in opened:
        driven.__exit__()


def refusal(status, kind, message="no"):
    return httpx.Response(status, json={"error": {"message": message, "type": kind, "code": status}})


# Configuration


def test_nothing_is_asked_before_the_first_call(catalog):
    _, desk = catalog({})

    assert desk.requests == []


def test_the_configuration_is_fetched_once_with_the_warehouse(catalog):
    driven, desk = catalog({"GET /base/v1/namespaces": {"namespaces": []}}, warehouse="s3://b/w é")

    driven.list_namespaces()
    driven.list_namespaces()

    assert [request.url.raw_path.decode() for request in desk.requests] == [
        "/base/v1/config?warehouse=s3%3A%2F%2Fb%2Fw+%C3%A9",
        "/base/v1/namespaces?pageToken=",
        "/base/v1/namespaces?pageToken=",
    ]


def test_overrides_go_over_the_callers_properties_and_those_over_defaults(catalog):
    config = {"defaults": {"a": "server", "b": "server", "c": "server"}, "overrides": {"c": "override"}}
    driven, _ = catalog({}, config=config, properties={"b": "caller", "c": "caller"})

    assert driven.properties() == {"a": "server", "b": "caller", "c": "override"}


@pytest.mark.parametrize(
    ("prefix", "path"),
    [
        (None, "/base/v1/namespaces/n"),
        ("", "/base/v1/namespaces/n"),
        ("ws", "/base/v1/ws/namespaces/n"),
        ("a/b", "/base/v1/a/b/namespaces/n"),
        ("a%2Fb", "/base/v1/a%2Fb/namespaces/n"),
        ("two words", "/base/v1/two%20words/namespaces/n"),
    ],
)
def test_the_prefix_is_put_in_as_the_server_wrote_it_or_left_out(catalog, prefix, path):
    config = {"defaults": {}, "overrides": {} if prefix is None else {"prefix": prefix}}
    driven, desk = catalog({f"GET {path}": {"namespace": ["n"]}}, config=config)

    driven.load_namespace("n")

    assert desk.asked == [f"GET {path}"]


def test_a_namespace_that_is_called_like_the_placeholder_of_the_prefix_is_itself(catalog):
    path = "/base/v1/ws/namespaces/%7Bprefix%7D"
    driven, desk = catalog({f"GET {path}": {"namespace": ["{prefix}"]}}, config={"defaults": {"prefix": "ws"}, "overrides": {}})

    driven.load_namespace("{prefix}")

    assert desk.asked == [f"GET {path}"]


def test_what_the_server_does_not_list_is_not_asked(catalog):
    driven, desk = catalog({}, config={**CONFIG, "endpoints": ["GET /v1/{prefix}/namespaces"]})

    with pytest.raises(errors.OperationNotSupported) as caught:
        driven.create_namespace("n")

    assert (caught.value.operation, caught.value.status, caught.value.tries) == ("createNamespace", None, 0)
    assert desk.asked == []


@pytest.mark.parametrize("endpoints", [{}, {"endpoints": []}], ids=["absent", "empty"])
def test_a_server_that_lists_nothing_offers_the_fourteen_default_operations(catalog, endpoints):
    driven, _ = catalog({}, config={"defaults": {}, "overrides": {}, **endpoints})

    assert driven.offers("commitTransaction")
    assert not driven.offers("tableExists")
    assert len(driven._settings().offered) == 14


def test_an_endpoint_that_the_client_does_not_know_is_passed_over(catalog):
    driven, _ = catalog({}, config={**CONFIG, "endpoints": ["GET /v1/{prefix}/functions", "GET /v1/{prefix}/namespaces"]})

    assert driven.offers("listNamespaces")


# Namespaces


def test_namespaces_are_listed_page_by_page(catalog):
    pages = {"": {"namespaces": [["a"], ["b", "c"]], "next-page-token": "p=2&"}, "p=2&": {"namespaces": [["d.e"]], "next-page-token": None}}
    driven, desk = catalog({"GET /base/v1/namespaces": lambda request: pages[request.url.params["pageToken"]]})

    assert driven.list_namespaces(("x", "y"), page_size=2) == [("a",), ("b", "c"), ("d.e",)]
    assert [dict(request.url.params) for request in desk.requests[1:]] == [
        {"pageToken": "", "pageSize": "2", "parent": "x\x1fy"},
        {"pageToken": "p=2&", "pageSize": "2", "parent": "x\x1fy"},
    ]


def test_a_listing_that_leads_back_to_a_page_ends_with_an_error(catalog):
    driven, desk = catalog({"GET /base/v1/namespaces": {"namespaces": [["a"]], "next-page-token": "again"}})

    with pytest.raises(errors.BadReply, match="leads back"):
        driven.list_namespaces()

    assert len(desk.asked) == 2


def test_the_children_of_a_missing_namespace_are_an_error(catalog):
    driven, _ = catalog({"GET /base/v1/namespaces": refusal(404, "NoSuchNamespaceException")})

    with pytest.raises(errors.NoSuchNamespace):
        driven.list_namespaces("gone")


def test_a_namespace_is_created_with_its_levels_and_properties(catalog):
    driven, desk = catalog({"POST /base/v1/namespaces": {"namespace": ["a.b", "c"], "properties": {"k": "v", "new": "1"}}})

    created = driven.create_namespace(("a.b", "c"), {"k": "v"})

    assert json.loads(desk.requests[-1].content) == {"namespace": ["a.b", "c"], "properties": {"k": "v"}}
    assert desk.requests[-1].headers["Content-Type"] == "application/json"
    assert (created.namespace, created.properties) == (["a.b", "c"], {"k": "v", "new": "1"})


def test_what_is_left_out_is_absent_from_the_body(catalog):
    driven, desk = catalog({"POST /base/v1/namespaces": {"namespace": ["a"]}})

    driven.create_namespace("a")

    assert json.loads(desk.requests[-1].content) == {"namespace": ["a"]}


@pytest.mark.parametrize(("status", "expected"), [(204, True), (404, False)])
def test_existence_is_asked_with_head(catalog, status, expected):
    driven, desk = catalog({"HEAD /base/v1/namespaces/n/tables/t": httpx.Response(status)})

    assert driven.table_exists("n", "t") is expected
    assert desk.asked == ["HEAD /base/v1/namespaces/n/tables/t"]


@pytest.mark.parametrize(("answer", "expected"), [({"namespace": ["n"]}, True), (refusal(404, "NoSuchNamespaceException"), False)])
def test_existence_is_asked_by_loading_where_head_is_not_offered(catalog, answer, expected):
    driven, desk = catalog({"GET /base/v1/namespaces/n": answer}, config={"defaults": {}, "overrides": {}})

    assert driven.namespace_exists("n") is expected
    assert desk.asked == ["GET /base/v1/namespaces/n"]


def test_whether_something_exists_is_not_answered_where_that_cannot_be_known(catalog):
    driven, _ = catalog({"HEAD /base/v1/namespaces/n": httpx.Response(403)})

    with pytest.raises(errors.Forbidden):
        driven.namespace_exists("n")


def test_properties_are_set_and_removed(catalog):
    driven, desk = catalog({"POST /base/v1/namespaces/n/properties": {"updated": ["a"], "removed": ["b"], "missing": None}})

    answer = driven.update_namespace_properties("n", updates={"a": "1"}, removals=["b"])

    assert json.loads(desk.requests[-1].content) == {"updates": {"a": "1"}, "removals": ["b"]}
    assert (answer.updated, answer.removed, answer.missing) == (["a"], ["b"], None)


def test_a_namespace_that_holds_something_is_not_dropped(catalog):
    driven, _ = catalog({"DELETE /base/v1/namespaces/n": refusal(409, "NamespaceNotEmptyException")})

    with pytest.raises(errors.NotEmpty):
        driven.drop_namespace("n")


# Tables


def test_tables_are_listed_page_by_page(catalog):
    pages = {
        "": {"identifiers": [{"namespace": ["n"], "name": "t/1"}], "next-page-token": "2"},
        "2": {"identifiers": [{"namespace": ["n"], "name": "t 2"}]},
    }
    driven, _ = catalog({"GET /base/v1/namespaces/n/tables": lambda request: pages[request.url.params["pageToken"]]})

    assert [(table.namespace, table.name) for table in driven.list_tables("n")] == [(["n"], "t/1"), (["n"], "t 2")]


@pytest.mark.parametrize(("method", "staged"), [("create_table", False), ("stage_table", True)])
def test_a_table_is_created_or_staged_with_what_is_given(catalog, method, staged):
    driven, desk = catalog({"POST /base/v1/namespaces/n/tables": lambda _: httpx.Response(200, json=TABLE)})

    created = getattr(driven, method)("n", "t", SCHEMA, location="file:///w", access_delegation="vended-credentials")

    assert json.loads(desk.requests[-1].content) == {"name": "t", "schema": SCHEMA, "location": "file:///w", "stage-create": staged}
    assert desk.requests[-1].headers["X-Iceberg-Access-Delegation"] == "vended-credentials"
    assert created.metadata.table_uuid == METADATA["table-uuid"]


def test_a_table_is_registered(catalog):
    driven, desk = catalog({"POST /base/v1/namespaces/n/register": TABLE})

    driven.register_table("n", "t", "file:///w/t.json")
    driven.register_table("n", "t", "file:///w/t.json", overwrite=True)

    assert [json.loads(request.content) for request in desk.requests[1:]] == [
        {"name": "t", "metadata-location": "file:///w/t.json"},
        {"name": "t", "metadata-location": "file:///w/t.json", "overwrite": True},
    ]


def test_a_table_is_loaded_with_the_snapshots_that_are_asked_for(catalog):
    driven, desk = catalog({"GET /base/v1/namespaces/a%1Fb%2Fc/tables/t%25": TABLE})

    driven.load_table(("a", "b/c"), "t%", snapshots="refs")

    assert desk.requests[-1].url.raw_path == b"/base/v1/namespaces/a%1Fb%2Fc/tables/t%25?snapshots=refs"


def test_a_missing_table_and_a_missing_namespace_are_told_apart(catalog):
    answers = {
        "GET /base/v1/namespaces/n/tables/t": refusal(404, "NoSuchTableException"),
        "GET /base/v1/namespaces/o/tables/t": refusal(404, "NoSuchNamespaceException"),
    }
    driven, _ = catalog(answers)

    with pytest.raises(errors.NoSuchTable):
        driven.load_table("n", "t")
    with pytest.raises(errors.NoSuchNamespace):
        driven.load_table("o", "t")


def test_a_commit_sends_its_updates_and_requirements_as_they_are_given(catalog):
    updates = [{"action": "set-properties", "updates": {"a": "1"}}, {"action": "remove-properties", "removals": ["b"]}]
    requirements = [{"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None}]
    driven, desk = catalog({"POST /base/v1/namespaces/n/tables/t": TABLE})

    driven.commit_table("n", "t", updates, requirements=requirements)

    assert json.loads(desk.requests[-1].content) == {
        "identifier": {"namespace": ["n"], "name": "t"},
        "requirements": requirements,
        "updates": updates,
    }


def test_a_commit_that_came_too_late_is_rejected(catalog):
    driven, _ = catalog({"POST /base/v1/namespaces/n/tables/t": refusal(409, "CommitFailedException", "branch main has changed")})

    with pytest.raises(errors.CommitRejected, match="branch main has changed"):
        driven.commit_table("n", "t", [])


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_commit_whose_outcome_is_unknown_says_so(catalog, status):
    driven, desk = catalog({"POST /base/v1/namespaces/n/tables/t": refusal(status, "CommitStateUnknownException")})

    with pytest.raises(errors.OutcomeUnknown):
        driven.commit_table("n", "t", [])

    assert len(desk.asked) == 1


@pytest.mark.parametrize(("purge", "query"), [(False, "purgeRequested=false"), (True, "purgeRequested=true")])
def test_a_table_is_dropped_with_or_without_its_files(catalog, purge, query):
    driven, desk = catalog({"DELETE /base/v1/namespaces/n/tables/t": httpx.Response(204)})

    driven.drop_table("n", "t", purge=purge)

    assert desk.requests[-1].url.query.decode() == query


def test_a_table_is_renamed(catalog):
    driven, desk = catalog({"POST /base/v1/tables/rename": httpx.Response(204)})

    driven.rename_table(("n", "t"), (("a", "b"), "u"))

    assert json.loads(desk.requests[-1].content) == {
        "source": {"namespace": ["n"], "name": "t"},
        "destination": {"namespace": ["a", "b"], "name": "u"},
    }


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (refusal(406, "UnsupportedOperationException"), errors.OperationNotSupported),
        (httpx.Response(406, json={"message": "no", "type": "UnsupportedOperationException", "code": 406}), errors.OperationNotSupported),
        (refusal(409, "AlreadyExistsException"), errors.AlreadyExists),
        (refusal(404, "NoSuchTableException"), errors.NoSuchTable),
        (refusal(404, "NoSuchNamespaceException"), errors.NoSuchNamespace),
        (refusal(401, "NotAuthorizedException"), errors.NotAuthenticated),
        (refusal(403, "NotAuthorizedException"), errors.Forbidden),
        (refusal(419, "AuthenticationTimeoutException"), errors.NotAuthenticated),
    ],
)
def test_a_refusal_becomes_the_error_of_its_cause(catalog, answer, expected):
    driven, _ = catalog({"POST /base/v1/tables/rename": answer})

    with pytest.raises(errors.ResponseError) as caught:
        driven.rename_table(("n", "t"), ("n", "u"))

    assert type(caught.value) is expected
    assert caught.value.message == "no" or answer.status_code != 406


@pytest.mark.parametrize("name", ["", ".", ".."])
@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("create_namespace", ("{name}",)),
        ("drop_namespace", ("{name}",)),
        ("create_table", ("n", "{name}", SCHEMA)),
        ("register_table", ("n", "{name}", "file:///w/t.json")),
        ("drop_table", ("n", "{name}")),
        ("rename_table", (("n", "t"), ("n", "{name}"))),
    ],
)
def test_a_name_that_a_path_cannot_hold_is_refused_before_anything_is_sent(catalog, method, arguments, name):
    driven, desk = catalog({})

    with pytest.raises(ValueError, match=r"cannot be addressed|at least one level"):
        getattr(driven, method)(*placed(arguments, name))

    assert desk.asked == []


def placed(argument, name):
    """The arguments with the name of the test in its place."""
    if isinstance(argument, tuple):
        return tuple(placed(part, name) for part in argument)
    return name if argument == "{name}" else argument


def test_a_catalog_names_its_address(catalog):
    driven, _ = catalog({})

    assert repr(driven.catalog) == f"{type(driven.catalog).__name__}('http://irc.test/base')"
