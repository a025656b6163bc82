"""Targets that answer everything alike, forget or refuse nothing: no false pass, few causes, no
error, the right exit code.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson
import pytest

from faulty import unnamed
from faulty_servers import checked
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.report.run_lines import lines_of
from lakepact.conformance.running import runner
from lakepact.conformance.running import suite as suites
from lakepact.generated.contract import Contract, OperationId
from lakepact.generated.delta_sharing import op as sharing
from lakepact.generated.iceberg_rest import op as catalog
from lakepact.reference_server.faults import Install, on_answer
from lakepact.reference_server.running import running
from sampling import by_day
from server_doubles.degenerate_servers import (
    always,
    forgets_namespaces,
    forgets_pages,
    forgets_tables,
    never_answers,
    never_refuses,
    stores_everything,
)

MOST_CAUSES = 10  #: an answer without content is one cause for each operation
LONGEST = 180  #: seconds
ICEBERG, SHARING, WATSONX = "iceberg_rest", "delta_sharing", "watsonx_data"
SUITES = [(SHARING, "2026-02"), (SHARING, "2026-08"), (WATSONX, "2026")]

LISTINGS = {
    sharing.list_shares,
    sharing.get_share,
    sharing.list_schemas,
    sharing.list_tables,
    sharing.list_all_tables,
}
HTML = "text/html"


def error(contract: str, status: int) -> bytes:
    """Return the contract's error body."""
    if contract == SHARING:
        return orjson.dumps({"errorCode": "CONSTANT", "message": "always"})
    return orjson.dumps(
        {"error": {"message": "always", "type": "ConstantException", "code": status}}
    )


def constant(contract: str, version: str, name: str) -> Install:
    """Return a server whose listings or configuration are right, and whose other answers are all
    alike.
    """
    operations = set(Contract(contract, version).operations) - (
        LISTINGS if contract == SHARING else {catalog.get_config}
    )
    match name:
        case "empty":
            return always(operations, 200)
        case "object":
            return always(operations, 200, b"{}")
        case "page":
            return always(operations, 200, b"<html></html>", HTML)
        case _:
            return always(
                operations, int(name), error(contract, int(name)) if name != "204" else b""
            )


#: Requirements about any answer, which such servers may keep: of errors, of single answers, and
#: those that permit.
ANY_ANSWER = {
    SHARING: {
        *(
            "DS-GEN-01",
            "DS-GEN-03",
            "DS-GEN-06",
            "DS-GEN-07",
            "DS-GEN-12",
            "DS-GEN-14",
            "DS-GEN-15",
        ),
        *(
            "DS-GEN-16",
            "DS-TSF-01",
            "DS-DF-03",
            "DS-DF-05",
            "DS-DF-09",
            "DS-ESA-02",
            "DS-ESA-03",
            "DS-QRY-06",
        ),
    },
    WATSONX: {
        *(
            "IRC-ERR-001",
            "IRC-ERR-002",
            "IRC-ERR-003",
            "IRC-ERR-004",
            "IRC-ERR-006",
            "IRC-ERR-014",
            "IRC-ERR-015",
            "IRC-ERR-018",
        ),
        *(
            "IRC-ERR-020",
            "IRC-ERR-021",
            "IRC-GEN-005",
            "IRC-GEN-006",
            "IRC-GEN-008",
            "IRC-GEN-009",
            "IRC-GEN-018",
            "IRC-GEN-024",
        ),
        *(
            "IRC-GEN-025",
            "IRC-SCH-ErrorModel",
            "IRC-SCH-IcebergErrorResponse",
            "IRC-SEC-006",
            "IRC-SEC-007",
            "IRC-SEC-015",
        ),
        *("WXD-GEN-001", "WXD-GEN-002", "WXD-NAME-002", "WXD-SEC-001", "WXD-SEC-004"),
    },
}


def of_iceberg(fault: Install, *only: str, timeout: float = 60) -> runner.Run:
    """Return the run against a server with default options."""
    with running(contract=ICEBERG, faults=[unnamed(fault)]) as server:
        return checked(Target(server.url, timeout=timeout), *only)


def judging(contract: str, version: str, fault: Install, *, timeout: float = 60) -> runner.Run:
    if contract == ICEBERG:
        return of_iceberg(fault, timeout=timeout)
    suite = suites.load(contract, version)
    with TemporaryDirectory() as folder:
        embedded = suite.launch_settings(Path(folder))
        with running(contract=contract, faults=[unnamed(fault)], **embedded.settings) as server:
            return checked(replace(embedded.target(server.url), timeout=timeout), of=suite)


def summary(run: runner.Run) -> tuple[int, list[str], int]:
    """Return the exit code, the errors of the suite and the number of causes."""
    results = run.results()
    errors = [
        requirement for requirement, result in results.items() if result.outcome is Outcome.ERROR
    ]
    causes = sum(line["line"] == "cause" for line in lines_of(run))
    return runner.exit_code(results.values()), errors, causes


def passes(run: runner.Run, answering: set[OperationId]) -> set[str]:
    """Return the requirements that passed, without those about operations of `answering` alone."""
    requirements = {r for r, result in run.results().items() if result.outcome is Outcome.PASS}
    about = {r: set(run.plan.suite.requirement(r).operations) for r in requirements}
    return {r for r in requirements if not about[r] or about[r] - answering}


@pytest.mark.parametrize(
    "name", by_day(["empty", "object", "page", "204", "400", "404", "409", "500"], ["empty"])
)
@pytest.mark.parametrize(("contract", "version"), SUITES)
def test_constant_answer_passes_nothing_that_it_does_not_keep(
    contract: str, version: str, name: str
) -> None:
    run = judging(contract, version, constant(contract, version, name))
    code, errors, causes = summary(run)
    allowed = ANY_ANSWER[contract]

    assert (code, errors) == (runner.NOT_CONFORMANT, [])
    assert causes <= MOST_CAUSES
    assert passes(run, LISTINGS | {catalog.get_config}) - allowed == set()


FAIL, PASS, BLOCKED = Outcome.FAIL, Outcome.PASS, Outcome.BLOCKED
#: By contract: the faults, and outcomes of requirements.
FAULTS: dict[str, list[tuple[str, Install, dict[str, Outcome]]]] = {
    ICEBERG: [
        (
            "forgets namespaces",
            forgets_namespaces,
            {"IRC-NS-GET-001": FAIL, "IRC-NS-CREATE-001": PASS, "IRC-TBL-LOAD-001": BLOCKED},
        ),
        (
            "forgets tables",
            forgets_tables,
            {"IRC-TBL-LIST-001": FAIL, "IRC-NS-GET-001": PASS, "IRC-TBL-LOAD-002": BLOCKED},
        ),
        (
            "refuses nothing",
            never_refuses(),
            {"IRC-NS-CREATE-005": FAIL, "IRC-NS-GET-001": PASS, "IRC-TBL-LOAD-002": BLOCKED},
        ),
        (
            "stores everything",
            stores_everything(),
            {"IRC-NS-CREATE-005": FAIL, "IRC-NS-GET-001": PASS, "IRC-TBL-LOAD-002": BLOCKED},
        ),
    ],
    SHARING: [
        ("refuses nothing", never_refuses(), {"DS-GEN-11": FAIL}),
        ("accepts every body", stores_everything(), {"DS-TTV-03": FAIL}),
        ("forgets pages", forgets_pages, {"DS-PAG-03": FAIL}),
    ],
    WATSONX: [
        ("refuses nothing", never_refuses(), {"WXD-NS-002": FAIL}),
        ("stores everything", stores_everything(), {"WXD-NS-002": FAIL}),
        ("forgets namespaces", forgets_namespaces, {"IRC-NS-GET-001": FAIL}),
        ("forgets tables", forgets_tables, {"IRC-TBL-LIST-001": FAIL}),
    ],
}


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("contract", "version", "fault", "expected"),
    [
        pytest.param(
            c,
            v,
            fault,
            expected_outcomes,
            id=f"{c} {v} {name}",
        )
        for c, v in ((ICEBERG, ""), *SUITES)
        for name, fault, expected_outcomes in FAULTS[c]
    ],
)
def test_degenerate_target_has_few_causes(
    contract: str,
    version: str,
    fault: Install,
    expected: dict[str, Outcome],
    record_property: Callable[[str, object], None],
) -> None:
    start = time.monotonic()
    run = judging(contract, version, fault)
    seconds = time.monotonic() - start
    code, errors, causes = summary(run)
    record_property("measured", f"{causes} causes, {seconds:.0f} s")

    assert (code, errors) == (runner.NOT_CONFORMANT, [])
    assert {requirement: run.results()[requirement].outcome for requirement in expected} == expected
    assert causes <= MOST_CAUSES
    assert seconds < LONGEST


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("contract", "version", "silent", "expected"),
    [
        (
            ICEBERG,
            "",
            catalog.create_table,
            {"IRC-TBL-CREATE-001": BLOCKED, "IRC-NS-CREATE-001": PASS},
        ),
        (SHARING, "2026-02", sharing.query_table, {"DS-LSH-01": PASS}),
        (SHARING, "2026-08", sharing.get_table_metadata, {"DS-LSH-01": PASS}),
        (WATSONX, "2026", catalog.create_table, {"IRC-NS-CREATE-001": PASS}),
    ],
)
def test_server_that_never_answers_one_operation_is_judged_by_the_others(
    contract: str, version: str, silent: OperationId, expected: dict[str, Outcome]
) -> None:
    run = judging(contract, version, never_answers(silent), timeout=2)

    assert summary(run) == (runner.INCOMPLETE, [], 0)
    assert [
        requirement for requirement, result in run.results().items() if result.outcome is FAIL
    ] == []
    assert {requirement: run.results()[requirement].outcome for requirement in expected} == expected


@pytest.mark.parametrize(
    ("fault", "check", "requirement", "outcome"),
    [
        (
            forgets_tables,
            "protocol.paging.changes_between_pages_lose_no_item",
            "IRC-PAG-017",
            Outcome.WARN,
        ),
        (
            never_refuses(),
            "tables.load.metadata_location_follows_commits",
            "IRC-TBL-LOAD-002",
            Outcome.BLOCKED,
        ),
    ],
    ids=["empty first page", "accepted stale commit"],
)
def test_check_of_a_degenerate_target_ends_with_a_verdict(
    fault: Install, check: str, requirement: str, outcome: Outcome
) -> None:
    assert of_iceberg(fault, check).results()[requirement].outcome is outcome


def test_second_winner_of_a_race_is_the_evidence() -> None:
    run = of_iceberg(never_refuses(), "IRC-TBL-DROP-010")
    failures = run.results()["IRC-TBL-DROP-010"].verdicts[0].failures

    assert {(f.refusal, run.wire.exchanges[f.exchanges[-1]].operation) for f in failures} == {
        (True, catalog.drop_table)
    }


def test_response_that_does_not_fit_its_schema_is_the_evidence() -> None:
    invalid = on_answer(catalog.get_config, lambda document: {**document, "overrides": None})
    run = of_iceberg(invalid, "IRC-SCH-CatalogConfig")
    operations = {
        run.wire.exchanges[f.exchanges[-1]].operation
        for v in run.results()["IRC-SCH-CatalogConfig"].verdicts
        for f in v.failures
    }

    assert operations == {catalog.get_config}


def test_run_on_a_target_that_accepts_nonsense_lists_its_leftovers() -> None:
    run = of_iceberg(never_refuses(), "IRC-GEN-013")

    assert run.results()["IRC-GEN-013"].outcome is Outcome.FAIL
