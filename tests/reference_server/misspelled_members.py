"""Misspelled members of documents. mypy has to find each of them: it refuses an ignore that nothing
needs.
"""

from __future__ import annotations

from lakepact.generated.iceberg_rest.documents import AddSnapshotUpdate, TableMetadata, ViewMetadata
from lakepact.reference_server.iceberg_rest.updates.draft import Draft


def of_tables(metadata: TableMetadata, draft: Draft) -> list[object]:
    return [
        metadata["current-snapshot-id"],
        metadata["curent-snapshot-id"],  # type: ignore[typeddict-item]
        metadata["snapshots"][0]["snapshot_id"],  # type: ignore[typeddict-item]
        draft.get("curent-schema-id"),  # type: ignore[arg-type]
    ]


def of_views(metadata: ViewMetadata) -> object:
    return metadata["current-snapshot-id"]  # type: ignore[typeddict-item]


def of_updates() -> AddSnapshotUpdate:
    return {"action": "add-snapshot", "snapshot": {"snapshotId": 1}}  # type: ignore[typeddict-unknown-key]
