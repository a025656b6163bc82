"""Catalogs that keep what the contract says of access in ways of their own are accused of nothing; what is not known is not judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from faulty import mutants
from lakepact.conformance import plan, runner, suite
from lakepact.conformance.outcome import Outcome
from lakepact.conformance.target import Target
from lakepact.reference_server import running

if TYPE_CHECKING:
    from pathlib import Path

    from lakepact.reference_server import Server

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


def outcomes(server: Server, *, token: str | None = None, only: tuple[str, ...] = ACCESS, **parameters: str) -> dict[str, Outcome]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    named = {name.replace("_", "-"): value for name, value in parameters.items()}
    run = runner.Run(plan.plan(suite.load("iceberg_rest"), only=only), Target(server.url, headers=headers, parameters=named))
    for _ in run.events():
        pass
    return {requirement: result.outcome for requirement, result in run.results().items()}


def server_file(folder: Path, second: str = "read") -> Path:
    file = folder / "server.toml"
    file.write_text(SERVER_FILE.format(second=second), encoding="utf-8")
    return file


def test_of_a_catalog_that_is_open_to_all_nothing_is_asked() -> None:
    with running(warehouse="memory:") as server:
        seen = outcomes(server)

    assert set(seen.values()) == {Outcome.NOT_OFFERED}


def test_without_other_principals_what_needs_them_is_not_judged(tmp_path: Path) -> None:
    with running(warehouse="memory:", config=server_file(tmp_path), auth="bearer") as server:
        seen = outcomes(server, token="first-token")

    judged = {requirement for requirement, outcome in seen.items() if outcome is not Outcome.NOT_OFFERED}
    assert judged == {f"IRC-SEC-{number}" for number in ("001", "002", "006", "007", "009", "015")} | {"IRC-TBL-ETAG-010"}
    assert {seen[requirement] for requirement in judged} == {Outcome.PASS}


def test_a_second_principal_that_may_write_everything_is_no_evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECOND", "reader-token")
    with running(warehouse="memory:", config=server_file(tmp_path, "admin"), auth="bearer") as server:
        seen = outcomes(server, token="first-token", only=("IRC-SEC-005", "IRC-SEC-014"), reader_token_env="SECOND")

    assert set(seen.values()) == {Outcome.NOT_OFFERED}


def test_what_is_refused_to_who_shows_nothing_is_evidence_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECOND", "reader-token")
    with running(warehouse="memory:", config=server_file(tmp_path, "admin"), auth="bearer") as server:
        seen = outcomes(server, token="first-token", only=("IRC-SEC-016",), reader_token_env="SECOND")

    assert seen == {"IRC-SEC-016": Outcome.PASS}


def test_what_a_stranger_tells_by_parameters_is_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"SECOND": "reader-token", "THIRD": "denied-token", "CLIENT": "first:a secret"}
    for name, value in known.items():
        monkeypatch.setenv(name, value)
    parameters: dict[str, Any] = {"reader_token_env": "SECOND", "denied_token_env": "THIRD", "client_env": "CLIENT"}
    with running(warehouse="memory:", config=server_file(tmp_path)) as server:
        seen = outcomes(server, token="first-token", **parameters)

    untold = {"IRC-SEC-003", "IRC-SEC-012", "IRC-ERR-016", "IRC-OAU-021", "IRC-OAU-026"}
    assert {requirement for requirement, outcome in seen.items() if outcome is Outcome.NOT_OFFERED} == untold
    assert set(seen.values()) == {Outcome.PASS, Outcome.NOT_OFFERED}


@pytest.mark.parametrize("faults", [["expired-tokens-time-out"], ["forbidden-drops-find-nothing"]])
def test_who_is_wrong_in_one_way_is_accused_of_that_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faults: list[str]) -> None:
    monkeypatch.setenv("SECOND", "reader-token")
    with running(warehouse="memory:", config=server_file(tmp_path), auth="bearer", faults=mutants(faults)) as server:
        only = ("IRC-SEC-001", "IRC-SEC-002", "IRC-SEC-005", "IRC-SEC-016")
        seen = outcomes(server, token="first-token", only=only, reader_token_env="SECOND")

    accused = {requirement for requirement, outcome in seen.items() if outcome is Outcome.FAIL}
    assert accused == ({"IRC-SEC-005"} if "forbidden-drops-find-nothing" in faults else set())
