"""Answers that are not sent as they should be."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from lakepact.reference_server.faults import Fault, on_headers, on_reply
from lakepact.reference_server.replies import NDJSON

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Scope

LISTS = ("listShares", "listSchemas", "listTables", "listAllTables")
IN_LINES = ("getTableMetadata", "queryTable", "queryTableChanges")


def written(change: Callable[[list[bytes]], bytes]) -> Install:
    """Write the lines of answers in another way."""

    def changed(reply: Reply, _: Scope) -> Reply:
        if reply.status != 200 or reply.media_type != NDJSON:
            return reply
        return replace(reply, chunks=None, body=change(reply.joined().body.splitlines()))

    return on_reply(IN_LINES, changed)


def _pretty(lines: list[bytes]) -> bytes:
    return b"\n".join(json.dumps(json.loads(line), indent=2).encode() for line in lines)


def _later_pages_in_no_charset(reply: Reply, scope: Scope) -> Reply:
    """Leave the charset out of the pages behind the first one."""
    return replace(reply, media_type=b"application/json") if b"pageToken" in scope["query_string"] else reply


FAULTS = (
    Fault(
        "charset-of-later-pages-is-not-said",
        "Pages of listings behind the first one do not say their charset.",
        ("DS-GEN-04",),
        on_reply(LISTS, _later_pages_in_no_charset),
    ),
    Fault(
        "listings-are-text",
        "Listings are sent as text/plain.",
        ("DS-GEN-04",),
        on_headers(LISTS, {"content-type": "text/plain; charset=utf-8"}),
    ),
    Fault(
        "shares-are-in-latin-1",
        "A share says that its charset is another one.",
        ("DS-GEN-04",),
        on_headers("getShare", {"content-type": "application/json; charset=iso-8859-1"}),
    ),
    Fault(
        "lines-are-sent-as-json",
        "Lines are sent as application/json.",
        ("DS-GEN-05",),
        on_headers(IN_LINES, {"content-type": "application/json"}),
    ),
    Fault(
        "charset-of-lines-is-not-said",
        "Lines do not say their charset.",
        ("DS-GEN-05",),
        on_headers(IN_LINES, {"content-type": "application/x-ndjson"}),
    ),
    Fault(
        "charset-of-changes-is-not-said",
        "Changes alone do not say their charset.",
        ("DS-GEN-05",),
        on_headers("queryTableChanges", {"content-type": "application/x-ndjson"}),
    ),
    Fault("lines-over-several-lines", "What should stand on a line is printed over several.", ("DS-GEN-06",), written(_pretty)),
    Fault("lines-in-an-array", "Lines are the items of an array.", ("DS-GEN-06",), written(lambda lines: b"[" + b",\n".join(lines) + b"]")),
    Fault("empty-lines-between", "An empty line stands between two lines.", ("DS-GEN-06",), written(b"\n\n".join)),
)
