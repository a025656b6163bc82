"""The changes of a range of versions are complete, and each is sent once."""

from __future__ import annotations

from typing import Any

import pytest

from sample_tables.delta_logs import add, metadata, remove
from sample_tables.shared_tables import Lines, SharedTable, hour, ids, milliseconds

DELTA = "responseformat=delta"
VECTORS = "responseformat=delta;readerfeatures=deletionvectors"
ON = {"delta__enableChangeDataFeed": "true"}
FEATURES = {"readerFeatures": ["deletionVectors"], "writerFeatures": ["deletionVectors"]}
WITH_VECTORS = {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **FEATURES}}
REFUSED = (400, "INVALID_PARAMETER_VALUE")
KIND = {"add": "add", "remove": "remove", "cdf": "cdc"}


def cdc(path: str) -> dict[str, Any]:
    """Return an action with changed rows."""
    return {"cdc": {"path": path, "partitionValues": {"p": "x"}, "size": 5, "dataChange": False}}


def with_feed(table: SharedTable) -> SharedTable:
    """Return a table with a change data feed, and commits of every kind."""
    table.begun(add("a"), **ON)
    table.commit(1, remove("a"), add("b"), cdc("_change_data/c"))
    table.commit(2, remove("b", dataChange=False), add("d", dataChange=False))
    table.commit(3, {"metaData": metadata(**ON)["metaData"] | {"description": "new"}})
    table.commit(4, remove("d"), add("e"))
    return table


def changes_of(answer: Lines) -> set[tuple[str, str, int, int]]:
    """Return kind, id, version and time of each change, in either format."""
    found: set[tuple[str, str, int, int]] = set()
    for line in answer.lines[2:]:
        for kind, said in line.items():
            action = next(iter(said["deltaSingleAction"])) if kind == "file" else KIND.get(kind)
            if action:
                found.add((action, said["id"], said["version"], said["timestamp"]))
    return found


def change(kind: str, path: str, version: int) -> tuple[str, str, int, int]:
    return (kind, *ids(path), version, milliseconds(version))


@pytest.mark.parametrize(
    "bounds",
    [
        {"endingVersion": 2},
        {"startingVersion": -1},
        {"startingVersion": "x"},
        {"startingVersion": ""},
        {"startingVersion": 3, "endingTimestamp": hour(2)},
        {"startingVersion": 0, "endingTimestamp": "2023-12-31T23:00:00Z"},
        {"startingTimestamp": hour(4.1)},
        {"startingTimestamp": "2024-01-01 00:00:00"},
        {"startingVersion": 0, "endingTimestamp": ""},
        {"startingVersion": 0, "maxFiles": 0},
        {"startingVersion": 0, "pageToken": "zzz"},
        {"startingVersion": 0, "includeHistoricalMetadata": "perhaps"},
    ],
)
def test_invalid_ranges_are_refused(table: SharedTable, bounds: dict[str, Any]) -> None:
    assert with_feed(table).changes(**bounds).refusal == REFUSED


@pytest.mark.parametrize(
    "bounds", [{"startingVersion": 0}, {"startingVersion": 0, "endingVersion": 0}]
)
def test_changes_without_change_data_feed_are_refused(
    table: SharedTable, bounds: dict[str, Any]
) -> None:
    table.begun(add("a"))
    table.commit(1, add("b"))

    answer = table.changes(**bounds)
    assert answer.refusal == REFUSED
    assert "delta.enableChangeDataFeed" in answer.message


def test_changes_before_what_is_shared_are_refused(late: SharedTable) -> None:
    with_feed(late)

    assert late.changes(startingVersion=1).refusal == REFUSED
    assert (
        late.changes(startingTimestamp=hour(0)).version,
        late.changes(startingVersion=2).version,
    ) == (2, 2)


def test_changes_that_the_log_has_forgotten_are_refused(table: SharedTable) -> None:
    with_feed(table)
    table.classic(
        2, {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}, metadata(**ON), add("d")
    )
    for version in (0, 1):
        (table.log / f"{version:020}.json").unlink()

    assert table.changes(startingVersion=0).refusal == REFUSED
    assert table.changes(startingVersion=1).refusal == REFUSED
    assert changes_of(table.changes(startingVersion=2)) == {
        change("remove", "d", 4),
        change("add", "e", 4),
    }


def test_removed_file_with_only_a_path_gets_size_and_partition_values(table: SharedTable) -> None:
    table.begun(add("a", size=7, partitionValues={"p": "Rome"}), **ON)
    table.commit(1, {"remove": {"path": "a", "deletionTimestamp": 1, "dataChange": True}})

    said = table.changes(startingVersion=1).of("remove")[0]
    wrapped = table.changes(DELTA, startingVersion=1).of("file")[0]["deltaSingleAction"]["remove"]
    assert (
        (said["size"], said["partitionValues"])
        == (wrapped["size"], wrapped["partitionValues"])
        == (7, {"p": "Rome"})
    )


def test_the_format_is_negotiated_for_all_of_the_range(table: SharedTable) -> None:
    table.begun(add("a"), **ON)
    table.commit(1, WITH_VECTORS, add("b"))

    assert table.changes(startingVersion=0, endingVersion=0).status == 200
    assert table.changes(startingVersion=0).refusal == (400, "UNSUPPORTED_OPERATION")
    assert table.changes(DELTA, startingVersion=0).refusal == (400, "UNSUPPORTED_OPERATION")
    assert table.changes(VECTORS, startingVersion=0).of("protocol")[0]["deltaProtocol"][
        "readerFeatures"
    ] == ["deletionVectors"]
