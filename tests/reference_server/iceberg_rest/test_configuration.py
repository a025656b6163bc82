"""The configuration has the endpoints and the prefix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lakepact.generated.contract import Contract
from lakepact.reference_server.iceberg_rest.offered import NOT_OFFERED

if TYPE_CHECKING:
    from collections.abc import Callable


def test_the_endpoints_are_those_that_are_served_as_the_contract_spells_them(send: Callable[..., Any]) -> None:
    operations = Contract("iceberg_rest").operations.values()

    assert send("GET", "/v1/config").document == {
        "defaults": {},
        "overrides": {},
        "endpoints": [f"{o.method.upper()} {o.path}" for o in operations if o.id not in NOT_OFFERED],
    }


@pytest.mark.parametrize("warehouse", ["", "memory%3A", "memory:"])
def test_the_warehouse_is_known_by_its_location(send: Callable[..., Any], warehouse: str) -> None:
    assert send("GET", f"/v1/config?warehouse={warehouse}").status == 200


def test_another_warehouse_is_400(send: Callable[..., Any]) -> None:
    assert send("GET", "/v1/config?warehouse=s3%3A%2F%2Fbucket").error == (400, "BadRequestException", 400)
