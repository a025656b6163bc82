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


def add_order(*fields: Document, order_id: int = 77) -> Document:
    return update("add-sort-order", sort_order={"order-id": order_id, "fields": list(fields)})


def without(schema: Document, column: int) -> Document:
    return {**schema, "fields": [each for each in schema["fields"] if each["id"] != column]}


@pytest.mark.parametrize("sent", [{}, {"schema-id": 77}])
def test_a_schema_gets_the_next_id_whatever_was_sent(sent: Document) -> None:
    after = td.committed(TABLE, add_schema({**WIDER, **sent}))

    assert after["schemas"][1] == {**WIDER, "schema-id": 1}
    assert (after["current-schema-id"], after["last-column-id"]) == (0, 6)


def test_column_ids_are_kept_as_they_were_sent() -> None:
    after = td.committed(TABLE, add_schema(struct(*td.ORDERS["fields"], field(10, "note")), last_column_id=3), USE_IT)

    assert after["schemas"][1]["fields"][-1]["id"] == 10
    assert (after["current-schema-id"], after["last-column-id"]) == (1, 10)


def test_the_last_column_id_does_not_go_back_when_columns_go() -> None:
    after = td.committed(td.committed(TABLE, add_schema(WIDER), USE_IT), add_schema(without(WIDER, 2)), USE_IT)

    assert after["last-column-id"] == 6


def test_a_schema_that_is_known_is_found_again() -> None:
    wider = td.committed(TABLE, add_schema(WIDER), USE_IT)

    back = td.committed(wider, add_schema({**td.ORDERS, "schema-id": 5}), USE_IT)

    assert (len(back["schemas"]), back["current-schema-id"]) == (2, 0)


def test_a_known_schema_becomes_current_by_its_id() -> None:
    wider = td.committed(TABLE, add_schema(WIDER), USE_IT)

    assert td.committed(wider, update("set-current-schema", schema_id=0))["current-schema-id"] == 0


@pytest.mark.parametrize("before", [TABLE, td.committed(TABLE, add_schema(WIDER))])
def test_minus_one_stands_for_what_the_same_commit_added_before(before: Document) -> None:
    assert td.refused_commit(before, USE_IT, add_schema(without(WIDER, 3))) == (
        "at /updates/0/schema-id: -1 stands for the last added schema, but this commit has added none before"
    )


@pytest.mark.parametrize("schema_id", [999, -2, 1])
def test_an_unknown_schema_does_not_become_current(schema_id: int) -> None:
    assert td.refused_commit(TABLE, update("set-current-schema", schema_id=schema_id)) == (
        f"at /updates/0/schema-id: the table has no schema {schema_id}"
    )


def test_an_invalid_schema_is_refused_where_it_is_invalid() -> None:
    broken = struct(*td.ORDERS["fields"], field(6, "note", "text"))

    said = td.refused_commit(TABLE, update("set-properties", updates={}), add_schema(broken))

    assert said.startswith("at /updates/1/schema/fields/3/type: 'text' is no type")


@pytest.mark.parametrize("column_type", ["timestamp_ns", "variant", "geometry(srid:4326)", "unknown"])
def test_newer_types_wait_for_the_upgrade(column_type: str) -> None:
    newer = add_schema(struct(*td.ORDERS["fields"], field(6, "new", column_type)))
    upgrade = update("upgrade-format-version", format_version=3)

    assert "needs format version 3, and the table has 2" in td.refused_commit(TABLE, newer)
    assert len(td.committed(TABLE, upgrade, newer)["schemas"]) == 2


def test_an_id_does_not_change_to_an_unrelated_type() -> None:
    retyped = struct(field(1, "id", "string", required=True), *td.ORDERS["fields"][1:])

    assert td.refused_commit(td.appended(TABLE, 7), add_schema(retyped)) == (
        "at /updates/0/schema/fields/0: field id 1 is that of a long column and cannot become string; "
        "give 'id' an id above last-column-id, which is 5"
    )


def test_the_id_of_a_column_that_is_gone_is_not_used_for_another_type() -> None:
    gone = td.committed(td.committed(TABLE, add_schema(WIDER), USE_IT), add_schema(td.ORDERS), USE_IT)
    reused = struct(*td.ORDERS["fields"], field(6, "amount", "long"))

    assert "field id 6 is that of a string column" in td.refused_commit(td.appended(gone, 7), add_schema(reused))


def test_a_table_without_data_may_give_its_columns_other_types() -> None:
    retyped = struct(field(1, "id", "string", required=True), *td.ORDERS["fields"][1:])

    assert td.committed(TABLE, add_schema(retyped), USE_IT)["current-schema-id"] == 1


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
    assert td.committed(after, add_schema(struct(field(1, "id", "string"), field(6, "more"))), USE_IT)["current-schema-id"] == 2


def test_schemas_that_are_not_in_use_can_go() -> None:
    wider = td.committed(TABLE, add_schema(WIDER), USE_IT)

    assert [schema["schema-id"] for schema in td.committed(wider, update("remove-schemas", schema_ids=[0, 999]))["schemas"]] == [1]


def test_the_current_schema_cannot_go() -> None:
    assert td.refused_commit(TABLE, update("remove-schemas", schema_ids=[0])) == (
        "at /updates/0/schema-ids: schema 0 is the current schema; set another one first"
    )


def test_the_schema_of_a_snapshot_cannot_go_before_it() -> None:
    table = td.committed(td.appended(TABLE, 7), add_schema(WIDER), USE_IT)

    assert td.refused_commit(table, update("remove-schemas", schema_ids=[0])) == (
        "at /updates/0/schema-ids: snapshot 7 was written with schema 0; remove the snapshot first"
    )
    after = td.committed(table, update("remove-snapshots", snapshot_ids=[7]), update("remove-schemas", schema_ids=[0]))
    assert broken_invariants(after) == []


PARTITIONED = td.committed(TABLE, add_spec(partition_field(2, "day", "day")), update("set-default-spec", spec_id=-1))


def test_a_spec_gets_the_next_id_and_its_fields_the_next_field_ids() -> None:
    after = td.committed(
        PARTITIONED, add_spec(partition_field(1, "bucket[4]", "b"), partition_field(4, "identity", "c"), **{"spec-id": 77})
    )

    assert after["partition-specs"][2] == {
        "spec-id": 2,
        "fields": [partition_field(1, "bucket[4]", "b", **{"field-id": 1001}), partition_field(4, "identity", "c", **{"field-id": 1002})],
    }
    assert (after["default-spec-id"], after["last-partition-id"]) == (1, 1002)


def test_a_field_that_divides_as_before_has_its_id_again() -> None:
    after = td.committed(PARTITIONED, add_spec(partition_field(1, "bucket[4]", "b"), partition_field(2, "day", "day")))

    assert [each["field-id"] for each in after["partition-specs"][2]["fields"]] == [1001, 1000]


def test_field_ids_are_kept_as_they_were_sent() -> None:
    after = td.committed(TABLE, add_spec(partition_field(1, "identity", "i", **{"field-id": 1005}), partition_field(2, "day", "d")))

    assert [each["field-id"] for each in after["partition-specs"][1]["fields"]] == [1005, 1006]
    assert after["last-partition-id"] == 1006


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            [partition_field(1, "identity", "i", **{"field-id": 1000})],
            (
                "at /updates/0/spec/fields/0/field-id: partition field id 1000 stands for day of column 2 in another spec; "
                "leave the id out, or send one above last-partition-id"
            ),
        ),
        (
            [partition_field(1, "identity", "i", **{"field-id": 1001}), partition_field(1, "bucket[2]", "b", **{"field-id": 1001})],
            "at /updates/0/spec/fields/1/field-id: partition field id 1001 is given twice",
        ),
        (
            [partition_field(1, "identity", "i", **{"field-id": 2**31 - 1}), partition_field(1, "bucket[2]", "b")],
            "at /updates/0/spec/fields/1: the table has no partition field ids left",
        ),
        (
            [partition_field(99, "identity", "i")],
            "at /updates/0/spec/fields/0/source-id: the schema has no column with id 99",
        ),
    ],
)
def test_a_spec_that_is_not_valid_is_refused(fields: list[Document], said: str) -> None:
    assert td.refused_commit(PARTITIONED, add_spec(*fields)) == said


def test_partition_fields_of_the_first_format_count_from_1000() -> None:
    table = td.table(version=1)
    second = partition_field(1, "bucket[2]", "b", **{"field-id": 1005})

    assert td.refused_commit(table, add_spec(partition_field(2, "day", "d"), second)) == (
        "at /updates/0/spec/fields/1/field-id: in format version 1 partition field ids count from 1000: expected 1001, found 1005"
    )
    after = td.committed(table, add_spec(partition_field(2, "day", "d")), update("set-default-spec", spec_id=-1))
    assert after["partition-spec"] == [partition_field(2, "day", "d", **{"field-id": 1000})]


def test_a_spec_that_is_known_is_found_again() -> None:
    after = td.committed(PARTITIONED, add_spec(), update("set-default-spec", spec_id=-1))

    assert (len(after["partition-specs"]), after["default-spec-id"]) == (2, 0)


@pytest.mark.parametrize("kind", ["spec", "sort-order"])
def test_an_unknown_default_is_refused(kind: str) -> None:
    what = "partition spec" if kind == "spec" else "sort order"

    assert td.refused_commit(TABLE, {"action": f"set-default-{kind}", f"{kind}-id": 999}) == (
        f"at /updates/0/{kind}-id: the table has no {what} 999"
    )


@pytest.mark.parametrize("kind", ["spec", "sort-order"])
def test_minus_one_needs_an_addition_in_the_same_commit(kind: str) -> None:
    said = td.refused_commit(TABLE, {"action": f"set-default-{kind}", f"{kind}-id": -1})

    assert said.startswith(f"at /updates/0/{kind}-id: -1 stands for the last added ")


def test_specs_that_are_not_the_default_can_go() -> None:
    after = td.committed(PARTITIONED, update("remove-partition-specs", spec_ids=[0, 999]))

    assert [spec["spec-id"] for spec in after["partition-specs"]] == [1]
    assert after["last-partition-id"] == 1000


def test_the_default_spec_cannot_go() -> None:
    assert td.refused_commit(PARTITIONED, update("remove-partition-specs", spec_ids=[1])) == (
        "at /updates/0/spec-ids: partition spec 1 is the default; set another one first"
    )


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

    assert td.committed(TABLE, *void, add_schema(without(td.ORDERS, 2)), USE_IT)["current-schema-id"] == 1


def test_a_source_column_of_the_default_order_cannot_go() -> None:
    table = td.table(write_order={"order-id": 1, "fields": [sort_field(2)]})

    assert td.refused_commit(table, add_schema(without(td.ORDERS, 2)), USE_IT).startswith(
        "at /updates: the default sort order does not fit the current schema, 1: "
    )


def test_an_order_gets_the_next_id() -> None:
    after = td.committed(TABLE, add_order(sort_field(1)), update("set-default-sort-order", sort_order_id=-1))
    after = td.committed(after, add_order(sort_field(2)))

    assert [order["order-id"] for order in after["sort-orders"]] == [0, 1, 2]
    assert after["default-sort-order-id"] == 1


def test_an_order_that_is_known_is_found_again() -> None:
    table = td.committed(TABLE, add_order(sort_field(1)), update("set-default-sort-order", sort_order_id=-1))

    after = td.committed(table, add_order(order_id=1), update("set-default-sort-order", sort_order_id=-1))

    assert (len(after["sort-orders"]), after["default-sort-order-id"]) == (2, 0)


def test_the_order_without_fields_always_has_id_zero() -> None:
    table = td.table(write_order={"order-id": 1, "fields": [sort_field(1)]})

    after = td.committed(table, add_order(order_id=5), update("set-default-sort-order", sort_order_id=-1))

    assert [order["order-id"] for order in after["sort-orders"]] == [1, 0]
    assert after["default-sort-order-id"] == 0
