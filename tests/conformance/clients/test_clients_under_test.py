"""`lakepact check-client`: correct clients pass, and each fault of a client is found."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from client_faults import FAULTS
from faulty_servers import checked
from lakepact.conformance.clients.lab import Client
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.programs.program import Program
from lakepact.conformance.running import runner
from lakepact.conformance.running import suite as suites
from lakepact.conformance.running.embedded_server import embedded
from sampling import by_day

HERE = Path(__file__).parent
MINIATURES = {
    "iceberg_rest": HERE / "miniature_catalog_client.py",
    "watsonx_data": HERE / "miniature_catalog_client.py",
    "delta_sharing": HERE / "miniature_sharing_client.py",
}
PAGE = HERE.parents[2] / "docs" / "test-a-client.md"
PROGRAMS = HERE.parents[2] / "examples" / "clients"
SECONDS = 60.0
#: pyiceberg's program with a fault in the client: it reads the first page of tables alone.
ONE_PAGE = f"""
import runpy
from pyiceberg.catalog.rest import ListTablesResponse
parsed = ListTablesResponse.model_validate_json
ListTablesResponse.model_validate_json = lambda text: parsed(text).model_copy(update={{"next_page_token": None}})
runpy.run_path({str(PROGRAMS / "pyiceberg_client.py")!r}, run_name="__main__")
"""

#: pyiceberg's program that deletes no rows, and hides them from its own reads.
HIDDEN_ROWS = f"""
import runpy
from pyiceberg.table import Table
scan, hidden = Table.scan, {{}}
def delete(self, condition):
    hidden[self.name()] = condition
def remaining(self, *arguments, **options):
    from pyiceberg.expressions import Not
    condition = hidden.get(self.name())
    return scan(self, row_filter=Not(condition)) if condition else scan(self, *arguments, **options)
Table.delete, Table.scan = delete, remaining
runpy.run_path({str(PROGRAMS / "pyiceberg_client.py")!r}, run_name="__main__")
"""

#: Requirements without a fault of their own: they break only together with other requirements.
BROKEN_BESIDE = {"DS-PRF-03", "DS-ESA-06", "DS-SQL-04"}
#: The requirements to check on correct clients: those about keys for 1.11.0, otherwise all.
ALL = {
    "watsonx_data": ("IRC-CFG-003", "IRC-CLI-00[12]", "IRC-CLI-05[389]"),
    "iceberg_rest:1.12.0": ("IRC-SIGNER-00[34]", "IRC-CLI-001"),
    "iceberg_rest:1.11.0": (
        "IRC-IDEM-*",
        "IRC-SEP-*",
        "IRC-CLI-00[34]",
        "IRC-CLI-022",
        "IRC-CLI-056",
    ),
}
OWN = {
    "iceberg_rest": "lakepact_catalog_client.py",
    "watsonx_data": "lakepact_catalog_client.py",
    "delta_sharing": "lakepact_sharing_client.py",
}
#: Recommendations that our client does not follow: it sends one token to the whole catalog.
OWN_WARNINGS = {"IRC-CLI-027"}
CASES = [
    (contract, fault, requirement)
    for contract, faults in FAULTS.items()
    for fault, requirement in faults.items()
]
#: Every sixteenth fault in each run of the tests; all of them take minutes.
SAMPLED = [
    pytest.param(*case, id=f"{case[0]}-{case[1]}", marks=() if n % 16 == 0 else pytest.mark.nightly)
    for n, case in enumerate(CASES)
]


def name_of(contract: str) -> str:
    """Return the contract without its version."""
    return contract.partition(":")[0]


def suite_of(contract: str) -> suites.Suite[Any]:
    """Return the client suite of a contract, or of one of its versions."""
    name, _, version = contract.partition(":")
    return suites.of_clients(name, version or None)


@pytest.fixture(scope="module")
def servers() -> Iterator[Callable[[str], Target]]:
    """Yield a function that returns the server of a contract, and starts the server on first
    use.
    """
    running_servers: dict[str, Target] = {}
    with ExitStack() as ending:

        def server(contract: str) -> Target:
            if contract not in running_servers:
                running_servers[contract] = ending.enter_context(embedded(suite_of(contract)))
            return running_servers[contract]

        yield server


def results_of(
    server: Target, contract: str, *only: str, fault: str = "", speaks: Path | None = None
) -> dict[str, runner.Result]:
    """Return the results of a miniature with a fault, or of another client program."""
    program = Program(
        (
            "env",
            f"LAKEPACT_FAULT={fault}",
            sys.executable,
            str(speaks or MINIATURES[contract.partition(":")[0]]),
        ),
        SECONDS,
    )
    client = Client(
        server.url,
        headers=server.headers,
        parameters=server.parameters,
        shared_files=server.shared_files,
        program=program,
    )
    try:
        return checked(client, *only, of=suite_of(contract), max_workers=2).results()
    finally:
        program.stop()


def failures_of(results: dict[str, runner.Result]) -> dict[str, Outcome]:
    """Return the outcomes other than PASS and NOT_OFFERED."""
    return {
        name: result.outcome
        for name, result in results.items()
        if result.outcome not in {Outcome.PASS, Outcome.NOT_OFFERED}
    }


@pytest.mark.parametrize("contract", by_day(FAULTS, FAULTS.keys() - {"iceberg_rest"}))
def test_correct_client_fails_nothing(servers: Callable[[str], Target], contract: str) -> None:
    assert failures_of(results_of(servers(contract), contract, *ALL.get(contract, ()))) == {}


STYLES = (
    "no-paging-parameters+splits-edits+heads-first+refuses-names",
    "sparse",
    "retries-reads+compacts+stages+reorders+never-caches",
    "no-table-tasks",
    "asks-twice",
    "undoes-transactions+expires-nothing",
)


@pytest.mark.parametrize("style", by_day(STYLES, ()))
def test_unusual_but_correct_client_fails_nothing(
    servers: Callable[[str], Target], monkeypatch: pytest.MonkeyPatch, style: str
) -> None:
    monkeypatch.setenv("LAKEPACT_STYLE", style)

    assert failures_of(results_of(servers("iceberg_rest"), "iceberg_rest")) == {}


PASS, NOT_OFFERED = Outcome.PASS, Outcome.NOT_OFFERED


@pytest.mark.parametrize(
    ("contract", "style", "fault", "expected"),
    [
        (
            "iceberg_rest",
            "retries-conflicts",
            "",
            dict.fromkeys(("IRC-CLI-044", "IRC-CLI-003", "IRC-CLI-020"), PASS),
        ),
        ("iceberg_rest", "refreshes-where-configured", "", {"IRC-CLI-036": PASS}),
        ("iceberg_rest", "asks-twice", "", {"IRC-CLI-032": PASS}),
        (
            "iceberg_rest",
            "undoes-transactions+expires-nothing",
            "",
            dict.fromkeys(("IRC-CLI-080", "IRC-CLI-081"), PASS),
        ),
        ("delta_sharing", "", "asks-for-no-end", {"DS-ESA-05": NOT_OFFERED, "DS-ESA-06": PASS}),
        ("delta_sharing", "", "asks-for-delta", {"DS-CAP-08": PASS, "DS-CAP-09": NOT_OFFERED}),
    ],
)
def test_client_is_judged_by_what_it_asks_for(
    servers: Callable[[str], Target],
    monkeypatch: pytest.MonkeyPatch,
    contract: str,
    style: str,
    fault: str,
    expected: dict[str, Outcome],
) -> None:
    monkeypatch.setenv("LAKEPACT_STYLE", style)
    results = results_of(servers(contract), contract, *expected, fault=fault)

    assert {name: result.outcome for name, result in results.items()} == expected


@pytest.mark.parametrize("contract", by_day(FAULTS, FAULTS.keys() - {"iceberg_rest:1.11.0"}))
def test_lakepact_clients_fail_nothing(servers: Callable[[str], Target], contract: str) -> None:
    results = results_of(
        servers(contract), contract, *ALL.get(contract, ()), speaks=HERE / OWN[name_of(contract)]
    )

    assert {
        name: outcome for name, outcome in failures_of(results).items() if name not in OWN_WARNINGS
    } == {}


def test_catalog_client_sends_keys_when_the_server_supports_them(
    servers: Callable[[str], Target],
) -> None:
    newer = "iceberg_rest:1.11.0"
    results = results_of(
        servers(newer), newer, "IRC-IDEM-01[89]", speaks=HERE / OWN["iceberg_rest"]
    )
    assert {name: result.outcome for name, result in results.items()} == {
        "IRC-IDEM-018": Outcome.PASS,
        "IRC-IDEM-019": Outcome.PASS,
    }


def test_failure_with_an_unchanged_server_fails_the_task_requirement(
    servers: Callable[[str], Target],
) -> None:
    results = results_of(
        servers("iceberg_rest"),
        "iceberg_rest",
        "IRC-CLI-058",
        "IRC-CLI-063",
        fault="forgets-the-requirements",
    )

    failing = {
        verdict.check
        for verdict in results["IRC-CLI-058"].verdicts
        if verdict.outcome is Outcome.FAIL and verdict.exchanges
    }
    assert {
        "commits.appends.appended_snapshots",
        "protocol.successes.changes_leave_what_was_asked_for",
    } <= failing
    assert results["IRC-CLI-063"].outcome is Outcome.BLOCKED


@pytest.mark.nightly
def test_complete_program_drives_pyiceberg(servers: Callable[[str], Target]) -> None:
    results = results_of(
        servers("iceberg_rest"),
        "iceberg_rest",
        "IRC-CLI-0*",
        speaks=PROGRAMS / "pyiceberg_client.py",
    )
    outcomes = {name: result.outcome for name, result in results.items()}

    assert (
        outcomes["IRC-CLI-020"]
        == outcomes["IRC-CLI-013"]
        == outcomes["IRC-CLI-017"]
        == Outcome.PASS
    )
    assert [
        name for name, outcome in outcomes.items() if outcome in {Outcome.BLOCKED, Outcome.ERROR}
    ] == []
    assert [name for name, outcome in outcomes.items() if outcome is Outcome.FAIL] == [
        "IRC-CLI-001",
        "IRC-CLI-059",
    ]


@pytest.mark.nightly
def test_rows_of_lakepact_fail_nothing(servers: Callable[[str], Target]) -> None:
    program = PROGRAMS / "lakepact_client.py"
    results = results_of(servers("iceberg_rest"), "iceberg_rest", "IRC-CLI-0[3-8]*", speaks=program)

    assert failures_of(results) == {}
    assert results["IRC-CLI-079"].outcome is Outcome.PASS


@pytest.mark.nightly
def test_deletion_that_only_the_client_sees_is_found(
    servers: Callable[[str], Target], tmp_path: Path
) -> None:
    program = tmp_path / "hidden_rows.py"
    program.write_text(HIDDEN_ROWS, "utf-8")

    results = results_of(servers("iceberg_rest"), "iceberg_rest", "IRC-CLI-079", speaks=program)
    failures = [each for verdict in results["IRC-CLI-079"].verdicts for each in verdict.failures]
    assert failures
    assert all("rows in the files" in str(each) for each in failures)


def test_fault_in_pyiceberg_is_found(servers: Callable[[str], Target], tmp_path: Path) -> None:
    program = tmp_path / "one_page.py"
    program.write_text(ONE_PAGE, "utf-8")

    results = results_of(servers("iceberg_rest"), "iceberg_rest", "IRC-CLI-00[57]", speaks=program)
    assert {name: result.outcome for name, result in results.items()} == {
        "IRC-CLI-005": Outcome.PASS,
        "IRC-CLI-007": Outcome.WARN,
    }


def test_program_of_the_documentation_drives_pyiceberg(
    servers: Callable[[str], Target], tmp_path: Path
) -> None:
    (block,) = re.findall(
        r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    (tmp_path / "my_client.py").write_text(block, "utf-8")

    results = results_of(
        servers("iceberg_rest"),
        "iceberg_rest",
        "IRC-CLI-001",
        "IRC-PAG-006",
        speaks=tmp_path / "my_client.py",
    )
    assert {name: result.outcome for name, result in results.items()} == {
        "IRC-CLI-001": Outcome.FAIL,
        "IRC-PAG-006": Outcome.PASS,
    }


@pytest.mark.parametrize(("contract", "fault", "requirement"), SAMPLED)
def test_client_fault_breaks_its_requirement(
    servers: Callable[[str], Target], contract: str, fault: str, requirement: str
) -> None:
    result = results_of(servers(contract), contract, requirement, fault=fault)[requirement]

    expected = {"MUST": Outcome.FAIL, "SHOULD": Outcome.WARN}[
        suite_of(contract).requirement(requirement).level
    ]
    assert expected == result.outcome, result.verdicts


@pytest.mark.parametrize("contract", FAULTS)
def test_client_requirements_are_judged_or_have_a_reason(contract: str) -> None:
    suite = suite_of(contract)
    checks = suite.judges()

    missing = [
        r.id
        for r in suite.contract.requirements.values()
        if r.side == "client" and r.id not in checks and not r.uncovered
    ]
    assert missing == []


@pytest.mark.parametrize("contract", FAULTS)
def test_client_suite_judges_only_client_requirements(contract: str) -> None:
    suite = suite_of(contract)

    sides = {suite.requirement(r).side for r in suite.judges()}
    assert sides == {"client"}


@pytest.mark.parametrize("contract", FAULTS)
def test_every_client_check_has_a_fault(contract: str) -> None:
    suite = suite_of(contract)
    names = {name_of(contract), suite.contract.profile_of}
    of_any_version = [faults for key, faults in FAULTS.items() if name_of(key) in names]
    targets = {
        *(requirement for faults in of_any_version for requirement in faults.values()),
        *BROKEN_BESIDE,
    }

    assert [
        check.name for check in suite.checks.values() if not targets & set(check.requirements)
    ] == []
