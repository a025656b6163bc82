"""Answers that are not sent as they should be."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from lakepact.generated.delta_sharing import op
from lakepact.reference_server.faults import Install, on_headers, on_reply
from lakepact.reference_server.http.replies import NDJSON, Reply
from lakepact.reference_server.http.service import Scope

LISTS = (op.list_shares, op.list_schemas, op.list_tables, op.list_all_tables)
IN_LINES = (op.get_table_metadata, op.query_table, op.query_table_changes)


def written(change: Callable[[list[bytes]], bytes]) -> Install:
    """Write the lines of answers in another way."""

    def changed(reply: Reply, _: Scope) -> Reply:
        if reply.status != 200 or reply.media_type != NDJSON:
            return reply
        return replace(reply, chunks=None, body=change(reply.as_whole().body.splitlines()))

    return on_reply(IN_LINES, changed)


FAULTS = {
    "charset-of-later-pages-is-not-said DS-GEN-04": on_reply(
        LISTS,
        lambda reply, scope: (
            replace(reply, media_type=b"application/json")
            if b"pageToken" in scope["query_string"]
            else reply
        ),
    ),
    "listings-are-text DS-GEN-04": on_headers(LISTS, {"content-type": "text/plain; charset=utf-8"}),
    "shares-are-in-latin-1 DS-GEN-04": on_headers(
        op.get_share, {"content-type": "application/json; charset=iso-8859-1"}
    ),
    "lines-are-sent-as-json DS-GEN-05": on_headers(IN_LINES, {"content-type": "application/json"}),
    "charset-of-lines-is-not-said DS-GEN-05": on_headers(
        IN_LINES, {"content-type": "application/x-ndjson"}
    ),
    "charset-of-changes-is-not-said DS-GEN-05": on_headers(
        op.query_table_changes, {"content-type": "application/x-ndjson"}
    ),
    "lines-over-several-lines DS-GEN-06": written(
        lambda lines: b"\n".join(json.dumps(json.loads(line), indent=2).encode() for line in lines)
    ),
    "lines-in-an-array DS-GEN-06": written(lambda lines: b"[" + b",\n".join(lines) + b"]"),
    "empty-lines-between DS-GEN-06": written(b"\n\n".join),
}
