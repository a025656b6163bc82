"""The configuration has the endpoints and the prefix."""

from __future__ import annotations

from lakepact.generated.contract import Contract
from lakepact.reference_server.iceberg_rest.offered import NOT_OFFERED
from raw_requests import Sender


def test_the_endpoints_are_those_that_are_served_as_the_contract_spells_them(
    send: Sender,
) -> None:
    operations = Contract("iceberg_rest").operations.values()

    assert send("GET", "/v1/config").document == {
        "defaults": {},
        "overrides": {},
        "endpoints": [
            f"{o.method.upper()} {o.path}" for o in operations if o.id not in NOT_OFFERED
        ],
    }
