"""Statistics that a checkpoint has only as columns are converted to JSON texts."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakepact.reference_server.delta_sharing.log import Log
from sample_tables.delta_logs import HEAD, TYPES, Table


def statistics_of(folder: Path, parsed: pa.Array, **also: pa.Array) -> list[Any]:
    """Return the statistics of the files of a table whose checkpoint has these statistics and
    further columns.
    """
    table, count = Table(folder / "t"), len(parsed)
    members = {
        "path": pa.array([f"f{n}" for n in range(count)]),
        "size": pa.array([1] * count, pa.int64()),
        "stats_parsed": parsed,
        **also,
    }
    adds = pa.StructArray.from_arrays(list(members.values()), names=list(members))
    none = pa.nulls(2, adds.type)
    head = [{"protocol": None, "metaData": None, **action} for action in HEAD]
    columns = {
        kind: pa.array([row[kind] for row in head] + [None] * count, TYPES[kind])
        for kind in ("protocol", "metaData")
    }
    pq.write_table(
        pa.table({**columns, "add": pa.concat_arrays([none, adds])}),
        table.log / f"{0:020}.checkpoint.parquet",
    )
    texts = [file.get("stats") for file in Log(table.folder).snapshot().files]
    return [None if text is None else json.loads(text, parse_float=Decimal) for text in texts]


def test_counts_and_nested_columns(tmp_path: Path) -> None:
    said = [
        {"numRecords": 3, "nullCount": {"a": 0, "s": {"b": 1}}, "tightBounds": True},
        {"numRecords": 0, "nullCount": {"a": None, "s": None}, "tightBounds": None},
        None,
    ]

    assert statistics_of(tmp_path, pa.array(said)) == [
        said[0],
        {"numRecords": 0, "nullCount": {}},
        None,
    ]


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (pa.int64(), 2**62, 2**62),
        (pa.int8(), -1, -1),
        (pa.float64(), 0.5, Decimal("0.5")),
        (pa.float32(), -1.25, Decimal("-1.25")),
        (pa.string(), 'é"', 'é"'),
        (pa.bool_(), True, True),
        (
            pa.decimal128(38, 10),
            Decimal("1234567890123456789012345678.0123456789"),
            Decimal("1234567890123456789012345678.0123456789"),
        ),
        (pa.date32(), dt.date(1, 2, 3), "0001-02-03"),
        (
            pa.timestamp("us", "UTC"),
            dt.datetime(2024, 1, 2, 3, 4, 5, 6, tzinfo=dt.UTC),
            "2024-01-02T03:04:05.000006Z",
        ),
        (pa.timestamp("us"), dt.datetime(2024, 1, 2, 3, 4, 5), "2024-01-02T03:04:05.000000"),  # noqa: DTZ001 it has no zone
    ],
)
def test_least_values(tmp_path: Path, kind: pa.DataType, value: Any, text: Any) -> None:
    parsed = pa.array(
        [{"minValues": {"a": value}}, {"minValues": {"a": None}}],
        pa.struct([("minValues", pa.struct([("a", kind)]))]),
    )

    assert statistics_of(tmp_path, parsed) == [{"minValues": {"a": text}}, {"minValues": {}}]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_values_that_have_no_text_are_left_out(tmp_path: Path, value: float) -> None:
    parsed = pa.array([{"numRecords": 1, "minValues": {"a": value, "b": 1.5}}])

    assert statistics_of(tmp_path, parsed) == [
        {"numRecords": 1, "minValues": {"b": Decimal("1.5")}}
    ]


def test_binary_values_are_left_out(tmp_path: Path) -> None:
    assert statistics_of(tmp_path, pa.array([{"minValues": {"a": b"\xff"}}])) == [{"minValues": {}}]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([None, None], [{"numRecords": 1}, {"numRecords": 2}]),
        (['{"numRecords":5}', None], [{"numRecords": 5}, None]),
    ],
)
def test_text_statistics_precede_parsed_statistics(
    tmp_path: Path, texts: list[str | None], expected: list[Any]
) -> None:
    parsed = pa.array([{"numRecords": 1}, {"numRecords": 2}])

    assert statistics_of(tmp_path, parsed, stats=pa.array(texts, pa.string())) == expected
