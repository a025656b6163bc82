"""A query returns the files of one version that its hints do not exclude; metadata follows the same
rules.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from sample_tables.delta_logs import add, remove
from sample_tables.shared_tables import SharedTable, hour, ids

BERLIN = {
    "op": "equal",
    "children": [
        {"op": "column", "name": "p", "valueType": "string"},
        {"op": "literal", "value": "Berlin", "valueType": "string"},
    ],
}


def with_history(table: SharedTable) -> SharedTable:
    """Return a table of the files a; a, b; b; b, c."""
    table.begun(add("a"))
    table.commit(1, add("b"))
    table.commit(2, remove("a"))
    table.commit(3, add("c"))
    return table


def test_the_current_version_is_answered_without_number_and_time(table: SharedTable) -> None:
    answer = with_history(table).query()

    assert not any({"version", "timestamp"} & set(file) for file in answer.of("file"))
    assert "version" not in answer.of("metaData")[0]


@pytest.mark.parametrize("point", [{"version": 0}, {"timestamp": hour(0)}, {"startingVersion": 0}])
def test_history_that_is_not_shared_is_refused(closed: SharedTable, point: dict[str, Any]) -> None:
    with_history(closed)

    answer = closed.query(**point)
    assert answer.refusal == (400, "INVALID_PARAMETER_VALUE")
    assert f"s.d.{closed.name}" in answer.message
    assert closed.query().ids == ids("b", "c")


@pytest.mark.parametrize(
    "points",
    [
        {"version": 1, "timestamp": hour(1)},
        {"version": 1, "startingVersion": 1},
        {"timestamp": hour(1), "startingVersion": 1},
    ],
)
def test_points_exclude_each_other(table: SharedTable, points: dict[str, Any]) -> None:
    answer = with_history(table).query(**points)

    assert answer.refusal == (400, "INVALID_PARAMETER_VALUE")
    assert all(name in answer.message for name in points)


def test_members_that_are_null_or_unknown_count_as_absent(table: SharedTable) -> None:
    names = [
        "predicateHints",
        "jsonPredicateHints",
        "limitHint",
        "version",
        "timestamp",
        "startingVersion",
        "endingVersion",
    ]
    names += ["maxFiles", "pageToken", "includeRefreshToken", "refreshToken"]

    answer = with_history(table).query(
        **dict.fromkeys(names), idempotency_key="x", requested_columns=["a"], foo={"bar": None}
    )

    assert (answer.ids, answer.kinds[-1]) == (ids("b", "c"), "file")


@pytest.mark.parametrize(
    "body",
    [
        {"limitHint": "x"},
        {"limitHint": 2**31},
        {"limitHint": -1},
        {"limitHint": 1.5},
        {"limitHint": True},
        {"version": "1"},
        {"version": -1},
        {"version": 4},
        {"startingVersion": -1},
        {"timestamp": 1},
        {"timestamp": ""},
        {"timestamp": "2024-01-01 00:00:00"},
        {"predicateHints": "a = 1"},
        {"predicateHints": [1]},
        {"jsonPredicateHints": BERLIN},
        {"includeRefreshToken": "yes"},
        {"maxFiles": 0},
        {"maxFiles": -1},
        {"pageToken": "zzz", "maxFiles": 2},
        {"pageToken": ""},
        {"refreshToken": "zzz"},
        [],
        "text",
        b"{",
        b"nope",
        b'{"limitHint": }',
        b'{"version": 1, "version": 0}',
        b"\xff",
    ],
)
def test_invalid_bodies_are_refused(table: SharedTable, body: Any) -> None:
    assert with_history(table).ask("POST", "/query", body).refusal == (
        400,
        "INVALID_PARAMETER_VALUE",
    )


def test_whole_numbers_may_be_written_with_a_fraction_of_nothing(table: SharedTable) -> None:
    assert (
        with_history(table).ask("POST", "/query", b'{"version": 1.0, "limitHint": 1e6}').version
        == 1
    )


def test_hints_leave_out_files_without_matching_rows(table: SharedTable) -> None:
    table.begun(*(add(city, partitionValues={"p": city}) for city in ("Berlin", "Paris")))

    berlin, paris = json.dumps(BERLIN), ["p = 'Paris'"]
    assert table.query(predicateHints=paris).ids == ids("Paris")
    assert table.query(jsonPredicateHints=berlin).ids == ids("Berlin")
    assert table.query(predicateHints=paris, jsonPredicateHints=berlin).ids == set()


def test_range_of_a_table_that_is_read_by_its_directory_alone_is_refused(
    tables: Callable[[str], SharedTable],
) -> None:
    directory = tables("directory").begun(add("a"))

    for ask in (directory.query, directory.changes):
        assert ask(startingVersion=0).refusal == (400, "UNSUPPORTED_OPERATION")


def test_a_file_has_one_line_although_it_is_added_again(table: SharedTable) -> None:
    table.begun(add("a", size=1))
    table.commit(1, add("a", size=2))

    assert [file["size"] for file in table.query().of("file")] == [2]


def test_query_whose_range_ends_after_the_current_version_returns_400(table: SharedTable) -> None:
    """As on the official server; requests for changes return 400 too."""
    answer = with_history(table).query(startingVersion=0, endingVersion=99)

    assert answer.refusal == (400, "INVALID_PARAMETER_VALUE")
    assert "endingVersion 99 is after the current version" in answer.message
