"""Updates of snapshot references: branches and tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from lakepact.reference_server.iceberg_rest.documents import (
    POSITIVE,
    as_text,
    integer,
    optional_integer,
    refusal,
    text,
)
from lakepact.reference_server.iceberg_rest.tables.metadata import MAIN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lakepact.generated.iceberg_rest import documents
    from lakepact.reference_server.iceberg_rest.updates.draft import Draft

KINDS = ("branch", "tag")
_OF_BRANCHES: tuple[Literal["max-snapshot-age-ms", "min-snapshots-to-keep"], ...] = (
    "max-snapshot-age-ms",
    "min-snapshots-to-keep",
)  #: retention that only a history has
_RETENTION: tuple[
    Literal["max-ref-age-ms", "max-snapshot-age-ms", "min-snapshots-to-keep"], ...
] = ("max-ref-age-ms", *_OF_BRANCHES)


def set_snapshot_ref(draft: Draft, update: documents.SetSnapshotRefUpdate) -> None:
    """Set a branch or tag to a snapshot, with exactly the sent retention."""
    name = text(update, "ref-name", draft.where)
    reference = _reference(draft, update)
    if name == MAIN and reference["type"] != "branch":
        raise refusal(f"{draft.where}/type", "main is a branch and cannot become a tag")
    refs: documents.SnapshotReferences = draft.get("refs") or {}
    if refs.get(name) == reference:
        return
    draft.refer(name, reference)
    if name == MAIN:
        _move_main(draft, reference["snapshot-id"])


def _reference(draft: Draft, update: documents.SetSnapshotRefUpdate) -> documents.SnapshotReference:
    snapshot_id = integer(update, "snapshot-id", draft.where)
    if snapshot_id not in draft.snapshots:
        raise refusal(f"{draft.where}/snapshot-id", f"the table has no snapshot {snapshot_id}")
    kind = update.get("type")
    if kind not in KINDS:
        raise refusal(
            f"{draft.where}/type", f"expected {' or '.join(KINDS)}, found {as_text(kind)}"
        )
    reference: documents.SnapshotReference = {"snapshot-id": snapshot_id, "type": kind}
    for member in _RETENTION:
        value = optional_integer(update, member, draft.where, within=POSITIVE)
        if value is None:
            continue
        if kind == "tag" and member in _OF_BRANCHES:
            raise refusal(
                f"{draft.where}/{member}", f"a tag has no history to keep; {member} is for branches"
            )
        reference[member] = value
    return reference


def _move_main(draft: Draft, snapshot_id: int) -> None:
    if draft.get("current-snapshot-id") == snapshot_id:
        return
    draft.set("current-snapshot-id", snapshot_id)
    is_new = snapshot_id in draft.added_snapshots
    at: int = draft.snapshots[snapshot_id]["timestamp-ms"] if is_new else draft.now_ms
    last = draft.last("snapshot-log")
    if last is not None:
        at = max(at, last["timestamp-ms"])
    draft.append("snapshot-log", {"timestamp-ms": at, "snapshot-id": snapshot_id})


def remove_snapshot_ref(draft: Draft, update: documents.RemoveSnapshotRefUpdate) -> None:
    """Remove a branch or tag, ignoring unknown ones; its snapshot stays."""
    drop_reference(draft, text(update, "ref-name", draft.where))


def drop_references_to(draft: Draft, snapshot_ids: Iterable[int]) -> None:
    """Take away all branches and tags that are at these snapshots."""
    refs: documents.SnapshotReferences = draft.get("refs") or {}
    for snapshot_id in snapshot_ids:
        for name in draft.referring.pop(snapshot_id, {}):
            if name in refs and refs[name]["snapshot-id"] == snapshot_id:
                drop_reference(draft, name)
                refs = draft.get("refs")


def drop_reference(draft: Draft, name: str) -> None:
    """Take a branch or tag away; without main the table has no current snapshot."""
    if name not in (draft.get("refs") or {}):
        return
    del draft.own_object("refs")[name]
    if name == MAIN:
        draft.remove("current-snapshot-id")
        draft.main_removed = True
