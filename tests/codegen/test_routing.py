"""The routing view of a contract for connexion."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import connexion
import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def routing(output: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((output / "rack" / "routing.json").read_bytes())
    return document


def test_connexion_accepts_the_routing_view(routing: dict[str, Any]) -> None:
    app = connexion.AsyncApp(__name__)

    app.add_api(routing, resolver=connexion.Resolver(lambda _: lambda: ("", 204)))


def test_head_comes_before_get(routing: dict[str, Any]) -> None:
    assert list(routing["paths"]["/racks/{rack-id}/books"]) == ["head", "get", "post"]


def test_path_parameters_are_copied_to_operations(routing: dict[str, Any]) -> None:
    item = routing["paths"]["/racks/{rack-id}/books"]

    assert {method: operation["parameters"][0]["name"] for method, operation in item.items()} == dict.fromkeys(item, "rack-id")


def test_header_lists_are_text(routing: dict[str, Any]) -> None:
    parameters = {p["name"]: p["schema"] for p in routing["paths"]["/racks/{rack-id}/books"]["get"]["parameters"]}

    assert parameters["X-Languages"] == {"type": "string"}


def test_null_type_becomes_nullable(routing: dict[str, Any]) -> None:
    parameters = {p["name"]: p["schema"] for p in routing["paths"]["/racks/{rack-id}/books"]["get"]["parameters"]}

    assert parameters["pageToken"] == {"type": "string", "nullable": True}


def test_request_body_names_its_schema(routing: dict[str, Any]) -> None:
    content = routing["paths"]["/racks/{rack-id}/books"]["post"]["requestBody"]["content"]

    assert content == {"application/json": {"schema": {"type": "object", "x-schema-ref": "#/components/schemas/Change"}}}


def test_5xx_is_expanded_to_statuses(routing: dict[str, Any]) -> None:
    answers = routing["paths"]["/racks/{rack-id}/books"]["get"]["responses"]

    assert list(answers) == ["200", "404", "500", "501", "502", "503", "504"]
