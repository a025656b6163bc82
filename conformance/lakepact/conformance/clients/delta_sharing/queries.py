"""What a client asks for, and does itself with the rows that it gets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance import expect
from lakepact.conformance.clients.delta_sharing.lab import BY_DIRECTORY, ROWS, same_rows
from lakepact.conformance.clients.delta_sharing.scripts import IN_LINES, blind
from lakepact.conformance.clients.delta_sharing.suite import check
from lakepact.conformance.clients.stage import Answer
from lakepact.conformance.outcome import Blocked, NotOffered, Unmet

if TYPE_CHECKING:
    from lakepact.conformance.clients.delta_sharing.lab import SharingClientLab
    from lakepact.conformance.clients.lab import Performance
    from lakepact.conformance.clients.stage import Forward, Request, Script

QUERY, KEYS = "queryTable", "generateTemporaryTableCredentials"
LIMIT = 3
MODES = "accessModes"
TABLES = frozenset({"listTables", "listAllTables"})


def _sends(done: Performance, *members: str) -> bool:
    """Whether a query had one of these members in its body."""
    bodies = [exchange.request_parsed for exchange in done.of(QUERY)]
    return any(isinstance(body, dict) and body.get(member) is not None for body in bodies for member in members)


def _limited(lab: SharingClientLab, table: str, rows: list[dict[str, Any]]) -> Performance:
    done = lab.performs("read-table", blind, table=table, limit=LIMIT)
    printed = done.result
    if not isinstance(printed, list) or len(printed) != LIMIT or any(row not in rows for row in printed):
        shown = f"{len(printed)} rows" if isinstance(printed, list) else expect.shown(printed)
        raise Unmet(f"{LIMIT} rows of the table where the server heeds no limitHint", shown)
    return done


@check("DS-HNT-14", "DS-SQL-04", "DS-JSP-09")
def hints_are_hints(lab: SharingClientLab) -> None:
    """Limits and predicates hold for the rows that are printed, though the server sends all files."""
    table, rows = lab.reads()
    by_id = rows[len(rows) // 2]
    where = {"id": by_id["id"]}
    done: list[Performance] = []
    filtered: Unmet | None = None
    judged = 0
    with lab.judge("DS-HNT-14"):
        try:
            _limited(lab, table, rows)
            judged += 1
        except NotOffered:
            pass
        try:
            done.append(lab.performs("read-table", blind, table=table, where=where))
            judged += 1
            same_rows(done[0].ended, [by_id], f"with {expect.shown(where)} where the server heeds no hints")
        except NotOffered:
            pass
        except Unmet as unmet:
            filtered = unmet
            raise
        if not judged:
            raise NotOffered("the client has neither limits nor predicates")
    for requirement, member in (("DS-SQL-04", "predicateHints"), ("DS-JSP-09", "jsonPredicateHints")):
        if not done or not _sends(done[0], member):
            lab.skip(requirement, f"the client sends no {member}")
            continue
        with lab.judge(requirement):
            if filtered is not None:
                raise filtered


@check("DS-QRY-03")
def queries_without_wishes(lab: SharingClientLab) -> None:
    """A query that asks for nothing in particular has an object as its body."""
    table, _ = lab.reads()
    done = lab.performs("read-table", table=table)
    if not done.of(QUERY):
        raise NotOffered("the client does not query the table")
    with lab.judge("DS-QRY-03"):
        for exchange in done.of(QUERY):
            expect.true(
                isinstance(exchange.request_parsed, dict), "a JSON object as the body", exchange.request_body.decode("utf-8", "replace")
            )


def saying(modes: list[str] | None) -> Script:
    """A server that says of every table how it can be read, or of none; it hands out no keys."""

    def changed(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        others = {name: inner for name, inner in value.items() if name != MODES}
        return others if modes is None else {**others, MODES: modes}

    def script(request: Request, forward: Forward) -> Answer:
        if request.operation == KEYS:
            return Answer(400, body=b'{"errorCode":"INVALID_PARAMETER_VALUE","message":"the table cannot be read so"}')
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
def tables_without_modes(lab: SharingClientLab) -> None:
    """A table of which nobody says how it can be read is read by URLs, as one that says so."""
    table, rows = lab.address(ROWS), lab.rows(ROWS)
    try:
        same_rows(lab.performs("read-table", saying(["url"]), table=table).ended, rows, "")
    except Unmet as unmet:
        raise Blocked(f"the client does not read a table by URLs: {unmet.actual}") from None
    with lab.judge("DS-LTB-12"):
        same_rows(lab.performs("read-table", saying(None), table=table).ended, rows, f"where nothing has {MODES}")


@check("DS-ACC-01")
def tables_by_directory(lab: SharingClientLab) -> None:
    """A client that reads by URLs does not take a table that has none for an empty one."""
    lab.reads()
    done = lab.performs("read-table", table=lab.address(BY_DIRECTORY))
    if done.of(KEYS):
        raise NotOffered("the client reads directories")
    with lab.judge("DS-ACC-01"):
        done.is_refused("no URLs lead to its files")
