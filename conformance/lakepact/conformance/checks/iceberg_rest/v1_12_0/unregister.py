"""Checks of unregistering tables."""

from __future__ import annotations

from functools import partial
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Kind,
    Reply,
    Table,
    Wrong,
    expect,
    op,
    set_properties,
    states,
)
from lakepact.conformance.checks.iceberg_rest.kit.concurrency import side_by_side
from lakepact.conformance.checks.iceberg_rest.kit.listings import names
from lakepact.conformance.checks.iceberg_rest.kit.tables.registration import register
from lakepact.conformance.checks.iceberg_rest.v1_11_0.keys import new_key
from lakepact.conformance.checks.iceberg_rest.v1_12_0.suite import check

ROUNDS, COMMITS = 6, 5  #: of the race, and those that meet unregistering in each
#: Members that a server may change when it writes its own file for a registered table.
CHANGED_BY_REGISTERING = ("last-updated-ms", "metadata-log")


def unregister(lab: CatalogLab, table: Table, **parameters: Any) -> Reply:
    """Return the answer to unregistering a table."""
    return lab.send(op.unregister_table, **table.at, **parameters)


def _no_table(reply: Reply) -> None:
    expect.not_found(reply, "table")
    expect.member("NoSuchTableException", reply.place("error", "type"), "error.type")


@check("IRC-TBL-UNREG-001", "IRC-TBL-UNREG-002", "IRC-TBL-UNREG-003", "IRC-TBL-UNREG-006")
def unregistered_tables_are_gone(lab: CatalogLab) -> None:
    """Unregistering returns 200 with the last metadata; the table is not listed, and loads, commits
    and unregistering return 404.
    """
    table = lab.commit(lab.make_table(), set_properties(turn="1"))
    last = lab.load(table)
    reply = unregister(lab, table)

    with lab.judge("IRC-TBL-UNREG-001"):
        expect.status(reply, 200)
        expect.member(last.metadata_location, reply.place("metadata-location"))
        states.assert_same_table(lab, last, table.in_reply(reply))
    lab.require(reply, 200)
    with lab.judge("IRC-TBL-UNREG-002"):
        _no_table(lab.send(op.load_table, **table.at))
        listing = lab.send(op.list_tables, namespace=table.namespace)
        expect.lacks(
            table.name, names(listing), "the list of tables", at=listing.place("identifiers")
        )
    with lab.judge("IRC-TBL-UNREG-003"):
        _no_table(lab.try_commit(table, set_properties(turn="2")))
    with lab.judge("IRC-TBL-UNREG-006"):
        _no_table(unregister(lab, table))
        _no_table(lab.send(op.unregister_table, namespace=table.namespace, table=lab.name()))


@check("IRC-TBL-UNREG-004", alone=True)
def commits_before_unregistering_are_returned(lab: CatalogLab) -> None:
    """Commits that are accepted while their table is unregistered are in the metadata of the
    answer.
    """
    home = lab.make_namespace()
    for turn in lab.each(lab.repeat(ROUNDS)):
        table = lab.make_table(home)
        keys = [f"lakepact.racing.{number}" for number in range(COMMITS)]
        commits = [partial(lab.try_commit, table, set_properties(**{key: key})) for key in keys]
        sends = [*commits[:turn], partial(unregister, lab, table), *commits[turn:]]
        replies = side_by_side(lab, sends, what="requests")
        reply = replies.pop(min(turn, COMMITS))
        if reply.status != 200:
            continue
        with lab.judge("IRC-TBL-UNREG-004"):
            properties = reply.at("metadata").get("properties") or {}
            missing = [
                key
                for key, commit in zip(keys, replies, strict=True)
                if commit.status == 200 and properties.get(key) != key
            ]
            what = "properties of accepted commits that the answer lacks:"
            at = reply.place("metadata", "properties")
            expect.equal([], missing, what, at=at, kind=Kind.LOST)


@check("IRC-TBL-UNREG-005", "IRC-TBL-UNREG-008")
def unregistered_tables_can_be_registered_again(lab: CatalogLab) -> None:
    """A table registers again from the returned metadata-location, and its name is free for another
    table.
    """
    table = lab.commit(lab.make_table(), set_properties(kept="as it is"))
    reply = lab.require(unregister(lab, table), 200)
    with lab.judge("IRC-TBL-UNREG-008"):
        other = lab.try_create_table(table.namespace, table.name)
        expect.status(
            other,
            200,
            about="under the name of an unregistered table",
            mutation=Wrong.PRESENT("table"),
        )
    again = register(lab, table.namespace, lab.name(), reply.at("metadata-location"))
    with lab.judge("IRC-TBL-UNREG-005"):
        expect.status(again, 200, about="from the metadata-location of an unregistered table")
        former = table.in_reply(reply)
        states.assert_same_table(
            lab,
            former,
            table.in_reply(again),
            ignore=(*CHANGED_BY_REGISTERING, states.LOCATION),
        )


@check("IRC-TBL-UNREG-007")
def tables_are_unregistered_once(lab: CatalogLab) -> None:
    """Unregistering again with its key returns 200 and the same location, and leaves a new table of
    that name.
    """
    table, key = lab.make_table(), new_key()
    first = lab.require(unregister(lab, table, idempotency_key=key), 200)
    other = lab.make_table(table.namespace, name=table.name)
    again = unregister(lab, table, idempotency_key=key)
    with lab.judge("IRC-TBL-UNREG-007"):
        expect.status(again, 200, about="when repeated with its key")
        expect.member(first.at("metadata-location"), again.place("metadata-location"))
        expect.status(
            lab.send(op.load_table, **other.at), 200, about="for the new table of that name"
        )
