"""Catalogs with unusual access control fail nothing, and requirements without evidence are not
offered.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from faulty import mutants
from faulty_servers import checked, outcomes_of
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.target import Target
from lakepact.reference_server import Server, running

ACCESS = ("IRC-SEC-*", "IRC-OAU-*", "IRC-ERR-016", "IRC-VIEW-LOAD-006", "IRC-TBL-ETAG-010")
SERVER_FILE = """
[principals.first]
token = "first-token"
client-id = "first"
client-secret = "a secret"
[principals.second]
token = "reader-token"
[principals.third]
token = "denied-token"
[[grants]]
principal = "first"
access = "admin"
[[grants]]
principal = "second"
access = "{second}"
"""


def outcomes(
    server: Server, *, token: str | None = None, only: tuple[str, ...] = ACCESS, **parameters: str
) -> dict[str, Outcome]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    options = {name.replace("_", "-"): value for name, value in parameters.items()}
    return outcomes_of(checked(Target(server.url, headers=headers, parameters=options), *only))


def server_file(folder: Path, second: str = "read") -> Path:
    file = folder / "server.toml"
    file.write_text(SERVER_FILE.format(second=second), encoding="utf-8")
    return file


def test_open_catalog_is_not_checked_for_access() -> None:
    with running(warehouse="memory:") as server:
        by_requirement = outcomes(server)

    assert set(by_requirement.values()) == {Outcome.NOT_OFFERED}


def test_checks_of_other_principals_are_not_offered_without_them(tmp_path: Path) -> None:
    with running(warehouse="memory:", config=server_file(tmp_path), auth="bearer") as server:
        by_requirement = outcomes(server, token="first-token")

    requirements = {
        requirement
        for requirement, outcome in by_requirement.items()
        if outcome is not Outcome.NOT_OFFERED
    }
    assert requirements == {
        f"IRC-SEC-{number}" for number in ("001", "002", "006", "007", "009", "015")
    } | {"IRC-TBL-ETAG-010"}
    assert {by_requirement[requirement] for requirement in requirements} == {Outcome.PASS}


def test_second_principal_with_all_rights_is_no_evidence_and_a_refusal_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECOND", "reader-token")
    with running(
        warehouse="memory:", config=server_file(tmp_path, "admin"), auth="bearer"
    ) as server:
        by_requirement = outcomes(
            server,
            token="first-token",
            only=("IRC-SEC-005", "IRC-SEC-014", "IRC-SEC-016"),
            reader_token_env="SECOND",
        )

    assert by_requirement == {
        "IRC-SEC-005": Outcome.NOT_OFFERED,
        "IRC-SEC-014": Outcome.NOT_OFFERED,
        "IRC-SEC-016": Outcome.PASS,
    }


def test_tokens_named_by_parameters_enable_access_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = {"SECOND": "reader-token", "THIRD": "denied-token", "CLIENT": "first:a secret"}
    for name, value in tokens.items():
        monkeypatch.setenv(name, value)
    parameters: dict[str, Any] = {
        "reader_token_env": "SECOND",
        "denied_token_env": "THIRD",
        "client_env": "CLIENT",
    }
    with running(warehouse="memory:", config=server_file(tmp_path)) as server:
        by_requirement = outcomes(server, token="first-token", **parameters)

    without_evidence = {"IRC-SEC-003", "IRC-SEC-012", "IRC-ERR-016", "IRC-OAU-021", "IRC-OAU-026"}
    assert {
        requirement
        for requirement, outcome in by_requirement.items()
        if outcome is Outcome.NOT_OFFERED
    } == without_evidence
    assert set(by_requirement.values()) == {Outcome.PASS, Outcome.NOT_OFFERED}


@pytest.mark.parametrize("faults", [["expired-tokens-time-out"], ["forbidden-drops-find-nothing"]])
def test_access_fault_fails_only_its_requirement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faults: list[str]
) -> None:
    monkeypatch.setenv("SECOND", "reader-token")
    with running(
        warehouse="memory:", config=server_file(tmp_path), auth="bearer", faults=mutants(faults)
    ) as server:
        only = ("IRC-SEC-001", "IRC-SEC-002", "IRC-SEC-005", "IRC-SEC-016")
        by_requirement = outcomes(server, token="first-token", only=only, reader_token_env="SECOND")

    failures = {
        requirement for requirement, outcome in by_requirement.items() if outcome is Outcome.FAIL
    }
    assert failures == ({"IRC-SEC-005"} if "forbidden-drops-find-nothing" in faults else set())
