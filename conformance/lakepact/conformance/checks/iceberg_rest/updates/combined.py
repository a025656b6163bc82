"""Checks of unusual updates: several in one commit, back to earlier values, additions that exist,
unusual names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
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
from lakepact.conformance.checks.iceberg_rest.kit.tables.requests import default_order, default_spec
from lakepact.conformance.checks.iceberg_rest.updates.partition_specs import spec_with
from lakepact.conformance.checks.iceberg_rest.updates.refs import current_snapshot, expect_ref, refs
from lakepact.conformance.checks.iceberg_rest.updates.snapshots import (
    all_snapshots,
    snapshot_ids,
    snapshot_of,
)

REFUSED = 400
LARGE = 2**33 + 1  #: a sequence number that 32 bits do not hold
BEYOND_DOUBLES = 2**53 + 1  #: a number that loses its last digit in a double
EVEN = 4  #: added to it, it makes another one
#: what a commit that moves main changes
OF_MAIN = {"refs", "current-snapshot-id", "snapshot-log", states.LOCATION, *states.BOOKKEEPING}
HISTORY = (
    "refs",
    "snapshots",
    "snapshot-log",
    "current-snapshot-id",
    "statistics",
    "properties",
    "table-uuid",
)


def log_of(table: Table) -> list[Any]:
    """Return the snapshots in a table's snapshot log, in order."""
    return [entry.get("snapshot-id") for entry in table.metadata.get("snapshot-log") or ()]


@check("IRC-UPD-044")
def main_moves_back(lab: CatalogLab) -> None:
    """Moving main back to an earlier snapshot is logged in the snapshot log and changes nothing
    else, such as the next row id.
    """
    for version in lab.each((2, 3) if lab.feature("format-v3") else (2,)):
        table = lab.load(lab.append(lab.append(upd.table_of_version(lab, version))))
        first, second = all_snapshots(table, 2)

        with lab.judge("IRC-UPD-044"):
            after = lab.commit_and_load(table, set_ref("main", first))
            expect.equal(
                first,
                current_snapshot(after),
                "current-snapshot-id",
                at=after.place("current-snapshot-id"),
            )
            expect.equal(
                [first, second, first],
                log_of(after),
                "snapshot-log",
                at=after.place("snapshot-log"),
            )
            states.assert_same_table(lab, table, after, ignore=OF_MAIN)


@check("IRC-UPD-050", "IRC-UPD-090")
def removed_snapshots_leave_the_log(lab: CatalogLab) -> None:
    """Removing the oldest of three snapshots keeps the others and removes it from the snapshot
    log.
    """
    table = lab.append(lab.append(lab.table_with_snapshot()))
    first, second, third = all_snapshots(table, 3)
    after = stored(lab, table, upd.remove_snapshots(first))

    with lab.judge("IRC-UPD-050"):
        expect.same_items(
            [second, third],
            snapshot_ids(after),
            "snapshots",
            at=after.place("snapshots"),
        )
        expect.equal(
            third,
            current_snapshot(after),
            "current-snapshot-id",
            at=after.place("current-snapshot-id"),
        )
    with lab.judge("IRC-UPD-090"):
        with lab.step("IRC-UPD-050"):
            expect.lacks(first, snapshot_ids(after), "snapshots", at=after.place("snapshots"))
        expect.lacks(first, log_of(after), "snapshot-log", at=after.place("snapshot-log"))
        expect.equal(
            [third],
            log_of(after)[-1:],
            "the last entry of snapshot-log",
            at=after.place("snapshot-log"),
        )


@check("IRC-UPD-050")
def snapshots_added_with_a_removal_are_kept(lab: CatalogLab) -> None:
    """A commit that adds a snapshot and removes an older one removes only the older one."""
    table = lab.append(lab.table_with_snapshot())
    first, second = all_snapshots(table, 2)
    snapshot = lab.snapshot(table)

    with lab.judge("IRC-UPD-050"):
        after = lab.commit_and_load(table, upd.add_snapshot(snapshot), upd.remove_snapshots(first))
        expect.same_items(
            [second, snapshot["snapshot-id"]],
            snapshot_ids(after),
            "snapshots",
            at=after.place("snapshots"),
        )


@check("IRC-UPD-018", "IRC-UPD-026", "IRC-UPD-032")
def last_added_refers_to_the_last_addition(lab: CatalogLab) -> None:
    """-1 refers to the last addition of the commit, even if the table already had it and another
    commit or an earlier update added something else, or returns 400.
    """
    spec = {
        "spec-id": 0,
        "fields": [upd.partition_field(2, "identity", "by_name", field_id=upd.FIRST_FIELD)],
    }
    order = {"order-id": 1, "fields": [upd.sort_field(2)]}
    for in_one in lab.each((True, False)):
        table = lab.make_table(partition_spec=spec, write_order=order)
        id_, more = upd.column(table, "id"), upd.next_column(table, "more")
        bucket = upd.partition_field(id_, "bucket[4]", "other", field_id=upd.next_field(table))
        by_name = spec_with(table, "by_name")["fields"][0]
        additions: dict[str, tuple[str, Callable[[Table], Any], Sequence[Members]]] = {
            "IRC-UPD-018": (
                "schemas",
                lambda table: upd.current_schema(table)["fields"],
                (
                    upd.add_schema(upd.schema_with(table, more)),
                    upd.add_schema(upd.current_schema(table), last_column_id=more["id"]),
                    upd.set_current_schema(upd.LAST_ADDED),
                ),
            ),
            "IRC-UPD-026": (
                "partition-specs",
                lambda table: default_spec(table)["fields"],
                (
                    upd.add_spec(bucket),
                    upd.add_spec(by_name, spec_id=0),
                    upd.set_default_spec(upd.LAST_ADDED),
                ),
            ),
            "IRC-UPD-032": (
                "sort-orders",
                lambda table: default_order(table)["fields"],
                (
                    upd.add_sort_order(upd.sort_field(id_), order_id=2),
                    upd.add_sort_order(upd.sort_field(2)),
                    upd.set_default_sort_order(upd.LAST_ADDED),
                ),
            ),
        }
        for requirement, (member, fields, (other, again, last)) in lab.each(additions.items()):
            if not in_one:
                lab.commit(table, other, last)
            updates = (other, again, last) if in_one else (again, last)
            reply = lab.try_commit(table, *updates)
            if reply.status == REFUSED:  # no clause rules it out
                what = "adding what the table already has does not count as an addition for -1"
                lab.note(requirement, what)
                continue
            after = lab.load(table)
            with lab.judge(requirement):
                expect.status(reply, 200, 400)
                expected, actual = (
                    [field.get("source-id", field.get("name")) for field in fields(each)]
                    for each in (table, after)
                )
                what = "fields of what was added last,"
                expect.equal(expected, actual, what, at=after.place(member))


@check("IRC-UPD-010", "IRC-UPD-022", "IRC-UPD-029")
def additions_are_kept_as_sent(lab: CatalogLab) -> None:
    """Added schemas, specs and orders keep all members except their ids, and do not become current
    or default.
    """
    table = lab.make_table()
    schema = upd.current_schema(table)
    column = {**upd.next_column(table, "documented", "int"), "doc": "what it is"}
    request = {
        **schema,
        "fields": [*schema["fields"], column],
        "identifier-field-ids": [upd.column(table, "id")],
    }
    after = stored(lab, table, upd.add_schema(request))

    with lab.judge("IRC-UPD-010") as case:
        schemas = [
            schema for schema in after.member("schemas") if "documented" in upd.columns(schema)
        ]
        expect.equal(
            1, len(schemas), "schemas with the column documented:", at=after.place("schemas")
        )
        for before, field in zip(request["fields"], schemas[0]["fields"], strict=True):
            with case():
                expect.includes(
                    before,
                    field,
                    "the field",
                    at=after.place("schemas"),
                )
        expect.equal(
            request["identifier-field-ids"],
            schemas[0].get("identifier-field-ids"),
            "identifier-field-ids",
            at=after.place("schemas"),
        )
        expect.member(
            table.member("current-schema-id"),
            after.place("current-schema-id"),
            "still the current-schema-id",
        )
    with lab.judge("IRC-UPD-022"):
        field = upd.partition_field(upd.column(table, "id"), "truncate[10]", "tens")
        after = lab.commit_and_load(table, upd.add_spec(field))
        (actual,) = spec_with(after, "tens")["fields"]
        expect.includes(
            field,
            actual,
            "the partition field",
            at=after.place("partition-specs"),
        )
        expect.member(
            table.member("default-spec-id"),
            after.place("default-spec-id"),
            "still the default-spec-id",
        )
    with lab.judge("IRC-UPD-029"):
        order = upd.sort_field(
            upd.column(table, "id"),
            transform="bucket[16]",
            direction="desc",
            null_order="nulls-last",
        )
        after = lab.commit_and_load(table, upd.add_sort_order(order))
        orders = [
            states.restrict_to([order], one.get("fields")) for one in after.member("sort-orders")
        ]
        expect.contains([order], orders, "sort orders", at=after.place("sort-orders"))
        expect.member(
            table.member("default-sort-order-id"),
            after.place("default-sort-order-id"),
            "still the default-sort-order-id",
        )


@check("IRC-UPD-022")
def partition_field_ids_are_not_reused(lab: CatalogLab) -> None:
    """A new partition field does not get the id of a former one."""
    table = upd.table_of_version(lab, 2)
    name, id_, at = (upd.column(table, one) for one in ("name", "id", "at"))
    by_name = upd.partition_field(name, "identity", "by_name")
    both = stored(lab, table, upd.add_spec(by_name), upd.set_default_spec(upd.LAST_ADDED))
    former_field = upd.partition_field(at, "day", "given_up")
    stored(lab, both, upd.add_spec(by_name, former_field), upd.set_default_spec(upd.LAST_ADDED))
    back = stored(lab, both, upd.add_spec(by_name), upd.set_default_spec(upd.LAST_ADDED))

    with lab.judge("IRC-UPD-022"):
        after = lab.commit_and_load(
            back, upd.add_spec(upd.partition_field(id_, "bucket[4]", "later"))
        )
        former = [
            field.get("field-id")
            for spec in back.member("partition-specs")
            for field in spec["fields"]
        ]
        later = [
            field.get("field-id")
            for spec in after.member("partition-specs")
            for field in spec["fields"]
            if field.get("name") == "later"
        ]
        expect.lacks(
            later[0] if later else None,
            [*former, None],
            "an id that no other field has,",
            at=after.place("partition-specs"),
        )


@check("IRC-UPD-005")
def upgrades_change_only_the_version(lab: CatalogLab) -> None:
    """Upgrading to format version 3 keeps all snapshots, refs, logs, statistics and properties."""
    upd.table_of_version(lab, 3)
    table = lab.append(lab.append(upd.table_of_version(lab, 2)))
    first, _ = all_snapshots(table, 2)
    table = stored(
        lab,
        table,
        set_ref("release", first, kind="tag"),
        upd.set_statistics(upd.statistics_file(table, first)),
        set_properties(a="b"),
    )
    before = lab.load(table)
    after = stored(lab, table, upd.upgrade_format_version(3))

    with lab.judge("IRC-UPD-005") as case:
        expect.member(3, after.place("format-version"))
        for member in HISTORY:
            with case():
                expect.equal(
                    states.state(before).get(member),
                    states.state(after).get(member),
                    member,
                    at=after.place(member),
                )


@check("IRC-UPD-035")
def large_sequence_numbers_are_accepted(lab: CatalogLab) -> None:
    """A sequence number above 32 bits is stored like any other."""
    table = upd.table_of_version(lab, 2)
    snapshot = lab.snapshot(table, sequence_number=LARGE)

    with lab.judge("IRC-UPD-035"):
        after = lab.commit_and_load(table, upd.add_snapshot(snapshot))
        expect.equal(
            LARGE,
            snapshot_of(after, snapshot["snapshot-id"]).get("sequence-number"),
            "sequence-number of the snapshot",
            at=after.place("snapshots"),
        )
        expect.member(LARGE, after.place("last-sequence-number"))


@check("IRC-GEN-019")
def numbers_beyond_doubles_are_exact(lab: CatalogLab) -> None:
    """Accepted sequence numbers and ages above 2^53 keep all their digits."""
    table = upd.table_of_version(lab, 2)
    snapshot = lab.snapshot(table, sequence_number=BEYOND_DOUBLES)
    identifier = snapshot["snapshot-id"]
    if (
        lab.try_commit(
            table,
            upd.add_snapshot(snapshot),
            set_ref("aged", identifier, kind="tag", max_ref_age_ms=BEYOND_DOUBLES),
        ).status
        != 200
    ):
        lab.skip("IRC-GEN-019", "the target takes no such numbers")
        return
    after = lab.load(table)

    with lab.judge_each("IRC-GEN-019") as case:
        with case():
            expect.equal(
                BEYOND_DOUBLES,
                snapshot_of(after, identifier).get("sequence-number"),
                "sequence-number of the snapshot",
                at=after.place("snapshots"),
            )
        with case():
            expect.member(BEYOND_DOUBLES, after.place("last-sequence-number"))
        with case():
            with lab.step("IRC-UPD-045"):
                expect.contains(
                    "max-ref-age-ms",
                    refs(after).get("aged", {}),
                    "the ref aged",
                    at=after.place("refs", "aged"),
                )
            expect.member(BEYOND_DOUBLES, after.place("refs", "aged", "max-ref-age-ms"))


@check("IRC-GEN-019")
def row_ids_beyond_doubles_are_exact(lab: CatalogLab) -> None:
    """Accepted row ids above 2^53 keep all their digits, and so does `next-row-id`."""
    table = upd.table_of_version(lab, 3)
    small = lab.snapshot(table, added_rows=EVEN)
    counting = stored(lab, table, upd.add_snapshot(small))
    with lab.step("IRC-UPD-041"):
        expect.member(small["first-row-id"] + EVEN, counting.place("next-row-id"))
    many = lab.try_commit(
        table, upd.add_snapshot(lab.snapshot(counting, added_rows=BEYOND_DOUBLES))
    )
    if many.status != 200:
        lab.skip("IRC-GEN-019", "the target takes no such row ids")
        return
    snapshot = lab.snapshot(table.in_reply(many), first_row_id=BEYOND_DOUBLES + EVEN, added_rows=2)

    with lab.judge("IRC-GEN-019"):
        expect.member(BEYOND_DOUBLES + EVEN, many.place("metadata", "next-row-id"))
        after = lab.commit_and_load(table, upd.add_snapshot(snapshot))
        expect.equal(
            BEYOND_DOUBLES + EVEN,
            snapshot_of(after, snapshot["snapshot-id"]).get("first-row-id"),
            "first-row-id of the snapshot",
            at=after.place("snapshots"),
        )
        expect.member(BEYOND_DOUBLES + EVEN + 2, after.place("next-row-id"))


@check("IRC-UPD-045")
def ref_names_are_kept_as_sent(lab: CatalogLab) -> None:
    """A ref keeps its name as sent, with capitals, dots and slashes."""
    table = lab.table_with_snapshot()
    (snapshot,) = all_snapshots(table, 1)
    updates = [
        set_ref(name, snapshot, kind=kind)
        for name, kind in (("Audit/2026.q1", "branch"), ("v1.0-RC 2", "tag"))
    ]

    with lab.judge("IRC-UPD-045") as case:
        after = lab.commit_and_load(table, *updates)
        for update in updates:
            with case():
                expect_ref(after, update["ref-name"], update)
        expect.equal(3, len(refs(after)), "number of refs:", at=after.place("refs"))


@check("IRC-UPD-061")
def properties_are_kept_as_sent(lab: CatalogLab) -> None:
    """Properties keep keys and values as sent: with special characters, empty, or long."""
    table = lab.make_table()
    properties = {
        "lakepact.some-key": "",
        "Lakepact Some/Key": "x" * 5000,
        "grüße": ' 雪 \n\t"\\',
        "0": "0",
    }

    with lab.judge("IRC-UPD-061"):
        after = lab.commit_and_load(table, {"action": "set-properties", "updates": properties})
        expect.includes(
            properties,
            after.member("properties"),
            "properties",
            at=after.place("properties"),
        )


@check("IRC-UPD-066", "IRC-UPD-071")
def statistics_are_kept_as_sent(lab: CatalogLab) -> None:
    """Statistics files are stored with all their members."""
    table = lab.table_with_snapshot()
    (snapshot,) = all_snapshots(table, 1)
    file = upd.statistics_file(table, snapshot)
    of_partitions = upd.partition_statistics_file(table, snapshot)
    (blob,) = file["blob-metadata"]
    file["blob-metadata"] = [
        blob,
        {**blob, "fields": [upd.column(table, "name")], "properties": {"ndv": "5"}},
    ]

    with lab.judge("IRC-UPD-066"):
        after = lab.commit_and_load(table, upd.set_statistics(file))
        expect.equal(
            [file],
            [{m: statistic.get(m) for m in file} for statistic in after.member("statistics")],
            "statistics",
            at=after.place("statistics"),
        )
    with lab.judge("IRC-UPD-071"):
        after = lab.commit_and_load(table, upd.set_partition_statistics(of_partitions))
        actual = [
            {m: statistic.get(m) for m in of_partitions}
            for statistic in after.member("partition-statistics")
        ]
        expect.equal(
            [of_partitions], actual, "partition-statistics", at=after.place("partition-statistics")
        )
