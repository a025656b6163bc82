"""Wrong ways with the updates `add-snapshot` and `remove-snapshots`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import all_of, on_answer, replace_entry, skip_validation
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.updates import Draft
from lakepact.reference_server.iceberg_rest.updates.draft import Member
from mutants.iceberg_rest.operators import updates
from mutants.iceberg_rest.operators.operations import COMMIT

OPERATIONS = ("append", "replace", "overwrite", "delete")


def snapshot_without(*members: str) -> Callable[[Draft, Document], Document]:
    """The update as if these members of the snapshot had not been sent."""

    def rewrite(_: Draft, document: Document) -> Document:
        snapshot = {key: value for key, value in document["snapshot"].items() if key not in members}
        return {**document, "snapshot": snapshot}

    return rewrite


def _respell_last(draft: Draft, snapshot: Any) -> None:
    draft.own_list("snapshots")[-1] = snapshot
    draft.snapshots[snapshot["snapshot-id"]] = snapshot


def _move_main(draft: Draft, document: Document) -> None:
    snapshot_id = document["snapshot"]["snapshot-id"]
    draft.own_object("refs")["main"] = {"type": "branch", "snapshot-id": snapshot_id}
    draft.set("current-snapshot-id", snapshot_id)


def _keep_member(member: Member) -> Callable[[updates.Update, Draft, Document], None]:
    def act(update: updates.Update, draft: Draft, document: Document) -> None:
        before = draft.get(member)
        update(draft, document)
        if before is not None:
            draft.set(member, before)

    return act


def _round_ids(answer: Document) -> None:
    for snapshot in answer["metadata"].get("snapshots", ()):
        snapshot["snapshot-id"] = int(float(snapshot["snapshot-id"]))


def _replace_twin(update: updates.Update, draft: Draft, document: Document) -> None:
    twin = document["snapshot"]["snapshot-id"]
    if draft.snapshots.pop(twin, None):
        draft.set(
            "snapshots",
            [snapshot for snapshot in draft.items("snapshots") if snapshot["snapshot-id"] != twin],
        )
    update(draft, document)


def _keep_twins(update: updates.Update, draft: Draft, document: Document) -> None:
    draft.snapshots.pop(document["snapshot"]["snapshot-id"], None)
    update(draft, document)


def _forget_last_number(update: updates.Update, draft: Draft, document: Document) -> None:
    last = draft.get("last-sequence-number") or 0
    draft.document["last-sequence-number"] = 0
    update(draft, document)
    draft.set("last-sequence-number", max(last, draft.get("last-sequence-number")))


NUMBERS = {
    "adding-a-snapshot-moves-main IRC-UPD-035": updates.afterwards("add-snapshot", _move_main),
    "last-sequence-number-stays IRC-UPD-035 IRC-META-009": updates.in_place_of(
        "add-snapshot", _keep_member("last-sequence-number")
    ),
    "rounds-snapshot-ids IRC-UPD-035": on_answer((op.load_table, COMMIT), _round_ids),
    "replaces-snapshots IRC-UPD-036": updates.in_place_of("add-snapshot", _replace_twin),
    "keeps-twin-snapshots IRC-UPD-036": updates.in_place_of("add-snapshot", _keep_twins),
    "accepts-stale-sequence-numbers IRC-UPD-037": updates.in_place_of(
        "add-snapshot", _forget_last_number
    ),
}


def _is_incomplete(draft: Draft, document: Document) -> bool:
    return updates.lacks("snapshot-id", "timestamp-ms", "manifest-list", "summary")(
        draft, document["snapshot"]
    )


def _overwrite_unless_known(_: Draft, document: Document) -> Document:
    snapshot = document["snapshot"]
    summary: Document = snapshot.get("summary") or {}
    operation = summary.get("operation")
    known = operation if operation in OPERATIONS else "overwrite"
    return {**document, "snapshot": {**snapshot, "summary": {**summary, "operation": known}}}


def _keep_operation_only(_: Draft, document: Document) -> Document:
    snapshot = document["snapshot"]
    return {
        **document,
        "snapshot": {**snapshot, "summary": {"operation": snapshot["summary"]["operation"]}},
    }


def _without_empty_values(_: Draft, document: Document) -> Document:
    snapshot = document["snapshot"]
    return {
        **document,
        "snapshot": {
            **snapshot,
            "summary": {key: value for key, value in snapshot["summary"].items() if value},
        },
    }


def _as_double(member: str) -> Callable[[Draft, Document], Document]:
    def act(_: Draft, document: Document) -> Document:
        snapshot = document["snapshot"]
        return (
            {**document, "snapshot": {**snapshot, member: int(float(snapshot[member]))}}
            if member in snapshot
            else document
        )

    return act


def _in_lower_case(_: Draft, document: Document) -> Document:
    snapshot = document["snapshot"]
    return {
        **document,
        "snapshot": {
            **snapshot,
            "summary": {key.lower(): value for key, value in snapshot["summary"].items()},
        },
    }


def _begin_at_next_row(draft: Draft, document: Document) -> Document:
    if draft.format_version < 3:
        return document
    return {
        **document,
        "snapshot": {**document["snapshot"], "first-row-id": draft.get("next-row-id")},
    }


def _forget_members(*members: str) -> Callable[[Draft, Document], None]:
    def spoil(draft: Draft, document: Document) -> None:
        snapshot = document["snapshot"]
        _respell_last(draft, {key: value for key, value in snapshot.items() if key not in members})

    return spoil


def _accept_any_schema(update: updates.Update, draft: Draft, document: Document) -> None:
    update(draft, snapshot_without("schema-id")(draft, document))
    _respell_last(draft, document["snapshot"])


CONTENT = {
    "ignores-incomplete-snapshots IRC-UPD-038": updates.accepting_anyway(
        "add-snapshot", when=_is_incomplete
    ),
    "treats-operations-as-overwrites IRC-UPD-038 IRC-UPD-039": all_of(
        skip_validation(COMMIT), updates.rewritten("add-snapshot", _overwrite_unless_known)
    ),
    "keeps-operations-only IRC-UPD-040": updates.rewritten("add-snapshot", _keep_operation_only),
    "summaries-without-empty-values IRC-UPD-040": updates.rewritten(
        "add-snapshot", _without_empty_values
    ),
    "sequence-numbers-as-doubles IRC-GEN-019": updates.rewritten(
        "add-snapshot", _as_double("sequence-number")
    ),
    "row-ids-as-doubles IRC-GEN-019": updates.rewritten("add-snapshot", _as_double("first-row-id")),
    "summaries-in-lower-case IRC-UPD-040": updates.rewritten("add-snapshot", _in_lower_case),
    "row-ids-stay IRC-UPD-041": updates.in_place_of("add-snapshot", _keep_member("next-row-id")),
    "overrides-first-row-ids IRC-UPD-041": updates.rewritten("add-snapshot", _begin_at_next_row),
    "forgets-schemas-of-snapshots IRC-UPD-042": updates.rewritten(
        "add-snapshot", snapshot_without("schema-id")
    ),
    "accepts-snapshots-of-unknown-schemas IRC-UPD-042": updates.in_place_of(
        "add-snapshot", _accept_any_schema
    ),
    "loses-added-rows IRC-UPD-043": updates.afterwards(
        "add-snapshot", _forget_members("added-rows")
    ),
    "loses-key-ids IRC-UPD-043": updates.afterwards("add-snapshot", _forget_members("key-id")),
    "loses-sequence-numbers IRC-META-010": updates.afterwards(
        "add-snapshot", _forget_members("sequence-number")
    ),
    "loses-first-row-ids IRC-META-010": updates.afterwards(
        "add-snapshot", _forget_members("first-row-id")
    ),
}


def _remove_only(draft: Draft, document: Document) -> None:
    draft.set(
        "snapshots",
        [s for s in draft.items("snapshots") if s["snapshot-id"] not in document["snapshot-ids"]],
    )


def _with_all_refs(update: updates.Update, draft: Draft, document: Document) -> None:
    """Removing the snapshot of a branch or tag removes all other refs too, except main."""
    before = len(draft.get("refs") or {})
    update(draft, document)
    refs = draft.get("refs") or {}
    if len(refs) < before:
        draft.set("refs", {name: ref for name, ref in refs.items() if name == "main"})


def _keep_statistics(update: updates.Update, draft: Draft, document: Document) -> None:
    files: dict[Member, Any] = {
        member: draft.get(member) for member in ("statistics", "partition-statistics")
    }
    update(draft, document)
    for member, before in files.items():
        if before:
            draft.set(member, before)


def _keep_current(update: updates.Update, draft: Draft, document: Document) -> None:
    current = draft.get("current-snapshot-id")
    update(draft, document)
    if current is not None:
        draft.set("current-snapshot-id", current)


def _names_unknown(draft: Draft, document: Document) -> bool:
    return not draft.snapshots.keys() >= set(document["snapshot-ids"])


def _has_no_list(_: Draft, document: Document) -> bool:
    return not isinstance(document.get("snapshot-ids"), list)


def _sum_up(draft: Draft, _: Document) -> None:
    draft.set(
        "snapshots",
        [
            {**snapshot, "summary": {"operation": "overwrite"}}
            for snapshot in draft.items("snapshots")
        ],
    )


def _remove_children(update: updates.Update, draft: Draft, document: Document) -> None:
    listed = document["snapshot-ids"]
    children = [
        i for i, snapshot in draft.snapshots.items() if snapshot.get("parent-snapshot-id") in listed
    ]
    update(draft, {**document, "snapshot-ids": [*listed, *children]})


REMOVE = {
    "keeps-removed-snapshots IRC-UPD-050": updates.ignored("remove-snapshots"),
    "removes-more-snapshots IRC-UPD-050": updates.in_place_of("remove-snapshots", _remove_children),
    "remaining-snapshots-become-overwrites IRC-UPD-050": updates.afterwards(
        "remove-snapshots", _sum_up
    ),
    "keeps-refs-to-removed-snapshots IRC-UPD-051 IRC-UPD-055 IRC-META-007": replace_entry(
        "updates", "remove-snapshots", _remove_only
    ),
    "refs-go-together IRC-UPD-050": updates.in_place_of("remove-snapshots", _with_all_refs),
    "keeps-statistics-of-removed-snapshots IRC-UPD-052": updates.in_place_of(
        "remove-snapshots", _keep_statistics
    ),
    "refuses-to-remove-unknown-snapshots IRC-UPD-053": updates.refused_when(
        "remove-snapshots", _names_unknown
    ),
    "ignores-removals-without-a-list IRC-UPD-054": updates.accepting_anyway(
        "remove-snapshots", when=_has_no_list
    ),
    "keeps-removed-current-snapshot IRC-UPD-055": updates.in_place_of(
        "remove-snapshots", _keep_current
    ),
}


FAULTS = {**NUMBERS, **CONTENT, **REMOVE}
