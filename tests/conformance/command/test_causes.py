"""Causes of failures: findings with equal evidence are one cause, and the gravest comes first."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lakepact.conformance.report.causes import Severity, causes

STEPS = ("createTable", "updateTable", "loadTable")
ERROR = '{"error": {"message": "%s", "type": "%s", "code": %d}}'


def exchange(
    number: int, status: int, body: str = '{"a": 2}', *, operation: str = "updateTable", table: str = "lp_0a1b2c_1_1"
) -> dict[str, Any]:
    request = {"method": "POST", "url": f"http://127.0.0.1/v1/namespaces/n/tables/{table}", "body": "{}"}
    return {"line": "exchange", "number": number, "operation": operation, "request": request, "response": {"status": status, "body": body}}


def result(requirement: str, shown: int, *, expected: tuple[int, ...] = (), trail: tuple[int, ...] = (), **changes: Any) -> dict[str, Any]:
    texts = {"expected": f"status {expected}" if expected else "`a` to be 1", "actual": "2"}
    failure = {**texts, "exchange": shown, **({"expected_status": list(expected)} if expected else {})}
    verdict = {"outcome": "fail", "exchanges": [*trail, shown], "failures": [failure], **texts}
    return {"line": "result", "requirement": requirement, "outcome": "fail", "risk": "behaviour", "verdicts": [verdict], **changes}


def with_failures(requirement: str, *failures: dict[str, Any], trail: tuple[int, ...] = (), **changes: Any) -> dict[str, Any]:
    """Return the result of a requirement with several failing cases."""
    cases = [{"expected": "`a` to be 1", "actual": "2", **failure} for failure in failures]
    verdict = {"outcome": "fail", "exchanges": [*trail, failures[0]["exchange"]], "failures": cases}
    return result(requirement, failures[0]["exchange"], verdicts=[verdict], **changes)


def different(requirement: str, shown: int, at: str, kind: str = "another value", **texts: str) -> dict[str, Any]:
    """Return the result of a requirement whose answer differs at a place."""
    failure = {"expected": "`a` to be 1", "actual": "2", "exchange": shown, "difference": {"at": at, "kind": kind}, **texts}
    return result(requirement, shown, verdicts=[{"outcome": "fail", "exchanges": [shown], "failures": [failure], "check": requirement}])


def commit(number: int, *actions: str, requirements: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return an accepted commit with updates of some actions and requirements of some types."""
    body = {"requirements": [{"type": kind} for kind in requirements], "updates": [{"action": action} for action in actions]}
    line = exchange(number, 200)
    line["request"]["body"] = json.dumps(body)
    return line


def answers(*operations: str, status: int = 200, body: str = '{"a": 2}') -> list[dict[str, Any]]:
    """Return the answers 1, 2, … of operations."""
    return [exchange(number, status, body, operation=operation) for number, operation in enumerate(operations, 1)]


def errors(*messages: str, status: int, kind: str) -> list[dict[str, Any]]:
    return [exchange(number, status, ERROR % (message, kind, status)) for number, message in enumerate(messages, 1)]


def expecting(*statuses: tuple[int, ...]) -> list[dict[str, Any]]:
    """Return results R-1, R-2, … of answers 1, 2, … that have other statuses."""
    return [result(f"R-{number}", number, expected=expected) for number, expected in enumerate(statuses, 1)]


def differing(*places: str, kind: str = "another value") -> list[dict[str, Any]]:
    return [different(f"R-{number}", number, place, kind) for number, place in enumerate(places, 1)]


def grouped(lines: list[dict[str, Any]]) -> list[str]:
    """Return the numbers of the requirements of each cause."""
    return ["".join(sorted(requirement.removeprefix("R-") for requirement in cause.requirements)) for cause in causes(lines)]


BAD = (400,)
NULL = "NullPointerException"
BOOM = ERROR % ("boom", "RuntimeException", 500)
UUID = "assert-table-uuid"
CRASHES = ("java.lang.IllegalArgumentException: no id", "com.example.MappingException: no id (through a list)", "no term")

#: By what is equal or not: the lines of a report, and the requirements of each cause.
CASES: dict[str, tuple[list[dict[str, Any]], list[str]]] = {
    "errors without the error body, by status": (
        [exchange(1, 500, "<html>"), exchange(2, 500, '{"message": "x"}'), exchange(3, 405, "<html>"), *expecting(BAD, BAD, BAD)],
        ["12", "3"],
    ),
    "equal error messages, names aside": (
        [
            exchange(1, 500, ERROR % ("no column '1' in lp_0a1b2c_1_1", NULL, 500)),
            exchange(2, 500, ERROR % ("no column '2' in lp_0a1b2c_2_1", NULL, 500), operation="createTable"),
            exchange(3, 500, ERROR % ("no id", NULL, 500)),
            exchange(4, 500, ERROR % ("no id", NULL, 500), operation="loadTable"),
            *expecting(BAD, BAD, BAD, BAD),
        ],
        ["12", "34"],
    ),
    "errors of their own, by operation and status": (
        [*errors("of a", "of b", "of c", status=409, kind="CommitFailedException"), *expecting(BAD, BAD, (404,))],
        ["12", "3"],
    ),
    "consequence of an accepted request": (
        [*answers("updateTable", "loadTable"), result("R-1", 1, expected=BAD), result("R-2", 2, trail=(1,))],
        ["12"],
    ),
    "finding about another object than the accepted request": (
        [
            exchange(1, 200),
            exchange(2, 200, operation="loadTable", table="lp_0a1b2c_9_9"),
            result("R-1", 1, expected=BAD),
            result("R-2", 2, trail=(1,)),
        ],
        ["1", "2"],
    ),
    "no findings transitively": (
        [
            exchange(1, 200),
            exchange(2, 500, BOOM, operation="loadTable"),
            exchange(3, 500, BOOM, operation="dropTable", table="lp_0a1b2c_9_9"),
            result("R-1", 1, expected=BAD),
            result("R-2", 2, expected=(200,), trail=(1,)),
            result("R-3", 3, expected=(204,)),
        ],
        ["12", "3"],
    ),
    "missing member in all operations on a resource": (
        [*answers("createView", "loadView", "loadTable"), *differing(*["/metadata/version-log"] * 3, kind="missing")],
        ["12", "3"],
    ),
    "differences within a member": (
        [*answers(*["loadTable"] * 3), *differing("/metadata/properties/a", "/metadata/properties/b", "/metadata/refs/main")],
        ["12", "3"],
    ),
    "missing and surplus items of a listing": (
        [
            *answers(*["listTables"] * 3, body='{"identifiers": []}'),
            *differing("/identifiers", "/identifiers", kind="missing"),
            different("R-3", 3, "/identifiers", "surplus"),
        ],
        ["12", "3"],
    ),
    "other words": (
        [
            *answers("loadTable", "loadTable"),
            different("R-1", 1, "/metadata/properties", expected='no `owner` without "a"', actual="null"),
            different("R-2", 2, "/metadata/properties", expected="the table of a client", actual="[]"),
        ],
        ["12"],
    ),
    "value of an earlier answer before the last refusal": (
        [*errors("it has a uuid", status=400, kind="BadRequestException"), exchange(2, 200), *differing(*["/metadata/table-uuid"] * 2)],
        ["12"],
    ),
    "findings that show no more, by check and operation": (
        [*answers("updateTable", "updateTable", "loadTable"), *(with_failures(f"R-{n}", {"exchange": n}) for n in (1, 2, 3))],
        ["12", "3"],
    ),
    "refusals of one operation with another status": (
        [*errors("no schema", "no schema", "no column", status=409, kind="CommitFailedException"), *expecting(BAD, BAD, BAD)],
        ["123"],
    ),
    "numbers as texts": (
        [
            *answers("loadTable", "loadTable", "registerTable"),
            different("R-1", 1, "/metadata/snapshots", "number as text"),
            different("R-2", 2, "/metadata/refs"),
            different("R-3", 3, "/id", "number as text"),
        ],
        ["13", "2"],
    ),
    "most common of several expected statuses": ([*answers(*["updateTable"] * 4), *expecting((409,), BAD, BAD, (400, 409))], ["234", "1"]),
    "incident numbers": (
        [*errors(*(f"see incident {letter * 32}" for letter in "ab"), status=500, kind="InternalServerError"), *expecting(BAD, (404,))],
        ["12"],
    ),
    "error bodies that are not the contract's": (
        [
            exchange(1, 404, '{"message": "gone", "type": "NoSuchTable"}'),
            exchange(2, 409, '{"message": "taken", "type": "Taken"}'),
            *differing("/error", "/error", kind="missing"),
        ],
        ["12"],
    ),
    "invalid answer to a wrongly accepted request": (
        [exchange(1, 200), result("R-1", 1, expected=BAD), different("R-2", 1, "/metadata/table-uuid", "missing")],
        ["12"],
    ),
    "empty body, by operation": (
        [*answers("loadTable", "loadTable", "listTables", body="{}"), *differing("/member-0", "/member-1", "/member-2", kind="missing")],
        ["12", "3"],
    ),
    "other success after an accepted request": (
        [exchange(1, 204), result("R-1", 1, expected=BAD), result("R-2", 1, expected=(200,))],
        ["12"],
    ),
    "error body with an empty type": (
        [*errors("a", "a", "b", "b", status=409, kind=""), *expecting((404, 201), (404, 200), (404, 201), (404, 200))],
        ["12", "34"],
    ),
    "refused right requests without error body": (
        [*answers(*["updateTable"] * 3, status=422, body="missing field"), *expecting(BAD, (409,), (200,))],
        ["12", "3"],
    ),
    "success with another status in all operations": ([*answers("renameTable", "dropTable"), *expecting((204,), (204,))], ["12"]),
    "failing case that most requirements share": (
        [
            *answers("createView", "updateTable", "updateTable"),
            with_failures("R-1", *({"exchange": n, "expected_status": [400]} for n in (1, 2))),
            result("R-2", 3, expected=BAD),
        ],
        ["12"],
    ),
    "accepted commits, by action": (
        [
            *(commit(1, "add-spec"), commit(2, "add-schema"), commit(3, "add-spec", "add-spec"), commit(4, "add-spec", "add-schema")),
            *expecting(BAD, BAD, BAD, BAD),
        ],
        ["13", "2", "4"],
    ),
    "update that a mutation names": (
        [
            *(commit(1, "add-spec", "add-schema"), commit(2, "add-schema")),
            with_failures("R-1", {"exchange": 1, "expected_status": [400], "mutation": {"kind": "missing", "at": "/updates/1/schema"}}),
            result("R-2", 2, expected=BAD),
        ],
        ["12"],
    ),
    "accepted conflicts, by requirement": (
        [
            *(commit(n, "set-properties", requirements=(kind,)) for n, kind in enumerate((UUID, "assert-ref-snapshot-id", UUID), 1)),
            *expecting((409,), (409,), (409,)),
        ],
        ["13", "2"],
    ),
    "crashes where success was expected": (
        [*errors(*["bad request"] * 4, status=500, kind="WebApplicationException"), *expecting(BAD, BAD, (200,), (200,))],
        ["12", "34"],
    ),
    "crashes without error body, by message": (
        [*(exchange(n, 500, json.dumps({"message": message})) for n, message in enumerate(CRASHES, 1)), *expecting(*[(200,)] * 3)],
        ["12", "3"],
    ),
    "wrong refusal after an accepted request": (
        [exchange(1, 200), exchange(2, 500, "<html>"), result("R-1", 1, expected=BAD), result("R-2", 2, expected=BAD, trail=(1,))],
        ["1", "2"],
    ),
    "id of an item and the member with the items": (
        [*answers(*["loadTable"] * 3), *differing("/metadata/default-spec-id", "/metadata/partition-specs/0", "/metadata/schemas")],
        ["12", "3"],
    ),
    "accepted request with an empty body": (
        [*answers("loadTable", "loadTable", body="{}"), result("R-1", 1, expected=(404,)), different("R-2", 2, "/metadata", "missing")],
        ["12"],
    ),
    "changes lost by simultaneous requests": (
        [
            *answers("updateTable", "loadTable", "loadNamespaceMetadata"),
            *differing("", "/metadata/properties", "/properties", kind="lost change"),
        ],
        ["12", "3"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_findings_with_equal_evidence_are_one_cause(case: str) -> None:
    lines, expected = CASES[case]

    assert grouped(lines) == expected


@pytest.mark.parametrize(
    ("shown", "finding", "severity"),
    [
        (exchange(1, 200), result("R-1", 1, risk="data"), Severity.DATA),
        (exchange(1, 200), result("R-1", 1, expected=(409,), risk="data"), Severity.DATA),
        (exchange(1, 200), result("R-1", 1, expected=(409,)), Severity.EFFECT),
        (exchange(1, 500, "<html>"), result("R-1", 1, expected=(409,), risk="data"), Severity.STATUS),
        (exchange(1, 404, ERROR % ("gone", "Gone", 404)), result("R-1", 1), Severity.TEXT),
        (exchange(1, 501, ERROR % ("no", "No", 501)), with_failures("R-1", {"exchange": 1, "about_status": True}), Severity.STATUS),
    ],
    ids=["lost data", "accepted conflict", "accepted request", "another error status", "another error body", "no certain status"],
)
def test_severity_says_what_clients_lose(shown: dict[str, Any], finding: dict[str, Any], severity: Severity) -> None:
    assert [cause.severity for cause in causes([shown, finding])] == [severity]


def test_gravest_cause_comes_first_and_warnings_last() -> None:
    lines = [exchange(1, 404, ERROR % ("gone", "Gone", 404)), exchange(2, 200), exchange(3, 200, operation="loadTable")]
    warning = result("R-3", 3, risk="data", outcome="warn")
    warning["verdicts"][0]["outcome"] = "warn"

    assert grouped([*lines, result("R-1", 1), result("R-2", 2, expected=(400,)), warning]) == ["2", "1", "3"]


OPERATIONS = ("createNamespace", "createTable", "dropTable", "renameTable", "updateTable")


@pytest.mark.parametrize(("count", "expected"), [(5, 1), (4, 4)], ids=["five operations", "four operations"])
def test_server_that_refuses_nothing_has_one_cause(count: int, expected: int) -> None:
    accepting = OPERATIONS[:count]
    lines = [exchange(n, 200, operation=operation) for n, operation in enumerate(accepting)]
    found = causes([*lines, *(result(f"R-{n}", n, expected=(400 + n,)) for n in range(count))], accepting)

    assert len(found) == expected


@pytest.mark.parametrize(("count", "expected"), [(5, 1), (4, 4)], ids=["five requirements", "four requirements"])
def test_operation_that_refuses_nothing_has_one_cause(count: int, expected: int) -> None:
    lines = [exchange(n, 200, operation="queryTable") for n in range(count)]
    found = causes([*lines, *(result(f"R-{n}", n, expected=(400 + n,)) for n in range(count))], ["queryTable"])

    assert len(found) == expected


def test_operation_that_refused_a_request_is_a_cause_of_its_own() -> None:
    lines = [exchange(n, 200, operation=operation) for n, operation in enumerate((*OPERATIONS, "createView"))]
    found = causes([*lines, *(result(f"R-{n}", n, expected=(400,)) for n in range(6))], OPERATIONS)

    assert [(set(cause.requirements), cause.title) for cause in found] == [
        ({"R-0", "R-1", "R-2", "R-3", "R-4"}, f"no request was refused by {', '.join(OPERATIONS)}"),
        ({"R-5"}, "createView returned 200, expected 400"),
    ]


@pytest.mark.parametrize(("operations", "expected"), [(("createTable", "createView"), 1), (("createTable", "createTable"), 2)])
def test_missing_namespace_that_several_operations_accept_is_one_cause(operations: tuple[str, ...], expected: int) -> None:
    lines = [exchange(n, 200, operation=operation) for n, operation in enumerate(operations)]
    lines.append(exchange(9, 200, operation="createTable"))
    missing = {"expected_status": [404], "mutation": {"kind": "absent", "at": "namespace"}}
    findings = [with_failures(f"R-{n}", {"exchange": n, **missing}) for n in range(2)]

    found = causes([*lines, *findings, result("R-9", 9, expected=(400,))])

    assert len(found) == 2
    assert sum("a namespace that does not exist" in cause.title for cause in found) == (expected == 1)


@pytest.mark.parametrize(("count", "expected"), [(5, 1), (4, 4)], ids=["five requirements", "four requirements"])
def test_commits_that_change_nothing_are_one_cause(count: int, expected: int) -> None:
    metadata = '{"metadata": {"specs": [0], "last-updated-ms": %d}}'
    lines = [
        exchange(3 * n + step, 200, metadata % step, operation=operation) for n in range(count) for step, operation in enumerate(STEPS)
    ]
    findings = [
        with_failures(
            f"R-{n}",
            {"exchange": 3 * n + 2, "difference": {"at": f"/metadata/member-{n}", "kind": "another value"}},
            trail=(3 * n, 3 * n + 1),
            operations=["updateTable"],
        )
        for n in range(count)
    ]

    assert len(causes([*lines, *findings])) == expected


@pytest.mark.parametrize(("count", "expected"), [(8, 1), (7, 7)], ids=["eight actions", "seven actions"])
def test_updates_that_are_not_validated_are_one_cause(count: int, expected: int) -> None:
    lines = [commit(n, f"action-{n}") for n in range(count)]

    assert len(grouped([*lines, *(result(f"R-{n}", n, expected=(400,)) for n in range(count))])) == expected


def test_title_of_an_accepted_commit_names_the_update() -> None:
    assert [cause.title for cause in causes([commit(1, "add-spec"), result("R-1", 1, expected=(400,))])] == [
        "updateTable with add-spec returned 200, expected 400"
    ]
