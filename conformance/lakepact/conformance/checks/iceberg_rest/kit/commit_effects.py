"""Effects of accepted commits that other checks depend on."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Mapping, Sequence
from typing import Any

from lakepact.conformance.evidence.exchanges import Document, Members, Place, Reply
from lakepact.conformance.evidence.outcome import StepFailed, Unmet
from lakepact.conformance.judging import expect
from lakepact.conformance.judging.lab import Lab

STORED, BRANCHED, TAGGED = "IRC-UPD-035", "IRC-UPD-044", "IRC-UPD-045"
REFS = ("refs", "current-snapshot-id", "snapshot-log")

#: By action: the members of table metadata that it changes. Other actions, such as an upgrade, may
#: change all of them.
ABOUT: Mapping[str, tuple[str, ...]] = {
    "assign-uuid": ("table-uuid",),
    "add-schema": ("schemas", "last-column-id"),
    "set-current-schema": ("current-schema-id", "schema"),
    "add-spec": ("partition-specs", "last-partition-id"),
    "set-default-spec": ("default-spec-id", "partition-spec"),
    "add-sort-order": ("sort-orders",),
    "set-default-sort-order": ("default-sort-order-id",),
    "add-snapshot": ("snapshots", "last-sequence-number", "next-row-id"),
    "set-snapshot-ref": REFS,
    "remove-snapshots": ("snapshots", "statistics", "partition-statistics", *REFS),
    "remove-snapshot-ref": REFS,
    "set-location": ("location",),
    "set-properties": ("properties",),
    "remove-properties": ("properties",),
    "set-statistics": ("statistics",),
    "remove-statistics": ("statistics",),
    "set-partition-statistics": ("partition-statistics",),
    "remove-partition-statistics": ("partition-statistics",),
    "remove-partition-specs": ("partition-specs",),
    "remove-schemas": ("schemas",),
    "add-encryption-key": ("encryption-keys",),
    "remove-encryption-key": ("encryption-keys",),
}

#: By action: the requirement of its effect.
EFFECTS: Mapping[str, str] = {
    "upgrade-format-version": "IRC-UPD-005",
    "add-schema": "IRC-UPD-010",
    "set-current-schema": "IRC-UPD-017",
    "add-spec": "IRC-UPD-022",
    "set-default-spec": "IRC-UPD-026",
    "add-sort-order": "IRC-UPD-029",
    "set-default-sort-order": "IRC-UPD-032",
    "add-snapshot": "IRC-UPD-035",
    "set-snapshot-ref": "IRC-UPD-044",
    "remove-snapshots": "IRC-UPD-050",
    "remove-snapshot-ref": "IRC-UPD-056",
    "set-properties": "IRC-UPD-061",
    "remove-properties": "IRC-UPD-064",
    "set-statistics": "IRC-UPD-066",
    "remove-statistics": "IRC-UPD-070",
    "set-partition-statistics": "IRC-UPD-071",
    "remove-partition-statistics": "IRC-UPD-072",
    "remove-partition-specs": "IRC-UPD-073",
    "remove-schemas": "IRC-UPD-076",
    "add-encryption-key": "IRC-UPD-079",
    "remove-encryption-key": "IRC-UPD-082",
}


def note_effect(lab: Lab, before: Reply, updates: Sequence[Members], after: Reply) -> None:
    """Note in the lab if an accepted commit did not store its snapshots, lost earlier ones, or did
    not set its refs.
    """
    actions = {update.get("action") for update in updates}
    document = after.exchange.json
    metadata = document.get("metadata") if isinstance(document, dict) else None
    if not actions & {"add-snapshot", "set-snapshot-ref"} or not isinstance(metadata, dict):
        return
    if "remove-snapshots" not in actions:
        body = before.exchange.json
        earlier = body.get("metadata") if isinstance(body, dict) else None
        new_ids = [
            update["snapshot"].get("snapshot-id")
            for update in updates
            if update.get("action") == "add-snapshot"
        ]
        with _note_unmet(lab, STORED, decides_statuses=False):
            for snapshot in (*_ids(earlier), *new_ids):
                expect.contains(
                    snapshot, _ids(metadata), "snapshots", at=after.place("metadata", "snapshots")
                )
    _note_refs(lab, updates, metadata, after.place("metadata", "refs"))
    main_updates = [
        update
        for update in updates
        if update.get("ref-name") == "main" or update.get("action") == "remove-snapshots"
    ]
    if (
        "add-snapshot" in actions
        and not main_updates
        and metadata.get("current-snapshot-id") != before.at("metadata").get("current-snapshot-id")
    ):
        lab.disown(
            after.exchange
        )  # IRC-UPD-035 requires that main stays; consequences of its move do not fail.


@contextlib.contextmanager
def _note_unmet(lab: Lab, requirement: str, *, decides_statuses: bool) -> Generator[None]:
    try:
        yield
    except Unmet as unmet:
        lab.unsound.append(StepFailed(requirement, unmet, decides_statuses=decides_statuses))


def _note_refs(lab: Lab, updates: Sequence[Members], metadata: Document, at: Place) -> None:
    last = {
        update["ref-name"]: update
        for update in updates
        if update.get("action") in {"set-snapshot-ref", "remove-snapshot-ref"}
    }
    refs = metadata.get("refs") or {}
    for name, update in last.items():
        if update["action"] == "remove-snapshot-ref":
            continue
        if name == "main" and metadata.get("current-snapshot-id") == update["snapshot-id"]:
            continue  # tables of version 1 may say so without refs
        with _note_unmet(
            lab, BRANCHED if update.get("type") == "branch" else TAGGED, decides_statuses=True
        ):
            expect.contains(name, refs, "refs", at=at)
            snapshot_id = refs[name].get("snapshot-id")
            expect.equal(
                update["snapshot-id"],
                snapshot_id,
                f"the snapshot of the ref {name}",
                at=at.within(name, "snapshot-id"),
            )


def _ids(metadata: Any) -> list[Any]:
    snapshots = metadata.get("snapshots") if isinstance(metadata, dict) else None
    return [
        snapshot.get("snapshot-id") for snapshot in snapshots or () if isinstance(snapshot, dict)
    ]
