"""Every kept exchange of a campaign is judged by every invariant and by the requests that must be
refused.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import pyarrow.compute as pc
import pytest

from campaigns import Here, few_cases, ran
from faulty import mutants
from lakepact.conformance.campaign import tables
from lakepact.conformance.campaign.execution import evidence
from lakepact.conformance.campaign.judging import verdicts
from lakepact.conformance.campaign.judging.verdicts import judge_row
from lakepact.conformance.evidence.outcome import Unmet, breach_outcome
from lakepact.reference_server.running import running as serving

FAULTS = ("creation-is-201", "drops-answer-200", "error-code-always-400", "camel-case")


@pytest.fixture(scope="module")
def exchanges(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return all exchanges with two servers, one of them faulty."""
    folder = tmp_path_factory.mktemp("judging")
    with (
        serving(warehouse="memory:") as good,
        serving(warehouse="memory:", faults=mutants(FAULTS)) as bad,
    ):
        run = ran(
            few_cases(folder / "plan"), folder / "run", Here(), f"good={good.url}", f"bad={bad.url}"
        )
    return tables.read(run / "exchanges", tables.EXCHANGES)


def test_every_invariant_judges_every_exchange(exchanges: Any) -> None:
    suite = verdicts.suite_of("iceberg_rest")
    for row in exchanges.to_pylist():
        actual = {
            (r["check_id"], r["requirement_id"], r["verdict"])
            for r in judge_row(row)[0]
            if r["check_id"] in suite.invariants
        }
        expected = set()
        for invariant in suite.invariants.values():
            try:
                outcome = "pass" if invariant.judge(evidence.exchange_of(row)) else None
            except Unmet:
                outcome = "broken"
            for name in invariant.requirements if outcome else ():
                expected.add(
                    (
                        invariant.name,
                        name,
                        breach_outcome(suite.contract.requirements[name]).value
                        if outcome == "broken"
                        else "pass",
                    )
                )
        assert actual == expected


def test_invariant_applies_to_no_answer_that_it_does_not_concern(exchanges: Any) -> None:
    suite = verdicts.suite_of("iceberg_rest")
    rows = {row["operation_id"]: row for row in exchanges.to_pylist()}
    for row, operation, status in product(rows.values(), rows, (200, 204, 304, 400, 406, 503)):
        method = suite.contract.operations[operation].method
        exchange = evidence.exchange_of(
            {**row, "operation_id": operation, "method": method, "http_status": status}
        )
        others = [
            invariant
            for invariant in suite.invariants.values()
            if not invariant.concerns(operation, status)
        ]

        assert [invariant.name for invariant in others if invariant.judge(exchange)] == []


def test_faulty_target_alone_fails(exchanges: Any) -> None:
    failing = {
        row["target"]
        for row in exchanges.to_pylist()
        if any(verdict["verdict"] == "fail" for verdict in judge_row(row)[0])
    }

    assert failing == {"bad"}


@pytest.mark.parametrize(
    ("status", "mode", "count"),
    [(503, "valid", 1), (500, "valid", 1), (501, "valid", 0), (503, "check", 0), (404, "valid", 0)],
)
def test_server_error_leaves_open_whether_the_server_answers(
    status: int, mode: str, count: int, exchanges: Any
) -> None:
    row = exchanges.filter(pc.equal(exchanges["operation_id"], "loadTable")).to_pylist()[0]
    verdicts = judge_row(row | {"http_status": status, "mode": mode})[0]
    open_ones = [each["observed"] for each in verdicts if each["verdict"] == "inconclusive"]

    assert open_ones == [f"status {status}"] * count


def test_requirements_of_a_missing_feature_get_no_verdict(exchanges: Any) -> None:
    requirements = verdicts.suite_of("iceberg_rest").contract.requirements

    def features_of_verdicts(features: dict[str, dict[str, bool]]) -> set[str]:
        """Return the features of all requirements that get a verdict."""
        requirement_ids = (
            verdict["requirement_id"]
            for row in exchanges.to_pylist()
            for verdict in judge_row(row, features)[0]
        )
        return {feature for name in set(requirement_ids) for feature in requirements[name].features}

    for feature in features_of_verdicts({}):
        assert feature not in features_of_verdicts(
            {target: {feature: False} for target in ("good", "bad")}
        )
    assert features_of_verdicts({})


def test_answers_that_differ_in_names_alone_are_equal_when_normalised(exchanges: Any) -> None:
    with_a_name = [
        row
        for row in exchanges.to_pylist()
        if row["word"].encode() in (row["response_body"] or b"")
    ]
    for row in with_a_name:
        other = "f" * len(row["word"])
        bodies = {
            name: row[name].replace(row["word"].encode(), other.encode())
            for name in ("request_body", "response_body")
        }
        assert (
            judge_row({**row, **bodies, "url": row["url"].replace(row["word"], other)})[1]
            == judge_row(row)[1]
        )
    assert with_a_name


def test_engine_batches_carry_the_same_verdicts(exchanges: Any) -> None:
    (batch,) = exchanges.slice(0, 50).combine_chunks().to_batches()
    rows = [row for results in verdicts.judge_batches([batch], {}) for row in results.to_pylist()]

    assert [judge_row(row)[0] for row in batch.to_pylist()] == [row["verdicts"] for row in rows]
