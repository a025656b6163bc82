"""The routing view of a contract for connexion."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import connexion
import pytest


@pytest.fixture
def routing(output: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((output / "rack" / "routing.json").read_bytes())
    return document


def test_connexion_accepts_the_routing_view(routing: dict[str, Any]) -> None:
    app = connexion.AsyncApp(__name__)

    app.add_api(routing, resolver=connexion.Resolver(lambda _: lambda: ("", 204)))


BOOKS = "/racks/{rack-id}/books"


def test_head_comes_before_get(routing: dict[str, Any]) -> None:
    assert list(routing["paths"][BOOKS]) == ["head", "get", "post"]


def test_path_parameters_are_copied_to_operations(routing: dict[str, Any]) -> None:
    item = routing["paths"][BOOKS]

    assert {
        method: operation["parameters"][0]["name"] for method, operation in item.items()
    } == dict.fromkeys(item, "rack-id")


@pytest.mark.parametrize(
    ("name", "schema"),
    [("X-Languages", {"type": "string"}), ("pageToken", {"type": "string", "nullable": True})],
)
def test_header_list_is_text_and_null_type_nullable(
    routing: dict[str, Any], name: str, schema: dict[str, Any]
) -> None:
    assert {p["name"]: p["schema"] for p in routing["paths"][BOOKS]["get"]["parameters"]}[
        name
    ] == schema
