"""Documents drawn from the schemas of a contract: allowed by them, or with a violation of each
kind.
"""

from __future__ import annotations

from random import Random
from typing import Any

import jsonschema_rs
import pytest

from lakepact.conformance.fuzz.bodies import Bodies
from lakepact.conformance.fuzz.documents import Documents
from lakepact.generated.contract import Contract

MANY = 300
CONTRACTS = {name: Contract(name) for name in ("iceberg_rest", "delta_sharing", "watsonx_data")}
BODIES = [
    (name, operation.id)
    for name, contract in CONTRACTS.items()
    for operation in contract.operations.values()
    if operation.body in contract.bundle["components"]["schemas"]
]

#: By keyword: a schema that has it.
KEYWORDS: dict[str, Any] = {
    "type": {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"type": "boolean"}}},
    },
    "required": {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}},
    "minimum": {"type": "integer", "minimum": 1, "maximum": 5},
    "maximum": {"type": "integer", "minimum": 1, "maximum": 5},
    "enum": {"type": "string", "enum": ["all", "refs"]},
    "const": {
        "allOf": [{"type": "object", "required": ["a"]}],
        "properties": {"a": {"type": "string", "const": "add"}},
    },
    "pattern": {
        "type": "string",
        "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
    },
    "format": {"type": "string", "format": "date"},
    "minLength": {"type": "string", "minLength": 2, "maxLength": 3},
    "minItems": {"type": "array", "minItems": 1, "items": {"type": "null"}},
    "uniqueItems": {
        "type": "array",
        "uniqueItems": True,
        "items": {"type": "integer", "minimum": 0, "maximum": 3},
    },
    "additionalProperties": {
        "type": "object",
        "properties": {"a": {}},
        "additionalProperties": False,
    },
}


@pytest.mark.parametrize(("name", "operation"), BODIES)
def test_bodies_match_the_contract_unless_they_are_to_break_it(name: str, operation: str) -> None:
    bodies, contract_operation = Bodies(CONTRACTS[name]), CONTRACTS[name].operations[operation]
    allowed = jsonschema_rs.Draft202012Validator(
        {"$ref": f"#/components/schemas/{contract_operation.body}", **CONTRACTS[name].schemas}
    )
    valid, invalid = (
        [bodies.draw(operation, Random(n), valid=valid).body for n in range(MANY)]
        for valid in (True, False)
    )

    assert all(
        allowed.is_valid(body)
        for body in valid
        if body is not None or contract_operation.body_required
    )
    assert (
        sum(map(allowed.is_valid, invalid)) <= MANY * 0.05
    )  # a change within a union may make it another member


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_each_keyword_is_violated(keyword: str) -> None:
    documents, allowed = (
        Documents({}),
        jsonschema_rs.Draft202012Validator(KEYWORDS[keyword], validate_formats=True),
    )
    violations = [documents.invalid(KEYWORDS[keyword], Random(n)) for n in range(MANY)]

    assert all(allowed.is_valid(documents.valid(KEYWORDS[keyword], Random(n))) for n in range(MANY))
    assert keyword in {
        str(error.schema_path[-1])
        for document in violations
        for error in allowed.iter_errors(document)
    }


def test_recursive_schemas_end() -> None:
    tree = {
        "oneOf": [
            {
                "type": "object",
                "required": ["of"],
                "properties": {"of": {"$ref": "#/components/schemas/Tree"}},
            },
            {"type": "null"},
        ]
    }
    documents = Documents({"Tree": tree})
    drawn = [
        repr(documents.valid({"$ref": "#/components/schemas/Tree"}, Random(n))) for n in range(MANY)
    ]

    assert max(text.count("of") for text in drawn) in range(5, 10)


@pytest.mark.parametrize(
    ("name", "value"), [("pageSize", "0"), ("snapshots", ""), ("pageToken", None)]
)
def test_invalid_queries_break_each_parameter(name: str, value: str | None) -> None:
    bodies = Bodies(CONTRACTS["iceberg_rest"])
    operation = "loadTable" if name == "snapshots" else "listTables"
    queries = [bodies.draw(operation, Random(n), valid=False).query for n in range(MANY)]
    values_of_queries = [
        [text for parameter, text in query if parameter == name] for query in queries
    ]

    assert any(
        len(values) == 2 if value is None else value in values for values in values_of_queries
    )
