"""Checks that a registered table has all members of its metadata file."""

from __future__ import annotations

import base64
from collections.abc import Iterator

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Table,
    check,
    set_properties,
    set_ref,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.registration import left_behind, load_table
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import LOCATION, assert_same_table
from lakepact.conformance.checks.iceberg_rest.tables.register import (
    CHANGED_BY_REGISTERING,
    register_former,
)

SETTINGS = {"write.format.default": "parquet", "lakepact.note": "kept", "empty": ""}
RETENTION: Document = {
    "min_snapshots_to_keep": 3,
    "max_snapshot_age_ms": 86_400_000,
    "max_ref_age_ms": 172_800_000,
}


def drop_column(lab: CatalogLab, table: Table) -> Table:
    """Return the table after a column was added and removed, with `id` as identifier field;
    what the target refuses is left out.
    """
    lab.try_commit(
        table,
        upd.add_column(table, "fleeting"),
        upd.set_current_schema(upd.LAST_ADDED),
    )
    wide = lab.load(table)
    fields = [field for field in upd.current_schema(wide)["fields"] if field["name"] != "fleeting"]
    narrow = {
        **upd.schema_with(wide),
        "fields": fields,
        "identifier-field-ids": [upd.column(wide, "id")],
    }
    lab.try_commit(
        table,
        upd.add_schema(narrow, last_column_id=wide.member("last-column-id")),
        upd.set_current_schema(upd.LAST_ADDED),
    )
    if upd.current_schema(lab.load(table)).get("schema-id") != wide.member("current-schema-id"):
        lab.try_commit(table, upd.remove_schemas(wide.member("current-schema-id")))
    return lab.load(table)


def with_a_past(lab: CatalogLab, table: Table) -> Table:
    """Return the table with a branch that is kept for some time, and with numbers that a snapshot
    has used up which is gone.
    """
    first = lab.append(drop_column(lab, table))
    lab.try_commit(
        table,
        set_properties(**SETTINGS),
        set_ref("kept", first.member("current-snapshot-id"), **RETENTION),
    )
    lab.try_commit(
        table,
        set_ref(
            "tagged", first.member("current-snapshot-id"), kind="tag", max_ref_age_ms=259_200_000
        ),
    )
    snapshot = lab.snapshot(lab.load(table))
    lab.try_commit(table, {"action": "add-snapshot", "snapshot": snapshot})
    lab.try_commit(table, upd.remove_snapshots(snapshot["snapshot-id"]))
    return lab.load(table)


def tables(lab: CatalogLab) -> Iterator[Table]:
    """Yield tables to register, of the usual format version and of the third, which has encryption
    keys and counts rows.
    """
    yield with_a_past(lab, lab.make_table())
    if lab.feature("format-v3"):
        table = with_a_past(lab, upd.table_of_version(lab, 3))
        lab.try_commit(
            table,
            upd.add_encryption_key(
                {
                    "key-id": "lakepact",
                    "encrypted-key-metadata": base64.b64encode(b"lakepact").decode(),
                }
            ),
        )
        yield lab.load(table)


@check("IRC-TBL-LOAD-001")
def registered_tables_keep_used_ids_and_settings(lab: CatalogLab) -> None:
    """A registered table keeps its used-up ids, row counts, ref retention, identifier fields and
    encryption keys.
    """
    for table in lab.each(tables(lab)):
        former = left_behind(lab, table)
        again = register_former(lab, former)
        with lab.judge("IRC-TBL-LOAD-001"):
            assert_same_table(
                lab,
                former,
                load_table(lab, again.namespace, again.name),
                ignore=(*CHANGED_BY_REGISTERING, LOCATION),
            )
