"""Wrong ways with requests that should create nothing."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from lakepact.reference_server.faults import Fault, accept, instead, on_status
from lakepact.reference_server.iceberg_rest.faults.ways.creation import HARMLESS, forgiven, is_staging
from lakepact.reference_server.iceberg_rest.faults.ways.operations import CREATE
from lakepact.reference_server.iceberg_rest.faults.ways.refusals import refusals_become, with_status
from lakepact.reference_server.iceberg_rest.faults.ways.requests import taken_as

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.documents import Document

IN_SPEC, IN_ORDER = "^at /partition-spec/", "^at /write-order/"


def _with_a_name(body: Document) -> Document:
    return {"name": uuid.uuid4().hex, "schema": HARMLESS, **body}


def _with_texts(body: Document) -> Document:
    properties = {key: value if isinstance(value, str) else str(value) for key, value in (body.get("properties") or {}).items()}
    return {**body, "properties": properties}


def _with_texts_alone(body: Document) -> Document:
    properties = {key: value for key, value in (body.get("properties") or {}).items() if isinstance(value, str)}
    return {**body, "properties": properties}


def _with_a_flag(body: Document) -> Document:
    return {**body, "stage-create": body.get("stage-create") in {True, "true"}}


ALL = tuple(f"IRC-TBL-CREATE-{number}" for number in ("003", "016", "017", "018", "020", "021", "022", "029"))

FAULTS = (
    Fault("wrong-tables-are-422", "Requests that can create nothing are answered with 422.", ALL, on_status(CREATE, {400: 422})),
    Fault(
        "wrong-tables-are-500",
        "Requests whose parts do not fit each other are answered with 500.",
        ("IRC-TBL-CREATE-016", "IRC-TBL-CREATE-017", "IRC-TBL-CREATE-018", "IRC-TBL-CREATE-021", "IRC-TBL-CREATE-029"),
        refusals_become(CREATE, 400, with_status(500)),
    ),
    Fault("invents-what-is-missing", "A table without name or schema gets one.", ("IRC-TBL-CREATE-003",), taken_as(CREATE, _with_a_name)),
    Fault("takes-columns-of-one-name", "Columns may have one name.", ("IRC-TBL-CREATE-016",), forgiven("there is another field")),
    Fault(
        "takes-fields-of-one-name",
        "Fields within a struct may have one name.",
        ("IRC-TBL-CREATE-016",),
        forgiven(r"there is another field '[^']*\."),
    ),
    Fault("takes-columns-of-one-id", "Columns may have one id.", ("IRC-TBL-CREATE-016",), forgiven("is the id of")),
    Fault(
        "takes-nested-fields-of-one-id",
        "Only the ids of columns have to differ, and not those of fields within.",
        ("IRC-TBL-CREATE-016",),
        forgiven(r"'[^']*\.[^']*' has field id"),
    ),
    Fault("takes-unknown-types", "Unknown types are taken.", ("IRC-TBL-CREATE-016",), forgiven("is no type;")),
    Fault(
        "takes-unknown-types-within",
        "Unknown types are taken within lists and maps.",
        ("IRC-TBL-CREATE-016",),
        forgiven("/(element|value): .* is no type;"),
    ),
    Fault(
        "partitions-by-missing-columns",
        "A partition field may be of a column that is not there.",
        ("IRC-TBL-CREATE-017",),
        forgiven(f"{IN_SPEC}.*has no column"),
    ),
    Fault(
        "sorts-by-missing-columns",
        "A sort field may be of a column that is not there.",
        ("IRC-TBL-CREATE-017",),
        forgiven(f"{IN_ORDER}.*has no column"),
    ),
    Fault("takes-unknown-transforms", "Unknown transforms are taken.", ("IRC-TBL-CREATE-017",), forgiven("unknown transform '[a-z]*'")),
    Fault("takes-impossible-numbers", "Transforms may have any number.", ("IRC-TBL-CREATE-017",), forgiven(r"unknown transform '[a-z]*\[")),
    Fault(
        "partitions-unfit-columns", "Partition transforms need not fit.", ("IRC-TBL-CREATE-017",), forgiven(f"{IN_SPEC}.*cannot be applied")
    ),
    Fault("sorts-unfit-columns", "Sort transforms need not fit.", ("IRC-TBL-CREATE-017",), forgiven(f"{IN_ORDER}.*cannot be applied")),
    Fault(
        "identifies-by-optional-columns", "Identifier fields may be null.", ("IRC-TBL-CREATE-018",), forgiven("may be null, so it cannot")
    ),
    Fault(
        "identifies-by-floats", "Identifier fields may be floats.", ("IRC-TBL-CREATE-018",), forgiven("is of type .*cannot identify a row")
    ),
    Fault(
        "identifies-by-no-column", "Identifier fields may be none.", ("IRC-TBL-CREATE-018",), forgiven("identifier-field-ids.*has no field")
    ),
    Fault("makes-properties-texts", "Properties that are no texts become texts.", ("IRC-TBL-CREATE-020",), taken_as(CREATE, _with_texts)),
    Fault(
        "drops-odd-properties", "Properties that are no texts are dropped.", ("IRC-TBL-CREATE-020",), taken_as(CREATE, _with_texts_alone)
    ),
    Fault("takes-empty-names", "Tables may have an empty name.", ("IRC-TBL-CREATE-021",), instead("rules", "name-is-addressable", accept)),
    Fault(
        "guesses-what-to-stage",
        "A stage-create that is no boolean is read as one.",
        ("IRC-TBL-CREATE-022",),
        taken_as(CREATE, _with_a_flag),
    ),
    Fault("stages-anything", "What could not be created can be staged.", ("IRC-TBL-STAGE-012",), forgiven("", when=is_staging)),
    Fault(
        "stages-impossible-partitions",
        "A stage is not refused for its partition spec or its sort order.",
        ("IRC-TBL-STAGE-012",),
        forgiven(f"{IN_SPEC}|{IN_ORDER}", when=is_staging),
    ),
)
