"""Frames and streams of every library are written as a table takes them: nothing is lost, and
nothing is printed.
"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from lakepact.client import IcebergCatalog
from lakepact.reference_server import running
from sample_tables.table_documents import field, struct

SCHEMA = struct(
    field(1, "id", "int", required=True),
    field(2, "city", "string"),
    field(3, "at", "timestamp"),
    field(4, "seen", "timestamptz"),
    field(5, "price", "decimal(9, 2)"),
    field(6, "share", "float"),
    field(7, "key", "uuid"),
    field(
        8,
        "tags",
        {"type": "list", "element-id": 9, "element": "timestamp", "element-required": True},
    ),
)
NOON = datetime(2026, 1, 2, 12)  # noqa: DTZ001 - the type has no zone
COLUMNS = ("id", "city", "at", "seen", "price", "share", "key", "tags")


@pytest.fixture(scope="module")
def catalog():
    with running() as server, IcebergCatalog(server.url) as catalog:
        catalog.create_namespace("n")
        yield catalog


@pytest.fixture
def table(catalog, names):
    name = next(names)
    catalog.create_table(name, SCHEMA)
    return name


FRAME = pd.DataFrame({"id": [1, 2, 3], "city": ["Rome", None, "Oslo"]})
FORMS = {
    "filtered pandas": FRAME[FRAME.id > 1],
    "polars": pl.DataFrame({"id": [2, 3], "city": [None, "Oslo"]}),
    "polars with categories": pl.DataFrame(
        {"id": [2, 3], "city": [None, "Oslo"]}, schema_overrides={"city": pl.Categorical}
    ),
    "duckdb": duckdb.sql("SELECT * FROM (VALUES (2, NULL), (3, 'Oslo')) AS t(id, city)"),
    "arrow": pa.table({"id": [2, 3], "city": [None, "Oslo"]}),
    "batch": pa.record_batch({"id": [2, 3], "city": [None, "Oslo"]}),
    "columns": {"id": [2, 3], "city": [None, "Oslo"]},
}


@pytest.mark.parametrize("rows", FORMS.values(), ids=FORMS)
def test_rows_of_each_library_are_appended(catalog, table, rows):
    catalog.append(table, rows)

    actual = catalog.scan(table, ["id", "city"]).to_arrow().to_pylist()
    assert actual == [{"id": 2, "city": None}, {"id": 3, "city": "Oslo"}]


def test_stream_is_converted_batch_by_batch(catalog, table):
    rows = pa.table({"id": [2, 3], "at": pa.array([NOON, None], pa.timestamp("ns"))})

    catalog.append(table, pa.RecordBatchReader.from_batches(rows.schema, rows.to_batches(1)))

    assert catalog.scan(table, ["at"]).to_arrow()["at"].to_pylist() == [NOON, None]


BERLIN = pd.Timestamp(NOON, tz="Europe/Berlin")
FITTING = {
    "nanoseconds": ("at", pa.array([NOON], pa.timestamp("ns")), NOON),
    "seconds": ("at", pa.array([NOON], pa.timestamp("s")), NOON),
    "zone": ("seen", pa.array([BERLIN], pa.timestamp("ns", "Europe/Berlin")), BERLIN),
    "integers": ("price", pa.array([3], pa.int64()), Decimal("3.00")),
    "real numbers": ("share", pa.array([1.5 ], pa.float64()), 1.5),
    "nan": ("share", pa.array([float("inf")], pa.float64()), float("inf")),
    "nulls": ("city", pa.array([None]), None),
    "uuid": ("key", pa.array([UUID(int=1).bytes]), UUID(int=1)),
    "list": ("tags", pa.array([[NOON]], pa.list_(pa.timestamp("ns"))), [NOON]),
}  # fmt: skip


@pytest.mark.parametrize(("column", "values", "expected"), FITTING.values(), ids=FITTING)
def test_value_that_the_table_can_hold_is_written(catalog, table, column, values, expected):
    catalog.append(table, pa.table({"id": [1], column: values}))

    assert catalog.scan(table).to_arrow()[column].to_pylist() == [expected]


def test_whole_numbers_of_a_column_with_nulls_stay_whole(catalog, table):
    catalog.append(table, pd.DataFrame({"id": [1.0, 2.0]}))

    assert catalog.scan(table, ["id"]).to_arrow()["id"].to_pylist() == [1, 2]


UNFIT = {
    "named index": (FRAME.set_index("city"), "index .*city.*reset_index"),
    "index of times": (FRAME.set_index(pd.to_datetime(["2026", "2027", "2028"])), "reset_index"),
    "lost nanosecond": ({"id": [1], "at": np.array([1], "M8[ns]")}, '"at".*would lose data'),
    "time without zone": ({"id": [1], "seen": [NOON]}, '"seen" is timestamp'),
    "time with zone": ({"id": [1], "at": [NOON.replace(tzinfo=UTC)]}, '"at" is timestamp'),
    "large number": ({"id": [2**40]}, '"id" is int64 in the rows and int32'),
    "fraction": ({"id": [1.5]}, '"id" is double'),
    "rounded": ({"id": [1], "share": [0.1]}, '"share".*rounded'),
    "text": ({"id": ["1"]}, '"id" is string'),
    "number for text": ({"id": [1], "city": [1]}, '"city" is int64'),
    "texts in a list": ({"id": [1], "tags": [["a"]]}, '"tags.element" is string'),
    "nulls": ({"id": [None]}, '"id" is required, and 1 values'),
    "no such column": ({"id": [1], "town": ["Rome"]}, 'no column "town".*union_by_name'),
    "column missing": ({"city": ["Rome"]}, 'no column "id", which the table requires'),
    "not rows": ([1], "given list"),
    "another object": (object(), "given object"),
}


@pytest.mark.parametrize(("rows", "message"), UNFIT.values(), ids=UNFIT)
@pytest.mark.parametrize("write", ["append", "overwrite", "upsert"])
def test_rows_that_do_not_fit_raise_one_sentence(catalog, table, capfd, write, rows, message):
    keys = {"keys": ["id"]} if write == "upsert" else {}

    with pytest.raises((ValueError, TypeError), match=message) as exc_info:
        getattr(catalog, write)(table, rows, **keys)

    assert ("\n" in str(exc_info.value), capfd.readouterr().out) == (False, "")


def test_stream_that_does_not_fit_raises_its_sentence(catalog, table):
    rows = pa.table({"id": [1, None]})

    with pytest.raises(ValueError, match='"id" is required'):
        catalog.append(table, rows.to_reader())
    assert catalog.scan(table).to_arrow().num_rows == 0
