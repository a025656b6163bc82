"""Checks of updates of some of several entries: they change all of these, and no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Kind,
    Members,
    Table,
    check,
    expect,
    set_properties,
    set_ref,
    states,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.steps import stored
from lakepact.conformance.checks.iceberg_rest.updates.partition_specs import spec_ids, spec_with
from lakepact.conformance.checks.iceberg_rest.updates.properties import expect_properties
from lakepact.conformance.checks.iceberg_rest.updates.refs import current_snapshot
from lakepact.conformance.checks.iceberg_rest.updates.schemas import id_of_schema_with, schema_ids
from lakepact.conformance.checks.iceberg_rest.updates.snapshots import (
    all_snapshots,
    snapshot_ids,
    snapshot_of,
)
from lakepact.conformance.checks.iceberg_rest.updates.sort_orders import order_ids
from lakepact.conformance.checks.iceberg_rest.updates.statistics import (
    STORED_BY,
    table_of_two_snapshots,
)

NAMES = ("year", "month", "day")  #: of columns, and of fields with such transforms
MANY = 30  #: snapshots of a table with a long history
MAPPING = '[{"field-id": 1, "names": ["id", "lakepact_id"]}]'  #: of names in files to columns


#: Updates in a possible order, and the members that each may change, by requirement.
UPDATES: dict[str, tuple[Callable[[CatalogLab, Table], Members], tuple[str, ...]]] = {
    "IRC-UPD-010": (
        lambda _, table: upd.add_column(table, "more"),
        ("schemas", "last-column-id"),
    ),
    "IRC-UPD-017": (
        lambda _, table: upd.set_current_schema(max(schema_ids(table))),
        ("current-schema-id", "schema"),
    ),
    "IRC-UPD-022": (
        lambda _, table: upd.add_spec(upd.field_of(table, "id", "bucket[4]", "id_bucket")),
        ("partition-specs", "last-partition-id"),
    ),
    "IRC-UPD-026": (
        lambda _, table: upd.set_default_spec(max(spec_ids(table))),
        ("default-spec-id", "partition-spec"),
    ),
    "IRC-UPD-029": (
        lambda _, table: upd.add_sort_order(upd.sort_field(upd.column(table, "id"))),
        ("sort-orders",),
    ),
    "IRC-UPD-032": (
        lambda _, table: upd.set_default_sort_order(max(order_ids(table))),
        ("default-sort-order-id",),
    ),
    "IRC-UPD-045": (
        lambda _, table: set_ref("later", table.member("current-snapshot-id"), kind="tag"),
        ("refs",),
    ),
    "IRC-UPD-061": (lambda *_: set_properties(later="1"), ("properties",)),
    "IRC-UPD-035": (
        lambda lab, table: upd.add_snapshot(lab.snapshot(table)),
        ("snapshots", "last-sequence-number", "next-row-id"),
    ),
}


@check(*UPDATES)
def updates_change_nothing_else(lab: CatalogLab) -> None:
    """An update changes no other member of the metadata, and brings nothing back that was
    removed.
    """
    table = lab.make_table(write_order={"order-id": 1, "fields": [upd.sort_field(2)]})
    table = lab.append(lab.append(table))
    first, second = all_snapshots(table, 2)
    tags = (set_ref(name, second, kind="tag") for name in ("release", "former"))
    properties = set_properties(
        **{"lakepact.note": "1", "lakepact.former": "1", "schema.name-mapping.default": MAPPING}
    )
    table = stored(lab, table, *tags, properties)
    for removal in (
        upd.remove_snapshots(first),
        upd.remove_properties("lakepact.former"),
        upd.remove_ref("former"),
    ):
        lab.try_commit(table, removal)  # whether it may be refused is judged elsewhere
    for requirement, (update, members) in lab.each(UPDATES.items()):
        before = lab.load(table)
        stored(lab, before, update(lab, before))
        after = lab.load(table)
        with lab.judge(requirement):
            states.assert_same_table(
                lab, before, after, ignore=(*members, *states.BOOKKEEPING, states.LOCATION)
            )


@check("IRC-UPD-035")
def two_snapshots_are_added_in_one_commit(lab: CatalogLab) -> None:
    """Two snapshots of one commit are both stored; `last-sequence-number` is that of the later
    one.
    """
    table = lab.append(upd.table_of_version(lab, 2))
    first = lab.snapshot(table)
    second = lab.snapshot(
        table, parent_snapshot_id=first["snapshot-id"], sequence_number=first["sequence-number"] + 1
    )

    with lab.judge("IRC-UPD-035") as case:
        after = lab.commit_and_load(
            table,
            *map(upd.add_snapshot, (first, second)),
            set_ref("main", second["snapshot-id"]),
        )
        for snapshot in (first, second):
            with case():
                expect.equal(
                    snapshot["sequence-number"],
                    snapshot_of(after, snapshot["snapshot-id"]).get("sequence-number"),
                    "sequence-number",
                    at=after.place("snapshots"),
                )
        expect.equal(
            second["snapshot-id"],
            current_snapshot(after),
            "current-snapshot-id",
            at=after.place("current-snapshot-id"),
        )
        expect.member(second["sequence-number"], after.place("last-sequence-number"))


@check("IRC-UPD-035")
def long_histories_keep_their_snapshots(lab: CatalogLab) -> None:
    """A table with many snapshots keeps them all when another one is added."""
    table = lab.append(upd.table_of_version(lab, 2))
    snapshots = [lab.snapshot(table)]
    for _ in range(MANY):
        parent, number = snapshots[-1]["snapshot-id"], snapshots[-1]["sequence-number"] + 1
        snapshots.append(lab.snapshot(table, parent_snapshot_id=parent, sequence_number=number))
    main = set_ref("main", snapshots[-1]["snapshot-id"])
    table = stored(lab, table, *map(upd.add_snapshot, snapshots), main)
    before = snapshot_ids(table)

    with lab.judge("IRC-UPD-035"):
        after = lab.load(lab.append(table))
        missing = set(before) - set(snapshot_ids(after))
        expect.true(
            not missing,
            "all earlier snapshots",
            f"{len(missing)} of {len(before)} missing",
            at=after.place("snapshots"),
            kind=Kind.MISSING,
        )


@check("IRC-UPD-035")
def snapshots_keep_their_parents(lab: CatalogLab) -> None:
    """A snapshot keeps its parent as sent, even if that is not the snapshot of main."""
    table = lab.append(lab.table_with_snapshot())
    first, _ = all_snapshots(table, 2)
    snapshot = lab.snapshot(table, parent_snapshot_id=first)

    with lab.judge("IRC-UPD-035"):
        after = lab.commit_and_load(
            table, upd.add_snapshot(snapshot), set_ref("aside", snapshot["snapshot-id"])
        )
        expect.equal(
            first,
            snapshot_of(after, snapshot["snapshot-id"]).get("parent-snapshot-id"),
            "parent-snapshot-id",
            at=after.place("snapshots"),
        )


@check("IRC-UPD-041")
def next_row_id_counts_every_snapshot(lab: CatalogLab) -> None:
    """In format version 3 each snapshot advances `next-row-id` by its rows, on a branch or not."""
    table = upd.table_of_version(lab, 3)
    expected = table.member("next-row-id")
    for rows, is_main in lab.each(((25, True), (7, False), (0, True), (3, True))):
        snapshot = lab.snapshot(table, added_rows=rows, first_row_id=expected)
        updates = [
            upd.add_snapshot(snapshot),
            *([set_ref("main", snapshot["snapshot-id"])] if is_main else []),
        ]
        with lab.judge("IRC-UPD-041"):
            table = lab.commit_and_load(table, *updates)
            expect.equal(
                expected,
                snapshot_of(table, snapshot["snapshot-id"]).get("first-row-id"),
                "first-row-id of the snapshot",
                at=table.place("snapshots"),
            )
            expect.member(expected + rows, table.place("next-row-id"))
        expected += rows


@check("IRC-UPD-041")
def removed_snapshots_keep_next_row_id(lab: CatalogLab) -> None:
    """Removing a snapshot does not lower `next-row-id`."""
    table = upd.table_of_version(lab, 3)
    snapshot = lab.snapshot(table, added_rows=25)
    table = lab.append(stored(lab, table, upd.add_snapshot(snapshot)), added_rows=7)
    expected = table.member("next-row-id")
    table = stored(lab, table, upd.remove_snapshots(snapshot["snapshot-id"]))
    with lab.step("IRC-UPD-050"):
        expect.lacks(
            snapshot["snapshot-id"], snapshot_ids(table), "snapshots", at=table.place("snapshots")
        )

    with lab.judge("IRC-UPD-041"):
        expect.member(
            expected, table.place("next-row-id"), "next-row-id once a snapshot was removed,"
        )
        after = lab.commit_and_load(
            table, upd.add_snapshot(lab.snapshot(table, added_rows=3, first_row_id=expected))
        )
        expect.member(expected + 3, after.place("next-row-id"))


@check("IRC-UPD-042")
def snapshots_keep_former_schema_ids(lab: CatalogLab) -> None:
    """A snapshot written with a former schema keeps that `schema-id`."""
    table = lab.make_table()
    former = table.member("current-schema-id")
    table = stored(
        lab,
        table,
        upd.add_column(table, "more"),
        upd.set_current_schema(upd.LAST_ADDED),
    )
    snapshot = lab.snapshot(table, schema_id=former)

    with lab.judge("IRC-UPD-042"):
        after = lab.commit_and_load(table, upd.add_snapshot(snapshot))
        expect.equal(
            former,
            snapshot_of(after, snapshot["snapshot-id"]).get("schema-id"),
            "schema-id of the snapshot",
            at=after.place("snapshots"),
        )


@check("IRC-UPD-050")
def removing_a_snapshot_keeps_its_neighbours(lab: CatalogLab) -> None:
    """Removing a snapshot keeps those before and after it, their statistics and their tags."""
    table = lab.append(lab.append(lab.table_with_snapshot()))
    first, second, third = all_snapshots(table, 3)
    has_statistics = lab.feature("statistics")
    statistics = (
        [upd.set_statistics(upd.statistics_file(table, first, name="kept"))]
        if has_statistics
        else []
    )
    stored(lab, table, *statistics, set_ref("kept", first, kind="tag"))

    with lab.judge("IRC-UPD-050"):
        after = lab.commit_and_load(table, upd.remove_snapshots(second))
        expect.same_items(
            [first, third],
            snapshot_ids(after),
            "snapshots",
            at=after.place("snapshots"),
        )
        if has_statistics:
            expect.equal(
                [first],
                list(upd.files(after)),
                "snapshots with statistics",
                at=after.place("statistics"),
            )
        expect.member(
            first, after.place("refs", "kept", "snapshot-id"), "the snapshot of a tag beside it"
        )


@check("IRC-UPD-050")
def unknown_ids_do_not_stop_removals(lab: CatalogLab) -> None:
    """Removing an unknown and an existing snapshot removes the existing one, or returns 400 and
    removes none.
    """
    table = lab.append(lab.table_with_snapshot())
    first, second = all_snapshots(table, 2)
    reply = lab.require(lab.try_commit(table, upd.remove_snapshots(1, first)), 200, 400)

    with lab.judge("IRC-UPD-050"):
        remaining = [second] if reply.status == 200 else [first, second]
        after = lab.load(table)
        expect.same_items(remaining, snapshot_ids(after), "snapshots", at=after.place("snapshots"))


@check("IRC-UPD-050")
def sequence_numbers_are_not_reused(lab: CatalogLab) -> None:
    """Removing a snapshot does not lower `last-sequence-number`."""
    table = lab.append(upd.table_of_version(lab, 2))
    snapshot = lab.snapshot(table)
    table = stored(lab, table, upd.add_snapshot(snapshot))

    with lab.judge("IRC-UPD-050"):
        after = lab.commit_and_load(table, upd.remove_snapshots(snapshot["snapshot-id"]))
        expect.lacks(
            snapshot["snapshot-id"], snapshot_ids(after), "snapshots", at=after.place("snapshots")
        )
        expect.member(
            table.member("last-sequence-number"),
            after.place("last-sequence-number"),
            "still the last-sequence-number",
        )


def _expect_both_kinds(lab: CatalogLab, table: Table, snapshot: int) -> None:
    for member, stores in STORED_BY.items():
        with lab.step(stores):
            expect.equal(
                [snapshot],
                list(upd.files(table, member)),
                f"snapshots with {member}",
                at=table.place(member),
            )


def _both_kinds(lab: CatalogLab) -> tuple[Table, int]:
    """Return a table with a snapshot that has statistics of both kinds, and its id."""
    table, first, _ = table_of_two_snapshots(lab)
    updates = (
        upd.set_statistics(upd.statistics_file(table, first)),
        upd.set_partition_statistics(upd.partition_statistics_file(table, first)),
    )
    return stored(lab, table, *updates), first


@check("IRC-UPD-070", "IRC-UPD-072")
def removing_statistics_keeps_the_other_kind(lab: CatalogLab) -> None:
    """Removing statistics keeps partition statistics, and the reverse."""
    for requirement, update, member in lab.each(
        (
            ("IRC-UPD-070", upd.remove_statistics, "partition-statistics"),
            ("IRC-UPD-072", upd.remove_partition_statistics, "statistics"),
        )
    ):
        table, first = _both_kinds(lab)
        with lab.judge(requirement):
            _expect_both_kinds(lab, table, first)
            after = lab.commit_and_load(table, update(first))
            expect.equal(
                [first],
                list(upd.files(after, member)),
                f"snapshots with {member}",
                at=after.place(member),
            )


@check("IRC-UPD-076")
def several_schemas_are_removed(lab: CatalogLab) -> None:
    """Removing several schemas removes all of them and keeps `last-column-id`."""
    table = lab.make_table()
    schemas = [
        upd.schema_with(table, upd.next_column(table, name, skip=n), skip=n)
        for n, name in enumerate(("one", "two"))
    ]
    wider = stored(lab, table, *map(upd.add_schema, schemas))
    removals = [id_of_schema_with(wider, name) for name in ("one", "two")]

    with lab.judge("IRC-UPD-076"):
        after = lab.commit_and_load(table, upd.remove_schemas(*removals))
        expect.equal(
            [table.member("current-schema-id")],
            schema_ids(after),
            "the schemas that were not listed,",
            at=after.place("schemas"),
        )
        expect.member(
            wider.member("last-column-id"),
            after.place("last-column-id"),
            "still the last-column-id",
        )


@check("IRC-UPD-073")
def several_specs_are_removed(lab: CatalogLab) -> None:
    """Removing several specs removes all of them and keeps `last-partition-id`."""
    table = upd.table_of_version(lab, 2)
    at, name = upd.column(table, "at"), upd.column(table, "name")
    one = upd.partition_field(at, "day", "one", field_id=upd.next_field(table))
    two = upd.partition_field(name, "identity", "two", field_id=upd.next_field(table, skip=1))
    with_specs = stored(lab, table, upd.add_spec(one), upd.add_spec(two, spec_id=2))
    last = with_specs.member("last-partition-id")
    removals = [spec_with(with_specs, field)["spec-id"] for field in ("one", "two")]

    with lab.judge("IRC-UPD-073"):
        after = lab.commit_and_load(table, upd.remove_partition_specs(*removals))
        expect.equal(
            [table.member("default-spec-id")],
            spec_ids(after),
            "the specs that were not listed,",
            at=after.place("partition-specs"),
        )
        expect.member(last, after.place("last-partition-id"), "still the last-partition-id")


@check("IRC-UPD-010", "IRC-UPD-022")
def remaining_ids_stay(lab: CatalogLab) -> None:
    """A schema or spec added after a removal gets an unused id, and the remaining ones keep
    theirs.
    """
    table = upd.table_of_version(lab, 2)
    at = upd.column(table, "at")
    schemas = [
        upd.add_schema(upd.schema_with(table, upd.next_column(table, name, skip=n), skip=n))
        for n, name in enumerate(NAMES)
    ]
    specs = [upd.add_spec(upd.partition_field(at, name, name)) for name in NAMES]
    kinds = (
        ("IRC-UPD-010", "IRC-UPD-076", "schemas", schemas, schema_ids, id_of_schema_with),
        ("IRC-UPD-022", "IRC-UPD-073", "partition-specs", specs, spec_ids, _id_of_spec_with),
    )
    for adds, removes, member, (one, two, three), ids, id_with in lab.each(kinds):
        remove = upd.remove_schemas if member == "schemas" else upd.remove_partition_specs
        wider = stored(lab, table, one, two)
        first, removal, remaining = ids(table)[0], id_with(wider, "year"), id_with(wider, "month")
        with lab.step(removes):
            answer = lab.commit_and_load(table, remove(removal))
            expect.lacks(removal, ids(answer), member, at=answer.place(member))

        with lab.judge(adds):
            after = lab.commit_and_load(table, three)
            expect.equal(
                remaining,
                id_with(after, "month"),
                "the id of one that stayed",
                at=after.place(member),
            )
            expect.same_items(
                {first, remaining, id_with(after, "day")},
                ids(after),
                f"ids of {member}, each once:",
                at=after.place(member),
            )


def _id_of_spec_with(table: Table, name: str) -> Any:
    return spec_with(table, name)["spec-id"]


@check("IRC-UPD-064")
def removing_properties_keeps_similar_keys(lab: CatalogLab) -> None:
    """Removing properties removes exactly the listed keys, not those with a common prefix or
    another case.
    """
    removals: Document = {"lakepact.one": "1", "lakepact.two": "2"}
    remaining = {
        "lakepact.one.more": "3",
        "lakepact.ONE": "4",
        "lakepact": "5",
        "other.lakepact.one": "6",
    }
    table = lab.make_table()
    with lab.step("IRC-UPD-061"):
        expect_properties(
            lab.commit_and_load(
                table, {"action": "set-properties", "updates": {**removals, **remaining}}
            ),
            {**removals, **remaining},
        )

    with lab.judge("IRC-UPD-064"):
        expect_properties(
            lab.commit_and_load(table, upd.remove_properties(*removals)),
            {**remaining, **dict.fromkeys(removals)},
        )
