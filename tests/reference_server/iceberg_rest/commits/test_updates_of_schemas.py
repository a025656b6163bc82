"""Updates that add, choose and remove schemas, partition specs and sort orders."""

from __future__ import annotations

from typing import Any

import pytest

from sample_tables import table_documents as td
from sample_tables.table_documents import field, partition_field, sort_field, struct, update
from sample_tables.table_invariants import broken_invariants

Document = dict[str, Any]

TABLE = td.table()
WIDER = struct(*td.ORDERS["fields"], field(6, "note", "string"))
USE_IT = update("set-current-schema", schema_id=-1)


def add_schema(schema: Document, **members: Any) -> Document:
    return update("add-schema", schema=schema, **members)


def add_spec(*fields: Document, **members: Any) -> Document:
    return update("add-spec", spec={"fields": list(fields), **members})


def without(schema: Document, column: int) -> Document:
    return {**schema, "fields": [each for each in schema["fields"] if each["id"] != column]}


PARTITIONED = td.committed(
    TABLE, add_spec(partition_field(2, "day", "day")), update("set-default-spec", spec_id=-1)
)
RETYPED = struct(field(1, "id", "string", required=True), *td.ORDERS["fields"][1:])


@pytest.mark.parametrize(
    ("before", "updates", "said"),
    [
        (
            TABLE,
            [USE_IT, add_schema(WIDER)],
            "/0/schema-id: -1 stands for the last added schema, but this commit has added none before",
        ),
        (
            td.committed(TABLE, add_schema(WIDER)),
            [USE_IT],
            "/0/schema-id: -1 stands for the last added schema, but this commit has added none before",
        ),
        (
            TABLE,
            [update("set-current-schema", schema_id=1)],
            "/0/schema-id: the table has no schema 1",
        ),
        (
            TABLE,
            [update("set-current-schema", schema_id=-2)],
            "/0/schema-id: the table has no schema -2",
        ),
        (
            td.appended(TABLE, 7),
            [add_schema(RETYPED)],
            (
                "/0/schema/fields/0: field id 1 is that of a long column and cannot become string; "
                "give 'id' an id above last-column-id, which is 5"
            ),
        ),
        (
            TABLE,
            [update("remove-schemas", schema_ids=[0])],
            "/0/schema-ids: schema 0 is the current schema; set another one first",
        ),
        (
            PARTITIONED,
            [add_spec(partition_field(1, "identity", "i", **{"field-id": 1000}))],
            (
                "/0/spec/fields/0/field-id: partition field id 1000 stands for day of column 2 in another spec; "
                "leave the id out, or send one above last-partition-id"
            ),
        ),
        (
            PARTITIONED,
            [
                add_spec(
                    *(
                        partition_field(1, f"bucket[{n}]", f"b{n}", **{"field-id": 1001})
                        for n in (2, 3)
                    )
                )
            ],
            "/0/spec/fields/1/field-id: partition field id 1001 is given twice",
        ),
        (
            PARTITIONED,
            [
                add_spec(
                    partition_field(1, "identity", "i", **{"field-id": 2**31 - 1}),
                    partition_field(1, "bucket[2]", "b"),
                )
            ],
            "/0/spec/fields/1: the table has no partition field ids left",
        ),
        (
            PARTITIONED,
            [add_spec(partition_field(99, "identity", "i"))],
            "/0/spec/fields/0/source-id: the schema has no column with id 99",
        ),
        (
            TABLE,
            [update("set-default-spec", spec_id=999)],
            "/0/spec-id: the table has no partition spec 999",
        ),
        (
            TABLE,
            [update("set-default-sort-order", sort_order_id=999)],
            "/0/sort-order-id: the table has no sort order 999",
        ),
        (
            TABLE,
            [update("set-default-spec", spec_id=-1)],
            "/0/spec-id: -1 stands for the last added spec, but this commit has added none before",
        ),
        (
            TABLE,
            [update("set-default-sort-order", sort_order_id=-1)],
            "/0/sort-order-id: -1 stands for the last added sort order, but this commit has added none before",
        ),
        (
            PARTITIONED,
            [update("remove-partition-specs", spec_ids=[1])],
            "/0/spec-ids: partition spec 1 is the default; set another one first",
        ),
        (
            td.table(write_order={"order-id": 1, "fields": [sort_field(2)]}),
            [add_schema(without(td.ORDERS, 2)), USE_IT],
            ": the default sort order does not fit the current schema, 1: at /fields/0/source-id: the schema has no column with id 2",
        ),
    ],
)
def test_invalid_update_is_refused_with_its_place(
    before: Document, updates: list[Document], said: str
) -> None:
    assert td.refused_commit(before, *updates) == f"at /updates{said}"


def test_an_invalid_schema_is_refused_where_it_is_invalid() -> None:
    broken = struct(*td.ORDERS["fields"], field(6, "note", "text"))

    said = td.refused_commit(TABLE, update("set-properties", updates={}), add_schema(broken))

    assert said.startswith("at /updates/1/schema/fields/3/type: 'text' is no type")


def test_the_id_of_a_column_that_is_gone_is_not_used_for_another_type() -> None:
    gone = td.committed(
        td.committed(TABLE, add_schema(WIDER), USE_IT), add_schema(td.ORDERS), USE_IT
    )
    reused = struct(*td.ORDERS["fields"], field(6, "amount", "long"))

    assert "field id 6 is that of a string column" in td.refused_commit(
        td.appended(gone, 7), add_schema(reused)
    )


def test_a_table_without_data_may_give_its_columns_other_types() -> None:
    assert td.committed(TABLE, add_schema(RETYPED), USE_IT)["current-schema-id"] == 1


def test_a_promoted_type_may_go_back_and_forth() -> None:
    narrow, wide = struct(field(1, "n", "int")), struct(field(1, "n", "long"))
    table = td.committed(td.table(narrow), add_schema(wide), USE_IT)

    assert td.committed(table, add_schema(narrow), USE_IT)["current-schema-id"] == 0


def test_a_commit_that_replaces_the_table_may_give_its_columns_other_types() -> None:
    retyped = struct(field(1, "id", "string"))
    replace = [update("remove-snapshot-ref", ref_name="main"), add_schema(retyped), USE_IT]

    after = td.committed(td.appended(TABLE, 7), *replace)

    assert after["current-schema-id"] == 1
    assert [snapshot["snapshot-id"] for snapshot in after["snapshots"]] == [7]
    assert (
        td.committed(after, add_schema(struct(field(1, "id", "string"), field(6, "more"))), USE_IT)[
            "current-schema-id"
        ]
        == 2
    )


def test_the_schema_of_a_snapshot_cannot_go_before_it() -> None:
    table = td.committed(td.appended(TABLE, 7), add_schema(WIDER), USE_IT)

    assert td.refused_commit(table, update("remove-schemas", schema_ids=[0])) == (
        "at /updates/0/schema-ids: snapshot 7 was written with schema 0; remove the snapshot first"
    )
    after = td.committed(
        table,
        update("remove-snapshots", snapshot_ids=[7]),
        update("remove-schemas", schema_ids=[0]),
    )
    assert broken_invariants(after) == []


def test_a_field_that_divides_as_before_has_its_id_again() -> None:
    after = td.committed(
        PARTITIONED,
        add_spec(partition_field(1, "bucket[4]", "b"), partition_field(2, "day", "day")),
    )

    assert [each["field-id"] for each in after["partition-specs"][2]["fields"]] == [1001, 1000]


def test_field_ids_are_kept_as_they_were_sent() -> None:
    after = td.committed(
        TABLE,
        add_spec(
            partition_field(1, "identity", "i", **{"field-id": 1005}),
            partition_field(2, "day", "d"),
        ),
    )

    assert [each["field-id"] for each in after["partition-specs"][1]["fields"]] == [1005, 1006]
    assert after["last-partition-id"] == 1006


def test_partition_fields_of_the_first_format_count_from_1000() -> None:
    table = td.table(version=1)
    second = partition_field(1, "bucket[2]", "b", **{"field-id": 1005})

    assert td.refused_commit(table, add_spec(partition_field(2, "day", "d"), second)) == (
        "at /updates/0/spec/fields/1/field-id: in format version 1 partition field ids count from 1000: expected 1001, found 1005"
    )
    after = td.committed(
        table, add_spec(partition_field(2, "day", "d")), update("set-default-spec", spec_id=-1)
    )
    assert after["partition-spec"] == [partition_field(2, "day", "d", **{"field-id": 1000})]


def test_a_source_column_of_the_default_spec_cannot_go() -> None:
    narrower = [add_schema(without(td.ORDERS, 2)), USE_IT]

    assert td.refused_commit(PARTITIONED, *narrower) == (
        "at /updates: the default partition spec does not fit the current schema, 1: "
        "at /fields/0/source-id: the schema has no column with id 2"
    )
    after = td.committed(PARTITIONED, *narrower, update("set-default-spec", spec_id=0))
    assert (after["current-schema-id"], after["default-spec-id"]) == (1, 0)


def test_a_column_behind_a_void_field_can_go() -> None:
    void = [add_spec(partition_field(2, "void", "day")), update("set-default-spec", spec_id=-1)]

    assert (
        td.committed(TABLE, *void, add_schema(without(td.ORDERS, 2)), USE_IT)["current-schema-id"]
        == 1
    )
