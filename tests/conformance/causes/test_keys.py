"""Keys of causes: findings that state the same facts are one cause."""

from __future__ import annotations

import pytest

from conformance.causes.findings import (
    BAD,
    BOOM,
    ERROR,
    NULL,
    answers,
    different,
    errors,
    exchange,
    expecting,
    groups_of,
    load_after,
    mistaken,
    of_any_exchange,
    result,
    with_failures,
)
from conformance.causes.grouping_cases import CASES
from lakepact.conformance.report.causes import Severity, causes


@pytest.mark.parametrize("case", CASES)
def test_findings_with_equal_evidence_are_one_cause(case: str) -> None:
    lines, expected = CASES[case]

    assert groups_of(lines) == expected


def test_removal_of_an_absent_object_is_a_cause_of_its_own() -> None:
    lines = answers("reportMetrics", "dropTable")
    lines[1]["request"]["method"] = "DELETE"
    findings = [mistaken(f"R-{n}", n, "absent", "table") for n in (1, 2)]

    assert groups_of([*lines, *findings]) == ["1", "2"]


def test_web_page_is_one_cause_whatever_was_expected_of_its_request() -> None:
    page = "<html>Log in</html>"
    lines = [
        *answers("loadTable", "dropTable", body=page),
        result("R-1", 1, expected=(404,)),
        different("R-2", 2, "/member", "missing"),
    ]

    titles = [cause.title for cause in causes(lines)]
    assert titles == ["requests returned a web page: loadTable, dropTable"]


@pytest.mark.parametrize(
    ("methods", "mistakes", "expected"),
    [({"GET"}, 10, 1), ({"GET"}, 9, 9), ({"DELETE"}, 10, 10), (set[str](), 10, 1)],
)
def test_server_that_accepts_many_mistakes_and_refuses_none_has_one_cause(
    methods: set[str], mistakes: int, expected: int
) -> None:
    findings = [mistaken(f"R-{n}", n, "invalid value", f"/{n}x") for n in range(1, mistakes + 1)]
    actual = causes([*answers(*["createTable"] * mistakes), *findings], refused=methods)

    assert len(actual) == expected
    assert ("no POST, PUT or DELETE request of the run was refused" in actual[0].title) is (
        expected == 1
    )


@pytest.mark.parametrize(
    ("status", "kind", "mistakes", "expected"),
    [(409, "No", 10, 1), (409, "No", 9, 9), (422, "No", 3, 1), (422, "No", 2, 2), (422, "", 3, 3)],
)
def test_one_wrong_error_for_many_mistakes_is_one_cause(
    status: int, kind: str, mistakes: int, expected: int
) -> None:
    findings = [mistaken(f"R-{n}", n, "invalid value", f"/{n}x") for n in range(1, mistakes + 1)]
    actual = causes([*errors(*["no"] * mistakes, status=status, kind=kind), *findings])

    assert len(actual) == expected
    assert (
        actual[0].title
        == f"requests with mistakes of many kinds returned {status} (No), expected 400: updateTable"
    ) is (expected == 1)


@pytest.mark.parametrize(("tables", "expected"), [(1, 1), (3, 3), (12, 1)])
def test_crashes_without_a_message_are_causes_of_their_tables(tables: int, expected: int) -> None:
    body = ERROR % ("", "InternalError", 500)
    crashes = [
        exchange(number, 500, body, operation="loadTable", table=f"t{number % tables}/read")
        | {"objects": []}
        for number in range(1, 13)
    ]
    failures = [
        with_failures(
            f"R-{number}",
            {
                "exchange": number,
                "expected_status": [200],
                "expected": f"status 200 for table {number % tables}",
            },
        )
        for number in range(1, 13)
    ]
    assert len(groups_of([*crashes, *failures])) == expected


def test_accepted_case_of_a_requirement_is_a_cause_of_its_own() -> None:
    wrong = [
        {"exchange": n, "expected_status": [400], "mutation": {"kind": "invalid value", "at": "/a"}}
        for n in (1, 2)
    ]
    actual = causes(
        [
            *errors("no", status=422, kind="Unprocessable"),
            exchange(2, 200),
            with_failures("R-1", *wrong, risk="data"),
        ]
    )

    assert [(cause.severity, cause.title) for cause in actual] == [
        (
            Severity.DATA,
            "updateTable returned 200 with an invalid value of `a`, expected 400",
        ),
        (
            Severity.STATUS,
            "updateTable returned 422 (Unprocessable) with an invalid value of `a`, expected 400",
        ),
    ]


def test_status_of_nearly_all_requests_is_one_cause() -> None:
    lines = [
        *errors("no id", "no term", "no field", status=500, kind=NULL),
        exchange(4, 200),
        *expecting((200,), BAD, (204,), BAD),
    ]

    assert [cause.title for cause in causes(lines, always=500)] == [
        "nearly all requests returned 500: updateTable",
        "updateTable returned 200, expected 400",
    ]


def test_changes_that_are_refused_and_applied_are_one_cause() -> None:
    lines = [
        *errors("no schema", "no column", status=409, kind="Conflict"),
        *(load_after(n, n + 2) for n in (1, 2)),
        *(of_any_exchange(different(f"R-{n}", n + 2, f"/metadata/{n}")) for n in (1, 2)),
    ]

    assert groups_of(lines) == ["12"]


def test_accepted_request_after_which_right_ones_fail_is_a_cause_of_its_own() -> None:
    load = exchange(6, 500, BOOM, operation="loadTable")
    load["request"]["method"] = "GET"
    wrong = [mistaken(f"R-{n}", n, "wrong type", f"/{n}x") for n in range(1, 6)]
    lines = [
        *(exchange(n, 200, table=f"lp_0_1_{n}") for n in range(1, 6)),
        load | {"objects": ["lp_0_1_5"]},
    ]

    assert groups_of([*lines, *wrong, result("R-6", 6, expected=(200,))]) == ["56", "1234"]
