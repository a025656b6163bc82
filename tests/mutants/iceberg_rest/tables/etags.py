"""Wrong ways with ETags and conditional loading."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_reply, on_status, on_wire, replace_rule, wrap_rule
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.iceberg_rest.tables.etags import tag_of, tag_of_representation
from mutants.iceberg_rest.operators.operations import CREATE, LOAD
from mutants.iceberg_rest.operators.requests import header

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.http.wire import Wire
    from lakepact.reference_server.service import Filter, Scope
    from lakepact.reference_server.storage.store import Record

NOT_MODIFIED = Reply(304)


def _unmodified(when: Callable[[Reply, str | None], bool]) -> Filter:
    """Loads return 304 when `when(reply, tags)` says so."""

    def change(reply: Reply, scope: Scope) -> Reply:
        return NOT_MODIFIED if when(reply, header(scope, "If-None-Match")) else reply

    return change


# -- what tags are made from ------------------------------------------------------------------------------------------


def _made_from(what: Callable[[Record], object]) -> Install:
    """Tables have the same ETag as long as `what(record)` is the same."""

    def tag(record: Record, snapshots: str) -> bytes:
        return tag_of_representation(replace(record, tag=tag_of(repr(what(record)).encode())), snapshots)

    return replace_rule("tag", tag)


def _spelled(spell: Callable[[bytes], bytes]) -> Install:
    """All ETags are spelled otherwise, and known by their other spelling."""
    return wrap_rule("tag", lambda usual: lambda record, snapshots: spell(usual(record, snapshots)))


def _metadata(record: Record) -> Any:
    return record.document["metadata"]


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


@fault("IRC-TBL-ETAG-001")
def tags_are_bare() -> Install:
    """ETags have no quotes."""
    return _spelled(lambda tag: tag.strip(b'"'))


@fault("IRC-TBL-ETAG-001")
def weak_tags_are_bare() -> Install:
    """Weak ETags have no quotes."""
    return _spelled(lambda tag: b"W/" + tag.strip(b'"'))


@fault("IRC-TBL-ETAG-001")
def tags_hold_quotes() -> Install:
    """ETags hold quotes."""
    return _spelled(lambda tag: b'"' + tag + b'"')


@fault("IRC-TBL-ETAG-002")
def known_tables_fail() -> Install:
    """Loading an unchanged table returns 412."""
    return on_status(LOAD, {304: 412})


@fault("IRC-TBL-ETAG-002")
def lists_of_tags_fail() -> Install:
    """Loading with a list of ETags that contains the current one returns 412."""
    return on_reply(LOAD, _when_tagged(412))


@fault("IRC-TBL-ETAG-003")
def unmodified_with_a_body() -> Install:
    """304 has a body."""
    return on_wire(LOAD, _with_a_body)


@fault("IRC-TBL-ETAG-004")
def tags_are_uuids() -> Install:
    """ETags are made from the UUID of the table."""
    return _made_from(lambda r: _metadata(r)["table-uuid"])


@fault("IRC-TBL-ETAG-004", by=partial(_made_from))
def tags_are_snapshots(record: Record) -> object:
    """ETags are made from the current snapshot."""
    return _metadata(record)["table-uuid"], _metadata(record).get("current-snapshot-id")


@fault("IRC-TBL-ETAG-004", by=partial(_made_from))
def tags_are_content(record: Record) -> object:
    """ETags do not tell a table from what it was two commits before."""
    return {name: value for name, value in _metadata(record).items() if name not in {"last-updated-ms", "metadata-log"}}


@fault("IRC-TBL-ETAG-005", by=partial(_made_from))
def tags_are_of_new_tables(record: Record) -> object:
    """ETags are made from the number of commits."""
    return len(_metadata(record).get("metadata-log", []))


@fault("IRC-TBL-ETAG-006")
def created_tables_have_other_tags() -> Install:
    """Tables are created with another ETag than they are loaded with."""
    return on_reply(CREATE, _tagged_otherwise)


@fault("IRC-TBL-ETAG-006")
def registered_tables_have_other_tags() -> Install:
    """Tables are registered with another ETag than they are loaded with."""
    return on_reply(op.register_table, _tagged_otherwise)


@fault("IRC-TBL-ETAG-007")
def one_tag_for_all_and_refs() -> Install:
    """Tables have one ETag, whichever snapshots they are loaded with."""
    return replace_rule("tag", lambda record, _: record.tag)


@fault("IRC-TBL-ETAG-008", by=lambda act: on_reply(LOAD, _unmodified(act)))
def any_tag_matches(reply: Reply, tags: str | None) -> bool:
    """Any If-None-Match returns 304."""
    return reply.status == 200 and tags is not None


@fault("IRC-TBL-ETAG-008", by=lambda act: on_reply(LOAD, _unmodified(act)))
def empty_tag_matches(reply: Reply, tags: str | None) -> bool:
    """An empty tag returns 304."""
    return reply.status == 200 and tags == '""'


@fault("IRC-TBL-ETAG-008", by=lambda act: on_reply(LOAD, _unmodified(act)))
def odd_tags_match(reply: Reply, tags: str | None) -> bool:
    """Tags that do not begin with a quote return 304."""
    return reply.status == 200 and tags is not None and not tags.startswith('"')


@fault("IRC-TBL-ETAG-009", by=lambda act: on_reply(LOAD, _unmodified(act)))
def missing_tables_match(reply: Reply, tags: str | None) -> bool:
    """A missing table returns 304 to any tag."""
    return reply.status == 404 and tags is not None


@fault("IRC-TBL-ETAG-009", by=lambda act: on_reply(LOAD, _unmodified(act)))
def missing_tables_match_a_star(reply: Reply, tags: str | None) -> bool:
    """A missing table returns 304 to `*`."""
    return reply.status == 404 and tags == "*"


@fault("IRC-TBL-ETAG-011", by=lambda act: on_reply(LOAD, _unmodified(act)))
def unmodified_for_any_etag(reply: Reply, tags: str | None) -> bool:
    """Large tables return 304 without If-None-Match."""
    return reply.status == 200 and tags is None and len(reply.body) > 2500
