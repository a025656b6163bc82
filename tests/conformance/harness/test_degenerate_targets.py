"""Targets that forget everything, refuse nothing or store everything: few causes, no error of the suite, the right exit code."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from faulty import unnamed
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.report.lines import lines as report_lines
from lakepact.conformance.running import plan, runner
from lakepact.conformance.running import suite as suites
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import on_answer
from lakepact.reference_server.running import running
from server_doubles.degenerate_servers import forgets_namespaces, forgets_tables, never_refuses, stores_everything

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.faults import Install

MOST_CAUSES = 10
LONGEST = 180  #: seconds

#: By name: the fault, and a requirement that it breaks, one that it keeps and one that cannot be judged.
TARGETS = {
    "forgets namespaces": (forgets_namespaces, "IRC-NS-GET-001", "IRC-NS-CREATE-001", "IRC-TBL-LOAD-001"),
    "forgets tables": (forgets_tables, "IRC-TBL-LIST-001", "IRC-NS-GET-001", "IRC-TBL-LOAD-002"),
    "refuses nothing": (never_refuses(), "IRC-NS-CREATE-005", "IRC-NS-GET-001", "IRC-TBL-LOAD-002"),
    "stores everything": (stores_everything(), "IRC-NS-CREATE-005", "IRC-NS-GET-001", "IRC-TBL-LOAD-002"),
}


def checked(fault: Install, *only: str) -> runner.Run:
    with running(contract="iceberg_rest", faults=[unnamed(fault)]) as server:
        run = runner.Run(plan.plan(suites.load("iceberg_rest"), only=only), Target(server.url))
        list(run.events())
    return run


@pytest.mark.nightly
@pytest.mark.parametrize("name", TARGETS)
def test_degenerate_target_has_few_causes(name: str, record_property: Callable[[str, object], None]) -> None:
    fault, broken, kept, blocked = TARGETS[name]
    started = time.monotonic()
    run = checked(fault)
    seconds = time.monotonic() - started
    results = run.results()
    causes = [line["title"] for line in report_lines(run) if line["line"] == "cause"]
    record_property("measured", f"{len(causes)} causes, {seconds:.0f} s")

    assert runner.exit_code(results.values()) == runner.NOT_CONFORMANT
    assert [r for r, result in results.items() if result.outcome is Outcome.ERROR] == []
    assert [results[r].outcome for r in (broken, kept, blocked)] == [Outcome.FAIL, Outcome.PASS, Outcome.BLOCKED]
    assert len(causes) <= MOST_CAUSES, causes
    assert seconds < LONGEST


@pytest.mark.parametrize(
    ("fault", "check", "requirement", "outcome"),
    [
        (forgets_tables, "protocol.paging.changes_between_pages_lose_no_item", "IRC-PAG-017", Outcome.WARN),
        (never_refuses(), "tables.load.metadata_location_follows_commits", "IRC-TBL-LOAD-002", Outcome.BLOCKED),
    ],
    ids=["empty first page", "accepted stale commit"],
)
def test_check_of_a_degenerate_target_ends_with_a_verdict(fault: Install, check: str, requirement: str, outcome: Outcome) -> None:
    assert checked(fault, check).results()[requirement].outcome is outcome


def test_second_winner_of_a_race_is_the_evidence() -> None:
    run = checked(never_refuses(), "IRC-TBL-DROP-010")
    failures = run.results()["IRC-TBL-DROP-010"].verdicts[0].failures

    assert {(f.refusal, run.wire.exchanges[f.exchanges[-1]].operation) for f in failures} == {(True, op.drop_table)}


def test_response_that_does_not_fit_its_schema_is_the_evidence() -> None:
    invalid = on_answer(op.get_config, lambda document: {**document, "overrides": None})
    run = checked(invalid, "IRC-SCH-CatalogConfig")
    shown = {run.wire.exchanges[f.exchanges[-1]].operation for v in run.results()["IRC-SCH-CatalogConfig"].verdicts for f in v.failures}

    assert shown == {op.get_config}


def test_run_on_a_target_that_accepts_nonsense_lists_its_leftovers() -> None:
    run = checked(never_refuses(), "IRC-GEN-013")

    assert run.results()["IRC-GEN-013"].outcome is Outcome.FAIL
