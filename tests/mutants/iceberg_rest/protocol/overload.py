"""Servers that refuse a burst of requests, or an unknown path, in a form that no client can show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import UNKNOWN_PATH, Install, fault, on_reply
from lakepact.reference_server.http.replies import Reply
from mutants.iceberg_rest.operators.races import FAILURE, crowded

if TYPE_CHECKING:
    from lakepact.reference_server.service import Scope

SLOW_DOWN = b'{"error":{"message":"too many requests","type":"SlowDownException","code":429}}'


def _limited(reply: Reply) -> Install:
    """Of loads of one table that meet, all but one are answered otherwise."""
    return crowded(op.load_table, first=None, others=reply)


@fault("IRC-ERR-019")
def limited_without_a_body() -> Install:
    """Simultaneous loads return 429 without a body."""
    return _limited(Reply(429, b""))


@fault("IRC-ERR-019")
def limited_with_another_code() -> Install:
    """Simultaneous loads return 503 with an error of another code."""
    return _limited(Reply(503, SLOW_DOWN))


@fault("IRC-ERR-019")
def bursts_fail() -> Install:
    """Simultaneous loads return 500."""
    return _limited(FAILURE)


@fault("IRC-GEN-033")
def limited_for_a_while() -> Install:
    """Simultaneous loads return 429 and a Retry-After in words."""
    return _limited(Reply(429, SLOW_DOWN, ((b"retry-after", b"a few seconds"),)))


@fault("IRC-GEN-033")
def limited_for_part_of_a_second() -> Install:
    """Simultaneous loads return 429 and a Retry-After with a fraction of a second."""
    return _limited(Reply(429, SLOW_DOWN, ((b"retry-after", b"0.5"),)))


def _page(reply: Reply, _: Scope) -> Reply:
    return Reply(reply.status, b"<html><body>Not Found</body></html>", media_type=b"text/html")


def _empty(reply: Reply, _: Scope) -> Reply:
    return Reply(reply.status)


@fault("IRC-ERR-020")
def unknown_paths_are_web_pages() -> Install:
    """An unknown path is a web page."""
    return on_reply(UNKNOWN_PATH, _page)


@fault("IRC-ERR-020")
def unknown_paths_say_nothing() -> Install:
    """An unknown path returns 404 without a body."""
    return on_reply(UNKNOWN_PATH, _empty)
