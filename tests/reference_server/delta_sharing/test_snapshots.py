"""The cache of logs: no version is read twice, no answer is stale, and the size is limited."""

from __future__ import annotations

import json
import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from lakepact.reference_server.delta_sharing.formats import Links
from lakepact.reference_server.delta_sharing.log import DamagedLog, NoSuchVersion, NoTable, Snapshot
from lakepact.reference_server.delta_sharing.snapshots import Snapshots
from sample_tables.delta_logs import HEAD, METADATA, Table, add, paths, remove


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Return a table with two versions."""
    table = Table(tmp_path / "table")
    table.commit(0, *HEAD, add("a"))
    table.commit(1, add("b"))
    return table


def key(path: str) -> str:
    return path


def sent(snapshots: Snapshots, snapshot: Snapshot, form: str = "parquet", **links: Any) -> bytes:
    return b"".join(
        snapshots.lines(
            snapshot,
            form,
            Links(links.get("key", key), "http://x/", links.get("signature", "s"), 1),
        )
    )


def test_a_version_that_was_read_is_not_read_again(table: Table) -> None:
    snapshots = Snapshots()

    assert snapshots.snapshot(table.folder) is snapshots.snapshot(table.folder, 1)
    assert snapshots.snapshot(table.folder, 0) is snapshots.snapshot(table.folder, 0)


def test_a_commit_is_noticed_by_the_next_request(table: Table) -> None:
    snapshots = Snapshots()
    before = snapshots.snapshot(table.folder)
    table.commit(2, remove("a"))
    table.commit(3, add("c"))

    assert (paths(before), paths(snapshots.snapshot(table.folder))) == (["a", "b"], ["b", "c"])
    assert snapshots.log(table.folder).latest() == 3
    assert snapshots.snapshot(table.folder, 1) is before


def test_timestamps_of_a_followed_log_equal_those_of_a_fresh_read(table: Table) -> None:
    snapshots = Snapshots()
    for version in range(2, 80):
        os.utime(table.commit(version, {"commitInfo": {}}), ns=(0, 10**15))
        assert snapshots.snapshot(table.folder).version == version
    log, fresh = snapshots.log(table.folder), Snapshots().log(table.folder)

    assert [log.timestamp(version) for version in range(80)] == [
        fresh.timestamp(version) for version in range(80)
    ]


def test_replaced_table_is_read_again(table: Table) -> None:
    snapshots = Snapshots()
    snapshots.snapshot(table.folder, 0)
    snapshots.snapshot(table.folder)
    shutil.rmtree(table.log)
    table.log.mkdir()
    table.commit(0, *HEAD, add("x"))
    table.commit(1, add("yy"))

    assert paths(snapshots.snapshot(table.folder, 0)) == ["x"]
    assert paths(snapshots.snapshot(table.folder)) == ["x", "yy"]


def test_rolled_back_table_is_read_again(table: Table) -> None:
    snapshots = Snapshots()
    snapshots.snapshot(table.folder)
    (table.log / f"{1:020}.json").unlink()

    assert paths(snapshots.snapshot(table.folder)) == ["a"]
    with pytest.raises(NoSuchVersion):
        snapshots.snapshot(table.folder, 1)


def test_a_table_that_is_gone_is_gone_at_once(table: Table) -> None:
    snapshots = Snapshots()
    snapshots.snapshot(table.folder)
    shutil.rmtree(table.folder)

    for ask in (snapshots.snapshot, snapshots.log):
        with pytest.raises(NoTable):
            ask(table.folder)


def test_a_damaged_commit_that_was_mended_is_read(table: Table) -> None:
    snapshots = Snapshots()
    (table.log / f"{2:020}.json").write_text('{"add":')
    with pytest.raises(DamagedLog):
        snapshots.snapshot(table.folder)
    table.commit(2, add("c"))

    assert paths(snapshots.snapshot(table.folder)) == ["a", "b", "c"]


def test_requests_at_the_same_time_read_a_version_once(table: Table) -> None:
    table.commit(2, *(add(str(number)) for number in range(5000)))
    snapshots, together = Snapshots(), threading.Barrier(8)

    def ask(_: int) -> tuple[Snapshot, bytes]:
        together.wait()
        snapshot = snapshots.snapshot(table.folder)
        return snapshot, sent(snapshots, snapshot)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(8)))

    assert len({id(snapshot) for snapshot, _ in answers}) == 1
    assert len({lines for _, lines in answers}) == 1
    assert answers[0][1].count(b"\n") == 5002


def test_lines_are_prepared_once_and_filled_for_each_answer(table: Table) -> None:
    asked: list[str] = []

    def counting(path: str) -> str:
        asked.append(path)
        return path

    snapshots = Snapshots()
    snapshot = snapshots.snapshot(table.folder)
    first, second = (
        sent(snapshots, snapshot, key=counting, signature=signature) for signature in ("one", "two")
    )

    assert asked == ["a", "b"]
    assert (b"a?one" in first, b"a?two" in second, first.replace(b"?one", b"?two") == second) == (
        True,
        True,
        True,
    )


def test_new_version_prepares_only_the_lines_that_changed(table: Table) -> None:
    asked: list[str] = []

    def counting(path: str) -> str:
        asked.append(path)
        return path

    table.commit(2, *(add(f"{number:04}") for number in range(2000)))
    snapshots = Snapshots()
    sent(snapshots, snapshots.snapshot(table.folder), key=counting)
    asked.clear()
    table.commit(3, remove("1000"))
    sent(snapshots, snapshots.snapshot(table.folder), key=counting)

    assert 0 < len(asked) < 300


def test_a_table_that_is_shared_twice_has_the_urls_of_each(table: Table) -> None:
    snapshots = Snapshots()
    snapshot = snapshots.snapshot(table.folder)
    one, other = (
        sent(snapshots, snapshot, key=lambda path, where=where: f"{where}-{path}")
        for where in ("one", "other")
    )

    assert (b"http://x/one-a" in one, b"http://x/other-a" in other) == (True, True)


def test_lines_have_the_partition_columns_of_their_version(tmp_path: Path) -> None:
    table = Table(tmp_path / "table")
    table.commit(0, *HEAD, add("a", partitionValues={"p": "1", "q": "2"}))
    table.commit(1, {"metaData": METADATA | {"partitionColumns": ["q"]}})
    snapshots = Snapshots()
    values = [
        json.loads(sent(snapshots, snapshots.snapshot(table.folder, version)))["file"][
            "partitionValues"
        ]
        for version in (0, 1, 0)
    ]

    assert values == [{"p": "1"}, {"q": "2"}, {"p": "1"}]


def test_a_file_that_has_no_url_is_refused_before_the_first_line(table: Table) -> None:
    def refusing(path: str) -> str:
        raise DamagedLog(path)

    snapshots = Snapshots()
    snapshot = snapshots.snapshot(table.folder)

    with pytest.raises(DamagedLog):
        snapshots.lines(snapshot, "parquet", Links(refusing, "", "", 1))


def test_cached_snapshots_stay_within_their_limit(tmp_path: Path) -> None:
    limit = 3_000_000
    snapshots = Snapshots(limit)
    for number in range(6):
        table = Table(tmp_path / str(number))
        table.commit(0, *HEAD, *(add(f"{file:04}", stats="s" * 500) for file in range(1000)))
        snapshot = snapshots.snapshot(table.folder)
        sent(snapshots, snapshot)
        sent(snapshots, snapshot, "delta")
        assert snapshots.weight() <= limit
        assert snapshots.snapshot(table.folder) is snapshot


def test_one_snapshot_is_kept_however_large_it_is(table: Table) -> None:
    snapshots = Snapshots(0)

    assert snapshots.snapshot(table.folder) is snapshots.snapshot(table.folder)


def test_versions_that_share_their_files_weigh_little_more_than_one(table: Table) -> None:
    table.commit(2, *(add(f"{number:04}", stats="s" * 500) for number in range(2000)))
    snapshots = Snapshots()
    sent(snapshots, snapshots.snapshot(table.folder))
    alone = snapshots.weight()
    for version in range(3, 8):
        table.commit(version, add(f"new-{version}"))
        sent(snapshots, snapshots.snapshot(table.folder))

    assert snapshots.weight() < alone * 1.7
