"""The ends of answers: an endStreamAction on request, and no part that looks complete."""

from __future__ import annotations

import http.client
import json

import pytest

from sample_tables.delta_logs import add
from sample_tables.shared_tables import SharedTable, ids

END = "includeEndStreamAction=true"
ON = {"delta__enableChangeDataFeed": "true"}


def test_requested_tokens_are_sent_in_an_end_stream_action(table: SharedTable) -> None:
    table.begun(add("a"), add("b"))

    assert set(table.query(includeRefreshToken=True).end) == {
        "refreshToken",
        "minUrlExpirationTimestamp",
    }
    assert set(table.query(maxFiles=1).end) == {"nextPageToken", "minUrlExpirationTimestamp"}
    assert table.query(maxFiles=1).headers["delta-sharing-capabilities"] == "responseformat=parquet"


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
    assert f"share.schema.{table.name}" in answer.end["errorMessage"]
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


@pytest.mark.parametrize("format_", ["parquet", "delta"])
def test_requested_end_stream_action_is_the_last_line_and_in_the_header(
    table: SharedTable, format_: str
) -> None:
    table.begun(add("a"), **ON)
    capabilities = f"responseformat={format_};{END}"

    for answer in (
        table.query(capabilities),
        table.query(capabilities, startingVersion=0),
        table.query(capabilities, maxFiles=5),
        table.changes(capabilities, startingVersion=0),
    ):
        assert set(answer.end) == {"minUrlExpirationTimestamp"}
        assert (
            answer.headers["delta-sharing-capabilities"]
            == f"responseformat={format_};includeendstreamaction=true"
        )
