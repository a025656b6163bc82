"""Wrong ways with the updates `set-properties`, `remove-properties` and `set-location`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, all_of, instead, unchecked
from lakepact.reference_server.iceberg_rest.faults.ways.operations import COMMIT
from lakepact.reference_server.iceberg_rest.faults.ways.updates import (
    Update,
    forgiven,
    ignored,
    in_place_of,
    lacks,
    refused_when,
    rewritten,
)

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.updates import Draft


def _replace_all(draft: Draft, document: Document) -> None:
    draft.set("properties", dict(document["updates"]))


def _add_only(draft: Draft, document: Document) -> None:
    draft.set("properties", {**document["updates"], **(draft.get("properties") or {})})


def _spell_out(_: Draft, document: Document) -> Document:
    updates: Document = document.get("updates", {})
    return {**document, "updates": {key: str(value) for key, value in updates.items()}}


def _remove_all(draft: Draft, _: Document) -> None:
    draft.set("properties", {})


def _names_unknown(draft: Draft, document: Document) -> bool:
    return not set(draft.get("properties") or {}).issuperset(document["removals"])


def _remove_what_is_text(update: Update, draft: Draft, document: Document) -> None:
    removals: list[Any] = document["removals"] if isinstance(document.get("removals"), list) else []
    update(draft, {**document, "removals": [name for name in removals if isinstance(name, str)]})


def _of_our_own(_: Draft, update: Document) -> Document:
    updates = update.get("updates")
    if not isinstance(updates, dict):
        return update
    return {**update, "updates": {key: value for key, value in updates.items() if not key.startswith("write.")}}


FAULTS = (
    Fault(
        "settings-of-writers-are-left-out",
        "Properties for writers are not set.",
        ("IRC-UPD-061",),
        rewritten("set-properties", _of_our_own),
    ),
    Fault(
        "replaces-all-properties",
        "Properties that are not set are gone.",
        ("IRC-UPD-061",),
        instead("updates", "set-properties", _replace_all),
    ),
    Fault(
        "keeps-property-values",
        "A property that is set keeps its value.",
        ("IRC-UPD-061",),
        instead("updates", "set-properties", _add_only),
    ),
    Fault(
        "forgives-missing-updates",
        "set-properties without its member is ignored.",
        ("IRC-UPD-062",),
        forgiven("set-properties", when=lacks("updates")),
    ),
    Fault(
        "spells-property-values-out",
        "A number becomes the text of a property.",
        ("IRC-UPD-063",),
        all_of(unchecked(COMMIT), rewritten("set-properties", _spell_out)),
    ),
    Fault("keeps-removed-properties", "remove-properties does nothing.", ("IRC-UPD-064",), ignored("remove-properties")),
    Fault(
        "removes-all-properties",
        "remove-properties takes all of them.",
        ("IRC-UPD-064",),
        instead("updates", "remove-properties", _remove_all),
    ),
    Fault(
        "refuses-to-remove-unknown-properties",
        "Only properties that there are can be removed.",
        ("IRC-UPD-064",),
        refused_when("remove-properties", _names_unknown),
    ),
    Fault(
        "forgives-malformed-removals",
        "What is no text, or no array of them, is not removed.",
        ("IRC-UPD-065",),
        all_of(unchecked(COMMIT), in_place_of("remove-properties", _remove_what_is_text)),
    ),
    Fault("keeps-location", "set-location does nothing.", ("IRC-UPD-059",), ignored("set-location")),
    Fault("forgives-missing-locations", "set-location without a location is ignored.", ("IRC-UPD-060",), forgiven("set-location")),
)
