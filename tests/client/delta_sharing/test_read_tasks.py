"""The rows of an answer are divided into tasks that another client reads."""

from __future__ import annotations

import pickle
import time

import httpx
import pyarrow as pa
import pytest

from lakepact.client import column

from .serving import (
    DELTA,
    PROTOCOL,
    SIGNATURE,
    TABLE,
    A,
    B,
    Desk,
    delta_file,
    file,
    lines,
    metadata,
    parquet_file,
    signed,
)


def read(client, tasks):
    return pa.concat_tables(
        table for task in tasks for table in client.read(pickle.loads(pickle.dumps(task)))
    ).to_pydict()


def test_tasks_yield_the_rows_of_the_answer(open_client, table, both):
    tasks = table(both).query().tasks(columns=["id"])

    assert read(open_client(both), tasks) == {"id": [1, 2, 3, 4, 5, 6]}


def test_task_has_files_up_to_the_given_bytes(table, both):
    size = len(parquet_file(A))

    assert [
        [len(task.pieces), task.size] for task in table(both).query().tasks(task_bytes=size)
    ] == [[1, size], [1, len(parquet_file(B))]]
    assert [len(task.pieces) for task in table(both).query().tasks()] == [2]


def test_repr_of_a_task_shows_no_signature(table, both):
    assert SIGNATURE not in repr(table(both).query().tasks())


def test_tasks_of_a_limited_query_are_refused(table, both):
    with pytest.raises(ValueError, match="has no limit"):
        table(both).query(limit=1).tasks()


def test_task_applies_the_predicate(open_client, table, both):
    tasks = table(both).query(row_filter=column("id") > 4).tasks()

    assert read(open_client(both), tasks)["id"] == [5, 6]


@pytest.mark.parametrize("expires", [None, 1])
def test_expired_url_of_a_task_is_refreshed_by_the_refresh_token(open_client, table, expires):
    expiry = {} if expires is None else {"expirationTimestamp": int(time.time() * 1000) + expires}
    content, end = parquet_file(A), {"endStreamAction": {"refreshToken": "again"}}
    answers = [
        lines(PROTOCOL, metadata(), file("a", url=signed(name), size=len(content), **expiry), end)
        for name in ("old", "new")
    ]
    desk = (
        Desk(query=answers)
        .on("GET store.test/old", httpx.Response(403))
        .on("GET store.test/new", content)
    )

    assert read(open_client(desk), table(desk).query().tasks())["id"] == [1, 2, 3]
    assert [body.get("refreshToken") for body in desk.bodies] == [None, "again"]


def test_changes_after_the_last_version_are_left_out(open_client, table):
    content = parquet_file(A)
    changes = [
        delta_file(name, size=len(content), around={"version": version, "timestamp": 0})
        for name, version in (("a", 5), ("b", 6))
    ]
    desk = Desk(query=lines(*DELTA, *changes)).on("GET store.test/a", content)

    tasks = (
        table(desk)
        .query(starting_version=5, ending_version=5)
        .tasks(columns=["id", "_commit_version"])
    )

    assert read(open_client(desk), tasks) == {"id": [1, 2, 3], "_commit_version": [5, 5, 5]}
    assert f"POST {TABLE}/query" in desk.calls
