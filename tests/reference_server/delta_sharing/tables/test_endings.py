"""The ends of answers: an endStreamAction on request, and no part that looks complete."""

from __future__ import annotations

import http.client
import json

import pytest

from sample_tables.delta_logs import add
from sample_tables.shared_tables import SharedTable, ids

END = "includeEndStreamAction=true"
ON = {"delta__enableChangeDataFeed": "true"}


def test_end_stream_action_without_files_is_empty(table: SharedTable) -> None:
    assert table.begun().query(END).end == {}


def broken(table: SharedTable, lines: int) -> SharedTable:
    """Return a table whose changes cannot be sent beyond some lines."""
    table.begun(*(add(f"f{n}") for n in range(lines)), **ON)
    table.commit(1, {"remove": {"path": "never-added", "dataChange": True}})
    return table


def test_aborted_answer_ends_with_the_requested_error_message(table: SharedTable) -> None:
    answer = broken(table, 1000).changes(END, startingVersion=0)

    assert set(answer.end) == {"errorMessage"}
    assert f"s.d.{table.name}" in answer.end["errorMessage"]
    assert set(answer.kinds) == {"protocol", "metaData", "add", "endStreamAction"}


@pytest.mark.parametrize("pages", [{}, {"maxFiles": 5000}])
def test_aborted_answer_without_end_stream_action_is_incomplete(
    table: SharedTable, pages: dict[str, int]
) -> None:
    with pytest.raises(http.client.IncompleteRead):
        broken(table, 1000).changes(startingVersion=0, **pages)


@pytest.mark.parametrize("capabilities", [None, END])
def test_an_answer_that_cannot_even_begin_is_refused(
    table: SharedTable, capabilities: str | None
) -> None:
    assert broken(table, 3).changes(capabilities, startingVersion=0).refusal == (
        500,
        "INTERNAL_ERROR",
    )


def test_an_answer_of_many_lines_is_whole(table: SharedTable) -> None:
    paths = [f"f{n}" for n in range(1001)]
    table.begun(*(add(path, stats=json.dumps({"numRecords": 1})) for path in paths), **ON)

    assert (
        table.query(END).ids
        == table.query(END, startingVersion=0).ids
        == table.changes(END, startingVersion=0).ids
        == ids(*paths)
    )
