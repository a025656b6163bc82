"""Wrong ways with requests that should create nothing."""

from __future__ import annotations

import uuid
from functools import partial
from typing import TYPE_CHECKING

from lakepact.reference_server.faults import Install, accept, fault, on_status, replace_rule
from mutants.iceberg_rest.operators.creation import HARMLESS, accepting_anyway, is_staging
from mutants.iceberg_rest.operators.operations import CREATE
from mutants.iceberg_rest.operators.refusals import refusals_become, with_status
from mutants.iceberg_rest.operators.requests import taken_as

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.documents import Document

IN_SPEC, IN_ORDER = "^at /partition-spec/", "^at /write-order/"


ALL = tuple(f"IRC-TBL-CREATE-{number}" for number in ("003", "016", "017", "018", "020", "021", "022", "029"))


@fault(*ALL)
def wrong_tables_are_422() -> Install:
    """Requests that can create nothing return 422."""
    return on_status(CREATE, {400: 422})


@fault("IRC-TBL-CREATE-016", "IRC-TBL-CREATE-017", "IRC-TBL-CREATE-018", "IRC-TBL-CREATE-021", "IRC-TBL-CREATE-029")
def wrong_tables_are_500() -> Install:
    """Requests whose parts do not fit each other return 500."""
    return refusals_become(CREATE, 400, with_status(500))


@fault("IRC-TBL-CREATE-003", by=partial(taken_as, CREATE))
def invents_what_is_missing(body: Document) -> Document:
    """A table without name or schema gets one."""
    return {"name": uuid.uuid4().hex, "schema": HARMLESS, **body}


@fault("IRC-TBL-CREATE-016")
def takes_columns_of_one_name() -> Install:
    """Columns may have one name."""
    return accepting_anyway("there is another field")


@fault("IRC-TBL-CREATE-016")
def takes_fields_of_one_name() -> Install:
    """Fields within a struct may have one name."""
    return accepting_anyway(r"there is another field '[^']*\.")


@fault("IRC-TBL-CREATE-016")
def takes_columns_of_one_id() -> Install:
    """Columns may have one id."""
    return accepting_anyway("is the id of")


@fault("IRC-TBL-CREATE-016")
def takes_nested_fields_of_one_id() -> Install:
    """Only the ids of columns have to differ, and not those of fields within."""
    return accepting_anyway(r"'[^']*\.[^']*' has field id")


@fault("IRC-TBL-CREATE-016")
def takes_unknown_types() -> Install:
    """Unknown types are taken."""
    return accepting_anyway("is no type;")


@fault("IRC-TBL-CREATE-016")
def takes_unknown_types_within() -> Install:
    """Unknown types are taken within lists and maps."""
    return accepting_anyway("/(element|value): .* is no type;")


@fault("IRC-TBL-CREATE-017")
def partitions_by_missing_columns() -> Install:
    """A partition field may be of a column that is not there."""
    return accepting_anyway(f"{IN_SPEC}.*has no column")


@fault("IRC-TBL-CREATE-017")
def sorts_by_missing_columns() -> Install:
    """A sort field may be of a column that is not there."""
    return accepting_anyway(f"{IN_ORDER}.*has no column")


@fault("IRC-TBL-CREATE-017")
def takes_unknown_transforms() -> Install:
    """Unknown transforms are taken."""
    return accepting_anyway("unknown transform '[a-z]*'")


@fault("IRC-TBL-CREATE-017")
def takes_impossible_numbers() -> Install:
    """Transforms may have any number."""
    return accepting_anyway(r"unknown transform '[a-z]*\[")


@fault("IRC-TBL-CREATE-017")
def partitions_unfit_columns() -> Install:
    """Partition transforms need not fit."""
    return accepting_anyway(f"{IN_SPEC}.*cannot be applied")


@fault("IRC-TBL-CREATE-017")
def sorts_unfit_columns() -> Install:
    """Sort transforms need not fit."""
    return accepting_anyway(f"{IN_ORDER}.*cannot be applied")


@fault("IRC-TBL-CREATE-018")
def identifies_by_optional_columns() -> Install:
    """Identifier fields may be null."""
    return accepting_anyway("may be null, so it cannot")


@fault("IRC-TBL-CREATE-018")
def identifies_by_floats() -> Install:
    """Identifier fields may be floats."""
    return accepting_anyway("is of type .*cannot identify a row")


@fault("IRC-TBL-CREATE-018")
def identifies_by_no_column() -> Install:
    """Identifier fields may be none."""
    return accepting_anyway("identifier-field-ids.*has no field")


@fault("IRC-TBL-CREATE-020", by=partial(taken_as, CREATE))
def makes_properties_texts(body: Document) -> Document:
    """Properties that are no texts become texts."""
    properties = {key: value if isinstance(value, str) else str(value) for key, value in (body.get("properties") or {}).items()}
    return {**body, "properties": properties}


@fault("IRC-TBL-CREATE-020", by=partial(taken_as, CREATE))
def drops_odd_properties(body: Document) -> Document:
    """Properties that are no texts are dropped."""
    properties = {key: value for key, value in (body.get("properties") or {}).items() if isinstance(value, str)}
    return {**body, "properties": properties}


@fault("IRC-TBL-CREATE-021")
def takes_empty_names() -> Install:
    """Tables may have an empty name."""
    return replace_rule("name_is_addressable", accept)


@fault("IRC-TBL-CREATE-022", by=partial(taken_as, CREATE))
def guesses_what_to_stage(body: Document) -> Document:
    """A stage-create that is no boolean is read as one."""
    return {**body, "stage-create": body.get("stage-create") in {True, "true"}}


@fault("IRC-TBL-STAGE-012")
def stages_anything() -> Install:
    """A table that cannot be created can be staged."""
    return accepting_anyway("", when=is_staging)


@fault("IRC-TBL-STAGE-012")
def stages_impossible_partitions() -> Install:
    """A stage is not refused for its partition spec or its sort order."""
    return accepting_anyway(f"{IN_SPEC}|{IN_ORDER}", when=is_staging)
