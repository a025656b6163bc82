"""Wrong ways with the updates `set-snapshot-ref` and `remove-snapshot-ref`."""

from __future__ import annotations

from collections.abc import Callable

from lakepact.reference_server.faults import Install, all_of, fault, replace_entry
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.updates import Draft
from lakepact.reference_server.iceberg_rest.updates.draft import Member
from mutants.iceberg_rest.operators import updates

KINDS = ("branch", "tag")
RETENTION = ("max-ref-age-ms", "max-snapshot-age-ms", "min-snapshots-to-keep")


def _ref(draft: Draft, name: str) -> Document:
    refs: dict[str, Document] = draft.get("refs") or {}
    return refs.get(name, {})


def _never_move(update: updates.Update, draft: Draft, document: Document) -> None:
    if not _ref(draft, document["ref-name"]):
        update(draft, document)


def _keep(member: Member) -> Callable[[updates.Update, Draft, Document], None]:
    def act(update: updates.Update, draft: Draft, document: Document) -> None:
        before = draft.get(member)
        update(draft, document)
        if before is None:
            draft.remove(member)
        else:
            draft.set(member, before)

    return act


def _current_is_set(draft: Draft, document: Document) -> None:
    draft.set("current-snapshot-id", document["snapshot-id"])


def _as_branch(_: Draft, document: Document) -> Document:
    return {**document, "type": "branch"}


def _as_before(draft: Draft, document: Document) -> Document:
    return {**document, "type": _ref(draft, document["ref-name"]).get("type", document["type"])}


def _main_too(update: updates.Update, draft: Draft, document: Document) -> None:
    update(draft, document)
    if document["type"] == "branch" and not _ref(draft, "main"):
        update(draft, {**document, "ref-name": "main"})


def _tags_beside_it_too(update: updates.Update, draft: Draft, document: Document) -> None:
    tag, refs = _ref(draft, document["ref-name"]), draft.get("refs") or {}
    for name in [name for name, ref in refs.items() if ref == tag and ref["type"] == "tag"]:
        update(draft, {**document, "ref-name": name})
    if _ref(draft, document["ref-name"]):
        update(draft, document)


def _without_retention(_: Draft, document: Document) -> Document:
    return {key: value for key, value in document.items() if key not in RETENTION}


def _with_former_retention(draft: Draft, document: Document) -> Document:
    return {**_retention(_ref(draft, document["ref-name"])), **document}


def _retention(ref: Document) -> Document:
    return {member: ref[member] for member in RETENTION if member in ref}


def _is_incomplete(_: Draft, document: Document) -> bool:
    return (
        not document.get("ref-name")
        or "snapshot-id" not in document
        or document.get("type") not in KINDS
    )


def _is_complete(draft: Draft, document: Document) -> bool:
    return not _is_incomplete(draft, document)


def _set_whatever(draft: Draft, document: Document) -> None:
    members = {
        member: document[member]
        for member in ("type", "snapshot-id", *RETENTION)
        if member in document
    }
    draft.own_object("refs")[document["ref-name"]] = members
    if document["ref-name"] == "main":
        draft.set("current-snapshot-id", document["snapshot-id"])


SET = {
    "branches-never-move IRC-UPD-044": updates.in_place_of("set-snapshot-ref", _never_move),
    "main-leaves-current-snapshot IRC-UPD-044 IRC-META-008": updates.in_place_of(
        "set-snapshot-ref", _keep("current-snapshot-id")
    ),
    "every-branch-is-current IRC-UPD-044 IRC-META-008": updates.afterwards(
        "set-snapshot-ref", _current_is_set
    ),
    "forgets-snapshot-log IRC-UPD-044": updates.in_place_of(
        "set-snapshot-ref", _keep("snapshot-log")
    ),
    "first-branch-makes-main IRC-UPD-044": updates.in_place_of("set-snapshot-ref", _main_too),
    "refs-keep-their-type IRC-UPD-045": updates.rewritten("set-snapshot-ref", _as_before),
    "tags-become-branches IRC-UPD-045": updates.rewritten("set-snapshot-ref", _as_branch),
    "forgets-retention IRC-UPD-045": updates.rewritten("set-snapshot-ref", _without_retention),
    "ignores-refs-to-unknown-snapshots IRC-UPD-046 IRC-UPD-048": updates.accepting_anyway(
        "set-snapshot-ref", when=_is_complete
    ),
    "stores-impossible-refs IRC-UPD-046 IRC-UPD-048": replace_entry(
        "updates", "set-snapshot-ref", _set_whatever
    ),
    "ignores-incomplete-refs IRC-UPD-047": updates.accepting_anyway(
        "set-snapshot-ref", when=_is_incomplete
    ),
    "merges-retention IRC-UPD-049": updates.rewritten("set-snapshot-ref", _with_former_retention),
}


def _remove_snapshot_too(update: updates.Update, draft: Draft, document: Document) -> None:
    gone = _ref(draft, document["ref-name"]).get("snapshot-id")
    update(draft, document)
    draft.set(
        "snapshots",
        [snapshot for snapshot in draft.items("snapshots") if snapshot["snapshot-id"] != gone],
    )


def _keep_the_last(update: updates.Update, draft: Draft, document: Document) -> None:
    if len(draft.get("refs") or {}) > 1:
        update(draft, document)


def _is_unknown(draft: Draft, document: Document) -> bool:
    return not _ref(draft, document["ref-name"])


REMOVE = {
    "keeps-removed-refs IRC-UPD-056": updates.ignored("remove-snapshot-ref"),
    "removes-all-tags-of-a-snapshot IRC-UPD-056": updates.in_place_of(
        "remove-snapshot-ref", _tags_beside_it_too
    ),
    "keeps-the-last-ref IRC-UPD-056": updates.in_place_of("remove-snapshot-ref", _keep_the_last),
    "removes-snapshots-with-refs IRC-UPD-056": updates.in_place_of(
        "remove-snapshot-ref", _remove_snapshot_too
    ),
    "refuses-to-remove-unknown-refs IRC-UPD-057": updates.refused_when(
        "remove-snapshot-ref", _is_unknown
    ),
    "removing-main-leaves-current-snapshot IRC-UPD-058 IRC-META-008": updates.in_place_of(
        "remove-snapshot-ref", _keep("current-snapshot-id")
    ),
}


FAULTS = {**SET, **REMOVE}


@fault("IRC-UPD-045")
def free_names_keep_their_retention() -> Install:
    """A ref that is set under the name of a removed one has the retention of that."""
    retentions: dict[tuple[str, str], Document] = {}

    def remove(update: updates.Update, draft: Draft, document: Document) -> None:
        name = document["ref-name"]
        retentions[draft.get("table-uuid"), name] = _retention(_ref(draft, name))
        update(draft, document)

    def set_again(draft: Draft, document: Document) -> Document:
        return {**retentions.get((draft.get("table-uuid"), document["ref-name"]), {}), **document}

    return all_of(
        updates.in_place_of("remove-snapshot-ref", remove),
        updates.rewritten("set-snapshot-ref", set_again),
    )


@fault("IRC-UPD-044")
def branches_undo_the_last_move_of_main() -> Install:
    """A commit to another branch sets main back to where it was before its last move."""
    former: dict[str, int] = {}

    def act(update: updates.Update, draft: Draft, document: Document) -> None:
        table, main = draft.get("table-uuid"), _ref(draft, "main").get("snapshot-id")
        update(draft, document)
        if document["ref-name"] != "main" and table in former:
            update(draft, {**document, "ref-name": "main", "snapshot-id": former.pop(table)})
        elif document["ref-name"] == "main" and main is not None:
            former[table] = main

    return updates.in_place_of("set-snapshot-ref", act)
