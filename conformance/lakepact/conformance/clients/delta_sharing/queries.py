"""Queries of several tables in one run, of tables without files, and of columns of every type."""

from __future__ import annotations

import threading
from typing import Any

from lakepact.conformance.clients.delta_sharing.answers import same_values
from lakepact.conformance.clients.delta_sharing.api import (
    ROWS,
    Answer,
    Document,
    Forward,
    NotOffered,
    Performance,
    Request,
    Script,
    SharingClientLab,
    Unmet,
    check,
    expect,
    op,
    same_rows,
)
from lakepact.conformance.clients.delta_sharing.lab import BY_DIRECTORY, expect_rows
from lakepact.conformance.clients.delta_sharing.scripts import IN_LINES, blind, in_lines
from lakepact.conformance.clients.delta_sharing.versions import CHANGED, HISTORY
from lakepact.conformance.evidence.outcome import Blocked

QUERY, KEYS = op.query_table, op.generate_temporary_table_credentials
LIMIT = 3
MODES = "accessModes"
TABLES = frozenset({op.list_tables, op.list_all_tables})


def _sends(performance: Performance, member: str) -> bool:
    """Return whether a query had this member in its body."""
    bodies = [exchange.request_json for exchange in performance.of(QUERY)]
    return any(isinstance(body, dict) and body.get(member) is not None for body in bodies)


@check("DS-HNT-14")
def limits_are_applied(lab: SharingClientLab) -> None:
    """A client returns as many rows as its limit, although the server sends all files."""
    table, rows = lab.reads()
    performance = lab.performs("read-table", blind, table=table, limit=LIMIT)
    with lab.judge("DS-HNT-14"):
        some = performance.result
        right = isinstance(some, list) and len(some) == LIMIT and all(row in rows for row in some)
        actual = f"{len(some)} rows" if isinstance(some, list) else expect.excerpt(some)
        expect.true(
            right, f"{LIMIT} rows of the table, although the server ignores limitHint", actual
        )


@check("DS-HNT-14", "DS-SQL-04", "DS-JSP-09")
def predicates_are_applied(lab: SharingClientLab) -> None:
    """A client returns only the rows that satisfy its predicates, although the server sends all
    files.
    """
    table, rows = lab.reads()
    row = rows[len(rows) // 2]
    where = {"id": row["id"]}
    performance = lab.performs("read-table", blind, table=table, where=where)
    requirements = ["DS-HNT-14"]
    for requirement, member in (
        ("DS-SQL-04", "predicateHints"),
        ("DS-JSP-09", "jsonPredicateHints"),
    ):
        if _sends(performance, member):
            requirements.append(requirement)
        else:
            lab.skip(requirement, f"the client sends no {member}")
    with lab.judge(*requirements):
        same_rows(
            performance, [row], f"with {expect.excerpt(where)}, although the server ignores hints"
        )


@check("DS-QRY-03")
def queries_without_parameters(lab: SharingClientLab) -> None:
    """A client sends a JSON object as the body of every query."""
    table, _ = lab.reads()
    performance = lab.performs("read-table", table=table)
    performance.require(QUERY)
    with lab.judge_each("DS-QRY-03") as case:
        for exchange in performance.of(QUERY):
            with case():
                expect.true(
                    isinstance(exchange.request_json, dict),
                    "a JSON object as the body",
                    exchange.request_body.decode("utf-8", "replace"),
                )


def with_access_modes(modes: list[str] | None) -> Script:
    """Return a server whose tables all have these `accessModes`, or none; it issues no
    credentials.
    """

    def with_modes(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        others = {name: inner for name, inner in value.items() if name != MODES}
        return others if modes is None else {**others, MODES: modes}

    def script(request: Request, forward: Forward) -> Answer:
        if request.operation == KEYS:
            return Answer(
                400,
                body=(
                    b'{"errorCode":"INVALID_PARAMETER_VALUE","message":"the table cannot be read by'
                    b' directory"}'
                ),
            )
        answer = forward(request)
        if answer.status != 200 or request.operation not in TABLES | IN_LINES:
            return answer
        if request.operation in TABLES:
            page = answer.document
            return answer.with_document(
                {**page, "items": [with_modes(item) for item in page.get("items", [])]}
            )
        return answer.with_lines(
            {
                kind: with_modes(inner) if kind == "metaData" else inner
                for kind, inner in line.items()
            }
            for line in answer.lines
        )

    return script


@check("DS-LTB-12")
def tables_without_access_modes(lab: SharingClientLab) -> None:
    """A client reads exactly the rows of a table without `accessModes` by URLs."""
    table, rows = lab.address(ROWS), lab.rows(ROWS)
    try:
        same_rows(lab.performs("read-table", with_access_modes(["url"]), table=table), rows, "")
    except Unmet as unmet:
        raise Blocked(f"the client does not read a table by URLs: {unmet.actual}") from None
    with lab.judge("DS-LTB-12"):
        same_rows(
            lab.performs("read-table", with_access_modes(None), table=table),
            rows,
            f"where no answer has {MODES}",
        )


@check("DS-ACC-01")
def tables_by_directory(lab: SharingClientLab) -> None:
    """A client that reads by URLs reports an error for a table with `accessModes` dir."""
    lab.reads()
    performance = lab.performs("read-table", table=lab.address(BY_DIRECTORY))
    if performance.of(KEYS):
        raise NotOffered("the client reads directories")
    with lab.judge("DS-ACC-01"):
        performance.expect_refusal("the accessModes of the table are dir alone")


EMPTY = ("empty", "emptied")
TYPED = ("types", "capitals")
AGAIN = "emptied"  #: shared in place of another table, at the same version


@check("DS-CLI-16")
def several_tables(lab: SharingClientLab) -> None:
    """A client that reads several tables and versions with one client object returns the rows of
    each.
    """
    lab.reads()
    versions = lab.pack.tables[HISTORY].versions
    history, other = lab.address(HISTORY), lab.address(ROWS)
    cases: list[tuple[Document, list[Document], str]] = [
        ({"table": other}, lab.rows(ROWS), "that is read first"),
        (
            {"table": history, "version": versions[0].version},
            versions[0].rows.to_pylist(),
            f"at version {versions[0].version}",
        ),
        ({"table": history}, lab.rows(HISTORY), "that was read at another version before"),
        (
            {"table": history, "version": versions[1].version},
            versions[1].rows.to_pylist(),
            f"at version {versions[1].version}",
        ),
        ({"table": other}, lab.rows(ROWS), "that is read a second time"),
    ]
    performance = lab.performs("read-tables", tables=[table for table, _, _ in cases])
    with lab.judge_each("DS-CLI-16") as case:
        with case():
            if not isinstance(performance.result, list) or len(performance.result) != len(cases):
                raise Unmet(f"an array with the rows of {len(cases)} reads", performance.outcome)
        for actual, (_, rows, how) in zip(
            performance.result if isinstance(performance.value, list) else (), cases, strict=False
        ):
            with case():
                expect_rows(actual, rows, how)


def shared_again(table: str, new: str, trigger: str) -> Script:
    """Return a server that shares a table with the content of a new one after a request for the
    trigger.
    """
    path, other, mark = (
        "/shares/{}/schemas/{}/tables/{}/".format(*name.split("."))
        for name in (table, new, trigger)
    )
    has_changed = threading.Event()

    def script(request: Request, forward: Forward) -> Answer:
        if mark in request.target:
            has_changed.set()
        if has_changed.is_set() and path in request.target:
            request = request.at(request.target.replace(path, other))
        return forward(request)

    return script


@check("DS-CLI-16")
def tables_shared_again(lab: SharingClientLab) -> None:
    """A client that reads a table again, which was dropped and shared again in between, returns its
    new rows.
    """
    lab.reads()
    table, new, trigger = (lab.address(fixture) for fixture in (ROWS, AGAIN, HISTORY))
    script = shared_again(table, new, trigger)
    reads = [{"table": one} for one in (table, trigger, table)]
    with lab.judge("DS-CLI-16"):
        read = lab.performs("read-tables", script, tables=reads).result
        expect.true(isinstance(read, list) and len(read) == len(reads), "three reads", str(read))
        expect_rows(read[-1], lab.rows(AGAIN), "that was dropped and shared again")


def _without_changes(lines: list[Document]) -> list[Document]:
    return [line for line in lines if not line.keys() & {"add", "remove", "cdf", "file"}]


@check("DS-CLI-17")
def tables_without_files(lab: SharingClientLab) -> None:
    """A client returns no rows for a table without files, and no changes for versions without
    files.
    """
    lab.reads()
    with lab.judge_each("DS-CLI-17") as case:
        feed = lab.pack.tables[CHANGED]
        bounds: Document = {"starting-version": 0, "ending-version": feed.last.version}
        script = in_lines(_without_changes, op.query_table_changes)
        performance = lab.tries("read-changes", script, table=lab.address(CHANGED), **bounds)
        if performance is not None:
            with case():
                same_rows(performance, [], "whose versions changed no files")
        for fixture in EMPTY:
            with case():
                same_rows(
                    lab.performs("read-table", table=lab.address(fixture)),
                    [],
                    "without files",
                )


@check("DS-CLI-18")
def types_of_columns(lab: SharingClientLab) -> None:
    """A client returns the rows of tables with columns of every type, also nested, and with
    capitals and spaces in column names.
    """
    lab.reads()
    with lab.judge_each("DS-CLI-18") as case:
        for fixture in TYPED:
            with case():
                performance = lab.performs("read-table", table=lab.address(fixture))
                same_values(performance, lab.rows(fixture), f"the table {lab.address(fixture)}")


@check("DS-CLI-22")
def ordinary_tasks(lab: SharingClientLab) -> None:
    """A client performs each task that it offers, and returns the names, columns, versions and rows
    that the server has.
    """
    history, where = lab.pack.tables[HISTORY], {"table": lab.address(HISTORY)}
    tasks: list[tuple[str, Document, Any]] = [
        ("list-tables", {}, [table for share in lab.catalogue().values() for table in share]),
        ("read-table", where, lab.rows(HISTORY)),
        ("read-table-at-version", {**where, "version": history.last.version}, lab.rows(HISTORY)),
        ("read-metadata", where, [field["name"] for field in history.last.schema["fields"]]),
        ("table-version", where, history.last.version),
    ]
    with lab.judge_each("DS-CLI-22", without="the client implements no task") as case:
        for task, arguments, expected in tasks:
            if (performance := lab.tries(task, **arguments)) is not None:
                with case():
                    performance.meets(
                        performance.prints(expected),
                        f"the result of {task}: {expect.excerpt(expected)}",
                    )
                    expect.true(bool(performance.exchanges), "a request to the server", "none")
