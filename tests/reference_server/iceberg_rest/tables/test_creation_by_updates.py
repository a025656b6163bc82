"""Commits that create a table contain all updates that a table requires."""

from __future__ import annotations

from typing import Any

import pytest

from lakepact.reference_server.iceberg_rest.tables.metadata import empty_table_metadata
from lakepact.reference_server.iceberg_rest.updates import apply_updates
from sample_tables import table_documents as td
from sample_tables.table_documents import partition_field, snapshot, sort_field, update

Document = dict[str, Any]

UUID = "11111111-2222-4333-8444-555555555555"


def creation(version: int = 2) -> dict[str, Document]:
    """Return the updates of a client after staging the creation, by action."""
    updates = [
        update("assign-uuid", uuid=UUID),
        update("upgrade-format-version", format_version=version),
        update("add-schema", schema={**td.ORDERS, "schema-id": 0}, last_column_id=5),
        update("set-current-schema", schema_id=-1),
        update(
            "add-spec",
            spec={"spec-id": 0, "fields": [partition_field(2, "day", "day", **{"field-id": 1000})]},
        ),
        update("set-default-spec", spec_id=-1),
        update("add-sort-order", sort_order={"order-id": 1, "fields": [sort_field(1)]}),
        update("set-default-sort-order", sort_order_id=-1),
        update("set-location", location=td.LOCATION),
        update("set-properties", updates={"owner": "me"}),
    ]
    return {each["action"]: each for each in updates}


def created(updates: list[Document]) -> Document:
    return apply_updates({}, updates, now_ms=td.CREATED)


def refused(updates: list[Document]) -> str:
    return td.complaint(lambda: created(updates))


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_staged_creation_makes_the_table_that_a_create_request_makes(version: int) -> None:
    created_at_once = td.table(
        version=version,
        properties={"owner": "me"},
        partition_spec={"fields": [partition_field(2, "day", "day")]},
        write_order={"order-id": 1, "fields": [sort_field(1)]},
    )

    assert created(list(creation(version).values())) == {**created_at_once, "table-uuid": UUID}


def test_creation_starts_from_an_empty_document() -> None:
    updates = list(creation().values())

    assert apply_updates(empty_table_metadata(), updates, now_ms=td.CREATED) == created(updates)


@pytest.mark.parametrize(
    ("sent", "missing"),
    [
        (["set-location"], "add-schema"),
        (["set-location", "add-schema"], "set-current-schema"),
        (["add-schema", "set-current-schema"], "set-location"),
        ([], "set-location"),
    ],
)
def test_creation_without_a_required_update_is_refused(sent: list[str], missing: str) -> None:
    assert refused([creation()[action] for action in sent]) == (
        f"at /updates: {missing} is missing: a commit that creates a table brings all of it; stage the creation to see what"
    )


@pytest.mark.parametrize("action", ["set-default-spec", "set-default-sort-order"])
def test_creation_without_a_default_is_refused(action: str) -> None:
    updates = creation()
    del updates[action]

    assert refused(list(updates.values())).startswith(f"at /updates: {action} is missing: ")


@pytest.mark.parametrize("early", ["add-spec", "add-sort-order"])
def test_a_spec_or_order_comes_after_the_schema_that_it_is_for(early: str) -> None:
    updates = creation()

    assert refused([updates[early], *updates.values()]).endswith(
        ": the table has no schema yet; add one before"
    )


def test_a_snapshot_comes_after_the_schema() -> None:
    assert refused([update("add-snapshot", snapshot=snapshot(7, 1))]) == (
        "at /updates/0/snapshot: the table has no schema yet; add one before the snapshot"
    )


def test_the_format_version_is_chosen_before_the_schema() -> None:
    updates = list(creation(3).values())

    assert refused([*updates, update("upgrade-format-version", format_version=1)]).endswith(
        "the table has format version 3 and cannot go back to 1"
    )
