"""Transforms of partition and sort fields, and their source columns."""

from __future__ import annotations

from typing import Any

import pytest

from lakepact.reference_server.iceberg_rest.tables.partitioning import check_spec, spec_meaning
from lakepact.reference_server.iceberg_rest.tables.schemas import columns
from lakepact.reference_server.iceberg_rest.tables.sorting import check_order, order_meaning
from sample_tables import table_documents as td
from sample_tables.table_documents import field, partition_field, sort_field, struct

Document = dict[str, Any]

TYPES = [
    "boolean",
    "int",
    "long",
    "float",
    "double",
    "decimal(9, 2)",
    "date",
    "time",
    "timestamp",
    "timestamptz",
    "timestamp_ns",
    "timestamptz_ns",
    "string",
    "uuid",
    "fixed[4]",
    "binary",
    "variant",
    "unknown",
    "geometry",
    "geography",
]
TIMES = {"timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns"}
TAKES = {
    "identity": set(TYPES) - {"variant", "geometry", "geography"},
    "void": set(TYPES),
    "bucket[16]": set(TYPES)
    - {"boolean", "float", "double", "variant", "unknown", "geometry", "geography"},
    "truncate[4]": {"int", "long", "decimal(9, 2)", "string", "binary"},
    "year": TIMES | {"date"},
    "month": TIMES | {"date"},
    "day": TIMES | {"date"},
    "hour": TIMES,
}


def check(transform: str, column_type: Any) -> None:
    known = columns(struct(field(1, "c", column_type)), "/schema", format_version=3)
    check_spec({"fields": [partition_field(1, transform, "p")]}, known, "/spec")


@pytest.mark.parametrize("transform", TAKES)
@pytest.mark.parametrize("column_type", TYPES)
def test_a_transform_takes_the_types_that_it_is_defined_for(
    transform: str, column_type: str
) -> None:
    if column_type in TAKES[transform]:
        check(transform, column_type)
        return
    kind = column_type.partition("(")[0].partition("[")[0]

    assert td.complaint(lambda: check(transform, column_type)) == (
        f"at /spec/fields/0/transform: {transform} cannot be applied to column 'c', which is of type {kind}"
    )


@pytest.mark.parametrize(
    "transform",
    [
        "",
        "Identity",
        "bucket",
        "bucket[0]",
        "bucket[-1]",
        "bucket[]",
        "bucket[2147483648]",
        "bucket[1.5]",
        "truncate[0]",
        "years",
        "zorder",
        "day[1]",
    ],
)
def test_an_unknown_transform_is_refused(transform: str) -> None:
    said = td.complaint(lambda: check(transform, "long"))

    assert said.startswith("at /spec/fields/0/transform: ")
    assert repr(transform) in said


@pytest.mark.parametrize(
    ("source", "where"),
    [(2, "column 'list.element'"), (4, "column 'map.key'"), (5, "column 'map.value'")],
)
def test_columns_inside_of_collections_are_no_source(source: int, where: str) -> None:
    schema = struct(
        field(
            1, "list", {"type": "list", "element-id": 2, "element": "int", "element-required": True}
        ),
        field(
            3,
            "map",
            {
                "type": "map",
                "key-id": 4,
                "key": "int",
                "value-id": 5,
                "value": "int",
                "value-required": True,
            },
        ),
    )
    known = columns(schema, "/schema", format_version=2)
    said = td.complaint(
        lambda: check_spec({"fields": [partition_field(source, "identity", "p")]}, known, "/spec")
    )

    assert (
        said
        == f"at /spec/fields/0/source-id: {where} is inside of a list or map; use a column that each row has once"
    )


def test_a_nested_column_of_structs_is_a_source() -> None:
    known = columns(td.ORDERS, "/schema", format_version=2)

    check_spec({"fields": [partition_field(4, "truncate[2]", "customer_prefix")]}, known, "/spec")


def test_a_whole_struct_is_no_source() -> None:
    known = columns(td.ORDERS, "/schema", format_version=2)
    said = td.complaint(
        lambda: check_spec({"fields": [partition_field(3, "identity", "p")]}, known, "/spec")
    )

    assert (
        said
        == "at /spec/fields/0/transform: identity cannot be applied to column 'customer', which is of type struct"
    )


def test_a_void_field_keeps_its_place_when_its_column_is_gone() -> None:
    check_spec(
        {"fields": [partition_field(99, "void", "p")]},
        columns(td.ORDERS, "", format_version=1),
        "/spec",
    )


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            [partition_field(1, "identity", "p"), partition_field(2, "day", "p")],
            "at /spec/fields/1: there is another partition field 'p'; names are unique in a spec",
        ),
        (
            [partition_field(1, "bucket[2]", "placed")],
            "at /spec/fields/0: 'placed' is the name of another column than the field's source; choose another name",
        ),
        (
            [partition_field(1, "identity", "")],
            "at /spec/fields/0/name: expected a text that is not empty, found ''",
        ),
        (
            [partition_field(1.0, "identity", "p")],
            "at /spec/fields/0/source-id: expected an integer from -2147483648 to 2147483647, written without a fraction, found 1.0",
        ),
    ],
)
def test_partition_fields_that_cannot_be_told_apart_are_refused(
    fields: list[Document], said: str
) -> None:
    known = columns(td.ORDERS, "/schema", format_version=2)

    assert td.complaint(lambda: check_spec({"fields": fields}, known, "/spec")) == said


def test_an_identity_field_may_have_the_name_of_its_column() -> None:
    check_spec(
        {"fields": [partition_field(2, "identity", "placed")]},
        columns(td.ORDERS, "", format_version=2),
        "/spec",
    )


@pytest.mark.parametrize(
    ("member", "value", "expected"),
    [
        ("direction", "up", "asc or desc"),
        ("direction", None, "asc or desc"),
        ("null-order", "NULLS-FIRST", "nulls-first or nulls-last"),
    ],
)
def test_a_sort_field_says_how_it_sorts(member: str, value: Any, expected: str) -> None:
    order = {"order-id": 1, "fields": [{**sort_field(1), member: value}]}
    found = "nothing" if value is None else repr(value)

    assert td.complaint(
        lambda: check_order(order, columns(td.ORDERS, "", format_version=2), "/sort-order")
    ) == (f"at /sort-order/fields/0/{member}: expected {expected}, found {found}")


def test_specs_are_the_same_whatever_their_ids() -> None:
    one = {"spec-id": 3, "fields": [partition_field(1, "identity", "p", **{"field-id": 1000})]}

    assert spec_meaning(one) == spec_meaning({"fields": [partition_field(1, "identity", "p")]})
    assert spec_meaning(one) != spec_meaning({"fields": [partition_field(1, "identity", "q")]})
    assert spec_meaning(one) != spec_meaning({"fields": [partition_field(1, "bucket[1]", "p")]})
    assert spec_meaning(one) != spec_meaning({"fields": []})


def test_orders_are_the_same_whatever_their_ids() -> None:
    one = {"order-id": 3, "fields": [sort_field(1)]}

    assert order_meaning(one) == order_meaning({"order-id": 1, "fields": [sort_field(1)]})
    assert order_meaning(one) != order_meaning(
        {"order-id": 3, "fields": [sort_field(1, direction="desc")]}
    )
    assert order_meaning(one) != order_meaning(
        {"order-id": 3, "fields": [sort_field(1), sort_field(2)]}
    )
