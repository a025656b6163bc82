"""A discriminator is used only if JSON Schema implies it."""

from __future__ import annotations

from typing import Any

import pytest

from lakepact.codegen import unions
from lakepact.codegen.documents import Broken

A = {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "a"}}}
B = {
    "type": "object",
    "allOf": [{"$ref": "#/components/schemas/Tagged"}],
    "properties": {"kind": {"enum": ["b", "c"]}},
}
TAGGED = {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}}}
MAPPING = {
    "a": "#/components/schemas/A",
    "b": "#/components/schemas/B",
    "c": "#/components/schemas/B",
}


def document(*, mapping: dict[str, str] | None = None, **schemas: Any) -> dict[str, Any]:
    union = {
        "oneOf": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}],
        "discriminator": {"propertyName": "kind", "mapping": mapping or MAPPING},
    }
    return {
        "components": {"schemas": {"Union": union, "A": A, "B": B, "Tagged": TAGGED, **schemas}}
    }


def test_union_with_constant_tags_is_accepted() -> None:
    unions.check(document())

    assert unions.tag_values(document()) == {"Union": ("A", "B")}


@pytest.mark.parametrize(
    ("spoilt", "complaint"),
    [
        (document(A={**A, "required": []}), "does not require kind"),
        (
            document(A={**A, "properties": {"kind": {"type": "string"}}}),
            "neither fixes nor requires kind",
        ),
        (document(mapping={**MAPPING, "c": "#/components/schemas/A"}), "the mapping says"),
        (document(mapping={"a": MAPPING["a"]}), "the alternatives say"),
        (
            document(Union={"anyOf": [], "discriminator": {"propertyName": "kind", "mapping": {}}}),
            "no oneOf",
        ),
    ],
)
def test_union_without_distinct_tags_raises_broken(spoilt: dict[str, Any], complaint: str) -> None:
    with pytest.raises(Broken, match=f"^Union: .*{complaint}"):
        unions.check(spoilt)
