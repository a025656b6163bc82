"""Passes that run on every contract."""

from __future__ import annotations

from typing import Any

import pytest

from lakepact.codegen.documents import Broken
from lakepact.codegen.passes import bounded, prepared


def document(**schemas: Any) -> dict[str, Any]:
    return {"paths": {}, "components": {"schemas": schemas}}


def schema_after(schema: dict[str, Any], **others: Any) -> Any:
    return prepared(document(Subject=schema, **others))["components"]["schemas"]["Subject"]


def test_nullable_becomes_a_type() -> None:
    assert schema_after({"type": "string", "nullable": True}) == {"type": ["string", "null"]}


def test_nullable_false_is_dropped() -> None:
    assert schema_after({"type": "string", "nullable": False}) == {"type": "string"}


def test_nullable_without_a_type_raises_broken() -> None:
    with pytest.raises(Broken, match="nullable says nothing"):
        schema_after({"$ref": "#/components/schemas/Other", "nullable": True}, Other={"type": "string"})


def test_property_named_nullable_is_kept() -> None:
    schema = {"type": "object", "properties": {"nullable": {"type": "boolean"}}}

    assert schema_after(schema) == schema


def test_const_beside_a_reference_replaces_the_reference() -> None:
    schema = {"$ref": "#/components/schemas/Kind", "const": "a"}

    assert schema_after(schema, Kind={"type": "string", "enum": ["a", "b"]}) == {"type": "string", "const": "a"}


def test_description_beside_a_reference_is_kept() -> None:
    schema = {"$ref": "#/components/schemas/Kind", "description": "which"}

    assert schema_after(schema, Kind={"type": "string"}) == schema


def test_examples_and_constants_are_not_changed() -> None:
    schema = {"type": "object", "example": {"type": "string", "nullable": True}, "const": {"type": "string", "nullable": True}}

    assert schema_after(schema) == schema


def test_header_reference_to_a_parameter_becomes_a_header() -> None:
    contract = document()
    contract["components"] |= {
        "parameters": {"etag": {"name": "ETag", "in": "header", "schema": {"type": "string"}}},
        "responses": {"Ok": {"headers": {"etag": {"$ref": "#/components/parameters/etag"}}}},
    }

    assert prepared(contract)["components"]["responses"]["Ok"] == {"headers": {"etag": {"schema": {"type": "string"}}}}


def test_shared_answer_to_head_loses_its_content() -> None:
    contract = document()
    contract["components"]["responses"] = {"No": {"description": "no", "content": {"application/json": {}}}}
    contract["paths"]["/a"] = {
        "head": {"operationId": "h", "responses": {"404": {"$ref": "#/components/responses/No"}}},
        "get": {"operationId": "g", "responses": {"404": {"$ref": "#/components/responses/No"}}},
    }

    after = prepared(contract)

    assert after["paths"]["/a"]["head"]["responses"] == {"404": {"description": "no"}}
    assert after["paths"]["/a"]["get"]["responses"] == {"404": {"$ref": "#/components/responses/No"}}


@pytest.mark.parametrize(("name", "bits"), [("int32", 31), ("int64", 63)])
def test_integer_format_becomes_a_range(name: str, bits: int) -> None:
    after = bounded(document(Subject={"type": ["integer", "null"], "format": name}))

    assert after["components"]["schemas"]["Subject"] == {
        "type": ["integer", "null"],
        "format": name,
        "minimum": -(2**bits),
        "maximum": 2**bits - 1,
    }


def test_explicit_range_is_kept() -> None:
    after = bounded(document(Subject={"type": "integer", "format": "int32", "minimum": 1, "maximum": 3}))

    assert after["components"]["schemas"]["Subject"] == {"type": "integer", "format": "int32", "minimum": 1, "maximum": 3}


def test_given_document_is_not_modified() -> None:
    contract = document(Subject={"type": "string", "nullable": True})

    prepared(contract)

    assert contract == document(Subject={"type": "string", "nullable": True})
