"""Files that cannot hold a wanted row are not fetched."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from lakepact.client import column
from lakepact.client.delta_sharing.file_skipping import FileSkipping
from lakepact.client.delta_sharing.lines import Facts, Metadata, SharedFile
from lakepact.client.delta_sharing.rows.expressions import bound

from .serving import PARQUET, B, Desk, file, lines, parquet_file

TYPES = dict(  # noqa: C408
    i="long",
    s="string",
    d="date",
    t="timestamp",
    f="float",
    r="double",
    m="decimal(9,2)",
    b="boolean",
    p="date",
)
FIELDS = [
    {"name": name, "type": kind, "nullable": True, "metadata": {}} for name, kind in TYPES.items()
]
METADATA = Metadata(
    format="parquet", id="1", schema_string=json.dumps({"type": "struct", "fields": FIELDS}), partition_columns=("p",)
)  # fmt: skip
STATISTICS = {
    "numRecords": 3,
    "minValues": {
        "i": 10,
        "s": "b",
        "d": "2024-01-02",
        "t": "2024-01-01T00:00:00.000Z",
        "f": 0.1,
        "r": 1.5,
        "m": 1.10,
    },
    "maxValues": {
        "i": 20,
        "s": "d",
        "d": "2024-01-04",
        "t": "2024-01-01T00:00:00.001Z",
        "f": 0.1,
        "r": 2.5,
        "m": 2.20,
    },
    "nullCount": {"i": 0, "s": 1, "b": 3, "d": 0},
}


def may_hold(predicate, *, stats=STATISTICS, **partition):
    text = stats if isinstance(stats, str) or stats is None else json.dumps(stats)
    values = {"p": "2024-03-01"} | partition
    facts = Facts(
        "file", "https://store.test/a", "a", values, 1, text, None, None, None, None, None, False
    )
    return FileSkipping(bound(predicate, METADATA.schema), METADATA).may_hold(SharedFile.of(facts))


i, s, d, t, f, r, m, b, p = map(column, TYPES)
NEVER = [
    i == 9, i > 20, i >= 21, i < 10, i <= 9, i.is_null(), i == 9.5, ~(i >= 10), i.is_in([1, 2, 30]), (i == 15) & (s == "e"),
    (i == 1) | (i == 2), s > "d", d < date(2024, 1, 2), t > datetime(2024, 1, 1, 0, 0, 0, 2001, tzinfo=UTC), m == Decimal("2.21"),
    b.is_in([True]), b.is_not_null(), p != date(2024, 3, 1), p.is_null(), r == 1.4, r > 2.5,
]  # fmt: skip
PERHAPS = [
    i == 10, i == 20, i != 15, i > 19, i < 11, i.is_not_null(), ~(i > 10), s.is_null(), s == "c", ~(s == "c"), (i == 1) | (i == 15),
    t > datetime(2024, 1, 1, 0, 0, 0, 1999, tzinfo=UTC), f == 0.10000000149011612, ~(r < 3.0), m == Decimal("2.20"), b.is_null(),
    p == date(2024, 3, 1), d == date(2024, 1, 3),
]  # fmt: skip


@pytest.mark.parametrize("predicate", NEVER, ids=map(str, range(len(NEVER))))
def test_file_without_a_wanted_row_is_skipped(predicate):
    assert not may_hold(predicate)


@pytest.mark.parametrize("predicate", PERHAPS, ids=map(str, range(len(PERHAPS))))
def test_file_that_may_have_a_wanted_row_is_kept(predicate):
    assert may_hold(predicate)


def may_match(kind, low, high, *predicates):
    """Return whether a file with these bounds of its column x is kept, for each predicate."""
    fields = [{"name": "x", "type": kind, "nullable": True, "metadata": {}}]
    metadata = Metadata(
        format="parquet",
        id="1",
        schema_string=json.dumps({"type": "struct", "fields": fields}),
        partition_columns=(),
    )
    stats = json.dumps(
        {"numRecords": 3, "minValues": {"x": low}, "maxValues": {"x": high}, "nullCount": {"x": 0}}
    )
    facts = Facts(
        "file", "https://store.test/a", "a", {}, 1, stats, None, None, None, None, None, False
    )
    return [
        FileSkipping(bound(predicate, metadata.schema), metadata).may_hold(SharedFile.of(facts))
        for predicate in predicates
    ]


x = column("x")
NTZ = datetime(2024, 1, 1, 0, 0, 0, 123456)  # noqa: DTZ001 - it has no zone
LAST = datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)


@pytest.mark.parametrize(
    "text", ["2024-01-01T00:00:00.123", "2024-01-01 00:00:00.123", "2024-01-01T00:00:00.124"]
)
def test_times_without_zone_are_kept_within_a_millisecond(text):
    assert (
        may_match(
            "timestamp_ntz", text, text, x == NTZ, x > NTZ.replace(microsecond=123000), x != NTZ
        )
        == [True] * 3
    )
    assert (
        may_match(
            "timestamp_ntz",
            text,
            text,
            x < NTZ.replace(microsecond=121999),
            x > NTZ.replace(microsecond=125001),
        )
        == [False] * 2
    )


def test_offset_of_a_zone_is_known_to_the_minute():
    text = "1850-06-01T04:07:02.000-07:52"

    assert may_match(
        "timestamp",
        text,
        text,
        x == datetime(1850, 6, 1, 12, 0, 0, 1, tzinfo=UTC),
        x > datetime(1850, 6, 1, 12, 1, tzinfo=UTC),
    ) == [True, False]


def test_bounds_at_the_ends_of_the_calendar_exclude_what_is_beyond_the_other():
    assert may_match(
        "timestamp",
        "2024-01-01T00:00:00Z",
        "9999-12-31T23:59:59.999Z",
        x == LAST,
        x < LAST.replace(year=2022),
    ) == [True, False]
    assert may_match(
        "timestamp",
        "0001-01-01T00:00:00Z",
        "2024-01-01T00:00:00Z",
        x == LAST.replace(year=1),
        x == LAST,
    ) == [True, False]
    assert may_match(
        "timestamp",
        "2024-01-01T00:00:00Z",
        "+12000-01-01T00:00:00Z",
        x == LAST,
        x < LAST.replace(year=2022),
    ) == [True, False]


def test_double_can_be_the_short_text_of_a_float():
    assert may_match("double", 3.4, 3.4, x == 3.4000000953674316, x > 3.4, x != 3.4, x > 3.41) == [
        True,
        True,
        True,
        False,
    ]
    assert may_match(
        "float", 7.038531e-26, 7.038531e-26, x == 7.038530691851209e-26, x == 7.038531308148791e-26
    ) == [True, True]
    assert may_match("double", 1.5, 1e300, x < 1.5, x > 1e300, x > 1e299) == [False, False, True]


@pytest.mark.parametrize("nan", ["NaN", float("nan")], ids=["text", "token"])
def test_nan_is_no_bound(nan):
    assert may_match("double", 1.0, nan, x == 5.0, x < 1.0) == [True, False]
    assert may_match("float", nan, nan, x == 5.0, ~(x < 5.0)) == [True, True]


def test_decimals_are_known_as_well_as_doubles_hold_them():
    assert may_match(
        "decimal(38,0)",
        12345678901234568,
        12345678901234568,
        x == 12345678901234567,
        x == 12345678901234000,
    ) == [True, False]
    assert may_match(
        "decimal(9,2)", 1.1, 2.2, x < Decimal("1.10"), x > Decimal("2.20"), x == Decimal("2.20")
    ) == [False, False, True]


def test_decimal_bound_at_the_limit_of_a_long_is_no_bound():
    assert may_match("decimal(38,0)", 1, 2**63 - 1, x == 10**37, x < 0) == [True, False]
    assert may_match("decimal(38,0)", -(2**63), 1, x == -(10**37), x > 2) == [True, False]


@pytest.mark.parametrize("end", ["\ufffd", "?\ufffd", "\U0010ffff", "\ud83d", "\ud83d\ufffd"])  # noqa: PT014 - halves of characters differ
def test_cut_text_bounds_all_texts_that_begin_so(end):
    assert may_match(
        "string", "a", "ab" + end, x == "ab😀z", x > "ab\U0010ffff\U0010ffff", x > "ac"
    ) == [True, True, False]


def test_long_text_without_an_end_of_cut_texts_bounds_all_that_begin_so():
    assert may_match("string", "a", "b" * 32, x == "b" * 40, x > "c") == [True, False]
    assert may_match("string", "a", chr(0x10FFFF) * 40, x == chr(0x10FFFF) * 50, x < "a") == [
        True,
        False,
    ]


def test_statistics_of_bytes_skip_nothing():
    assert may_match("binary", "\\x00", "\\x01", x == b"\x00", x == b"z") == [True, True]


@pytest.mark.parametrize(
    "stats",
    [
        None,
        "",
        "nonsense",
        "[]",
        '{"minValues": 1, "maxValues": []}',
        '{"minValues": {"i": "x"}}',
        '{"minValues": {"i": ""}}',
    ],
)
def test_missing_or_invalid_statistics_skip_nothing(stats):
    assert may_hold(i == 9, stats=stats)


def test_invalid_partition_value_skips_nothing():
    assert may_hold(p == date(2024, 3, 2), p="March")


def test_float_partition_value_is_the_nearest_float():
    fields = [{"name": "x", "type": "float", "nullable": True, "metadata": {}}]
    metadata = Metadata(
        format="parquet",
        id="1",
        schema_string=json.dumps({"type": "struct", "fields": fields}),
        partition_columns=("x",),
    )
    facts = Facts(
        "file",
        "https://store.test/a",
        "a",
        {"x": "3.4"},
        1,
        None,
        None,
        None,
        None,
        None,
        None,
        False,
    )

    assert [
        FileSkipping(bound(each, metadata.schema), metadata).may_hold(SharedFile.of(facts))
        for each in (x == 3.4000000953674316, x == 3.4)
    ] == [True, False]


def test_null_partition_value_is_skipped_by_a_comparison():
    assert not may_hold(p == date(2024, 3, 1), p=None)


def test_skipped_file_is_not_fetched(table):
    bounds = [
        {
            "numRecords": 3,
            "minValues": {"id": low},
            "maxValues": {"id": low + 2},
            "nullCount": {"id": 0},
        }
        for low in (1, 4)
    ]
    content = parquet_file(B)
    files = [
        file(name, stats=json.dumps(stats), size=len(content))
        for name, stats in zip("ab", bounds, strict=True)
    ]
    desk = Desk(query=lines(*PARQUET, *files)).on("GET store.test/b", content)

    assert table(desk).to_arrow(row_filter=column("id") > 4).column("id").to_pylist() == [5, 6]
    assert "GET /a" not in desk.calls
