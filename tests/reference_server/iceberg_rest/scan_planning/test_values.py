"""Values of requests and files are read, sent in the contract's form and hashed into buckets."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import mmh3
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyiceberg import conversions, types

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.scan_planning import calendar
from lakepact.reference_server.iceberg_rest.scan_planning.hashing import bucket, murmur3
from lakepact.reference_server.iceberg_rest.scan_planning.values import (
    Literal,
    from_avro,
    from_bytes,
    literal,
    value_as_json,
)

TOLD = [
    ("boolean", True, True),
    ("int", -34, -34),
    ("long", 2**62, 2**62),
    ("double", 1.5, 1.5),
    ("decimal(9, 2)", Decimal("14.2"), "14.20"),
    ("decimal(9, 2)", Decimal("-0.05"), "-0.05"),
    ("decimal(38, 0)", Decimal(10**37 + 1), str(10**37 + 1)),
    ("date", 17_486, "2017-11-16"),
    ("date", -719_528, "0000-01-01"),
    ("time", 81_068_123_456, "22:31:08.123456"),
    ("timestamp", -1, "1969-12-31T23:59:59.999999"),
    ("timestamptz", 0, "1970-01-01T00:00:00.000000+00:00"),
    ("timestamp_ns", -1, "1969-12-31T23:59:59.999999999"),
    ("timestamptz_ns", 1, "1970-01-01T00:00:00.000000001+00:00"),
    ("string", "ä", "ä"),
    (
        "uuid",
        bytes.fromhex("f79c3e09677c4bbda4793f349cb785e7"),
        "f79c3e09-677c-4bbd-a479-3f349cb785e7",
    ),
    ("fixed[2]", b"\x00\xff", "00FF"),
    ("binary", b"\x0a", "0A"),
]


@pytest.mark.parametrize(("kind", "value", "text"), TOLD)
def test_value_round_trips_in_the_form_of_its_type(kind: str, value: Any, text: Any) -> None:
    assert value_as_json(value, kind) == text
    assert literal(text, kind, "/value") == Literal(value, value)


@pytest.mark.parametrize(
    ("kind", "number"),
    [
        ("date", 17_486),
        ("time", 5),
        ("timestamp", 1_767_312_000_000_000),
        ("timestamptz", -5),
        ("timestamp_ns", 7),
    ],
)
def test_numbers_are_dates_and_times_too_as_engines_send_them(kind: str, number: int) -> None:
    assert literal(number, kind, "/value") == Literal(number, number)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("boolean", 1),
        ("boolean", "true"),
        ("int", "5"),
        ("int", 1.5),
        ("int", True),
        ("int", None),
        ("double", "1.5"),
        ("double", True),
        ("decimal(9, 2)", "1,5"),
        ("decimal(9, 2)", "NaN"),
        ("date", "2017-02-29"),
        ("date", "2017-1-1"),
        ("date", "2017-11-16T00:00:00"),
        ("time", "24:00:00"),
        ("timestamp", "2017-11-16T22:31:08+00:00"),
        ("timestamp", "2017-11-16"),
        ("timestamptz", "2017-11-16T22:31:08"),
        ("timestamptz", "2017-11-16T22:31:08+99:00"),
        ("timestamp", "2017-11-16T22:31:08.1234567"),
        ("string", 5),
        ("string", {}),
        ("uuid", "f79c3e09"),
        ("binary", "0"),
        ("binary", "xy"),
        ("fixed[2]", 5),
    ],
)
def test_value_of_another_type_returns_400_with_its_place(kind: str, value: Any) -> None:
    with pytest.raises(Problem, match=r"at /filter/value: .* is no value of type") as caught:
        literal(value, kind, "/filter/value")

    assert caught.value.status == 400


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2017-11-16T22:31:08.5+01:30", "2017-11-16T21:01:08.500000+00:00"),
        ("2017-11-16T22:31:08Z", "2017-11-16T22:31:08.000000+00:00"),
        ("2017-11-16T00:10-05:00", "2017-11-16T05:10:00.000000+00:00"),
    ],
)
def test_zones_and_short_times_are_understood(text: str, expected: str) -> None:
    assert value_as_json(literal(text, "timestamptz", "/value").low, "timestamptz") == expected


def test_float_literal_has_its_written_and_its_rounded_value() -> None:
    found = literal(0.1, "float", "/value")

    assert (found.low, found.high) == (0.1, 0.10000000149011612)


@given(st.dates())
def test_dates_are_those_of_the_calendar(date: dt.date) -> None:
    days = (date - dt.date(1970, 1, 1)).days

    assert calendar.date_of(days) == (date.year, date.month, date.day)
    assert calendar.read_date(calendar.show_date(days)) == days


@given(st.integers(-(10**8), 10**8))
def test_dates_of_any_year_come_back(days: int) -> None:
    assert calendar.days_of(*calendar.date_of(days)) == days


@given(st.binary(max_size=40))
def test_bytes_are_hashed_as_by_murmur3(data: bytes) -> None:
    assert murmur3(data) == mmh3.hash(data, signed=False)


@pytest.mark.parametrize(
    ("kind", "value", "hashed"),
    [
        ("int", 34, 2017239379),
        ("long", 34, 2017239379),
        ("decimal(9, 2)", Decimal("14.20"), -500754589),
        ("date", 17_486, -653330422),
        ("time", 81_068_000_000, -662762989),
        ("timestamp", 1_510_871_468_000_000, -2047944441),
        ("timestamp_ns", 1_510_871_468_000_001_001, -1207196810),
        ("string", "iceberg", 1210000089),
        ("uuid", bytes.fromhex("f79c3e09677c4bbda4793f349cb785e7"), 1488055340),
        ("binary", b"\x00\x01\x02\x03", -188683207),
    ],
)
def test_bucket_hashes_equal_the_examples_of_the_table_format(
    kind: str, value: Any, hashed: int
) -> None:
    assert bucket(value, kind, 2**31 - 1) == (hashed & 0x7FFFFFFF) % (2**31 - 1)


@pytest.mark.parametrize(
    ("kind", "of_pyiceberg", "value", "plain"),
    [
        ("int", types.IntegerType(), -5, -5),
        ("long", types.LongType(), 2**40, 2**40),
        ("double", types.DoubleType(), -1.5, -1.5),
        ("boolean", types.BooleanType(), True, True),
        ("date", types.DateType(), 17_486, 17_486),
        ("timestamptz", types.TimestamptzType(), -7, -7),
        ("string", types.StringType(), "ä", "ä"),
        ("decimal(9, 2)", types.DecimalType(9, 2), Decimal("-14.20"), Decimal("-14.20")),
        ("binary", types.BinaryType(), b"\xff", b"\xff"),
    ],
)
def test_bounds_are_read_as_others_write_them(
    kind: str, of_pyiceberg: Any, value: Any, plain: Any
) -> None:
    assert from_bytes(conversions.to_bytes(of_pyiceberg, value), kind) == plain


@pytest.mark.parametrize(
    ("kind", "raw", "expected"),
    [
        ("long", (5).to_bytes(4, "little"), 5),
        ("double", b"\x00\x00\xc0\x3f", 1.5),
        ("timestamp", (1).to_bytes(4, "little"), 86_400_000_000),
        ("long", b"\x01", None),
        ("double", b"\x00", None),
        ("double", b"\x00\x00\x00\x00\x00\x00\xf8\x7f", None),
        ("string", b"\xff", None),
        ("boolean", b"", None),
        ("variant", b"x", None),
    ],
)
def test_bounds_of_narrower_types_are_widened_and_others_unknown(
    kind: str, raw: bytes, expected: Any
) -> None:
    assert from_bytes(raw, kind) == expected


def test_bytes_longer_than_a_decimal_are_none() -> None:
    assert from_bytes(b"\1" * 32, "decimal(38, 2)") is not None
    assert from_bytes(b"\1" * 33, "decimal(38, 2)") is None
    assert from_bytes(b"\1" * 1_000_000, "decimal(38, 2)") is None


def test_partition_value_longer_than_a_decimal_is_refused() -> None:
    with pytest.raises(ValueError, match="another type"):
        from_avro(b"\1" * 1_000_000, "decimal(38, 2)")
