"""Reads changes: which row changed how, in which version, when."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lakepact.conformance.evidence.outcome import Unmet
from lakepact.conformance.judging import expect

from .data_files import Row, rows_of
from .lines import ADD, CHANGE, REMOVE, SNAPSHOT, Answer, SharedFile

KINDS = frozenset({"insert", "update_preimage", "update_postimage", "delete"})
CHANGE_TYPE, VERSION, TIMESTAMP = "_change_type", "_commit_version", "_commit_timestamp"


def rows(answer: Answer, fetch: Callable[[SharedFile, str], bytes]) -> list[Row]:
    """Return the changed rows that an answer to `changes` stands for.

    A file that was added is a file of inserted rows, one that was removed of deleted rows; a file
    of changes says it itself.

    Raises:
        Unmet: something cannot be read.
    """
    read: list[Row] = []
    for file in answer.files:
        if file.kind == SNAPSHOT:
            raise expect.unmet(
                "lines that say how a file changed",
                "a line of a file as in a snapshot",
                at=file.place(),
            )
        read += [
            row | {VERSION: file.version, TIMESTAMP: file.timestamp}
            for row in _rows_of_change(answer, file, fetch)
        ]
    return read


def _rows_of_change(
    answer: Answer, file: SharedFile, fetch: Callable[[SharedFile, str], bytes]
) -> list[Row]:
    if file.kind != CHANGE:
        kind = {ADD: "insert", REMOVE: "delete"}[file.kind]
        return [row | {CHANGE_TYPE: kind} for row in rows_of(answer, file, fetch)]
    read = rows_of(answer, file, fetch, further=(CHANGE_TYPE,))
    strange: set[Any] = {row[CHANGE_TYPE] for row in read} - KINDS
    if strange:
        raise Unmet(
            f"{CHANGE_TYPE} one of {', '.join(sorted(KINDS))}", ", ".join(map(repr, strange))
        )
    return read
