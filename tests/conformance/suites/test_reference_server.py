"""The whole suite judges the reference server, which keeps every requirement."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.running import suite as suites
from lakepact.generated.contract import Contract, contracts
from mutants.hunting import outcomes

KEPT = (Outcome.PASS, Outcome.NOT_OFFERED)
#: By day the newest version of each contract; other tests judge open servers of the first ones, and
#: a profile with unusual settings.
BY_DAY = {("iceberg_rest", "1.12.0"), ("delta_sharing", "2026-08")}
VERSIONS = [
    pytest.param(
        contract, version, marks=() if (contract, version) in BY_DAY else pytest.mark.nightly
    )
    for contract in contracts()
    for version in Contract(contract).versions
]


@pytest.mark.parametrize(("contract", "version"), VERSIONS)
def test_reference_server_keeps_every_requirement(
    contract: str, version: str, tmp_path: Path
) -> None:
    by_requirement = outcomes(suites.load(contract, version), str(tmp_path))

    assert by_requirement
    assert {
        requirement for requirement, outcome in by_requirement.items() if outcome not in KEPT
    } == set()
