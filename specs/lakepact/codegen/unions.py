"""Alternatives that a member tells apart: a `discriminator` is a hint to OpenAPI, so each
alternative has to say the same as a schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.codegen.documents import Broken, component, resolve

if TYPE_CHECKING:
    from lakepact.codegen.documents import Document


def tag_values(document: Document) -> dict[str, tuple[str, ...]]:
    """Return the component schemas that are told apart by a member, each with the names of its
    alternatives.
    """
    return {
        name: tuple(component(member["$ref"]) for member in schema["oneOf"])
        for name, schema in document["components"]["schemas"].items()
        if "discriminator" in schema and "oneOf" in schema
    }


def check(document: Document) -> None:
    """See that JSON Schema alone tells alternatives apart wherever a discriminator does.

    Raises:
        Broken: An alternative does not fix its tag, does not require it, or is not what the
            discriminator says.
    """
    for name, schema in document["components"]["schemas"].items():
        if "discriminator" in schema:
            try:
                _check(document, schema)
            except Broken as broken:
                raise Broken(f"{name}: {broken}") from None


def _check(document: Document, schema: Document) -> None:
    if "oneOf" not in schema:
        raise Broken("has a discriminator, but no oneOf that it could tell apart")
    tag = schema["discriminator"]["propertyName"]
    mapping = schema["discriminator"]["mapping"]
    schema_pairs = {
        (value, component(member["$ref"]))
        for member in schema["oneOf"]
        for value in _values(document, member, tag)
    }
    mapping_pairs = {(value, component(reference)) for value, reference in mapping.items()}
    if schema_pairs != mapping_pairs:
        raise Broken(
            f"the alternatives say {sorted(schema_pairs - mapping_pairs)} and the mapping says"
            f" {sorted(mapping_pairs - schema_pairs)} of {tag}"
        )


def _values(document: Document, member: Document, tag: str) -> list[Any]:
    """Return the values of the tag that an alternative allows."""
    whole = parts(document, member)
    tag_schemas = [part["properties"][tag] for part in whole if tag in part.get("properties", {})]
    values = next(
        (
            [s["const"]] if "const" in s else s["enum"]
            for s in tag_schemas
            if "const" in s or "enum" in s
        ),
        None,
    )
    if values is None or not any(tag in part.get("required", ()) for part in whole):
        raise Broken(
            f"{member['$ref']} neither fixes nor requires {tag}"
            if values is None
            else f"{member['$ref']} does not require {tag}"
        )
    return list(values)


def parts(document: Document, schema: Document) -> list[Document]:
    """Return a schema and all schemas that it must satisfy too."""
    whole = resolve(document, schema)
    return [whole, *(part for member in whole.get("allOf", ()) for part in parts(document, member))]
