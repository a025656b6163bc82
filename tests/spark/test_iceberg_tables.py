"""Spark reads tables of Iceberg catalogs: rows, snapshots, filters, deletes and errors."""

from __future__ import annotations

import pytest

from lakepact.client import IcebergCatalog, pyiceberg_catalog
from lakepact.reference_server import running

from .deleted_rows import KEPT, table_with_deletes
from .test_shared_tables import COUNT, ROWS

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings(
        "default::ResourceWarning", "default::pytest.PytestUnraisableExceptionWarning"
    ),
]

ORDERS = ROWS.drop_columns(["list", "object", "map"])
FIRST, SECOND = ORDERS.slice(0, COUNT // 2), ORDERS.slice(COUNT // 2)


@pytest.fixture(scope="module")
def catalog():
    """Yield a catalog with a table of two files and two snapshots, and tables with deleted rows."""
    with running(contract="iceberg_rest") as server, IcebergCatalog(server.url) as catalog:
        catalog.create_namespace("n")
        table = pyiceberg_catalog(catalog).create_table("n.orders", ORDERS.schema)
        for rows in (FIRST, SECOND):
            table.append(rows)
        for kind in ("position", "equality", "vector"):
            table_with_deletes(catalog, "n", kind)
        yield server.url, catalog


def reading(spark, catalog, **options):
    return spark.read.format("lakepact").option("catalog", catalog[0]).options(**options)


@pytest.mark.parametrize("planner", ["client", "server"])
def test_rows_equal_those_written(spark, catalog, planner):
    rows = reading(spark, catalog, **{"scan-planning-mode": planner}).load("n.orders").orderBy("id")

    assert rows.toArrow().select(["id", "text", "day", "price"]).to_pylist() == (
        ROWS.select(["id", "text", "day", "price"]).to_pylist()
    )


@pytest.mark.parametrize("planner", ["client", "server"])
def test_filter_opens_only_matching_files(spark, catalog, planner):
    options = {"maxPartitionBytes": 1, "pushFilters": "true", "scan-planning-mode": planner}
    found = reading(spark, catalog, **options).load("n.orders")
    found = found.where(
        "id < 10 and day < date'2025-01-01' and price < 5 and at < timestamp'2030-01-01 00:00:00'"
    )

    assert (found.count(), found.rdd.getNumPartitions()) == (10, 1)
    assert (
        reading(spark, catalog, **options).load("n.orders").where("real > 3").count() == COUNT - 6
    )  # NaN is the greatest in Spark


@pytest.mark.parametrize("planner", ["client", "server"])
def test_deleted_rows_are_left_out(spark, catalog, planner):
    for kind in ("position", "vector", "equality"):
        rows = reading(spark, catalog, **{"scan-planning-mode": planner}).load(f"n.{kind}")
        assert sorted(row["id"] for row in rows.collect()) == KEPT


def test_file_that_is_missing_is_an_error_of_one_sentence(spark, catalog):
    table = pyiceberg_catalog(catalog[1]).create_table("n.lost", ORDERS.schema)
    table.append(FIRST)
    for task in table.scan().plan_files():
        table.io.delete(task.file.file_path)

    with pytest.raises(Exception, match=r"lakepact: .*lost.*\.parquet") as error:
        reading(spark, catalog).load("n.lost").collect()
    assert "Traceback" not in str(error.value)


def test_earlier_snapshot_is_read(spark, catalog):
    first = min(
        catalog[1].load_table("n.orders").metadata.snapshots,
        key=lambda snapshot: snapshot.sequence_number,
    )

    assert (
        reading(spark, catalog, **{"snapshot-id": first.snapshot_id}).load("n.orders").count()
        == COUNT // 2
    )
    assert (
        reading(spark, catalog, **{"as-of-timestamp": first.timestamp_ms}).load("n.orders").count()
        == COUNT // 2
    )


@pytest.mark.parametrize(
    ("options", "name", "message"),
    [
        ({}, "n.missing", "404 NoSuchTableException"),
        ({"snapshot-id": "5"}, "n.orders", "table orders has no snapshot 5"),
        ({"branch": "b"}, "n.orders", "table orders has no branch or tag 'b'"),
    ],
)
def test_wrong_use_raises_an_analysis_exception(spark, catalog, options, name, message):
    with pytest.raises(Exception, match=rf"(?s)AnalysisException: lakepact: .*{message}") as error:
        reading(spark, catalog, **options).load(name)
    assert "Traceback" not in str(error.value)


def test_stream_of_a_catalog_table_is_refused(spark, catalog, tmp_path):
    stream = spark.readStream.format("lakepact").option("catalog", catalog[0]).load("n.orders")

    with pytest.raises(Exception, match="only shared tables are streamed"):
        stream.writeStream.option("checkpointLocation", str(tmp_path)).format(
            "noop"
        ).start().processAllAvailable()
