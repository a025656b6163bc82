"""Severities of causes: they say what clients lose, and the gravest cause comes first."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.causes.findings import (
    BAD,
    BOOM,
    ERROR,
    NULL,
    READ,
    answers,
    different,
    differing,
    errors,
    exchange,
    groups_of,
    load_after,
    mistaken,
    of_any_exchange,
    result,
    with_failures,
)
from lakepact.conformance.report.causes import Severity, causes


@pytest.mark.parametrize(
    ("line", "finding", "severity"),
    [
        (exchange(1, 200), result("R-1", 1, risk="data"), Severity.DATA),
        (exchange(1, 200), result("R-1", 1, expected=(409,), risk="data"), Severity.DATA),
        (exchange(1, 200), result("R-1", 1, expected=(409,)), Severity.EFFECT),
        (
            exchange(1, 500, "<html>"),
            result("R-1", 1, expected=(409,), risk="data"),
            Severity.STATUS,
        ),
        (
            exchange(1, 404, ERROR % ("gone", "Gone", 404)),
            different("R-1", 1, "/error/message"),
            Severity.TEXT,
        ),
        (
            exchange(1, 404, ERROR % ("gone", "Gone", 404)),
            different("R-1", 1, "/error/type"),
            Severity.STATUS,
        ),
        (exchange(1, 200), result("R-1", 1, expected=(204,), risk="data"), Severity.STATUS),
        (exchange(1, 304), result("R-1", 1, expected=(200,), risk="data"), Severity.DATA),
        (exchange(1, 200), different("R-1", 1, "/key") | {"risk": "exposed"}, Severity.EXPOSED),
        (exchange(1, 404) | READ, result("R-1", 1, expected=(200,), risk="data"), Severity.DATA),
        (exchange(1, 503) | READ, result("R-1", 1, expected=(200,), risk="data"), Severity.STATUS),
        (exchange(1, 200) | READ, different("R-1", 1, "/metadata/table-uuid"), Severity.DATA),
        (exchange(1, 404), result("R-1", 1, expected=(200,), risk="data"), Severity.REFUSED),
        (
            exchange(1, 404, operation="registerTable"),
            result("R-1", 1, expected=(200,), risk="data", operations=["dropTable"]),
            Severity.DATA,
        ),
        (
            exchange(1, 404),
            result("R-1", 1, expected=(200,), risk="data", operations=[]),
            Severity.REFUSED,
        ),
        (
            exchange(1, 200),
            mistaken("R-1", 1, "access", "rights", expected=(403,)),
            Severity.EXPOSED,
        ),
        (
            exchange(1, 200, operation="planTableScan"),
            different("R-1", 1, "/file-scan-tasks", "surplus"),
            Severity.DATA,
        ),
        (
            exchange(1, 200, operation="planTableScan"),
            different("R-1", 1, "/file-scan-tasks/0/data-file/lower-bounds", "another type"),
            Severity.EFFECT,
        ),
        (
            exchange(1, 404, ERROR % ("gone", "Gone", 404)),
            mistaken("R-1", 1, "absent", "table", expected=(404, 204)),
            Severity.STATUS,
        ),
        (
            exchange(1, 501, ERROR % ("no", "No", 501)),
            with_failures("R-1", {"exchange": 1, "about_status": True}),
            Severity.STATUS,
        ),
    ],
    ids=[
        "lost data",
        "accepted conflict",
        "accepted request",
        "another error status",
        "message",
        "error type",
        "other success",
        "not modified",
        "another value of what is exposed",
        "lost",
        "busy",
        "another table",
        "refused",
        "lost by an earlier change",
        "refused by a requirement of every operation",
        "exposed",
        "wrong rows",
        "wrong bounds",
        "refused bad request",
        "no certain status",
    ],
)
def test_severity_says_what_clients_lose(
    line: dict[str, Any], finding: dict[str, Any], severity: Severity
) -> None:
    assert [cause.severity for cause in causes([line, finding])] == [severity]


def warning(requirement: str, number: int, **changes: Any) -> dict[str, Any]:
    """Return the result of a requirement that should be kept."""
    line = result(requirement, number, outcome="warn", **changes)
    line["verdicts"][0]["outcome"] = "warn"
    return line


def test_causes_of_failures_come_before_those_of_warnings_each_by_severity() -> None:
    lines = [
        exchange(1, 404, ERROR % ("gone", "Gone", 404)),
        *(exchange(n, 200, operation=f"get{n}Thing") for n in (2, 3, 4)),
    ]
    findings = [
        result("R-1", 1),
        warning("R-2", 2),
        result("R-3", 3),
        warning("R-4", 4, risk="data"),
    ]

    assert groups_of([*lines, *findings]) == ["3", "1", "4", "2"]


def test_severity_of_a_cause_is_that_of_its_gravest_requirement() -> None:
    lines = [*answers("loadTable", "loadTable"), *differing(*["/metadata/refs"] * 2)]
    lines[3]["risk"] = "data"

    (cause,) = causes(lines)

    assert (cause.severity, cause.requirements) == (Severity.DATA, ("R-2", "R-1"))


def test_head_of_a_cause_is_the_requirement_that_binds_the_fewest_operations() -> None:
    names = different("R-1", 1, "/namespaces", risk="data") | {"operations": ["a", "b", "c"]}
    parent = different("R-2", 1, "/namespaces") | {"operations": ["listNamespaces"]}
    (cause,) = causes([exchange(1, 200, operation="listNamespaces"), names, parent])

    assert (cause.severity, cause.requirements) == (Severity.DATA, ("R-2", "R-1"))


def test_read_that_shows_what_a_refused_change_did_loses_data() -> None:
    load = exchange(2, 200, operation="loadTable")
    load["request"]["method"] = "GET"
    lines = [exchange(1, 409, ERROR % ("no", "Conflict", 409)), load]

    assert [
        cause.severity for cause in causes([*lines, different("R-1", 2, "/metadata/properties")])
    ] == [Severity.DATA]


def test_error_whose_change_was_applied_is_one_cause_with_its_effects() -> None:
    lines = [
        *errors("no id", status=500, kind=NULL),
        load_after(1, 2),
        different("R-4", 1, "/updated", "missing"),
        result("R-1", 1, expected=(200,)),
        *(of_any_exchange(different(f"R-{n}", 2, f"/metadata/{n}")) for n in (2, 3)),
    ]

    assert [(c.severity, c.title) for c in causes(lines)] == [
        (
            Severity.DATA,
            (
                "updateTable returned 500 (NullPointerException: no id), expected 200"
                " (also loadTable); the change was applied"
            ),
        )
    ]


def test_request_after_which_an_object_cannot_be_read_loses_data() -> None:
    lines = answers("updateProperties", "updateProperties")
    load = exchange(3, 500, BOOM, operation="loadNamespaceMetadata")
    load["request"]["method"] = "GET"
    findings = [
        mistaken("R-1", 1, "wrong type", "/updates/a"),
        mistaken("R-2", 2, "missing", "/updates"),
        result("R-3", 3, expected=(200,)),
    ]

    assert [(c.severity, c.title) for c in causes([*lines, load, *findings])] == [
        (
            Severity.DATA,
            (
                "updateProperties returned 200 without a required member, expected 400"
                " (also loadNamespaceMetadata); then loadNamespaceMetadata returned 500"
            ),
        ),
        (
            Severity.EFFECT,
            "updateProperties returned 200 with a value of the wrong JSON type, expected 400",
        ),
    ]


def test_effect_of_an_accepted_request_before_a_refused_one_is_no_loss() -> None:
    load = exchange(3, 200, operation="loadTable")
    load["request"]["method"] = "GET"
    lines = [exchange(1, 200), exchange(2, 409, ERROR % ("no", "Conflict", 409)), load]
    findings = [result("R-1", 1, expected=BAD), different("R-2", 3, "/metadata/last-updated-ms")]

    assert [(c.severity, c.title) for c in causes([*lines, *findings])] == [
        (Severity.EFFECT, "updateTable returned 200, expected 400 (also loadTable)")
    ]


def test_object_that_is_listed_after_its_refused_creation_is_a_grave_cause() -> None:
    listing = exchange(3, 200, operation="listNamespaces") | {"objects": []}
    listing["request"]["method"] = "GET"
    lines = [
        exchange(1, 200, operation="createNamespace", table="lp_0_1_1"),
        exchange(2, 400, ERROR % ("no", "Bad", 400), operation="createNamespace", table="lp_0_1_2"),
        listing,
    ]
    surplus = different("R-1", 3, "/namespaces", "surplus", expected="namespaces without lp_0_1_2")
    results = [result("R-1", 1, expected=BAD), surplus]

    assert [(cause.severity, cause.title[:50]) for cause in causes([*lines, *results])] == [
        (Severity.DATA, "after a refused createNamespace, listNamespaces re"),
        (Severity.EFFECT, "createNamespace returned 200, expected 400"),
    ]


def test_load_after_a_refused_change_is_the_first_finding_of_its_cause() -> None:
    other = exchange(3, 200, operation="loadTable") | READ
    lines = [
        *errors("no", status=409, kind="Conflict"),
        load_after(1, 2),
        other,
        different("R-1", 3, "/metadata/properties"),
        of_any_exchange(different("R-2", 2, "/metadata/properties")),
    ]

    assert [cause.requirements for cause in causes(lines)] == [("R-2", "R-1")]
