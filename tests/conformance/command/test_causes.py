"""Causes of failures: findings with equal evidence are one cause, and the gravest comes first."""

from __future__ import annotations

from typing import Any

import pytest

from lakepact.conformance.report.causes import Severity, causes

ERROR = '{"error": {"message": "%s", "type": "%s", "code": %d}}'


def exchange(number: int, status: int, body: str = "{}", *, operation: str = "updateTable", table: str = "lp_0a1b2c_1_1") -> dict[str, Any]:
    request = {"method": "POST", "url": f"http://127.0.0.1/v1/namespaces/n/tables/{table}", "body": "{}"}
    return {
        "line": "exchange",
        "number": number,
        "operation": operation,
        "request": request,
        "response": {"status": status, "body": body},
    }


def result(requirement: str, shown: int, *, expected: tuple[int, ...] = (), trail: tuple[int, ...] = (), **changes: Any) -> dict[str, Any]:
    texts = {"expected": f"status {expected}" if expected else "`a` to be 1", "actual": "2"}
    failure = {**texts, "exchange": shown, **({"expected_status": list(expected)} if expected else {})}
    verdict = {"outcome": "fail", "exchanges": [*trail, shown], "failures": [failure], **texts}
    return {"line": "result", "requirement": requirement, "outcome": "fail", "risk": "behaviour", "verdicts": [verdict], **changes}


def grouped(*lines: dict[str, Any]) -> list[set[str]]:
    return [set(cause.requirements) for cause in causes(lines)]


def test_errors_without_the_error_body_are_one_cause_for_each_status() -> None:
    lines = [exchange(1, 500, "<html>"), exchange(2, 500, '{"message": "x"}'), exchange(3, 405, "<html>")]

    assert sorted(map(sorted, grouped(*lines, *(result(f"R-{n}", n, expected=(400,)) for n in (1, 2, 3))))) == [["R-1", "R-2"], ["R-3"]]


def test_equal_error_messages_are_one_cause_names_aside() -> None:
    first, second = (ERROR % (f"no column '{name}' in lp_0a1b2c_{name}_1", "NullPointerException", 500) for name in "12")
    other = ERROR % ("no id", "NullPointerException", 500)
    lines = [
        exchange(1, 500, first),
        exchange(2, 500, second, operation="createTable"),
        exchange(3, 500, other),
        exchange(4, 500, other, operation="loadTable"),
    ]

    assert grouped(*lines, *(result(f"R-{n}", n, expected=(400,)) for n in (1, 2, 3, 4))) == [{"R-1", "R-2"}, {"R-3", "R-4"}]


def test_errors_of_their_own_are_grouped_by_operation_and_status() -> None:
    lines = [exchange(n, 409, ERROR % (f"conflict of {word}", "CommitFailedException", 409)) for n, word in enumerate(("a", "b", "c"), 1)]

    assert grouped(*lines, *(result(f"R-{n}", n, expected=(400,)) for n in (1, 2)), result("R-3", 3, expected=(404,))) == [
        {"R-1", "R-2"},
        {"R-3"},
    ]


def test_consequence_of_an_accepted_request_has_its_cause() -> None:
    accepted, later = exchange(1, 200), exchange(2, 200, operation="loadTable")

    assert grouped(accepted, later, result("R-1", 1, expected=(400,)), result("R-2", 2, trail=(1,))) == [{"R-1", "R-2"}]


def test_finding_about_another_object_is_no_consequence() -> None:
    accepted, later = exchange(1, 200), exchange(2, 200, operation="loadTable", table="lp_0a1b2c_9_9")

    assert grouped(accepted, later, result("R-1", 1, expected=(400,)), result("R-2", 2, trail=(1,))) == [{"R-1"}, {"R-2"}]


def test_findings_are_not_grouped_transitively() -> None:
    accepted = exchange(1, 200)
    later = exchange(2, 500, ERROR % ("boom", "RuntimeException", 500), operation="loadTable")
    elsewhere = exchange(3, 500, ERROR % ("boom", "RuntimeException", 500), operation="dropTable", table="lp_0a1b2c_9_9")
    lines = (result("R-1", 1, expected=(400,)), result("R-2", 2, expected=(200,), trail=(1,)), result("R-3", 3, expected=(204,)))

    assert grouped(accepted, later, elsewhere, *lines) == [{"R-1", "R-2"}, {"R-3"}]


@pytest.mark.parametrize(
    ("shown", "finding", "severity"),
    [
        (exchange(1, 200), result("R-1", 1, risk="data"), Severity.DATA),
        (exchange(1, 200), result("R-1", 1, expected=(409,), risk="data"), Severity.DATA),
        (exchange(1, 200), result("R-1", 1, expected=(409,)), Severity.EFFECT),
        (exchange(1, 500, "<html>"), result("R-1", 1, expected=(409,), risk="data"), Severity.STATUS),
        (exchange(1, 404, ERROR % ("gone", "Gone", 404)), result("R-1", 1), Severity.TEXT),
    ],
    ids=["lost data", "accepted conflict", "accepted request", "another error status", "another error body"],
)
def test_severity_says_what_clients_lose(shown: dict[str, Any], finding: dict[str, Any], severity: Severity) -> None:
    assert [cause.severity for cause in causes([shown, finding])] == [severity]


def test_gravest_cause_comes_first_and_warnings_last() -> None:
    lines = [exchange(1, 404, ERROR % ("gone", "Gone", 404)), exchange(2, 200), exchange(3, 200, operation="loadTable")]
    warning = result("R-3", 3, risk="data", outcome="warn")
    warning["verdicts"][0]["outcome"] = "warn"

    assert grouped(*lines, result("R-1", 1), result("R-2", 2, expected=(400,)), warning) == [{"R-2"}, {"R-1"}, {"R-3"}]
