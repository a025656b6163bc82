"""Schemas of the validators give the verdicts of the bundle, and errors of the intended
alternative.
"""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest

from codegen.validation import validation

A = {
    "type": "object",
    "required": ["kind", "size"],
    "properties": {"kind": {"const": "a"}, "size": {"type": "integer"}},
}
B = {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": ["b", "c"]}}}
REFERENCES = {
    name: {"$ref": f"#/components/schemas/{name}"} for name in ("A", "B", "Tagged", "Text")
}
MAPPING = {"a": REFERENCES["A"]["$ref"], "b": REFERENCES["B"]["$ref"], "c": REFERENCES["B"]["$ref"]}
SCHEMAS: dict[str, Any] = {
    "A": A,
    "B": B,
    "Text": {"type": "string"},
    "Tagged": {
        "oneOf": [REFERENCES["A"], REFERENCES["B"]],
        "discriminator": {"propertyName": "kind", "mapping": MAPPING},
    },
    "Mixed": {"oneOf": [REFERENCES["Text"], REFERENCES["Tagged"]]},
    "Numbers": {"anyOf": [{"type": "integer"}, {"type": "number"}]},
}
DOCUMENTS = [
    {"kind": "a", "size": 1},
    {"kind": "a"},
    {"kind": "b"},
    {"kind": "c"},
    {"kind": "d"},
    {},
    "text",
    1,
    1.5,
    None,
    [],
]
WRITTEN: dict[str, Any] = {"components": {"schemas": SCHEMAS}}


def validator(document: dict[str, Any], schema: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(
        {"$ref": f"#/components/schemas/{schema}", "components": document["components"]}
    )


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
@pytest.mark.parametrize("schema", SCHEMAS)
def test_verdicts_equal_those_of_the_bundle(schema: str, document: Any) -> None:
    verdicts = [
        validator(form, schema).is_valid(document) for form in (validation(WRITTEN), WRITTEN)
    ]

    assert verdicts[0] == verdicts[1]


@pytest.mark.parametrize(
    ("schema", "document", "messages"),
    [
        ("Tagged", {"kind": "a"}, ['"size" is a required property']),
        ("Tagged", {}, ['"kind" is a required property']),
        ("Tagged", {"kind": "d"}, ['"d" is not one of "a", "b" or "c"']),
        ("Mixed", {"kind": "a"}, ['"size" is a required property']),
        ("Mixed", 1, ['1 is not of types "string", "object"']),
    ],
)
def test_error_names_the_intended_alternative(
    schema: str, document: Any, messages: list[str]
) -> None:
    assert [
        error.message for error in validator(validation(WRITTEN), schema).iter_errors(document)
    ] == messages


def test_indistinguishable_alternatives_are_kept() -> None:
    assert validation(WRITTEN)["components"]["schemas"]["Numbers"] == SCHEMAS["Numbers"]


def test_properties_named_like_keywords_are_kept() -> None:
    schema = {
        "type": "object",
        "description": "said",
        "properties": {"description": {"type": "string"}, "example": {"type": "string"}},
    }

    assert validation({"components": {"schemas": {"S": schema}}})["components"]["schemas"]["S"] == {
        "type": "object",
        "properties": {"description": {"type": "string"}, "example": {"type": "string"}},
    }
