"""A query with startingVersion returns the files added and removed since, and the changed metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from delta_logs import METADATA, add, remove
from shared_tables import ids, milliseconds

if TYPE_CHECKING:
    from shared_tables import Lines, SharedTable


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


def test_an_end_after_the_current_version_means_the_current_one(table: SharedTable) -> None:
    assert changes_of(with_commits(table).query(startingVersion=0, endingVersion=99)) == set(CHANGES)


def test_a_refresh_token_is_not_made_for_changes(table: SharedTable) -> None:
    assert "endStreamAction" not in with_commits(table).query(startingVersion=0, includeRefreshToken=True).kinds
