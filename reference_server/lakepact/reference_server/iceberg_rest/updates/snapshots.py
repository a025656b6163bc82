"""Updates of snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.reference_server.iceberg_rest import documents
from lakepact.reference_server.iceberg_rest.updates.references import drop_references_to

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.documents import (
        AddSnapshotUpdate,
        RemoveSnapshotsUpdate,
        Snapshot,
    )
    from lakepact.reference_server.http.problems import Problem
    from lakepact.reference_server.iceberg_rest.updates.draft import Draft

NO_SNAPSHOT = -1  #: some writers' value for no current snapshot; never the id of one


def add_snapshot(draft: Draft, update: AddSnapshotUpdate) -> None:
    """Add a snapshot exactly as sent; no branch or tag changes."""
    where = f"{draft.where}/snapshot"
    snapshot: Snapshot = documents.child(update, "snapshot", draft.where)
    snapshot_id = _new_snapshot_id(draft, snapshot, where)
    documents.integer(snapshot, "timestamp-ms", where, within=documents.COUNT)
    documents.optional_integer(snapshot, "parent-snapshot-id", where)
    documents.text(snapshot, "manifest-list", where)
    documents.texts(snapshot, "summary", where)
    _check_schema(draft, snapshot, where)
    _advance_sequence_number(draft, snapshot, where)
    if draft.format_version >= 3:
        _advance_row_id(draft, snapshot, where)
    draft.snapshots[snapshot_id] = snapshot
    draft.append("snapshots", snapshot)
    draft.added_snapshots.add(snapshot_id)


def _new_snapshot_id(draft: Draft, snapshot: Snapshot, where: str) -> int:
    snapshot_id = documents.integer(snapshot, "snapshot-id", where)
    if snapshot_id == NO_SNAPSHOT:
        raise documents.refusal(
            f"{where}/snapshot-id", "-1 stands for no snapshot; choose another id"
        )
    if snapshot_id in draft.snapshots:
        raise documents.refusal(
            f"{where}/snapshot-id",
            f"the table has a snapshot {snapshot_id} already; choose another id",
        )
    return snapshot_id


def _check_schema(draft: Draft, snapshot: Snapshot, where: str) -> None:
    if not draft.items("schemas"):
        raise documents.refusal(where, "the table has no schema yet; add one before the snapshot")
    schema_id = documents.optional_integer(snapshot, "schema-id", where)
    if schema_id is not None and draft.members("schemas").get(schema_id) is None:
        raise documents.refusal(f"{where}/schema-id", f"the table has no schema {schema_id}")


def _advance_sequence_number(draft: Draft, snapshot: Snapshot, where: str) -> None:
    number = documents.optional_integer(snapshot, "sequence-number", where, within=documents.COUNT)
    if draft.format_version == 1:
        if number:
            raise documents.refusal(
                f"{where}/sequence-number",
                f"format version 1 has no sequence numbers, found {number}; upgrade the table"
                " first",
            )
        return
    last: int = draft.get("last-sequence-number") or 0
    if number is None:
        raise documents.refusal(
            f"{where}/sequence-number",
            f"snapshots need a sequence number from format version 2 on; the next is {last + 1}",
        )
    if number <= last and snapshot.get("parent-snapshot-id") is not None:
        raise _behind(
            draft,
            f"{where}/sequence-number",
            f"expected more than the last sequence number {last} of the table, found {number}",
        )
    if number > last:
        draft.set("last-sequence-number", number)


def _behind(draft: Draft, where: str, why: str) -> Problem:
    """Return a conflict that is resolved on top of the current table, unless the commit is in
    conflict with itself.
    """
    return documents.refusal(where, why) if draft.added_snapshots else documents.stale(where, why)


def _advance_row_id(draft: Draft, snapshot: Snapshot, where: str) -> None:
    following: int = draft.get("next-row-id") or 0
    first = documents.optional_integer(snapshot, "first-row-id", where, within=documents.COUNT)
    if first is None:
        raise documents.refusal(
            f"{where}/first-row-id",
            f"snapshots need a first row id from format version 3 on; the next is {following}",
        )
    if first < following:
        raise _behind(
            draft,
            f"{where}/first-row-id",
            f"expected at least the next row id {following} of the table, found {first}",
        )
    count = documents.optional_integer(snapshot, "added-rows", where, within=documents.COUNT)
    if count is None:
        raise documents.refusal(
            f"{where}/added-rows",
            "snapshots say from format version 3 on how many row ids they take: 0, or more",
        )
    draft.set(
        "next-row-id", documents.exact(first + count, f"{where}/added-rows", within=documents.COUNT)
    )


def remove_snapshots(draft: Draft, update: RemoveSnapshotsUpdate) -> None:
    """Remove snapshots with their statistics, branches and tags; unknown ones are ignored."""
    where = f"{draft.where}/snapshot-ids"
    ids = {
        documents.exact(value, f"{where}/{index}", within=documents.INT64)
        for index, value in enumerate(documents.children(update, "snapshot-ids", draft.where))
    }
    removals = ids & draft.snapshots.keys()
    if not removals:
        return
    for snapshot_id in removals:
        del draft.snapshots[snapshot_id]
    draft.discard("snapshots", removals)
    draft.added_snapshots -= removals
    drop_references_to(draft, removals)
    draft.discard("statistics", removals)
    draft.discard("partition-statistics", removals)
    # Behind a removed snapshot the log is whole; before it, it would tell a history with holes.
    draft.cut("snapshot-log", removals)
