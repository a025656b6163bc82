"""Passes that run on every contract."""

from __future__ import annotations

from typing import Any

import pytest

from lakepact.codegen.documents import Broken
from lakepact.codegen.passes import prepare, with_ranges


def document(**schemas: Any) -> dict[str, Any]:
    return {"paths": {}, "components": {"schemas": schemas}}


def schema_after(schema: dict[str, Any], **others: Any) -> Any:
    return prepare(document(Subject=schema, **others))["components"]["schemas"]["Subject"]


KIND = {"$ref": "#/components/schemas/Kind"}


@pytest.mark.parametrize(
    ("schema", "after"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": False}, {"type": "string"}),
        ({**KIND, "const": "a"}, {"type": "string", "const": "a"}),
    ],
    ids=["nullable", "not nullable", "const beside a reference"],
)
def test_construct_of_openapi_becomes_json_schema(
    schema: dict[str, Any], after: dict[str, Any]
) -> None:
    assert schema_after(schema, Kind={"type": "string", "enum": ["a", "b"]}) == after


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"nullable": {"type": "boolean"}}},
        {**KIND, "description": "which"},
        {
            "type": "object",
            "example": {"type": "string", "nullable": True},
            "const": {"type": "string", "nullable": True},
        },
    ],
    ids=["property named nullable", "description beside a reference", "examples and constants"],
)
def test_construct_of_json_schema_is_kept(schema: dict[str, Any]) -> None:
    assert schema_after(schema, Kind={"type": "string"}) == schema


def test_nullable_without_a_type_raises_broken() -> None:
    with pytest.raises(Broken, match="nullable says nothing"):
        schema_after(
            {"$ref": "#/components/schemas/Other", "nullable": True}, Other={"type": "string"}
        )


def test_header_reference_to_a_parameter_becomes_a_header() -> None:
    contract = document()
    contract["components"] |= {
        "parameters": {"etag": {"name": "ETag", "in": "header", "schema": {"type": "string"}}},
        "responses": {"Ok": {"headers": {"etag": {"$ref": "#/components/parameters/etag"}}}},
    }

    assert prepare(contract)["components"]["responses"]["Ok"] == {
        "headers": {"etag": {"schema": {"type": "string"}}}
    }


def test_shared_answer_to_head_loses_its_content() -> None:
    contract = document()
    contract["components"]["responses"] = {
        "No": {"description": "no", "content": {"application/json": {}}}
    }
    contract["paths"]["/a"] = {
        "head": {"operationId": "h", "responses": {"404": {"$ref": "#/components/responses/No"}}},
        "get": {"operationId": "g", "responses": {"404": {"$ref": "#/components/responses/No"}}},
    }

    after = prepare(contract)

    assert after["paths"]["/a"]["head"]["responses"] == {"404": {"description": "no"}}
    assert after["paths"]["/a"]["get"]["responses"] == {
        "404": {"$ref": "#/components/responses/No"}
    }


@pytest.mark.parametrize(
    ("schema", "least", "most"),
    [
        ({"type": ["integer", "null"], "format": "int32"}, -(2**31), 2**31 - 1),
        ({"type": ["integer", "null"], "format": "int64"}, -(2**63), 2**63 - 1),
        ({"type": "integer", "format": "int32", "minimum": 1, "maximum": 3}, 1, 3),
    ],
    ids=["int32", "int64", "explicit"],
)
def test_integer_format_without_a_range_becomes_one(
    schema: dict[str, Any], least: int, most: int
) -> None:
    after = with_ranges(document(Subject=schema))

    assert after["components"]["schemas"]["Subject"] == {
        **schema,
        "minimum": least,
        "maximum": most,
    }


def test_given_document_is_not_modified() -> None:
    contract = document(Subject={"type": "string", "nullable": True})

    prepare(contract)

    assert contract == document(Subject={"type": "string", "nullable": True})
