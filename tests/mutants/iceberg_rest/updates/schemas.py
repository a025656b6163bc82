"""Wrong ways with the updates `add-schema`, `set-current-schema` and `remove-schemas`."""

from __future__ import annotations

from lakepact.reference_server.faults import replace_entry
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.tables.schemas import types_by_id, with_fresh_ids
from lakepact.reference_server.iceberg_rest.updates import Draft
from mutants.iceberg_rest.operators import updates
from mutants.iceberg_rest.operators.versions import SCHEMAS


def _keep_requested_id(update: updates.Update, draft: Draft, document: Document) -> None:
    requested = document["schema"].get("schema-id")
    known = len(draft.items("schemas"))
    update(draft, document)
    if requested is not None and len(draft.items("schemas")) > known:
        draft.own_list("schemas")[-1] = {**document["schema"], "schema-id": requested}
        draft.added_schema = requested


def _add_again(update: updates.Update, draft: Draft, document: Document) -> None:
    known = len(draft.items("schemas"))
    update(draft, document)
    if len(draft.items("schemas")) == known:
        draft.added_schema = 1 + max(schema["schema-id"] for schema in draft.items("schemas"))
        draft.own_list("schemas").append({**document["schema"], "schema-id": draft.added_schema})


def _count_top_level_only(draft: Draft, _: Document) -> None:
    ids = (field["id"] for schema in draft.items("schemas") for field in schema["fields"])
    draft.set("last-column-id", max(ids, default=0))


def _count_this_schema_only(draft: Draft, document: Document) -> None:
    draft.set("last-column-id", max(types_by_id(document["schema"])))


def _renumber(_: Draft, document: Document) -> Document:
    return {**document, "schema": with_fresh_ids(document["schema"])[0]}


def _relaxes_and_adds(draft: Draft, document: Document) -> bool:
    schema: Document = document.get("schema") or {}
    current = [
        one for one in draft.items("schemas") if one["schema-id"] == draft.get("current-schema-id")
    ]
    known = {field["id"]: field["required"] for one in current for field in one["fields"]}
    fields = schema.get("fields", ())
    return any(known.get(f["id"]) and not f["required"] for f in fields) and any(
        f["id"] not in known for f in fields
    )


ADD = {
    "refuses-two-kinds-of-edits IRC-UPD-093": updates.refused_when("add-schema", _relaxes_and_adds),
    "keeps-requested-schema-ids IRC-UPD-010": updates.in_place_of("add-schema", _keep_requested_id),
    "duplicates-equal-schemas IRC-UPD-011": updates.in_place_of("add-schema", _add_again),
    "counts-top-level-columns-only IRC-UPD-012 IRC-META-005": updates.afterwards(
        "add-schema", _count_top_level_only
    ),
    "forgets-dropped-columns IRC-UPD-012": updates.afterwards(
        "add-schema", _count_this_schema_only
    ),
    "needs-last-column-id IRC-UPD-012": updates.refused_when(
        "add-schema", updates.lacks("last-column-id")
    ),
    "renumbers-columns IRC-UPD-013": updates.rewritten("add-schema", _renumber),
    "ignores-invalid-schemas IRC-UPD-014 IRC-UPD-015 IRC-UPD-016": updates.accepting_anyway(
        "add-schema"
    ),
    "takes-first-added-schema IRC-UPD-018": updates.in_place_of(
        "add-schema", SCHEMAS.keep_first_added
    ),
}


def _forget_defaults(draft: Draft, _: Document) -> None:
    # Only what a commit touches is looked at once all its updates are applied.
    draft.touched.discard("current-schema-id")
    draft.touched.add("schemas")


SET = {
    "current-schema-stays IRC-UPD-017 IRC-UPD-018": updates.ignored("set-current-schema"),
    "last-added-schema-may-be-none IRC-UPD-019": updates.accepting_anyway(
        "set-current-schema", when=SCHEMAS.is_last_added
    ),
    "unknown-schema-is-500 IRC-UPD-019 IRC-UPD-020": updates.fatal("set-current-schema"),
    "current-schema-may-be-none IRC-UPD-019 IRC-UPD-020": replace_entry(
        "updates", "set-current-schema", SCHEMAS.set_whatever
    ),
    "drops-source-columns IRC-UPD-021": updates.afterwards("set-current-schema", _forget_defaults),
}


def _remove_snapshots_too(draft: Draft, document: Document) -> None:
    SCHEMAS.remove_whatever(draft, document)
    draft.set("snapshots", [])
    draft.set("refs", {})
    draft.set("snapshot-log", [])
    draft.remove("current-snapshot-id")


REMOVE = {
    "removes-snapshots-with-schemas IRC-UPD-092 IRC-UPD-077": replace_entry(
        "updates", "remove-schemas", _remove_snapshots_too
    ),
    "keeps-removed-schemas IRC-UPD-076": updates.ignored("remove-schemas"),
    "removes-more-schemas IRC-UPD-076": updates.afterwards(
        "remove-schemas", SCHEMAS.remove_all_but_default
    ),
    "removes-schemas-in-use IRC-UPD-077 IRC-UPD-078": replace_entry(
        "updates", "remove-schemas", SCHEMAS.remove_whatever
    ),
}


FAULTS = {**ADD, **SET, **REMOVE}
