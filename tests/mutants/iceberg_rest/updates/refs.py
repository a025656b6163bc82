"""Wrong ways with the updates `set-snapshot-ref` and `remove-snapshot-ref`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.reference_server.faults import Fault, replace_entry
from mutants.iceberg_rest.operators.updates import (
    Update,
    accepting_anyway,
    afterwards,
    ignored,
    in_place_of,
    refused_when,
    rewritten,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.updates import Draft

KINDS = ("branch", "tag")
RETENTION = ("max-ref-age-ms", "max-snapshot-age-ms", "min-snapshots-to-keep")


def _ref(draft: Draft, name: str) -> Document:
    refs: dict[str, Document] = draft.get("refs") or {}
    return refs.get(name, {})


# -- set-snapshot-ref -------------------------------------------------------------------------------------------------


def _never_move(update: Update, draft: Draft, document: Document) -> None:
    if not _ref(draft, document["ref-name"]):
        update(draft, document)


def _keep(member: str) -> Callable[[Update, Draft, Document], None]:
    def act(update: Update, draft: Draft, document: Document) -> None:
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


def _main_too(update: Update, draft: Draft, document: Document) -> None:
    update(draft, document)
    if document["type"] == "branch" and not _ref(draft, "main"):
        update(draft, {**document, "ref-name": "main"})


def _without_retention(_: Draft, document: Document) -> Document:
    return {key: value for key, value in document.items() if key not in RETENTION}


def _with_former_retention(draft: Draft, document: Document) -> Document:
    former = _ref(draft, document["ref-name"])
    return {**{member: former[member] for member in RETENTION if member in former}, **document}


def _is_incomplete(_: Draft, document: Document) -> bool:
    return not document.get("ref-name") or "snapshot-id" not in document or document.get("type") not in KINDS


def _is_complete(draft: Draft, document: Document) -> bool:
    return not _is_incomplete(draft, document)


def _set_whatever(draft: Draft, document: Document) -> None:
    members = {member: document[member] for member in ("type", "snapshot-id", *RETENTION) if member in document}
    draft.own_object("refs")[document["ref-name"]] = members
    if document["ref-name"] == "main":
        draft.set("current-snapshot-id", document["snapshot-id"])


SET = (
    Fault("branches-never-move", "A branch stays where it was set first.", ("IRC-UPD-044",), in_place_of("set-snapshot-ref", _never_move)),
    Fault(
        "main-leaves-current-snapshot",
        "The current snapshot stays when main moves.",
        ("IRC-UPD-044", "IRC-META-008"),
        in_place_of("set-snapshot-ref", _keep("current-snapshot-id")),
    ),
    Fault(
        "every-branch-is-current",
        "The current snapshot moves with any branch.",
        ("IRC-UPD-044", "IRC-META-008"),
        afterwards("set-snapshot-ref", _current_is_set),
    ),
    Fault(
        "forgets-snapshot-log",
        "Moves of main are not logged.",
        ("IRC-UPD-044",),
        in_place_of("set-snapshot-ref", _keep("snapshot-log")),
    ),
    Fault(
        "first-branch-makes-main",
        "The first branch of a table makes main as well.",
        ("IRC-UPD-044",),
        in_place_of("set-snapshot-ref", _main_too),
    ),
    Fault(
        "refs-keep-their-type",
        "A ref that is set again as another type stays what it was.",
        ("IRC-UPD-045",),
        rewritten("set-snapshot-ref", _as_before),
    ),
    Fault("tags-become-branches", "Every ref is stored as a branch.", ("IRC-UPD-045",), rewritten("set-snapshot-ref", _as_branch)),
    Fault("forgets-retention", "The retention of refs is not stored.", ("IRC-UPD-045",), rewritten("set-snapshot-ref", _without_retention)),
    Fault(
        "ignores-refs-to-unknown-snapshots",
        "A ref to an unknown snapshot is ignored.",
        ("IRC-UPD-046", "IRC-UPD-048"),
        accepting_anyway("set-snapshot-ref", when=_is_complete),
    ),
    Fault(
        "stores-impossible-refs",
        "A ref may refer to an unknown snapshot, and main may be a tag.",
        ("IRC-UPD-046", "IRC-UPD-048"),
        replace_entry("updates", "set-snapshot-ref", _set_whatever),
    ),
    Fault(
        "ignores-incomplete-refs",
        "A ref without a required member or with an unknown type is ignored.",
        ("IRC-UPD-047",),
        accepting_anyway("set-snapshot-ref", when=_is_incomplete),
    ),
    Fault(
        "merges-retention",
        "A ref keeps the retention that it had.",
        ("IRC-UPD-049",),
        rewritten("set-snapshot-ref", _with_former_retention),
    ),
)


# -- remove-snapshot-ref ------------------------------------------------------------------------------------------------


def _remove_snapshot_too(update: Update, draft: Draft, document: Document) -> None:
    gone = _ref(draft, document["ref-name"]).get("snapshot-id")
    update(draft, document)
    draft.set("snapshots", [snapshot for snapshot in draft.items("snapshots") if snapshot["snapshot-id"] != gone])


def _is_unknown(draft: Draft, document: Document) -> bool:
    return not _ref(draft, document["ref-name"])


REMOVE = (
    Fault("keeps-removed-refs", "remove-snapshot-ref does nothing.", ("IRC-UPD-056",), ignored("remove-snapshot-ref")),
    Fault(
        "removes-snapshots-with-refs",
        "A ref takes its snapshot along.",
        ("IRC-UPD-056",),
        in_place_of("remove-snapshot-ref", _remove_snapshot_too),
    ),
    Fault(
        "refuses-to-remove-unknown-refs",
        "Only refs that there are can be removed.",
        ("IRC-UPD-057",),
        refused_when("remove-snapshot-ref", _is_unknown),
    ),
    Fault(
        "removing-main-leaves-current-snapshot",
        "The current snapshot stays when main is removed.",
        ("IRC-UPD-058", "IRC-META-008"),
        in_place_of("remove-snapshot-ref", _keep("current-snapshot-id")),
    ),
)


FAULTS: tuple[Fault, ...] = (*SET, *REMOVE)
