"""Files whose bounds, partition values and delete files are of an older type, or have no order
among equals, are kept.
"""

from __future__ import annotations

import io
import math
import struct
from decimal import Decimal
from typing import Any

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.reference_server.iceberg_rest.scan_planning.deletes import Deletes
from lakepact.reference_server.iceberg_rest.scan_planning.expressions import NEVER, expression
from lakepact.reference_server.iceberg_rest.scan_planning.manifests import (
    ADDED,
    EQUALITY_DELETES,
    POSITION_DELETES,
    Entry,
    Manifest,
    entries_of,
)
from lakepact.reference_server.iceberg_rest.scan_planning.names import names_of
from lakepact.reference_server.iceberg_rest.scan_planning.pruning import Pruning
from lakepact.reference_server.warehouse.avro import AvroReader
from lakepact.reference_server.warehouse.local import MemoryWarehouse

DAY = 86_400_000_000  #: microseconds


def spec(transform: str) -> dict[str, Any]:
    return {
        "spec-id": 0,
        "fields": [{"source-id": 1, "field-id": 1000, "name": "x", "transform": transform}],
    }


def bounds(low: bytes, high: bytes) -> dict[str, Any]:
    """Return a file whose column 1 lies between two bounds."""
    counts = {"value_counts": 4, "null_value_counts": 0, "nan_value_counts": 0}
    numbers = {name: [{"key": 1, "value": count}] for name, count in counts.items()}
    return {
        "lower_bounds": [{"key": 1, "value": low}],
        "upper_bounds": [{"key": 1, "value": high}],
        **numbers,
    }


def may_match(
    filter_: dict[str, Any], type_: str, entry: Entry, *, transform: str = "identity"
) -> bool:
    """Return whether a file is kept."""
    schema = {
        "type": "struct",
        "fields": [{"id": 1, "name": "x", "type": type_, "required": False}],
    }
    names = names_of(schema, format_version=3, case_sensitive=True)
    known = spec(transform) if entry.partition else {"fields": []}
    return Pruning(expression(filter_, names), {0: known}, {1: type_}).remains(entry) != NEVER


def measured(low: bytes, high: bytes) -> Entry:
    return Entry(ADDED, 1, 1, 0, bounds(low, high), (), None)


def written(
    value: Any, avro: Any, type_: str, *, content: int = 0, transform: str = "identity"
) -> Entry:
    """Return a file of a partition whose value a manifest has as `value` of the Avro type
    `avro`.
    """
    partition = {
        "type": "record",
        "name": "r102",
        "fields": [{"name": "x", "type": ["null", avro], "field-id": 1000}],
    }
    file = {
        "type": "record",
        "name": "r2",
        "fields": [
            {"name": "content", "type": "int"},
            {"name": "file_path", "type": "string"},
            {"name": "file_format", "type": "string"},
            {"name": "record_count", "type": "long"},
            {"name": "partition", "type": partition},
        ],
    }
    entry = {
        "type": "record",
        "name": "entry",
        "fields": [{"name": "status", "type": "int"}, {"name": "data_file", "type": file}],
    }
    known = {
        "content": content,
        "file_path": f"{content}.parquet",
        "file_format": "parquet",
        "record_count": 1,
        "partition": {"x": value},
    }
    stream, warehouse = io.BytesIO(), MemoryWarehouse()
    fastavro.writer(stream, entry, [{"status": ADDED, "data_file": known}])
    warehouse.write("memory:/m.avro", stream.getvalue())
    manifest = Manifest(
        "memory:/m.avro", 0, content != 0, 1 if content == 0 else 2, 1, None, None, 1
    )
    (found,) = entries_of(AvroReader(warehouse), manifest, {0: spec(transform)}, {1: type_})
    return found


def compares(kind: str, value: Any) -> dict[str, Any]:
    return {"type": kind, "term": "x", "value": value}


PROMOTED = [
    ("long", (5).to_bytes(4, "little"), 5),
    ("double", struct.pack("<f", 3.4), struct.unpack("<f", struct.pack("<f", 3.4))[0]),
    ("decimal(30, 2)", (-105).to_bytes(1, "big", signed=True), "-1.05"),
    ("timestamp", (-2).to_bytes(4, "little", signed=True), "1969-12-30T00:00:00"),
    ("timestamp_ns", (19_000).to_bytes(4, "little"), "2022-01-08T00:00:00"),
    ("binary", "é".encode(), "C3A9"),
]


@pytest.mark.parametrize(("type_", "raw", "value"), PROMOTED)
@pytest.mark.parametrize("kind", ["eq", "gt-eq", "lt-eq"])
def test_bounds_of_the_former_type_keep_the_file_of_their_value(
    type_: str, raw: bytes, value: Any, kind: str
) -> None:
    assert may_match(compares(kind, value), type_, measured(raw, raw))


@pytest.mark.parametrize(("type_", "raw", "value"), PROMOTED)
@pytest.mark.parametrize("kind", ["gt", "lt", "not-eq"])
def test_bounds_of_the_former_type_leave_out_a_file_without_the_value(
    type_: str, raw: bytes, value: Any, kind: str
) -> None:
    assert not may_match(compares(kind, value), type_, measured(raw, raw))


def test_bounds_of_timestamps_are_no_dates() -> None:
    raw = (19_000 * DAY).to_bytes(8, "little")
    assert may_match(compares("eq", "2022-01-08"), "date", measured(raw, raw))


@pytest.mark.parametrize("days", [-2, 0, 1, 19_000])
@pytest.mark.parametrize(("type_", "units"), [("timestamp", DAY), ("timestamp_ns", DAY * 1000)])
def test_partition_dates_of_a_promoted_column_are_midnights(
    days: int, type_: str, units: int
) -> None:
    old, new = (
        written(days, {"type": "int", "logicalType": "date"}, type_),
        written(days * units + 5, "long", type_),
    )

    assert (old.partition, new.partition) == ((days * units,), (days * units + 5,))
    assert may_match(compares("eq", days * units), type_, old)
    assert not may_match(compares("eq", days * units), type_, new)


@pytest.mark.parametrize("term", ["x", {"type": "transform", "transform": "day", "term": "x"}])
def test_days_before_1970_may_be_those_of_writers_that_rounded_towards_it(term: Any) -> None:
    last = {
        "type": "eq",
        "term": term,
        "value": "1969-12-31T23:59:59" if term == "x" else "1969-12-31",
    }

    assert may_match(
        last, "timestamp", written(0, "int", "timestamp", transform="day"), transform="day"
    )
    assert not may_match(
        last, "timestamp", written(1, "int", "timestamp", transform="day"), transform="day"
    )


# The table format orders -0.0 before 0.0, and SQL takes them for equal.


@pytest.mark.parametrize("type_", ["float", "double"])
@pytest.mark.parametrize(
    ("kind", "literal", "held"),
    [
        ("lt", 0.0, -0.0),
        ("gt", -0.0, 0.0),
        ("eq", 0.0, -0.0),
        ("eq", -0.0, 0.0),
        ("lt-eq", -0.0, 0.0),
        ("not-eq", 0.0, -0.0),
    ],
)
def test_zeros_of_either_sign_may_be_two_numbers(
    type_: str, kind: str, literal: float, held: float
) -> None:
    raw = struct.pack("<f" if type_ == "float" else "<d", held)

    assert may_match(compares(kind, literal), type_, measured(raw, raw))
    assert may_match(compares(kind, literal), type_, written(held, type_, type_))


# -- the partitions that delete files belong to ----------------------------------------------------


def applies(data: Entry, delete: Entry) -> bool:
    return Deletes([delete], {0: spec("identity")}).of(data) == [delete]


def fixed(size: int) -> dict[str, Any]:
    return {
        "type": "fixed",
        "name": f"f{size}",
        "size": size,
        "logicalType": "decimal",
        "precision": 9,
        "scale": 2,
    }


def digits(value: Decimal, size: int) -> bytes:
    return int(value.scaleb(2)).to_bytes(size, "big", signed=True)


@pytest.mark.parametrize("content", [POSITION_DELETES, EQUALITY_DELETES])
@pytest.mark.parametrize(
    ("type_", "of_data", "of_deletes"),
    [
        ("double", (math.nan, "float"), (math.nan, "double")),
        ("double", (1.5, "float"), (1.5, "double")),
        ("long", (5, "int"), (5, "long")),
        ("timestamp", (3, {"type": "int", "logicalType": "date"}), (3 * DAY, "long")),
        ("string", (None, "string"), (None, "string")),
        ("binary", ("a", "string"), (b"a", "bytes")),
    ],
)
def test_deletes_apply_to_a_partition_whose_value_is_of_the_former_type(
    type_: str, of_data: Any, of_deletes: Any, content: int
) -> None:
    assert applies(written(*of_data, type_), written(*of_deletes, type_, content=content))


@given(st.decimals(-999, 999, places=2), st.decimals(-999, 999, places=2) | st.none())
def test_deletes_apply_to_equal_decimals_only(one: Decimal, other: Decimal | None) -> None:
    other = one if other is None else other
    type_ = "decimal(30, 2)"
    data, delete = (
        written(digits(one, 5), fixed(5), type_),
        written(digits(other, 13), fixed(13), type_, content=EQUALITY_DELETES),
    )

    assert applies(data, delete) == (one == other)
