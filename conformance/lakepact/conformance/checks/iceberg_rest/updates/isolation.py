"""Checks of updates of one thing among several: all that are meant are reached, and those beside them are left as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance import expect
from lakepact.conformance.checks.iceberg_rest.kit.commit_requirements import assert_last_partition, judge_answers
from lakepact.conformance.checks.iceberg_rest.kit.lab import set_ref
from lakepact.conformance.checks.iceberg_rest.kit.table_states import BOOKKEEPING, LOCATION, assert_same_table
from lakepact.conformance.checks.iceberg_rest.kit.updates import (
    LAST_ADDED,
    add_schema,
    add_snapshot,
    add_sort_order,
    add_spec,
    changed,
    column,
    files,
    next_column,
    next_field,
    partition_field,
    partition_statistics_file,
    remove_partition_specs,
    remove_partition_statistics,
    remove_properties,
    remove_schemas,
    remove_snapshots,
    remove_statistics,
    schema_with,
    set_current_schema,
    set_partition_statistics,
    set_statistics,
    sort_field,
    statistics_file,
    table_of_version,
)
from lakepact.conformance.checks.iceberg_rest.suite import check
from lakepact.conformance.checks.iceberg_rest.updates.partition_specs import spec_ids, spec_with
from lakepact.conformance.checks.iceberg_rest.updates.properties import expect_properties
from lakepact.conformance.checks.iceberg_rest.updates.refs import current_snapshot
from lakepact.conformance.checks.iceberg_rest.updates.schemas import id_of_schema_with, schema_ids
from lakepact.conformance.checks.iceberg_rest.updates.snapshots import all_snapshots, snapshot_ids, snapshot_of
from lakepact.conformance.checks.iceberg_rest.updates.statistics import STORED_BY, table_of_two_snapshots

if TYPE_CHECKING:
    from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Table


# -- what is added ------------------------------------------------------------------------------------------------------


@check("IRC-UPD-010", "IRC-UPD-022", "IRC-UPD-029")
def additions_leave_the_rest(lab: CatalogLab) -> None:
    """A schema, a spec or an order that is only added changes nothing else of a table that has properties, a snapshot and a tag."""
    table = lab.append(lab.make_table(properties={"lakepact.note": "1"}))
    table = lab.commit(table, set_ref("release", table.member("current-snapshot-id"), kind="tag"))
    more = schema_with(table, next_column(table, "more"))
    field = partition_field(column(table, "id"), "bucket[4]", "id_bucket", field_id=next_field(table))
    additions = {
        "IRC-UPD-010": (add_schema(more), ("schemas", "last-column-id")),
        "IRC-UPD-022": (add_spec(field), ("partition-specs", "last-partition-id")),
        "IRC-UPD-029": (add_sort_order(sort_field(column(table, "name"))), ("sort-orders",)),
    }
    for requirement, (update, members) in additions.items():
        before = lab.load(table)
        lab.commit(table, update)
        after = lab.load(table)
        with lab.judge(requirement):
            assert_same_table(lab, before, after, ignore=(*members, *BOOKKEEPING, LOCATION))


# -- snapshots ----------------------------------------------------------------------------------------------------------


@check("IRC-UPD-035")
def snapshots_are_added_together(lab: CatalogLab) -> None:
    """Two snapshots of one commit, one upon the other, are both stored, and the later one's sequence number is the last."""
    table = lab.append(table_of_version(lab, 2))
    first = lab.snapshot(table)
    second = lab.snapshot(table, parent_snapshot_id=first["snapshot-id"], sequence_number=first["sequence-number"] + 1)

    with lab.judge("IRC-UPD-035") as case:
        after = changed(lab, table, *map(add_snapshot, (first, second)), set_ref("main", second["snapshot-id"]))
        for sent in (first, second):
            with case():
                expect.equal(sent["sequence-number"], snapshot_of(after, sent["snapshot-id"]).get("sequence-number"), "sequence-number")
        expect.equal(second["snapshot-id"], current_snapshot(after), "current-snapshot-id")
        expect.equal(second["sequence-number"], after.member("last-sequence-number"), "last-sequence-number")


@check("IRC-UPD-035")
def snapshots_keep_their_parents(lab: CatalogLab) -> None:
    """A snapshot that continues another one than that of main, as on a branch, has the parent that it was sent with."""
    table = lab.append(lab.append(lab.make_table()))
    first, _ = all_snapshots(table, 2)
    snapshot = lab.snapshot(table, parent_snapshot_id=first)

    with lab.judge("IRC-UPD-035"):
        after = changed(lab, table, add_snapshot(snapshot), set_ref("aside", snapshot["snapshot-id"]))
        expect.equal(first, snapshot_of(after, snapshot["snapshot-id"]).get("parent-snapshot-id"), "parent-snapshot-id")


@check("IRC-UPD-041")
def rows_of_all_snapshots_are_counted(lab: CatalogLab) -> None:
    """Each snapshot of a table of version 3 begins where those before it ended, whether a branch is at it or not."""
    table = table_of_version(lab, 3)
    expected = table.member("next-row-id")
    for rows, is_main in ((25, True), (7, False), (0, True), (3, True)):
        snapshot = lab.snapshot(table, added_rows=rows, first_row_id=expected)
        updates = [add_snapshot(snapshot), *([set_ref("main", snapshot["snapshot-id"])] if is_main else [])]
        with lab.judge("IRC-UPD-041"):
            table = changed(lab, table, *updates)
            expect.equal(expected, snapshot_of(table, snapshot["snapshot-id"]).get("first-row-id"), "first-row-id of the snapshot")
            expect.equal(expected + rows, table.member("next-row-id"), "next-row-id")
        expected += rows


@check("IRC-UPD-041")
def rows_of_removed_snapshots_stay_counted(lab: CatalogLab) -> None:
    """The ids of rows are not used again when their snapshot was removed: the next snapshot begins behind them all the same."""
    table = table_of_version(lab, 3)
    gone = lab.snapshot(table, added_rows=25)
    table = lab.append(lab.commit(table, add_snapshot(gone)), added_rows=7)
    expected = table.member("next-row-id")
    table = lab.commit(table, remove_snapshots(gone["snapshot-id"]))
    with lab.step("IRC-UPD-050"):
        expect.lacks(gone["snapshot-id"], snapshot_ids(table), "snapshots")

    with lab.judge("IRC-UPD-041"):
        expect.equal(expected, table.member("next-row-id"), "next-row-id once a snapshot was removed,")
        after = changed(lab, table, add_snapshot(lab.snapshot(table, added_rows=3, first_row_id=expected)))
        expect.equal(expected + 3, after.member("next-row-id"), "next-row-id")


@check("IRC-UPD-042")
def snapshots_of_former_schemas_keep_them(lab: CatalogLab) -> None:
    """A snapshot that was written with another schema than the current one says so."""
    table = lab.make_table()
    former = table.member("current-schema-id")
    table = lab.commit(table, add_schema(schema_with(table, next_column(table, "more"))), set_current_schema(LAST_ADDED))
    snapshot = lab.snapshot(table, schema_id=former)

    with lab.judge("IRC-UPD-042"):
        after = changed(lab, table, add_snapshot(snapshot))
        expect.equal(former, snapshot_of(after, snapshot["snapshot-id"]).get("schema-id"), "schema-id of the snapshot")


@check("IRC-UPD-050")
def a_snapshot_between_others_is_removed(lab: CatalogLab) -> None:
    """A snapshot that is removed from between two others takes neither along, nor what belongs to them."""
    table = lab.append(lab.append(lab.append(lab.make_table())))
    first, second, third = all_snapshots(table, 3)
    has_statistics = lab.feature("statistics")
    statistics = [set_statistics(statistics_file(table, first, name="kept"))] if has_statistics else []
    lab.commit(table, *statistics, set_ref("kept", first, kind="tag"))

    with lab.judge("IRC-UPD-050"):
        after = changed(lab, table, remove_snapshots(second))
        expect.equal(sorted([first, third]), sorted(snapshot_ids(after)), "snapshots")
        if has_statistics:
            expect.equal([first], list(files(after)), "snapshots with statistics")
        expect.equal(first, after.member("refs", "kept", "snapshot-id"), "the snapshot of a tag beside it")


@check("IRC-UPD-050")
def missing_snapshots_hide_no_others(lab: CatalogLab) -> None:
    """A snapshot that is listed behind one that the table does not have is removed; or both are refused, and it stays."""
    table = lab.append(lab.append(lab.make_table()))
    first, second = all_snapshots(table, 2)
    reply = lab.require(lab.try_commit(table, remove_snapshots(1, first)), 200, 400)

    with lab.judge("IRC-UPD-050"):
        kept = [second] if reply.status == 200 else [first, second]
        expect.equal(sorted(kept), sorted(snapshot_ids(lab.load(table))), "snapshots")


@check("IRC-UPD-050")
def numbers_are_not_used_again(lab: CatalogLab) -> None:
    """The sequence number of a snapshot that was removed stays the last one: the next snapshot has a higher one."""
    table = lab.append(table_of_version(lab, 2))
    snapshot = lab.snapshot(table)
    table = lab.commit(table, add_snapshot(snapshot))

    with lab.judge("IRC-UPD-050"):
        after = changed(lab, table, remove_snapshots(snapshot["snapshot-id"]))
        expect.lacks(snapshot["snapshot-id"], snapshot_ids(after), "snapshots")
        expect.equal(table.member("last-sequence-number"), after.member("last-sequence-number"), "still the last-sequence-number")


# -- statistics -------------------------------------------------------------------------------------------------------


def _both_kinds(lab: CatalogLab) -> tuple[Table, int]:
    """Return a table with a snapshot that has statistics of both kinds, and its id."""
    table, first, _ = table_of_two_snapshots(lab)
    updates = set_statistics(statistics_file(table, first)), set_partition_statistics(partition_statistics_file(table, first))
    return lab.commit(table, *updates), first


@check("IRC-UPD-070", "IRC-UPD-072")
def statistics_of_the_other_kind_stay(lab: CatalogLab) -> None:
    """Statistics are removed without those of partitions, and the other way round."""
    for requirement, update, kept in (
        ("IRC-UPD-070", remove_statistics, "partition-statistics"),
        ("IRC-UPD-072", remove_partition_statistics, "statistics"),
    ):
        table, first = _both_kinds(lab)
        with lab.judge(requirement):
            with lab.step(STORED_BY[kept]):
                expect.equal([first], list(files(table, kept)), f"snapshots with {kept}")
            expect.equal([first], list(files(changed(lab, table, update(first)), kept)), f"snapshots with {kept}")


# -- schemas, specs, properties ---------------------------------------------------------------------------------------


@check("IRC-UPD-076")
def several_schemas_are_removed(lab: CatalogLab) -> None:
    """All schemas that are listed vanish, and the last column id stays what it was."""
    table = lab.make_table()
    schemas = [schema_with(table, next_column(table, name, skip=n), skip=n) for n, name in enumerate(("one", "two"))]
    grown = lab.commit(table, *map(add_schema, schemas))
    gone = [id_of_schema_with(grown, name) for name in ("one", "two")]

    with lab.judge("IRC-UPD-076"):
        after = changed(lab, table, remove_schemas(*gone))
        expect.equal([table.member("current-schema-id")], schema_ids(after), "the schemas that were not listed,")
        expect.equal(grown.member("last-column-id"), after.member("last-column-id"), "still the last-column-id")


@check("IRC-UPD-073", "IRC-REQ-027")
def several_specs_are_removed(lab: CatalogLab) -> None:
    """All specs that are listed vanish, and the last partition id stays what it was, so that no id is given to another field."""
    table = table_of_version(lab, 2)
    at, name = column(table, "at"), column(table, "name")
    one = partition_field(at, "day", "one", field_id=next_field(table))
    two = partition_field(name, "identity", "two", field_id=next_field(table, skip=1))
    grown = lab.commit(table, add_spec(one), add_spec(two, spec_id=2))
    last = grown.member("last-partition-id")
    gone = [spec_with(grown, called)["spec-id"] for called in ("one", "two")]

    with lab.judge("IRC-UPD-073"):
        after = changed(lab, table, remove_partition_specs(*gone))
        expect.equal([table.member("default-spec-id")], spec_ids(after), "the specs that were not listed,")
    with lab.step("IRC-UPD-073"):
        expect.equal([table.member("default-spec-id")], spec_ids(lab.load(table)), "the specs that were not listed,")
    judge_answers(lab, "IRC-REQ-027", table, cases={"the specs with its fields were removed": assert_last_partition(last)}, allowed=[200])


@check("IRC-UPD-010")
def schemas_that_stay_keep_their_ids(lab: CatalogLab) -> None:
    """A schema that is added once others were removed gets an id that no schema has, and those that stayed are what they were."""
    table = lab.make_table()
    one, two, three = (schema_with(table, next_column(table, name, skip=n), skip=n) for n, name in enumerate(("one", "two", "three")))
    grown = lab.commit(table, add_schema(one), add_schema(two))
    first, kept = table.member("current-schema-id"), id_of_schema_with(grown, "two")
    gone = id_of_schema_with(grown, "one")
    with lab.step("IRC-UPD-076"):
        expect.lacks(gone, schema_ids(changed(lab, table, remove_schemas(gone))), "schemas")

    with lab.judge("IRC-UPD-010"):
        after = changed(lab, table, add_schema(three))
        expect.equal(kept, id_of_schema_with(after, "two"), "the id of a schema that stayed")
        added = id_of_schema_with(after, "three")
        expect.equal(sorted({first, kept, added}), sorted(schema_ids(after)), "ids of schemas, each once:")


@check("IRC-UPD-022")
def specs_that_stay_keep_their_ids(lab: CatalogLab) -> None:
    """A spec that is added once others were removed gets an id that no spec has, and those that stayed are what they were."""
    table = table_of_version(lab, 2)
    at = column(table, "at")
    one, two, three = (add_spec(partition_field(at, transform, transform)) for transform in ("year", "month", "day"))
    grown = lab.commit(table, one, two)
    first, kept = table.member("default-spec-id"), spec_with(grown, "month")["spec-id"]
    gone = spec_with(grown, "year")["spec-id"]
    with lab.step("IRC-UPD-073"):
        expect.lacks(gone, spec_ids(changed(lab, table, remove_partition_specs(gone))), "partition specs")

    with lab.judge("IRC-UPD-022"):
        after = changed(lab, table, three)
        expect.equal(kept, spec_with(after, "month")["spec-id"], "the id of a spec that stayed")
        expect.equal(sorted({first, kept, spec_with(after, "day")["spec-id"]}), sorted(spec_ids(after)), "ids of specs, each once:")


@check("IRC-UPD-064")
def properties_of_names_alike_stay(lab: CatalogLab) -> None:
    """All properties that are listed vanish, and none whose name only begins alike or differs in case."""
    gone: dict[str, Any] = {"lakepact.one": "1", "lakepact.two": "2"}
    kept = {"lakepact.one.more": "3", "lakepact.ONE": "4", "lakepact": "5", "other.lakepact.one": "6"}
    table = lab.make_table()
    with lab.step("IRC-UPD-061"):
        expect_properties(changed(lab, table, {"action": "set-properties", "updates": {**gone, **kept}}), {**gone, **kept})

    with lab.judge("IRC-UPD-064"):
        expect_properties(changed(lab, table, remove_properties(*gone)), {**kept, **dict.fromkeys(gone)})
