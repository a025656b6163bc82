"""Updates of statistics files: at most one of each kind for a snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.reference_server.iceberg_rest.documents import (
    COUNT,
    INT32,
    child,
    children,
    exact,
    integer,
    objects,
    optional_integer,
    refusal,
    text,
)

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest import documents
    from lakepact.reference_server.iceberg_rest.updates.draft import Draft, Member


def set_statistics(draft: Draft, update: documents.SetStatisticsUpdate) -> None:
    """Set the statistics file of its snapshot."""
    where = f"{draft.where}/statistics"
    file: documents.StatisticsFile = child(update, "statistics", draft.where)
    snapshot_id = _check_file(file, where)
    integer(file, "file-footer-size-in-bytes", where, within=COUNT)
    for index, blob in enumerate(objects(file, "blob-metadata", where)):
        _check_blob(blob, f"{where}/blob-metadata/{index}")
    own_id = optional_integer(update, "snapshot-id", draft.where)
    if own_id not in {None, snapshot_id}:
        raise refusal(
            f"{draft.where}/snapshot-id",
            f"the statistics are of snapshot {snapshot_id}, found {own_id}; leave this member out",
        )
    _replace(draft, "statistics", snapshot_id, file)


def set_partition_statistics(draft: Draft, update: documents.SetPartitionStatisticsUpdate) -> None:
    """Set the partition statistics file of its snapshot."""
    file: documents.PartitionStatisticsFile = child(update, "partition-statistics", draft.where)
    _replace(
        draft,
        "partition-statistics",
        _check_file(file, f"{draft.where}/partition-statistics"),
        file,
    )


def remove_statistics(draft: Draft, update: documents.RemoveStatisticsUpdate) -> None:
    """Remove the statistics of a snapshot."""
    _replace(draft, "statistics", integer(update, "snapshot-id", draft.where), None)


def remove_partition_statistics(
    draft: Draft, update: documents.RemovePartitionStatisticsUpdate
) -> None:
    """Remove the partition statistics of a snapshot."""
    _replace(draft, "partition-statistics", integer(update, "snapshot-id", draft.where), None)


def _check_file(
    file: documents.StatisticsFile | documents.PartitionStatisticsFile, where: str
) -> int:
    text(file, "statistics-path", where)
    integer(file, "file-size-in-bytes", where, within=COUNT)
    return integer(file, "snapshot-id", where)


def _check_blob(blob: documents.BlobMetadata, where: str) -> None:
    text(blob, "type", where)
    integer(blob, "snapshot-id", where)
    integer(blob, "sequence-number", where, within=COUNT)
    for index, value in enumerate(children(blob, "fields", where)):
        exact(value, f"{where}/fields/{index}", within=INT32)


def _replace(
    draft: Draft,
    member: Member,
    snapshot_id: int,
    file: documents.StatisticsFile | documents.PartitionStatisticsFile | None,
) -> None:
    if file is not None and draft.members(member).get(snapshot_id) == file:
        return
    draft.discard(member, [snapshot_id])
    if file is not None:
        draft.append(member, file)
