"""Paths are split into segments before the segments are decoded."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.reference_server.http.routes import BadPath, Found, Routes, variables

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@pytest.fixture(scope="module")
def routes() -> Routes[str]:
    made: Routes[str] = Routes()
    made.add("/v1/config", "GET", "config")
    made.add("/v1/{prefix}/namespaces", "GET", "list")
    made.add("/v1/{prefix}/namespaces/{namespace}", "GET", "load")
    made.add("/v1/{prefix}/namespaces/{namespace}", "HEAD", "exists")
    made.add("/v1/{prefix}/namespaces/{namespace}/tables/{table}", "GET", "table")
    return made


def found(routes: Routes[str], path: str) -> tuple[set[str], list[str]] | None:
    at = routes.find(path.encode())
    return (set(at.methods.values()), list(at.values)) if at else None


@given(texts, texts, texts)
def test_any_text_in_a_segment_is_its_value(
    routes: Routes[str], prefix: str, namespace: str, table: str
) -> None:
    path = f"/v1/{quote(prefix, safe='')}/namespaces/{quote(namespace, safe='')}/tables/{quote(table, safe='')}"

    assert routes.find(path.encode()) == Found({"GET": "table"}, (prefix, namespace, table))


@pytest.mark.parametrize(
    ("spelled", "value"),
    [
        ("a%1Fb", "a\x1fb"),
        ("a%1fb", "a\x1fb"),
        ("a%2Fb", "a/b"),
        ("a%252Fb", "a%2Fb"),
        ("a%2541", "a%41"),
        ("a+b", "a+b"),
        ("a%20b", "a b"),
        ("my%5Fschema", "my_schema"),
        ("%C3%A9", "é"),
        ("é", "é"),
        ("a%3Fb%23c", "a?b#c"),
    ],
)
def test_a_segment_is_decoded_exactly_once(routes: Routes[str], spelled: str, value: str) -> None:
    assert found(routes, f"/v1/p/namespaces/{spelled}") == ({"load", "exists"}, ["p", value])


def test_fixed_segments_are_compared_decoded(routes: Routes[str]) -> None:
    assert found(routes, "/v1/p/n%61mespaces") == ({"list"}, ["p"])


def test_a_fixed_segment_may_be_a_value_elsewhere(routes: Routes[str]) -> None:
    assert found(routes, "/v1/config/namespaces") == ({"list"}, ["config"])


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/v1",
        "/v1/",
        "/v1/config/",
        "/v1//namespaces",
        "/v1/p/namespaces/",
        "/v1/p/namespaces/n/tables",
        "/v2/config",
        "//v1/config",
    ],
)
def test_other_paths_are_in_no_contract(routes: Routes[str], path: str) -> None:
    assert found(routes, path) is None


@pytest.mark.parametrize(
    "path",
    ["/v1/p/namespaces/%", "/v1/p/namespaces/%4", "/v1/p/namespaces/%zz", "/v1/p/namespaces/%ff"],
)
def test_undecodable_path_is_refused(routes: Routes[str], path: str) -> None:
    with pytest.raises(BadPath):
        routes.find(path.encode())


def test_variables_are_named_in_order() -> None:
    assert variables("/v1/{prefix}/namespaces/{namespace}/tables/{table}") == (
        "prefix",
        "namespace",
        "table",
    )
