"""Comparison of table states by meaning, not by spelling.

Some catalogs add properties of their own to tables, such as the id of their last commit. Members that change in one table when only
another table is changed, and members that every new table has, are not compared: they are detected before a difference is reported.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import orjson

from lakepact.conformance import expect
from lakepact.conformance.checks.iceberg_rest.kit.lab import Table, set_properties
from lakepact.conformance.exchanges import Reply
from lakepact.conformance.outcome import Blocked, Unmet
from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from collections.abc import Collection

    from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab
    from lakepact.conformance.wire import Wire


#: Members that are sets, which a server may send in any order.
UNORDERED = frozenset(
    {"schemas", "partition-specs", "sort-orders", "snapshots", "statistics", "partition-statistics", "encryption-keys", "versions"}
)

#: Members that a server may change on its own.
BOOKKEEPING = frozenset({"metadata-log", "last-updated-ms"})


LOCATION = "metadata-location"
PROPERTY = "property "  #: before the name of one, among what is restless

_restless: WeakKeyDictionary[Wire, frozenset[str]] = WeakKeyDictionary()


def state(table: Table) -> dict[str, Any]:
    """Return the metadata of a table or view in one spelling: nothing that says none, and sets in one order."""
    members = {member: value for member, value in table.metadata.items() if value not in (None, [], {})}
    if members.get("current-snapshot-id") == -1:
        del members["current-snapshot-id"]
    for member in UNORDERED & members.keys():
        members[member] = sorted(members[member], key=lambda item: orjson.dumps(item, option=orjson.OPT_SORT_KEYS))
    return members


def properties_of(table: Table) -> dict[str, Any]:
    """Return the table's properties; none where it has no such member."""
    return table.metadata.get("properties") or {}


def same_state(expected: Table, actual: Table, *, but: Collection[str] = ()) -> None:
    """Two answers say the same of a table.

    Args:
        expected: the one.
        actual: the other.
        but: members that may differ.

    Raises:
        Unmet: they do not; it names the first member in which they differ.
    """
    was, is_now = state(expected), state(actual)
    for member in sorted((was.keys() | is_now.keys()) - set(but)):
        if was.get(member) != is_now.get(member):
            raise Unmet(f"`{member}` to be {expect.shown(was.get(member))}", expect.shown(is_now.get(member)))


def expect_snapshots_whole(before: Table, after: Table, *, but: Collection[int] = ()) -> None:
    """Snapshots that a table still has are what they were; only a parent that is gone may be named no more.

    Args:
        before: the table, as it was.
        after: the same, as it is.
        but: ids of snapshots that may differ.

    Raises:
        Unmet: one is not.
    """
    was = _snapshots(before)
    for snapshot, members in _snapshots(after).items():
        if snapshot in was and snapshot not in but:
            expect.equal(was[snapshot], members, f"the snapshot {snapshot} to be")


def _snapshots(table: Table) -> dict[Any, dict[str, Any]]:
    """By id: the members of each snapshot but its parent."""
    snapshots = table.metadata.get("snapshots") or ()
    return {s.get("snapshot-id"): {name: value for name, value in s.items() if name != "parent-snapshot-id"} for s in snapshots}


def unchanged(lab: CatalogLab, before: Table, *, but: Collection[str] = ()) -> None:
    """The table is what it was: its metadata but for some members, and where they stand.

    Raises:
        Unmet: it is not, or it can no longer be loaded.
    """
    reply = lab.send(op.load_table, **before.at)
    expect.status(reply, 200)
    assert_same_table(lab, before, Table(before.namespace, before.name, reply), but=but)


def assert_same_table(lab: CatalogLab, expected: Table, actual: Table, *, but: Collection[str] = (), moving: Collection[str] = ()) -> None:
    """Two answers say the same of a table and of where its metadata stand, but for some members and what is restless.

    Args:
        lab: the bench of the check.
        expected: the one.
        actual: the other.
        but: members that may differ.
        moving: what else may, spelled as what is restless.

    Raises:
        Unmet: they do not; it names the first thing in which they differ.
    """
    try:
        _alike(expected, actual, but=but, moving=moving)
    except Unmet:
        always = restless(lab)
        if not always:
            raise
        _alike(expected, actual, but=but, moving={*moving, *always})


def _alike(expected: Table, actual: Table, *, but: Collection[str], moving: Collection[str]) -> None:
    same_state(_at_rest(expected, moving), _at_rest(actual, moving), but=(*but, *moving))
    if LOCATION not in {*but, *moving}:
        expect.equal(expected.metadata_location, actual.metadata_location, "the metadata-location from before,")


def _at_rest(table: Table, moving: Collection[str]) -> Table:
    """Return the table without properties that move."""
    properties = {name: value for name, value in properties_of(table).items() if PROPERTY + name not in moving}
    if not moving or properties == properties_of(table):
        return table
    document = {**table.reply.document, "metadata": {**table.metadata, "properties": properties}}
    exchange = replace(table.reply.exchange, body=orjson.dumps(document))
    return Table(table.namespace, table.name, Reply(exchange))


def without_its_own(lab: CatalogLab, table: Table) -> Table:
    """Return the table without properties that are the target's own."""
    return _at_rest(table, restless(lab))


def restless(lab: CatalogLab) -> frozenset[str]:
    """Return the parts of a table that the target owns: properties that no request set, and members that change by themselves."""
    known = _restless.get(lab.wire)
    if known is None:
        known = frozenset()
        with contextlib.suppress(Blocked, Unmet):
            still, other = lab.make_table(), lab.make_table()
            before = lab.load(still)
            lab.commit(other, set_properties(lakepact="moves"))
            known = _moved(before, lab.load(still)) | {PROPERTY + name for name in properties_of(before)}
        _restless[lab.wire] = known
    return known


def _moved(before: Table, after: Table) -> frozenset[str]:
    was, is_now = state(before), state(after)
    members = {member for member in was.keys() | is_now.keys() if was.get(member) != is_now.get(member)} - {"properties"}
    had, has = properties_of(before), properties_of(after)
    moved = {PROPERTY + name for name in had.keys() | has.keys() if had.get(name) != has.get(name)}
    return frozenset(members | moved | ({LOCATION} if before.metadata_location != after.metadata_location else set()))


def of_what_was_said(said: Any, found: Any) -> Any:
    """Return a value without members that no request sent."""
    if isinstance(said, dict) and isinstance(found, dict):
        return {member: of_what_was_said(value, found.get(member)) for member, value in said.items()}
    if isinstance(said, list) and isinstance(found, list) and len(said) == len(found):
        return [of_what_was_said(*pair) for pair in zip(said, found, strict=True)]
    return found
