"""Lines of reports, and the requirements of each of their causes."""

from __future__ import annotations

import json
from typing import Any

from conformance.causes.findings import (
    BAD,
    BOOM,
    ERROR,
    NULL,
    READ,
    answers,
    cases,
    commit,
    different,
    differing,
    errors,
    exchange,
    expecting,
    load_after,
    mistaken,
    of_any_exchange,
    result,
    with_failures,
)


def not_found(number: int, path: str) -> dict[str, Any]:
    """Return the answer to a request for an object that the server does not find."""
    line = exchange(
        number, 404, ERROR % (f"no {path}", "NoSuchNamespaceException", 404), operation="loadTable"
    )
    line["request"] |= {"method": "GET", "url": f"http://127.0.0.1/v1/namespaces/{path}"}
    return line


def change_and_loss(number: int, operation: str, *, table: str) -> list[dict[str, Any]]:
    """Return an accepted change, and a load that does not find its object."""
    load = exchange(
        number + 1,
        404,
        ERROR % ("gone", "NoSuchTableException", 404),
        operation="loadTable",
        table=table,
    )
    load["request"]["method"] = "GET"
    return [exchange(number, 200, operation=operation, table=table), load]


def with_header(line: dict[str, Any], value: str) -> dict[str, Any]:
    """Return an exchange whose request has a header."""
    return line | {"request": line["request"] | {"headers": [["X-Access", value]]}}


def crashing(number: int, *actions: str, message: str = "no id") -> list[dict[str, Any]]:
    """Return a commit that the server answers with 500."""
    line = exchange(number, 500, ERROR % (message, NULL, 500))
    body = {"updates": [{"action": action} for action in actions], "requirements": []}
    return [line | {"request": line["request"] | {"body": json.dumps(body)}}]


TRANSACTION = {"operation": "commitTransaction"}
LONG = "no column of a table, " * 10
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
            *change_and_loss(1, "createTable", table="lp_0a1b2c_1_1"),
            *change_and_loss(3, "renameTable", table="lp_0a1b2c_1_2"),
            *change_and_loss(5, "createTable", table="lp_0a1b2c_1_3"),
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
