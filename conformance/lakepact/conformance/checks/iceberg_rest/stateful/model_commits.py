"""The expected table after a commit: its updates are applied, everything else is unchanged."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Members,
    Table,
    Unmet,
    expect,
    req,
    states,
)
from lakepact.conformance.checks.iceberg_rest.kit.commit_effects import ABOUT, EFFECTS
from lakepact.conformance.evidence.outcome import ASSERT_REF

NO_SNAPSHOT = -1  #: value of older metadata without a current snapshot


def effects_in(updates: Iterable[Members]) -> dict[str, str]:
    """Return the requirements of effects by members: those that only one update of a commit is
    about.
    """
    owners: dict[str, list[str]] = {}
    for update in updates:
        for member in ABOUT.get(update["action"], ()):
            owners.setdefault(member, []).append(update["action"])
    return {
        member: EFFECTS.get(actions[0], "")
        for member, actions in owners.items()
        if len(actions) == 1
    }


#: By type of a requirement: the member of the request, and that of the table, which have to be
#: equal.
ASSERTED = {"assert-table-uuid": ("uuid", "table-uuid"), **req.NUMBERS}


def first_unmet(requirements: Iterable[Members], table: Table) -> Members | None:
    """Return the first requirement that does not hold for a table, of those that compare one value;
    none where all hold.
    """
    metadata = table.metadata
    for requirement in requirements:
        kind = requirement.get("type")
        if kind == "assert-create":
            return requirement
        if kind in ASSERTED:
            key, member = ASSERTED[kind]
            if (
                member in metadata
                and str(requirement.get(key)).lower() != str(metadata[member]).lower()
            ):
                return requirement
        elif kind == ASSERT_REF and snapshot_of(table, requirement["ref"]) != requirement.get(
            "snapshot-id"
        ):
            return requirement
    return None


def snapshot_of(table: Table, ref: str) -> Any:
    """Return the snapshot of a branch or tag, or `None`; metadata without refs still has `main`."""
    if ref == "main" and "refs" not in table.metadata:
        current = table.metadata.get("current-snapshot-id")
        return current if current != NO_SNAPSHOT else None
    return ((table.metadata.get("refs") or {}).get(ref) or {}).get("snapshot-id")


@contextlib.contextmanager
def _under(requirement: str) -> Generator[None]:
    """Let an unmet expectation belong to a requirement; empty keeps the one that is judged."""
    try:
        yield
    except Unmet as unmet:
        unmet.requirement = requirement
        raise


@dataclass
class Outlook:
    """The effects of the updates of a commit, in order.

    Args:
        properties: those that were set or, being None, removed.
        refs: where branches and tags are or, being None, that they are not.
        snapshots: whether they are there.
        members: of the metadata, with their values.
        about: the members that may change; None where all may.
    """

    properties: dict[str, str | None] = field(default_factory=dict)
    refs: dict[str, int | None] = field(default_factory=dict)
    snapshots: dict[int, bool] = field(default_factory=dict)
    members: Document = field(default_factory=dict)
    about: set[str] | None = field(default_factory=set)

    def take(self, update: Members) -> None:
        """Expect what one more update asks for."""
        action = update["action"]
        if self.about is not None:
            self.about = self.about | set(ABOUT[action]) if action in ABOUT else None
        if action in _EXPECT:
            _EXPECT[action](self, update)


def _remove_snapshots(outlook: Outlook, update: Members) -> None:
    outlook.snapshots |= dict.fromkeys(update["snapshot-ids"], False)
    outlook.refs = {}  # some of them may have gone with their snapshots


def _set_member(member: str, key: str) -> Callable[[Outlook, Members], None]:
    def take(outlook: Outlook, update: Members) -> None:
        outlook.members.pop(member, None)
        if update[key] != -1:
            outlook.members[member] = update[key]

    return take


_EXPECT: Mapping[str, Callable[[Outlook, Members], None]] = {
    "set-properties": lambda o, u: o.properties.update(u["updates"]),
    "remove-properties": lambda o, u: o.properties.update(dict.fromkeys(u["removals"])),
    "add-snapshot": lambda o, u: o.snapshots.update({u["snapshot"]["snapshot-id"]: True}),
    "remove-snapshots": _remove_snapshots,
    "set-snapshot-ref": lambda o, u: o.refs.update({u["ref-name"]: u["snapshot-id"]}),
    "remove-snapshot-ref": lambda o, u: o.refs.update({u["ref-name"]: None}),
    "set-current-schema": _set_member("current-schema-id", "schema-id"),
    "set-default-spec": _set_member("default-spec-id", "spec-id"),
    "set-default-sort-order": _set_member("default-sort-order-id", "sort-order-id"),
    "set-location": _set_member("location", "location"),
}


def expect_commit(
    lab: CatalogLab,
    before: Table,
    after: Table,
    *,
    updates: Sequence[Members],
    own: Collection[str],
) -> None:
    """Expect the effects of a commit on a table.

    Args:
        lab: the lab of the sequence.
        before: the table, as it was.
        after: the same, as it is.
        updates: those of the commit.
        own: properties that the history has set or removed before; others may be the target's.

    Raises:
        Unmet: it is not; its `requirement` is the one that the missing effect belongs to.
    """
    outlook = Outlook()
    for update in updates:
        outlook.take(update)
    owner = effects_in(updates)
    for name, value in outlook.properties.items():
        with _under(EFFECTS["remove-properties" if value is None else "set-properties"]):
            expect.equal(
                value,
                states.properties_of(after).get(name),
                f"the property {name} to be",
                at=after.place("properties", name),
            )
    for ref, snapshot in outlook.refs.items():
        with _under(EFFECTS["remove-snapshot-ref" if snapshot is None else "set-snapshot-ref"]):
            expect.equal(
                snapshot,
                snapshot_of(after, ref),
                f"the snapshot of {ref} to be",
                at=after.place("refs", ref),
            )
    ids = [snapshot.get("snapshot-id") for snapshot in after.metadata.get("snapshots") or ()]
    for snapshot, is_added in outlook.snapshots.items():
        with _under(EFFECTS["add-snapshot" if is_added else "remove-snapshots"]):
            (expect.contains if is_added else expect.lacks)(
                snapshot, ids, "snapshots", at=after.place("snapshots")
            )
    for member, value in outlook.members.items():
        expect.equal(value, after.metadata.get(member), f"`{member}` to be", at=after.place(member))
    if outlook.about is not None:
        if "refs" not in outlook.about:
            with _under(owner.get("snapshots", "")):
                id_before = states.state(before).get("current-snapshot-id")
                id_after = states.state(after).get("current-snapshot-id")
                expect.equal(
                    id_before,
                    id_after,
                    "`current-snapshot-id` to be",
                    at=after.place("current-snapshot-id"),
                )
        states.expect_snapshots_whole(before, after, ignore=outlook.snapshots)
        expect_same(
            lab,
            before,
            after,
            ignore=outlook.about - {"properties"},
            own=set(own) - outlook.properties.keys(),
        )


def expect_same(
    lab: CatalogLab,
    before: Table,
    after: Table,
    *,
    own: Collection[str],
    ignore: Collection[str] = (),
) -> None:
    """Expect an unchanged table.

    Args:
        lab: the lab of the sequence.
        before: the table, as it was.
        after: the same, as it is.
        own: properties that the history itself has set; others may be the target's.
        ignore: members that may differ.

    Raises:
        Unmet: it is not.
    """
    strange = (states.properties_of(before).keys() | states.properties_of(after).keys()) - set(own)
    if states.state(before).get("table-uuid") != states.state(after).get("table-uuid"):
        raise expect.unmet(
            f"the table {before.uuid}", f"another one: {after.uuid}", at=after.place("table-uuid")
        )
    states.assert_same_table(
        lab,
        before,
        after,
        ignore=(*ignore, *states.BOOKKEEPING, states.LOCATION),
        volatile={states.PROPERTY + name for name in strange},
    )


def expect_same_refs(before: Table, after: Table) -> None:
    """Expect that a table loaded with snapshots=refs equals the table, with its refs unchanged.

    Args:
        before: the table, as it was.
        after: the same, as it is.

    Raises:
        Unmet: it is not.
    """
    was, is_now = states.state(before), states.state(after)
    for member in (
        "table-uuid",
        "refs",
        "current-snapshot-id",
        "current-schema-id",
        "default-spec-id",
    ):
        expect.equal(
            was.get(member), is_now.get(member), f"`{member}` to be", at=after.place(member)
        )
