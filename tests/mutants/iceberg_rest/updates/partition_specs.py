"""Wrong ways with the updates `add-spec`, `set-default-spec` and `remove-partition-specs`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Fault, on_answer, replace_entry
from lakepact.reference_server.http.problems import Problem
from mutants.iceberg_rest.operators.operations import COMMIT
from mutants.iceberg_rest.operators.updates import (
    Update,
    accepting_anyway,
    afterwards,
    fatal,
    ignored,
    in_place_of,
    refused_when,
)
from mutants.iceberg_rest.operators.versions import SPECS

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.updates import Draft


# -- add-spec ---------------------------------------------------------------------------------------------------------


def _keep_requested_id(update: Update, draft: Draft, document: Document) -> None:
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


def _add_again(update: Update, draft: Draft, document: Document) -> None:
    known = draft.items("partition-specs")
    before = len(known)
    update(draft, document)
    twin = next((spec for spec in known if spec["spec-id"] == draft.added_spec), None)
    if twin is not None and len(draft.items("partition-specs")) == before:
        draft.added_spec = 1 + max(spec["spec-id"] for spec in known)
        draft.own_list("partition-specs").append({**twin, "spec-id": draft.added_spec})


def _forget_last_id(update: Update, draft: Draft, document: Document) -> None:
    last = draft.get("last-partition-id")
    update(draft, document)
    draft.set("last-partition-id", last)


ADD = (
    Fault(
        "keeps-requested-spec-ids",
        "A spec has the id that the request proposes.",
        ("IRC-UPD-022",),
        in_place_of("add-spec", _keep_requested_id),
    ),
    Fault("needs-spec-id", "A spec without an id is refused.", ("IRC-UPD-022",), refused_when("add-spec", _needs_id)),
    Fault(
        "leaves-out-partition-field-ids",
        "Fields of a spec get no ids.",
        ("IRC-UPD-022",),
        on_answer((op.load_table, COMMIT), _leave_out_field_ids),
    ),
    Fault("duplicates-equal-specs", "A spec that is known is added again.", ("IRC-UPD-023",), in_place_of("add-spec", _add_again)),
    Fault("ignores-invalid-specs", "A spec that is not valid is ignored.", ("IRC-UPD-024", "IRC-UPD-025"), accepting_anyway("add-spec")),
    Fault(
        "takes-first-added-spec",
        "-1 is the spec that the commit added first.",
        ("IRC-UPD-026",),
        in_place_of("add-spec", SPECS.keep_first_added),
    ),
    Fault(
        "last-partition-id-stays",
        "The last partition id does not grow with a spec.",
        ("IRC-META-006",),
        in_place_of("add-spec", _forget_last_id),
    ),
)


# -- set-default-spec -----------------------------------------------------------------------------------------------------


SET = (
    Fault("default-spec-stays", "set-default-spec does nothing.", ("IRC-UPD-026",), ignored("set-default-spec")),
    Fault(
        "last-added-spec-may-be-none",
        "-1 is ignored in a commit that adds no spec.",
        ("IRC-UPD-027",),
        accepting_anyway("set-default-spec", when=SPECS.is_last_added),
    ),
    Fault("unknown-spec-is-500", "An unknown spec returns 500.", ("IRC-UPD-027", "IRC-UPD-028"), fatal("set-default-spec")),
    Fault(
        "default-spec-may-be-none",
        "Any number becomes the default spec.",
        ("IRC-UPD-027", "IRC-UPD-028"),
        replace_entry("updates", "set-default-spec", SPECS.set_whatever),
    ),
)


# -- remove-partition-specs -------------------------------------------------------------------------------------------------


def _stumble(update: Update, draft: Draft, document: Document) -> None:
    if not {spec["spec-id"] for spec in draft.items("partition-specs")}.issuperset(document["spec-ids"]):
        raise Problem(500, "NullPointerException", "no such partition spec")
    update(draft, document)


REMOVE = (
    Fault("keeps-removed-specs", "remove-partition-specs does nothing.", ("IRC-UPD-073",), ignored("remove-partition-specs")),
    Fault(
        "removes-more-specs",
        "All specs but the default one are removed.",
        ("IRC-UPD-073",),
        afterwards("remove-partition-specs", SPECS.remove_all_but_default),
    ),
    Fault(
        "removes-default-spec",
        "The default spec can be removed.",
        ("IRC-UPD-074",),
        replace_entry("updates", "remove-partition-specs", SPECS.remove_whatever),
    ),
    Fault(
        "removing-unknown-spec-is-500",
        "Removing an unknown spec returns 500.",
        ("IRC-UPD-075",),
        in_place_of("remove-partition-specs", _stumble),
    ),
)


FAULTS: tuple[Fault, ...] = (*ADD, *SET, *REMOVE)
