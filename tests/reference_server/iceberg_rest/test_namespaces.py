"""Namespaces over HTTP: creation below a parent, listing, properties and dropping when empty."""

from __future__ import annotations

import pytest

from raw_requests import Sender


def test_a_namespace_needs_its_parent(send: Sender) -> None:
    assert send("POST", "/v1/namespaces", {"namespace": ["irc_missing", "child"]}).error == (
        404,
        "NoSuchNamespaceException",
    )


@pytest.mark.parametrize("levels", [[], [""], ["a", ""], ["a\x1fb"], ["."], [".."], ["x" * 1001]])
def test_a_namespace_that_no_path_can_name_is_400(send: Sender, levels: list[str]) -> None:
    assert send("POST", "/v1/namespaces", {"namespace": levels}).error == (
        400,
        "BadRequestException",
    )
