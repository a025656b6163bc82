"""Schemas of lines as written and as corrected, and round trips of lines through the models."""

from __future__ import annotations

from functools import partial
from typing import Any

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

import contract_forms
from contract_forms import FORMS, bundle
from lakepact.generated.delta_sharing import models

validator = partial(contract_forms.validator, "delta_sharing")

RESPONSE_LINE: pydantic.TypeAdapter[Any] = pydantic.TypeAdapter(models.ResponseLine)
FORMAT = {"provider": "parquet"}
METADATA = {"id": "t", "format": FORMAT, "schemaString": "{}", "partitionColumns": []}
FILE = {"url": "https://a/b", "id": "f", "partitionValues": {}, "size": 1}
CHANGED = {**FILE, "timestamp": 1, "version": 0}
ADD = {"path": "https://a/b", "partitionValues": {}, "size": 1}
VECTOR = {"storageType": "p", "pathOrInlineDv": "https://a/b", "sizeInBytes": 1, "cardinality": 1}

PARQUET: dict[str, dict[str, Any]] = {
    "ParquetProtocolLine": {"protocol": {"minReaderVersion": 1}},
    "ParquetMetadataLine": {"metaData": METADATA},
    "ParquetFileLine": {"file": FILE},
    "ParquetAddLine": {"add": CHANGED},
    "ParquetCdfLine": {"cdf": CHANGED},
    "ParquetRemoveLine": {"remove": CHANGED},
}
DELTA: dict[str, dict[str, Any]] = {
    "DeltaProtocolLine": {"protocol": {"deltaProtocol": {"minReaderVersion": 3}}},
    "DeltaMetadataLine": {"metaData": {"deltaMetadata": METADATA}},
    "DeltaFileLine": {
        "file": {"id": "f", "deltaSingleAction": {"add": {**ADD, "deletionVector": VECTOR}}}
    },
}
ENDS: dict[str, dict[str, Any]] = {"EndStreamLine": {"endStreamAction": {}}}
LINES = PARQUET | DELTA | ENDS

#: By correction: a schema and a document that is valid only as corrected.
WIDENED = [
    ("E01", "ParquetFileLine", {"file": {**FILE, "partitionValues": {"day": None}}}),
    (
        "E05",
        "DeltaMetadataLine",
        {"metaData": {"deltaMetadata": {**METADATA, "name": None, "createdTime": None}}},
    ),
    (
        "E05",
        "DeltaProtocolLine",
        {"protocol": {"deltaProtocol": {"minReaderVersion": 1, "readerFeatures": None}}},
    ),
    (
        "E05",
        "DeltaFileLine",
        {
            "file": {
                "id": "f",
                "deltaSingleAction": {"add": {**ADD, "stats": None, "deletionVector": None}},
            }
        },
    ),
    (
        "E06",
        "TemporaryCredentials",
        {"location": "s3://a/b", "expirationTime": 1, "gcpOauthToken": None},
    ),
]


@pytest.mark.parametrize("kind", LINES)
def test_line_of_each_kind_is_valid_in_every_form(kind: str) -> None:
    assert [validator(form, kind).is_valid(LINES[kind]) for form in FORMS] == [True] * 3


@pytest.mark.parametrize("kind", LINES)
def test_line_is_valid_in_its_own_format_only(kind: str) -> None:
    formats = {"ParquetLine": PARQUET | ENDS, "DeltaLine": DELTA | ENDS, "ResponseLine": LINES}

    verdicts = {schema: validator("bundle", schema).is_valid(LINES[kind]) for schema in formats}
    assert verdicts == {schema: kind in kinds for schema, kinds in formats.items()}


@pytest.mark.parametrize(
    ("kind", "member"),
    [(kind, member) for kind in (*PARQUET, *DELTA) for member in next(iter(LINES[kind].values()))],
)
def test_line_without_a_required_member_is_invalid(kind: str, member: str) -> None:
    ((wrapper, inner),) = LINES[kind].items()
    without = {wrapper: {name: value for name, value in inner.items() if name != member}}

    assert [validator(form, "ResponseLine").is_valid(without) for form in FORMS] == [False] * 3


@pytest.mark.parametrize("kind", LINES)
def test_unknown_members_are_valid(kind: str) -> None:
    ((wrapper, inner),) = LINES[kind].items()

    assert validator("bundle", kind).is_valid({wrapper: {**inner, "x-later": [None]}, "x-more": 1})


@pytest.mark.parametrize(
    "schema",
    [
        "decimal(10,2)",
        "decimal(38, 38)",
        "timestamp",
        {"type": "array", "elementType": "long", "containsNull": True},
    ],
)
def test_types_listed_in_the_prose_are_valid(schema: Any) -> None:
    assert validator("bundle", "TableType").is_valid(schema)


@pytest.mark.parametrize(
    "schema",
    [
        "decimal",
        "decimal(39,2)",
        "int",
        "timestamp_ntz",
        "",
        {"type": "array", "elementType": "long"},
    ],
)
def test_types_missing_from_the_prose_are_invalid(schema: Any) -> None:
    assert not validator("bundle", "TableType").is_valid(schema)


@pytest.mark.parametrize(("correction", "schema", "document"), WIDENED)
def test_widening_correction_accepts_documents_invalid_as_written(
    correction: str, schema: str, document: Any
) -> None:
    assert (
        next(e.effect for e in bundle("delta_sharing").corrections if e.id == correction)
        == "widens"
    )
    assert [validator(form, schema).is_valid(document) for form in FORMS] == [False, True, True]


def test_every_correction_of_answers_has_an_example() -> None:
    of_requests = "/components/schemas/QueryTableRequest"
    of_answers = {
        correction
        for correction, pointers in bundle("delta_sharing").change_pointers.items()
        if any(
            pointer.startswith("/components/schemas/") and not pointer.startswith(of_requests)
            for pointer in pointers
        )
    }

    assert of_answers == {correction for correction, _, _ in WIDENED}


@pytest.mark.parametrize("kind", LINES)
def test_line_round_trips_through_the_model_of_its_kind(kind: str) -> None:
    line: Any = RESPONSE_LINE.validate_python(LINES[kind])

    assert (type(line).__name__, line.to_wire()) == (kind, LINES[kind])


@given(
    st.sampled_from(sorted(LINES)),
    st.dictionaries(
        st.text(min_size=1, max_size=3), st.none() | st.integers() | st.text(max_size=3), max_size=3
    ),
)
def test_unknown_members_round_trip(kind: str, unknown: dict[str, Any]) -> None:
    ((wrapper, inner),) = LINES[kind].items()
    line = {
        wrapper: {**{name: value for name, value in unknown.items() if name.isdecimal()}, **inner}
    }

    assert RESPONSE_LINE.validate_python(line).to_wire() == line
