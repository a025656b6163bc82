"""Versions, times and snapshots of tables whose log is commits alone."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from lakepact.reference_server.delta_sharing.log import Log, NoSuchVersion, NoTable
from sample_tables.delta_logs import HEAD, METADATA, PROTOCOL, Table, add, metadata, paths, remove


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Return a table without commits."""
    return Table(tmp_path / "table")


def timed(table: Table, *times: int, **settings: str) -> Log:
    """Return a table with a commit at each of these milliseconds."""
    for version, time in enumerate(times):
        head = ({"protocol": PROTOCOL}, metadata(**settings)) if version == 0 else ()
        os.utime(table.commit(version, {"commitInfo": {}}, *head), ns=(0, time * 1_000_000))
    return Log(table.folder)


def test_file_equals_its_add_action_without_tags(table: Table) -> None:
    said = {
        "stats": '{"numRecords":1}',
        "baseRowId": 7,
        "tags": {"secret": "x"},
        "clusteringProvider": None,
        "new": [1],
    }
    table.commit(0, *HEAD, add("a%20b", **said))
    (file,) = Log(table.folder).snapshot().files

    assert {**add("a%20b")["add"], "stats": '{"numRecords":1}', "baseRowId": 7, "new": [1]} == file


def test_files_are_reached_by_place_from_both_ends(table: Table) -> None:
    table.commit(0, *HEAD, *(add(str(number)) for number in range(600)))
    files = Log(table.folder).snapshot().files

    assert [files[place]["path"] for place in (0, 255, 256, 599, -1, -600)] == [
        "0",
        "255",
        "256",
        "599",
        "599",
        "0",
    ]
    assert [file["path"] for file in files[254:257]] == ["254", "255", "256"]
    with pytest.raises(IndexError):
        files[600]


def test_a_commit_is_given_as_it_stands(table: Table) -> None:
    cdc = {"path": "_change_data/c", "partitionValues": {}, "size": 1, "dataChange": False}
    table.commit(0, *HEAD, add("a"))
    table.commit(
        1,
        {"commitInfo": {}},
        {"cdc": cdc},
        add("b", tags={"x": "y"}),
        remove("a"),
        {"txn": {"appId": "x", "version": 1}},
    )
    first, second = Log(table.folder).commits(0, 1)

    assert (0, PROTOCOL, METADATA, (add("a")["add"],), (), ()) == (
        first.version,
        first.protocol,
        first.metadata,
        first.adds,
        first.removes,
        first.cdcs,
    )
    assert (None, None, (add("b", tags={"x": "y"})["add"],), (remove("a")["remove"],), (cdc,)) == (
        second.protocol,
        second.metadata,
        second.adds,
        second.removes,
        second.cdcs,
    )


def test_lines_may_end_as_on_windows_and_some_may_be_blank(table: Table) -> None:
    text = "\r\n".join(map(json.dumps, [*HEAD, add("a")])) + "\r\n\r\n"
    (table.log / f"{0:020}.json").write_bytes(text.encode())

    assert paths(Log(table.folder).snapshot()) == ["a"]


def test_other_files_in_the_log_are_left_alone(table: Table) -> None:
    table.commit(0, *HEAD, add("a"))
    for name in (
        f"{1:020}.json.tmp",
        f"{1:020}.crc",
        f"{0:020}.{1:020}.compacted.json",
        "1.json",
        f"{2:020}.checkpoint.json",
    ):
        (table.log / name).write_text("{")

    assert paths(Log(table.folder).snapshot()) == ["a"]


@pytest.mark.parametrize("version", [-1, 2, 10**30])
def test_a_version_that_never_was_is_refused(table: Table, version: int) -> None:
    table.commit(0, *HEAD)
    table.commit(1, {"commitInfo": {}})
    log = Log(table.folder)

    for ask in (log.snapshot, log.commit, log.heading, log.timestamp):
        with pytest.raises(NoSuchVersion):
            ask(version)


def test_no_folder_no_log_and_an_empty_log_are_no_table(tmp_path: Path) -> None:
    (tmp_path / "empty" / "_delta_log").mkdir(parents=True)
    (tmp_path / "file").write_text("x")
    for name in ("nothing", "file", "", "empty"):
        with pytest.raises(NoTable):
            Log(tmp_path / name).latest()


def test_times_are_those_of_the_files_made_strictly_increasing(table: Table) -> None:
    log = timed(table, 1000, 1000, 500, 2000)

    assert [log.timestamp(version) for version in range(4)] == [1000, 1001, 1002, 2000]
    assert [commit.timestamp for commit in log.commits(0, 3)] == [1000, 1001, 1002, 2000]
    assert log.snapshot(2).timestamp == 1002


@pytest.mark.parametrize(
    ("time", "before", "after"),
    [(1000, 0, 0), (1001, 0, 1), (1999, 0, 1), (2000, 1, 1), (3000, 2, 2)],
)
def test_a_time_leads_to_the_version_of_then_and_to_the_next(
    table: Table, time: int, before: int, after: int
) -> None:
    log = timed(table, 1000, 2000, 3000)

    assert (before, after) == (log.at_or_before(time), log.at_or_after(time))


def test_there_is_no_version_before_the_first_and_after_the_last(table: Table) -> None:
    log = timed(table, 1000, 2000)

    assert (log.at_or_after(0), log.at_or_before(10**15)) == (0, 1)
    with pytest.raises(NoSuchVersion, match="before"):
        log.at_or_before(999)
    with pytest.raises(NoSuchVersion, match="after"):
        log.at_or_after(2001)


def test_in_commit_timestamps_hold_from_the_enablement_version(table: Table) -> None:
    settings = {
        "delta__enableInCommitTimestamps": "true",
        "delta__inCommitTimestampEnablementVersion": "1",
    }
    stated: list[Any] = [
        ({"commitInfo": {}}, *HEAD),
        ({"commitInfo": {"inCommitTimestamp": 5000}}, metadata(**settings)),
    ]
    for version, actions in enumerate(stated):
        os.utime(table.commit(version, *actions), ns=(0, 1_000_000 * (version + 1) * 1000))
    log = Log(table.folder)

    assert [log.timestamp(version) for version in range(2)] == [1000, 5000]
    assert [log.at_or_before(4999), log.at_or_before(5000), log.at_or_after(1001)] == [0, 1, 1]


def test_in_commit_timestamps_from_version_0_need_no_enablement_version(table: Table) -> None:
    table.commit(
        0,
        {"commitInfo": {"inCommitTimestamp": 77}},
        {"protocol": PROTOCOL},
        metadata(delta__enableInCommitTimestamps="true"),
    )

    assert Log(table.folder).snapshot().timestamp == 77


def test_in_commit_timestamp_of_a_table_without_the_setting_is_ignored(table: Table) -> None:
    os.utime(table.commit(0, {"commitInfo": {"inCommitTimestamp": 77}}, *HEAD), ns=(0, 5_000_000))

    assert Log(table.folder).timestamp(0) == 5
