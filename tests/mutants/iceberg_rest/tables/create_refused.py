"""Wrong ways with requests that should create nothing."""

from __future__ import annotations

import uuid
from functools import partial

from lakepact.reference_server.faults import accept, fault, on_status, replace_rule
from lakepact.reference_server.iceberg_rest.documents import Document
from mutants.iceberg_rest.operators.creation import HARMLESS, accepting_anyway, is_staging
from mutants.iceberg_rest.operators.operations import CREATE
from mutants.iceberg_rest.operators.refusals import refusals_become, with_status
from mutants.iceberg_rest.operators.requests import taken_as

IN_SPEC, IN_ORDER = "^at /partition-spec/", "^at /write-order/"


ALL = tuple(
    f"IRC-TBL-CREATE-{number}"
    for number in ("003", "016", "017", "018", "020", "021", "022", "029")
)


@fault("IRC-TBL-CREATE-020", by=partial(taken_as, CREATE))
def makes_properties_texts(body: Document) -> Document:
    properties = {
        key: value if isinstance(value, str) else str(value)
        for key, value in (body.get("properties") or {}).items()
    }
    return {**body, "properties": properties}


@fault("IRC-TBL-CREATE-020", by=partial(taken_as, CREATE))
def drops_odd_properties(body: Document) -> Document:
    properties = {
        key: value
        for key, value in (body.get("properties") or {}).items()
        if isinstance(value, str)
    }
    return {**body, "properties": properties}


FAULTS = {
    f"wrong-tables-are-422 {' '.join(ALL)}": on_status(CREATE, {400: 422}),
    "wrong-tables-are-500 IRC-TBL-CREATE-016 IRC-TBL-CREATE-017 IRC-TBL-CREATE-018 IRC-TBL-CREATE-021 IRC-TBL-CREATE-029": refusals_become(
        CREATE, 400, with_status(500)
    ),
    "invents-what-is-missing IRC-TBL-CREATE-003": taken_as(
        CREATE, lambda body: {"name": uuid.uuid4().hex, "schema": HARMLESS, **body}
    ),
    "takes-columns-of-one-name IRC-TBL-CREATE-016": accepting_anyway("there is another field"),
    "takes-fields-of-one-name IRC-TBL-CREATE-016": accepting_anyway(
        r"there is another field '[^']*\."
    ),
    "takes-columns-of-one-id IRC-TBL-CREATE-016": accepting_anyway("is the id of"),
    "takes-nested-fields-of-one-id IRC-TBL-CREATE-016": accepting_anyway(
        r"'[^']*\.[^']*' has field id"
    ),
    "takes-unknown-types IRC-TBL-CREATE-016": accepting_anyway("is no type;"),
    "takes-unknown-types-within IRC-TBL-CREATE-016": accepting_anyway(
        "/(element|value): .* is no type;"
    ),
    "partitions-by-missing-columns IRC-TBL-CREATE-017": accepting_anyway(
        f"{IN_SPEC}.*has no column"
    ),
    "sorts-by-missing-columns IRC-TBL-CREATE-017": accepting_anyway(f"{IN_ORDER}.*has no column"),
    "takes-unknown-transforms IRC-TBL-CREATE-017": accepting_anyway("unknown transform '[a-z]*'"),
    "takes-impossible-numbers IRC-TBL-CREATE-017": accepting_anyway(r"unknown transform '[a-z]*\["),
    "partitions-unfit-columns IRC-TBL-CREATE-017": accepting_anyway(
        f"{IN_SPEC}.*cannot be applied"
    ),
    "sorts-unfit-columns IRC-TBL-CREATE-017": accepting_anyway(f"{IN_ORDER}.*cannot be applied"),
    "identifies-by-optional-columns IRC-TBL-CREATE-018": accepting_anyway(
        "may be null, so it cannot"
    ),
    "identifies-by-floats IRC-TBL-CREATE-018": accepting_anyway(
        "is of type .*cannot identify a row"
    ),
    "identifies-by-no-column IRC-TBL-CREATE-018": accepting_anyway(
        "identifier-field-ids.*has no field"
    ),
    "takes-empty-names IRC-TBL-CREATE-021": replace_rule("name_is_addressable", accept),
    "guesses-what-to-stage IRC-TBL-CREATE-022": taken_as(
        CREATE, lambda body: {**body, "stage-create": body.get("stage-create") in {True, "true"}}
    ),
    "stages-anything IRC-TBL-STAGE-012": accepting_anyway("", when=is_staging),
    "stages-impossible-partitions IRC-TBL-STAGE-012": accepting_anyway(
        f"{IN_SPEC}|{IN_ORDER}", when=is_staging
    ),
}
