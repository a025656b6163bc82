"""The whole suite judges the reference server, which keeps every requirement."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.running import suite as suites
from lakepact.generated.contract import Contract, contracts
from mutants.hunting import outcomes

#: By contract and version, the requirements that the reference server cannot be judged by: they are
#: about other servers, such as those without paging.
NOT_OFFERED: dict[tuple[str, str], str] = {
    ("iceberg_rest", "1.10.0"): (
        "IRC-CFG-013 IRC-CFG-021 IRC-ERR-005 IRC-ERR-023 IRC-ERR-024 IRC-GEN-026 IRC-GEN-033"
        " IRC-NS-CREATE-011 IRC-NS-CREATE-015 IRC-NS-GET-003 IRC-NS-PROP-011 IRC-OAU-026"
        " IRC-PAG-007 IRC-SCH-NotExpression IRC-SEC-012 IRC-TBL-CRED-016 IRC-TBL-DROP-005"
        " IRC-TBL-LOAD-015 IRC-TBL-REG-017"
    ),
    ("delta_sharing", "2026-02"): "DS-FIL-10 DS-GEN-12 DS-TMP-10 DS-TMP-11",
    ("watsonx_data", "2026"): (
        "IRC-CFG-008 IRC-CFG-009 IRC-CFG-010 IRC-CFG-011 IRC-CFG-012 IRC-CFG-017 IRC-CFG-021"
        " IRC-ERR-005 IRC-ERR-016 IRC-ERR-023 IRC-ERR-024 IRC-GEN-026 IRC-GEN-033"
        " IRC-NS-CREATE-015 IRC-NS-GET-003 IRC-NS-PROP-011 IRC-PAG-007 IRC-SCH-StorageCredential"
        " IRC-SEC-003 IRC-SEC-005 IRC-SEC-008 IRC-SEC-012 IRC-SEC-014 IRC-SEC-016"
        " IRC-TBL-CREATE-027 IRC-TBL-DROP-005 IRC-TBL-LOAD-012 IRC-TBL-LOAD-015 IRC-TBL-LOAD-016"
        " IRC-VIEW-LOAD-006"
    ),
}
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
        requirement: outcome
        for requirement, outcome in by_requirement.items()
        if outcome is not Outcome.PASS
    } == dict.fromkeys(NOT_OFFERED.get((contract, version), "").split(), Outcome.NOT_OFFERED)
