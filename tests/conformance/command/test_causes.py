"""Causes of failures: findings that state the same facts are one cause, and the gravest comes
first.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from lakepact.conformance.evidence.exchanges import ErrorBody
from lakepact.conformance.report.causes import Severity, causes

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
    shown: int,
    *,
    expected: tuple[int, ...] = (),
    trail: tuple[int, ...] = (),
    **changes: Any,
) -> dict[str, Any]:
    texts = {"expected": f"status {expected}" if expected else "`a` to be 1", "actual": "2"}
    failure = {
        **texts,
        "exchange": shown,
        **({"expected_status": list(expected)} if expected else {}),
    }
    verdict = {"check": "c", "outcome": "fail", "exchanges": [*trail, shown]}
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
    shown: int,
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
        "exchange": shown,
        "difference": {"at": at, "kind": kind},
        **texts,
    }
    return result(
        requirement,
        shown,
        verdicts=[{"outcome": "fail", "exchanges": [shown], "failures": [failure], "check": "c"}],
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


def grouped(lines: list[dict[str, Any]]) -> list[str]:
    """Return the numbers of the requirements of each cause."""
    return [
        "".join(sorted(requirement.removeprefix("R-") for requirement in cause.requirements))
        for cause in causes(lines)
    ]


def mistaken(
    requirement: str,
    shown: int,
    kind: str,
    at: str,
    *,
    expected: tuple[int, ...] = (400,),
    **changes: Any,
) -> dict[str, Any]:
    """Return the result of a requirement about requests with a mistake."""
    return with_failures(
        requirement,
        {"exchange": shown, "expected_status": [*expected], "mutation": {"kind": kind, "at": at}},
        **changes,
    )


def not_found(number: int, path: str) -> dict[str, Any]:
    """Return the answer to a request for an object that the server does not find."""
    line = exchange(
        number, 404, ERROR % (f"no {path}", "NoSuchNamespaceException", 404), operation="loadTable"
    )
    line["request"] |= {"method": "GET", "url": f"http://127.0.0.1/v1/namespaces/{path}"}
    return line


def changed(number: int, operation: str, *, table: str) -> list[dict[str, Any]]:
    """Return an accepted change, and a load that does not find its object."""
    lost = exchange(
        number + 1,
        404,
        ERROR % ("gone", "NoSuchTableException", 404),
        operation="loadTable",
        table=table,
    )
    lost["request"]["method"] = "GET"
    return [exchange(number, 200, operation=operation, table=table), lost]


def of_any_exchange(line: dict[str, Any], *, check: str = "invariant") -> dict[str, Any]:
    """Return the result as an invariant finds it, on the exchange of a check."""
    line["verdicts"][0]["check"] = check
    return line


def with_header(line: dict[str, Any], value: str) -> dict[str, Any]:
    """Return an exchange whose request has a header."""
    return line | {"request": line["request"] | {"headers": [["X-Access", value]]}}


def load_after(refused: int, number: int) -> dict[str, Any]:
    """Return a load that looks for effects of a refused change."""
    load = exchange(number, 200, operation="loadTable")
    load["request"]["method"] = "GET"
    return load | {"refused": refused}


NULL = "NullPointerException"


def crashing(number: int, *actions: str, message: str = "no id") -> list[dict[str, Any]]:
    """Return a commit that the server answers with 500."""
    line = exchange(number, 500, ERROR % (message, NULL, 500))
    body = {"updates": [{"action": action} for action in actions], "requirements": []}
    return [line | {"request": line["request"] | {"body": json.dumps(body)}}]


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
TRANSACTION = {"operation": "commitTransaction"}
LONG = "no column of a table, " * 10
BOOM = ERROR % ("boom", "RuntimeException", 500)
UUID = "assert-table-uuid"
G404 = ("gone", "Gone", 404)
CRASHES = (
    "java.lang.IllegalArgumentException: no id",
    "com.example.MappingException: no id (through a list)",
    "no term",
)

#: By what is equal or not: the lines of a report, and the requirements of each cause.
CASES: dict[str, tuple[list[dict[str, Any]], list[str]]] = {
    "errors without the error body": (
        [
            exchange(1, 500, "<html>"),
            exchange(2, 500, '{"message": "x"}'),
            exchange(3, 405, "<html>"),
            *expecting(BAD, BAD, BAD),
        ],
        ["123"],
    ),
    "equal error messages, names aside": (
        [
            exchange(1, 500, ERROR % ("no column '1' in lp_0a1b2c_1_1", NULL, 500)),
            exchange(
                2,
                500,
                ERROR % ("no column '2' in lp_0a1b2c_2_1", NULL, 500),
                operation="createTable",
            ),
            exchange(3, 500, ERROR % ("no id", NULL, 500)),
            exchange(4, 500, ERROR % ("no id", NULL, 500), operation="loadTable"),
            *expecting(BAD, BAD, BAD, BAD),
        ],
        ["12", "34"],
    ),
    "same mistake that several operations accept": (
        [
            *answers("createTable", "createView"),
            *(mistaken(f"R-{n}", n, "absent", "namespace") for n in (1, 2)),
        ],
        ["12"],
    ),
    "different things that do not exist": (
        [
            *answers("createTable", "createTable"),
            mistaken("R-1", 1, "absent", "namespace"),
            mistaken("R-2", 2, "absent", "table"),
        ],
        ["1", "2"],
    ),
    "few missing members, by member": (
        [
            *answers("createTable", "renameTable"),
            mistaken("R-1", 1, "missing", "/name"),
            mistaken("R-2", 2, "missing", "/source/name"),
        ],
        ["1", "2"],
    ),
    "many missing members, whichever": (
        [
            *answers(*["createTable"] * 5),
            *(mistaken(f"R-{n}", n, "missing", f"/{n}x") for n in range(1, 6)),
        ],
        ["12345"],
    ),
    "many values of wrong types, whichever": (
        [
            *answers(*["createTable"] * 5),
            *(mistaken(f"R-{n}", n, "as boolean", f"/{n}x") for n in range(1, 5)),
            mistaken("R-5", 5, "wrong type", "/source"),
        ],
        ["12345"],
    ),
    "member of a partition spec and of a sort order": (
        [
            *(exchange(1, 200, operation="createTable"), commit(2, "add-sort-order")),
            mistaken("R-1", 1, "invalid value", "/partition-spec/fields/0/transform"),
            mistaken("R-2", 2, "invalid value", "/updates/*/sort-order/fields/*/transform"),
        ],
        ["12"],
    ),
    "unknown kinds of updates with invented names": (
        [
            *(commit(1, "lakepact-unknown"), commit(2, "Set-Properties")),
            *(mistaken(f"R-{n}", n, "invalid value", "/updates/0/action") for n in (1, 2)),
        ],
        ["12"],
    ),
    "different kinds of mistakes": (
        [
            *answers("createTable", "createTable"),
            mistaken("R-1", 1, "missing", "/name"),
            mistaken("R-2", 2, "invalid value", "/name"),
        ],
        ["1", "2"],
    ),
    "invalid values of different members": (
        [
            *answers("createTable", "createTable"),
            *(
                mistaken(f"R-{n}", n, "invalid value", f"/{at}")
                for n, at in ((1, "name"), (2, "schema"))
            ),
        ],
        ["1", "2"],
    ),
    "mistake at different positions, in a commit or a transaction": (
        [
            *(commit(1, "add-schema"), commit(2, "set-location", "add-schema")),
            mistaken("R-1", 1, "invalid value", "/updates/*/schema"),
            mistaken("R-2", 2, "invalid value", "/table-changes/*/updates/1/schema"),
        ],
        ["12"],
    ),
    "same member of different updates": (
        [*(commit(1, "set-snapshot-ref"), commit(2, "set-statistics"))]
        + [mistaken(f"R-{n}", n, "unknown id", "/updates/*/snapshot-id") for n in (1, 2)],
        ["1", "2"],
    ),
    "accepted and wrongly refused requests with one mistake": (
        [
            exchange(1, 200),
            exchange(2, 409, ERROR % ("no", "CommitFailedException", 409)),
            *(mistaken(f"R-{n}", n, "invalid value", "/name") for n in (1, 2)),
        ],
        ["1", "2"],
    ),
    "a mistake of one requirement, and the conflict that it meets elsewhere": (
        [
            exchange(1, 200),
            exchange(2, 409, ERROR % ("no", "CommitFailedException", 409)),
            exchange(3, 409, ERROR % ("no", "CommitFailedException", 409)),
            with_failures("R-1", *cases(BAD, BAD)),
            mistaken("R-3", 3, "invalid value", "/name"),
        ],
        ["1", "3"],
    ),
    "conflicts of one requirement": (
        [
            *errors("a exists", "b holds c", "d holds e", status=409, kind="Taken"),
            with_failures("R-1", *cases((200,), (204,))),
            result("R-3", 3, expected=(204,)),
        ],
        ["1", "3"],
    ),
    "right request that is refused beside its opposite that is accepted": (
        [
            *errors("no column", status=400, kind="Bad"),
            *(exchange(n, 200) for n in (2, 3)),
            with_failures("R-1", *cases((200,), BAD)),
            mistaken("R-3", 3, "invalid value", "/name"),
        ],
        ["1", "3"],
    ),
    "wrong refusals by mistake, status and type": (
        [
            *errors("of a", "of b", "of c", status=409, kind="CommitFailedException"),
            *(
                mistaken(f"R-{n}", n, "invalid value", at)
                for n, at in ((1, "/name"), (2, "/name"), (3, "/schema"))
            ),
        ],
        ["12", "3"],
    ),
    "equal crashes by different mistakes": (
        [
            *errors(*["no id"] * 3, status=500, kind=NULL),
            mistaken("R-1", 1, "invalid value", "/name"),
            mistaken("R-2", 2, "unknown id", "/schema-id"),
            result("R-3", 3, expected=BAD),
        ],
        ["123"],
    ),
    "refused right requests by message": (
        [
            *errors("no views", "no views", "no", status=400, kind="BadRequestException"),
            *expecting((200,), (204,), (200,)),
        ],
        ["12", "3"],
    ),
    "one message in several wrappers": (
        [
            *errors(*CRASHES, status=400, kind="Bad"),
            exchange(4, 400, '{"message": "no id"}'),
            *expecting(*[(200,)] * 4),
        ],
        ["124", "3"],
    ),
    "messages that differ behind all that a report shows of them": (
        [*errors(*(LONG + n for n in "ab"), status=500, kind=NULL), *expecting((200,), (200,))],
        ["12"],
    ),
    "message that repeats a header of the request": (
        [
            *(
                with_header(line, f"lakepact{n}")
                for n, line in enumerate(
                    errors("lakepact1 is illegal", "lakepact2 is illegal", status=400, kind="Bad"),
                    1,
                )
            ),
            *expecting((200,), (200,)),
        ],
        ["12"],
    ),
    "variables that are null": (
        [
            *errors(*(rf"because \"{n}\" is null" for n in "ab"), status=500, kind=NULL),
            *expecting(BAD, BAD),
        ],
        ["1", "2"],
    ),
    "crashes by one update, with a message, without, and met by an invariant": (
        [
            *crashing(1, "add-spec"),
            *crashing(2, "add-spec", message=""),
            *crashing(3, "add-spec", "set-location", message=""),
            *crashing(4, "set-location", message=""),
            *(line | TRANSACTION for line in crashing(5, "add-spec", message="")),
            *(mistaken(f"R-{n}", n, "unknown id", "/updates/0/spec") for n in (1, 2)),
            *(of_any_exchange(result(f"R-{n}", n, expected=BAD)) for n in (3, 5)),
            result("R-4", 4, expected=BAD),
        ],
        ["1235", "4"],
    ),
    "unknown kind of update, as a text among other values": (
        [
            *errors("no", "no", status=406, kind="Unsupported"),
            mistaken("R-1", 1, "as string", "/updates/0/action"),
            mistaken("R-2", 2, "invalid value", "/updates/0/action"),
        ],
        ["12"],
    ),
    "missing message of an error with a wrong status": (
        [
            *errors("null", status=500, kind=NULL),
            mistaken("R-1", 1, "unknown id", "/schema-id"),
            of_any_exchange(different("R-2", 1, "/error/message", "another type")),
        ],
        ["1", "2"],
    ),
    "error types": (
        [
            *errors("a", "b", status=404, kind="NoSuchTableException"),
            *(different(f"R-{n}", n, "/error/type", expected="a", actual="b") for n in (1, 2)),
        ],
        ["12"],
    ),
    "headers": (
        [
            *answers("loadTable", "updateTable", "loadTable"),
            *differing("/headers/etag", "/headers/etag", "/headers/vary"),
        ],
        ["12", "3"],
    ),
    "consequence of an accepted request": (
        [
            *answers("updateTable", "loadTable"),
            result("R-1", 1, expected=BAD),
            result("R-2", 2, trail=(1,)),
        ],
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
        [
            *answers("createView", "loadView", "loadTable"),
            *differing(*["/metadata/version-log"] * 3, kind="missing"),
        ],
        ["12", "3"],
    ),
    "differences within a member": (
        [
            *answers(*["loadTable"] * 3),
            *differing("/metadata/properties/a", "/metadata/properties/b", "/metadata/refs/main"),
        ],
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
            different(
                "R-1", 1, "/metadata/properties", expected='no `owner` without "a"', actual="null"
            ),
            different(
                "R-2", 2, "/metadata/properties", expected="the table of a client", actual="[]"
            ),
        ],
        ["12"],
    ),
    "value of an earlier answer before the last refusal": (
        [
            *errors("it has a uuid", status=400, kind="BadRequestException"),
            exchange(2, 200),
            *differing(*["/metadata/table-uuid"] * 2),
        ],
        ["12"],
    ),
    "findings that show no more, by check and operation": (
        [
            *answers("updateTable", "updateTable", "loadTable"),
            *(with_failures(f"R-{n}", {"exchange": n}) for n in (1, 2, 3)),
        ],
        ["12", "3"],
    ),
    "refusals of one operation with another status": (
        [
            *errors(
                "no schema", "no schema", "no column", status=409, kind="CommitFailedException"
            ),
            *expecting(BAD, BAD, BAD),
        ],
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
    "incident numbers": (
        [
            *errors(
                *(f"see incident {letter * 32}" for letter in "ab"),
                status=500,
                kind="InternalServerError",
            ),
            *expecting(BAD, (404,)),
        ],
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
        [
            exchange(1, 200),
            result("R-1", 1, expected=BAD),
            different("R-2", 1, "/metadata/table-uuid", "missing"),
        ],
        ["12"],
    ),
    "empty body, by operation": (
        [
            *answers("loadTable", "loadTable", "listTables", body="{}"),
            *differing("/member-0", "/member-1", "/member-2", kind="missing"),
        ],
        ["12", "3"],
    ),
    "other success after an accepted request": (
        [exchange(1, 204), result("R-1", 1, expected=BAD), result("R-2", 1, expected=(200,))],
        ["12"],
    ),
    "error body with an empty type": (
        [
            *errors("no a", "no a", "no b", "no b", status=409, kind=""),
            *expecting((404, 201), (404, 200), (404, 201), (404, 200)),
        ],
        ["12", "34"],
    ),
    "refused right requests without error body": (
        [
            *answers(*["updateTable"] * 3, status=422, body="missing field"),
            *expecting(BAD, (409,), (200,)),
        ],
        ["123"],
    ),
    "success with another status in all operations": (
        [*answers("renameTable", "dropTable"), *expecting((204,), (204,))],
        ["12"],
    ),
    "accepted commits, by action": (
        [
            *(
                commit(1, "add-spec"),
                commit(2, "add-schema"),
                commit(3, "add-spec", "add-spec"),
                commit(4, "add-spec", "add-schema"),
            ),
            *expecting(BAD, BAD, BAD, BAD),
        ],
        ["13", "2", "4"],
    ),
    "accepted conflicts, by requirement": (
        [
            *(
                commit(n, "set-properties", requirements=(kind,))
                for n, kind in enumerate((UUID, "assert-ref-snapshot-id", UUID), 1)
            ),
            *expecting((409,), (409,), (409,)),
        ],
        ["13", "2"],
    ),
    "equal crashes, also where success was expected": (
        [
            *errors(*["bad request"] * 4, status=500, kind="WebApplicationException"),
            *expecting(BAD, BAD, (200,), (200,)),
        ],
        ["1234"],
    ),
    "error that right requests get too": (
        [
            *errors(*["no delegation"] * 3, "no name", status=400, kind="BadRequestException"),
            *expecting((200,)),
            *(
                mistaken(f"R-{n}", n, *mistake, expected=(404,))
                for n, mistake in enumerate((("absent", "table"), ("present", "view")), 2)
            ),
            mistaken("R-4", 4, "present", "namespace", expected=(409,)),
        ],
        ["123", "4"],
    ),
    "crashes without error body, by message": (
        [
            *(
                exchange(n, 500, json.dumps({"message": message}))
                for n, message in enumerate(CRASHES, 1)
            ),
            *expecting(*[(200,)] * 3),
        ],
        ["12", "3"],
    ),
    "wrong refusal after an accepted request": (
        [
            exchange(1, 200),
            exchange(2, 500, "<html>"),
            result("R-1", 1, expected=BAD),
            result("R-2", 2, expected=BAD, trail=(1,)),
        ],
        ["1", "2"],
    ),
    "members that name items of one another": (
        [
            *answers(*["loadTable"] * 3),
            *differing(
                "/metadata/default-spec-id",
                "/metadata/partition-specs/0",
                "/metadata/partition-specs",
            ),
        ],
        ["23", "1"],
    ),
    "members of an item": (
        [
            *answers("planTableScan", "planTableScan", "planTableScan"),
            *differing(
                "/file-scan-tasks/0",
                "/file-scan-tasks/1/data-file/lower-bounds/values/0",
                "/file-scan-tasks/0/data-file/lower-bounds/values/2",
            ),
        ],
        ["1", "23"],
    ),
    "crashes with messages about different calls": (
        [
            *errors(
                *(f'Cannot invoke \\"{call}()\\" on null' for call in ("a.b", "c.d")),
                status=500,
                kind=NULL,
            ),
            *(mistaken(f"R-{n}", n, "missing", f"/{n}x") for n in (1, 2)),
        ],
        ["1", "2"],
    ),
    "crashes whose message says nothing, by mistake": (
        [
            *errors(*["Internal Server Error"] * 3, status=500, kind=NULL),
            *(
                mistaken(f"R-{n}", n, "invalid value", f"/{at}")
                for n, at in ((1, "name"), (2, "name"), (3, "schema"))
            ),
        ],
        ["12", "3"],
    ),
    "objects that are not found, by what is special about their names": (
        [
            *(
                not_found(n, path)
                for n, path in ((1, "a%1Fb"), (2, "a%1Fc"), (3, "%C3%A9"), (4, "a"))
            ),
            *expecting(*[(200,)] * 4),
        ],
        ["12", "3", "4"],
    ),
    "objects that are not found, by the change that should have left them": (
        [
            *changed(1, "createTable", table="lp_0a1b2c_1_1"),
            *changed(3, "renameTable", table="lp_0a1b2c_1_2"),
            *changed(5, "createTable", table="lp_0a1b2c_1_3"),
            *(result(f"R-{n}", n, expected=(200,)) for n in (2, 4, 6)),
        ],
        ["26", "4"],
    ),
    "cases of one requirement with different keys": (
        [
            exchange(1, 200),
            exchange(2, 422, ERROR % ("no", "Bad", 422)),
            with_failures("R-1", *cases(BAD, BAD)),
        ],
        ["1", "1"],
    ),
    "media type of crashes without a message, of several tables": (
        [
            *(
                exchange(n, 500, ERROR % ("", NULL, 500), table=f"t{n}/read") | {"objects": []}
                for n in (1, 2)
            ),
            *differing("/media-type", "/media-type"),
        ],
        ["12"],
    ),
    "requirements about one exchange of a check": (
        [
            exchange(1, 404, ERROR % ("gone", "Gone", 404), operation="loadTable"),
            result("R-1", 1, expected=(200,)),
            different("R-2", 1, "/error/type"),
            different("R-3", 1, "/error/code", "missing"),
        ],
        ["123"],
    ),
    "invariant that judges the exchange of another finding": (
        [
            exchange(1, 200, operation="loadTable"),
            different("R-1", 1, "/metadata/refs"),
            of_any_exchange(different("R-2", 1, "/headers/etag")),
        ],
        ["1", "2"],
    ),
    "what simultaneous changes of one check lose": (
        [
            *answers("loadTable", "loadTable"),
            exchange(3, 200) | {"concurrent": True},
            different("R-1", 1, "/metadata/properties"),
            result("R-2", 2),
        ],
        ["12"],
    ),
    "callers of an operation without access control": (
        [
            *answers("dropTable", "dropTable", "loadTable"),
            mistaken("R-1", 1, "access", "no credentials", expected=(401,)),
            mistaken("R-2", 2, "access", "rights", expected=(403,)),
            mistaken("R-3", 3, "access", "rights", expected=(403,)),
        ],
        ["12", "3"],
    ),
    "identifiers without a namespace": (
        [
            *answers(
                "renameTable", "renameTable", "commitTransaction", status=404, body=ERROR % G404
            ),
            mistaken("R-1", 1, "missing", "/source/namespace"),
            mistaken("R-2", 2, "missing", "/destination/namespace"),
            mistaken("R-3", 3, "missing", "/table-changes/0/identifier/namespace"),
        ],
        ["123"],
    ),
    "bodies that the server cannot read": (
        [
            *(exchange(n, 500, ERROR % (f"call{'x' * n}()", NULL, 500)) for n in range(1, 11)),
            *(mistaken(f"R-{n}", n, "missing", f"/m{n}") for n in range(1, 11)),
        ],
        ["".join(sorted(map(str, range(1, 11))))],
    ),
    "empty answers of many operations": (
        [
            *answers("loadTable", "loadView", "dropTable", "listTables", "getConfig", body="{}"),
            *differing("/a", "/b", "/c", "/d", "/e", kind="missing"),
        ],
        ["12345"],
    ),
    "operations that should be served": (
        [
            *answers("dropTable", "renameTable", status=501, body=ERROR % ("no", "No", 501)),
            *(with_failures(f"R-{n}", {"exchange": n, "about_status": True}) for n in (1, 2)),
        ],
        ["12"],
    ),
    "errors without a body, and their media type": (
        [
            exchange(1, 500, "<html>"),
            exchange(2, 500, "<html>"),
            *expecting(BAD),
            of_any_exchange(different("R-2", 2, "/media-type")),
        ],
        ["12"],
    ),
    "requirements of a commit that a server does not check, and the changes lost by that": (
        [
            commit(1, "add-snapshot", requirements=("assert-ref-snapshot-id",)),
            commit(2, "add-schema", requirements=("assert-table-uuid",)),
            commit(3, "add-spec", requirements=("assert-default-spec-id",)),
            exchange(4, 200) | {"check": "race", "concurrent": True},
            *(
                mistaken(f"R-{n}", n, "stale", "/requirements/0", expected=(409,))
                for n in (1, 2, 3)
            ),
            of_any_exchange(different("R-4", 4, ""), check="race"),
        ],
        ["1234"],
    ),
    "two requirements of a commit that a server does not check": (
        [
            commit(1, "add-schema", requirements=("assert-table-uuid",)),
            commit(2, "add-spec", requirements=("assert-default-spec-id",)),
            *(mistaken(f"R-{n}", n, "stale", "/requirements/0", expected=(409,)) for n in (1, 2)),
        ],
        ["1", "2"],
    ),
    "numbers as text after simultaneous changes": (
        [
            exchange(1, 200) | {"concurrent": True},
            exchange(2, 200, operation="loadTable") | READ,
            different("R-1", 1, "/metadata/refs/main", "number as text"),
            of_any_exchange(different("R-2", 2, "/metadata/snapshots", "number as text")),
        ],
        ["12"],
    ),
    "a wrong value in all loads, also after a refused change": (
        [
            *errors("no", status=409, kind="Conflict"),
            load_after(1, 2),
            exchange(3, 200, operation="loadTable") | READ,
            of_any_exchange(
                with_failures(
                    "R-1",
                    *(
                        {
                            "exchange": n,
                            "difference": {"at": "/format-version", "kind": "another value"},
                        }
                        for n in (2, 3)
                    ),
                )
            ),
        ],
        ["1"],
    ),
    "header of a refusal beside an accepted request that only reads": (
        [
            exchange(1, 200, operation="getConfig") | READ | {"objects": []},
            exchange(2, 401, ERROR % ("no", "No", 401)),
            mistaken("R-1", 1, "access", "no credentials", expected=(401,)),
            different("R-2", 2, "/headers/www-authenticate", "missing"),
        ],
        ["1", "2"],
    ),
    "body of an answer that should have none": (
        [
            exchange(1, 200, operation="reportMetrics"),
            of_any_exchange(result("R-1", 1, expected=(204,))),
            of_any_exchange(different("R-2", 1, "/media-type")),
        ],
        ["12"],
    ),
    "errors of Pydantic, however many it counts": (
        [
            *errors(
                "1 validation error for Spec\\nfields.0.id\\n  Field required [type=missing, a=1]",
                "2 validation errors for Spec\\nfields.1.id\\n  Field required [type=missing, b='2']",
                status=422,
                kind="ValidationError",
            ),
            *expecting((200,), (200,)),
        ],
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
    shown: dict[str, Any], finding: dict[str, Any], severity: Severity
) -> None:
    assert [cause.severity for cause in causes([shown, finding])] == [severity]


def warning(requirement: str, shown: int, **changes: Any) -> dict[str, Any]:
    """Return the result of a requirement that should be kept."""
    broken = result(requirement, shown, outcome="warn", **changes)
    broken["verdicts"][0]["outcome"] = "warn"
    return broken


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

    assert grouped([*lines, *findings]) == ["3", "1", "4", "2"]


def test_severity_of_a_cause_is_that_of_its_gravest_requirement() -> None:
    lines = [*answers("loadTable", "loadTable"), *differing(*["/metadata/refs"] * 2)]
    lines[3]["risk"] = "data"

    (cause,) = causes(lines)

    assert (cause.severity, cause.requirements) == (Severity.DATA, ("R-2", "R-1"))


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
    ("refused", "mistakes", "expected"),
    [({"GET"}, 10, 1), ({"GET"}, 9, 9), ({"DELETE"}, 10, 10), (set[str](), 10, 1)],
)
def test_server_that_accepts_many_mistakes_and_refuses_none_has_one_cause(
    refused: set[str], mistakes: int, expected: int
) -> None:
    findings = [mistaken(f"R-{n}", n, "invalid value", f"/{n}x") for n in range(1, mistakes + 1)]
    found = causes([*answers(*["createTable"] * mistakes), *findings], refused=refused)

    assert len(found) == expected
    assert ("no POST, PUT or DELETE request of the run was refused" in found[0].title) is (
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
    found = causes([*errors(*["no"] * mistakes, status=status, kind=kind), *findings])

    assert len(found) == expected
    assert (
        found[0].title
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
    assert len(grouped([*crashes, *failures])) == expected


def test_accepted_case_of_a_requirement_is_a_cause_of_its_own() -> None:
    wrong = [
        {"exchange": n, "expected_status": [400], "mutation": {"kind": "invalid value", "at": "/a"}}
        for n in (1, 2)
    ]
    found = causes(
        [
            *errors("no", status=422, kind="Unprocessable"),
            exchange(2, 200),
            with_failures("R-1", *wrong, risk="data"),
        ]
    )

    assert [(cause.severity, cause.title) for cause in found] == [
        (
            Severity.DATA,
            "updateTable returned 200 with an invalid value of `a`, expected 400",
        ),
        (
            Severity.STATUS,
            "updateTable returned 422 (Unprocessable) with an invalid value of `a`, expected 400",
        ),
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

    assert grouped(lines) == ["12"]


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


def test_accepted_request_after_which_right_ones_fail_is_a_cause_of_its_own() -> None:
    load = exchange(6, 500, BOOM, operation="loadTable")
    load["request"]["method"] = "GET"
    wrong = [mistaken(f"R-{n}", n, "wrong type", f"/{n}x") for n in range(1, 6)]
    lines = [
        *(exchange(n, 200, table=f"lp_0_1_{n}") for n in range(1, 6)),
        load | {"objects": ["lp_0_1_5"]},
    ]

    assert grouped([*lines, *wrong, result("R-6", 6, expected=(200,))]) == ["56", "1234"]


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


def test_effect_of_an_accepted_request_before_a_refused_one_is_no_loss() -> None:
    load = exchange(3, 200, operation="loadTable")
    load["request"]["method"] = "GET"
    lines = [exchange(1, 200), exchange(2, 409, ERROR % ("no", "Conflict", 409)), load]
    found = [result("R-1", 1, expected=BAD), different("R-2", 3, "/metadata/last-updated-ms")]

    assert [(c.severity, c.title) for c in causes([*lines, *found])] == [
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


def test_title_of_a_read_names_no_change_of_other_objects() -> None:
    config = exchange(2, 200, operation="getConfig") | READ | {"objects": []}
    lines = [exchange(1, 200, operation="reportMetrics"), config, different("R-1", 2, "/endpoints")]

    assert [cause.title for cause in causes(lines)] == [
        "getConfig returned another `endpoints`: expected `a` to be 1, got 2"
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


def test_title_of_an_accepted_mistake_is_of_its_first_finding() -> None:
    findings = [
        mistaken("R-1", 1, "absent", "table") | {"outcome": "warn"},
        mistaken("R-2", 2, "absent", "table"),
    ]
    findings[0]["verdicts"][0]["outcome"] = "warn"

    (cause,) = causes([*answers("loadTable", "dropTable"), *findings])
    assert (cause.requirements[0], cause.title.partition(" ")[0]) == ("R-2", "dropTable")
