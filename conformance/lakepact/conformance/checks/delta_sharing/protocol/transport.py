"""Media types, charsets and lines of answers, and trailing slashes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from lakepact.conformance.checks.delta_sharing.api import (
    EITHER_FORMAT,
    Exchange,
    Members,
    NotOffered,
    OperationId,
    Place,
    Reply,
    SharingLab,
    check,
    expect,
    invariant,
    op,
)
from lakepact.conformance.checks.delta_sharing.kit.answers import (
    ANSWERS_IN_LINES,
    JSON_ANSWERS,
    is_answer,
)
from lakepact.conformance.checks.delta_sharing.kit.listings import listings, token_of

JSON, LINES = "application/json", "application/x-ndjson"
UTF_8 = frozenset({"utf-8", "utf8"})


def charset(exchange: Exchange) -> str | None:
    """Return the declared charset of an answer, in lower case."""
    parameters = exchange.headers.get("content-type", "").split(";")[1:]
    values = [
        value.strip().strip('"').lower()
        for name, _, value in (p.partition("=") for p in parameters)
        if name.strip().lower() == "charset"
    ]
    return values[0] if values else None


def expect_media_type(exchange: Exchange, media_type: str) -> None:
    """Expect a media type, and no other charset than UTF-8."""
    expect.equal(media_type, exchange.media_type, "media type", at=Place(exchange, "/media-type"))
    is_utf_8 = (charset(exchange) or "utf-8") in UTF_8
    text = exchange.headers.get("content-type", "")
    expect.true(is_utf_8, "charset utf-8", text, at=Reply(exchange).header("content-type"))


@invariant("DS-GEN-04")
def listings_are_json(exchange: Exchange) -> bool:
    """Shares, schemas and tables are listed as application/json in UTF-8."""
    if not is_answer(exchange, JSON_ANSWERS):
        return False
    expect_media_type(exchange, JSON)
    return True


@invariant("DS-GEN-05")
def table_responses_are_ndjson(exchange: Exchange) -> bool:
    """Metadata, queries and changes are returned as application/x-ndjson in UTF-8."""
    if not is_answer(exchange, ANSWERS_IN_LINES):
        return False
    expect_media_type(exchange, LINES)
    return True


@check("DS-GEN-04", "DS-GEN-05")
def content_types_have_a_charset(lab: SharingLab) -> None:
    """Listings and lines have the specified media type in UTF-8; a missing charset is a warning."""
    share = lab.shares()[0]
    documents = [
        lab.send(op.list_shares),
        lab.send(op.get_share, share=share),
        lab.send(op.list_schemas, share=share),
        *_pages(lab),
    ]
    table = lab.table()
    lines = [lab.send(op.get_table_metadata, headers=[EITHER_FORMAT], **table.address)]
    if "url" in table.access_modes:
        lines.append(
            lab.send(
                op.query_table, headers=[EITHER_FORMAT], body={"limitHint": 1}, **table.address
            )
        )
    changing = next((t for t in lab.tables() if t.changes and "url" in t.access_modes), None)
    if changing is not None:
        changes = lab.send(
            op.query_table_changes, headers=[EITHER_FORMAT], starting_version=0, **changing.address
        )
        lines += [changes] if changes.status == 200 else []
    for requirement, media_type, replies in lab.each(
        (("DS-GEN-04", JSON, documents), ("DS-GEN-05", LINES, lines))
    ):
        for reply in lab.each(replies):
            lab.require(reply, 200)
            with lab.judge(requirement):
                expect_media_type(reply.exchange, media_type)
            if charset(reply.exchange) is None:
                lab.warn(
                    requirement,
                    expected="charset=utf-8",
                    actual=reply.headers.get("content-type", "no Content-Type"),
                )


def _pages(lab: SharingLab) -> Iterator[Reply]:
    """Yield the first two pages of a listing of each kind with several, unless they are refused."""
    for operation, count, address in _several(lab):
        first = lab.send(operation, max_results=count - 1, **address)
        if first.status == 200:
            yield first
            token = token_of(first)
            second = (
                lab.send(operation, max_results=count, page_token=token, **address)
                if token
                else first
            )
            if second is not first and second.status == 200:
                yield second


def _several(lab: SharingLab) -> Iterator[tuple[OperationId, int, Members]]:
    """Yield a listing of each kind with several items, and their number."""
    with contextlib.suppress(NotOffered):
        yield from (
            (listing.operation, listing.count, listing.address)
            for listing in listings(lab, fewest=2)
        )


@invariant("DS-GEN-06", traffic=("protocol.names.names_are_case_insensitive",))
def each_line_is_an_object(exchange: Exchange) -> bool:
    """An answer in lines has one whole JSON object on each line, and nothing but a newline between
    them.
    """
    if not is_answer(exchange, ANSWERS_IN_LINES) or not exchange.body:
        return False
    _ = Reply(exchange).lines
    content = exchange.body.rstrip(b"\r\n")
    empty = (
        [number for number, line in enumerate(content.split(b"\n"), start=1) if not line.strip()]
        if content
        else []
    )
    if empty:
        raise expect.unmet(
            "no empty line between two lines",
            f"line {empty[0]} is empty",
            at=Reply(exchange).place(),
        )
    return True


@invariant("DS-DF-08", traffic=("listings.shares.get_share_equals_the_listing",))
def listings_are_one_line(exchange: Exchange) -> bool:
    """The JSON of a listing is one line."""
    if not is_answer(exchange, JSON_ANSWERS):
        return False
    breaks = exchange.body.strip().count(b"\n")
    expect.true(breaks == 0, "one line", f"{breaks + 1} lines", at=Reply(exchange).place())
    return True


@check("DS-GEN-03")
def endpoints_may_end_with_a_slash(lab: SharingLab) -> None:
    """An endpoint with a trailing slash may return the same responses."""
    plain, double = lab.send(op.list_shares), lab.send_raw("GET", "//shares")
    same = double.status == plain.status and double.exchange.json == plain.exchange.json

    lab.note(
        "DS-GEN-03",
        "two slashes in a row are taken for one"
        if same
        else f"two slashes in a row are not taken for one: {double.status}",
    )
