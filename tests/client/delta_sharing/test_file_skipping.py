"""Files that cannot hold a wanted row are not fetched."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from lakepact.client import column
from lakepact.client.delta_sharing.file_skipping import FileSkipping
from lakepact.client.delta_sharing.lines import Facts, Metadata, SharedFile

from .serving import PARQUET, B, Desk, file, lines, parquet_file

TYPES = dict(i="long", s="string", d="date", t="timestamp", f="float", r="double", m="decimal(9,2)", b="boolean", p="date")  # noqa: C408
FIELDS = [{"name": name, "type": kind, "nullable": True, "metadata": {}} for name, kind in TYPES.items()]
METADATA = Metadata(
    format="parquet", id="1", schema_string=json.dumps({"type": "struct", "fields": FIELDS}), partition_columns=("p",)
)  # fmt: skip
STATISTICS = {
    "numRecords": 3,
    "minValues": {"i": 10, "s": "b", "d": "2024-01-02", "t": "2024-01-01T00:00:00.000Z", "f": 0.1, "r": 1.5, "m": 1.10},
    "maxValues": {"i": 20, "s": "d", "d": "2024-01-04", "t": "2024-01-01T00:00:00.001Z", "f": 0.1, "r": 2.5, "m": 2.20},
    "nullCount": {"i": 0, "s": 1, "b": 3, "d": 0},
}


def may_hold(predicate, *, stats=STATISTICS, **partition):
    text = stats if isinstance(stats, str) or stats is None else json.dumps(stats)
    values = {"p": "2024-03-01"} | partition
    facts = Facts("file", "https://store.test/a", "a", values, 1, text, None, None, None, None, None, False)
    return FileSkipping(predicate, METADATA).may_hold(SharedFile.of(facts))


i, s, d, t, f, r, m, b, p = map(column, TYPES)
NEVER = [
    i == 9, i > 20, i >= 21, i < 10, i <= 9, i.is_null(), i == 9.5, ~(i >= 10), i.is_in([1, 2, 30]), (i == 15) & (s == "e"),
    (i == 1) | (i == 2), s > "d", d < date(2024, 1, 2), t > datetime(2024, 1, 1, 0, 0, 0, 2001, tzinfo=UTC), m == Decimal("2.21"),
    b.is_in([True]), b.is_not_null(), p != date(2024, 3, 1), p.is_null(), r == 1.4, r > 2.5,
]  # fmt: skip
PERHAPS = [
    i == 10, i == 20, i != 15, i > 19, i < 11, i.is_not_null(), ~(i > 10), s.is_null(), s == "c", ~(s == "c"), (i == 1) | (i == 15),
    t > datetime(2024, 1, 1, 0, 0, 0, 1999, tzinfo=UTC), f == 0.10000000149011612, ~(r < 3.0), m == Decimal("2.20"), b.is_null(),
    p == date(2024, 3, 1), d == date(2024, 1, 3), (i == "text"), column("missing") == 1,
]  # fmt: skip


@pytest.mark.parametrize("predicate", NEVER, ids=map(str, range(len(NEVER))))
def test_file_without_a_wanted_row_is_skipped(predicate):
    assert not may_hold(predicate)


@pytest.mark.parametrize("predicate", PERHAPS, ids=map(str, range(len(PERHAPS))))
def test_file_that_may_have_a_wanted_row_is_kept(predicate):
    assert may_hold(predicate)


@pytest.mark.parametrize("stats", [None, "", "nonsense", "[]", '{"minValues": 1, "maxValues": []}', '{"minValues": {"i": "x"}}'])
def test_missing_or_invalid_statistics_skip_nothing(stats):
    assert may_hold(i == 9, stats=stats)


def test_invalid_partition_value_skips_nothing():
    assert may_hold(p == date(2024, 3, 2), p="March")


def test_null_partition_value_is_skipped_by_a_comparison():
    assert not may_hold(p == date(2024, 3, 1), p=None)


def test_skipped_file_is_not_fetched(table):
    bounds = [{"numRecords": 3, "minValues": {"id": low}, "maxValues": {"id": low + 2}, "nullCount": {"id": 0}} for low in (1, 4)]
    content = parquet_file(B)
    files = [file(name, stats=json.dumps(stats), size=len(content)) for name, stats in zip("ab", bounds, strict=True)]
    desk = Desk(query=lines(*PARQUET, *files)).on("GET store.test/b", content)

    assert table(desk).to_arrow(predicate=column("id") > 4).column("id").to_pylist() == [5, 6]
    assert "GET /a" not in desk.asked
