"""`lakepact check-client`: correct clients pass, and each fault of a client is found."""

from __future__ import annotations

import re
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lakepact.conformance import plan, runner
from lakepact.conformance import suite as suites
from lakepact.conformance.clients.lab import Client
from lakepact.conformance.clients.program import Program
from lakepact.conformance.embedded import embedded
from lakepact.conformance.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lakepact.conformance.target import Target

HERE = Path(__file__).parent
MINIATURES = {"iceberg_rest": HERE / "miniature_catalog_client.py", "delta_sharing": HERE / "miniature_sharing_client.py"}
PAGE = HERE.parents[2] / "docs" / "test-a-client.md"
SECONDS = 60.0

#: The faults of the miniatures and the requirements that they break, by contract, or by contract and version with a colon between.
FAULTS = {
    "iceberg_rest:1.11.0": {
        "has-keys-for-attempts": "IRC-IDEM-018",
        "has-one-key": "IRC-IDEM-018",
        "relies-on-any-server": "IRC-IDEM-019",
    },
    "iceberg_rest": {
        "own-settings-win": "IRC-CFG-003",
        "defaults-win": "IRC-CFG-003",
        "no-defaults": "IRC-CFG-003",
        "needs-the-token": "IRC-PAG-006",
        "takes-null-for-a-token": "IRC-PAG-006",
        "sends-a-word-as-size": "IRC-CLI-001",
        "namespaces-are-words": "IRC-CLI-001",
        "joins-levels-by-dots": "IRC-CLI-002",
        "leaves-percent-signs": "IRC-CLI-002",
        "writes-spaces-as-plus": "IRC-CLI-005",
        "takes-refusals-for-nothing": "IRC-CLI-003",
        "takes-conflicts-for-done": "IRC-CLI-003",
        "sends-again": "IRC-CLI-004",
        "takes-any-prefix": "IRC-TBL-CRED-003",
        "takes-the-shortest-prefix": "IRC-TBL-CRED-003",
        "takes-the-first-prefix": "IRC-TBL-CRED-003",
        "takes-config-first": "IRC-TBL-LOAD-013",
        "forgets-the-action": "IRC-SCH-TableUpdate",
        "forgets-the-requirements": "IRC-SCH-CommitTableRequest",
        "renames-to-a-target": "IRC-SCH-RenameTableRequest",
        "reads-one-page": "IRC-CLI-006",
        "leaves-tokens-as-they-are": "IRC-CLI-006",
        "does-not-page": "IRC-CLI-007",
        "stops-at-an-empty-page": "IRC-CLI-008",
        "never-ends": "IRC-CLI-009",
        "repeats-the-parent": "IRC-CLI-010",
        "joins-parents-by-dots": "IRC-CLI-010",
        "always-sends-head": "IRC-CLI-011",
        "always-asks-for-credentials": "IRC-CLI-036",
        "encodes-the-prefix": "IRC-CLI-013",
        "drops-without-prefix": "IRC-CLI-013",
        "stays-at-its-uri": "IRC-CLI-014",
        "takes-any-error-for-no": "IRC-CLI-003",
        "knows-204-only": "IRC-CLI-016",
        "needs-204": "IRC-CLI-016",
        "takes-204-for-an-error": "IRC-CLI-017",
        "drops-twice": "IRC-CLI-017",
        "needs-an-error-body": "IRC-CLI-018",
        "sends-lost-commits-again": "IRC-CLI-019",
        "deletes-files-of-unknown-commits": "IRC-CLI-020",
        "deletes-metadata-of-unknown-commits": "IRC-CLI-020",
        "has-one-error": "IRC-CLI-021",
        "retries-commits-when-busy": "IRC-CLI-022",
        "does-not-wait": "IRC-CLI-023",
        "knows-no-dates": "IRC-CLI-023",
        "asks-for-tokens-in-json": "IRC-CLI-024",
        "never-refreshes": "IRC-CLI-025",
        "gives-up-after-a-failed-refresh": "IRC-CLI-026",
        "has-one-token": "IRC-CLI-027",
        "needs-config": "IRC-CLI-028",
        "needs-properties": "IRC-CLI-028",
        "knows-every-member": "IRC-CLI-028",
        "config-is-an-object": "IRC-CLI-029",
        "config-of-views-is-an-object": "IRC-CLI-029",
        "numbers-are-floats": "IRC-CLI-030",
        "takes-minus-one-for-a-snapshot": "IRC-CLI-031",
        "takes-304-for-gone": "IRC-CLI-032",
        "keeps-the-first-table": "IRC-CLI-032",
        "makes-up-a-path": "IRC-CLI-033",
        "registers-by-a-commit": "IRC-SCH-CommitTableRequest",
        "ignores-delete-files": "IRC-CLI-034",
        "mixes-up-delete-files": "IRC-CLI-034",
        "does-not-wait-for-plans": "IRC-CLI-035",
        "fetches-no-plan-tasks": "IRC-CLI-035",
        "keeps-expired-credentials": "IRC-CLI-036",
        "needs-head": "IRC-CLI-012",
        "sends-no-existence": "IRC-CLI-015",
    },
    "delta_sharing": {
        "takes-any-profile": "DS-PRF-01",
        "keeps-the-slash": "DS-PRF-02",
        "needs-the-token": "DS-PAG-10",
        "takes-empty-for-a-token": "DS-PAG-10",
        "needs-items": "DS-PAG-12",
        "refuses-long-texts": "DS-SHR-06",
        "knows-every-member": "DS-PRO-03",
        "reads-any-version": "DS-PRO-02",
        "passes-over-errors": "DS-EST-05",
        "misses-no-end": "DS-ESA-05",
        "asks-for-delta-alone": "DS-CAP-08",
        "passes-over-formats": "DS-CAP-09",
        "leaves-limits-to-the-server": "DS-HNT-14",
        "leaves-predicates-to-the-server": "DS-JSP-09",
        "sends-nothing": "DS-QRY-03",
        "needs-access-modes": "DS-LTB-12",
        "takes-refusals-for-nothing": "DS-ACC-01",
        "reads-one-page": "DS-CLI-01",
        "stops-at-an-empty-page": "DS-CLI-02",
        "never-ends": "DS-CLI-03",
        "needs-stats": "DS-CLI-04",
        "stats-is-text": "DS-CLI-05",
        "takes-version-0-for-none": "DS-CLI-06",
        "sends-local-times": "DS-CLI-07",
        "knows-one-case": "DS-CLI-08",
        "needs-200": "DS-CLI-09",
        "partition-values-are-text": "DS-CLI-10",
        "takes-missing-files-for-empty": "DS-CLI-11",
        "asks-for-features-it-lacks": "DS-CLI-12",
        "forgets-removed-rows": "DS-CLI-13",
        "asks-for-delta-and-reads-parquet": "DS-CLI-14",
    },
}
#: Requirements without a fault of their own: they break only together with other requirements.
BROKEN_BESIDE = {"DS-PRF-03", "DS-ESA-06", "DS-SQL-04"}
#: The requirements to check on correct clients: those about keys for 1.11.0, otherwise all.
ALL = {"iceberg_rest:1.11.0": ("IRC-IDEM-*", "IRC-CLI-00[34]")}
OWN = {"iceberg_rest": "lakepact_catalog_client.py", "delta_sharing": "lakepact_sharing_client.py"}
#: Recommendations that our client does not follow: it sends one token to the whole catalog.
OWN_WARNINGS = {"IRC-CLI-027"}
CASES = [(contract, fault, broken) for contract, faults in FAULTS.items() for fault, broken in faults.items()]


def name_of(contract: str) -> str:
    """Return the contract without its version."""
    return contract.partition(":")[0]


def suite_of(contract: str) -> suites.Suite[Any]:
    """Return the client suite of a contract, or of one of its versions."""
    name, _, version = contract.partition(":")
    return suites.of_clients(name, version or None)


@pytest.fixture(scope="module")
def servers() -> Iterator[Callable[[str], Target]]:
    """Yield a function that returns the server of a contract, and starts the server on first use."""
    started: dict[str, Target] = {}
    with ExitStack() as ending:

        def server(contract: str) -> Target:
            if contract not in started:
                started[contract] = ending.enter_context(embedded(suite_of(contract)))
            return started[contract]

        yield server


def judged(server: Target, contract: str, *only: str, fault: str = "", speaks: Path | None = None) -> dict[str, runner.Result]:
    """Return the results of a miniature with a fault, or of another client program."""
    program = Program(("env", f"LAKEPACT_FAULT={fault}", sys.executable, str(speaks or MINIATURES[contract.partition(":")[0]])), SECONDS)
    client = Client(server.url, headers=server.headers, parameters=server.parameters, program=program)
    run = runner.Run(plan.plan(suite_of(contract), only=only), client, max_workers=2)
    try:
        for _ in run.events():
            pass
    finally:
        program.stop()
    return run.results()


def failed(results: dict[str, runner.Result]) -> dict[str, Outcome]:
    """Return the outcomes other than PASS and NOT_OFFERED."""
    return {name: result.outcome for name, result in results.items() if result.outcome not in {Outcome.PASS, Outcome.NOT_OFFERED}}


@pytest.mark.parametrize("contract", FAULTS)
def test_correct_client_fails_nothing(servers: Callable[[str], Target], contract: str) -> None:
    assert failed(judged(servers(contract), contract, *ALL.get(contract, ()))) == {}


@pytest.mark.parametrize("style", ["no-paging-parameters", "strict", "retries-reads", "no-table-tasks"])
def test_unusual_but_correct_client_fails_nothing(servers: Callable[[str], Target], monkeypatch: pytest.MonkeyPatch, style: str) -> None:
    monkeypatch.setenv("LAKEPACT_STYLE", style)

    assert failed(judged(servers("iceberg_rest"), "iceberg_rest")) == {}


@pytest.mark.parametrize("contract", FAULTS)
def test_lakepact_clients_fail_nothing(servers: Callable[[str], Target], contract: str) -> None:
    results = judged(servers(contract), contract, *ALL.get(contract, ()), speaks=HERE / OWN[name_of(contract)])

    assert {name: outcome for name, outcome in failed(results).items() if name not in OWN_WARNINGS} == {}


def test_catalog_client_sends_keys_when_the_server_supports_them(servers: Callable[[str], Target]) -> None:
    newer = "iceberg_rest:1.11.0"
    kept = judged(servers(newer), newer, "IRC-IDEM-01[89]", speaks=HERE / OWN["iceberg_rest"])
    assert {name: result.outcome for name, result in kept.items()} == {"IRC-IDEM-018": Outcome.PASS, "IRC-IDEM-019": Outcome.PASS}


def test_program_of_the_documentation_drives_pyiceberg(servers: Callable[[str], Target], tmp_path: Path) -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (tmp_path / "my_client.py").write_text(block, "utf-8")

    results = judged(servers("iceberg_rest"), "iceberg_rest", "IRC-CLI-001", "IRC-PAG-006", speaks=tmp_path / "my_client.py")
    assert {name: result.outcome for name, result in results.items()} == {"IRC-CLI-001": Outcome.FAIL, "IRC-PAG-006": Outcome.PASS}


@pytest.mark.parametrize(("contract", "fault", "broken"), CASES, ids=[f"{contract}-{fault}" for contract, fault, _ in CASES])
def test_client_fault_breaks_its_requirement(servers: Callable[[str], Target], contract: str, fault: str, broken: str) -> None:
    found = judged(servers(contract), contract, broken, fault=fault)[broken]

    expected = {"MUST": Outcome.FAIL, "SHOULD": Outcome.WARN}[suite_of(contract).requirement(broken).level]
    assert expected == found.outcome, found.verdicts


def test_client_that_requests_no_end_action_reads_without_it(servers: Callable[[str], Target]) -> None:
    kept = judged(servers("delta_sharing"), "delta_sharing", "DS-ESA-0[56]", fault="asks-for-no-end")

    expected = {"DS-ESA-05": Outcome.NOT_OFFERED, "DS-ESA-06": Outcome.PASS}
    assert expected == {name: result.outcome for name, result in kept.items()}


def test_client_that_requests_delta_format_reads_both_formats(servers: Callable[[str], Target]) -> None:
    kept = judged(servers("delta_sharing"), "delta_sharing", "DS-CAP-0[89]", fault="asks-for-delta")

    expected = {"DS-CAP-08": Outcome.PASS, "DS-CAP-09": Outcome.NOT_OFFERED}
    assert expected == {name: result.outcome for name, result in kept.items()}


@pytest.mark.parametrize("contract", FAULTS)
def test_client_requirements_are_judged_or_have_a_reason(contract: str) -> None:
    suite = suite_of(contract)
    judged_here = suite.judged()

    missing = [r.id for r in suite.contract.requirements.values() if r.side == "client" and r.id not in judged_here and not r.uncovered]
    assert missing == []


@pytest.mark.parametrize("contract", FAULTS)
def test_client_suite_judges_only_client_requirements(contract: str) -> None:
    suite = suite_of(contract)

    sides = {suite.requirement(r).side for r in suite.judged()}
    assert sides == {"client"}


@pytest.mark.parametrize("contract", FAULTS)
def test_every_client_check_has_a_fault(contract: str) -> None:
    suite = suite_of(contract)
    broken = {*FAULTS[contract].values(), *FAULTS[name_of(contract)].values(), *BROKEN_BESIDE}

    assert [check.name for check in suite.checks.values() if not broken & set(check.requirements)] == []
