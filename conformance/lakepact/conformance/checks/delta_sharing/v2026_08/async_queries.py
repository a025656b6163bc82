"""Checks of queries that run in the background."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from typing import Any

from lakepact.conformance.checks.delta_sharing.api import (
    EITHER_FORMAT,
    Blocked,
    Document,
    Kind,
    Members,
    NotOffered,
    Placed,
    Reply,
    SharingLab,
    Unmet,
    Wrong,
    expect,
    op,
    reading,
    target_tables,
)
from lakepact.conformance.checks.delta_sharing.kit.answers import lasting
from lakepact.conformance.checks.delta_sharing.kit.lines import ends_of, objects, required
from lakepact.conformance.checks.delta_sharing.kit.reading import AnyTable
from lakepact.conformance.checks.delta_sharing.v2026_08.suite import ASYNC, STATUS, check

STATUSES = ("pending", "failed")
LONGEST = 60.0  #: seconds that a query may run
WAITS = (
    0.02,
    0.1,
    0.5,
    1.0,
)  #: seconds between two requests for a status; the last one is repeated
MOST_PAGES = 20


def begin(lab: SharingLab, table: AnyTable, body: Members, *, capabilities: str = ASYNC) -> Reply:
    """Return the answer to a query of a client that accepts queries in the background."""
    return lab.send(
        op.query_table, body=dict(body), delta_sharing_capabilities=capabilities, **table.address
    )


def statuses(reply: Reply) -> list[Placed]:
    """Return the queryStatus lines of an answer."""
    return list(objects(reply.lines, STATUS)) if reply.status == 200 else []


def begin_in_background(lab: SharingLab, table: AnyTable) -> str:
    """Return the id of a query that runs in the background.

    Raises:
        Blocked: the target does not begin one.
        NotOffered: the target answers it at once.
    """
    reply = lab.require(begin(lab, table, {"idempotencyKey": str(uuid.uuid4())}), 200)
    status_lines = statuses(reply)
    if not status_lines:
        raise NotOffered("the target answers the query at once")
    query_id = status_lines[0].get("queryId")
    if not isinstance(query_id, str) or not query_id:
        raise Blocked("the queryStatus line has no queryId")
    return query_id


def info(lab: SharingLab, table: AnyTable, query_id: str, body: Members | None = None) -> Reply:
    """Return the answer of Get Query Info."""
    return lab.send(
        op.get_query_info,
        query_id=query_id,
        body=dict(body or {}),
        delta_sharing_capabilities=EITHER_FORMAT[1],
        **table.address,
    )


def poll(
    lab: SharingLab, table: AnyTable, query_id: str, body: Members | None = None
) -> Iterator[Reply]:
    """Yield the answers of Get Query Info until one has no queryStatus line.

    Raises:
        Blocked: the query failed, or still runs after a minute.
    """
    ends, waits = time.monotonic() + LONGEST, iter(WAITS)
    while time.monotonic() < ends:
        reply = info(lab, table, query_id, body)
        yield reply
        status_lines = statuses(reply)
        if not status_lines:
            return
        if status_lines[0].get("status") == "failed":
            raise Blocked("the target reports that the query failed")
        time.sleep(next(waits, WAITS[-1]))
    raise Blocked(f"the query still runs after {LONGEST:.0f} seconds")


def _plain(lab: SharingLab, table: AnyTable) -> Reply:
    return lab.require(begin(lab, table, {}, capabilities=EITHER_FORMAT[1]), 200)


@check("DS-ASY-02")
def async_queries_need_a_key(lab: SharingLab) -> None:
    """A query with asyncquery=true and without an idempotencyKey returns 400."""
    table = target_tables.any_table(lab)
    begin_in_background(lab, table)
    with lab.judge("DS-ASY-02"):
        mutation = Wrong.MISSING("/idempotencyKey")
        expect.status(
            begin(lab, table, {}), 400, about="without an idempotencyKey", mutation=mutation
        )


@check("DS-ASY-03")
def async_queries_return_a_status(lab: SharingLab) -> None:
    """A query in the background is answered with one line: queryStatus with queryId and the status
    pending or failed.
    """
    table = target_tables.any_table(lab)
    reply = lab.require(begin(lab, table, {"idempotencyKey": str(uuid.uuid4())}), 200)
    if not statuses(reply):
        raise NotOffered("the target answers the query at once")
    with lab.judge("DS-ASY-03"):
        expect.equal(1, len(reply.lines), "number of lines", at=reply.place())
        _expect_status(statuses(reply)[0])


def _expect_status(status: Placed) -> None:
    is_there = required(status, "queryId", str, STATUS) != ""
    expect.true(is_there, "a queryId that is not empty", "an empty one", at=status.place("queryId"))
    expect.one_of(STATUSES, status.get("status"), "status", at=status.place("status"))


@check("DS-ASY-04")
def finished_queries_return_their_answer(lab: SharingLab) -> None:
    """Get Query Info returns a queryStatus line while a query runs, and then the lines of the
    query.
    """
    table = target_tables.any_table(lab)
    query_id = begin_in_background(lab, table)
    with lab.judge("DS-ASY-04") as case:
        reply = None
        for reply in poll(lab, table, query_id):
            with case():
                expect.status(reply, 200, about="for a query that was begun")
            for status in statuses(reply):
                with case():
                    expect.equal(
                        1,
                        len(reply.lines),
                        "number of lines with a queryStatus line",
                        at=reply.place(),
                    )
                    _expect_status(status)
                    expect.equal(query_id, status["queryId"], "queryId", at=status.place("queryId"))
        if reply is None:
            raise Unmet("an answer", "none")
        expected, actual = (lasting(one.lines, ids=False) for one in (_plain(lab, table), reply))
        expect.equal(expected, actual, "the lines of the query", at=reply.place())


@check("DS-ASY-05")
def finished_queries_are_read_in_pages(lab: SharingLab) -> None:
    """Get Query Info with maxFiles returns pages of that many files, which together are the files
    of the query.
    """
    if not lab.feature("query-pages"):
        raise NotOffered("the target does not answer queries in pages")
    table = target_tables.any_table(lab)
    query_id = begin_in_background(lab, table)
    files = [file.get("id") for file in objects(_plain(lab, table).lines, "file")]
    actual: list[Any] = []
    with lab.judge("DS-ASY-05") as case:
        for reply in _pages(lab, table, query_id):
            with case():
                expect.status(reply, 200, about="for a page of a query")
                page = [file.get("id") for file in objects(reply.lines, "file")]
                actual += page
                expect.true(
                    len(page) <= 1,
                    "at most 1 file with maxFiles 1",
                    f"{len(page)} files",
                    at=reply.place(),
                    kind=Kind.SURPLUS,
                )
        expected = min(len(files), MOST_PAGES)
        expect.equal(expected, len(actual), "number of files on all pages", at=None)
        expect.equal(
            expected, len(set(map(str, actual))), "number of different files on all pages", at=None
        )


def _pages(lab: SharingLab, table: AnyTable, query_id: str) -> Iterator[Reply]:
    """Yield the answers to Get Query Info for pages of one file, until one has no token for a next
    page.
    """
    body: Document = {"maxFiles": 1}
    for _ in range(MOST_PAGES):
        *_, reply = poll(lab, table, query_id, body)
        yield reply
        lines = reply.lines if reply.status == 200 else ()
        token = next(
            (end["nextPageToken"] for end in ends_of(lines) if end.get("nextPageToken")), None
        )
        if token is None:
            return
        body = {"maxFiles": 1, "pageToken": token}


@check("DS-ASY-06")
def unknown_queries_are_refused(lab: SharingLab) -> None:
    """Get Query Info with an unknown queryId returns 4xx."""
    table = target_tables.any_table(lab)
    with lab.judge("DS-ASY-06"):
        expect.client_error(info(lab, table, str(uuid.uuid4())), mutation=Wrong.ABSENT("query"))


@check("DS-ASY-07")
def equal_keys_name_one_query(lab: SharingLab) -> None:
    """The same query with the same idempotencyKey returns the same queryId."""
    table = target_tables.any_table(lab)
    body = {"idempotencyKey": str(uuid.uuid4())}
    first, again = (statuses(lab.require(begin(lab, table, body), 200)) for _ in range(2))
    if not first or not again:
        raise NotOffered("the target answers the query at once")
    with lab.judge("DS-ASY-07"):
        at = again[0].place("queryId")
        expect.equal(
            first[0].get("queryId"), again[0].get("queryId"), "queryId of the same query", at=at
        )


@check("DS-ASY-08")
def plain_queries_have_no_status(lab: SharingLab) -> None:
    """A query without the capability asyncquery=true has no queryStatus line, whether or not it has
    an idempotencyKey.
    """
    table = target_tables.any_table(lab)
    reading.parse(_plain(lab, table))
    with lab.judge_each("DS-ASY-08") as case:
        for capability in ("", ";asyncquery=false"):
            for body in ({}, {"idempotencyKey": str(uuid.uuid4())}):
                with case():
                    reply = begin(lab, table, body, capabilities=EITHER_FORMAT[1] + capability)
                    what = (
                        f"a query with {', '.join(body) or 'no idempotencyKey'} and"
                        f" {capability.strip(';') or 'no asyncquery'}"
                    )
                    status_lines = statuses(reply)
                    at = status_lines[0].place() if status_lines else None
                    expect.true(
                        not status_lines,
                        f"no queryStatus line of {what}",
                        f"{len(status_lines)} of them",
                        at=at,
                        kind=Kind.SURPLUS,
                    )
