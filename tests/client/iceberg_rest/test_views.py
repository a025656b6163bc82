"""Views through both catalogs, with a desk and with the reference server."""

from __future__ import annotations

import json

import httpx
import pytest

from driving import KINDS, Desk, Driven
from lakepact.client import errors
from lakepact.client.retries import NO_RETRIES
from lakepact.reference_server import running

from .test_field_forms import SQL, view
from .test_round_trip import NAMES, SCHEMA, fill

OTHERS = {
    "type": "struct",
    "schema-id": 0,
    "fields": [{"id": 1, "name": "n", "type": "string", "required": False}],
}


def version(sql="SELECT 1 AS id", **members):
    return {
        "version-id": 1,
        "timestamp-ms": 1_767_225_600_000,
        "schema-id": 0,
        "summary": {"engine-name": "naïve 🦆"},
        "representations": [
            {"type": "sql", "sql": sql, "dialect": dialect} for dialect in ("spark", "trino")
        ],
        "default-namespace": ["a", "b"],
        **members,
    }


@pytest.fixture(scope="module", params=[None, "ws/one"], ids=["without prefix", "with prefix"])
def server(request):
    with running(warehouse="memory:", prefix=request.param) as server:
        yield server


@pytest.fixture(params=KINDS)
def catalog(request, server):
    with Driven(KINDS[request.param], server.url, retries=NO_RETRIES) as client:
        yield client


@pytest.fixture
def namespace(catalog, request):
    name = f"of {request.node.name}"
    levels = (name,)  # which may hold dots
    catalog.create_namespace(levels)
    yield levels
    for identifier in catalog.list_views(levels):
        catalog.drop_view(identifier)
    catalog.drop_namespace(levels)


@pytest.mark.parametrize("name", NAMES)
def test_view_of_any_name_is_created_found_and_renamed(catalog, namespace, name):
    created = catalog.create_view(
        (namespace, name), SCHEMA, version=version(), properties={"k": "v"}
    )
    result = catalog.load_view((namespace, name))
    names = [view.name for view in catalog.list_views(namespace)]
    catalog.rename_view((namespace, name), (namespace, f"new {name}"))

    assert created == result
    assert (result.metadata.properties, names) == ({"k": "v"}, [name])
    assert not catalog.view_exists((namespace, name))
    assert catalog.view_exists((namespace, f"new {name}"))


def test_pages_hold_every_view_once(catalog, namespace):
    names = sorted(f"v{number}" for number in range(5))
    for name in names:
        catalog.create_view((namespace, name), SCHEMA, version=version())

    assert sorted(view.name for view in catalog.list_views(namespace, page_size=2)) == names


def test_view_is_created_with_its_schema_and_version(catalog, namespace):
    metadata = catalog.create_view(
        (namespace, "v"), SCHEMA, version=version("SELECT 'ä' AS id")
    ).metadata

    (first,) = metadata.versions
    assert [(r.dialect, r.sql) for r in first.representations] == [
        ("spark", "SELECT 'ä' AS id"),
        ("trino", "SELECT 'ä' AS id"),
    ]
    assert (first.default_namespace, first.summary) == (["a", "b"], {"engine-name": "naïve 🦆"})
    assert [(field.name, field.type) for field in metadata.schemas[0].fields] == [
        ("id", "long"),
        ("at", "timestamptz"),
    ]


def test_view_is_replaced_and_restored(catalog, namespace):
    before = catalog.create_view((namespace, "v"), SCHEMA, version=version()).metadata
    after = catalog.replace_view(
        (namespace, "v"),
        [
            {"action": "add-schema", "schema": OTHERS},
            {
                "action": "add-view-version",
                "view-version": version("SELECT 'a' AS n", **{"schema-id": -1}),
            },
            {"action": "set-current-view-version", "view-version-id": -1},
            {"action": "set-properties", "updates": {"a": "1"}},
        ],
        requirements=[{"type": "assert-view-uuid", "uuid": before.view_uuid}],
    ).metadata
    back = catalog.replace_view(
        (namespace, "v"),
        [
            {"action": "add-view-version", "view-version": before.versions[0]},
            {"action": "set-current-view-version", "view-version-id": -1},
        ],
    ).metadata

    assert (
        after.current_version_id,
        [v.schema_id for v in after.versions],
        after.properties,
    ) == (2, [0, 1], {"a": "1"})
    assert (back.current_version_id, [entry.version_id for entry in back.version_log]) == (
        1,
        [1, 2, 1],
    )


def test_failed_requirement_raises_commit_rejected(catalog, namespace):
    before = catalog.create_view((namespace, "v"), SCHEMA, version=version())

    with pytest.raises(errors.CommitRejected):
        catalog.replace_view(
            (namespace, "v"),
            [{"action": "set-properties", "updates": {"a": "1"}}],
            requirements=[
                {"type": "assert-view-uuid", "uuid": "00000000-0000-0000-0000-000000000000"}
            ],
        )

    assert catalog.load_view((namespace, "v")) == before


@pytest.mark.parametrize(
    ("method", "arguments", "expected"),
    [
        ("list_views", ("absent",), errors.NoSuchNamespace),
        ("load_view", (("{namespace}", "absent"),), errors.NoSuchView),
        ("load_table", (("{namespace}", "v"),), errors.NoSuchTable),
        ("drop_view", (("{namespace}", "absent"),), errors.NoSuchView),
        ("drop_namespace", ("{namespace}",), errors.NotEmpty),
        ("replace_view", (("{namespace}", "absent"), []), errors.NoSuchView),
        ("create_table", (("{namespace}", "v"), SCHEMA), errors.AlreadyExists),
        ("rename_view", (("{namespace}", "absent"), ("{namespace}", "u")), errors.NoSuchView),
        ("rename_view", (("{namespace}", "v"), ("absent", "u")), errors.NoSuchNamespace),
        ("rename_view", (("{namespace}", "v"), ("{namespace}", "v2")), errors.AlreadyExists),
    ],
)
def test_missing_or_existing_object_raises_its_error(
    catalog, namespace, method, arguments, expected
):
    for name in ("v", "v2"):
        catalog.create_view((namespace, name), SCHEMA, version=version())

    with pytest.raises(errors.ResponseError) as exc_info:
        getattr(catalog, method)(*fill(arguments, namespace))

    assert type(exc_info.value) is expected


@pytest.mark.parametrize(
    ("namespace_of", "expected"),
    [("absent", errors.NoSuchNamespace), ("{namespace}", errors.AlreadyExists)],
)
def test_creating_a_view_without_namespace_or_twice_raises(
    catalog, namespace, namespace_of, expected
):
    catalog.create_view((namespace, "v"), SCHEMA, version=version())

    with pytest.raises(expected):
        catalog.create_view((fill(namespace_of, namespace), "v"), SCHEMA, version=version())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("status", "expected"), [(200, True), (404, False)])
def test_existence_is_checked_by_loading_without_head(kind, status, *, expected):
    endpoints = ["GET /v1/{prefix}/namespaces/{namespace}/views/{view}"]
    answers = {
        200: {"metadata-location": "memory:/v/m.json", "metadata": view(SQL)},
        404: {"error": {"message": "none", "type": "NoSuchViewException", "code": 404}},
    }
    desk = Desk(
        {
            "GET /v1/config": {"defaults": {}, "overrides": {}, "endpoints": endpoints},
            "GET /v1/namespaces/n/views/v": httpx.Response(
                status, content=json.dumps(answers[status])
            ),
        }
    )
    with Driven(KINDS[kind], "http://catalog", carrier=desk.carrier) as client:
        assert client.view_exists("n.v") is expected

    assert desk.calls == ["GET /v1/namespaces/n/views/v"]
