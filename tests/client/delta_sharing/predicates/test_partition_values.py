"""Text of partition values parses in the type of the column or raises an error."""

from __future__ import annotations

import contextlib
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.client.delta_sharing.partition_values import parse
from lakepact.client.delta_sharing.schemas import Array, Primitive

PRIMITIVES = (
    "binary",
    "boolean",
    "byte",
    "date",
    "double",
    "float",
    "integer",
    "long",
    "short",
    "string",
    "timestamp",
    "timestamp_ntz",
)
TYPES = [*(Primitive(name) for name in PRIMITIVES), Primitive("decimal", 10, 2)]


@pytest.mark.parametrize("text", [None, ""])
@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_null_and_empty_text_parse_to_null(kind, text):
    assert parse(text, kind) is None


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("string", "a b/c%=é", "a b/c%=é"),
        ("string", " ", " "),
        ("string", "null", "null"),
        ("boolean", "true", True),
        ("boolean", "false", False),
        ("byte", "-128", -128),
        ("long", "9223372036854775807", 2**63 - 1),
        ("integer", "007", 7),
        ("double", "1.5E-3", 0.0015),
        ("double", "-Infinity", float("-inf")),
        ("float", "3", 3.0),
        ("date", "2024-02-29", date(2024, 2, 29)),
        ("timestamp", "2024-01-01 12:30:00", datetime(2024, 1, 1, 12, 30, tzinfo=UTC)),
        (
            "timestamp",
            "2024-01-01 12:30:00.123456",
            datetime(2024, 1, 1, 12, 30, 0, 123456, tzinfo=UTC),
        ),
        (
            "timestamp",
            "2024-01-01T12:30:00.5Z",
            datetime(2024, 1, 1, 12, 30, 0, 500000, tzinfo=UTC),
        ),
        (
            "timestamp",
            "2024-01-01T12:30:00+02:00",
            datetime(2024, 1, 1, 12, 30, tzinfo=timezone(timedelta(hours=2))),
        ),
        (
            "timestamp",
            "2024-01-01 12:30:00.123456000",
            datetime(2024, 1, 1, 12, 30, 0, 123456, tzinfo=UTC),
        ),
        ("timestamp_ntz", "2024-01-01 12:30:00", datetime(2024, 1, 1, 12, 30)),  # noqa: DTZ001 - it has no zone
        ("timestamp_ntz", "2024-01-01", datetime(2024, 1, 1)),  # noqa: DTZ001 - a date before the column was widened
        ("float", "3.4", 3.4000000953674316),
        ("binary", "\x01\xff", b"\x01\xff"),
    ],
)
def test_text_parses_in_the_type_of_its_column(name, text, value):
    assert parse(text, Primitive(name)) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("boolean", "True"),
        ("boolean", "FALSE"),
        ("boolean", "1"),
        ("byte", "128"),
        ("short", "-32769"),
        ("integer", "2147483648"),
        ("long", "9223372036854775808"),
        ("long", "1.0"),
        ("long", " 1"),
        ("long", "1_000"),
        ("long", "١"),  # noqa: RUF001 - a digit, though not of ASCII
        ("double", "1,5"),
        ("double", "0x1p3"),
        ("date", "2024-1-1"),
        ("date", "2023-02-29"),
        ("date", "20240101"),
        ("date", "2024-01-01 00:00:00"),
        ("timestamp", "2024-01-01"),
        ("timestamp", "2024-01-01 24:00:00"),
        ("timestamp", "2024-01-01 12:30:00.1234567"),
        ("timestamp", "1704067200"),
        ("timestamp_ntz", "2024-01-01 12:30:00Z"),
        ("binary", "€"),
        ("string_view", "a"),
    ],
)
def test_text_of_another_type_raises_value_error(name, text):
    with pytest.raises(ValueError, match=r"is not a|cannot be one that"):
        parse(text, Primitive(name))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12.3", "12.3"),
        ("-99999999.99", "-99999999.99"),
        ("1E+3", "1000"),
        ("1.500", "1.5"),
        ("0", "0"),
    ],
)
def test_decimal_is_exact(text, value):
    assert parse(text, Primitive("decimal", 10, 2)) == Decimal(value)


@pytest.mark.parametrize("text", ["1.234", "100000000", "1E+8", "NaN", "Infinity", "1e99999", "a"])
def test_decimal_that_does_not_fit_raises_value_error(text):
    with pytest.raises(ValueError, match=r"is not a decimal\(10,2\)"):
        parse(text, Primitive("decimal", 10, 2))


def test_nested_partition_column_raises_value_error():
    with pytest.raises(
        ValueError, match="array<long> cannot be one that a table is partitioned by"
    ):
        parse("[1]", Array(Primitive("long"), contains_null=True))


@given(st.sampled_from(TYPES), st.text(max_size=40))
def test_any_text_parses_or_raises_value_error(kind, text):
    with contextlib.suppress(ValueError):
        parse(text, kind)


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, min_value=-(10**8) + 1, max_value=10**8 - 1, places=2
    )
)
def test_decimals_round_trip(value):
    assert parse(str(value), Primitive("decimal", 10, 2)) == value


@given(st.datetimes(min_value=datetime(1, 1, 1), max_value=datetime(9999, 12, 31)))  # noqa: DTZ001 - these have no zone
def test_timestamps_round_trip(moment):
    text = moment.strftime("%Y-%m-%d %H:%M:%S.%f").rjust(26, "0")

    assert parse(text, Primitive("timestamp_ntz")) == moment
    assert parse(text, Primitive("timestamp")) == moment.replace(tzinfo=UTC)
