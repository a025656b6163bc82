"""Spark reads shared tables: rows, versions, changes, filters, expired URLs, and errors."""

from __future__ import annotations

import datetime as dt
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake

from lakepact.client import BadRequest, OperationNotSupported, SharingClient, UpgradeNeeded
from lakepact.conformance.fixtures import pack
from lakepact.reference_server import running

from .conftest import TOKEN, sharing_of

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings(
        "default::ResourceWarning", "default::pytest.PytestUnraisableExceptionWarning"
    ),
]

COUNT = 1000
DAY = dt.date(2024, 1, 1)
ROWS = pa.table(
    {
        "id": pa.array(range(COUNT)),
        "part": pa.array([number * 4 // COUNT for number in range(COUNT)], pa.int32()),
        "text": [None if number % 11 == 0 else f"t{number}" for number in range(COUNT)],
        "day": [DAY + dt.timedelta(days=number) for number in range(COUNT)],
        "at": pa.array([number * 1_000_001 for number in range(COUNT)], pa.timestamp("us", "UTC")),
        "price": pa.array([Decimal(number) / 100 for number in range(COUNT)], pa.decimal128(9, 2)),
        "real": [float("nan") if number % 7 == 0 else number / 2 for number in range(COUNT)],
        "list": [[number, None] for number in range(COUNT)],
        "object": [{"a": number, "b": str(number)} for number in range(COUNT)],
        "map": pa.array(
            [[("k", number)] for number in range(COUNT)], pa.map_(pa.string(), pa.int64())
        ),
    }
)


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    """Yield the profile of a share with a table of four partitions, each of two files."""
    folder = tmp_path_factory.mktemp("orders")
    odd = pa.compute.equal(pa.compute.bit_wise_and(ROWS["id"], 1), 1)
    for half in (ROWS.filter(pa.compute.invert(odd)), ROWS.filter(odd)):
        write_deltalake(folder / "orders", half, partition_by=["part"], mode="append")
    with sharing_of(folder, folder / "orders") as profile:
        yield profile


def reading(spark: Any, profile: str, **options: Any) -> Any:
    return spark.read.format("lakepact").option("profile", profile).options(**options)


def same(one: Any, other: Any) -> bool:
    return (
        one.schema.simpleString() == other.schema.simpleString()
        and one.exceptAll(other).isEmpty()
        and other.exceptAll(one).isEmpty()
    )


@pytest.mark.parametrize("form", ["parquet", "delta"])
def test_rows_equal_those_of_the_parquet_files(spark, profile, tmp_path, form):
    pq.write_table(ROWS.drop_columns("map"), tmp_path / "rows.parquet")
    shared = reading(spark, profile, responseFormat=form).load("share.schema.orders")

    assert same(shared.drop("map"), spark.read.parquet(str(tmp_path / "rows.parquet")))
    assert shared.selectExpr("sum(map['k'])").first()[0] == sum(range(COUNT))


@pytest.mark.parametrize(
    ("condition", "files", "rows"),
    [
        ("part = 1", 2, 250),
        ("id < 10", 2, 10),
        ("part = 1 and id < 10", 0, 0),
        ("day >= date'2026-01-01' and price < 8", 4, 69),
        ("text like 't99%' and part in (2, 3)", 2, 9),
        ("real > 400", 8, 199 + 115),
        ("not (id >= 250)", 2, 250),
    ],
)
def test_filter_opens_only_matching_files(spark, profile, condition, files, rows):
    found = (
        reading(spark, profile, maxPartitionBytes=1, pushFilters="true")
        .load("share.schema.orders")
        .where(condition)
    )

    assert found.count() == rows
    assert found.rdd.getNumPartitions() == max(files, 1)  # Spark has one partition for no file


CONDITIONS = (
    "real > 3",
    "real <= 3",
    "not (real < 3)",
    "text is null",
    "text <> 't5'",
    "text <=> null",
    "at > timestamp'1970-01-01 00:05:00'",
)


def test_pushed_filters_change_no_row(spark, profile):
    unfiltered = reading(spark, profile).load("share.schema.orders")

    for condition in CONDITIONS:
        filtered = (
            reading(spark, profile, pushFilters="true").load("share.schema.orders").where(condition)
        )
        assert filtered.count() == unfiltered.where(condition).count() > 0


FOREIGN = Path(__file__).parents[1] / "client" / "delta_sharing" / "predicates" / "spark_tables"
FOREIGN_CONDITIONS = {
    "types": (
        "c_timestamp_ntz = timestamp_ntz'2024-01-01 00:00:00.123456'",
        "c_timestamp_ntz > timestamp_ntz'2024-01-01 00:00:00.123'",
        "c_timestamp > timestamp'2024-01-01 00:00:00.123999Z' - interval 1 microsecond",
        "c_double = 1.5",
        "c_float = float(3.4)",
        "c_float <= float('-Infinity')",
        "c_float = float('NaN')",
        "c_string like 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx%'",
        "c_decimal_38_0 = 9223372036854775808",
        "c_boolean is not null and c_bigint > 0",
        "c_date > date'9999-12-30'",
    ),
    "widened": (
        "c_float_to_double = double(float(3.4))",
        "c_float_to_double < 3.41",
        "c_date_to_timestamp_ntz <= timestamp_ntz'2024-01-02'",
        "c_tinyint_to_decimal_12_2 = 127",
        "c_bigint_to_decimal_20_0 = 9223372036854775807",
    ),
    "partitioned": (
        "c_float = float(3.4)",
        "c_float = float('NaN')",
        "c_string is null",
        "c_timestamp_ntz < timestamp_ntz'1970-01-01'",
    ),
    "deleted": ("c_id = 10", "c_id is null", "c_real = 1.5"),
}


def test_pushed_filters_change_no_row_of_tables_by_delta_spark(spark, tmp_path):
    with sharing_of(tmp_path, *(FOREIGN / name for name in FOREIGN_CONDITIONS)) as profile:
        for name, conditions in FOREIGN_CONDITIONS.items():
            unfiltered = reading(spark, profile).load(f"share.schema.{name}")
            for condition in conditions:
                filtered = (
                    reading(spark, profile, pushFilters="true")
                    .load(f"share.schema.{name}")
                    .where(condition)
                )
                assert filtered.count() == unfiltered.where(condition).count() > 0, (
                    name,
                    condition,
                )


def test_one_data_frame_can_be_filtered_in_several_ways(spark, profile):
    rows = reading(spark, profile).load("share.schema.orders")

    assert [
        rows.where("id < 10").count(),
        rows.count(),
        rows.where("id < 5").union(rows).count(),
    ] == [10, COUNT, COUNT + 5]


def test_every_fixture_table_has_the_rows_of_the_client(spark, tmp_path):
    pack.write(tmp_path / "tables")
    with running(shares=tmp_path / "tables" / "shares.yaml", warehouse="memory:") as server:
        profile = next(
            iter(
                server.services["delta_sharing"].profiles(server.address("delta_sharing")).values()
            )
        ).decode()
        with SharingClient(profile) as client:
            tables = [
                (table.share, table.schema_, table.name)
                for share in client.shares()
                for table in client.all_tables(share.name)
            ]
            read = 0
            for place in tables:
                try:
                    rows = client.table(*place).to_arrow()
                except (BadRequest, OperationNotSupported, UpgradeNeeded):
                    continue
                if any("." in name for name in place):
                    continue
                assert reading(spark, profile).load(".".join(place)).count() == rows.num_rows
                read += 1

    assert read > 5


def test_earlier_version_is_read(spark, profile):

    assert reading(spark, profile, versionAsOf=0).load("share.schema.orders").count() == COUNT // 2
    assert reading(spark, profile).load("share.schema.orders").count() == COUNT


def test_schema_of_the_caller_chooses_columns(spark, profile):
    rows = (
        reading(spark, profile)
        .schema("text string, id long")
        .load("share.schema.orders")
        .where("id = 5")
    )

    assert [tuple(row) for row in rows.collect()] == [("t5", 5)]


def test_changes_of_versions_are_read(spark, tmp_path):
    folder = tmp_path / "changed"
    write_deltalake(
        folder, pa.table({"id": [1, 2, 3]}), configuration={"delta.enableChangeDataFeed": "true"}
    )
    DeltaTable(folder).update(updates={"id": "20"}, predicate="id = 2")
    DeltaTable(folder).delete("id = 3")

    with sharing_of(tmp_path, folder) as profile:
        rows = reading(spark, profile, readChangeFeed="true", startingVersion=1).load(
            "share.schema.changed"
        )
        told = sorted(
            (row["_commit_version"], row["_change_type"], row["id"]) for row in rows.collect()
        )

    assert told == [(1, "update_postimage", 20), (1, "update_preimage", 2), (2, "delete", 3)]
    assert dict(rows.dtypes)["_commit_timestamp"] == "timestamp"


def test_urls_that_expire_before_the_task_are_refreshed(spark, tmp_path):
    write_deltalake(tmp_path / "orders", ROWS, partition_by=["part"])
    with sharing_of(tmp_path, tmp_path / "orders", preSignedUrlTimeoutSeconds=1) as profile:
        rows = reading(spark, profile).load("share.schema.orders").rdd
        assert rows.getNumPartitions() == 1  # the files are listed here
        time.sleep(2)

        assert rows.count() == COUNT


def test_plans_show_no_secret(spark, profile, capfd):
    for given in (profile, Path(profile).read_text("utf-8")):
        reading(spark, given).load("share.schema.orders").where("id > 3").explain(extended=True)

    assert TOKEN not in "".join(capfd.readouterr())


@pytest.mark.parametrize(
    ("options", "name", "message"),
    [
        ({}, "share.schema.missing", "404 RESOURCE_DOES_NOT_EXIST"),
        ({}, "missing", r"name the shared table: .load"),
        ({"versionAsOff": "1"}, "share.schema.orders", "option versionasoff is not known here"),
        (
            {"profile": "/missing.share"},
            "share.schema.orders",
            "profile /missing.share cannot be read on the driver",
        ),
        (
            {"profile": "{}"},
            "share.schema.orders",
            "shareCredentialsVersion of a profile is a number",
        ),
    ],
)
def test_wrong_use_raises_an_analysis_exception(spark, profile, options, name, message):
    with pytest.raises(Exception, match=rf"(?s)AnalysisException: lakepact: .*{message}"):
        reading(spark, options.pop("profile", profile), **options).load(name)


def test_schema_that_differs_from_the_table_raises_an_analysis_exception(spark, profile):
    rows = reading(spark, profile).schema("id string").load("share.schema.orders")

    with pytest.raises(
        Exception, match="column id is bigint in the table, and string in the schema"
    ):
        rows.collect()
