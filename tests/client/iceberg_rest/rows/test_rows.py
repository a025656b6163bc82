"""Rows are read and written through both catalogs, once each, whatever happens to a commit or to
credentials.
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
from contextlib import aclosing
from dataclasses import replace

import httpx
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField

from driving import CONFLICT, Driven, Unreliable, apply_and_disconnect
from lakepact.client import NO_RETRIES, AsyncIcebergCatalog, IcebergCatalog, errors
from lakepact.client.iceberg_rest.file_io import file_io
from lakepact.client.origins import TrustedOrigins
from lakepact.client.retries import Retries
from lakepact.extras import install

SCHEMA = {
    "type": "struct",
    "identifier-field-ids": [1],
    "fields": [
        {"id": 1, "name": "id", "type": "long", "required": True},
        {"id": 2, "name": "city", "type": "string", "required": False},
    ],
}
ROWS = {"id": [1, 2, 3], "city": ["Rome", "Oslo", None]}
FEW = Retries(tries=3, first_pause=0.001)


@pytest.fixture
def table(server, names):
    """Return the name of a table of three rows."""
    name = next(names)
    with IcebergCatalog(server.url) as catalog:
        catalog.create_table(name, SCHEMA)
        catalog.append(name, pa.table(ROWS))
    return name


@pytest.fixture
def catalog(drive, server):
    return drive(server.url)


def read(catalog, scan):
    return catalog.result_of(scan.to_arrow()).to_pylist()


def stream(catalog, scan):
    return [row for batch in catalog.result_of(scan.batches()) for row in batch.to_pylist()]


def ids(catalog, table):
    return sorted(row["id"] for row in read(catalog, catalog.scan(table)))


@pytest.mark.parametrize("reading", [read, stream])
def test_scan_returns_columns_in_order_and_rows_of_the_filter(catalog, table, reading):
    assert reading(catalog, catalog.scan(table)) == pa.table(ROWS).to_pylist()
    assert reading(catalog, catalog.scan(table, ["city", "id"], "id < 3"))[0] == {
        "city": "Rome",
        "id": 1,
    }
    assert list(reading(catalog, catalog.scan(table, ["city", "id"]))[0]) == ["city", "id"]
    assert reading(catalog, catalog.scan(table, ["city"], "id > 1", limit=1)) == [{"city": "Oslo"}]
    assert reading(catalog, catalog.scan(table, limit=0)) == []


@pytest.mark.parametrize("reading", [read, stream])
def test_scan_of_a_tag_returns_its_rows(catalog, table, reading):
    catalog.result_of(catalog.change(table).set_tag("before").commit())
    catalog.delete(table, "id = 1")

    assert len(reading(catalog, catalog.scan(table, snapshot="before"))) == 3
    assert len(reading(catalog, catalog.scan(table, snapshot="main"))) == 2


def test_frames_hold_the_rows(catalog, table):
    scan = catalog.scan(table, ["id"])

    assert catalog.result_of(scan.to_pandas())["id"].tolist() == [1, 2, 3]
    assert catalog.result_of(scan.to_polars())["id"].to_list() == [1, 2, 3]
    assert catalog.result_of(scan.to_duckdb()).fetchall() == [(1,), (2,), (3,)]


@pytest.mark.parametrize(
    "rows",
    [
        {"id": [4], "city": ["Bonn"]},
        pd.DataFrame({"id": [4], "city": ["Bonn"]}),
        pl.DataFrame({"id": [4], "city": ["Bonn"]}),
        pa.table(
            {"id": [4], "city": ["Bonn"]},
            schema=pa.schema([pa.field("id", pa.int64(), False), ("city", pa.string())]),
        ).to_reader(),
    ],
    ids=lambda rows: type(rows).__name__,
)
def test_rows_of_each_form_are_appended(server, table, rows):
    with Driven(IcebergCatalog, server.url) as catalog:
        catalog.append(table, rows)

        assert read(catalog, catalog.scan(table, None, "id = 4")) == [{"id": 4, "city": "Bonn"}]


def test_table_is_created_from_schemas_of_pyarrow_and_pyiceberg(server, names):
    theirs = Schema(NestedField(7, "id", LongType(), required=True), identifier_field_ids=[7])
    with IcebergCatalog(server.url) as catalog:
        schemas = [
            catalog.create_table(next(names), schema).metadata.current_schema
            for schema in (pa.table(ROWS).schema, theirs)
        ]

    assert [[(one.id, one.name, one.type) for one in schema.fields] for schema in schemas] == [
        [(1, "id", "long"), (2, "city", "string")],
        [(1, "id", "long")],
    ]
    assert list(schemas[1].identifier_field_ids or ()) == [1]


def test_null_in_a_required_column_raises_value_error(server, table):
    with IcebergCatalog(server.url) as catalog, pytest.raises(ValueError, match="id"):
        catalog.append(table, {"id": [4, None], "city": ["Bonn", "Bern"]})


def test_rows_are_overwritten_upserted_and_deleted(catalog, table):
    catalog.overwrite(table, {"id": [4], "city": ["Bonn"]}, "id = 1")
    result = catalog.upsert(table, {"id": [4, 5], "city": ["Bern", "Nice"]})
    catalog.delete(table, "city is null")

    assert (result.rows_updated, result.rows_inserted) == (1, 1)
    rows = sorted((row["id"], row["city"]) for row in read(catalog, catalog.scan(table)))
    assert rows == [(2, "Oslo"), (4, "Bern"), (5, "Nice")]


def test_files_and_partitions_are_tables_of_arrow(catalog, table):
    first = catalog.load_table(table).metadata.current_snapshot_id
    catalog.append(table, {"id": [4], "city": ["Bonn"]})

    assert sorted(catalog.files(table)["record_count"].to_pylist()) == [1, 3]
    assert catalog.files(table, snapshot=first)["record_count"].to_pylist() == [3]
    assert catalog.partitions(table)["record_count"].to_pylist() == [4]


def disconnect(inner, request):
    raise httpx.ReadError("gone")


def conflict_once():
    """Return a function that rejects the first commit with 409 and passes on the others."""
    replies = [httpx.Response(409, json=CONFLICT)]
    return lambda inner, request: replies.pop() if replies else inner.handle_request(request)


def test_append_whose_answer_is_lost_has_its_rows_once(drive, server, table):
    carrier = Unreliable(apply_and_disconnect)

    drive(server.url, carrier=carrier, retries=FEW).append(table, {"id": [4], "city": ["Bonn"]})

    assert carrier.commits == 1
    with Driven(IcebergCatalog, server.url) as catalog:
        assert ids(catalog, table) == [1, 2, 3, 4]


def test_append_without_an_answer_is_sent_once(drive, server, table):
    carrier = Unreliable(disconnect)

    with pytest.raises(errors.OutcomeUnknown):
        drive(server.url, carrier=carrier, retries=FEW).append(table, {"id": [4], "city": ["Bonn"]})

    assert carrier.commits == 1


@pytest.mark.parametrize(("retries", "count"), [(FEW, 2), (NO_RETRIES, 1)])
def test_append_after_a_conflict_is_committed_again_as_retries_allow(
    drive, server, table, retries, count
):
    carrier = Unreliable(conflict_once())
    catalog = drive(server.url, carrier=carrier, retries=retries)

    if retries is NO_RETRIES:
        with pytest.raises(errors.CommitRejected):
            catalog.append(table, {"id": [4], "city": ["Bonn"]})
    else:
        catalog.append(table, {"id": [4], "city": ["Bonn"]})

    assert carrier.commits == count
    assert ids(catalog, table) == [1, 2, 3, 4][: 2 + count]


def test_concurrent_writes_of_one_client_wait_for_each_other(server, table):
    async def write():
        async with AsyncIcebergCatalog(server.url, retries=NO_RETRIES) as catalog:
            appends = [
                catalog.append(table, {"id": [number], "city": ["Bonn"]}) for number in range(4, 14)
            ]
            await asyncio.gather(*appends, catalog.delete(table, "id = 2"))

    asyncio.run(write())

    with Driven(IcebergCatalog, server.url) as catalog:
        assert ids(catalog, table) == [1, *range(3, 14)]


def test_delete_after_a_conflict_deletes_rows_that_came_meanwhile(drive, server, table):
    with Driven(IcebergCatalog, server.url) as other:

        def overtaken(inner, request):
            if carrier.commits == 1:
                other.append(table, {"id": [4], "city": ["Rome"]})
            return inner.handle_request(request)

        carrier = Unreliable(overtaken)
        catalog = drive(server.url, carrier=carrier, retries=FEW)
        catalog.delete(table, "city = 'Rome'")

        assert ids(other, table) == [2, 3]


def test_append_that_is_committed_again_is_reported(drive, server, table):
    announcements = []
    catalog = drive(
        server.url,
        carrier=Unreliable(conflict_once()),
        retries=replace(FEW, on_retry=announcements.append),
    )

    catalog.append(table, {"id": [4], "city": ["Bonn"]})

    assert [(one.operation, one.tries, one.status) for one in announcements] == [
        ("updateTable", 1, 409)
    ]


def test_missing_table_raises_the_error_of_the_client(catalog):
    for call in (
        lambda: catalog.append("n.none", ROWS),
        lambda: read(catalog, catalog.scan("n.none")),
    ):
        with pytest.raises(errors.NoSuchTable):
            call()


def test_batches_of_a_large_file_hold_a_part_of_its_rows(server, names):
    table, number = next(names), 600_000
    with IcebergCatalog(server.url) as catalog:
        catalog.create_table(table, SCHEMA, properties={"write.parquet.row-group-limit": "100000"})
        cities = pc.utf8_lpad(pa.array(range(number)).cast(pa.string()), 128, "0")
        catalog.append(table, {"id": range(number), "city": cities})
        before, sizes, rows = pa.total_allocated_bytes(), [], 0
        for batch in catalog.scan(table).batches():
            rows += batch.num_rows
            sizes.append(pa.total_allocated_bytes() - before)

    assert rows == number
    assert max(sizes) < number * 136 / 2


def test_stream_that_is_left_early_is_closed(server, table):
    async def first():
        async with (
            AsyncIcebergCatalog(server.url) as catalog,
            aclosing(catalog.scan(table).batches()) as batches,
        ):
            return (await anext(batches)).num_rows

    assert asyncio.run(first()) == 3


def test_expired_credentials_are_loaded_again_before_a_file_is_opened(tmp_path):
    refreshes = []

    def renew():
        refreshes.append("again")
        return {"s3.session-token-expires-at-ms": str(int(time.time() * 1000) + 3_600_000)}

    io = file_io(
        {"s3.session-token-expires-at-ms": "1"},
        "file:///t",
        TrustedOrigins.of("http://127.0.0.1"),
        renew,
    )
    for name in ("a", "b"):
        with io.new_output(f"{tmp_path}/{name}").create() as file:
            file.write(b"rows")

    assert refreshes == ["again"]


def test_missing_library_names_the_extra(server, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyiceberg", None)

    with (
        IcebergCatalog(server.url) as catalog,
        pytest.raises(ImportError, match=re.escape(install("iceberg"))),
    ):
        catalog.append("n.t", ROWS)
