"""Metadata of other writers is registered unchanged or refused with the reason."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakepact.reference_server.iceberg_rest.tables.registration import existing_table_metadata
from lakepact.reference_server.iceberg_rest.updates import apply_updates
from sample_tables import table_documents as td
from sample_tables.commit_sequences import commits, tables
from sample_tables.table_documents import partition_field
from sample_tables.table_invariants import broken_invariants

Document = dict[str, Any]

OURS = td.committed(
    td.appended(td.table(partition_spec={"fields": [partition_field(2, "day", "day")]}), 11),
    td.tag("v1", 11),
)


@settings(deadline=None, max_examples=50)
@given(st.data())
def test_metadata_of_this_server_is_registered_unchanged(data: st.DataObject) -> None:
    metadata = data.draw(tables())
    metadata = apply_updates(metadata, data.draw(commits(metadata)), now_ms=td.LATER)
    before = orjson.dumps(metadata)

    assert existing_table_metadata(metadata) == metadata
    assert orjson.dumps(metadata) == before


def test_a_table_of_the_first_writers_gets_the_members_that_came_later() -> None:
    old = {
        "format-version": 1,
        "table-uuid": td.UUID,
        "location": td.LOCATION,
        "last-updated-ms": td.CREATED,
        "last-column-id": 5,
        "schema": td.ORDERS,
        "partition-spec": [partition_field(2, "day", "day")],
        "properties": {},
        "current-snapshot-id": 11,
        "snapshots": [td.snapshot(11, None)],
        "snapshot-log": [{"snapshot-id": 11, "timestamp-ms": td.CREATED}],
        "x-unknown": 1,
    }

    metadata = existing_table_metadata(old)

    assert metadata["schemas"] == [{**td.ORDERS, "schema-id": 0}]
    assert metadata["partition-specs"] == [
        {"spec-id": 0, "fields": [partition_field(2, "day", "day", **{"field-id": 1000})]}
    ]
    assert (metadata["last-partition-id"], metadata["default-sort-order-id"]) == (1000, 0)
    assert metadata["refs"] == {"main": {"snapshot-id": 11, "type": "branch"}}
    assert metadata["x-unknown"] == 1
    assert td.appended(metadata, 12)["current-snapshot-id"] == 12


@pytest.mark.parametrize("spelled", [-1, None])
def test_no_current_snapshot_is_spelled_in_one_way(spelled: int | None) -> None:
    metadata = existing_table_metadata({**td.table(), "current-snapshot-id": spelled})

    assert "current-snapshot-id" not in metadata
    assert broken_invariants(metadata) == []


@pytest.mark.parametrize(
    ("spoiled", "said"),
    [
        ({"format-version": 4}, "/format-version: expected an integer from 1 to 3"),
        ({"location": None}, "/location: expected a text that is not empty, found nothing"),
        ({"last-updated-ms": None}, "/last-updated-ms: expected an integer from 0 to "),
        ({"current-schema-id": 5}, "/current-schema-id: expected one of schemas, found 5"),
        ({"current-schema-id": None}, "/current-schema-id: expected an integer from "),
        ({"default-spec-id": 5}, "/default-spec-id: expected one of partition-specs, found 5"),
        (
            {"default-sort-order-id": 5},
            "/default-sort-order-id: expected one of sort-orders, found 5",
        ),
        ({"sort-orders": 2 * OURS["sort-orders"]}, "/sort-orders/1: the id 0 is given twice"),
        (
            {"schemas": [{"type": "struct", "fields": []}]},
            "/schemas/0/schema-id: expected an integer from ",
        ),
        (
            {"last-column-id": 4},
            "/last-column-id: expected at least 5, the highest field id in use, found 4",
        ),
        (
            {"last-partition-id": 999},
            "/last-partition-id: expected at least 1000, the highest field id in use, found 999",
        ),
        ({"snapshots": 2 * OURS["snapshots"]}, "/snapshots/1: the id 11 is given twice"),
        (
            {"last-sequence-number": 0},
            "/snapshots/0/sequence-number: expected at most last-sequence-number, 0, found 1",
        ),
        ({"snapshots": []}, "/refs: expected 'main' at the id of a snapshot, found 11"),
        (
            {"current-snapshot-id": None},
            "/current-snapshot-id: expected 11, where main is, found nothing",
        ),
    ],
)
def test_metadata_that_refers_to_what_it_does_not_hold_is_refused(
    spoiled: Document, said: str
) -> None:
    assert td.complaint(lambda: existing_table_metadata({**OURS, **spoiled})).startswith(
        f"at {said}"
    )
