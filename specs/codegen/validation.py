"""The component schemas in the form that validators are compiled from: an alternative is chosen
before it is validated.

For `oneOf` a validator tries every alternative, and for an invalid document it reports only that
none matches. If a tag or the JSON type distinguishes alternatives, the schema uses `if`, `then` and
`else` instead: errors are those of the intended alternative, and validation takes time in
proportion to the document.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lakepact.codegen.documents import PROSE, Document, is_list, resolve, rewritten

_TYPES = frozenset({"null", "boolean", "object", "array", "string", "number"})


def validation(document: Document) -> Document:
    """Return the component schemas of a normative document, for validators."""

    def plain(schema: Document) -> Document:
        return _with_choice(
            document,
            {key: value for key, value in schema.items() if key not in PROSE | {"deprecated"}},
        )

    schemas: Document = rewritten({"schemas": document["components"]["schemas"]}, plain)
    return {"components": schemas}


def _with_choice(document: Document, schema: Document) -> Document:
    """Return a schema whose alternatives are chosen by tag or type, if they can be."""
    if "discriminator" in schema:
        return _by_tag(schema)
    keyword = next((name for name in ("oneOf", "anyOf") if name in schema), None)
    if keyword is None:
        return schema
    alternatives: list[Document] = schema[keyword]
    types = [_types(document, alternative) for alternative in alternatives]
    if len(alternatives) < 2 or sum(map(len, types)) > len(frozenset[str]().union(*types)):
        return schema
    rest = {key: value for key, value in schema.items() if key != keyword}
    return {**rest, **_by_type(list(zip(types, alternatives, strict=True)))}


def _by_tag(schema: Document) -> Document:
    tag = schema["discriminator"]["propertyName"]
    values: dict[str, list[str]] = {}
    for value, reference in schema["discriminator"]["mapping"].items():
        values.setdefault(reference, []).append(value)
    tag_schema = {
        "type": "object",
        "required": [tag],
        "properties": {tag: {"enum": list(schema["discriminator"]["mapping"])}},
    }
    rest = {key: value for key, value in schema.items() if key not in {"discriminator", "oneOf"}}
    return {**rest, "if": tag_schema, "then": _chain(tag, list(values.items())), "else": tag_schema}


def _chain(tag: str, alternatives: Sequence[tuple[str, list[str]]]) -> Document:
    (reference, values), *others = alternatives
    if not others:
        return {"$ref": reference}
    tag_values = {"const": values[0]} if len(values) == 1 else {"enum": values}
    return {
        "if": {"properties": {tag: tag_values}},
        "then": {"$ref": reference},
        "else": _chain(tag, others),
    }


def _by_type(alternatives: Sequence[tuple[frozenset[str], Document]]) -> Document:
    every: Document = {
        "type": sorted(frozenset[str]().union(*(types for types, _ in alternatives)))
    }
    *others, (_, choice) = alternatives
    for types, alternative in reversed(others):
        choice = {"if": {"type": sorted(types)}, "then": alternative, "else": choice}
    return {"if": every, "then": choice, "else": every}


def _types(document: Document, schema: Document) -> frozenset[str]:
    """Return the JSON types that a schema leaves open; an integer is a number."""
    schema = resolve(document, schema)
    if "type" in schema:
        types: list[Any] = schema["type"] if is_list(schema["type"]) else [schema["type"]]
        return frozenset("number" if name == "integer" else name for name in types)
    for keyword in ("oneOf", "anyOf"):
        if keyword in schema:
            return frozenset[str]().union(
                *(_types(document, alternative) for alternative in schema[keyword])
            )
    return _TYPES.intersection(*(_types(document, part) for part in schema.get("allOf", ())))
