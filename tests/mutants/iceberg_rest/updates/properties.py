"""Wrong ways with the updates `set-properties`, `remove-properties` and `set-location`."""

from __future__ import annotations

from functools import partial
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, all_of, fault, replace_entry, skip_validation
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.updates import Draft
from lakepact.reference_server.iceberg_rest.updates.draft import Member
from mutants.iceberg_rest.operators.operations import COMMIT
from mutants.iceberg_rest.operators.tables import Handlers, at, for_operation
from mutants.iceberg_rest.operators.updates import (
    Update,
    accepting_anyway,
    afterwards,
    ignored,
    in_place_of,
    lacks,
    refused_when,
    rewritten,
)


@fault("IRC-UPD-061", by=partial(rewritten, "set-properties"))
def settings_of_writers_are_left_out(_: Draft, update: Document) -> Document:
    updates = update.get("updates")
    if not isinstance(updates, dict):
        return update
    return {
        **update,
        "updates": {key: value for key, value in updates.items() if not key.startswith("write.")},
    }


@fault("IRC-UPD-061", by=partial(replace_entry, "updates", "set-properties"))
def keeps_property_values(draft: Draft, document: Document) -> None:
    draft.set("properties", {**document["updates"], **(draft.get("properties") or {})})


@fault(
    "IRC-UPD-063", by=lambda act: all_of(skip_validation(COMMIT), rewritten("set-properties", act))
)
def spells_property_values_out(_: Draft, document: Document) -> Document:
    updates: Document = document.get("updates", {})
    return {**document, "updates": {key: str(value) for key, value in updates.items()}}


@fault(
    "IRC-UPD-065",
    by=lambda act: all_of(skip_validation(COMMIT), in_place_of("remove-properties", act)),
)
def ignores_malformed_removals(update: Update, draft: Draft, document: Document) -> None:
    removals: list[Any] = document["removals"] if isinstance(document.get("removals"), list) else []
    update(draft, {**document, "removals": [name for name in removals if isinstance(name, str)]})


def _returning(removal: str, member: Member) -> Install:
    """`set-properties` brings back what the update `removal` takes from a member."""
    removed: dict[Any, Document] = {}

    def remove(update: Update, draft: Draft, document: Document) -> None:
        before = draft.get(member) or {}
        update(draft, document)
        now = draft.get(member) or {}
        removed[draft.get("table-uuid")] = {k: v for k, v in before.items() if k not in now}

    def set_properties(draft: Draft, _: Document) -> None:
        if again := removed.pop(draft.get("table-uuid"), {}):
            draft.set(member, {**again, **(draft.get(member) or {})})

    return all_of(in_place_of(removal, remove), afterwards("set-properties", set_properties))


@fault("IRC-UPD-061")
def properties_end_with_a_rename() -> Install:
    uuids: set[str] = set()

    def rename(handlers: Handlers, arguments: Arguments) -> Reply:
        table = handlers[op.load_table](**at(arguments["body"]["source"])).document
        reply = handlers[op.rename_table](**arguments)
        uuids.add(table["metadata"]["table-uuid"])
        return reply

    def set_properties(update: Update, draft: Draft, document: Document) -> None:
        if draft.get("table-uuid") in uuids:
            draft.set("properties", {})
        update(draft, document)

    return all_of(
        for_operation(op.rename_table, rename), in_place_of("set-properties", set_properties)
    )


FAULTS = {
    "removed-properties-return IRC-UPD-064": _returning("remove-properties", "properties"),
    "removed-refs-return IRC-UPD-056": _returning("remove-snapshot-ref", "refs"),
    "replaces-all-properties IRC-UPD-061": replace_entry(
        "updates",
        "set-properties",
        lambda draft, document: draft.set("properties", dict(document["updates"])),
    ),
    "removes-all-properties IRC-UPD-064": replace_entry(
        "updates", "remove-properties", lambda draft, _: draft.set("properties", {})
    ),
    "ignores-missing-updates IRC-UPD-062": accepting_anyway(
        "set-properties", when=lacks("updates")
    ),
    "keeps-removed-properties IRC-UPD-064": ignored("remove-properties"),
    "refuses-to-remove-unknown-properties IRC-UPD-064": refused_when(
        "remove-properties",
        lambda draft, document: (
            not set(draft.get("properties") or {}).issuperset(document["removals"])
        ),
    ),
    "keeps-location IRC-UPD-059": ignored("set-location"),
    "ignores-missing-locations IRC-UPD-060": accepting_anyway("set-location"),
}
