"""Versions, timestamps and changes of tables."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from lakepact.conformance.clients.delta_sharing.api import (
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

HISTORY, CHANGED = "times", "changes"
VERSION = frozenset({op.get_table_version, op.head_table_version})
HEADER = "delta-table-version"
ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)")
TIMES = ("timestamp", "startingTimestamp", "endingTimestamp")


#: Members of a query that exclude `includeRefreshToken` on the official server.
EARLIER = ("version", "timestamp", "startingVersion", "endingVersion", "pageToken")


def _requests_no_refresh_token(performance: Performance) -> None:
    """Expect that a query of an earlier version requests no refresh token, which the official
    server refuses.
    """
    for exchange in performance.of(op.query_table):
        body = exchange.request_json
        if isinstance(body, dict) and body.get("includeRefreshToken"):
            point = next((name for name in EARLIER if name in body), None)
            expect.true(
                point is None,
                f"a query with {point} and without includeRefreshToken, which servers refuse"
                " together",
                expect.excerpt(body),
                at=None,
            )


@check("DS-CLI-24")
def refresh_tokens(lab: SharingClientLab) -> None:
    """A client that reads a version or a time requests no refresh token."""
    table = lab.pack.tables[HISTORY]
    version = table.versions[2]
    with lab.judge_each("DS-CLI-24", without="the client reads neither versions nor times") as case:
        for task, point in (("version", version.version), ("timestamp", version.timestamp)):
            where: Document = {"table": lab.address(HISTORY), task: point}
            performance = lab.tries(f"read-table-at-{task}", **where)
            if performance is not None and performance.of(op.query_table):
                with case():
                    _requests_no_refresh_token(performance)


@check("DS-CLI-06")
def versions(lab: SharingClientLab) -> None:
    """A client that reads a table as of a version returns the rows of that version, also of version
    0.
    """
    table = lab.pack.tables[HISTORY]
    with lab.judge_each("DS-CLI-06") as case:
        for version in (table.versions[0], table.versions[2], table.last):
            with case():
                performance = lab.performs(
                    "read-table-at-version", table=lab.address(HISTORY), version=version.version
                )
                with lab.step("DS-CLI-24"):
                    _requests_no_refresh_token(performance)
                same_rows(performance, version.rows.to_pylist(), f"at version {version.version}")


@check("DS-CLI-07")
def timestamps(lab: SharingClientLab) -> None:
    """A client sends timestamps in ISO 8601 and UTC, and returns the rows of that time."""
    version = lab.pack.tables[HISTORY].versions[2]
    performance = lab.performs(
        "read-table-at-timestamp", table=lab.address(HISTORY), timestamp=version.timestamp
    )
    values = _times(performance)
    if not values:
        raise NotOffered("the client sends no timestamp")
    with lab.judge_each("DS-CLI-07") as case:
        for value in values:
            with case():
                expect.true(
                    isinstance(value, str) and bool(ISO.fullmatch(value)),
                    "a time such as 2022-01-01T00:00:00Z",
                    expect.excerpt(value),
                )
        with case():
            same_rows(
                performance, version.rows.to_pylist(), f"at the time of version {version.version}"
            )


def _times(performance: Performance) -> list[Any]:
    """Return the timestamps in the bodies and queries of a task's requests."""
    values = []
    for exchange in performance.exchanges:
        body = exchange.request_json
        parameters = dict(parse_qsl(urlsplit(exchange.url).query, keep_blank_values=True)) | (
            body if isinstance(body, dict) else {}
        )
        values += [parameters[name] for name in TIMES if parameters.get(name) is not None]
    return values


def version_as(status: int, name: str) -> Script:
    """Return a server that returns the version of a table with this status, in a header of this
    name.
    """

    def script(request: Request, forward: Forward) -> Answer:
        answer = forward(request)
        if request.operation not in VERSION or answer.status >= 300:
            return answer
        value = answer.header(HEADER)
        return replace(answer.with_header(HEADER, None).with_header(name, value), status=status)

    return script


@check("DS-CLI-08", "DS-CLI-09")
def version_headers(lab: SharingClientLab) -> None:
    """A client returns the version in `Delta-Table-Version`, in any letter case, of a 200 and of a
    204.
    """
    expected = lab.pack.tables[HISTORY].last.version
    scripts = (
        ("DS-CLI-08", 200, "Delta-Table-Version"),
        ("DS-CLI-08", 200, "delta-table-version"),
        ("DS-CLI-09", 204, "Delta-Table-Version"),
    )
    for requirement, status, name in lab.each(scripts):
        with lab.judge(requirement):
            performance = lab.performs(
                "table-version", version_as(status, name), table=lab.address(HISTORY)
            )
            expect.equal(expected, performance.result, f"version in the header {name} of {status}:")


@check("DS-CLI-13")
def changes(lab: SharingClientLab) -> None:
    """A client returns each changed row with its `_change_type` and `_commit_version`."""
    table = lab.pack.tables[CHANGED]
    last = table.last.version
    expected = [_change(row) for row in table.changes(0, last).to_pylist()]
    bounds: Document = {"starting-version": 0, "ending-version": last}
    performance = lab.performs("read-changes", table=lab.address(CHANGED), **bounds)
    with lab.judge("DS-CLI-13"):
        if not isinstance(performance.result, list):
            raise Unmet("an array of changed rows", performance.outcome)
        actual = [_change(row) for row in performance.result]
        expect.equal(
            sorted(expected), sorted(actual), "id, word, change type and version of the changes:"
        )


def _change(row: Document) -> list[str]:
    return [
        expect.excerpt(row.get(name)) for name in ("_commit_version", "_change_type", "id", "word")
    ]
