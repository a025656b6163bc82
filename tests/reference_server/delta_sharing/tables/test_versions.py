"""The current version of a table, and the version at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sample_tables.delta_logs import add
from sample_tables.shared_tables import hour

if TYPE_CHECKING:
    from sample_tables.shared_tables import SharedTable

FAR = "9999-01-01T00:00:00Z"


def with_versions(table: SharedTable, count: int) -> SharedTable:
    """Return a table with some versions, one hour apart."""
    table.begun(add("f0"))
    for version in range(1, count):
        table.commit(version, add(f"f{version}"))
    return table


def test_a_version_is_a_header_and_no_body(table: SharedTable) -> None:
    answer = with_versions(table, 3).version()

    assert (answer.status, answer.version, answer.body, answer.headers["content-length"]) == (200, 2, b"", "0")


def test_the_older_head_request_says_the_same(table: SharedTable) -> None:
    with_versions(table, 3)

    assert (table.ask("HEAD", "").status, table.ask("HEAD", "").version) == (200, 2)


def test_a_commit_is_seen_at_once(table: SharedTable) -> None:
    with_versions(table, 2)
    assert table.version().version == 1

    table.commit(2, add("later"))

    assert table.version().version == 2


@pytest.mark.parametrize(
    ("time", "version"),
    [
        ("1970-01-01T00:00:00Z", 0),
        (hour(0), 0),
        ("2024-01-01T00:00:00.001Z", 1),
        ("2024-01-01T00:59:59.999999Z", 1),
        (hour(1), 1),
        (hour(1.5), 2),
        (hour(2), 2),
        ("2024-01-01T04:00:00+02:00", 2),
    ],
)
def test_a_time_leads_to_the_first_version_at_or_after_it(table: SharedTable, time: str, version: int) -> None:
    answer = with_versions(table, 3).version(startingTimestamp=time)

    assert (answer.status, answer.version) == (200, version)


@pytest.mark.parametrize("time", ["2024-01-01T02:00:00.001Z", "2024-01-01T02:00:00.0001Z", FAR])
def test_time_after_the_last_version_is_refused(table: SharedTable, time: str) -> None:
    assert with_versions(table, 3).version(startingTimestamp=time).refusal == (400, "INVALID_PARAMETER_VALUE")


@pytest.mark.parametrize("time", ["", "2024-01-01 00:00:00", "1704067200000", "2024-01-01T00:00:00", "2024-02-30T00:00:00Z"])
def test_invalid_timestamp_returns_400_with_an_example(table: SharedTable, time: str) -> None:
    answer = with_versions(table, 1).version(startingTimestamp=time)

    assert answer.refusal == (400, "INVALID_PARAMETER_VALUE")
    assert "startingTimestamp" in answer.message
    assert "2022-01-01T00:00:00Z" in answer.message


def test_a_time_before_what_is_shared_leads_to_the_first_version_that_is(late: SharedTable) -> None:
    assert with_versions(late, 5).version(startingTimestamp=hour(0)).version == 2


def test_table_without_a_shared_version_yet_is_refused(late: SharedTable) -> None:
    with_versions(late, 2)

    for answer in (late.version(), late.version(startingTimestamp=hour(0)), late.query(), late.changes(startingTimestamp=hour(0))):
        assert answer.refusal == (400, "INVALID_PARAMETER_VALUE")


def test_version_at_a_time_is_sent_for_tables_without_history(closed: SharedTable) -> None:
    assert with_versions(closed, 3).version(startingTimestamp=hour(1)).version == 1


def test_a_table_of_another_name_is_not_there(table: SharedTable) -> None:
    table.name = "nobody"

    assert table.version().refusal == (404, "RESOURCE_DOES_NOT_EXIST")
    assert table.query().refusal == (404, "RESOURCE_DOES_NOT_EXIST")
