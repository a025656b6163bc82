"""Queries of a client, and its own processing of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance.clients.delta_sharing.lab import BY_DIRECTORY, ROWS, same_rows
from lakepact.conformance.clients.delta_sharing.scripts import IN_LINES, blind
from lakepact.conformance.clients.delta_sharing.suite import check
from lakepact.conformance.clients.listener import Answer
from lakepact.conformance.evidence.outcome import Blocked, NotOffered, Unmet
from lakepact.conformance.judging import expect
from lakepact.generated.delta_sharing import op

if TYPE_CHECKING:
    from lakepact.conformance.clients.delta_sharing.lab import SharingClientLab
    from lakepact.conformance.clients.lab import Performance
    from lakepact.conformance.clients.scripted_server import Forward, Request, Script

QUERY, KEYS = op.query_table, op.generate_temporary_table_credentials
LIMIT = 3
MODES = "accessModes"
TABLES = frozenset({op.list_tables, op.list_all_tables})


def _sends(done: Performance, member: str) -> bool:
    """Return whether a query had this member in its body."""
    bodies = [exchange.request_parsed for exchange in done.of(QUERY)]
    return any(isinstance(body, dict) and body.get(member) is not None for body in bodies)


@check("DS-HNT-14")
def limits_are_applied(lab: SharingClientLab) -> None:
    """A client returns as many rows as its limit, although the server sends all files."""
    table, rows = lab.reads()
    printed = lab.performs("read-table", blind, table=table, limit=LIMIT)
    with lab.judge("DS-HNT-14"):
        some = printed.result
        right = isinstance(some, list) and len(some) == LIMIT and all(row in rows for row in some)
        shown = f"{len(some)} rows" if isinstance(some, list) else expect.shown(some)
        expect.true(right, f"{LIMIT} rows of the table, although the server ignores limitHint", shown, at=None)


@check("DS-HNT-14", "DS-SQL-04", "DS-JSP-09")
def predicates_are_applied(lab: SharingClientLab) -> None:
    """A client returns only the rows that satisfy its predicates, although the server sends all files."""
    table, rows = lab.reads()
    wanted = rows[len(rows) // 2]
    where = {"id": wanted["id"]}
    done = lab.performs("read-table", blind, table=table, where=where)
    judged = ["DS-HNT-14"]
    for requirement, member in (("DS-SQL-04", "predicateHints"), ("DS-JSP-09", "jsonPredicateHints")):
        if _sends(done, member):
            judged.append(requirement)
        else:
            lab.skip(requirement, f"the client sends no {member}")
    with lab.judge(*judged):
        same_rows(done.ended, [wanted], f"with {expect.shown(where)}, although the server ignores hints")


@check("DS-QRY-03")
def queries_without_parameters(lab: SharingClientLab) -> None:
    """A client sends a JSON object as the body of every query."""
    table, _ = lab.reads()
    done = lab.performs("read-table", table=table)
    if not done.of(QUERY):
        raise NotOffered("the client does not query the table")
    with lab.judge_each("DS-QRY-03") as case:
        for exchange in done.of(QUERY):
            with case():
                expect.true(
                    isinstance(exchange.request_parsed, dict),
                    "a JSON object as the body",
                    exchange.request_body.decode("utf-8", "replace"),
                    at=None,
                )


def with_access_modes(modes: list[str] | None) -> Script:
    """Return a server whose tables all have these `accessModes`, or none; it issues no credentials."""

    def changed(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        others = {name: inner for name, inner in value.items() if name != MODES}
        return others if modes is None else {**others, MODES: modes}

    def script(request: Request, forward: Forward) -> Answer:
        if request.operation == KEYS:
            return Answer(400, body=b'{"errorCode":"INVALID_PARAMETER_VALUE","message":"the table cannot be read by directory"}')
        answer = forward(request)
        if answer.status != 200 or request.operation not in TABLES | IN_LINES:
            return answer
        if request.operation in TABLES:
            page = answer.document
            return answer.with_document({**page, "items": [changed(item) for item in page.get("items", [])]})
        return answer.with_lines(
            {kind: changed(inner) if kind == "metaData" else inner for kind, inner in line.items()} for line in answer.lines
        )

    return script


@check("DS-LTB-12")
def tables_without_access_modes(lab: SharingClientLab) -> None:
    """A client reads exactly the rows of a table without `accessModes` by URLs."""
    table, rows = lab.address(ROWS), lab.rows(ROWS)
    try:
        same_rows(lab.performs("read-table", with_access_modes(["url"]), table=table).ended, rows, "")
    except Unmet as unmet:
        raise Blocked(f"the client does not read a table by URLs: {unmet.actual}") from None
    with lab.judge("DS-LTB-12"):
        same_rows(lab.performs("read-table", with_access_modes(None), table=table).ended, rows, f"where no answer has {MODES}")


@check("DS-ACC-01")
def tables_by_directory(lab: SharingClientLab) -> None:
    """A client that reads by URLs reports an error for a table with `accessModes` dir."""
    lab.reads()
    done = lab.performs("read-table", table=lab.address(BY_DIRECTORY))
    if done.of(KEYS):
        raise NotOffered("the client reads directories")
    with lab.judge("DS-ACC-01"):
        done.is_refused("the accessModes of the table are dir alone")
