"""Comparison of table states by meaning, not by spelling.

Some catalogs add properties of their own to tables, such as the id of their last commit. Members
that change in one table when only
another table is changed, and members that every new table has, are not compared: they are detected
before a difference is reported.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import orjson

from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Table, set_properties
from lakepact.conformance.checks.iceberg_rest.kit.server_owned import no_evidence
from lakepact.conformance.evidence.exchanges import Document, Reply
from lakepact.conformance.evidence.outcome import Unmet
from lakepact.conformance.evidence.replaying import ABSENT
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.judging import expect
from lakepact.generated.iceberg_rest import op

#: Members that are sets, which a server may send in any order.
UNORDERED = frozenset(
    {
        "schemas",
        "partition-specs",
        "sort-orders",
        "snapshots",
        "statistics",
        "partition-statistics",
        "encryption-keys",
        "versions",
    }
)

#: Members that a server may change on its own.
BOOKKEEPING = frozenset({"metadata-log", "last-updated-ms"})

LOCATION = "metadata-location"
PROPERTY = "property "  #: before the name of a property among the volatile members

_volatile: WeakKeyDictionary[Wire, frozenset[str]] = WeakKeyDictionary()


def state(table: Table) -> Document:
    """Return the metadata of a table or view in canonical form: without members that stand for
    none, and with sets in one order.
    """
    members = {
        member: value for member, value in table.metadata.items() if value not in (None, [], {})
    }
    if members.get("current-snapshot-id") == -1:
        del members["current-snapshot-id"]
    for member in UNORDERED & members.keys():
        members[member] = sorted(
            members[member], key=lambda item: orjson.dumps(item, option=orjson.OPT_SORT_KEYS)
        )
    return members


def properties_of(table: Table) -> Document:
    """Return the table's properties; none where it has no such member."""
    return table.metadata.get("properties") or {}


def same_state(expected: Table, actual: Table, *, ignore: Collection[str] = ()) -> None:
    """Expect equal metadata in two answers.

    Args:
        expected: the first answer.
        actual: the second answer.
        ignore: members that may differ.

    Raises:
        Unmet: they differ; it names the first member that does.
    """
    was, is_now = state(expected), state(actual)
    for member in sorted((was.keys() | is_now.keys()) - set(ignore)):
        expect.equal(
            was.get(member, ABSENT),
            is_now.get(member, ABSENT),
            f"`{member}` to be",
            at=actual.place(member),
        )


def expect_snapshots_whole(before: Table, after: Table, *, ignore: Collection[int] = ()) -> None:
    """Expect that the snapshots of `after` are as in `before`; a removed parent may be left out.

    Args:
        before: the earlier answer.
        after: the later answer.
        ignore: ids of snapshots that may differ.

    Raises:
        Unmet: a snapshot differs.
    """
    was = _snapshots(before)
    for snapshot, members in _snapshots(after).items():
        if snapshot in was and snapshot not in ignore:
            expect.equal(
                was[snapshot],
                members,
                f"the snapshot {snapshot} to be",
                at=after.place("snapshots"),
            )


def _snapshots(table: Table) -> dict[Any, Document]:
    """Return the members of each snapshot except its parent, by id."""
    snapshots = table.metadata.get("snapshots") or ()
    return {
        s.get("snapshot-id"): {
            name: value for name, value in s.items() if name != "parent-snapshot-id"
        }
        for s in snapshots
    }


def expect_no_change(lab: CatalogLab, before: Table, *, ignore: Collection[str] = ()) -> None:
    """Load the table and expect its metadata and metadata location to be as before.

    Raises:
        Unmet: they differ, or the table can no longer be loaded.
    """
    reply = lab.send(op.load_table, **before.at)
    expect.status(reply, 200)
    assert_same_table(lab, before, before.in_reply(reply), ignore=ignore)


def assert_same_table(
    lab: CatalogLab,
    expected: Table,
    actual: Table,
    *,
    ignore: Collection[str] = (),
    volatile: Collection[str] = (),
) -> None:
    """Expect equal metadata and metadata locations in two answers, except for members that the
    server owns.

    Args:
        lab: the lab of the check.
        expected: the first answer.
        actual: the second answer.
        ignore: members that may differ.
        volatile: further members and properties that may differ, spelled as by `volatile_members`.

    Raises:
        Unmet: they differ; it names the first difference.
    """
    try:
        _compare(expected, actual, ignore=ignore, volatile=volatile)
    except Unmet:
        own_members = volatile_members(lab)
        if not own_members:
            raise
        _compare(expected, actual, ignore=ignore, volatile={*volatile, *own_members})


def _compare(
    expected: Table, actual: Table, *, ignore: Collection[str], volatile: Collection[str]
) -> None:
    same_state(
        _without_volatile(expected, volatile),
        _without_volatile(actual, volatile),
        ignore=(*ignore, *volatile),
    )
    if LOCATION not in {*ignore, *volatile}:
        expect.equal(
            expected.metadata_location,
            actual.metadata_location,
            "the metadata-location from before,",
            at=actual.reply.place("metadata-location"),
        )


def _without_volatile(table: Table, volatile: Collection[str]) -> Table:
    """Return the table without volatile properties."""
    properties = {
        name: value
        for name, value in properties_of(table).items()
        if PROPERTY + name not in volatile
    }
    if not volatile or properties == properties_of(table):
        return table
    document = {**table.reply.document, "metadata": {**table.metadata, "properties": properties}}
    exchange = replace(table.reply.exchange, body=orjson.dumps(document))
    return table.in_reply(Reply(exchange))


def without_its_own(lab: CatalogLab, table: Table) -> Table:
    """Return the table without properties that are the target's own."""
    return _without_volatile(table, volatile_members(lab))


def volatile_members(lab: CatalogLab) -> frozenset[str]:
    """Return the parts of a table that the target owns: properties that no request set, and members
    that change by themselves.
    """
    members = _volatile.get(lab.wire)
    if members is None:
        members = frozenset()
        with no_evidence(lab):
            still, other = lab.make_table(), lab.make_table()
            before = lab.load(still)
            lab.commit(other, set_properties(lakepact="moves"))
            members = different_members(before, lab.load(still)) | {
                PROPERTY + name for name in properties_of(before)
            }
        _volatile[lab.wire] = members
    return members


def different_members(before: Table, after: Table) -> frozenset[str]:
    """Return the members and properties that differ in two answers, spelled as by
    `volatile_members`.
    """
    was, is_now = state(before), state(after)
    members = {
        member for member in was.keys() | is_now.keys() if was.get(member) != is_now.get(member)
    } - {"properties"}
    had, has = properties_of(before), properties_of(after)
    properties = {
        PROPERTY + name for name in had.keys() | has.keys() if had.get(name) != has.get(name)
    }
    return frozenset(
        members
        | properties
        | ({LOCATION} if before.metadata_location != after.metadata_location else set())
    )


def restrict_to(request: Any, answer: Any) -> Any:
    """Return a value without members that no request sent."""
    if isinstance(request, dict) and isinstance(answer, dict):
        return {member: restrict_to(value, answer.get(member)) for member, value in request.items()}
    if isinstance(request, list) and isinstance(answer, list) and len(request) == len(answer):
        return [restrict_to(*pair) for pair in zip(request, answer, strict=True)]
    return answer
