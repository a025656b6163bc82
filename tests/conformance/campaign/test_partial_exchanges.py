"""Verdicts from partial exchanges equal the verdicts of all invariants on whole exchanges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import pytest

from campaigns import Here, few_cases, ran
from faulty import mutants
from lakepact.conformance.campaign import tables
from lakepact.conformance.campaign.execution import evidence
from lakepact.conformance.campaign.judging.partial_exchanges import OF_REQUEST, Answer, Closer, PartialExchange, suite_of
from lakepact.conformance.campaign.judging.verdicts import judged
from lakepact.conformance.outcome import Unmet, broken
from lakepact.reference_server.running import running as serving

if TYPE_CHECKING:
    from lakepact.conformance.exchanges import Exchange

FAULTS = ("creation-is-201", "drops-answer-200", "error-code-always-400", "camel-case")


def test_verdicts_from_partial_exchanges_equal_those_of_all_invariants(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("partial")
    with serving(warehouse="memory:", faults=mutants(FAULTS)) as bad:
        run = ran(few_cases(folder / "plan"), folder / "run", Here(), f"bad={bad.url}", chunk=1000)
    invariants = suite_of("iceberg_rest").invariants
    rows = tables.read(run / "exchanges", tables.EXCHANGES).to_pylist()
    found = [[(r["check_id"], r["requirement_id"], r["verdict"]) for r in judged(row)[0] if r["check_id"] in invariants] for row in rows]

    assert [verdicts_of_all(evidence.exchange_of(row)) for row in rows] == found


def verdicts_of_all(exchange: Exchange) -> list[tuple[str, str, str]]:
    suite, said = suite_of("iceberg_rest"), []
    for invariant in suite.invariants.values():
        try:
            held = invariant.judge(exchange)
        except Unmet:
            said += [(invariant.name, name, broken(suite.contract.requirements[name]).value) for name in invariant.requirements]
        else:
            said += [(invariant.name, name, "pass") for name in invariant.requirements if held]
    return said


@pytest.mark.parametrize("what", ["body", "parsed", "headers", "url", "request_body", "redact", "lines", "seconds"])
def test_varying_part_of_a_partial_exchange_raises_closer(what: str) -> None:
    partial: Any = PartialExchange("iceberg_rest", frozenset(), "campaign", "loadTable", "GET", 200, "application/json", "*/*", ())

    with pytest.raises(Closer):
        getattr(partial, what)


@pytest.mark.parametrize("what", sorted(OF_REQUEST))
def test_request_part_of_an_answer_raises_closer(what: str) -> None:
    answer = Answer(1, "loadTable", "campaign", "GET", "http://a", (), b"", 200, httpx.Headers(), b"{}", 0.1)

    with pytest.raises(Closer):
        getattr(answer, what)


def test_answer_shows_its_own_parts() -> None:
    answer = Answer(1, "loadTable", "campaign", "GET", "http://a", (), b"", 200, httpx.Headers(), b"{}", 0.1)

    assert (answer.parsed, answer.lines, answer.operation, answer.status, answer.media_type) == ({}, ({},), "loadTable", 200, "")
