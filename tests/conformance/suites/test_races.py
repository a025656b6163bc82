"""Races are repeated as often as requested."""

from __future__ import annotations

import pytest

from faulty_servers import checked
from lakepact.conformance.checks.iceberg_rest.kit.concurrency import ROUNDS
from lakepact.reference_server import running

DROPS = "tables.drop.concurrent_drops_have_one_winner"


@pytest.mark.parametrize("times", [1, 3])
def test_repeated_race_multiplies_its_rounds(times: int) -> None:
    with running(contract="iceberg_rest", warehouse="memory:") as server:
        run = checked(server.url, DROPS, races=times)

    creations = [
        one
        for one in run.wire.exchanges.values()
        if one.check == DROPS and one.operation == "createTable"
    ]
    assert (
        len(creations) == ROUNDS * times + 1
    )  # one more table shows whether tables can be dropped at all
