"""Whether a table is still what it was: its metadata, compared as what they say rather than as how they are spelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from lakepact.conformance import expect
from lakepact.conformance.checks.iceberg_rest.lab import Table
from lakepact.conformance.outcome import Unmet

if TYPE_CHECKING:
    from collections.abc import Collection

    from lakepact.conformance.checks.iceberg_rest.lab import CatalogLab

#: Members that are sets, which a server may send in any order.
UNORDERED = frozenset({"schemas", "partition-specs", "sort-orders", "snapshots", "statistics", "partition-statistics", "encryption-keys"})

#: Members that a server may write anew although nothing was asked of it.
BOOKKEEPING = frozenset({"metadata-log", "last-updated-ms"})


def state(table: Table) -> dict[str, Any]:
    """The table's metadata in one spelling: nothing that says none, and sets in one order."""
    members = {member: value for member, value in table.metadata.items() if value not in (None, [], {})}
    if members.get("current-snapshot-id") == -1:
        del members["current-snapshot-id"]
    for member in UNORDERED & members.keys():
        members[member] = sorted(members[member], key=lambda item: orjson.dumps(item, option=orjson.OPT_SORT_KEYS))
    return members


def properties_of(table: Table) -> dict[str, Any]:
    """The table's properties; none where it has no such member."""
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


def unchanged(lab: CatalogLab, before: Table) -> None:
    """The table is what it was: its metadata, and where they stand.

    Raises:
        Unmet: it is not, or it can no longer be loaded.
    """
    reply = lab.send("loadTable", **before.at)
    expect.status(reply, 200)
    after = Table(before.namespace, before.name, reply)
    same_state(before, after)
    expect.equal(before.metadata_location, after.metadata_location, "the metadata-location from before,")
