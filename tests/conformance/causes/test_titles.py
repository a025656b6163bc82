"""Titles of causes: the operations, what they returned and what was expected."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.causes.findings import (
    BAD,
    READ,
    answers,
    commit,
    different,
    differing,
    errors,
    exchange,
    expecting,
    mistaken,
    result,
    with_failures,
)
from lakepact.conformance.report.causes import causes


@pytest.mark.parametrize(
    ("kind", "at", "title"),
    [
        (
            "absent",
            "namespace",
            "createTable returned 200 for a namespace that does not exist, expected 400 (also createView)",
        ),
        (
            "absent",
            "addition",
            "createTable returned 200 for an addition that does not exist, expected 400 (also createView)",
        ),
        (
            "missing",
            "/name",
            "createTable returned 200 without a required member, expected 400 (also createView)",
        ),
        (
            "invalid value",
            "/name",
            "createTable returned 200 with an invalid value of `name`, expected 400 (also createView)",
        ),
    ],
)
def test_title_of_a_mistake_names_it_and_the_operations(kind: str, at: str, title: str) -> None:
    lines = [
        *answers("createTable", "createView"),
        *(mistaken(f"R-{n}", n, kind, at) for n in (1, 2)),
    ]

    assert [cause.title for cause in causes(lines)] == [title]


@pytest.mark.parametrize(
    ("body", "what"), [("{}", "empty body"), ("<html>Log in</html>", "a web page")]
)
def test_answers_without_members_are_called_what_they_are(body: str, what: str) -> None:
    operations = ("loadTable", "listTables", "loadView", "listViews", "listNamespaces")
    places = [f"/member-{number}" for number, _ in enumerate(operations)]
    lines = [*answers(*operations, body=body), *differing(*places, kind="missing")]

    titles = [cause.title for cause in causes(lines)]
    assert titles == [f"requests returned {what}: {', '.join(operations)}"]


def test_title_of_a_wrong_refusal_names_mistake_status_and_type() -> None:
    lines = [
        *errors("no", status=409, kind="Conflict"),
        mistaken("R-1", 1, "unknown id", "/schema-id"),
    ]

    assert [cause.title for cause in causes(lines)] == [
        "updateTable returned 409 (Conflict) with an unknown id in `schema-id`, expected 400"
    ]


@pytest.mark.parametrize(
    ("expected", "mutation", "title"),
    [
        ("status 400 for a bad type", {}, "updateTable returned 200 for a bad type, expected 400"),
        (
            "status 400 for main",
            {"mutation": {"kind": "invalid value", "at": "main", "phrase": "for a tag as `main`"}},
            "updateTable returned 200 for a tag as `main`, expected 400",
        ),
    ],
    ids=["of the check", "of the mutation"],
)
def test_title_has_the_words_of_the_check_or_of_the_mutation(
    expected: str, mutation: dict[str, Any], title: str
) -> None:
    failure = {"exchange": 1, "expected": expected, "expected_status": [400], **mutation}

    assert [cause.title for cause in causes([exchange(1, 200), with_failures("R-1", failure)])] == [
        title
    ]


def test_error_body_with_a_long_stack_before_its_type_is_the_contracts() -> None:
    body = json.dumps(
        {"error": {"code": 422, "message": "no", "stack": ["at"] * 2000, "type": "Bad"}}
    )
    lines = [exchange(1, 422, body), mistaken("R-1", 1, "invalid value", "/name")]

    assert [cause.title for cause in causes(lines)] == [
        "updateTable returned 422 (Bad) with an invalid value of `name`, expected 400"
    ]


def test_title_of_errors_without_error_body_names_the_operations() -> None:
    lines = [
        *answers("createTable", "createView", status=422, body="no JSON"),
        *expecting(BAD, BAD),
    ]

    assert [cause.title for cause in causes(lines)] == [
        "errors have no error body of the contract: createTable, createView"
    ]


def test_title_of_an_accepted_commit_names_the_update() -> None:
    assert [
        cause.title for cause in causes([commit(1, "add-spec"), result("R-1", 1, expected=(400,))])
    ] == ["updateTable returned 200 to add-spec, expected 400"]


def test_title_of_a_read_names_no_change_of_other_objects() -> None:
    config = exchange(2, 200, operation="getConfig") | READ | {"objects": []}
    lines = [exchange(1, 200, operation="reportMetrics"), config, different("R-1", 2, "/endpoints")]

    assert [cause.title for cause in causes(lines)] == [
        "getConfig returned a wrong `endpoints`: expected `a` to be 1, got 2"
    ]


def test_title_of_an_accepted_mistake_is_of_its_first_finding() -> None:
    findings = [
        mistaken("R-1", 1, "absent", "table") | {"outcome": "warn"},
        mistaken("R-2", 2, "absent", "table"),
    ]
    findings[0]["verdicts"][0]["outcome"] = "warn"

    (cause,) = causes([*answers("loadTable", "dropTable"), *findings])
    assert (cause.requirements[0], cause.title.partition(" ")[0]) == ("R-2", "dropTable")


def test_title_leaves_out_names_that_the_run_invented() -> None:
    lines = [exchange(1, 200), different("R-1", 1, "/a", actual='["lp_0a1b2c_3_1_b"]')]

    (cause,) = causes(lines)

    assert cause.title.endswith('got ["…_b"]')
