"""Checks of commits that create a table with snapshots, references and statistics: all members are
stored.
"""

from __future__ import annotations

import uuid

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Members,
    Table,
    check,
    expect,
    op,
    set_ref,
    states,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.commits.creations import (
    create,
    creation,
    free_slot,
)
from lakepact.conformance.checks.iceberg_rest.kit.steps import expect_history
from lakepact.conformance.checks.iceberg_rest.kit.tables.requests import default_spec

LISTED = {"type": "list", "element-id": 6, "element": "string", "element-required": True}
KEPT = {"min-snapshots-to-keep": 3, "max-snapshot-age-ms": 86_400_000}
FIELD = 1005  #: the id of a partition field, not the first one that is free

#: A schema whose columns say all that columns can, within others too; the first one identifies
#: rows.
FIELDS: list[Members] = [
    {"id": 1, "name": "id", "type": "long", "required": True, "doc": "a number"},
    {
        "id": 2,
        "name": "place",
        "required": False,
        "type": {
            "type": "struct",
            "fields": [
                {"id": 4, "name": "city", "type": "string", "required": True, "doc": "its name"},
                {"id": 5, "name": "codes", "required": False, "type": LISTED},
            ],
        },
    },
    {"id": 3, "name": "late", "type": "int", "required": False},
]
WHOLE = {"type": "struct", "schema-id": 0, "identifier-field-ids": [1], "fields": FIELDS}


@check("IRC-UPD-010", "IRC-UPD-022", "IRC-UPD-040", "IRC-UPD-045", "IRC-UPD-066", "IRC-UPD-071")
def created_tables_keep_all_members(lab: CatalogLab) -> None:
    """A table that a commit creates keeps the requested columns, partition fields, summaries,
    retention and statistics.
    """
    expect_history(lab)
    like = lab.make_table()
    slot = free_slot(lab, like.namespace)
    snapshot = slot.snapshot(
        lab, like, summary={"operation": "append", "added-records": "3", "lakepact.note": "kept"}
    )
    of_snapshot = snapshot["snapshot-id"]
    whole = creation(slot, str(uuid.uuid4()))
    at = next(index for index, update in enumerate(whole) if update["action"] == "add-spec")
    whole[at : at + 2] = [
        upd.add_spec(upd.partition_field(1, "bucket[4]", "id_bucket", field_id=FIELD), spec_id=0),
        upd.set_default_spec(upd.LAST_ADDED),
    ]
    place = next(index for index, update in enumerate(whole) if update["action"] == "add-schema")
    whole[place] = upd.add_schema(WHOLE, last_column_id=6)
    statistics = {
        **upd.statistics_file(like, of_snapshot),
        "statistics-path": f"{slot.location}/metadata/first.stats",
    }
    partitions = {
        **upd.partition_statistics_file(like, of_snapshot),
        "statistics-path": f"{slot.location}/metadata/first.parquet",
    }
    further = [
        *(
            upd.add_snapshot(snapshot),
            set_ref("main", of_snapshot),
            set_ref("audit", of_snapshot, min_snapshots_to_keep=3, max_snapshot_age_ms=86_400_000),
        ),
        *([upd.set_statistics(statistics)] if lab.feature("statistics") else []),
        *(
            [upd.set_partition_statistics(partitions)]
            if lab.feature("partition-statistics")
            else []
        ),
    ]
    lab.require(create(lab, slot, [*whole, *further]), 200)
    table = Table(slot.namespace, slot.name, lab.require(lab.send(op.load_table, **slot.at), 200))

    with lab.judge("IRC-UPD-010"):
        schema = upd.current_schema(table)
        expect.equal(
            FIELDS,
            states.restrict_to(FIELDS, schema.get("fields")),
            "columns",
            at=table.place("schemas"),
        )
        expect.equal(
            [1],
            schema.get("identifier-field-ids"),
            "identifier-field-ids",
            at=table.place("schemas"),
        )
    with lab.judge("IRC-UPD-022"):
        expect.equal(
            [FIELD],
            [field.get("field-id") for field in default_spec(table)["fields"]],
            "the ids of partition fields,",
            at=table.place("partition-specs"),
        )
    with lab.judge("IRC-UPD-040"):
        summary = table.member("snapshots", 0).get("summary") or {}
        expect.includes(
            snapshot["summary"],
            summary,
            "the summary,",
            at=table.place("snapshots", 0, "summary"),
        )
    with lab.judge("IRC-UPD-045"):
        audit = table.member("refs", "audit")
        expect.includes(
            KEPT,
            audit,
            "the retention of a branch,",
            at=table.place("refs", "audit"),
        )
    if lab.feature("statistics"):
        with lab.judge("IRC-UPD-066"):
            expect.equal(
                {of_snapshot: [statistics["statistics-path"]]},
                upd.files(table),
                "files of statistics",
                at=table.place("statistics"),
            )
    else:
        lab.skip("IRC-UPD-066", "the target keeps no statistics")
    if lab.feature("partition-statistics"):
        with lab.judge("IRC-UPD-071"):
            expect.equal(
                {of_snapshot: [partitions["statistics-path"]]},
                upd.files(table, "partition-statistics"),
                "files of partition statistics",
                at=table.place("partition-statistics"),
            )
    else:
        lab.skip("IRC-UPD-071", "the target keeps no partition statistics")
