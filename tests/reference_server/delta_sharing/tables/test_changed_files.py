"""A query with startingVersion returns the files added and removed since, and the changed metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sample_tables.delta_logs import METADATA, add, remove
from sample_tables.shared_tables import ids, milliseconds

if TYPE_CHECKING:
    from sample_tables.shared_tables import Lines, SharedTable

DELTA = "responseformat=delta"


def with_commits(table: SharedTable) -> SharedTable:
    """Return a table with an addition, a change of rows, a compaction, a new description and a removal."""
    table.begun(add("a"))
    table.commit(1, remove("a"), add("b"), {"cdc": {"path": "c", "partitionValues": {}, "size": 5, "dataChange": False}})
    table.commit(2, remove("b", dataChange=False), add("d", dataChange=False))
    table.commit(3, {"metaData": METADATA | {"description": "new"}})
    table.commit(4, remove("d"))
    return table


def changes_of(answer: Lines) -> set[tuple[str, str, int, int]]:
    found = [(kind, said) for line in answer.lines[2:] for kind, said in line.items() if kind != "metaData"]
    named = [(next(iter(said["deltaSingleAction"])) if kind == "file" else kind, said) for kind, said in found]
    return {(kind, said["id"], said["version"], said["timestamp"]) for kind, said in named}


def change(kind: str, path: str, version: int) -> tuple[str, str, int, int]:
    return (kind, *ids(path), version, milliseconds(version))


CHANGES = [change("add", "a", 0), change("remove", "a", 1), change("add", "b", 1), change("remove", "d", 4)]


@pytest.mark.parametrize("capabilities", [None, DELTA])
@pytest.mark.parametrize("first", range(5))
def test_files_of_data_changes_are_sent_with_their_versions(table: SharedTable, first: int, capabilities: str | None) -> None:
    with_commits(table)

    for last in range(first, 5):
        answer = table.query(capabilities, startingVersion=first, endingVersion=last)
        assert (changes_of(answer), answer.version) == ({c for c in CHANGES if first <= c[2] <= last}, first)
    assert changes_of(table.query(capabilities, startingVersion=first)) == {c for c in CHANGES if first <= c[2]}


@pytest.mark.parametrize("capabilities", [None, DELTA])
def test_later_metadata_is_sent_with_its_version(table: SharedTable, capabilities: str | None) -> None:
    with_commits(table)

    def said(first: int) -> list[tuple[int, str | None]]:
        found = table.query(capabilities, startingVersion=first).of("metaData")
        return [(line["version"], line.get("deltaMetadata", line).get("description")) for line in found]

    assert (said(0), said(3), said(4)) == ([(0, None), (3, "new")], [(3, "new")], [(4, "new")])


def test_an_end_after_the_current_version_means_the_current_one(table: SharedTable) -> None:
    assert changes_of(with_commits(table).query(startingVersion=0, endingVersion=99)) == set(CHANGES)


@pytest.mark.parametrize(("first", "last"), [(5, None), (2, 1), (9, 1)])
def test_a_start_after_the_end_is_refused(table: SharedTable, first: int, last: int | None) -> None:
    assert with_commits(table).query(startingVersion=first, endingVersion=last).refusal == (400, "INVALID_PARAMETER_VALUE")


def test_consecutive_windows_send_every_change_once(table: SharedTable) -> None:
    with_commits(table)
    found = [c for first in (0, 2, 4) for c in changes_of(table.query(startingVersion=first, endingVersion=min(first + 1, 4)))]

    assert sorted(found) == sorted(CHANGES)


def test_a_refresh_token_is_not_made_for_changes(table: SharedTable) -> None:
    assert "endStreamAction" not in with_commits(table).query(startingVersion=0, includeRefreshToken=True).kinds
