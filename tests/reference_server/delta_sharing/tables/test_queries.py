"""A query returns the files of one version that its hints do not exclude; metadata follows the same
rules.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from sample_tables.delta_logs import METADATA, add, metadata, remove
from sample_tables.shared_tables import SharedTable, hour, ids, milliseconds

CITY = {"op": "column", "name": "p", "valueType": "string"}
BERLIN = {
    "op": "equal",
    "children": [CITY, {"op": "literal", "value": "Berlin", "valueType": "string"}],
}


DELTA = "responseformat=delta"


LONG_AGO = "2023-12-31T23:59:59Z"


def with_schemas(table: SharedTable) -> SharedTable:
    """Return a table with 1, 2, 1 and 1 files, whose description changes in version 2."""
    table.begun(add("a"))
    table.commit(1, add("b"))
    table.commit(2, {"metaData": METADATA | {"description": "new"}}, remove("a"))
    table.commit(3, add("c"), remove("b"))
    return table


def with_history(table: SharedTable) -> SharedTable:
    """Return a table of the files a; a, b; b; b, c."""
    table.begun(add("a"))
    table.commit(1, add("b"))
    table.commit(2, remove("a"))
    table.commit(3, add("c"))
    return table


def with_cities(table: SharedTable) -> SharedTable:
    """Return a table with one file for each of two cities, of three rows each."""
    stats = json.dumps({"numRecords": 3})
    return table.begun(
        *(add(city, partitionValues={"p": city}, stats=stats) for city in ("Berlin", "Paris"))
    )


@pytest.mark.parametrize(
    "point",
    [
        {"version": 1},
        *({"timestamp": at} for at in (hour(1), hour(1.99), "2024-01-01T01:00:00.9999Z")),
    ],
)
@pytest.mark.parametrize("capabilities", [None, DELTA])
def test_a_version_that_is_asked_for_is_answered_with_its_number_and_time(
    table: SharedTable, point: dict[str, Any], capabilities: str | None
) -> None:
    answer = with_history(table).query(capabilities, **point)

    assert (answer.ids, answer.version) == (ids("a", "b"), 1)
    assert {(file["version"], file["timestamp"]) for file in answer.of("file")} == {
        (1, milliseconds(1))
    }
    assert answer.of("metaData")[0]["version"] == 1


def test_the_current_version_is_answered_without_number_and_time(table: SharedTable) -> None:
    answer = with_history(table).query()

    assert not any({"version", "timestamp"} & set(file) for file in answer.of("file"))
    assert "version" not in answer.of("metaData")[0]


@pytest.mark.parametrize(
    "point",
    [
        {"version": 4},
        {"version": 2**62},
        {"version": -1},
        {"startingVersion": 4},
        {"timestamp": LONG_AGO},
    ],
)
def test_a_version_that_is_not_there_is_refused(table: SharedTable, point: dict[str, Any]) -> None:
    assert with_history(table).query(**point).refusal == (400, "INVALID_PARAMETER_VALUE")


@pytest.mark.parametrize("point", [{"version": 0}, {"timestamp": hour(0)}, {"startingVersion": 0}])
def test_history_that_is_not_shared_is_refused(closed: SharedTable, point: dict[str, Any]) -> None:
    with_history(closed)

    answer = closed.query(**point)
    assert answer.refusal == (400, "INVALID_PARAMETER_VALUE")
    assert f"share.schema.{closed.name}" in answer.message
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


def test_an_ending_version_alone_counts_for_nothing(table: SharedTable) -> None:
    assert with_history(table).query(endingVersion=0).ids == ids("b", "c")


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
    with_cities(table)

    assert table.query(predicateHints=["p = 'Berlin'"]).ids == ids("Berlin")
    assert table.query(jsonPredicateHints=json.dumps(BERLIN)).ids == ids("Berlin")
    assert (
        table.query(
            DELTA, predicateHints=["p = 'Paris'"], jsonPredicateHints=json.dumps(BERLIN)
        ).ids
        == set()
    )
    assert table.query(predicateHints=["nonsense", "p ="], jsonPredicateHints="{").ids == ids(
        "Berlin", "Paris"
    )
    assert table.query(predicateHints=[]).ids == ids("Berlin", "Paris")


def test_a_limit_leaves_out_files_beyond_it(table: SharedTable) -> None:
    with_cities(table)

    assert [len(table.query(limitHint=limit).ids) for limit in (0, 1, 3, 4, 2**31 - 1)] == [
        0,
        1,
        1,
        2,
        2,
    ]
    assert table.query(limitHint=1, predicateHints=["p = 'Paris'"]).ids == ids("Paris")


def test_another_way_to_make_file_ids_is_refused(table: SharedTable) -> None:
    assert with_history(table).ask("POST", "/query", {}, fileidhash="md5").refusal == (
        400,
        "INVALID_PARAMETER_VALUE",
    )


def test_a_table_that_is_read_by_its_directory_alone_is_not_queried(
    tables: Callable[[str], SharedTable],
) -> None:
    directory = tables("directory").begun(add("a"))

    assert directory.query().refusal == (400, "UNSUPPORTED_OPERATION")
    assert directory.query(startingVersion=0).refusal == (400, "UNSUPPORTED_OPERATION")
    assert directory.changes(startingVersion=0).refusal == (400, "UNSUPPORTED_OPERATION")
    assert tables("both").begun(add("a")).query().ids == ids("a")


def test_a_file_has_one_line_although_it_is_added_again(table: SharedTable) -> None:
    table.begun(add("a", size=1))
    table.commit(1, add("a", size=2))

    assert [file["size"] for file in table.query().of("file")] == [2]


def test_query_whose_range_ends_after_the_current_version_returns_400(table: SharedTable) -> None:
    """As on the official server; requests for changes return 400 too."""
    answer = with_history(table).query(startingVersion=0, endingVersion=99)

    assert answer.refusal == (400, "INVALID_PARAMETER_VALUE")
    assert "endingVersion 99 is after the current version" in answer.message


def test_metadata_of_two_moments_at_once_is_refused(table: SharedTable) -> None:
    answer = table.begun().metadata(version=0, timestamp=hour(0))

    assert answer.refusal == (400, "INVALID_PARAMETER_VALUE")
    assert "version and timestamp" in answer.message


@pytest.mark.parametrize("point", [{"version": 0}, {"timestamp": hour(0)}])
def test_metadata_of_a_version_is_refused_where_history_is_not_shared(
    closed: SharedTable, point: dict[str, Any]
) -> None:
    closed.begun()

    assert closed.metadata(**point).refusal == (400, "INVALID_PARAMETER_VALUE")
    assert closed.metadata().status == 200


def test_a_table_that_is_read_by_its_directory_has_metadata_all_the_same(
    tables: Callable[[str], SharedTable],
) -> None:
    said = tables("directory").begun().metadata().of("metaData")[0]

    assert (said["accessModes"], "location" in said) == (["dir"], True)


@pytest.mark.parametrize("ask", ["metadata", "query"])
def test_a_table_with_features_is_answered_in_the_format_that_has_them(
    table: SharedTable, ask: str
) -> None:
    protocol = {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["deletionVectors"],
        "writerFeatures": ["deletionVectors"],
    }
    table.commit(0, {"protocol": protocol}, metadata(delta__enableDeletionVectors="true"))
    request = getattr(table, ask)

    assert request().refusal == (400, "UNSUPPORTED_OPERATION")
    assert request("responseformat=parquet").refusal == (400, "UNSUPPORTED_OPERATION")
    assert request("responseformat=delta;readerfeatures=columnmapping").refusal == (
        400,
        "UNSUPPORTED_OPERATION",
    )
    both = request("responseformat=delta,parquet;readerfeatures=deletionvectors")
    assert both.headers["delta-sharing-capabilities"] == "responseformat=delta"
    assert both.of("protocol")[0]["deltaProtocol"]["readerFeatures"] == ["deletionVectors"]


@pytest.mark.parametrize(
    "point", [{"version": 1}, {"timestamp": hour(1)}, {"timestamp": hour(1.9)}]
)
def test_metadata_may_be_asked_for_as_of_a_version_or_a_time(
    table: SharedTable, point: dict[str, Any]
) -> None:
    answer = with_schemas(table).metadata(**point)

    said = answer.of("metaData")[0]
    assert (answer.version, said["version"], said["numFiles"], said.get("description")) == (
        1,
        1,
        2,
        None,
    )


@pytest.mark.parametrize(
    "body",
    [
        {"maxFiles": 0},
        {"maxFiles": -1},
        {"version": -1},
        {"startingVersion": -1},
        {"version": 0, "includeRefreshToken": True},
        {"startingVersion": 9},
        {"startingVersion": 1, "endingVersion": 0},
        {"refreshToken": "forged"},
        {"pageToken": "forged"},
    ],
)
def test_query_that_the_official_server_refuses_returns_400(
    table: SharedTable, body: dict[str, Any]
) -> None:
    assert with_history(table).query(**body).refusal == (400, "INVALID_PARAMETER_VALUE")
