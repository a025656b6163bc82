"""Tables that a client loads again, with If-None-Match."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlsplit

from lakepact.conformance.clients.iceberg_rest.api import (
    Answer,
    CatalogClientLab,
    Document,
    Exchange,
    Forward,
    NotOffered,
    Request,
    Script,
    check,
    expect,
    op,
)

CONDITION = "if-none-match"
ETAG = '"1"'


def changing_once(marks: list[str], loads: int) -> Script:
    """Return a catalog whose table has these marks one after another as its property and ETag.

    Args:
        marks: the marks.
        loads: requests that a client sends before it returns a table; each mark lasts as long.
    """
    count = 0

    def script(request: Request, forward: Forward) -> Answer:
        nonlocal count
        if request.operation != op.load_table:
            return forward(request)
        mark = marks[min(count // loads, len(marks) - 1)]
        count += 1
        if request.headers.get(CONDITION) == f'"{mark}"':
            return Answer(304, headers=(("etag", f'"{mark}"'),))
        headers = request.headers.copy()
        headers.pop(CONDITION, None)
        answer = forward(request.with_headers(headers))
        document = answer.document
        metadata = {**document["metadata"], "properties": {"lakepact.mark": mark}}
        location = f"{document['metadata-location']}.{mark}"
        return answer.with_document(
            {**document, "metadata": metadata, "metadata-location": location}
        ).with_header("etag", f'"{mark}"')

    return script


def with_one_etag(request: Request, forward: Forward) -> Answer:
    """Answer as a catalog whose tables all have the same ETag and never change."""
    if request.operation != op.load_table:
        return forward(request)
    headers = request.headers.copy()
    if headers.pop(CONDITION, None) == ETAG:
        return Answer(304, headers=(("etag", ETAG),))
    return forward(request.with_headers(headers)).with_header("etag", ETAG)


@check("IRC-CLI-074")
def etags_of_other_tables(lab: CatalogClientLab) -> None:
    """A client that loads two tables with equal ETags sends each only for its own table and
    snapshots, and returns both tables.
    """
    tables = ["t", "u"]
    home = lab.namespace(*tables)
    uuids = [lab.metadata(home, table)["table-uuid"] for table in tables] * 2
    arguments: Document = {"namespace": home, "tables": tables * 2}
    runs = [
        lab.performs(
            "load-tables", with_one_etag, **arguments, properties={"snapshot-loading-mode": mode}
        )
        for mode in ("all", "refs")
    ]
    if not any(
        _is_conditional(exchange)
        for performance in runs
        for exchange in performance.of(op.load_table)
    ):
        raise NotOffered("the client does not send If-None-Match")
    with lab.judge_each("IRC-CLI-074") as case:
        for performance in runs:
            lab.show(performance)
            with case():
                expect.equal(
                    uuids,
                    [one.get("uuid") for one in performance.result],
                    "uuids of the loaded tables:",
                )
            targets: set[tuple[str, str]] = set()
            for exchange in performance.of(op.load_table):
                query = dict(parse_qsl(urlsplit(exchange.url).query))
                target = (urlsplit(exchange.url).path, query.get("snapshots", "all"))
                if _is_conditional(exchange):
                    with case():
                        what = (
                            f"{CONDITION} after an answer for snapshots={target[1]} of {target[0]}"
                        )
                        expect.true(target in targets, what, "before it")
                targets.add(target)


def _is_conditional(exchange: Exchange) -> bool:
    return bool(exchange.request_values(CONDITION))


@check("IRC-CLI-032")
def unchanged_tables(lab: CatalogClientLab) -> None:
    """A client that sends `If-None-Match` returns its cached table after 304 and the new table
    after 200.
    """
    home = lab.namespace("t")
    plain = lab.require_success(lab.performs("load-table", namespace=home, table="t"))
    marks = ["first", "first", "second", "second"]
    performance = lab.performs(
        "load-table-repeatedly",
        changing_once(marks, max(len(plain.of(op.load_table)), 1)),
        namespace=home,
        table="t",
        times=len(marks),
        pause=0,
    )
    if not any(_is_conditional(exchange) for exchange in performance.of(op.load_table)):
        raise NotOffered("the client does not send If-None-Match")
    with lab.judge("IRC-CLI-032"):
        result: Any = performance.result
        read = (
            [one.get("properties", {}).get("lakepact.mark") for one in result]
            if isinstance(result, list)
            else result
        )
        # A later load may need fewer requests, or more: the table then changes at another result.
        is_right = (
            isinstance(read, list)
            and [*dict.fromkeys(read)] == ["first", "second"]
            and sorted(read) == read
        )
        expect.true(
            is_right,
            'property lakepact.mark of the table, loaded four times: "first", then "second"',
            expect.excerpt(read),
        )
