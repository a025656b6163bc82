"""Refused, truncated and garbled responses, and URLs that expire while a table is read."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from lakepact.conformance.clients.delta_sharing.api import (
    Answer,
    Forward,
    Request,
    Script,
    SharingClientLab,
    check,
    op,
    same_rows,
)
from lakepact.conformance.clients.delta_sharing.scripts import IN_LINES, LISTINGS

FILES = "/files-of-the-script"
HTML = (("content-type", "text/html"),)
REFUSALS: Mapping[str, Answer] = {
    "401": Answer(401, body=b'{"errorCode":"UNAUTHENTICATED","message":"an answer of the script"}'),
    "403 without a body": Answer(403, headers=()),
    "404 with an HTML body": Answer(404, headers=HTML, body=b"<html>not found</html>"),
    "500": Answer(500, body=b'{"errorCode":"INTERNAL_ERROR","message":"an answer of the script"}'),
    "502 with an HTML body": Answer(502, headers=HTML, body=b"<html>bad gateway</html>"),
    "200 with an HTML body": Answer(200, headers=HTML, body=b"<html>please log in</html>"),
    "no answer": Answer(0),
}


def answering(operations: frozenset[Any], answer: Answer) -> Script:
    """Return a server that returns the answer for some operations."""
    return lambda request, forward: answer if request.operation in operations else forward(request)


def cut(request: Request, forward: Forward) -> Answer:
    """Answer as a server that closes the connection in the middle of an answer in lines."""
    answer = forward(request)
    return replace(answer, cut=len(answer.body) // 2) if request.operation in IN_LINES else answer


def with_file(answer: Answer) -> Script:
    """Return a server whose files are all at one address, which returns the answer."""

    def script(request: Request, forward: Forward) -> Answer:
        if request.target.startswith(FILES):
            return answer
        reply = forward(request)
        if request.operation != op.query_table or reply.status != 200:
            return reply
        return reply.with_lines(with_urls(line, request.base + FILES) for line in reply.lines)

    return script


def with_urls(value: Any, url: str) -> Any:
    """Return a line with this URL for every file."""
    if not isinstance(value, dict):
        return value
    return {
        name: url if name in {"url", "path"} and isinstance(inner, str) else with_urls(inner, url)
        for name, inner in value.items()
    }


@check("DS-CLI-11")
def failures_are_reported(lab: SharingClientLab) -> None:
    """A client reports an error for listings, queries and downloads that return 4xx, 5xx or HTML,
    or are truncated.
    """
    table, _ = lab.reads()
    scripts: list[tuple[str, str, Script]] = [("read-table", "a query that is cut", cut)]
    scripts += [
        ("list-tables", f"listings answered with {how}", answering(LISTINGS, answer))
        for how, answer in REFUSALS.items()
    ]
    scripts += [
        ("read-table", f"a query answered with {how}", answering(IN_LINES, answer))
        for how, answer in REFUSALS.items()
    ]
    scripts += [
        ("read-table", f"files answered with {how}", with_file(answer))
        for how, answer in REFUSALS.items()
    ]
    run: Callable[..., Any] = lab.performs
    with lab.judge_each("DS-CLI-11") as case:
        for task, how, script in scripts:
            with case():
                run(
                    task, script, **({"table": table} if task == "read-table" else {})
                ).expect_refusal(how)


XML = (("content-type", "application/xml"),)
EXPIRED = Answer(
    403,
    headers=XML,
    body=b"<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>",
)
TIMES = frozenset({"expirationTimestamp", "minUrlExpirationTimestamp"})


def expired_once() -> Script:
    """Return a server whose URLs in the first answer to a query have expired; those in later
    answers have not.
    """
    first_query = threading.Event()

    def script(request: Request, forward: Forward) -> Answer:
        if request.target.startswith(FILES):
            return EXPIRED
        answer = forward(request)
        if request.operation != op.query_table or answer.status != 200 or first_query.is_set():
            return answer
        first_query.set()
        return answer.with_lines(
            _until(with_urls(line, request.base + FILES), int(time.time() * 1000))
            for line in answer.lines
        )

    return script


def _until(value: Any, milliseconds: int) -> Any:
    """Return a line whose URLs expire at a time."""
    if not isinstance(value, dict):
        return value
    return {
        name: milliseconds if name in TIMES and inner is not None else _until(inner, milliseconds)
        for name, inner in value.items()
    }


@check("DS-CLI-15")
def expired_urls(lab: SharingClientLab) -> None:
    """A client whose file URLs return 403 after they expired queries the table again and reads
    exactly its rows.
    """
    table, rows = lab.reads()
    with lab.judge("DS-CLI-15"):
        same_rows(
            lab.performs("read-table", expired_once(), table=table),
            rows,
            "after the first URLs of its files returned 403",
        )
