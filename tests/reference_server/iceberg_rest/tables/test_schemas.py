"""Validation of schemas: unique ids and names, and identifier fields."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyiceberg.schema import Schema, assign_fresh_schema_ids

from lakepact.reference_server.iceberg_rest.tables.schemas import (
    columns,
    schema_meaning,
    schema_sketch,
    types_by_id,
    with_fresh_ids,
)
from sample_tables import table_documents as td
from sample_tables.table_documents import field, struct

Document = dict[str, Any]


def list_of(element_id: int, element: Any, *, required: bool = False) -> Document:
    return {
        "type": "list",
        "element-id": element_id,
        "element": element,
        "element-required": required,
    }


def map_of(key_id: int, key: Any, value_id: int, value: Any, *, required: bool = False) -> Document:
    return {
        "type": "map",
        "key-id": key_id,
        "key": key,
        "value-id": value_id,
        "value": value,
        "value-required": required,
    }


def said_of(schema: Document) -> str:
    return td.complaint(lambda: columns(schema, "/schema", format_version=3))


NESTED = struct(
    field(1, "id", required=True),
    field(
        2,
        "points",
        list_of(3, struct(field(4, "x", "double", required=True), field(5, "y", "double"))),
    ),
    field(6, "tags", map_of(7, "string", 8, list_of(9, "int"))),
)


def test_columns_are_named_from_the_root() -> None:
    found = columns(NESTED, "/schema", format_version=2)

    assert {number: column.name for number, column in found.items()} == {
        1: "id",
        2: "points",
        3: "points.element",
        4: "points.element.x",
        5: "points.element.y",
        6: "tags",
        7: "tags.key",
        8: "tags.value",
        9: "tags.value.element",
    }


def test_columns_know_their_enclosing_types() -> None:
    found = columns(NESTED, "/schema", format_version=2)

    assert {number for number, column in found.items() if column.in_collection} == {
        3,
        4,
        5,
        7,
        8,
        9,
    }
    assert {number for number, column in found.items() if column.required} == {1, 4, 7}


def test_one_name_may_be_used_in_different_structs() -> None:
    schema = struct(
        field(1, "a", struct(field(2, "x"))), field(3, "b", struct(field(4, "x"))), field(5, "x")
    )

    assert list(columns(schema, "/schema", format_version=1)) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (
            struct(field(1, "a"), field(2, "a")),
            "/fields/1: there is another field 'a'; names are unique in a schema",
        ),
        (
            struct(field(1, "a", struct(field(2, "b"))), field(3, "a.b")),
            "/fields/1: there is another field 'a.b'; names are unique in a schema",
        ),
        (
            struct(field(1, "a"), field(1, "b")),
            "/fields/1: 'b' has field id 1, which is the id of 'a' already",
        ),
        (
            struct(field(1, "a", list_of(1, "int"))),
            "/fields/0/type: 'a.element' has field id 1, which is the id of 'a' already",
        ),
        (
            struct(field(1, "a", map_of(2, "int", 2, "int"))),
            "/fields/0/type: 'a.value' has field id 2, which is the id of 'a.key' already",
        ),
        (
            struct(field(1, "a", struct(field(2, "b"))), field(2, "c")),
            "/fields/1: 'c' has field id 2, which is the id of 'a.b' already",
        ),
        (
            struct(field(-1, "a")),
            "/fields/0: field id -1 is out of range; ids go from 0 to 2147483446",
        ),
        (
            struct(field(2_147_483_447, "a")),
            "/fields/0: field id 2147483447 is out of range; ids go from 0 to 2147483446",
        ),
        (
            struct(field(2**31 - 1, "a")),
            "/fields/0: field id 2147483647 is out of range; ids go from 0 to 2147483446",
        ),
        (struct(field(1, "")), "/fields/0/name: expected a text that is not empty, found ''"),
        (list_of(1, "int"), "/type: expected struct, found 'list'"),
    ],
)
def test_invalid_schema_is_refused_with_its_place(schema: Document, said: str) -> None:
    assert said_of(schema) == f"at /schema{said}"


@pytest.mark.parametrize("number", [1.0, 2**31, True, "1", None])
def test_ids_are_exact_integers(number: Any) -> None:
    assert said_of(struct(field(number, "a"))).startswith(
        "at /schema/fields/0/id: expected an integer from -2147483648 to 2147483647"
    )


def test_a_name_has_a_thousand_characters_at_most_from_the_root() -> None:
    def named(inner: str) -> Document:
        return struct(field(1, "a" * 500, struct(field(2, inner))))

    assert len(columns(named("b" * 499), "/schema", format_version=2)[2].name) == 1000
    assert said_of(named("b" * 500)) == (
        "at /schema/fields/0/type/fields/0: the name of the field has 1001 characters, counted from the root; at most 1000 are possible"
    )


def test_types_nest_to_a_limit() -> None:
    deep: Any = "int"
    for number in range(2, 102):
        deep = list_of(number, deep)

    assert said_of(struct(field(1, "a", deep))).endswith(
        "types are nested more than 100 levels deep"
    )


def identified(by: list[Any], *fields: Document) -> Document:
    return {**struct(*fields), "identifier-field-ids": by}


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        (identified([9], field(1, "a", required=True)), "the schema has no field with id 9"),
        (
            identified([1], field(1, "a")),
            "'a' may be null, so it cannot identify a row; make it and all around it required",
        ),
        (
            identified([1], field(1, "a", "float", required=True)),
            "'a' is of type float, which cannot identify a row",
        ),
        (
            identified([1], field(1, "a", "double", required=True)),
            "'a' is of type double, which cannot identify a row",
        ),
        (
            identified([1], field(1, "a", struct(), required=True)),
            "'a' is of type struct, which cannot identify a row",
        ),
        (
            identified([2], field(1, "a", list_of(2, "int", required=True), required=True)),
            "'a.element' is inside of a list or map, so it cannot identify a row",
        ),
        (
            identified([2], field(1, "a", map_of(2, "int", 3, "int"), required=True)),
            "'a.key' is inside of a list or map, so it cannot identify a row",
        ),
        (
            identified([2], field(1, "a", struct(field(2, "b", required=True)))),
            "'a.b' may be null, so it cannot identify a row; make it and all around it required",
        ),
    ],
)
def test_a_column_that_cannot_identify_rows_is_refused(schema: Document, why: str) -> None:
    assert said_of(schema) == f"at /schema/identifier-field-ids/0: {why}"


def test_a_required_column_of_required_structs_identifies_rows() -> None:
    schema = identified(
        [2], field(1, "a", struct(field(2, "b", "string", required=True)), required=True)
    )

    assert list(columns(schema, "/schema", format_version=2)) == [1, 2]


def test_schemas_are_the_same_however_types_and_absent_members_are_spelled() -> None:
    one = {
        **struct(field(1, "a", "decimal(9,2)", doc=None)),
        "schema-id": 3,
        "identifier-field-ids": [],
    }

    other = struct(field(1, "a", "decimal(9, 2)"))

    assert schema_sketch(one) == schema_sketch(other)
    assert schema_meaning(one) == schema_meaning(other)


@pytest.mark.parametrize(
    "other",
    [
        struct(field(1, "b")),
        struct(field(2, "a")),
        struct(field(1, "a", "int")),
        struct(field(1, "a", required=True)),
        struct(field(1, "a", doc="words")),
        struct(field(1, "a"), field(2, "b")),
        struct(field(1, "a", **{"x-unknown": 1})),
        identified([1], field(1, "a")),
    ],
)
def test_schemas_with_different_fields_differ(other: Document) -> None:
    assert schema_meaning(struct(field(1, "a"))) != schema_meaning(other)


@st.composite
def schemas(draw: st.DrawFn) -> Document:
    """Generate valid schemas with ids in any order."""
    step = draw(st.integers(1, 210))
    numbers = iter(
        [1 + index * step % 211 for index in range(211)]
    )  # each once, because 211 is a prime

    def column_type(depth: int) -> Any:
        kind = draw(
            st.sampled_from(
                ["int", "string", "struct", "list", "map"] if depth else ["int", "string"]
            )
        )
        if kind == "struct":
            return fields(depth - 1)
        if kind == "list":
            return list_of(next(numbers), column_type(depth - 1), required=draw(st.booleans()))
        if kind == "map":
            return map_of(
                next(numbers), column_type(depth - 1), next(numbers), column_type(depth - 1)
            )
        return kind

    def fields(depth: int) -> Document:
        names = "abc"[: draw(st.integers(1, 3))]
        return struct(
            *(
                field(next(numbers), name, column_type(depth), required=draw(st.booleans()))
                for name in names
            )
        )

    schema = fields(2)
    fitting = [
        column["id"]
        for column in schema["fields"]
        if column["required"] and column["type"] in ("int", "string")
    ]
    return (
        {**schema, "identifier-field-ids": fitting} if fitting and draw(st.booleans()) else schema
    )


@settings(deadline=None)
@given(schemas())
def test_fresh_ids_are_those_that_pyiceberg_gives(schema: Document) -> None:
    theirs = assign_fresh_schema_ids(Schema.model_validate(schema)).model_dump(
        mode="json", by_alias=True
    )

    ours, _ = with_fresh_ids(schema)

    assert (
        Schema.model_validate(ours).model_dump(mode="json", by_alias=True)["fields"]
        == theirs["fields"]
    )
    assert ours.get("identifier-field-ids", []) == theirs["identifier-field-ids"]


@settings(deadline=None)
@given(schemas())
def test_fresh_ids_count_from_one_without_a_gap(schema: Document) -> None:
    ours, fresh = with_fresh_ids(schema)

    assert sorted(types_by_id(ours)) == list(range(1, len(types_by_id(schema)) + 1))
    assert {fresh[old] for old in types_by_id(schema)} == set(types_by_id(ours))
