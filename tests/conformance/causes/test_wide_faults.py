"""Faults of a server that show in many requests are one cause."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.causes.findings import (
    ERROR,
    answers,
    different,
    exchange,
    expecting,
    groups_of,
    mistaken,
    result,
)
from lakepact.conformance.report.causes import Severity, causes

NO_TABLE = ERROR % ("Table does not exist: t", "NoSuchTableException", 404)
CREATED = 10  #: tables from which on createTable stores nothing


def creations(number: int, *, body: str = "{}", status: int = 404) -> list[dict[str, Any]]:
    """Return accepted creations of tables, each with a load that returns a status."""
    lines = []
    for first in range(1, 2 * number, 2):
        table = f"lp_0a1b2c_{first}_1"
        creation = exchange(first, 200, operation="createTable", table=table)
        creation["request"]["body"] = body
        load = exchange(first + 1, status, NO_TABLE, operation="loadTable", table=table)
        load["request"]["method"] = "GET"
        lines += [creation | {"check": f"c{first}"}, load | {"check": f"c{first}"}]
    return lines


def of_check(line: dict[str, Any], number: int) -> dict[str, Any]:
    line["verdicts"][0]["check"] = f"c{number}"
    return line


def test_creations_that_store_nothing_are_one_cause_of_their_requirement() -> None:
    listing = exchange(22, 200, operation="listTables", table="lp_0a1b2c_3_1") | {"check": "c3"}
    again = exchange(23, 200, operation="createTable", table="lp_0a1b2c_5_1") | {"check": "c5"}
    missing = {"at": "/identifiers", "kind": "missing"}
    results = [
        of_check(result("R-4", 8, expected=(200,), operations=["updateTable"]), 7),
        of_check(result("R-1", 2, expected=(200,), operations=["createTable"]), 1),
        of_check(result("R-2", 22, operations=["listTables"]), 3),
        of_check(mistaken("R-3", 23, "present", "table", expected=(409,)), 5),
    ]
    results[2]["verdicts"][0]["failures"][0]["difference"] = missing
    lines = [*creations(CREATED), listing, again, *results]

    (cause,) = causes(lines)

    assert (cause.severity, cause.requirements[0]) == (Severity.DATA, "R-1")
    assert cause.title.startswith("createTable returned success, and the object is not found")
    assert sorted(cause.requirements) == ["R-1", "R-2", "R-3", "R-4"]


@pytest.mark.parametrize(
    "lines",
    [
        creations(CREATED - 1),
        creations(CREATED, body='{"stage-create": true}'),
        creations(CREATED, status=200),
        [
            line | {"objects": [*line["objects"], "lp_0a1b2c_99_9"][: line["number"] % 2 or 2]}
            for line in creations(CREATED)
        ],
    ],
    ids=["few", "staged", "found", "other objects"],
)
def test_creations_explain_nothing_unless_many_objects_are_not_found(
    lines: list[dict[str, Any]],
) -> None:
    another = exchange(99, 404, NO_TABLE, operation="loadTable", table="lp_0a1b2c_1_1")

    (cause,) = causes([*lines, another | {"check": "c1"}, of_check(expecting((200,))[0], 1)])

    assert "returned success, and" not in cause.title


def test_wrong_body_of_a_creation_that_stores_nothing_is_another_cause() -> None:
    missing = result("R-1", 2, expected=(200,), operations=["createTable"])
    wrong = different("R-2", 3, "/metadata/schemas")
    lines = [*creations(CREATED), of_check(missing, 1), of_check(wrong, 3)]

    assert groups_of(lines) == ["1", "2"]


def test_errors_with_status_200_are_one_cause_without_accepted_mistakes() -> None:
    body = ERROR % ("no token", "NotAuthorizedException", 401)
    lines = answers("loadTable", "dropTable", "listTables", "loadView", "dropView", body=body)
    head = exchange(6, 200, "", operation="tableExists")
    head["request"]["method"] = "HEAD"
    findings = [
        mistaken(f"R-{number}", number, "access", "no credentials", expected=(401,))
        for number in range(1, 7)
    ]

    (cause,) = causes([*lines, head, *findings])

    assert cause.severity is Severity.STATUS
    assert cause.title.startswith("errors came with status 200: loadTable")


def test_head_with_a_status_of_success_is_accepted_if_no_error_comes_with_it() -> None:
    head = exchange(1, 200, "", operation="tableExists")
    head["request"]["method"] = "HEAD"

    (cause,) = causes([head, mistaken("R-1", 1, "access", "no credentials", expected=(401,))])

    assert cause.severity is Severity.EXPOSED
