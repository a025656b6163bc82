"""`lakepact ls` lists what there is, once each."""

from __future__ import annotations

import json

import httpx

from .conftest import lakepact


def test_a_catalog_has_namespaces(place):
    assert lakepact("ls", place.url).lines == ["namespace  sales"]


def test_a_namespace_has_namespaces_tables_and_views(place):
    said = lakepact("ls", place.url, "sales")

    assert said.lines == ['namespace  sales."a.b"', "table      sales.orders", "view       sales.recent"]


def test_names_are_understood_as_they_are_listed(place):
    assert lakepact("ls", place.url, 'sales."a.b"').lines == ['table      sales."a.b".empty']


def test_all_that_a_catalog_holds_is_listed_recursively(place):
    said = lakepact("ls", place.url, "--recursive", "--json")

    assert list(map(json.loads, said.lines)) == [
        {"kind": "namespace", "namespace": ["sales"]},
        {"kind": "namespace", "namespace": ["sales", "a.b"]},
        {"kind": "table", "namespace": ["sales", "a.b"], "name": "empty"},
        {"kind": "table", "namespace": ["sales"], "name": "orders"},
        {"kind": "view", "namespace": ["sales"], "name": "recent"},
    ]


def test_a_profile_leads_to_shares(place):
    assert lakepact("ls", place.profile).lines == ["share      sales"]


def test_a_share_has_schemas(place):
    assert lakepact("ls", place.profile, "sales").lines == ["schema     sales.europe"]


def test_a_schema_has_tables(place):
    said = lakepact("ls", place.profile, "sales.europe", "--json")

    assert json.loads(said.out) == {"kind": "table", "share": "sales", "schema": "europe", "name": "orders"}


def test_all_that_is_shared_is_listed_recursively_at_an_address_with_a_token(place):
    said = lakepact("ls", place.sharing_url, "-r", "--token-env", "TOKEN", TOKEN="a-token-of-partner")

    assert [line.split() for line in said.lines] == [["share", "sales"], ["schema", "sales.europe"], ["table", "sales.europe.orders"]]


def test_what_is_not_there_is_said_in_one_line(place):
    said = lakepact("ls", place.url, "absent")

    assert (said.code, said.out, said.err.count("\n")) == (1, "", 1)


def test_names_do_not_act_on_the_terminal(place):
    httpx.post(f"{place.url}/v1/namespaces", json={"namespace": ["acting \x9b2J\x1b[2J"]}).raise_for_status()

    plain, document = lakepact("ls", place.url).out, lakepact("ls", place.url, "--json").out
    httpx.delete(f"{place.url}/v1/namespaces/acting%20%C2%9B2J%1B%5B2J").raise_for_status()

    assert r"acting \x9b2J\x1b[2J" in plain
    assert json.loads(document.splitlines()[0])["namespace"] == ["acting \x9b2J\x1b[2J"]
    assert not {"\x1b", "\x9b"} & set(plain + document)
