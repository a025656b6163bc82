"""Table metadata has the members that the table spec requires, and those that format version 1 may
omit get their defaults.
"""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from lakepact.generated.iceberg_rest.models import Schema, TableMetadata
from sample_tables.table_documents import table

ALWAYS = ("location", "last-updated-ms", "last-column-id")
FROM_VERSION_2 = (
    "schemas",
    "current-schema-id",
    "partition-specs",
    "default-spec-id",
    "last-partition-id",
    "sort-orders",
    "default-sort-order-id",
    "last-sequence-number",
)
FIELD = {"source-id": 1, "transform": "identity", "name": "id"}


def without(metadata: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in metadata.items() if name not in names}


def of_version_1() -> dict[str, Any]:
    """Return metadata with the members that format version 1 requires, and no others."""
    metadata = without(table(version=1), *FROM_VERSION_2)
    return {**metadata, "schema": {"type": "struct", "fields": []}, "partition-spec": [FIELD]}


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("name", ALWAYS + FROM_VERSION_2)
def test_metadata_without_a_required_member_is_invalid(name: str, version: int) -> None:
    with pytest.raises(ValidationError, match=name):
        TableMetadata.model_validate(without(table(version=version), name))


@pytest.mark.parametrize("name", [*ALWAYS, "schema"])
def test_version_1_without_a_member_that_it_requires_is_invalid(name: str) -> None:
    with pytest.raises(ValidationError, match=name):
        TableMetadata.model_validate(without(of_version_1(), name))


def test_version_1_gets_the_defaults_of_the_table_spec() -> None:
    metadata = TableMetadata.model_validate(of_version_1())

    assert [schema.schema_id for schema in metadata.schemas] == [metadata.current_schema_id] == [0]
    assert [spec.to_wire() for spec in metadata.partition_specs] == [
        {"spec-id": 0, "fields": [{"field-id": 1000, **FIELD}]}
    ]
    assert (
        [order.order_id for order in metadata.sort_orders]
        == [metadata.default_sort_order_id]
        == [0]
    )
    assert (
        metadata.default_spec_id,
        metadata.last_partition_id,
        metadata.last_sequence_number,
    ) == (0, 1000, 0)


def test_unpartitioned_version_1_assigned_no_partition_id() -> None:
    assert (
        TableMetadata.model_validate({**of_version_1(), "partition-spec": []}).last_partition_id
        == 999
    )


def test_defaults_of_version_1_keep_what_was_sent() -> None:
    document = {
        **of_version_1(),
        "schema": {"type": "struct", "schema-id": 4, "fields": []},
        "last-partition-id": 1007,
    }

    metadata = TableMetadata.model_validate(document)

    assert (metadata.current_schema_id, metadata.last_partition_id) == (4, 1007)


def test_defaults_of_version_1_are_not_written() -> None:
    assert TableMetadata.model_validate(of_version_1()).to_wire() == of_version_1()


def test_version_1_made_in_python_gets_the_defaults() -> None:
    schema = Schema.model_validate({"type": "struct", "schema-id": 2, "fields": []})
    members = {
        "format_version": 1,
        "table_uuid": "u",
        "location": "s3://b",
        "last_updated_ms": 1,
        "last_column_id": 0,
        "schema_": schema,
    }

    assert TableMetadata.model_validate(members).current_schema_id == 2
