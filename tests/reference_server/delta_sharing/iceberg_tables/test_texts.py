"""Bounds and partition values of pyiceberg as Delta texts; values without a common text are left
out.
"""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyiceberg import types
from pyiceberg.conversions import to_bytes

from lakepact.reference_server.delta_sharing.iceberg_tables.statistics import (
    Known,
    leaves,
    statistics,
)
from lakepact.reference_server.delta_sharing.iceberg_tables.texts import (
    NoText,
    bound,
    partition_text,
)

EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001
MICROS = st.integers(-62135596800000000, 253402300799999999)


def moment(micros: int) -> str:
    return (EPOCH + dt.timedelta(microseconds=micros)).isoformat(timespec="microseconds")


VALUES = {
    "integer": (types.IntegerType(), st.integers(-(2**31), 2**31 - 1), lambda value: value),
    "long": (types.LongType(), st.integers(-(2**63), 2**63 - 1), lambda value: value),
    "float": (
        types.FloatType(),
        st.floats(width=32, allow_nan=False, allow_infinity=False),
        lambda value: value,
    ),
    "double": (
        types.DoubleType(),
        st.floats(allow_nan=False, allow_infinity=False),
        lambda value: value,
    ),
    "string": (types.StringType(), st.text(), lambda value: value),
    "date": (
        types.DateType(),
        st.integers(-719162, 2932896),
        lambda days: (dt.date(1970, 1, 1) + dt.timedelta(days=days)).isoformat(),
    ),
    "timestamp": (
        types.TimestamptzType(),
        MICROS,
        lambda micros: f"{moment(micros)}Z",
    ),
    "timestamp_ntz": (
        types.TimestampType(),
        MICROS,
        moment,
    ),
}


@pytest.mark.parametrize("name", VALUES)
def test_a_bound_is_the_value_that_was_serialised(name):
    type_, values, told = VALUES[name]

    @given(values)
    def invariant(value):
        assert json.loads(bound(name, to_bytes(type_, value))) == told(value)

    invariant()


@given(st.decimals(min_value=Decimal("-1e27"), max_value=Decimal("1e27"), places=4))
def test_a_bound_of_a_decimal_keeps_every_digit(value):
    text = bound("decimal(38,4)", to_bytes(types.DecimalType(38, 4), value))
    assert json.loads(text, parse_float=Decimal, parse_int=Decimal) == value


@given(
    st.sampled_from([*VALUES, "decimal(10,2)", "boolean", "binary", "variant"]),
    st.binary(max_size=20),
)
def test_no_bytes_make_a_bound_that_is_no_json(name, raw):
    text = bound(name, raw)
    assert text is None or json.loads(text) is not None


@pytest.mark.parametrize(("name", "value"), [("integer", 5), ("double", 2.5)])
def test_bounds_from_before_a_column_was_widened_are_read(name, value):
    narrow = {"integer": types.IntegerType(), "double": types.FloatType()}[name]
    assert json.loads(bound({"integer": "long"}.get(name, name), to_bytes(narrow, value))) == value


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_numbers_that_json_does_not_have_are_no_bounds(value):
    assert bound("double", to_bytes(types.DoubleType(), value)) is None


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("string", "a/b c%=é", "a/b c%=é"),
        ("integer", -5, "-5"),
        ("long", 2**62, str(2**62)),
        ("boolean", False, "false"),
        ("date", -1, "1969-12-31"),
        ("decimal(10,2)", (10000).to_bytes(2, "big"), "100.00"),
        ("decimal(10,2)", (-10).to_bytes(1, "big", signed=True), "-0.10"),
        ("string", None, None),
    ],
)
def test_partition_values_have_texts(name, value, text):
    assert partition_text(name, value) == text


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("string", ""),
        ("boolean", 1.5),
        ("integer", "5"),
        ("date", 10**9),
        ("timestamp", 5),
        ("double", 0.5),
        ("binary", b""),
        ("decimal(10,2)", b"\1" * 2000),
    ],
)
def test_values_without_a_common_text_have_none(name, value):
    with pytest.raises(NoText):
        partition_text(name, value)


def column(number, name, type_, **more):
    return {"id": number, "name": name, "type": type_, "required": False, **more}


PARTS = [
    column(5, 'q"', "int"),
    column(6, "l", {"type": "list", "element-id": 9, "element": "int"}),
]
SCHEMA = {
    "type": "struct",
    "fields": [
        column(1, "id", "long"),
        column(2, "real", "double"),
        column(3, "part", "string"),
        column(
            4,
            "s",
            {
                "type": "struct",
                "fields": [
                    column(5, 'q"', "int"),
                    column(6, "l", {"type": "list", "element-id": 9, "element": "int"}),
                ],
            },
        ),
        column(7, "list", {"type": "list", "element-id": 8, "element": "long"}),
        column(10, "empty", {"type": "struct", "fields": []}),
    ],
}


def statistics_of(**known):
    whole = {"records": 3, "nulls": {}, "nans": {}, "low": {}, "high": {}} | known
    return json.loads(statistics(leaves(SCHEMA, but=("part",)), Known(**whole)))


def test_statistics_mirror_the_schema():
    low = {
        1: (1).to_bytes(8, "little"),
        3: b"a",
        5: (7).to_bytes(4, "little"),
        8: (1).to_bytes(8, "little"),
    }
    assert statistics_of(nulls={1: 0, 2: 1, 3: 0, 5: 2, 8: 0, 9: 1}, low=low, high=low) == {
        "numRecords": 3,
        "minValues": {"id": 1, "s": {'q"': 7}},
        "maxValues": {"id": 1, "s": {'q"': 7}},
        "nullCount": {"id": 0, "real": 1, "s": {'q"': 2}},
    }


@pytest.mark.parametrize(("nans", "is_told"), [({}, False), ({2: 1}, False), ({2: 0}, True)])
def test_upper_bound_is_sent_only_without_nan(nans, is_told):
    found = statistics_of(
        nans=nans,
        low={2: to_bytes(types.DoubleType(), 1.5)},
        high={2: to_bytes(types.DoubleType(), 2.5)},
    )
    assert found["minValues"] == {"real": 1.5}
    assert found["maxValues"] == ({"real": 2.5} if is_told else {})


def test_file_without_statistics_has_its_row_count():
    assert statistics_of() == {"numRecords": 3, "minValues": {}, "maxValues": {}, "nullCount": {}}
