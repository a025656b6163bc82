"""Streams deliver each version once, also when they restart from their checkpoint."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from .conftest import sharing_of

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings(
        "default::ResourceWarning", "default::pytest.PytestUnraisableExceptionWarning"
    ),
]

CHANGES = {"delta.enableChangeDataFeed": "true"}


@pytest.fixture
def folder(tmp_path):
    """Return the folder of a table of one version."""
    write_deltalake(tmp_path / "orders", pa.table({"id": [0]}), configuration=CHANGES)
    return tmp_path / "orders"


@pytest.fixture
def deliver(spark, folder, tmp_path):
    """Yield a function that runs a stream until it has delivered all versions, and returns all that
    it ever delivered.
    """
    with sharing_of(tmp_path, folder) as profile:

        def delivered(**options: Any) -> Any:
            stream = (
                spark.readStream.format("lakepact")
                .option("profile", profile)
                .options(**options)
                .load("share.schema.orders")
            )
            written = stream.writeStream.option(
                "checkpointLocation", str(tmp_path / "checkpoint")
            ).trigger(availableNow=True)
            written.format("parquet").option(
                "path", str(tmp_path / "out")
            ).start().awaitTermination()
            return spark.read.parquet(str(tmp_path / "out"))

        yield delivered


def append(folder, *ids):
    write_deltalake(folder, pa.table({"id": list(ids)}), mode="append")


def ids(rows):
    return sorted(row["id"] for row in rows.collect())


def test_restarted_stream_delivers_each_row_once(deliver, folder):
    assert ids(deliver()) == [0]
    append(folder, 1, 2)
    append(folder, 3)
    assert ids(deliver()) == [0, 1, 2, 3]
    assert ids(deliver()) == [0, 1, 2, 3]
    append(folder, 4)
    assert ids(deliver()) == [0, 1, 2, 3, 4]


def test_batch_that_failed_is_delivered_once(spark, deliver, folder, tmp_path):
    deliver()
    append(folder, 1)
    # The batch is planned and written, and its commit is lost: Spark repeats it with the same
    # offsets.
    deliver()
    (tmp_path / "checkpoint" / "commits" / "1").unlink()
    (tmp_path / "checkpoint" / "commits" / ".1.crc").unlink()
    append(folder, 2)

    deliver()  # repeats the batch, and may end there
    assert ids(deliver()) == [0, 1, 2]


def test_stream_of_changes_has_their_types_and_versions(deliver, folder):
    first = deliver(readChangeFeed="true", startingVersion=0)
    assert [
        (row["_change_type"], row["id"], row["_commit_version"]) for row in first.collect()
    ] == [("insert", 0, 0)]

    append(folder, 1)
    DeltaTable(folder).update(updates={"id": "10"}, predicate="id = 1")
    DeltaTable(folder).delete("id = 0")
    rows = deliver(readChangeFeed="true", startingVersion=0)

    assert sorted(
        (row["_commit_version"], row["_change_type"], row["id"]) for row in rows.collect()
    ) == [
        (0, "insert", 0),
        (1, "insert", 1),
        (2, "update_postimage", 10),
        (2, "update_preimage", 1),
        (3, "delete", 0),
    ]
    assert rows.where("_commit_timestamp is null").isEmpty()


def test_stream_from_the_latest_version_has_later_rows(deliver, folder):
    append(folder, 1)
    assert ids(deliver(startingVersion="latest")) == []
    append(folder, 2)

    assert ids(deliver(startingVersion="latest")) == [2]


def test_deleted_rows_end_a_stream_of_appends_unless_they_are_skipped(deliver, folder):
    deliver()
    DeltaTable(folder).delete("id = 0")
    append(folder, 1)

    with pytest.raises(
        Exception,
        match="version 1 deletes or updates rows, and this stream delivers appends: set option readChangeFeed",
    ):
        deliver()
    assert ids(deliver(skipChangeCommits="true")) == [0, 1]


def test_stream_of_changes_without_a_start_is_refused(deliver):
    with pytest.raises(Exception, match="a stream of changes needs startingVersion"):
        deliver(readChangeFeed="true")
