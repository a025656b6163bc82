"""A query returns the files of one version that its hints do not exclude."""

from __future__ import annotations

import http.client
import json
from typing import TYPE_CHECKING, Any

import pytest

from sample_tables.delta_logs import add, remove
from sample_tables.shared_tables import TOKENS, hour, ids, milliseconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from sample_tables.shared_tables import SharedTable

DELTA = "responseformat=delta"
LONG_AGO = "2023-12-31T23:59:59Z"
CITY = {"op": "column", "name": "p", "valueType": "string"}
BERLIN = {"op": "equal", "children": [CITY, {"op": "literal", "value": "Berlin", "valueType": "string"}]}


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
    return table.begun(*(add(city, partitionValues={"p": city}, stats=stats) for city in ("Berlin", "Paris")))


@pytest.mark.parametrize("capabilities", [None, DELTA])
def test_a_query_is_answered_with_all_files_of_the_current_version(table: SharedTable, capabilities: str | None) -> None:
    answer = with_history(table).query(capabilities)

    assert answer.kinds == ["protocol", "metaData", "file", "file"]
    assert (answer.ids, answer.version) == (ids("b", "c"), 3)


def test_a_table_without_files_is_two_lines(table: SharedTable) -> None:
    assert table.begun().query().kinds == ["protocol", "metaData"]


@pytest.mark.parametrize("point", [{"version": 1}, *({"timestamp": at} for at in (hour(1), hour(1.99), "2024-01-01T01:00:00.9999Z"))])
@pytest.mark.parametrize("capabilities", [None, DELTA])
def test_a_version_that_is_asked_for_is_answered_with_its_number_and_time(
    table: SharedTable, point: dict[str, Any], capabilities: str | None
) -> None:
    answer = with_history(table).query(capabilities, **point)

    assert (answer.ids, answer.version) == (ids("a", "b"), 1)
    assert {(file["version"], file["timestamp"]) for file in answer.of("file")} == {(1, milliseconds(1))}
    assert answer.of("metaData")[0]["version"] == 1


def test_the_current_version_is_answered_without_number_and_time(table: SharedTable) -> None:
    answer = with_history(table).query()

    assert not any({"version", "timestamp"} & set(file) for file in answer.of("file"))
    assert "version" not in answer.of("metaData")[0]


def test_a_time_after_the_last_commit_means_the_current_version(table: SharedTable) -> None:
    assert with_history(table).query(timestamp="9999-01-01T00:00:00Z").version == 3


@pytest.mark.parametrize("point", [{"version": 4}, {"version": 2**62}, {"version": -1}, {"startingVersion": 4}, {"timestamp": LONG_AGO}])
def test_a_version_that_is_not_there_is_refused(table: SharedTable, point: dict[str, Any]) -> None:
    assert with_history(table).query(**point).refusal == (400, "INVALID_PARAMETER_VALUE")


@pytest.mark.parametrize("point", [{"version": 1}, {"timestamp": hour(1.5)}, {"startingVersion": 1}, {"startingVersion": 0}])
def test_versions_before_what_is_shared_are_refused(late: SharedTable, point: dict[str, Any]) -> None:
    with_history(late)

    assert late.query(**point).refusal == (400, "INVALID_PARAMETER_VALUE")
    assert (late.query(version=2).ids, late.query().ids) == (ids("b"), ids("b", "c"))


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
    names = ["predicateHints", "jsonPredicateHints", "limitHint", "version", "timestamp", "startingVersion", "endingVersion"]
    names += ["maxFiles", "pageToken", "includeRefreshToken", "refreshToken"]

    answer = with_history(table).query(**dict.fromkeys(names), idempotency_key="x", requested_columns=["a"], foo={"bar": None})

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
    assert with_history(table).ask("POST", "/query", body).refusal == (400, "INVALID_PARAMETER_VALUE")


def test_whole_numbers_may_be_written_with_a_fraction_of_nothing(table: SharedTable) -> None:
    assert with_history(table).ask("POST", "/query", b'{"version": 1.0, "limitHint": 1e6}').version == 1


@pytest.mark.parametrize("media_type", [None, "application/json", "application/json; charset=utf-8", "APPLICATION/JSON;charset=UTF-8"])
def test_a_query_may_come_with_a_media_type_or_without(table: SharedTable, media_type: str | None) -> None:
    with_history(table)
    headers = {} if media_type is None else {"content-type": media_type}

    assert table.ask("POST", "/query", b"{}" if media_type else None, **headers).ids == ids("b", "c")


def test_a_body_without_media_type_is_read(table: SharedTable, tables_server: Any) -> None:
    with_history(table)
    connection = http.client.HTTPConnection(tables_server.url.removeprefix("http://"), timeout=20)
    connection.putrequest("POST", f"/delta-sharing/shares/share/schemas/schema/tables/{table.name}/query")
    connection.putheader("authorization", f"Bearer {TOKENS['one']}")
    connection.putheader("content-length", "13")
    connection.endheaders(b'{"version":1}')
    response = connection.getresponse()
    assert (response.status, response.getheader("delta-table-version")) == (200, "1")
    response.read()
    connection.close()


def test_hints_leave_out_files_without_matching_rows(table: SharedTable) -> None:
    with_cities(table)

    assert table.query(predicateHints=["p = 'Berlin'"]).ids == ids("Berlin")
    assert table.query(jsonPredicateHints=json.dumps(BERLIN)).ids == ids("Berlin")
    assert table.query(DELTA, predicateHints=["p = 'Paris'"], jsonPredicateHints=json.dumps(BERLIN)).ids == set()
    assert table.query(predicateHints=["nonsense", "p ="], jsonPredicateHints="{").ids == ids("Berlin", "Paris")
    assert table.query(predicateHints=[]).ids == ids("Berlin", "Paris")


def test_a_limit_leaves_out_files_beyond_it(table: SharedTable) -> None:
    with_cities(table)

    assert [len(table.query(limitHint=limit).ids) for limit in (0, 1, 3, 4, 2**31 - 1)] == [0, 1, 1, 2, 2]
    assert table.query(limitHint=1, predicateHints=["p = 'Paris'"]).ids == ids("Paris")


def test_hints_do_not_change_what_the_metadata_counts(table: SharedTable) -> None:
    assert with_cities(table).query(predicateHints=["p = 'Berlin'"]).of("metaData")[0]["numFiles"] == 2


@pytest.mark.parametrize("sent", ["parquet", "DELTA", " Delta "])
def test_the_header_about_file_ids_is_repeated_and_changes_no_id(table: SharedTable, sent: str) -> None:
    with_history(table)

    answer = table.ask("POST", "/query", {}, fileidhash=sent)

    assert answer.headers["fileidhash"] == sent.strip().lower()
    assert answer.ids == table.query().ids == table.query(DELTA).ids == ids("b", "c")
    assert "fileidhash" not in table.query().headers


def test_another_way_to_make_file_ids_is_refused(table: SharedTable) -> None:
    assert with_history(table).ask("POST", "/query", {}, fileidhash="md5").refusal == (400, "INVALID_PARAMETER_VALUE")


def test_a_table_that_is_read_by_its_directory_alone_is_not_queried(tables: Callable[[str], SharedTable]) -> None:
    directory = tables("directory").begun(add("a"))

    assert directory.query().refusal == (400, "UNSUPPORTED_OPERATION")
    assert directory.query(startingVersion=0).refusal == (400, "UNSUPPORTED_OPERATION")
    assert directory.changes(startingVersion=0).refusal == (400, "UNSUPPORTED_OPERATION")
    assert tables("both").begun(add("a")).query().ids == ids("a")


def test_each_answer_is_of_one_version_between_commits(table: SharedTable) -> None:
    with_history(table)
    seen = []
    for version in range(4, 12):
        answer = table.query()
        seen.append((answer.version, answer.of("metaData")[0]["numFiles"], len(answer.ids)))
        table.commit(version, add(f"f{version}"))

    assert seen == [(3 + n, 2 + n, 2 + n) for n in range(8)]


def test_a_file_has_one_line_although_it_is_added_again(table: SharedTable) -> None:
    table.begun(add("a", size=1))
    table.commit(1, add("a", size=2))

    assert [file["size"] for file in table.query().of("file")] == [2]


def test_partition_values_that_are_empty_are_null(table: SharedTable) -> None:
    table.begun(add("a", partitionValues={"p": ""}), add("b", partitionValues={"p": None}), add("c", partitionValues={"p": "a b/c%=é"}))

    said = {file["id"]: file["partitionValues"] for file in table.query().of("file")}
    assert [said[name] for path in "abc" for name in ids(path)] == [{"p": None}, {"p": None}, {"p": "a b/c%=é"}]


def test_characters_at_which_clients_break_lines_are_escaped(table: SharedTable) -> None:
    hard = "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e"
    stats = json.dumps({"numRecords": 1, "minValues": {"a": hard}}, ensure_ascii=False)
    table.begun(add("a", partitionValues={"p": hard}, stats=stats))

    for answer in (table.query(), table.query(DELTA), table.query(startingVersion=0)):
        assert answer.body.isascii()
        assert len(answer.body.decode().splitlines()) == 3
    assert table.query().of("file")[0]["stats"] == stats
