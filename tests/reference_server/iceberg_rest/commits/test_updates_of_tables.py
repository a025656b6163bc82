"""Updates of table fields, and rules for all updates."""

from __future__ import annotations

from typing import Any

import pytest

from lakepact.generated.contract import Contract
from lakepact.reference_server.iceberg_rest.updates import UPDATES, apply_updates
from sample_tables import table_documents as td
from sample_tables.table_documents import update
from sample_tables.table_invariants import broken_invariants

Document = dict[str, Any]

TABLE = td.table(properties={"owner": "me", "n": "1"})


def test_every_update_of_tables_in_the_contract_is_known() -> None:
    mapping = Contract("iceberg_rest").bundle["components"]["schemas"]["TableUpdate"][
        "discriminator"
    ]["mapping"]

    assert set(UPDATES) == set(mapping)


@pytest.mark.parametrize(
    "action",
    [
        "irc",
        "Set-Properties",
        "add-view-version",
        "set-current-view-version",
        None,
        5,
        ["set-location"],
    ],
)
def test_an_unknown_update_is_refused_before_any_is_applied(action: Any) -> None:
    said = td.refused_commit(TABLE, update("set-current-schema", schema_id=999), {"action": action})

    assert said.startswith("at /updates/1/action: ")
    assert said.endswith(f" is no update of tables; updates are {', '.join(UPDATES)}")


@pytest.mark.parametrize(
    "nothing",
    [
        update("assign-uuid", uuid=td.UUID),
        update("upgrade-format-version", format_version=2),
        update("set-current-schema", schema_id=0),
        update("set-default-spec", spec_id=0),
        update("set-default-sort-order", sort_order_id=0),
        update("set-properties", updates={}),
        update("remove-properties", removals=[]),
        update("remove-properties", removals=["nope"]),
        update("remove-snapshots", snapshot_ids=[1]),
        update("remove-snapshot-ref", ref_name="nope"),
        update("remove-statistics", snapshot_id=1),
        update("remove-partition-statistics", snapshot_id=1),
        update("remove-partition-specs", spec_ids=[999]),
        update("remove-schemas", schema_ids=[999]),
        update("remove-encryption-key", key_id="nope"),
    ],
    ids=lambda value: value["action"],
)
def test_an_update_that_changes_nothing_leaves_the_very_same_document(nothing: Document) -> None:
    assert apply_updates(TABLE, [nothing], now_ms=td.LATER) is TABLE


@pytest.mark.parametrize(("now", "updated"), [(td.LATER, td.LATER), (td.CREATED - 1, td.CREATED)])
def test_the_time_of_the_last_update_never_goes_back(now: int, updated: int) -> None:
    assert (
        td.committed(TABLE, update("set-properties", updates={"a": "b"}), now_ms=now)[
            "last-updated-ms"
        ]
        == updated
    )


def test_a_table_keeps_its_uuid() -> None:
    other = "00000000-0000-4000-8000-000000000000"

    assert td.refused_commit(TABLE, update("assign-uuid", uuid=other)) == (
        f"at /updates/0/uuid: the table has uuid {td.UUID} and keeps it; only a commit that creates a table assigns one"
    )
    assert (
        apply_updates(TABLE, [update("assign-uuid", uuid=td.UUID.upper())], now_ms=td.LATER)
        is TABLE
    )


@pytest.mark.parametrize(
    "uuid", ["x", "", td.UUID[:-1], f"{{{td.UUID}}}", td.UUID.replace("-", "")]
)
def test_a_uuid_is_spelled_as_one(uuid: str) -> None:
    assert td.refused_commit(TABLE, update("assign-uuid", uuid=uuid)).startswith(
        "at /updates/0/uuid: "
    )


@pytest.mark.parametrize("version", [0, 4, 99, -1])
def test_a_format_version_that_does_not_exist_is_refused(version: int) -> None:
    assert td.refused_commit(TABLE, update("upgrade-format-version", format_version=version)) == (
        f"at /updates/0/format-version: format versions go from 1 to 3, found {version}"
    )


@pytest.mark.parametrize(("before", "after"), [(2, 1), (3, 2), (3, 1)])
def test_there_is_no_way_back_to_an_older_format(before: int, after: int) -> None:
    assert td.refused_commit(
        td.table(version=before), update("upgrade-format-version", format_version=after)
    ) == (
        f"at /updates/0/format-version: the table has format version {before} and cannot go back to {after}"
    )


@pytest.mark.parametrize(("before", "after"), [(1, 2), (1, 3), (2, 3)])
def test_an_upgrade_brings_what_the_newer_format_needs(before: int, after: int) -> None:
    metadata = td.appended(td.table(version=before), 7)

    upgraded = td.committed(metadata, update("upgrade-format-version", format_version=after))

    assert upgraded["format-version"] == after
    assert upgraded["current-snapshot-id"] == 7
    assert upgraded["last-sequence-number"] == before - 1
    assert upgraded.get("next-row-id") == (0 if after == 3 else None)
    assert broken_invariants(upgraded) == []


@pytest.mark.parametrize("location", ["", None, 5])
def test_a_location_is_a_text(location: Any) -> None:
    assert td.refused_commit(TABLE, update("set-location", location=location)).startswith(
        "at /updates/0/location: expected a text that is not empty, found "
    )


@pytest.mark.parametrize(
    ("spoiled", "said"),
    [
        (
            update("set-properties", updates={"a": 1}),
            "at /updates/0/updates/a: expected a text, found 1",
        ),
        (
            update("set-properties", updated={"a": "b"}),
            "at /updates/0/updates: expected an object, found nothing",
        ),
        (
            update("set-properties", updates=["a"]),
            "at /updates/0/updates: expected an object, found an array",
        ),
        (
            update("remove-properties", removals=[1]),
            "at /updates/0/removals/0: expected a text, found 1",
        ),
        (
            update("remove-properties", removed=["a"]),
            "at /updates/0/removals: expected an array, found nothing",
        ),
    ],
)
def test_properties_are_texts_under_their_own_names(spoiled: Document, said: str) -> None:
    assert td.refused_commit(TABLE, spoiled) == said
