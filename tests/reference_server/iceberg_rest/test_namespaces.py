"""Namespaces over HTTP: creation below a parent, listing, properties and dropping when empty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "id", "type": "long", "required": True}]}


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
