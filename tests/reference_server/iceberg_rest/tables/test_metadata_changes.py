"""A commit validates the members that it changes, and no others."""

from __future__ import annotations

from typing import Any

import pytest

from lakepact.generated.contract import Contract
from lakepact.reference_server.http.validation import Validators
from lakepact.reference_server.iceberg_rest.tables.metadata import (
    finish_commit,
    new_in,
    new_table_metadata,
)
from lakepact.reference_server.iceberg_rest.updates import apply_updates
from sample_tables import table_documents as td

SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "fields": [{"id": 1, "name": "id", "type": "long", "required": True}],
}
REQUEST = {"name": "events", "schema": SCHEMA, "properties": {"owner": "somebody"}}
SNAPSHOT = td.snapshot(3051729675574597004)
VALID = Validators(Contract("iceberg_rest"))["TableMetadata"].is_valid
NOT_THIS = {"anything": [{"else": None}]}  #: no member may be this


def table() -> dict[str, Any]:
    """Return a table with a snapshot."""
    empty = new_table_metadata(
        REQUEST,
        table_uuid="7f6c6b0e-4b0c-4b9f-9c37-1a1d6e3a8f10",
        location="memory:/events",
        now_ms=1,
    )
    return apply_updates(empty, [{"action": "add-snapshot", "snapshot": SNAPSHOT}], now_ms=2)


def following(metadata: dict[str, Any], *updates: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata after a commit."""
    return finish_commit(
        apply_updates(metadata, updates, now_ms=3),
        metadata,
        "memory:/events/metadata/00001-a.metadata.json",
    )


def test_unchanged_members_of_a_commit_are_not_validated_again() -> None:
    before = table()
    second = {
        **SNAPSHOT,
        "snapshot-id": 2,
        "sequence-number": 2,
        "parent-snapshot-id": SNAPSHOT["snapshot-id"],
    }
    looked_at = new_in(following(before, {"action": "add-snapshot", "snapshot": second}), before)
    assert ([second], True, False) == (
        looked_at["snapshots"],
        VALID(looked_at),
        "schemas" in looked_at,
    )


@pytest.mark.parametrize("member", sorted(table()))
def test_invalid_member_makes_the_changes_invalid(member: str) -> None:
    before = table()
    broken = {
        **following(before, {"action": "set-properties", "updates": {"a": "b"}}),
        member: NOT_THIS,
    }
    assert (VALID(broken), False) == (VALID(new_in(broken, before)), VALID(broken))


@pytest.mark.parametrize(
    "member", sorted(member for member, value in table().items() if type(value) is list)
)
def test_invalid_item_makes_the_changes_invalid(member: str) -> None:
    before = table()
    behind = {**before, member: [*before[member], 1]}
    among = {**before, member: [1, *before[member]]}
    assert [
        VALID(behind),
        VALID(new_in(behind, before)),
        VALID(among),
        VALID(new_in(among, before)),
    ] == [False] * 4
