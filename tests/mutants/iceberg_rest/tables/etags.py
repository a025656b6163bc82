"""Wrong ways with ETags and conditional loading."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import (
    Install,
    on_reply,
    on_status,
    on_wire,
    replace_rule,
    wrap_rule,
)
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Filter, Scope
from lakepact.reference_server.http.wire import Wire
from lakepact.reference_server.iceberg_rest.tables.etags import tag_of, tag_of_representation
from lakepact.reference_server.storage.store import Record
from mutants.iceberg_rest.operators.operations import CREATE, LOAD
from mutants.iceberg_rest.operators.requests import header

NOT_MODIFIED = Reply(304)


def _unmodified(when: Callable[[Reply, str | None], bool]) -> Filter:
    """Loads return 304 when `when(reply, tags)` says so."""

    def change(reply: Reply, scope: Scope) -> Reply:
        return NOT_MODIFIED if when(reply, header(scope, "If-None-Match")) else reply

    return change


def _made_from(what: Callable[[Record], object]) -> Install:
    """Tables have the same ETag as long as `what(record)` is the same."""

    def tag(record: Record, snapshots: str) -> bytes:
        return tag_of_representation(
            replace(record, tag=tag_of(repr(what(record)).encode())), snapshots
        )

    return replace_rule("tag", tag)


def _respell(spell: Callable[[bytes], bytes]) -> Install:
    """All ETags are spelled otherwise, and known by their other spelling."""
    return wrap_rule("tag", lambda usual: lambda record, snapshots: spell(usual(record, snapshots)))


def _metadata(record: Record) -> Any:
    return record.document["metadata"]


def _tagged_otherwise(reply: Reply, _: Scope) -> Reply:
    if reply.status != 200:
        return reply
    return replace(
        reply,
        headers=tuple(
            (name, b'"new"' if name == b"etag" else value) for name, value in reply.headers
        ),
    )


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


FAULTS = {
    "tags-are-bare IRC-TBL-ETAG-001": _respell(lambda tag: tag.strip(b'"')),
    "weak-tags-are-bare IRC-TBL-ETAG-001": _respell(lambda tag: b"W/" + tag.strip(b'"')),
    "tags-hold-quotes IRC-TBL-ETAG-001": _respell(lambda tag: b'"' + tag + b'"'),
    "known-tables-fail IRC-TBL-ETAG-002": on_status(LOAD, {304: 412}),
    "lists-of-tags-fail IRC-TBL-ETAG-002": on_reply(LOAD, _when_tagged(412)),
    "unmodified-with-a-body IRC-TBL-ETAG-003": on_wire(LOAD, _with_a_body),
    "tags-are-uuids IRC-TBL-ETAG-004": _made_from(lambda r: _metadata(r)["table-uuid"]),
    "tags-are-snapshots IRC-TBL-ETAG-004": _made_from(
        lambda record: (
            _metadata(record)["table-uuid"],
            _metadata(record).get("current-snapshot-id"),
        )
    ),
    "tags-are-content IRC-TBL-ETAG-004": _made_from(
        lambda record: {
            name: value
            for name, value in _metadata(record).items()
            if name not in {"last-updated-ms", "metadata-log"}
        }
    ),
    "tags-are-of-new-tables IRC-TBL-ETAG-005": _made_from(
        lambda record: len(_metadata(record).get("metadata-log", []))
    ),
    "created-tables-have-other-tags IRC-TBL-ETAG-006": on_reply(CREATE, _tagged_otherwise),
    "registered-tables-have-other-tags IRC-TBL-ETAG-006": on_reply(
        op.register_table, _tagged_otherwise
    ),
    "one-tag-for-all-and-refs IRC-TBL-ETAG-007": replace_rule("tag", lambda record, _: record.tag),
    "any-tag-matches IRC-TBL-ETAG-008": on_reply(
        LOAD, _unmodified(lambda reply, tags: reply.status == 200 and tags is not None)
    ),
    "empty-tag-matches IRC-TBL-ETAG-008": on_reply(
        LOAD, _unmodified(lambda reply, tags: reply.status == 200 and tags == '""')
    ),
    "odd-tags-match IRC-TBL-ETAG-008": on_reply(
        LOAD,
        _unmodified(
            lambda reply, tags: (
                reply.status == 200 and tags is not None and not tags.startswith('"')
            )
        ),
    ),
    "missing-tables-match IRC-TBL-ETAG-009": on_reply(
        LOAD, _unmodified(lambda reply, tags: reply.status == 404 and tags is not None)
    ),
    "missing-tables-match-a-star IRC-TBL-ETAG-009": on_reply(
        LOAD, _unmodified(lambda reply, tags: reply.status == 404 and tags == "*")
    ),
    "unmodified-for-any-etag IRC-TBL-ETAG-011": on_reply(
        LOAD,
        _unmodified(
            lambda reply, tags: reply.status == 200 and tags is None and len(reply.body) > 2500
        ),
    ),
}
