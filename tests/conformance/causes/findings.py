"""Findings of a report for tests of causes: exchanges, and results that refer to them."""

from __future__ import annotations

import json
from typing import Any

from lakepact.conformance.evidence.exchanges import ErrorBody
from lakepact.conformance.report.causes import causes

READ = {
    "request": {"method": "GET", "url": "http://127.0.0.1/v1/namespaces/n/tables/t", "body": ""}
}
ERROR = '{"error": {"message": "%s", "type": "%s", "code": %d}}'


def exchange(
    number: int,
    status: int,
    body: str = '{"a": 2}',
    *,
    operation: str = "updateTable",
    table: str = "lp_0a1b2c_1_1",
) -> dict[str, Any]:
    request = {
        "method": "POST",
        "url": f"http://127.0.0.1/v1/namespaces/n/tables/{table}",
        "body": "{}",
    }
    return {
        "line": "exchange",
        "number": number,
        "check": "c",
        "operation": operation,
        "objects": [table],
        **({"error": fact_of(body)} if status >= 400 else {}),
        "request": request,
        "response": {"status": status, "body": body},
    }


def fact_of(body: str) -> dict[str, str]:
    """Return what the line of an exchange says of an error body."""
    error = ErrorBody.of(body.encode())
    return {"message": error.message, **({} if error.type is None else {"type": error.type})}


def result(
    requirement: str,
    number: int,
    *,
    expected: tuple[int, ...] = (),
    trail: tuple[int, ...] = (),
    **changes: Any,
) -> dict[str, Any]:
    texts = {"expected": f"status {expected}" if expected else "`a` to be 1", "actual": "2"}
    failure = {
        **texts,
        "exchange": number,
        **({"expected_status": list(expected)} if expected else {}),
    }
    verdict = {"check": "c", "outcome": "fail", "exchanges": [*trail, number]}
    verdict |= {"failures": [failure], **texts}
    return {
        "line": "result",
        "requirement": requirement,
        "outcome": "fail",
        "risk": "behaviour",
        "verdicts": [verdict],
        **changes,
    }


def with_failures(
    requirement: str, *failures: dict[str, Any], trail: tuple[int, ...] = (), **changes: Any
) -> dict[str, Any]:
    """Return the result of a requirement with several failing cases."""
    cases = [{"expected": "`a` to be 1", "actual": "2", **failure} for failure in failures]
    trails = [*trail, failures[0]["exchange"]]
    verdict = {"check": "c", "outcome": "fail", "exchanges": trails, "failures": cases}
    return result(requirement, failures[0]["exchange"], verdicts=[verdict], **changes)


def different(
    requirement: str,
    number: int,
    at: str,
    kind: str = "another value",
    *,
    risk: str = "behaviour",
    **texts: str,
) -> dict[str, Any]:
    """Return the result of a requirement whose answer differs at a place."""
    failure = {
        "expected": "`a` to be 1",
        "actual": "2",
        "exchange": number,
        "difference": {"at": at, "kind": kind},
        **texts,
    }
    return result(
        requirement,
        number,
        verdicts=[{"outcome": "fail", "exchanges": [number], "failures": [failure], "check": "c"}],
        risk=risk,
    )


def commit(number: int, *actions: str, requirements: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return an accepted commit with updates of some actions and requirements of some types."""
    body = {
        "requirements": [{"type": kind} for kind in requirements],
        "updates": [{"action": action} for action in actions],
    }
    line = exchange(number, 200)
    line["request"]["body"] = json.dumps(body)
    return line


def answers(*operations: str, status: int = 200, body: str = '{"a": 2}') -> list[dict[str, Any]]:
    """Return the answers 1, 2, … of operations."""
    return [
        exchange(number, status, body, operation=operation)
        for number, operation in enumerate(operations, 1)
    ]


def errors(*messages: str, status: int, kind: str) -> list[dict[str, Any]]:
    return [
        exchange(number, status, ERROR % (message, kind, status))
        for number, message in enumerate(messages, 1)
    ]


def expecting(*statuses: tuple[int, ...]) -> list[dict[str, Any]]:
    """Return results R-1, R-2, … of answers 1, 2, … that have other statuses."""
    return [
        result(f"R-{number}", number, expected=expected)
        for number, expected in enumerate(statuses, 1)
    ]


def differing(*places: str, kind: str = "another value") -> list[dict[str, Any]]:
    return [different(f"R-{number}", number, place, kind) for number, place in enumerate(places, 1)]


def groups_of(lines: list[dict[str, Any]]) -> list[str]:
    """Return the numbers of the requirements of each cause."""
    return [
        "".join(sorted(requirement.removeprefix("R-") for requirement in cause.requirements))
        for cause in causes(lines)
    ]


def mistaken(
    requirement: str,
    number: int,
    kind: str,
    at: str,
    *,
    expected: tuple[int, ...] = (400,),
    **changes: Any,
) -> dict[str, Any]:
    """Return the result of a requirement about requests with a mistake."""
    return with_failures(
        requirement,
        {"exchange": number, "expected_status": [*expected], "mutation": {"kind": kind, "at": at}},
        **changes,
    )


def of_any_exchange(line: dict[str, Any], *, check: str = "invariant") -> dict[str, Any]:
    """Return the result as an invariant finds it, on the exchange of a check."""
    line["verdicts"][0]["check"] = check
    return line


def load_after(change: int, number: int) -> dict[str, Any]:
    """Return a load that looks for effects of a refused change."""
    load = exchange(number, 200, operation="loadTable")
    load["request"]["method"] = "GET"
    return load | {"refused": change}


NULL = "NullPointerException"


def cases(*expected: tuple[int, ...]) -> list[dict[str, Any]]:
    """Return failing cases 1, 2, … of one requirement: with a mistake where 400 is expected."""
    mistake = {"kind": "invalid value", "at": "/name"}
    return [
        {
            "exchange": number,
            "expected_status": [*statuses],
            **({"mutation": mistake} if statuses == BAD else {}),
        }
        for number, statuses in enumerate(expected, 1)
    ]


BAD = (400,)
BOOM = ERROR % ("boom", "RuntimeException", 500)
