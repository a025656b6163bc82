"""Namespaces over HTTP: creation below a parent, listing, properties and dropping when empty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def test_a_namespace_needs_its_parent(send: Callable[..., Any]) -> None:
    assert send("POST", "/v1/namespaces", {"namespace": ["irc_missing", "child"]}).error == (
        404,
        "NoSuchNamespaceException",
        404,
    )


@pytest.mark.parametrize("levels", [[], [""], ["a", ""], ["a\x1fb"], ["."], [".."], ["x" * 1001]])
def test_a_namespace_that_no_path_can_name_is_400(
    send: Callable[..., Any], levels: list[str]
) -> None:
    assert send("POST", "/v1/namespaces", {"namespace": levels}).error == (
        400,
        "BadRequestException",
        400,
    )


def test_an_empty_property_can_be_removed(send: Callable[..., Any], namespace: str) -> None:
    send("POST", f"/v1/namespaces/{namespace}/properties", {"updates": {"a": ""}})

    assert send("POST", f"/v1/namespaces/{namespace}/properties", {"removals": ["a"]}).document[
        "removed"
    ] == ["a"]
