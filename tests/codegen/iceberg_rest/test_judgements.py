"""Verdicts of the contract as written and as corrected, for each payload."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_forms import FORMS, bundle, validator
from sample_tables.table_documents import view_version

ERROR = {"message": "m", "type": "T", "code": 404}
TABLE = {"format-version": 2, "table-uuid": "u"}
COMMIT_REPORT = {
    "table-name": "t",
    "snapshot-id": 1,
    "sequence-number": 1,
    "operation": "append",
    "metrics": {},
}
STATISTICS = {"snapshot-id": 1, "statistics-path": "p", "file-size-in-bytes": 1}
FILE = {
    "spec-id": 0,
    "file-path": "p",
    "file-format": "parquet",
    "file-size-in-bytes": 1,
    "record-count": 1,
}
SNAPSHOT = {
    "snapshot-id": 1,
    "timestamp-ms": 1,
    "manifest-list": "m",
    "summary": {"operation": "append"},
}
COLUMNS = {"type": "struct", "fields": []}
MAX = 2**63 - 1
NULLS = "(null)"  #: `nullable`, which 3.1 replaces by null types
RANGES = "(range)"  #: integer formats, which JSON Schema does not validate


@dataclass(frozen=True, slots=True)
class Payload:
    """A document, and whether it is valid as written and as corrected."""

    by: str  #: the correction or pass of the example
    schema: str
    document: Any
    original: bool
    after_corrections: bool

    def __str__(self) -> str:
        return f"{self.by}-{self.schema}-{self.document}"[:80]


PAYLOADS = (
    Payload(
        "E02",
        "TableUpdate",
        {"action": "set-partition-statistics", "partition-statistics": STATISTICS},
        False,
        True,
    ),
    Payload(
        "E02",
        "TableUpdate",
        {"action": "remove-partition-statistics", "snapshot-id": 1},
        False,
        True,
    ),
    Payload("E02", "TableUpdate", {"action": "set-properties", "updates": {"a": "b"}}, True, True),
    Payload("E02", "TableUpdate", {"action": "set-properties", "updates": {"a": 1}}, False, False),
    Payload("E02", "TableUpdate", {"action": "set-properties"}, False, False),
    Payload("E02", "TableUpdate", {"action": "explode"}, False, False),
    Payload("E02", "TableUpdate", {"updates": {"a": "b"}}, False, False),
    Payload(
        "E02",
        "TableUpdate",
        {"action": "set-current-view-version", "view-version-id": 1},
        False,
        False,
    ),
    Payload(
        "E02",
        "ViewUpdate",
        {"action": "set-current-view-version", "view-version-id": 1},
        True,
        True,
    ),
    Payload("E02", "ViewUpdate", {"action": "remove-snapshots", "snapshot-ids": [1]}, False, False),
    Payload("E03", "TableRequirement", {"type": "assert-create"}, True, True),
    Payload("E03", "TableRequirement", {"type": "assert-bogus"}, True, False),
    Payload("E03", "TableRequirement", {"type": "assert-table-uuid"}, True, False),
    Payload(
        "E03",
        "TableRequirement",
        {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None},
        True,
        True,
    ),
    Payload(
        "E03", "TableRequirement", {"type": "assert-ref-snapshot-id", "ref": "main"}, True, False
    ),
    Payload(
        "E03",
        "CommitTableRequest",
        {"requirements": [{"type": "assert-bogus"}], "updates": []},
        True,
        False,
    ),
    Payload("E04", "Expression", {"type": "eq", "term": "x", "value": 5}, False, True),
    Payload("E04", "Expression", {"type": "eq", "term": "x", "value": {"deep": 1}}, True, False),
    Payload(
        "E04", "Expression", {"type": "in", "term": "x", "values": ["a", 1, True]}, False, True
    ),
    Payload("E04", "Expression", {"type": "is-null", "term": "x"}, False, True),
    Payload("E04", "Expression", {"type": "is-null", "term": "x", "value": {}}, True, True),
    Payload("E05", "Type", "decimal(9,2)", True, True),
    Payload(
        "E05",
        "Type",
        {"type": "list", "element-id": 1, "element": "long", "element-required": True},
        True,
        True,
    ),
    Payload("E05", "Type", {"type": "set", "element": "long"}, False, False),
    Payload("E06", "PrimitiveTypeValue", True, True, True),
    Payload("E06", "PrimitiveTypeValue", "2017-11-16", False, True),
    Payload("E06", "PrimitiveTypeValue", 34, False, True),
    Payload("E06", "PrimitiveTypeValue", 1.5, False, True),
    Payload("E06", "PrimitiveTypeValue", None, False, True),
    Payload("E06", "PrimitiveTypeValue", [1], False, False),
    Payload(
        "E06", "DataFile", {**FILE, "content": "data", "partition": [1, "bar", None]}, False, True
    ),
    Payload("E06", "DataFile", {**FILE, "content": "deleted", "partition": []}, False, False),
    Payload("E07", "FetchPlanningResult", {"status": "failed", "error": ERROR}, False, True),
    Payload("E07", "FetchPlanningResult", {"status": "failed"}, False, False),
    Payload("E07", "IcebergErrorResponse", {"error": ERROR, "more": 1}, False, False),
    Payload("E08", "PlanTableScanResult", {"status": "submitted", "plan-id": "p"}, False, True),
    Payload("E08", "PlanTableScanResult", {"status": "submitted"}, False, False),
    Payload("E08", "PlanTableScanResult", {"status": "cancelled"}, True, False),
    Payload("E08", "FetchPlanningResult", {"status": "cancelled"}, True, True),
    Payload("E08", "FetchPlanningResult", {"status": "submitted"}, True, True),
    Payload(
        "E09", "ReportMetricsRequest", {"report-type": "of-our-own", **COMMIT_REPORT}, True, True
    ),
    Payload("E11", "EncryptedKey", {"key-id": "k", "encrypted-key-metadata": "//79"}, True, True),
    Payload("E12", "Snapshot", {**SNAPSHOT, "added-rows": 3, "key-id": "k"}, True, True),
    Payload("E14", "TableMetadata", {**TABLE, "current-snapshot-id": None}, False, True),
    Payload("E14", "TableMetadata", {**TABLE, "current-snapshot-id": -1}, True, True),
    Payload("E16", "SortOrder", {"order-id": 1, "fields": []}, True, True),
    Payload("E16", "SortOrder", {"fields": []}, False, False),
    Payload("E17", "Expression", True, False, True),
    Payload("E17", "Expression", {"type": "false"}, True, True),
    Payload(
        "E17",
        "Expression",
        {"type": "and", "left": True, "right": {"type": "not-nan", "term": "x"}},
        False,
        True,
    ),
    Payload("E17", "Expression", {"type": "xor", "left": True, "right": True}, False, False),
    Payload(
        "E18", "OAuthTokenResponse", {"access_token": "t", "token_type": "Bearer"}, False, True
    ),
    Payload(
        "E18", "OAuthTokenResponse", {"access_token": "t", "token_type": "cookie"}, False, False
    ),
    Payload(
        "E21", "DeleteFile", {**FILE, "content": "position-deletes", "partition": []}, True, True
    ),
    Payload("E21", "DeleteFile", {**FILE, "content": "data", "partition": []}, False, False),
    Payload(
        "E36",
        "CreateViewRequest",
        {"name": "v", "schema": COLUMNS, "view-version": view_version()},
        False,
        True,
    ),
    Payload(
        "E36",
        "CreateViewRequest",
        {"schema": COLUMNS, "view-version": view_version(), "properties": {}},
        False,
        False,
    ),
    Payload(NULLS, "ListTablesResponse", {"identifiers": [], "next-page-token": None}, False, True),
    Payload(NULLS, "GetNamespaceResponse", {"namespace": ["a"], "properties": None}, False, True),
    Payload(NULLS, "LoadTableResult", {"metadata": TABLE, "metadata-location": None}, False, True),
    Payload(
        NULLS,
        "UpdateNamespacePropertiesResponse",
        {"updated": [], "removed": [], "missing": None},
        False,
        True,
    ),
    Payload(NULLS, "TableIdentifier", {"namespace": ["a"], "name": None}, False, False),
    Payload(RANGES, "TableMetadata", {**TABLE, "current-snapshot-id": MAX}, True, True),
    Payload(RANGES, "TableMetadata", {**TABLE, "current-snapshot-id": MAX + 1}, True, False),
    Payload(RANGES, "TableMetadata", {**TABLE, "current-snapshot-id": -MAX - 1}, True, True),
    Payload(RANGES, "TableMetadata", {**TABLE, "current-snapshot-id": -MAX - 2}, True, False),
)


contract = partial(bundle, "iceberg_rest")


def follows(form: str, schema: str, payload: Any) -> bool:
    return validator("iceberg_rest", form, schema).is_valid(payload)


@pytest.mark.parametrize("payload", PAYLOADS, ids=str)
def test_each_form_of_the_contract_gives_its_verdict(payload: Payload) -> None:
    verdicts = {form: follows(form, payload.schema, payload.document) for form in FORMS}

    assert verdicts == {
        "written": payload.original,
        "bundle": payload.after_corrections,
        "schemas": payload.after_corrections,
    }


@given(st.data())
def test_validator_schemas_and_bundle_agree_on_changed_documents(data: st.DataObject) -> None:
    payload = data.draw(st.sampled_from(PAYLOADS))
    document = spoilt(payload.document, data)

    assert follows("schemas", payload.schema, document) == follows(
        "bundle", payload.schema, document
    )


def spoilt(document: Any, data: st.DataObject) -> Any:
    """Return a document with one part removed or put in the place of another."""
    parts = [payload.document for payload in PAYLOADS]
    if not isinstance(document, dict | list) or not document or data.draw(st.booleans()):
        return data.draw(st.sampled_from([None, True, 0, 1.5, "", "append", [], {}, *parts]))
    key = data.draw(
        st.sampled_from(sorted(document) if isinstance(document, dict) else range(len(document)))
    )
    copy = document.copy()
    if data.draw(st.booleans()):
        del copy[key]
    else:
        copy[key] = spoilt(document[key], data)
    return copy


def changes_by(correction: str) -> set[tuple[bool, bool]]:
    return {
        (p.original, p.after_corrections)
        for p in PAYLOADS
        if p.by == correction and p.original != p.after_corrections
    }


@pytest.mark.parametrize(("effect", "changes"), [("none", set()), ("widens", {(False, True)})])
def test_correction_changes_verdicts_only_as_its_effect_allows(
    effect: str, changes: set[tuple[bool, bool]]
) -> None:
    of_effect = [
        correction.id for correction in contract().corrections if correction.effect == effect
    ]

    assert {
        correction: more for correction in of_effect if (more := changes_by(correction) - changes)
    } == {}


def test_every_correction_of_schemas_has_an_example() -> None:
    of_documents = {
        correction.id
        for correction in contract().corrections
        if correction.effect in {"corrects", "widens"}
        and all(
            pointer.startswith("/components/schemas/")
            for pointer in contract().change_pointers[correction.id]
        )
    }

    assert {correction for correction in of_documents if not changes_by(correction)} == set()
