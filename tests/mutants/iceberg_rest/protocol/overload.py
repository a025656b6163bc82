"""Servers that refuse a burst of requests, or an unknown path, in a form that no client can
show.
"""

from __future__ import annotations

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import UNKNOWN_PATH, Install, on_reply
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Scope
from mutants.iceberg_rest.operators.races import FAILURE, crowded

SLOW_DOWN = b'{"error":{"message":"too many requests","type":"SlowDownException","code":429}}'


def _limit(reply: Reply) -> Install:
    """Of loads of one table that meet, all but one are answered otherwise."""
    return crowded(op.load_table, first=None, others=reply)


def _page(reply: Reply, _: Scope) -> Reply:
    return Reply(reply.status, b"<html><body>Not Found</body></html>", media_type=b"text/html")


def _empty(reply: Reply, _: Scope) -> Reply:
    return Reply(reply.status)


FAULTS = {
    "limited-without-a-body IRC-ERR-019": _limit(Reply(429, b"")),
    "limited-with-another-code IRC-ERR-019": _limit(Reply(503, SLOW_DOWN)),
    "bursts-fail IRC-ERR-019": _limit(FAILURE),
    "limited-for-a-while IRC-GEN-033": _limit(
        Reply(429, SLOW_DOWN, ((b"retry-after", b"a few seconds"),))
    ),
    "limited-for-part-of-a-second IRC-GEN-033": _limit(
        Reply(429, SLOW_DOWN, ((b"retry-after", b"0.5"),))
    ),
    "unknown-paths-are-web-pages IRC-ERR-020": on_reply(UNKNOWN_PATH, _page),
    "unknown-paths-say-nothing IRC-ERR-020": on_reply(UNKNOWN_PATH, _empty),
}
