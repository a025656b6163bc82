"""Columns of files are converted to the schema without changing a value, or raise an error."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from lakepact.client.delta_sharing.rows.columns import conform
from lakepact.client.delta_sharing.rows.types import arrow_type
from lakepact.client.delta_sharing.schemas import Array, Field, Map, Primitive, Struct, parse

LONG, STRING = Primitive("long"), Primitive("string")
MOMENT = datetime(2024, 1, 1, 12, tzinfo=UTC)


def field(name, kind):
    return Field(name, kind, nullable=True)


@pytest.mark.parametrize(
    ("narrow", "wide", "values"),
    [
        (pa.int8(), "short", [1, None]),
        (pa.int8(), "long", [-128]),
        (pa.int32(), "long", [2**31 - 1]),
        (pa.int32(), "double", [2**31 - 1]),
        (pa.float32(), "double", [0.5]),
        (pa.float16(), "float", [0.5]),
        (pa.date32(), "date", [date(2024, 1, 1)]),
        (pa.large_string(), "string", ["a", None]),
        (pa.binary(), "string", [b"a"]),
        (pa.large_binary(), "binary", [b"a"]),
        (pa.binary(2), "binary", [b"ab"]),
        (pa.dictionary(pa.int8(), pa.string()), "string", ["a", "b", "a", None]),
        (pa.timestamp("ms", tz="UTC"), "timestamp", [MOMENT]),
        (pa.timestamp("us"), "timestamp", [MOMENT.replace(tzinfo=None)]),
        (pa.timestamp("us", tz="Europe/Berlin"), "timestamp", [MOMENT]),
        (pa.timestamp("ms"), "timestamp_ntz", [MOMENT.replace(tzinfo=None)]),
        (pa.null(), "string", [None]),
    ],
    ids=str,
)
def test_narrower_type_is_widened(narrow, wide, values):
    kind = Primitive(wide)

    # Older versions of pyarrow take no Python number for a half.
    column = (
        pa.array(np.array(values, "float16"))
        if narrow == pa.float16()
        else pa.array(values, narrow)
    )
    result = conform(column, kind, "none", "c")

    assert result.type == arrow_type(kind)
    text = {
        value: value.decode() if isinstance(value, bytes) and wide == "string" else value
        for value in values
    }
    moments = [
        value.replace(tzinfo=None) if isinstance(value, datetime) else text[value]
        for value in values
    ]
    assert [
        value.replace(tzinfo=None) if isinstance(value, datetime) else value
        for value in result.to_pylist()
    ] == moments


@pytest.mark.parametrize(
    ("narrow", "wide", "values"),
    [
        (pa.int32(), Primitive("decimal", 10, 0), [2**31 - 1]),
        (pa.int64(), Primitive("decimal", 22, 2), [2**63 - 1]),
        (pa.decimal128(5, 2), Primitive("decimal", 7, 3), [Decimal("123.45")]),
    ],
    ids=str,
)
def test_number_is_widened_to_a_large_enough_decimal(narrow, wide, values):
    result = conform(pa.array(values, narrow), wide, "none", "c")

    assert (result.type, result.to_pylist()) == (arrow_type(wide), values)


def test_date_is_widened_to_its_midnight():
    result = conform(pa.array([date(2024, 1, 1)]), Primitive("timestamp_ntz"), "none", "c")

    assert result.to_pylist() == [datetime(2024, 1, 1)]  # noqa: DTZ001 - it has no zone


@pytest.mark.parametrize(
    ("wrong", "declared", "values"),
    [
        (pa.int64(), "integer", [1]),
        (pa.int64(), "double", [1]),
        (pa.uint8(), "long", [1]),
        (pa.float64(), "float", [1.0]),
        (pa.float64(), "long", [1.0]),
        (pa.string(), "long", ["1"]),
        (pa.int64(), "string", [1]),
        (pa.bool_(), "integer", [True]),
        (pa.int32(), "date", [1]),
        (pa.int64(), "timestamp", [1]),
        (pa.timestamp("us", tz="UTC"), "timestamp_ntz", [MOMENT]),
        (pa.date32(), "timestamp", [date(2024, 1, 1)]),
        (pa.decimal128(10, 2), "double", [Decimal(1)]),
        (pa.list_(pa.int64()), "long", [[1]]),
    ],
    ids=str,
)
def test_incompatible_type_raises_value_error(wrong, declared, values):
    with pytest.raises(
        ValueError, match=f"column c is .* in the file, and {declared} in the schema"
    ):
        conform(pa.array(values, wrong), Primitive(declared), "none", "c")


@pytest.mark.parametrize(
    ("wrong", "declared"),
    [
        (pa.decimal128(10, 2), (10, 3)),
        (pa.decimal128(10, 2), (9, 2)),
        (pa.int32(), (10, 1)),
        (pa.int64(), (19, 0)),
    ],
    ids=str,
)
def test_too_small_decimal_raises_value_error(wrong, declared):
    with pytest.raises(ValueError, match="in the schema of the table"):
        conform(pa.array([None], wrong), Primitive("decimal", *declared), "none", "c")


def test_finer_timestamp_raises_value_error():
    with pytest.raises(ValueError, match="would lose data"):
        conform(pa.array([1], pa.timestamp("ns", tz="UTC")), Primitive("timestamp"), "none", "c")


def test_bytes_that_are_not_utf8_raise_value_error():
    with pytest.raises(ValueError, match=r"(?i)utf8"):
        conform(pa.array([b"\xff"]), STRING, "none", "c")


NESTED = Struct(
    (
        field("a", LONG),
        field("b", Array(Struct((field("x", LONG),)), contains_null=True)),
        field("m", Map(STRING, LONG, True)),
    )
)
VALUES = [
    {"a": 1, "b": [{"x": 2}, None], "m": [("k", 3)]},
    None,
    {"a": None, "b": None, "m": None},
    {"a": 4, "b": [], "m": []},
]


def test_nested_fields_are_widened_added_and_dropped():
    narrow = pa.struct(
        [
            ("more", pa.string()),
            ("b", pa.list_(pa.struct([("x", pa.int8()), ("y", pa.int8())]))),
            ("m", pa.map_(pa.string(), pa.int16())),
        ]
    )
    rows = [
        value
        and {
            "more": "x",
            "b": value["b"] and [part and part | {"y": 1} for part in value["b"]],
            "m": value["m"],
        }
        for value in VALUES
    ]
    rows[3]["b"] = []

    result = conform(pa.array(rows, narrow), NESTED, "none", "c")

    assert result.type == arrow_type(NESTED)
    assert result.to_pylist() == [value and value | {"a": None} for value in VALUES]


@pytest.mark.parametrize("start", [0, 1, 2])
def test_array_slice_is_converted_like_the_whole(start):
    narrow = pa.struct(
        [
            ("a", pa.int8()),
            ("b", pa.large_list(pa.struct([("x", pa.int8())]))),
            ("m", pa.map_(pa.string(), pa.int16())),
        ]
    )

    result = conform(pa.array(VALUES, narrow)[start:], NESTED, "none", "c")

    result.validate(full=True)
    assert result.to_pylist() == VALUES[start:]


def test_chunks_are_kept():
    result = conform(
        pa.chunked_array(
            [pa.array([1], pa.int8()), pa.array([], pa.int8()), pa.array([2], pa.int8())]
        ),
        LONG,
        "none",
        "c",
    )

    assert (result.num_chunks, result.to_pylist()) == (3, [1, 2])


def test_nested_fields_are_found_by_physical_name():
    part = Field("x", LONG, nullable=True, metadata={"delta.columnMapping.physicalName": "col-1"})

    assert conform(pa.array([{"col-1": 5, "x": 6}]), Struct((part,)), "name", "c").to_pylist() == [
        {"x": 5}
    ]


def test_nested_fields_are_found_by_field_id():
    part = Field("x", LONG, nullable=True, metadata={"delta.columnMapping.id": 7})
    kind = pa.struct(
        [pa.field("x", pa.int64()), pa.field("y", pa.int64(), metadata={"PARQUET:field_id": "7"})]
    )

    assert conform(pa.array([{"x": 5, "y": 6}], kind), Struct((part,)), "id", "c").to_pylist() == [
        {"x": 6}
    ]


def test_nested_field_of_another_type_is_named_in_the_error():
    with pytest.raises(
        ValueError, match=r"column c\.b\.element\.x is string in the file, and long"
    ):
        conform(pa.array([{"b": [{"x": "1"}]}]), NESTED, "none", "c")


def test_schema_is_parsed_with_all_types():
    text = """{"type": "struct", "fields": [
        {"name": "d", "type": "decimal(10, 2)", "nullable": false, "metadata": {"comment": "c"}},
        {"name": "a", "type": {"type": "array", "elementType": {"type": "map", "keyType": "string", "valueType": "void"}}},
        {"name": "v", "type": "variant"}]}"""

    schema = parse(text)

    assert [str(column.type) for column in schema.fields] == [
        "decimal(10,2)",
        "array<map<string, void>>",
        "variant",
    ]
    assert (schema.fields[0].nullable, schema.fields[0].metadata, schema.fields[1].nullable) == (
        False,
        {"comment": "c"},
        True,
    )


@pytest.mark.parametrize(
    "name", ["decimal(39,0)", "decimal(0,0)", "decimal(2,3)", "decimal", "int", "Long"]
)
def test_unknown_type_name_becomes_other(name):
    assert (
        type(
            parse(f'{{"type": "struct", "fields": [{{"name": "a", "type": "{name}"}}]}}')
            .fields[0]
            .type
        ).__name__
        == "Other"
    )


def test_deeply_nested_schema_raises_value_error():
    text = (
        '{"type":"struct","fields":[{"name":"a","type":'
        + '{"type":"array","elementType":' * 200
        + '"long"'
        + "}" * 200
        + "}]}"
    )

    with pytest.raises(ValueError, match="nested more than 100 times"):
        parse(text)
