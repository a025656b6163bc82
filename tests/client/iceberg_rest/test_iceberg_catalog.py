"""The catalog sends requests of the contract to the endpoints of the server and returns its
models.
"""

from __future__ import annotations

import json

import httpx
import pytest

from driving import ENDPOINTS, Desk
from lakepact.client import BearerToken, errors
from lakepact.client.retries import NO_RETRIES
from sample_tables.schemas import OPTIONAL_X as SCHEMA
from sample_tables.table_documents import table

from .test_round_trip import fill

CONFIG = {
    "defaults": {},
    "overrides": {},
    "endpoints": [endpoint for endpoint in ENDPOINTS if "view" not in endpoint],
}
METADATA = table()
TABLE = {"metadata-location": "file:///w/t.json", "metadata": METADATA}


@pytest.fixture
def catalog(drive):
    """Return a function that opens a catalog of a desk."""

    def open_catalog(answers, *, config=CONFIG, **options):
        desk = Desk({"GET /base/v1/config": config, **answers})
        return drive(
            "http://irc.test/base/", carrier=desk.carrier, retries=NO_RETRIES, **options
        ), desk

    return open_catalog


def refusal(status, kind, message="no"):
    return httpx.Response(
        status, json={"error": {"message": message, "type": kind, "code": status}}
    )


# Configuration


def test_opening_a_catalog_sends_no_request(catalog):
    _, desk = catalog({})

    assert desk.requests == []


def test_configuration_is_fetched_once_with_the_warehouse(catalog):
    client, desk = catalog({"GET /base/v1/namespaces": {"namespaces": []}}, warehouse="s3://b/w é")

    client.list_namespaces()
    client.list_namespaces()

    assert [request.url.raw_path.decode() for request in desk.requests] == [
        "/base/v1/config?warehouse=s3%3A%2F%2Fb%2Fw+%C3%A9",
        "/base/v1/namespaces?pageToken=&pageSize=1000",
        "/base/v1/namespaces?pageToken=&pageSize=1000",
    ]


def test_overrides_beat_caller_properties_and_those_beat_defaults(catalog):
    config = {
        "defaults": {"a": "server", "b": "server", "c": "server"},
        "overrides": {"c": "override"},
    }
    client, _ = catalog({}, config=config, properties={"b": "caller", "c": "caller"})

    assert client.properties() == {"a": "server", "b": "caller", "c": "override"}


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
def test_prefix_is_inserted_unchanged(catalog, prefix, path):
    config = {"defaults": {}, "overrides": {} if prefix is None else {"prefix": prefix}}
    client, desk = catalog({f"GET {path}": {"namespace": ["n"]}}, config=config)

    client.load_namespace("n")

    assert desk.calls == [f"GET {path}"]


def test_namespace_named_like_the_prefix_placeholder_is_addressed(catalog):
    path = "/base/v1/ws/namespaces/%7Bprefix%7D"
    client, desk = catalog(
        {f"GET {path}": {"namespace": ["{prefix}"]}},
        config={"defaults": {"prefix": "ws"}, "overrides": {}},
    )

    client.load_namespace("{prefix}")

    assert desk.calls == [f"GET {path}"]


@pytest.mark.parametrize("endpoints", [{}, {"endpoints": []}], ids=["absent", "empty"])
def test_missing_endpoints_mean_fourteen_default_operations(catalog, endpoints):
    client, _ = catalog({}, config={"defaults": {}, "overrides": {}, **endpoints})

    assert client.offers("commitTransaction")
    assert not client.offers("tableExists")
    assert len(client._settings().operations) == 14


VIEW_OPERATIONS = {"listViews", "loadView", "createView", "replaceView", "dropView", "renameView"}


@pytest.mark.parametrize(
    ("value", "views"), [("true", VIEW_OPERATIONS), ("TRUE", VIEW_OPERATIONS), ("false", set())]
)
@pytest.mark.parametrize("place", ["caller", "defaults", "overrides"])
def test_property_adds_views_to_a_server_without_endpoints(catalog, place, value, views):
    supported = {"view-endpoints-supported": value}
    config = {"defaults": {}, "overrides": {}, **({} if place == "caller" else {place: supported})}
    client, _ = catalog({}, config=config, properties=supported if place == "caller" else {})

    assert {
        operation for operation in client._settings().operations if "View" in operation
    } == views


def test_property_adds_no_views_to_a_server_with_endpoints(catalog):
    client, _ = catalog({}, properties={"view-endpoints-supported": "true"})

    assert not client.offers("loadView")


# Headers


def test_header_properties_of_caller_and_server_are_sent(catalog):
    config = {
        "defaults": {"header.x-tenant": "default", "header.X-Zone": "a"},
        "overrides": {"header.X-Plan": "gold"},
    }
    answers = {"GET /base/v1/namespaces/n": {"namespace": ["n"]}}
    client, desk = catalog(
        answers,
        config=config,
        properties={"header.x-plan": "free", "other": "1"},
        headers={"X-Tenant": "ann"},
    )

    client.load_namespace("n")

    for_config, for_namespace = (
        {name: values for name, values in _headers(request) if name.startswith("x-")}
        for request in desk.requests
    )
    assert for_config == {"x-tenant": ["ann"], "x-plan": ["free"]}
    assert for_namespace == {"x-tenant": ["ann"], "x-zone": ["a"], "x-plan": ["gold"]}


def _headers(request):
    return [(name.lower(), request.headers.get_list(name)) for name in request.headers]


def test_header_properties_replace_no_header_of_the_client(catalog):
    body = {"metadata-location": "file:///w/t.json", "metadata": METADATA}
    properties = {
        "header.accept": "text/html",
        "header.Content-Type": "text/plain",
        "header.X-Iceberg-Access-Delegation": "remote-signing",
    }
    properties["header.Authorization"] = "Basic other"
    client, desk = catalog(
        {"POST /base/v1/namespaces/n/tables": body}, properties=properties, auth=BearerToken("mine")
    )

    client.create_table("n.t", SCHEMA, access_delegation="vended-credentials")
    client.create_table("n.t", SCHEMA)

    headers = [dict(_headers(request)) for request in desk.requests[1:]]
    assert [each["x-iceberg-access-delegation"] for each in headers] == [
        ["vended-credentials"],
        ["remote-signing"],
    ]
    for each in headers:
        assert (each["accept"], each["content-type"], each["authorization"]) == (
            ["application/json"],
            ["application/json"],
            ["Bearer mine"],
        )


@pytest.mark.parametrize(
    "name", ["Authorization", "X-Api-Key", "X-Auth-Key", "Ocp-Apim-Subscription-Key"]
)
def test_error_hides_credentials_in_header_properties(catalog, caplog, name):
    caplog.set_level("DEBUG")
    echo = refusal(403, "ForbiddenException", "no access for planted-secret")
    client, desk = catalog(
        {"GET /base/v1/namespaces/n": echo}, properties={f"header.{name}": "planted-secret"}
    )

    with pytest.raises(errors.Forbidden) as exc_info:
        client.load_namespace("n")

    assert desk.requests[-1].headers[name] == "planted-secret"
    assert (
        "planted-secret"
        not in f"{exc_info.value!r} {vars(exc_info.value)} {caplog.text} {client.catalog!r}"
    )


@pytest.mark.parametrize(
    ("name", "value"), [("X-A", "a\nX-B: b"), ("X A", "a"), ("", "a"), ("X-A", "\u20ac")]
)
def test_property_that_is_no_header_raises_value_error(catalog, name, value):
    with pytest.raises(ValueError, match=r"header\."):
        catalog({}, properties={f"header.{name}": value})


def test_server_property_that_is_no_header_raises_bad_reply(catalog):
    client, _ = catalog({}, config={"defaults": {}, "overrides": {"header.X-A": "a\nb"}})

    with pytest.raises(errors.BadReply, match=r"header\.X-A"):
        client.load_namespace("n")


def test_unknown_endpoint_is_ignored(catalog):
    client, _ = catalog(
        {},
        config={
            **CONFIG,
            "endpoints": ["GET /v1/{prefix}/functions", "GET /v1/{prefix}/namespaces"],
        },
    )

    assert client.offers("listNamespaces")


# Namespaces


def test_namespaces_are_listed_page_by_page(catalog):
    pages = {
        "": {"namespaces": [["a"], ["b", "c"]], "next-page-token": "p=2&"},
        "p=2&": {"namespaces": [["d.e"]], "next-page-token": None},
    }
    client, desk = catalog(
        {"GET /base/v1/namespaces": lambda request: pages[request.url.params["pageToken"]]}
    )

    assert client.list_namespaces(("x", "y"), page_size=2) == [("a",), ("b", "c"), ("d.e",)]
    assert [dict(request.url.params) for request in desk.requests[1:]] == [
        {"pageToken": "", "pageSize": "2", "parent": "x\x1fy"},
        {"pageToken": "p=2&", "pageSize": "2", "parent": "x\x1fy"},
    ]


def test_five_thousand_tables_are_listed_in_five_requests(catalog):
    def page(request):
        start, size = int(request.url.params["pageToken"] or 0), int(request.url.params["pageSize"])
        names = [
            {"namespace": ["n"], "name": f"t{number}"}
            for number in range(start, min(start + size, 5000))
        ]
        return {
            "identifiers": names,
            "next-page-token": str(start + size) if start + size < 5000 else None,
        }

    client, desk = catalog({"GET /base/v1/namespaces/n/tables": page})

    assert [table.name for table in client.list_tables("n")] == [
        f"t{number}" for number in range(5000)
    ]
    assert len(desk.calls) == 5


def test_repeated_page_token_is_a_bad_reply(catalog):
    following = {"": "p1", "p1": "p2", "p2": "p1"}
    turn = lambda request: {  # noqa: E731
        "namespaces": [["a"]],
        "next-page-token": following[request.url.params["pageToken"]],
    }
    client, desk = catalog({"GET /base/v1/namespaces": turn})

    with pytest.raises(errors.BadReply, match="leads back to the page of token 'p1'"):
        client.list_namespaces()

    assert len(desk.calls) == 3


def test_namespace_is_created_with_levels_and_properties(catalog):
    client, desk = catalog(
        {
            "POST /base/v1/namespaces": {
                "namespace": ["a.b", "c"],
                "properties": {"k": "v", "new": "1"},
            }
        }
    )

    created = client.create_namespace(("a.b", "c"), {"k": "v"})

    assert json.loads(desk.requests[-1].content) == {
        "namespace": ["a.b", "c"],
        "properties": {"k": "v"},
    }
    assert desk.requests[-1].headers["Content-Type"] == "application/json"
    assert (created.namespace, created.properties) == (["a.b", "c"], {"k": "v", "new": "1"})


def test_omitted_arguments_are_absent_from_the_body(catalog):
    client, desk = catalog({"POST /base/v1/namespaces": {"namespace": ["a"]}})

    client.create_namespace("a")

    assert json.loads(desk.requests[-1].content) == {"namespace": ["a"]}


@pytest.mark.parametrize(("status", "expected"), [(204, True), (404, False)])
def test_existence_is_checked_with_head(catalog, status, expected):
    client, desk = catalog({"HEAD /base/v1/namespaces/n/tables/t": httpx.Response(status)})

    assert client.table_exists("n.t") is expected
    assert desk.calls == ["HEAD /base/v1/namespaces/n/tables/t"]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [({"namespace": ["n"]}, True), (refusal(404, "NoSuchNamespaceException"), False)],
)
def test_existence_is_checked_by_loading_without_head(catalog, answer, expected):
    client, desk = catalog(
        {"GET /base/v1/namespaces/n": answer}, config={"defaults": {}, "overrides": {}}
    )

    assert client.namespace_exists("n") is expected
    assert desk.calls == ["GET /base/v1/namespaces/n"]


def test_existence_check_raises_forbidden_on_403(catalog):
    client, _ = catalog({"HEAD /base/v1/namespaces/n": httpx.Response(403)})

    with pytest.raises(errors.Forbidden):
        client.namespace_exists("n")


# Tables


def test_tables_are_listed_page_by_page(catalog):
    pages = {
        "": {"identifiers": [{"namespace": ["n"], "name": "t/1"}], "next-page-token": "2"},
        "2": {"identifiers": [{"namespace": ["n"], "name": "t 2"}], "next-page-token": ""},
    }
    client, _ = catalog(
        {"GET /base/v1/namespaces/n/tables": lambda request: pages[request.url.params["pageToken"]]}
    )

    assert [(table.namespace, table.name) for table in client.list_tables("n")] == [
        (["n"], "t/1"),
        (["n"], "t 2"),
    ]


@pytest.mark.parametrize(("method", "stage"), [("create_table", False), ("stage_table", True)])
def test_table_is_created_or_staged_with_the_given_arguments(catalog, method, stage):
    client, desk = catalog(
        {"POST /base/v1/namespaces/n/tables": lambda _: httpx.Response(200, json=TABLE)}
    )

    created = getattr(client, method)(
        "n.t", SCHEMA, location="file:///w", access_delegation="vended-credentials"
    )

    assert json.loads(desk.requests[-1].content) == {
        "name": "t",
        "schema": {"schema-id": 0, **SCHEMA},
        "location": "file:///w",
        "stage-create": stage,
    }
    assert desk.requests[-1].headers["X-Iceberg-Access-Delegation"] == "vended-credentials"
    assert created.metadata.table_uuid == METADATA["table-uuid"]


def test_table_is_registered(catalog):
    client, desk = catalog({"POST /base/v1/namespaces/n/register": TABLE})

    client.register_table("n.t", "file:///w/t.json")
    client.register_table("n.t", "file:///w/t.json", overwrite=True)

    assert [json.loads(request.content) for request in desk.requests[1:]] == [
        {"name": "t", "metadata-location": "file:///w/t.json"},
        {"name": "t", "metadata-location": "file:///w/t.json", "overwrite": True},
    ]


def test_table_is_loaded_with_the_snapshots_parameter(catalog):
    client, desk = catalog({"GET /base/v1/namespaces/a%1Fb%2Fc/tables/t%25": TABLE})

    client.load_table((("a", "b/c"), "t%"), snapshots="refs")

    assert (
        desk.requests[-1].url.raw_path
        == b"/base/v1/namespaces/a%1Fb%2Fc/tables/t%25?snapshots=refs"
    )


def test_commit_sends_updates_and_requirements_unchanged(catalog):
    updates = [
        {"action": "set-properties", "updates": {"a": "1"}},
        {"action": "remove-properties", "removals": ["b"]},
    ]
    requirements = [{"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None}]
    client, desk = catalog({"POST /base/v1/namespaces/n/tables/t": TABLE})

    client.commit_table("n.t", updates, requirements=requirements)

    assert json.loads(desk.requests[-1].content) == {
        "identifier": {"namespace": ["n"], "name": "t"},
        "requirements": requirements,
        "updates": updates,
    }


@pytest.mark.parametrize(
    ("purge", "query"), [(False, "purgeRequested=false"), (True, "purgeRequested=true")]
)
def test_table_is_dropped_with_the_purge_parameter(catalog, purge, query):
    client, desk = catalog({"DELETE /base/v1/namespaces/n/tables/t": httpx.Response(204)})

    client.drop_table("n.t", purge=purge)

    assert desk.requests[-1].url.query.decode() == query


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (refusal(406, "UnsupportedOperationException"), errors.OperationNotSupported),
        (
            httpx.Response(
                406, json={"message": "no", "type": "UnsupportedOperationException", "code": 406}
            ),
            errors.OperationNotSupported,
        ),
        (refusal(409, "AlreadyExistsException"), errors.AlreadyExists),
        (refusal(404, "NoSuchTableException"), errors.NoSuchTable),
        (refusal(404, "NoSuchNamespaceException"), errors.NoSuchNamespace),
        (refusal(401, "NotAuthorizedException"), errors.NotAuthenticated),
        (refusal(403, "NotAuthorizedException"), errors.Forbidden),
        (refusal(419, "AuthenticationTimeoutException"), errors.NotAuthenticated),
    ],
)
def test_error_reply_raises_the_error_of_its_cause(catalog, answer, expected):
    client, _ = catalog({"POST /base/v1/tables/rename": answer})

    with pytest.raises(errors.ResponseError) as exc_info:
        client.rename_table(("n", "t"), ("n", "u"))

    assert type(exc_info.value) is expected
    assert exc_info.value.message == "no" or answer.status_code != 406


@pytest.mark.parametrize("name", ["", ".", ".."])
@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("create_namespace", ("{namespace}",)),
        ("drop_namespace", ("{namespace}",)),
        ("create_table", (("n", "{namespace}"), SCHEMA)),
        ("register_table", (("n", "{namespace}"), "file:///w/t.json")),
        ("drop_table", (("n", "{namespace}"),)),
        ("rename_table", (("n", "t"), ("n", "{namespace}"))),
    ],
)
def test_unaddressable_name_raises_before_a_request(catalog, method, arguments, name):
    client, desk = catalog({})

    with pytest.raises(ValueError, match=r"cannot be addressed|at least one level"):
        getattr(client, method)(*fill(arguments, name))

    assert desk.calls == []


def test_table_without_a_member_that_its_format_requires_raises_bad_reply(catalog):
    incomplete = {name: value for name, value in METADATA.items() if name != "schemas"}
    client, _ = catalog(
        {
            "GET /base/v1/namespaces/n/tables/t": lambda _: httpx.Response(
                200, json={"metadata": incomplete}
            )
        }
    )

    with pytest.raises(errors.BadReply, match="metadata/schemas: Field required"):
        client.load_table("n.t")
