"""Rows of changes hold the change type, the version and the timestamp."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakepact.client import DamagedData, column

from .serving import (
    DAYS,
    DELTA_PROTOCOL,
    PROTOCOL,
    A,
    Desk,
    delta_file,
    delta_metadata,
    file,
    lines,
    metadata,
    parquet_file,
    vector_of,
)
from .test_deletion_vectors import inline


def test_changes_hold_type_version_and_timestamp(table):
    content, change_file = (
        parquet_file({"id": [1, 2], "day": DAYS[:2]}),
        parquet_file({"id": [2], "day": [None], "_change_type": ["update_preimage"]}),
    )
    at = {"size": len(content), "timestamp": 1000}
    reply = lines(
        PROTOCOL,
        metadata(),
        file("a", "add", version=1, **at),
        file("a", "remove", version=2, **at),
        file("c", "cdf", version=3, size=len(change_file), timestamp=2000),
        file("b", "add", version=3, **at),
    )
    desk = Desk(changes=reply).on("GET store.test/a", content).on("GET store.test/c", change_file)

    read = table(desk).changes(starting_version=1).to_arrow()

    rows = read.drop_columns(["day", "_commit_timestamp"]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        (1, "insert", 1),
        (2, "insert", 1),
        (1, "delete", 2),
        (2, "delete", 2),
        (2, "update_preimage", 3),
    ]
    assert read.column("_commit_timestamp").cast(pa.int64()).to_pylist() == [
        1000,
        1000,
        1000,
        1000,
        2000,
    ]
    assert "GET /b" not in desk.calls


def test_changes_are_filtered_by_change_type(table):
    content = parquet_file(A)
    desk = Desk(
        changes=lines(
            PROTOCOL,
            metadata(),
            *(file("a", "add", version=v, timestamp=1, size=len(content)) for v in (1, 2)),
        )
    )
    desk.on("GET store.test/a", content)

    row_filter = (column("_commit_version") == 2) & (column("_change_type") == "insert")
    read = (
        table(desk)
        .changes(starting_version=1, row_filter=row_filter, limit=2)
        .to_arrow(columns=["id", "_commit_version"])
    )

    assert read.to_pydict() == {"id": [1, 2], "_commit_version": [2, 2]}


def test_changed_deletion_vector_yields_deletes_and_inserts(table):
    content = parquet_file(A)
    before, now = inline([0]), inline([1])
    at = {"version": 2, "timestamp": 1}
    vectors = {"remove": vector_of(before), "add": vector_of(now)}
    actions = [
        delta_file("a", action, at, size=len(content), deletionVector=vector)
        for action, vector in vectors.items()
    ]
    desk = Desk(changes=lines(DELTA_PROTOCOL, delta_metadata(), *actions)).on(
        "GET store.test/a", content
    )

    read = table(desk).changes(starting_version=2).to_arrow(columns=["id", "_change_type"])

    assert sorted(zip(*read.to_pydict().values(), strict=True)) == [(1, "insert"), (2, "delete")]


def test_change_without_a_version_is_damaged_data(table):
    content = parquet_file(A)
    desk = Desk(
        changes=lines(DELTA_PROTOCOL, delta_metadata(), delta_file("a", size=len(content)))
    ).on("GET store.test/a", content)

    with pytest.raises(DamagedData, match="does not say in which version"):
        table(desk).changes(starting_version=1).to_arrow()
