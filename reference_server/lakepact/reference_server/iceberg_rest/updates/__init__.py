"""Updates of tables: each kind is a function that changes the draft of a document, and a commit
applies them in order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.iceberg_rest.updates.completion import complete
from lakepact.reference_server.iceberg_rest.updates.draft import Draft
from lakepact.reference_server.iceberg_rest.updates.encryption_keys import (
    add_encryption_key,
    remove_encryption_key,
)
from lakepact.reference_server.iceberg_rest.updates.partition_specs import (
    add_sort_order,
    add_spec,
    remove_partition_specs,
    set_default_sort_order,
    set_default_spec,
)
from lakepact.reference_server.iceberg_rest.updates.references import (
    remove_snapshot_ref,
    set_snapshot_ref,
)
from lakepact.reference_server.iceberg_rest.updates.schemas import (
    add_schema,
    remove_schemas,
    set_current_schema,
)
from lakepact.reference_server.iceberg_rest.updates.snapshots import add_snapshot, remove_snapshots
from lakepact.reference_server.iceberg_rest.updates.statistics import (
    remove_partition_statistics,
    remove_statistics,
    set_partition_statistics,
    set_statistics,
)
from lakepact.reference_server.iceberg_rest.updates.table import (
    assign_uuid,
    remove_properties,
    set_location,
    set_properties,
    upgrade_format_version,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lakepact.generated.iceberg_rest.documents import TableMetadata, TableUpdate

__all__ = ["UPDATES", "Draft", "apply_updates"]

#: By the `action` of an update.
UPDATES: dict[str, Callable[[Draft, Any], None]] = {
    "assign-uuid": assign_uuid,
    "upgrade-format-version": upgrade_format_version,
    "add-schema": add_schema,
    "set-current-schema": set_current_schema,
    "add-spec": add_spec,
    "set-default-spec": set_default_spec,
    "add-sort-order": add_sort_order,
    "set-default-sort-order": set_default_sort_order,
    "add-snapshot": add_snapshot,
    "set-snapshot-ref": set_snapshot_ref,
    "remove-snapshots": remove_snapshots,
    "remove-snapshot-ref": remove_snapshot_ref,
    "set-location": set_location,
    "set-properties": set_properties,
    "remove-properties": remove_properties,
    "set-statistics": set_statistics,
    "remove-statistics": remove_statistics,
    "set-partition-statistics": set_partition_statistics,
    "remove-partition-statistics": remove_partition_statistics,
    "remove-partition-specs": remove_partition_specs,
    "remove-schemas": remove_schemas,
    "add-encryption-key": add_encryption_key,
    "remove-encryption-key": remove_encryption_key,
}


def apply_updates(
    metadata: TableMetadata,
    updates: Sequence[TableUpdate],
    *,
    now_ms: int,
    table: Mapping[str, Callable[[Draft, Any], None]] = UPDATES,
) -> TableMetadata:
    """Return the document that follows `metadata` once all updates are applied in order.

    `metadata` is never changed, and is returned itself when no update changes anything.

    Args:
        metadata: the document before; an empty one stands for a table that the updates create.
        updates: as the contract spells them.
        now_ms: the time of the commit.
        table: what each kind of update does.

    Raises:
        Problem: 400, an update is unknown or cannot be applied, or all together do not make a whole
            table.
    """
    draft = Draft(metadata, now_ms=now_ms)
    draft.apply(updates, table, of="tables")
    document = complete(draft)
    return document if draft.touched else metadata
