"""Pages and refreshes of an answer return the same files, even when the table changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sample_tables.delta_logs import add, remove
from sample_tables.shared_tables import TOKENS, SharedTable, hour, ids

END = "includeEndStreamAction=true"
REFUSED = (400, "INVALID_PARAMETER_VALUE")


def with_files(table: SharedTable, count: int) -> SharedTable:
    """Return a table with some files and two versions; the second adds a file."""
    stats = json.dumps({"numRecords": 1})
    table.begun(
        *(
            add(f"f{n}", partitionValues={"p": "even" if n % 2 == 0 else "odd"}, stats=stats)
            for n in range(count)
        )
    )
    table.commit(1, add("last", stats=stats))
    return table


def names(count: int) -> set[str]:
    return ids("last", *(f"f{n}" for n in range(count)))


def test_page_token_keeps_the_hints_of_its_query(table: SharedTable) -> None:
    hints = {"predicateHints": ["p = 'even'"], "limitHint": 2}
    first = with_files(table, 6).query(maxFiles=1, **hints)

    second = table.query(pageToken=first.end["nextPageToken"], **hints)

    assert (len(second.ids), first.ids | second.ids < ids("f0", "f2", "f4")) == (1, True)


@pytest.mark.parametrize(
    "query", [{"limitHint": 3}, {"version": 0}, {"startingVersion": 0}, {"predicateHints": ["1"]}]
)
def test_page_token_without_the_rest_of_its_query_returns_400(
    table: SharedTable, query: dict[str, Any]
) -> None:
    """As on the official server, whose tokens are bound to all parameters."""
    first = with_files(table, 3).query(maxFiles=1, **query)

    answer = table.query(maxFiles=1, pageToken=first.end["nextPageToken"])

    assert answer.refusal == REFUSED
    assert "repeat the query" in answer.message


@pytest.mark.parametrize(
    "other",
    [{"predicateHints": ["p = 'odd'"]}, {"limitHint": 3}, {"version": 0}, {"startingVersion": 0}],
)
def test_a_token_is_of_no_use_for_another_query(table: SharedTable, other: dict[str, Any]) -> None:
    first = with_files(table, 6).query(
        maxFiles=1, predicateHints=["p = 'even'"], includeRefreshToken=True
    )

    for token in (
        {"pageToken": first.end["nextPageToken"]},
        {"refreshToken": first.end["refreshToken"]},
    ):
        answer = table.query(**token, **other)
        assert answer.refusal == REFUSED
        assert next(iter(token)) in answer.message


def test_a_token_is_of_no_use_for_another_recipient_table_or_operation(
    table: SharedTable, tables: Any
) -> None:
    first = with_files(table, 2).query(maxFiles=1, includeRefreshToken=True).end
    other = with_files(tables("open"), 2)
    for token in ({"pageToken": first["nextPageToken"]}, {"refreshToken": first["refreshToken"]}):
        assert table.query(token=TOKENS["two"], **token).refusal == REFUSED
        assert other.query(**token).refusal == REFUSED
    assert table.query(pageToken=first["refreshToken"]).refusal == REFUSED
    assert table.query(refreshToken=first["nextPageToken"]).refusal == REFUSED
    assert table.changes(startingVersion=0, pageToken=first["nextPageToken"]).refusal == REFUSED


def test_a_token_holds_whatever_the_case_of_the_names(table: SharedTable) -> None:
    first = with_files(table, 2).query(maxFiles=1).end
    table.name = table.name.upper()

    assert table.query(pageToken=first["nextPageToken"]).status == 200


@pytest.mark.parametrize("name", ["includeRefreshToken", "refreshToken"])
@pytest.mark.parametrize("member", ["version", "timestamp", "startingVersion", "pageToken"])
def test_refresh_token_with_a_version_or_page_returns_400(
    table: SharedTable, name: str, member: str
) -> None:
    first = with_files(table, 3).query(includeRefreshToken=True, maxFiles=1).end
    others = {
        "version": 0,
        "timestamp": hour(0.5),
        "startingVersion": 0,
        "pageToken": first["nextPageToken"],
    }
    token = {"includeRefreshToken": True, "refreshToken": first["refreshToken"]}[name]

    answer = table.query(**{name: token, member: others[member]})

    assert answer.refusal == REFUSED
    assert f"{name} and {member} exclude each other" in answer.message


def test_refresh_token_alone_keeps_the_hints_of_its_query(table: SharedTable) -> None:
    before = with_files(table, 6).query(includeRefreshToken=True, predicateHints=["p = 'even'"])
    table.commit(2, add("f6", partitionValues={"p": "even"}))

    assert (
        table.query(refreshToken=before.end["refreshToken"]).ids
        == before.ids
        == ids("f0", "f2", "f4")
    )


def test_a_refreshed_answer_comes_in_pages_too(table: SharedTable) -> None:
    token = with_files(table, 3).query(includeRefreshToken=True).end["refreshToken"]
    table.commit(2, add("new"))

    first = table.query(maxFiles=3, refreshToken=token, includeRefreshToken=True)
    second = table.query(maxFiles=3, pageToken=first.end["nextPageToken"])

    assert first.ids | second.ids == names(3)


def test_a_table_without_shared_history_is_refreshed_and_paged_too(closed: SharedTable) -> None:
    before = with_files(closed, 3).query(includeRefreshToken=True, maxFiles=2)
    closed.commit(2, remove("f0"), add("new"))

    assert closed.query(refreshToken=before.end["refreshToken"]).ids == names(3)
    assert closed.query(pageToken=before.end["nextPageToken"]).ids == names(3) - before.ids


def test_refresh_of_an_unreadable_version_is_refused(table: SharedTable) -> None:
    before = with_files(table, 3).query(includeRefreshToken=True)
    for version in (0, 1):
        (table.log / f"{version:020}.json").unlink()
    table.begun(add("another"))

    assert table.query(refreshToken=before.end["refreshToken"]).refusal == REFUSED


def test_pages_of_changes_end_where_they_would_have_ended_at_first(table: SharedTable) -> None:
    table.begun(add("a"), add("b"), delta__enableChangeDataFeed="true")
    first = table.changes(startingVersion=0, maxFiles=1)
    again = table.query(startingVersion=0, maxFiles=1)
    table.commit(1, add("c"))

    assert table.changes(
        startingVersion=0, maxFiles=9, pageToken=first.end["nextPageToken"]
    ).ids | first.ids == ids("a", "b")
    rest = table.query(startingVersion=0, maxFiles=9, pageToken=again.end["nextPageToken"])
    assert rest.ids | again.ids == ids("a", "b")


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25
)
@given(st.lists(st.integers(1, 5), min_size=8, max_size=8), st.data())
def test_pages_of_any_sizes_hold_every_file_once(
    table: SharedTable, sizes: list[int], data: st.DataObject
) -> None:
    if not list(table.log.iterdir()):
        with_files(table, 12)
    limit = data.draw(st.none() | st.integers(0, 14))
    asked = {} if limit is None else {"limitHint": limit}
    answer = table.query(END, maxFiles=sizes[0], **asked)
    found = [answer.ids]
    for size in [*sizes[1:], 13]:
        if "nextPageToken" not in answer.end:
            break
        answer = table.query(END, maxFiles=size, pageToken=answer.end["nextPageToken"], **asked)
        found.append(answer.ids)

    assert (
        sum(map(len, found)) == len(set().union(*found)) == min(13, 13 if limit is None else limit)
    )
