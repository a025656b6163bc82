"""The metadata of new tables, with ids assigned by the server."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from pyiceberg.table.metadata import TableMetadataUtil

from lakepact.reference_server.iceberg_rest.tables.metadata import finish_commit, new_table_metadata
from sample_tables import table_documents as td
from sample_tables.table_documents import field, partition_field, sort_field, struct
from sample_tables.table_invariants import broken_invariants

Document = dict[str, Any]

#: Ids in no order; `with_fresh_ids` numbers them 1 (code), 2 (at), 3 (items) and 4 (items.element).
UNORDERED = {
    **struct(
        field(40, "code", "string", required=True, doc="of the order"),
        field(7, "at", "timestamp"),
        field(
            9,
            "items",
            {"type": "list", "element-id": 3, "element": "int", "element-required": True},
        ),
    ),
    "schema-id": 77,
    "identifier-field-ids": [40],
}


def refused(**members: Any) -> str:
    body = {
        "name": "t",
        "schema": td.ORDERS,
        **{name.replace("_", "-"): value for name, value in members.items()},
    }
    return td.complaint(
        lambda: new_table_metadata(
            body, table_uuid=td.UUID, location=td.LOCATION, now_ms=td.CREATED
        )
    )


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_new_table_holds_all_invariants_and_is_readable(version: int) -> None:
    metadata = td.table(version=version)

    assert metadata["format-version"] == version
    assert broken_invariants(metadata) == []
    assert TableMetadataUtil.parse_raw(orjson.dumps(metadata).decode()).format_version == version


def test_the_request_is_not_changed() -> None:
    body = td.request(
        UNORDERED,
        properties={"format-version": "1", "a": "b"},
        partition_spec={"fields": [partition_field(7, "day", "d")]},
    )
    before = orjson.dumps(body)

    new_table_metadata(body, table_uuid=td.UUID, location=td.LOCATION, now_ms=td.CREATED)

    assert orjson.dumps(body) == before


@pytest.mark.parametrize("spelled", ["0", "4", "99", "abc", "", "2.0", " 2", "٢", "9" * 5000])
def test_another_format_version_is_refused(spelled: str) -> None:
    said = refused(properties={"format-version": spelled})

    assert said.startswith(
        "at /properties/format-version: expected a format version from 1 to 3, found "
    )


def test_a_table_in_format_version_one_has_what_its_readers_look_for() -> None:
    metadata = td.table(
        version=1, partition_spec={"fields": [partition_field(1, "bucket[4]", "b")]}
    )

    assert metadata["schema"] == metadata["schemas"][0]
    assert metadata["partition-spec"] == [
        partition_field(1, "bucket[4]", "b", **{"field-id": 1000})
    ]


def test_unknown_members_are_kept() -> None:
    body = td.request(
        {**struct({**field(5, "a"), "x-field": 1}), "x-schema": 2},
        partition_spec={
            "fields": [partition_field(5, "identity", "a", **{"x-partition": 3})],
            "x-spec": 4,
        },
    )
    metadata = new_table_metadata(body, table_uuid=td.UUID, location=td.LOCATION, now_ms=td.CREATED)
    schema, spec = metadata["schemas"][0], metadata["partition-specs"][0]

    assert (schema["fields"][0]["x-field"], schema["x-schema"]) == (1, 2)
    assert (spec["fields"][0]["x-partition"], spec["x-spec"]) == (3, 4)


@pytest.mark.parametrize(
    ("members", "said"),
    [
        (
            {"schema": struct(field(1, "a", "integer"))},
            "at /schema/fields/0/type: 'integer' is no type; types are ",
        ),
        (
            {"partition_spec": {"fields": [partition_field(99, "identity", "p")]}},
            "at /partition-spec/fields/0/source-id: the schema has no column with id 99",
        ),
        (
            {"partition_spec": {"fields": [partition_field(99, "void", "p")]}},
            "at /partition-spec/fields/0/source-id: the schema has no column with id 99",
        ),
        (
            {"write_order": {"order-id": 1, "fields": [sort_field(99)]}},
            "at /write-order/fields/0/source-id: the schema has no column with id 99",
        ),
        (
            {"properties": {"a": 1}},
            "at /properties/a: expected a text, found 1",
        ),
        (
            {"schema": struct(field(1, "a", "timestamp_ns"))},
            "at /schema/fields/0/type: the type 'timestamp_ns' needs format version 3, and the table has 2; ",
        ),
    ],
)
def test_a_request_that_describes_no_table_is_refused(members: Document, said: str) -> None:
    assert refused(**members).startswith(said)


FORMER = "file:///warehouse/sales/orders/metadata/00000-a.metadata.json"


def test_a_commit_that_changes_nothing_replaces_no_file() -> None:
    before = td.table()

    assert finish_commit(td.committed(before), before, FORMER) is before


@pytest.mark.parametrize(
    ("limit", "kept"),
    [("0", 1), ("many", 100), ("", 100), ("9" * 5000, 100)],
)
def test_the_log_is_as_long_as_the_table_says(limit: str, kept: int) -> None:
    metadata = td.table(properties={"write.metadata.previous-versions-max": limit})
    for number in range(105):
        metadata = finish_commit(
            td.committed(metadata, td.update("set-properties", updates={"n": str(number)})),
            metadata,
            f"{number}",
        )

    assert [entry["metadata-file"] for entry in metadata["metadata-log"]] == [
        str(number) for number in range(105 - kept, 105)
    ]
