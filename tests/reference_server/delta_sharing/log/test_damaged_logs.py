"""Ambiguous or damaged logs are refused with the name of the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lakepact.reference_server.delta_sharing.log import DamagedLog, Log, LogError, UnsupportedTable
from sample_tables.delta_logs import (
    HEAD,
    METADATA,
    PROTOCOL,
    VECTOR,
    Table,
    add,
    metadata,
    paths,
    remove,
)

SECOND = r"00000000000000000001\.json"


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Return a table with one commit."""
    table = Table(tmp_path / "table")
    table.commit(0, *HEAD, add("a"))
    return table


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "holds no action"),
        (b"\n \n", "holds no action"),
        (b'{"add":{"path":"b","si', "line 1 of .* is not JSON"),
        (b'{"commitInfo":{}}\n{"add":', "line 2 of .* is not JSON"),
        (b'{"commitInfo":{}}{"add":{}}', "line 1 of .* is not JSON"),
        (b"\xff\xfe", "line 1 of .* is not JSON"),
        (b'{"commitInfo":{"a":NaN}}', "line 1 of .* is not JSON"),
        (b'[{"add":{}}]', "line 1 of .* is not a JSON object"),
        (b'{"add":[]}', "line 1 of .*'add' is not a JSON object"),
        (b"\0" * 100, "line 1 of .* is not JSON"),
    ],
)
def test_a_commit_that_is_no_list_of_actions_is_named_with_its_line(
    table: Table, text: bytes, said: str
) -> None:
    (table.log / f"{1:020}.json").write_bytes(text)
    log = Log(table.folder)

    for ask in (log.snapshot, lambda: log.commit(1)):
        with pytest.raises(DamagedLog, match=said) as refused:
            ask()
        assert f"{1:020}.json" in str(refused.value)
    assert paths(log.snapshot(0)) == ["a"]


def without(action: dict[str, Any], member: str) -> dict[str, Any]:
    ((kind, document),) = action.items()
    return {kind: {name: value for name, value in document.items() if name != member}}


@pytest.mark.parametrize(
    "action",
    [
        without(add("b"), "path"),
        without(add("b"), "size"),
        add(""),
        add("b", size=-1),
        add("b", size=1.5),
        add("b", size="10"),
        add("b", size=True),
        add("b", size=2**63),
        add("b", partitionValues=[]),
        add("b", partitionValues={"p": 1}),
        add("b", partitionValues={"p": ["x"]}),
        add("b", stats={"numRecords": 1}),
        add("b", deletionVector="x"),
        add("b", deletionVector={}),
        add("b", deletionVector=VECTOR | {"storageType": "q"}),
        add("b", deletionVector=VECTOR | {"sizeInBytes": None}),
        without(remove("a"), "path"),
        remove("a", size="10"),
    ],
)
def test_incomplete_file_action_is_refused_with_its_line(
    table: Table, action: dict[str, Any]
) -> None:
    table.commit(1, {"commitInfo": {}}, action)
    log = Log(table.folder)

    for ask in (log.snapshot, lambda: log.commit(1)):
        with pytest.raises(DamagedLog, match=f"line 2 of {SECOND}"):
            ask()


@pytest.mark.parametrize(
    "action",
    [
        {"protocol": {}},
        {"protocol": PROTOCOL | {"minReaderVersion": "1"}},
        {"protocol": PROTOCOL | {"readerFeatures": "columnMapping"}},
        {"protocol": PROTOCOL | {"readerFeatures": [1]}},
        {"metaData": {}},
        {"metaData": METADATA | {"schemaString": None}},
        {"metaData": METADATA | {"partitionColumns": None}},
        {"metaData": METADATA | {"partitionColumns": [1]}},
        {"metaData": METADATA | {"configuration": []}},
        {"metaData": METADATA | {"configuration": {"a": 1}}},
    ],
)
def test_incomplete_protocol_or_metadata_is_refused_with_its_line(
    table: Table, action: dict[str, Any]
) -> None:
    table.commit(1, action)
    log = Log(table.folder)

    for ask in (log.snapshot, log.heading, lambda: log.commit(1)):
        with pytest.raises(DamagedLog, match=f"line 1 of {SECOND}"):
            ask()


@pytest.mark.parametrize("missing", ["protocol", "metaData"])
def test_log_without_protocol_or_metadata_is_refused(tmp_path: Path, missing: str) -> None:
    table = Table(tmp_path / "other")
    table.commit(0, *(action for action in HEAD if missing not in action), add("a"))

    for ask in (Log(table.folder).snapshot, Log(table.folder).heading):
        with pytest.raises(DamagedLog, match=f"no commit up to version 0 has a {missing} action"):
            ask()


def test_a_missing_commit_is_named_and_versions_before_it_are_read(table: Table) -> None:
    table.commit(2, add("c"))
    log = Log(table.folder)

    assert len(log.snapshot(0).files) == 1
    for ask in (log.snapshot, lambda: log.snapshot(1), lambda: log.commits(0, 2), log.heading):
        with pytest.raises(DamagedLog, match=f"{SECOND} is missing"):
            ask()


def test_rows_that_would_count_twice_are_refused(table: Table) -> None:
    table.commit(1, add("a", deletionVector=VECTOR))
    log = Log(table.folder)

    assert len(log.snapshot(0).files) == 1
    with pytest.raises(DamagedLog, match="version 1 has 'a' twice"):
        log.snapshot()


def test_commits_without_a_beginning_are_named(tmp_path: Path) -> None:
    table = Table(tmp_path / "other")
    table.commit(1, *HEAD, add("a"))
    log = Log(table.folder)

    for ask in (log.snapshot, log.heading, log.earliest):
        with pytest.raises(
            DamagedLog, match=r"00000000000000000000\.json is missing, and there is no checkpoint"
        ):
            ask()


def test_a_commit_that_is_a_folder_is_named(table: Table) -> None:
    (table.log / f"{1:020}.json").mkdir()

    with pytest.raises(DamagedLog, match=f"{SECOND} cannot be read"):
        Log(table.folder).snapshot()


def test_a_commit_that_went_away_before_it_was_read_is_looked_for_again(table: Table) -> None:
    gone = table.commit(1, add("b"))
    log = Log(table.folder)
    assert log.latest() == 1
    gone.unlink()

    assert paths(log.snapshot()) == ["a"]


def test_commits_removed_during_a_read_are_replaced_by_the_checkpoint(table: Table) -> None:
    table.commit(1, add("b"))
    log = Log(table.folder)
    assert log.latest() == 1
    table.classic(1, *HEAD, add("a"), add("b"))
    (table.log / f"{0:020}.json").unlink()

    assert paths(log.snapshot()) == ["a", "b"]


@pytest.mark.parametrize(
    ("protocol", "said"),
    [
        ({"minReaderVersion": 4, "minWriterVersion": 7}, "reader version 4"),
        (
            {
                "minReaderVersion": 3,
                "minWriterVersion": 7,
                "readerFeatures": ["deletionVectors", "sorcery"],
            },
            "sorcery",
        ),
        (
            {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["catalogManaged"]},
            "catalogManaged",
        ),
    ],
)
def test_unknown_feature_is_refused_and_older_versions_are_read(
    table: Table, protocol: Any, said: str
) -> None:
    table.commit(1, {"protocol": protocol}, add("b"))
    log = Log(table.folder)

    for ask in (log.snapshot, log.heading):
        with pytest.raises(UnsupportedTable, match=said):
            ask()
    assert len(log.snapshot(0).files) == 1


@pytest.mark.parametrize("members", [{}, {"inCommitTimestamp": "5"}, {"inCommitTimestamp": None}])
def test_commit_without_required_in_commit_timestamp_is_refused(
    table: Table, members: dict[str, Any]
) -> None:
    table.commit(
        1,
        {"commitInfo": members},
        metadata(
            delta__enableInCommitTimestamps="true", delta__inCommitTimestampEnablementVersion="1"
        ),
    )
    log = Log(table.folder)

    with pytest.raises(DamagedLog, match=f"{SECOND} has no inCommitTimestamp"):
        log.timestamp(1)


def test_a_setting_that_is_no_version_is_named(table: Table) -> None:
    table.commit(
        1,
        metadata(
            delta__enableInCommitTimestamps="true", delta__inCommitTimestampEnablementVersion="soon"
        ),
    )

    with pytest.raises(DamagedLog, match="inCommitTimestampEnablementVersion is 'soon'"):
        Log(table.folder).timestamp(0)


def test_truncated_commit_is_read_only_when_cut_between_lines(tmp_path: Path) -> None:
    lines = [json.dumps(action).encode() for action in (*HEAD, add("a"), add("b"))]
    text = b"\n".join(lines)
    whole_lines = {len(b"\n".join(lines[:count])) for count in (2, 3, 4)}
    table = Table(tmp_path / "cut")
    for length in sorted(
        {
            *range(0, len(text), 11),
            *whole_lines,
            *(length + 1 for length in whole_lines if length < len(text)),
            len(text),
        }
    ):
        (table.log / f"{0:020}.json").write_bytes(text[:length])
        try:
            Log(table.folder).snapshot()
            read = True
        except LogError:
            read = False
        assert read == (length in whole_lines or length - 1 in whole_lines)
