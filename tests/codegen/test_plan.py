"""The plan of a contract's paths equals the routes of connexion."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from connexion.exceptions import InvalidSpecification

from codegen.plan import plan


def test_plan_lists_routes_in_the_order_of_connexion(output: Path) -> None:
    routing: dict[str, Any] = json.loads((output / "rack" / "routing.json").read_bytes())
    plan: dict[str, Any] = json.loads((output / "rack" / "plan.json").read_bytes())

    operations = [
        [m.upper(), path, o["operationId"]]
        for path, item in routing["paths"].items()
        for m, o in item.items()
    ]
    assert operations == plan["routes"]


def test_document_invalid_for_connexion_raises() -> None:
    with pytest.raises(InvalidSpecification):
        plan({"openapi": "3.0.3", "paths": {}})
