"""`lakepact ls` lists each object once."""

from __future__ import annotations

import json

import httpx
import pytest

from .conftest import lakepact


@pytest.mark.parametrize(
    ("where", "arguments", "expected"),
    [
        ("url", (), ["namespace  sales"]),
        (
            "url",
            ("sales",),
            ['namespace  sales."a.b"', "table      sales.orders", "view       sales.recent"],
        ),
        ("url", ('sales."a.b"',), ['table      sales."a.b".empty']),  # as it is listed
        ("profile", (), ["share      sales"]),
        ("profile", ("sales",), ["schema     sales.europe"]),
    ],
)
def test_listing_holds_what_is_directly_below(place, where, arguments, expected):
    assert lakepact("ls", getattr(place, where), *arguments).lines == expected


def test_recursive_listing_holds_the_whole_catalog(place):
    result = lakepact("ls", place.url, "--recursive", "--json")

    assert list(map(json.loads, result.lines)) == [
        {"kind": "namespace", "namespace": ["sales"]},
        {"kind": "namespace", "namespace": ["sales", "a.b"]},
        {"kind": "table", "namespace": ["sales", "a.b"], "name": "empty"},
        {"kind": "table", "namespace": ["sales"], "name": "orders"},
        {"kind": "view", "namespace": ["sales"], "name": "recent"},
    ]


def test_schema_lists_tables(place):
    result = lakepact("ls", place.profile, "sales.europe", "--json")

    assert json.loads(result.out) == {
        "kind": "table",
        "share": "sales",
        "schema": "europe",
        "name": "orders",
    }


def test_sharing_url_with_token_lists_recursively(place):
    result = lakepact(
        "ls", place.sharing_url, "-r", "--token-env", "TOKEN", TOKEN="a-token-of-partner"
    )

    assert [line.split() for line in result.lines] == [
        ["share", "sales"],
        ["schema", "sales.europe"],
        ["table", "sales.europe.orders"],
    ]


def test_missing_namespace_exits_with_1_and_one_line(place):
    result = lakepact("ls", place.url, "absent")

    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)


def test_control_characters_in_names_are_escaped(place):
    httpx.post(
        f"{place.url}/v1/namespaces", json={"namespace": ["acting \x9b2J\x1b[2J"]}
    ).raise_for_status()

    plain, document = lakepact("ls", place.url).out, lakepact("ls", place.url, "--json").out
    httpx.delete(f"{place.url}/v1/namespaces/acting%20%C2%9B2J%1B%5B2J").raise_for_status()

    assert r"acting \x9b2J\x1b[2J" in plain
    assert json.loads(document.splitlines()[0])["namespace"] == ["acting \x9b2J\x1b[2J"]
    assert not {"\x1b", "\x9b"} & set(plain + document)
