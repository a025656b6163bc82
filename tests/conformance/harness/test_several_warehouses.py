"""A server with several warehouses is checked one warehouse at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from faulty import unnamed
from faulty_servers import checked
from lakepact.conformance.evidence.outcome import Blocked, Outcome
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.running.runner import Run
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server import running
from lakepact.reference_server.faults import on_call

DISTINCT = "IRC-CFG-021"
TWO = {"warehouse": "lake", "other-warehouse": "the depot"}
ONLY = ("IRC-CFG-*", "IRC-TBL-CRED-*", "IRC-NS-GET-00*")
FILE = """
[warehouses.lake]
[warehouses.lake.credentials]
rehearsal = true

[warehouses."the depot"]
overrides = { "namespace-separator" = "%2E" }
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    file = tmp_path_factory.mktemp("server") / "server.toml"
    file.write_text(FILE)
    with running(contract="iceberg_rest", warehouse="memory:", config=file) as server:
        yield server.url


def run_of(url: str, only: tuple[str, ...] = ONLY, **parameters: str) -> Run:
    return checked(Target(url, parameters=parameters), *only)


@pytest.mark.parametrize("warehouse", ["lake", "the depot"])
def test_each_warehouse_is_conformant(url: str, warehouse: str) -> None:
    run = run_of(url, warehouse=warehouse)

    assert {
        v.requirement: v
        for v in run.verdicts
        if v.outcome not in {Outcome.PASS, Outcome.NOT_OFFERED}
    } == {}
    assert run.results()["IRC-CFG-006"].outcome is Outcome.PASS


def test_credentials_are_judged_only_in_warehouses_that_have_them(url: str) -> None:
    requirement = "IRC-TBL-CRED-004"
    outcomes = [
        run_of(url, (requirement,), warehouse=warehouse).results()[requirement].outcome
        for warehouse in ("lake", "the depot")
    ]

    assert outcomes == [Outcome.PASS, Outcome.NOT_OFFERED]


def test_check_without_a_warehouse_is_blocked_and_lists_the_names(url: str) -> None:
    with pytest.raises(
        Blocked,
        match=r"say which .*'lake', 'the depot' \(--warehouse NAME names the warehouse\)",
    ):
        run_of(url, ("IRC-CFG-004", "IRC-CFG-005"))


def test_distinct_warehouses_pass(url: str) -> None:
    run = run_of(url, (DISTINCT,), **TWO)

    assert run.results()[DISTINCT].outcome is Outcome.PASS


def test_catalog_that_ignores_the_warehouse_is_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text(FILE)
    ignoring = unnamed(
        on_call(
            op.get_config, lambda handler, arguments: handler(**arguments | {"warehouse": "lake"})
        )
    )
    with running(
        contract="iceberg_rest", warehouse="memory:", config=file, faults=[ignoring]
    ) as server:
        run = run_of(server.url, (DISTINCT,), **TWO)

    assert run.results()[DISTINCT].outcome is Outcome.WARN
