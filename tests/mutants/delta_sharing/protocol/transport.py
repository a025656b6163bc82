"""Answers that are not sent as they should be."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from lakepact.generated.delta_sharing import op
from lakepact.reference_server.faults import Install, fault, on_headers, on_reply
from lakepact.reference_server.http.replies import NDJSON

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.service import Scope

LISTS = (op.list_shares, op.list_schemas, op.list_tables, op.list_all_tables)
IN_LINES = (op.get_table_metadata, op.query_table, op.query_table_changes)


def written(change: Callable[[list[bytes]], bytes]) -> Install:
    """Write the lines of answers in another way."""

    def changed(reply: Reply, _: Scope) -> Reply:
        if reply.status != 200 or reply.media_type != NDJSON:
            return reply
        return replace(reply, chunks=None, body=change(reply.joined().body.splitlines()))

    return on_reply(IN_LINES, changed)


@fault("DS-GEN-04", by=partial(on_reply, LISTS))
def charset_of_later_pages_is_not_said(reply: Reply, scope: Scope) -> Reply:
    """Pages of listings behind the first one do not say their charset."""
    return replace(reply, media_type=b"application/json") if b"pageToken" in scope["query_string"] else reply


@fault("DS-GEN-04")
def listings_are_text() -> Install:
    """Listings are sent as text/plain."""
    return on_headers(LISTS, {"content-type": "text/plain; charset=utf-8"})


@fault("DS-GEN-04")
def shares_are_in_latin_1() -> Install:
    """A share says that its charset is another one."""
    return on_headers(op.get_share, {"content-type": "application/json; charset=iso-8859-1"})


@fault("DS-GEN-05")
def lines_are_sent_as_json() -> Install:
    """Lines are sent as application/json."""
    return on_headers(IN_LINES, {"content-type": "application/json"})


@fault("DS-GEN-05")
def charset_of_lines_is_not_said() -> Install:
    """Lines do not say their charset."""
    return on_headers(IN_LINES, {"content-type": "application/x-ndjson"})


@fault("DS-GEN-05")
def charset_of_changes_is_not_said() -> Install:
    """Changes alone do not say their charset."""
    return on_headers(op.query_table_changes, {"content-type": "application/x-ndjson"})


@fault("DS-GEN-06", by=partial(written))
def lines_over_several_lines(lines: list[bytes]) -> bytes:
    """A JSON line is printed over several lines."""
    return b"\n".join(json.dumps(json.loads(line), indent=2).encode() for line in lines)


@fault("DS-GEN-06")
def lines_in_an_array() -> Install:
    """Lines are the items of an array."""
    return written(lambda lines: b"[" + b",\n".join(lines) + b"]")


@fault("DS-GEN-06")
def empty_lines_between() -> Install:
    """An empty line stands between two lines."""
    return written(b"\n\n".join)
