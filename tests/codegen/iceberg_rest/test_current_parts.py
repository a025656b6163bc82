"""Table metadata finds its current parts by their ids."""

from __future__ import annotations

import pytest

from lakepact.generated.iceberg_rest.models import TableMetadata
from sample_tables.table_documents import table

PARTS = {
    "current_schema": ("schemas", "schema-id", "current-schema-id"),
    "default_partition_spec": ("partition-specs", "spec-id", "default-spec-id"),
    "default_sort_order": ("sort-orders", "order-id", "default-sort-order-id"),
    "current_snapshot": ("snapshots", "snapshot-id", "current-snapshot-id"),
}
SNAPSHOT = {
    "sequence-number": 1,
    "timestamp-ms": 1,
    "manifest-list": "memory:m",
    "summary": {"operation": "append"},
}


def metadata(**members):
    return TableMetadata.model_validate({**table(), **members})


@pytest.mark.parametrize(("part", "members"), PARTS.items(), ids=PARTS)
def test_current_part_is_the_one_with_the_id_wherever_it_stands(part, members):
    collection, id_name, current = members
    document = (table().get(collection) or [SNAPSHOT])[0]
    items = [{**document, id_name: id_} for id_ in (3, 1, 2)]

    part_of_table = getattr(metadata(**{collection: items, current: 1}), part)

    assert part_of_table.to_wire() == items[1]


@pytest.mark.parametrize(("part", "members"), PARTS.items(), ids=PARTS)
def test_missing_current_part_raises_value_error(part, members):
    with pytest.raises(ValueError, match="5 and does not contain it"):
        getattr(metadata(**{members[2]: 5}), part)


@pytest.mark.parametrize("none", [None, -1])
def test_table_without_snapshots_has_no_current_snapshot(none):
    assert metadata(**{"current-snapshot-id": none}).current_snapshot is None


def test_schema_and_spec_without_ids_have_the_id_zero():
    (schema,), (spec,) = table()["schemas"], table()["partition-specs"]
    del schema["schema-id"], spec["spec-id"]

    table_metadata = metadata(
        schemas=[schema],
        **{"partition-specs": [spec], "current-schema-id": 0, "default-spec-id": 0},
    )

    assert (
        table_metadata.current_schema.to_wire(),
        table_metadata.default_partition_spec.to_wire(),
    ) == (
        schema,
        spec,
    )


def test_properties_are_not_written():
    assert metadata().to_wire() == table()
