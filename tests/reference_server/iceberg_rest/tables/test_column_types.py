"""Column types of the Iceberg table specification by format version, and their default values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.reference_server.iceberg_rest.tables.schemas import columns
from lakepact.reference_server.iceberg_rest.tables.types import are_compatible, primitive
from sample_tables import table_documents as td

V1 = [
    "boolean",
    "int",
    "long",
    "float",
    "double",
    "date",
    "time",
    "timestamp",
    "timestamptz",
    "string",
    "uuid",
    "binary",
]
V1_WITH_NUMBERS = ["decimal(1,0)", "decimal(38, 38)", "decimal( 9 , 2 )", "fixed[1]", "fixed[ 16 ]"]
V3 = ["timestamp_ns", "timestamptz_ns", "variant", "unknown", "geometry", "geography"]
V3_WITH_WORDS = [
    "geometry(OGC:CRS84)",
    "geometry(srid:4326)",
    "geography(OGC:CRS84)",
    "geography(OGC:CRS84, karney)",
]
NO_TYPES = [
    "",
    "str",
    "Int",
    " int",
    "int ",
    "decimal",
    "decimal(0,0)",
    "decimal(39,2)",
    "decimal(3,4)",
    "decimal(-1,0)",
    "decimal(9)",
    "decimal(٩,2)",
    f"decimal({'9' * 5000},2)",
    "fixed",
    "fixed[0]",
    "fixed[-1]",
    "fixed[2147483648]",
    "geometry()",
    "geometry(a(b))",
    "geography(OGC:CRS84, flat)",
    "struct",
    "list<int>",
    "timestamp_ms",
    f"geometry({' ' * 100_000}",
]


def accepted(column_type: Any, *, version: int = 3) -> None:
    known = columns(td.struct(td.field(1, "c", column_type)), "/schema", format_version=version)

    assert known[1].type == column_type


def said_of(column_type: Any, *, version: int = 3, **more: Any) -> str:
    schema = td.struct(td.field(1, "c", column_type, **more))
    return td.complaint(lambda: columns(schema, "/schema", format_version=version))


@pytest.mark.parametrize("spelled", V1 + V1_WITH_NUMBERS)
def test_every_type_of_the_first_version_is_known_in_all_versions(spelled: str) -> None:
    for version in (1, 2, 3):
        accepted(spelled, version=version)


@pytest.mark.parametrize("spelled", V3 + V3_WITH_WORDS)
def test_newer_types_need_format_version_three(spelled: str) -> None:
    accepted(spelled)

    for version in (1, 2):
        assert said_of(spelled, version=version) == (
            f"at /schema/fields/0/type: the type '{spelled}' needs format version 3, and the table has {version}; "
            "upgrade the table, or choose another type"
        )


@pytest.mark.parametrize("spelled", NO_TYPES)
def test_invalid_type_is_refused_with_the_known_types(spelled: str) -> None:
    said = said_of(spelled)

    assert said.startswith("at /schema/fields/0/type: '")
    assert " is no type; types are boolean, int, " in said
    assert len(said) < 500


def test_spaces_in_a_type_make_no_difference() -> None:
    assert primitive("decimal(9,2)") == primitive("decimal( 9 , 2 )")


@given(st.text())
def test_any_text_is_a_type_or_is_refused_in_few_words(spelled: str) -> None:
    if primitive(spelled) is None:
        assert len(said_of(spelled)) < 1000
    else:
        accepted(spelled)


@pytest.mark.parametrize(
    ("one", "other", "are_of_one_column"),
    [
        ("int", "long", True),
        ("float", "double", True),
        ("decimal(9,2)", "decimal(18,2)", True),
        ("date", "timestamp", True),
        ("string", "binary", True),
        ("unknown", "string", True),
        ("fixed[4]", "fixed[ 4 ]", True),
        ("int", "string", False),
        ("int", "double", False),
        ("string", "uuid", False),
        ("binary", "fixed[4]", False),
        ("decimal(9,2)", "decimal(9,3)", False),
        ("fixed[4]", "fixed[5]", False),
        ("timestamp", "timestamptz", False),
        ("string", td.struct(), False),
    ],
)
def test_one_column_may_have_had_two_types(
    one: str, other: Any, *, are_of_one_column: bool
) -> None:
    assert are_compatible(one, other) is are_of_one_column
    assert are_compatible(other, one) is are_of_one_column


@pytest.mark.parametrize(
    ("column_type", "value"),
    [
        ("boolean", True),
        ("int", -(2**31)),
        ("long", 2**63 - 1),
        ("float", 1.5),
        ("double", 1),
        ("decimal(4,2)", "-14.20"),
        ("decimal(4,0)", "0014"),
        ("date", "2024-02-29"),
        ("time", "22:31:08.123456"),
        ("timestamp", "2024-02-29T22:31:08"),
        ("timestamptz", "2024-02-29T22:31:08.000001+00:00"),
        ("timestamp_ns", "2024-02-29T22:31:08.123456789"),
        ("timestamptz_ns", "2024-02-29T22:31:08.123456789+00:00"),
        ("string", ""),
        ("uuid", td.UUID),
        ("fixed[2]", "00ff"),
        ("binary", ""),
    ],
)
def test_a_value_of_the_type_may_be_a_default(column_type: str, value: Any) -> None:
    schema = td.struct(
        td.field(1, "c", column_type, **{"initial-default": value, "write-default": value})
    )

    assert list(columns(schema, "/schema", format_version=3)) == [1]


@pytest.mark.parametrize(
    ("column_type", "value"),
    [
        ("boolean", 1),
        ("int", 2**31),
        ("int", True),
        ("long", 1.0),
        ("long", 2**63),
        ("float", "1.5"),
        ("double", float("inf")),
        ("decimal(4,2)", "14.2"),
        ("decimal(4,2)", "140.20"),
        ("decimal(4,2)", 14),
        ("date", "2023-02-29"),
        ("date", "20240229"),
        ("time", "25:00:00"),
        ("timestamp", "2024-02-29T22:31:08+00:00"),
        ("timestamp", "2024-02-29T22:31:08.1234567"),
        ("timestamptz", "2024-02-29T22:31:08"),
        ("timestamptz", "2024-02-29T22:31:08+01:00"),
        ("timestamp", "2024-02-30T22:31:08"),
        ("string", 5),
        ("uuid", "x"),
        ("fixed[2]", "00"),
        ("binary", "0"),
    ],
)
def test_default_of_another_type_is_refused(column_type: str, value: Any) -> None:
    said = said_of(column_type, **{"write-default": value})

    assert (
        said
        == f"at /schema/fields/0/write-default: {value!r} is no value of the type {column_type}"
    )


@pytest.mark.parametrize(
    ("column_type", "more", "reason"),
    [
        *(
            (odd, {}, f"/type: expected the name of a type, or an object, found {found}")
            for odd, found in ((None, "nothing"), (5, "5"), ([], "an array"), (True, "True"))
        ),
        ({"type": "set"}, {}, "/type/type: expected struct, list or map, found 'set'"),
        (
            "unknown",
            {"required": True},
            ": 'c' is of type unknown, which is always null: it cannot be required",
        ),
        *(
            (
                column_type,
                {"initial-default": "x"},
                "/initial-default: columns of this type can only default to null",
            )
            for column_type in (
                "variant",
                "unknown",
                "geometry",
                "geography(OGC:CRS84)",
                td.struct(),
            )
        ),
        *(
            (
                "int",
                {"version": 2, member: 5},
                (
                    f"/{member}: default values need format version 3, and the table has 2; "
                    "leave it out, or upgrade the table"
                ),
            )
            for member in ("initial-default", "write-default")
        ),
    ],
)
def test_invalid_column_is_refused_with_the_reason(
    column_type: Any, more: dict[str, Any], reason: str
) -> None:
    assert said_of(column_type, **more) == f"at /schema/fields/0{reason}"
