"""Wrong ways with conditional loading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.reference_server.faults import Fault, on_reply
from lakepact.reference_server.iceberg_rest.faults.ways.operations import LOAD
from lakepact.reference_server.iceberg_rest.faults.ways.requests import header
from lakepact.reference_server.replies import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.service import Filter, Scope

NOT_MODIFIED = Reply(304)


def _unmodified(when: Callable[[Reply, str | None], bool]) -> Filter:
    """Loads are answered with 304 when `when(reply, tags)` says so."""

    def change(reply: Reply, scope: Scope) -> Reply:
        return NOT_MODIFIED if when(reply, header(scope, "If-None-Match")) else reply

    return change


def _found_and_tagged(reply: Reply, tags: str | None) -> bool:
    return reply.status == 200 and tags is not None


def _found_and_empty(reply: Reply, tags: str | None) -> bool:
    return reply.status == 200 and tags == '""'


def _found_and_odd(reply: Reply, tags: str | None) -> bool:
    return reply.status == 200 and tags is not None and not tags.startswith('"')


def _missing_and_tagged(reply: Reply, tags: str | None) -> bool:
    return reply.status == 404 and tags is not None


def _missing_and_any(reply: Reply, tags: str | None) -> bool:
    return reply.status == 404 and tags == "*"


def _found_long(reply: Reply, tags: str | None) -> bool:
    return reply.status == 200 and tags is None and len(reply.body) > 2500


FAULTS = (
    Fault(
        "any-tag-matches", "Any If-None-Match is answered with 304.", ("IRC-TBL-ETAG-008",), on_reply(LOAD, _unmodified(_found_and_tagged))
    ),
    Fault("empty-tag-matches", "An empty tag is answered with 304.", ("IRC-TBL-ETAG-008",), on_reply(LOAD, _unmodified(_found_and_empty))),
    Fault(
        "odd-tags-match",
        "Tags that do not begin with a quote are answered with 304.",
        ("IRC-TBL-ETAG-008",),
        on_reply(LOAD, _unmodified(_found_and_odd)),
    ),
    Fault(
        "missing-tables-match",
        "A missing table is answered with 304 to any tag.",
        ("IRC-TBL-ETAG-009",),
        on_reply(LOAD, _unmodified(_missing_and_tagged)),
    ),
    Fault(
        "missing-tables-match-a-star",
        "A missing table is answered with 304 to `*`.",
        ("IRC-TBL-ETAG-009",),
        on_reply(LOAD, _unmodified(_missing_and_any)),
    ),
    Fault(
        "unmodified-for-everybody",
        "Large tables are answered with 304 to those who did not ask.",
        ("IRC-TBL-ETAG-011",),
        on_reply(LOAD, _unmodified(_found_long)),
    ),
)
