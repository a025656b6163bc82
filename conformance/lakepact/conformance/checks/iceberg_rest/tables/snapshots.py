"""Checks of loading a table with all its snapshots, or with those that branches and tags name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    NotOffered,
    Table,
    Wrong,
    check,
    expect,
    op,
    set_properties,
    set_ref,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.metadata_members import ids
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import LOCATION, assert_same_table
from lakepact.conformance.checks.iceberg_rest.tables.metadata import refs


@dataclass(frozen=True)
class History:
    """A table of five snapshots in a row and one beside them; a branch, a tag and main refer to
    three.
    """

    table: Table  #: as it is loaded when nothing is said of snapshots
    snapshots: tuple[Document, ...]  #: as the commits returned them

    @property
    def ids(self) -> list[int]:
        """The ids of all snapshots."""
        return [snapshot["snapshot-id"] for snapshot in self.snapshots]

    @property
    def ids_with_refs(self) -> set[int]:
        """The ids of the snapshots that refs name: the second, the fifth, and the one beside."""
        return {self.ids[1], self.ids[4], self.ids[5]}


def history(lab: CatalogLab, *, statistics: bool = False) -> History:
    """Return a table with a history of its own, and with statistics if asked for and where the
    target keeps them.
    """
    table = lab.make_table()
    snapshots: list[Document] = []
    for _ in range(5):
        snapshots.append(lab.snapshot(table))
        table = lab.commit(
            table, upd.add_snapshot(snapshots[-1]), set_ref("main", snapshots[-1]["snapshot-id"])
        )
    snapshots.append(lab.snapshot(table, parent_snapshot_id=snapshots[2]["snapshot-id"]))
    tag = set_ref(
        "release", snapshots[1]["snapshot-id"], kind="tag", max_ref_age_ms=604_800_000_000
    )
    table = lab.commit(
        table, upd.add_snapshot(snapshots[-1]), set_ref("audit", snapshots[-1]["snapshot-id"]), tag
    )
    for one in snapshots:
        with lab.step("IRC-UPD-035"):
            expect.contains(
                one["snapshot-id"], snapshot_ids(table), "snapshots", at=table.place("snapshots")
            )
    for name, requirement in (
        ("main", "IRC-UPD-044"),
        ("audit", "IRC-UPD-044"),
        ("release", "IRC-UPD-045"),
    ):
        with lab.step(requirement):
            expect.contains(name, refs(table.metadata), "refs", at=table.place("refs"))
    stored = {snapshot.get("snapshot-id"): snapshot for snapshot in table.member("snapshots")}
    table = lab.commit(table, set_properties(**{"lakepact.note": "kept"}))
    if statistics and lab.feature("statistics"):
        lab.try_commit(
            table,
            *(
                upd.set_statistics(
                    upd.statistics_file(table, snapshots[n]["snapshot-id"], name=f"of-{n}")
                )
                for n in (0, 4)
            ),
        )
    return History(
        lab.load(table), tuple(stored[snapshot["snapshot-id"]] for snapshot in snapshots)
    )


def load_table(lab: CatalogLab, table: Table, snapshots: str | None = None) -> Table:
    """Return a table that the target has to load, with `snapshots` as the value of the parameter.

    Raises:
        Unmet: it does not.
    """
    reply = lab.send(op.load_table, snapshots=snapshots, **table.at)
    expect.status(reply, 200)
    return table.in_reply(reply)


def snapshot_ids(table: Table) -> list[Any]:
    """Return the ids of a table's snapshots; none where it has no such member."""
    return ids(table.metadata, "snapshots", "snapshot-id")


@check("IRC-TBL-LOAD-006", "IRC-TBL-LOAD-007")
def loads_with_snapshots_all_are_complete(lab: CatalogLab) -> None:
    """A load with snapshots=all equals one without the parameter and has every snapshot as it was
    added.
    """
    past = history(lab)

    with lab.judge_each("IRC-TBL-LOAD-006") as case:
        for table in (past.table, lab.make_table()):
            with case():
                plain, everything = load_table(lab, table), load_table(lab, table, "all")
                assert_same_table(lab, everything, plain)
    with lab.judge("IRC-TBL-LOAD-007") as case:
        whole = load_table(lab, past.table, "all")
        by_id = {snapshot.get("snapshot-id"): snapshot for snapshot in whole.member("snapshots")}
        expect.same_items(past.ids, by_id, "snapshot ids", at=whole.place("snapshots"))
        for snapshot in past.snapshots:
            with case():
                actual = by_id[snapshot["snapshot-id"]]
                expect.includes(
                    snapshot,
                    actual,
                    "the snapshot",
                    at=whole.place("snapshots"),
                )


@check("IRC-TBL-LOAD-008")
def loads_with_snapshots_refs_have_ref_snapshots(lab: CatalogLab) -> None:
    """A load with snapshots=refs has the snapshot of every branch and tag."""
    past = history(lab)
    expected = {"main": past.ids[4], "release": past.ids[1], "audit": past.ids[5]}

    def expect_refs(expected_refs: dict[str, int]) -> None:
        table = load_table(lab, past.table, "refs")
        by_name = {name: ref.get("snapshot-id") for name, ref in refs(table.metadata).items()}
        expect.equal(expected_refs, by_name, "snapshots of refs:", at=table.place("refs"))
        for name, snapshot in by_name.items():
            expect.contains(
                snapshot,
                snapshot_ids(table),
                f"the snapshot of {name} in snapshots:",
                at=table.place("snapshots"),
            )

    with lab.judge("IRC-TBL-LOAD-008") as case:
        expect_refs(expected)
        table = load_table(lab, past.table, "refs")
        for snapshot in past.snapshots:
            if snapshot["snapshot-id"] in past.ids_with_refs:
                with case():
                    by_name = {
                        snapshot.get("snapshot-id"): snapshot
                        for snapshot in table.member("snapshots")
                    }
                    expect.contains(
                        snapshot["snapshot-id"],
                        by_name,
                        "snapshot ids",
                        at=table.place("snapshots"),
                    )
                    actual = by_name[snapshot["snapshot-id"]]
                    members = {member: actual.get(member) for member in snapshot}
                    expect.equal(snapshot, members, "the snapshot", at=table.place("snapshots"))
        for name in ("release", "main", "audit"):
            with case():
                with lab.step("IRC-UPD-056"):
                    after = lab.commit(past.table, upd.remove_ref(name))
                    expect.lacks(name, refs(after.metadata), "refs", at=after.place("refs"))
                del expected[name]
                expect_refs(expected)
        empty = load_table(lab, lab.make_table(), "refs")
        expect.equal([], snapshot_ids(empty), "snapshots", at=empty.place("snapshots"))
        # A table loaded with `refs` before lacks snapshots that refs name after they changed while
        # main did not.
        first = lab.table_with_snapshot()
        table = lab.append(first)
        load_table(lab, table, "refs")
        lab.commit(table, set_ref("late", first.member("current-snapshot-id"), kind="tag"))
        now, snapshot_of_tag = load_table(lab, table, "refs"), first.member("current-snapshot-id")
        expect.contains(
            snapshot_of_tag,
            snapshot_ids(now),
            "the snapshot of a new tag in snapshots:",
            at=now.place("snapshots"),
        )


@check("IRC-TBL-LOAD-009")
def loads_with_snapshots_refs_omit_other_snapshots(lab: CatalogLab) -> None:
    """A load with snapshots=refs omits the snapshots that no branch or tag names."""
    past = history(lab)

    with lab.judge("IRC-TBL-LOAD-009"):
        after = load_table(lab, past.table, "refs")
        expect.same_items(
            past.ids_with_refs,
            snapshot_ids(after),
            "only the snapshots of refs:",
            at=after.place("snapshots"),
        )


@check("IRC-TBL-LOAD-007", "IRC-TBL-LOAD-010")
def snapshots_refs_changes_only_snapshots(lab: CatalogLab) -> None:
    """A load with snapshots=refs equals a full load except for the omitted snapshots, and hides
    them from no later load.
    """
    past = history(lab, statistics=True)
    lab.try_commit(
        past.table,
        upd.add_column(past.table, "more"),
        upd.set_current_schema(upd.LAST_ADDED),
    )

    with lab.judge("IRC-TBL-LOAD-010") as case:
        everything = load_table(lab, past.table, "all")
        with_refs = load_table(lab, past.table, "refs")
        everywhere = {LOCATION, *everything.metadata, *with_refs.metadata}
        for member in (LOCATION, *sorted(everywhere - {"snapshots", LOCATION})):
            with case():  # each by itself: a load that drops several members shows all of them
                assert_same_table(lab, everything, with_refs, ignore=everywhere - {member})
        by_id = {
            snapshot.get("snapshot-id"): snapshot for snapshot in everything.member("snapshots")
        }
        for snapshot in with_refs.member("snapshots"):
            with case():
                expect.equal(
                    by_id.get(snapshot.get("snapshot-id")),
                    snapshot,
                    "the snapshot as with snapshots=all:",
                    at=with_refs.place("snapshots"),
                )
    with lab.judge_each("IRC-TBL-LOAD-007") as case:
        for value in (None, "all"):
            with case():
                after = load_table(lab, past.table, value)
                actual, at = sorted(snapshot_ids(after)), after.place("snapshots")
                expect.equal(sorted(past.ids), actual, "after a load with refs, snapshots", at=at)


@check("IRC-TBL-LOAD-011")
def unknown_snapshots_values_return_400(lab: CatalogLab) -> None:
    """An unknown value of `snapshots` returns 400."""
    table = lab.table_with_snapshot()

    with lab.judge_each("IRC-TBL-LOAD-011") as case:
        for value in ("foo", "none", "all,refs", "1", "ref", "REFS"):
            with case(Wrong.VALUE("snapshots")):
                reply = lab.send(op.load_table, snapshots=value, **table.at)
                expect.status(reply, 400, about=f"for snapshots={value}")


MOST_NAMESPACES, MOST_TABLES = 20, 5  #: that are read on a catalog which creates no tables


def existing_tables(lab: CatalogLab) -> Iterator[Table]:
    """Yield the tables of a catalog's first namespaces that load for the caller."""
    namespaces = lab.require(lab.send(op.list_namespaces)).document.get("namespaces")
    for levels in namespaces[:MOST_NAMESPACES] if isinstance(namespaces, list) else ():
        listing = lab.send(op.list_tables, namespace=tuple(levels))
        identifiers = listing.document.get("identifiers") if listing.status == 200 else ()
        for identifier in identifiers or ():
            table = Table(tuple(levels), identifier["name"], listing)
            load = lab.send(op.load_table, **table.at)
            if load.status == 200:
                yield table.in_reply(load)


def _state(table: Table) -> tuple[Any, Any]:
    return table.metadata_location, table.metadata.get("last-updated-ms")


@check("IRC-TBL-LOAD-006", "IRC-TBL-LOAD-008", "IRC-TBL-LOAD-010")
def existing_tables_load_alike(lab: CatalogLab) -> None:
    """A table of a catalog that creates none loads alike with each value of `snapshots`."""
    if lab.offers(op.create_table):
        raise NotOffered("other checks load the tables that they create")
    tables = list(islice(existing_tables(lab), MOST_TABLES))
    if not tables:
        raise NotOffered("the catalog creates no tables, and lists none that loads")
    for table in lab.each(tables):
        everything, with_refs, again = (
            table.in_reply(lab.send(op.load_table, snapshots=value, **table.at))
            for value in ("all", "refs", None)
        )
        if again.reply.status != 200 or _state(again) != _state(table):
            continue  # another client writes to it
        with lab.judge("IRC-TBL-LOAD-006"):
            expect.status(everything.reply, 200)
            assert_same_table(lab, everything, table)
        with lab.judge("IRC-TBL-LOAD-008") as case:
            expect.status(with_refs.reply, 200)
            for name, ref in refs(with_refs.metadata).items():
                with case():
                    expect.contains(
                        ref.get("snapshot-id"),
                        snapshot_ids(with_refs),
                        f"the snapshot of {name} in snapshots:",
                        at=with_refs.place("snapshots"),
                    )
        with lab.judge("IRC-TBL-LOAD-010"):
            assert_same_table(lab, everything, with_refs, ignore={"snapshots"})
