"""Wrong ways with ETags and conditional loading."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, around, instead, on_reply, on_status, on_wire
from lakepact.reference_server.iceberg_rest.etags import tag_of, tag_of_representation
from lakepact.reference_server.iceberg_rest.faults.ways.operations import CREATE, LOAD
from lakepact.reference_server.iceberg_rest.faults.ways.requests import header
from lakepact.reference_server.replies import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.service import Filter, Scope
    from lakepact.reference_server.store import Record
    from lakepact.reference_server.wire import Wire

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


# -- what tags are made from ------------------------------------------------------------------------------------------


def _made_from(what: Callable[[Record], object]) -> Install:
    """Tables have the same ETag as long as `what(record)` is the same."""

    def tag(record: Record, snapshots: str) -> bytes:
        return tag_of_representation(replace(record, tag=tag_of(repr(what(record)).encode())), snapshots)

    return instead("rules", "tag", tag)


def _spelled(spell: Callable[[bytes], bytes]) -> Install:
    """All ETags are spelled otherwise, and known by their other spelling."""
    return around("rules", "tag", lambda usual: lambda record, snapshots: spell(usual(record, snapshots)))


def _metadata(record: Record) -> Any:
    return record.document["metadata"]


def _current(record: Record) -> object:
    return _metadata(record)["table-uuid"], _metadata(record).get("current-snapshot-id")


def _content(record: Record) -> object:
    return {name: value for name, value in _metadata(record).items() if name not in {"last-updated-ms", "metadata-log"}}


def _number(record: Record) -> object:
    return len(_metadata(record).get("metadata-log", []))


def _tagged_otherwise(reply: Reply, _: Scope) -> Reply:
    if reply.status != 200:
        return reply
    return replace(reply, headers=tuple((name, b'"new"' if name == b"etag" else value) for name, value in reply.headers))


# -- what 304 comes with ----------------------------------------------------------------------------------------------


async def _with_a_body(wire: Wire, reply: Reply) -> None:
    if reply.status != 304:
        await wire.answer(reply)
        return
    body = b'{"message":"not modified"}'
    await wire.start(reply, length=len(body))
    await wire.write(body)


def _when_tagged(status: int) -> Filter:
    """Loads with an ETag that are not answered with 304 are answered with another status."""

    def change(reply: Reply, scope: Scope) -> Reply:
        listed = "," in (header(scope, "If-None-Match") or "")
        return replace(reply, status=status) if listed and reply.status == 304 else reply

    return change


FAULTS = (
    Fault("tags-are-bare", "ETags have no quotes.", ("IRC-TBL-ETAG-001",), _spelled(lambda tag: tag.strip(b'"'))),
    Fault("weak-tags-are-bare", "Weak ETags have no quotes.", ("IRC-TBL-ETAG-001",), _spelled(lambda tag: b"W/" + tag.strip(b'"'))),
    Fault("tags-hold-quotes", "ETags hold quotes.", ("IRC-TBL-ETAG-001",), _spelled(lambda tag: b'"' + tag + b'"')),
    Fault("known-tables-fail", "Loading an unchanged table is answered with 412.", ("IRC-TBL-ETAG-002",), on_status(LOAD, {304: 412})),
    Fault(
        "lists-of-tags-fail",
        "Loading with a list of ETags of which one is current is answered with 412.",
        ("IRC-TBL-ETAG-002",),
        on_reply(LOAD, _when_tagged(412)),
    ),
    Fault("unmodified-with-a-body", "304 has a body.", ("IRC-TBL-ETAG-003",), on_wire(LOAD, _with_a_body)),
    Fault(
        "tags-are-uuids",
        "ETags are made from the UUID of the table.",
        ("IRC-TBL-ETAG-004",),
        _made_from(lambda r: _metadata(r)["table-uuid"]),
    ),
    Fault("tags-are-snapshots", "ETags are made from the current snapshot.", ("IRC-TBL-ETAG-004",), _made_from(_current)),
    Fault(
        "tags-are-content", "ETags do not tell a table from what it was two commits before.", ("IRC-TBL-ETAG-004",), _made_from(_content)
    ),
    Fault(
        "tags-are-of-new-tables",
        "ETags are made from the number of commits.",
        ("IRC-TBL-ETAG-005",),
        _made_from(_number),
    ),
    Fault(
        "created-tables-have-other-tags",
        "Tables are created with another ETag than they are loaded with.",
        ("IRC-TBL-ETAG-006",),
        on_reply(CREATE, _tagged_otherwise),
    ),
    Fault(
        "registered-tables-have-other-tags",
        "Tables are registered with another ETag than they are loaded with.",
        ("IRC-TBL-ETAG-006",),
        on_reply("registerTable", _tagged_otherwise),
    ),
    Fault(
        "one-tag-for-all-and-refs",
        "Tables have one ETag, whichever snapshots they are loaded with.",
        ("IRC-TBL-ETAG-007",),
        instead("rules", "tag", lambda record, _: record.tag),
    ),
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
