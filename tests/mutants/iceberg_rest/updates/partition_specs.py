"""Wrong ways with the updates `add-spec`, `set-default-spec` and `remove-partition-specs`."""

from __future__ import annotations

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import on_answer, replace_entry
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.updates import Draft
from mutants.iceberg_rest.operators import updates
from mutants.iceberg_rest.operators.operations import COMMIT
from mutants.iceberg_rest.operators.versions import SPECS


def _keep_requested_id(update: updates.Update, draft: Draft, document: Document) -> None:
    requested = document["spec"].get("spec-id")
    known = len(draft.items("partition-specs"))
    update(draft, document)
    if requested is not None and len(draft.items("partition-specs")) > known:
        specs = draft.own_list("partition-specs")
        specs[-1] = {**specs[-1], "spec-id": requested}
        draft.added_spec = requested


def _needs_id(_: Draft, document: Document) -> bool:
    return "spec-id" not in document["spec"]


def _leave_out_field_ids(answer: Document) -> None:
    for spec in answer["metadata"]["partition-specs"]:
        for field in spec["fields"]:
            del field["field-id"]


def _add_again(update: updates.Update, draft: Draft, document: Document) -> None:
    known = draft.items("partition-specs")
    before = len(known)
    update(draft, document)
    twin = next((spec for spec in known if spec["spec-id"] == draft.added_spec), None)
    if twin is not None and len(draft.items("partition-specs")) == before:
        draft.added_spec = 1 + max(spec["spec-id"] for spec in known)
        draft.own_list("partition-specs").append({**twin, "spec-id": draft.added_spec})


def _forget_last_id(update: updates.Update, draft: Draft, document: Document) -> None:
    last = draft.get("last-partition-id")
    update(draft, document)
    draft.set("last-partition-id", last)


ADD = {
    "keeps-requested-spec-ids IRC-UPD-022": updates.in_place_of("add-spec", _keep_requested_id),
    "needs-spec-id IRC-UPD-022": updates.refused_when("add-spec", _needs_id),
    "leaves-out-partition-field-ids IRC-UPD-022": on_answer(
        (op.load_table, COMMIT), _leave_out_field_ids
    ),
    "duplicates-equal-specs IRC-UPD-023": updates.in_place_of("add-spec", _add_again),
    "ignores-invalid-specs IRC-UPD-024 IRC-UPD-025": updates.accepting_anyway("add-spec"),
    "takes-first-added-spec IRC-UPD-026": updates.in_place_of("add-spec", SPECS.keep_first_added),
    "last-partition-id-stays IRC-META-006": updates.in_place_of("add-spec", _forget_last_id),
}


SET = {
    "default-spec-stays IRC-UPD-026": updates.ignored("set-default-spec"),
    "last-added-spec-may-be-none IRC-UPD-027": updates.accepting_anyway(
        "set-default-spec", when=SPECS.is_last_added
    ),
    "unknown-spec-is-500 IRC-UPD-027 IRC-UPD-028": updates.fatal("set-default-spec"),
    "default-spec-may-be-none IRC-UPD-027 IRC-UPD-028": replace_entry(
        "updates", "set-default-spec", SPECS.set_whatever
    ),
}


def _stumble(update: updates.Update, draft: Draft, document: Document) -> None:
    if not {spec["spec-id"] for spec in draft.items("partition-specs")}.issuperset(
        document["spec-ids"]
    ):
        raise Problem(500, "NullPointerException", "no such partition spec")
    update(draft, document)


REMOVE = {
    "keeps-removed-specs IRC-UPD-073": updates.ignored("remove-partition-specs"),
    "removes-more-specs IRC-UPD-073": updates.afterwards(
        "remove-partition-specs", SPECS.remove_all_but_default
    ),
    "removes-default-spec IRC-UPD-074": replace_entry(
        "updates", "remove-partition-specs", SPECS.remove_whatever
    ),
    "removing-unknown-spec-is-500 IRC-UPD-075": updates.in_place_of(
        "remove-partition-specs", _stumble
    ),
}


FAULTS = {**ADD, **SET, **REMOVE}
