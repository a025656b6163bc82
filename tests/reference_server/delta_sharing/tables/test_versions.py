"""The current version of a table, and the version at a time."""

from __future__ import annotations

import pytest

from sample_tables.delta_logs import add
from sample_tables.shared_tables import SharedTable, hour


def with_versions(table: SharedTable, count: int) -> SharedTable:
    """Return a table with some versions, one hour apart."""
    table.begun(add("f0"))
    for version in range(1, count):
        table.commit(version, add(f"f{version}"))
    return table


@pytest.mark.parametrize(
    "time",
    ["", "2024-01-01 00:00:00", "1704067200000", "2024-01-01T00:00:00", "2024-02-30T00:00:00Z"],
)
def test_invalid_timestamp_returns_400_with_an_example(table: SharedTable, time: str) -> None:
    answer = with_versions(table, 1).version(startingTimestamp=time)

    assert answer.refusal == (400, "INVALID_PARAMETER_VALUE")
    assert "startingTimestamp" in answer.message
    assert "2022-01-01T00:00:00Z" in answer.message


def test_time_returns_400_where_history_is_not_shared(closed: SharedTable) -> None:
    """As on the official server."""
    answer = with_versions(closed, 2).version(startingTimestamp=hour(0))

    assert answer.refusal == (400, "INVALID_PARAMETER_VALUE")
    assert "the history of" in answer.message


def test_a_time_before_what_is_shared_leads_to_the_first_version_that_is(late: SharedTable) -> None:
    assert with_versions(late, 5).version(startingTimestamp=hour(0)).version == 2


def test_table_without_a_shared_version_yet_is_refused(late: SharedTable) -> None:
    with_versions(late, 2)

    for answer in (
        late.version(),
        late.version(startingTimestamp=hour(0)),
        late.query(),
        late.changes(startingTimestamp=hour(0)),
    ):
        assert answer.refusal == (400, "INVALID_PARAMETER_VALUE")
