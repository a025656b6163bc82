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


def with_failures(requirement: str, *failures: dict[str, Any], trail: tuple[int, ...] = (), **changes: Any) -> dict[str, Any]:
    """Return the result of a requirement with several failing cases."""
    cases = [{"expected": "`a` to be 1", "actual": "2", **failure} for failure in failures]
    verdict = {"outcome": "fail", "exchanges": [*trail, failures[0]["exchange"]], "failures": cases}
    return result(requirement, failures[0]["exchange"], verdicts=[verdict], **changes)


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

    assert grouped(*lines, result("R-1", 1), result("R-2", 2, expected=(400,)), warning) == [{"R-2"}, {"R-1"}, {"R-3"}]


def different(requirement: str, shown: int, at: str, kind: str = "another value", **texts: str) -> dict[str, Any]:
    """Return the result of a requirement whose answer differs at a place."""
    failure = {"expected": "`a` to be 1", "actual": "2", "exchange": shown, "difference": {"at": at, "kind": kind}, **texts}
    return result(requirement, shown, verdicts=[{"outcome": "fail", "exchanges": [shown], "failures": [failure], "check": requirement}])


def test_one_missing_member_is_one_cause_in_all_operations_on_a_resource() -> None:
    lines = [exchange(1, 200, operation="createView"), exchange(2, 200, operation="loadView"), exchange(3, 200, operation="loadTable")]

    assert grouped(*lines, *(different(f"R-{n}", n, "/metadata/version-log", "missing") for n in (1, 2, 3))) == [{"R-1", "R-2"}, {"R-3"}]


def test_differences_within_a_member_are_one_cause() -> None:
    lines = [exchange(n, 200, operation="loadTable") for n in (1, 2, 3)]
    places = ("/metadata/properties/a", "/metadata/properties/b", "/metadata/refs/main")

    assert grouped(*lines, *(different(f"R-{n}", n, at) for n, at in enumerate(places, 1))) == [{"R-1", "R-2"}, {"R-3"}]


def test_missing_and_surplus_items_of_a_listing_are_two_causes() -> None:
    lines = [exchange(n, 200, '{"identifiers": []}', operation="listTables") for n in (1, 2, 3)]
    kinds = ("missing", "missing", "surplus")

    assert grouped(*lines, *(different(f"R-{n}", n, "/identifiers", kind) for n, kind in enumerate(kinds, 1))) == [{"R-1", "R-2"}, {"R-3"}]


def test_other_words_are_the_same_cause() -> None:
    lines = [exchange(n, 200, operation="loadTable") for n in (1, 2)]
    texts = ({"expected": 'no `owner` without "a"', "actual": "null"}, {"expected": "the table of a client", "actual": "[]"})
    findings = [different(f"R-{n}", n, "/metadata/properties", **text) for n, text in enumerate(texts, 1)]

    assert grouped(*lines, *findings) == [{"R-1", "R-2"}]


def test_value_of_an_earlier_answer_outweighs_the_last_refusal() -> None:
    refusal = exchange(1, 400, ERROR % ("it has a uuid", "BadRequestException", 400))

    assert grouped(refusal, exchange(2, 200), *(different(f"R-{n}", n, "/metadata/table-uuid") for n in (1, 2))) == [{"R-1", "R-2"}]


def test_findings_that_show_no_more_are_grouped_by_check_and_operation() -> None:
    lines = [exchange(1, 200), exchange(2, 200), exchange(3, 200, operation="loadTable")]
    found = [with_failures(f"R-{n}", {"exchange": n}) for n in (1, 2, 3)]

    assert grouped(*lines, *found) == [{"R-1", "R-2"}, {"R-3"}]


def test_refusals_of_one_operation_with_another_status_are_one_cause() -> None:
    messages = ("no schema", "no schema", "no column")
    lines = [exchange(n, 409, ERROR % (message, "CommitFailedException", 409)) for n, message in enumerate(messages, 1)]

    assert grouped(*lines, *(result(f"R-{n}", n, expected=(400,)) for n in (1, 2, 3))) == [{"R-1", "R-2", "R-3"}]


def test_numbers_as_texts_are_one_cause() -> None:
    lines = [exchange(1, 200, operation="loadTable"), exchange(2, 200, operation="loadTable"), exchange(3, 200, operation="registerTable")]
    findings = [
        different("R-1", 1, "/metadata/snapshots", "number as text"),
        different("R-2", 2, "/metadata/refs"),
        different("R-3", 3, "/id", "number as text"),
    ]

    assert grouped(*lines, *findings) == [{"R-1", "R-3"}, {"R-2"}]


def test_several_expected_statuses_count_as_the_most_common_one() -> None:
    lines = [exchange(n, 200) for n in (1, 2, 3, 4)]
    expected = ((409,), (400,), (400,), (400, 409))

    assert grouped(*lines, *(result(f"R-{n}", n, expected=statuses) for n, statuses in enumerate(expected, 1))) == [
        {"R-2", "R-3", "R-4"},
        {"R-1"},
    ]


def test_incident_numbers_do_not_distinguish_errors() -> None:
    lines = [
        exchange(n, 500, ERROR % (f"failed, see incident {letter * 32}", "InternalServerError", 500))
        for n, letter in enumerate(("a", "b"), 1)
    ]

    assert grouped(*lines, *(result(f"R-{n}", n, expected=(status,)) for n, status in ((1, 400), (2, 404)))) == [{"R-1", "R-2"}]


def test_error_bodies_that_are_not_the_contracts_are_one_cause() -> None:
    lines = [exchange(1, 404, '{"message": "gone", "type": "NoSuchTable"}'), exchange(2, 409, '{"message": "taken", "type": "Taken"}')]
    findings = [different(f"R-{n}", n, "/error", "missing") for n in (1, 2)]

    assert grouped(*lines, *findings) == [{"R-1", "R-2"}]


def test_invalid_answer_to_a_wrongly_accepted_request_follows_from_it() -> None:
    flaw = different("R-2", 1, "/metadata/table-uuid", "missing")

    assert grouped(exchange(1, 200), result("R-1", 1, expected=(400,)), flaw) == [{"R-1", "R-2"}]


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


def test_empty_body_is_one_cause_for_each_operation() -> None:
    lines = [exchange(n, 200, "{}", operation=operation) for n, operation in enumerate(("loadTable", "loadTable", "listTables"))]
    flaws = [different(f"R-{n}", n, f"/member-{n}", "missing") for n in range(3)]

    assert grouped(*lines, *flaws) == [{"R-0", "R-1"}, {"R-2"}]


def test_other_success_than_expected_follows_from_an_accepted_request() -> None:
    assert grouped(exchange(1, 204), result("R-1", 1, expected=(400,)), result("R-2", 1, expected=(200,))) == [{"R-1", "R-2"}]


def test_operation_that_refused_a_request_is_a_cause_of_its_own() -> None:
    lines = [exchange(n, 200, operation=operation) for n, operation in enumerate((*OPERATIONS, "createView"))]
    found = causes([*lines, *(result(f"R-{n}", n, expected=(400,)) for n in range(6))], OPERATIONS)

    assert [(set(cause.requirements), cause.title) for cause in found] == [
        ({"R-0", "R-1", "R-2", "R-3", "R-4"}, f"no request was refused by {', '.join(OPERATIONS)}"),
        ({"R-5"}, "createView returned 200, expected 400"),
    ]


def test_error_body_with_an_empty_type_is_an_error_body() -> None:
    lines = [exchange(n, 409, ERROR % (message, "", 409)) for n, message in enumerate(("a", "a", "b", "b"), 1)]

    assert grouped(*lines, *(result(f"R-{n}", n, expected=(404, 200 + n % 2)) for n in (1, 2, 3, 4))) == [{"R-1", "R-2"}, {"R-3", "R-4"}]


def test_refused_right_requests_without_error_body_are_another_cause() -> None:
    lines = [exchange(n, 422, "missing field") for n in (1, 2, 3)]
    found = (result("R-1", 1, expected=(400,)), result("R-2", 2, expected=(409,)), result("R-3", 3, expected=(200,)))

    assert grouped(*lines, *found) == [{"R-1", "R-2"}, {"R-3"}]


@pytest.mark.parametrize(("operations", "expected"), [(("createTable", "createView"), 1), (("createTable", "createTable"), 2)])
def test_missing_namespace_that_several_operations_accept_is_one_cause(operations: tuple[str, ...], expected: int) -> None:
    lines = [exchange(n, 200, operation=operation) for n, operation in enumerate(operations)]
    lines.append(exchange(9, 200, operation="createTable"))
    missing = {"expected_status": [404], "mutation": {"kind": "absent", "at": "namespace"}}
    findings = [with_failures(f"R-{n}", {"exchange": n, **missing}) for n in range(2)]

    found = causes([*lines, *findings, result("R-9", 9, expected=(400,))])

    assert len(found) == 2
    assert sum("a namespace that does not exist" in cause.title for cause in found) == (expected == 1)


def test_success_with_another_status_is_one_cause_in_all_operations() -> None:
    lines = [exchange(n, 200, operation=operation) for n, operation in enumerate(("renameTable", "dropTable"))]

    assert grouped(*lines, *(result(f"R-{n}", n, expected=(204,)) for n in range(2))) == [{"R-0", "R-1"}]


def test_failing_case_that_most_requirements_share_decides_the_cause() -> None:
    lines = [exchange(1, 200, operation="createView"), exchange(2, 200), exchange(3, 200)]
    cases = [{"exchange": n, "expected_status": [400]} for n in (1, 2)]

    assert grouped(*lines, with_failures("R-1", *cases), result("R-2", 3, expected=(400,))) == [{"R-1", "R-2"}]


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


def commit(number: int, *actions: str, requirements: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return an accepted commit with updates of some actions and requirements of some types."""
    body = {"requirements": [{"type": kind} for kind in requirements], "updates": [{"action": action} for action in actions]}
    line = exchange(number, 200)
    line["request"]["body"] = json.dumps(body)
    return line


def test_accepted_commits_are_one_cause_for_each_action() -> None:
    actions = (("add-spec",), ("add-schema",), ("add-spec", "add-spec"), ("add-spec", "add-schema"))
    lines = [commit(n, *names) for n, names in enumerate(actions, 1)]

    found = grouped(*lines, *(result(f"R-{n}", n, expected=(400,)) for n in (1, 2, 3, 4)))

    assert sorted(map(sorted, found)) == [["R-1", "R-3"], ["R-2"], ["R-4"]]


def test_update_that_a_mutation_names_decides_the_action() -> None:
    lines = [commit(1, "add-spec", "add-schema"), commit(2, "add-schema")]
    mutated = {"exchange": 1, "expected_status": [400], "mutation": {"kind": "missing", "at": "/updates/1/schema"}}

    assert grouped(*lines, with_failures("R-1", mutated), result("R-2", 2, expected=(400,))) == [{"R-1", "R-2"}]


def test_conflicts_that_were_accepted_are_one_cause_for_each_requirement() -> None:
    kinds = ("assert-table-uuid", "assert-ref-snapshot-id", "assert-table-uuid")
    lines = [commit(n, "set-properties", requirements=(kind,)) for n, kind in enumerate(kinds, 1)]

    assert grouped(*lines, *(result(f"R-{n}", n, expected=(409,)) for n in (1, 2, 3))) == [{"R-1", "R-3"}, {"R-2"}]


@pytest.mark.parametrize(("count", "expected"), [(8, 1), (7, 7)], ids=["eight actions", "seven actions"])
def test_updates_that_are_not_validated_are_one_cause(count: int, expected: int) -> None:
    lines = [commit(n, f"action-{n}") for n in range(count)]

    assert len(grouped(*lines, *(result(f"R-{n}", n, expected=(400,)) for n in range(count)))) == expected


def test_title_of_an_accepted_commit_names_the_update() -> None:
    assert [cause.title for cause in causes([commit(1, "add-spec"), result("R-1", 1, expected=(400,))])] == [
        "updateTable with add-spec returned 200, expected 400"
    ]


def test_crashes_where_success_was_expected_are_another_cause() -> None:
    lines = [exchange(n, 500, ERROR % ("bad request", "WebApplicationException", 500)) for n in (1, 2, 3, 4)]
    found = [result(f"R-{n}", n, expected=(400 if n < 3 else 200,)) for n in (1, 2, 3, 4)]

    assert grouped(*lines, *found) == [{"R-1", "R-2"}, {"R-3", "R-4"}]


def test_crashes_without_error_body_are_one_cause_for_each_message() -> None:
    messages = ("java.lang.IllegalArgumentException: no id", "com.example.MappingException: no id (through a list)", "no term")
    lines = [exchange(n, 500, json.dumps({"message": message})) for n, message in enumerate(messages, 1)]

    assert grouped(*lines, *(result(f"R-{n}", n, expected=(200,)) for n in (1, 2, 3))) == [{"R-1", "R-2"}, {"R-3"}]


def test_wrong_refusal_follows_from_no_accepted_request() -> None:
    accepted, crashed = exchange(1, 200), exchange(2, 500, "<html>")

    assert grouped(accepted, crashed, result("R-1", 1, expected=(400,)), result("R-2", 2, expected=(400,), trail=(1,))) == [
        {"R-1"},
        {"R-2"},
    ]


def test_id_of_an_item_counts_as_the_member_with_the_items() -> None:
    lines = [exchange(n, 200, operation="loadTable") for n in (1, 2, 3)]
    places = ("/metadata/default-spec-id", "/metadata/partition-specs/0", "/metadata/schemas")

    assert grouped(*lines, *(different(f"R-{n}", n, at) for n, at in enumerate(places, 1))) == [{"R-1", "R-2"}, {"R-3"}]


def test_accepted_request_with_an_empty_body_is_no_cause_of_its_own() -> None:
    lines = [exchange(n, 200, "{}", operation="loadTable") for n in (1, 2)]

    assert grouped(*lines, result("R-1", 1, expected=(404,)), different("R-2", 2, "/metadata", "missing")) == [{"R-1", "R-2"}]


def test_changes_lost_by_simultaneous_requests_are_one_cause() -> None:
    lines = [exchange(1, 200), exchange(2, 200, operation="loadTable"), exchange(3, 200, operation="loadNamespaceMetadata")]
    places = ("", "/metadata/properties", "/properties")

    assert grouped(*lines, *(different(f"R-{n}", n, at, "lost change") for n, at in enumerate(places, 1))) == [{"R-1", "R-2"}, {"R-3"}]
