"""The schema of a table: a string of JSON in its metadata, and the form of its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lakepact.conformance.checks.delta_sharing.api import (
    Document,
    Exchange,
    Place,
    Placed,
    expect,
    invariant,
    ndjson,
)

PRIMITIVES = frozenset(
    {
        "string",
        "long",
        "integer",
        "short",
        "byte",
        "float",
        "double",
        "boolean",
        "binary",
        "date",
        "timestamp",
    }
)
DECIMAL = re.compile(r"decimal(?:\(\s*(\d+)\s*,\s*(-?\d+)\s*\))?")
MOST_DIGITS = 38


def schemas(exchange: Exchange) -> list[tuple[Place, Any]]:
    """Return the schemas in an answer, with their places; DS-MDT-07 checks strings that are not
    JSON.
    """
    entries = []
    for metadata in ndjson.objects(ndjson.lines_of(exchange), "metaData"):
        inner = metadata.get("deltaMetadata")
        holder = inner if isinstance(inner, Placed) else metadata
        schema = ndjson.json_of(holder.get("schemaString"))
        if schema is not None:
            entries.append((holder.place("schemaString"), schema))
    return entries


def types(exchange: Exchange) -> Iterator[tuple[Place, Any]]:
    """Yield every type in the schemas of an answer, outer ones first, with the place of the
    schema.
    """
    for at, schema in schemas(exchange):
        yield from ((at, kind) for kind in _types(schema))


def _types(kind: Any) -> Iterator[Any]:
    yield kind
    if not isinstance(kind, dict):
        return
    match kind.get("type"):
        case "struct":
            fields = kind.get("fields")
            for field in fields if isinstance(fields, list) else ():
                if isinstance(field, dict) and "type" in field:
                    yield from _types(field["type"])
        case "array":
            yield from _types(kind.get("elementType"))
        case "map":
            yield from _types(kind.get("keyType"))
            yield from _types(kind.get("valueType"))
        case _:
            pass


def _of(exchange: Exchange, name: str) -> list[tuple[Place, Document]]:
    return [
        (at, kind)
        for at, kind in types(exchange)
        if isinstance(kind, dict) and kind.get("type") == name
    ]


@invariant("DS-SCH-01", traffic=ndjson.TOUR)
def structs_have_fields(exchange: Exchange) -> bool:
    """A schema is a struct, and every struct in it has an array of fields."""
    entries = schemas(exchange)
    for at, schema in entries:
        expect.true(
            isinstance(schema, dict) and schema.get("type") == "struct",
            "a schema of type struct",
            schema,
            at=at,
        )
    for at, kind in types(exchange):
        if isinstance(kind, dict):
            expect.true(
                kind.get("type") in {"struct", "array", "map"},
                "an object of type struct, array or map",
                kind,
                at=at,
            )
    for at, struct in _of(exchange, "struct"):
        expect.true(
            isinstance(struct.get("fields"), list),
            "an array `fields` in every struct",
            struct,
            at=at,
        )
    return bool(entries)


@invariant("DS-SCH-02", traffic=ndjson.TOUR)
def fields_are_described(exchange: Exchange) -> bool:
    """Every field has a name, a type, whether it is nullable, and an object with metadata."""
    has_fields = False
    for at, struct in _of(exchange, "struct"):
        for field in struct["fields"] if isinstance(struct.get("fields"), list) else ():
            has_fields = True
            expect.true(isinstance(field, dict), "an object as field", field, at=at)
            expect.true(
                isinstance(field.get("name"), str), "a field with a text `name`", field, at=at
            )
            expect.true(
                isinstance(field.get("type"), str | dict),
                "a field with a type that is a name or an object",
                field,
                at=at,
            )
            expect.true(
                isinstance(field.get("nullable"), bool),
                "a field with `nullable`, true or false",
                field,
                at=at,
            )
            expect.true(
                isinstance(field.get("metadata"), dict),
                "a field with an object `metadata`",
                field,
                at=at,
            )
    return has_fields


@invariant("DS-SCH-03", traffic=ndjson.TOUR)
def primitive_types_are_known(exchange: Exchange) -> bool:
    """In parquet format every type that is a name is one of the twelve, and decimals have at most
    38 digits.
    """
    lines = ndjson.lines_of(exchange)
    if lines is None or ndjson.form_of(lines) != ndjson.PARQUET:
        return False
    names = [
        (at, kind)
        for at, kind in types(exchange)
        if kind is not None and not isinstance(kind, dict)
    ]
    for at, name in names:
        expect.true(isinstance(name, str), "a name or an object as type", name, at=at)
        decimal = DECIMAL.fullmatch(name)
        expect.true(name in PRIMITIVES or decimal is not None, "a primitive type", name, at=at)
        if decimal is not None and decimal[1] is not None:
            are_few = int(decimal[1]) <= MOST_DIGITS and int(decimal[2]) <= MOST_DIGITS
            expect.true(are_few, "precision and scale of at most 38", name, at=at)
    return bool(names)


@invariant("DS-SCH-04", traffic=ndjson.TOUR)
def arrays_are_described(exchange: Exchange) -> bool:
    """Every array has an elementType and says whether it contains nulls."""
    arrays = _of(exchange, "array")
    for at, kind in arrays:
        expect.true(
            isinstance(kind.get("elementType"), str | dict),
            "an array with an elementType",
            kind,
            at=at,
        )
        expect.true(
            isinstance(kind.get("containsNull"), bool),
            "an array with `containsNull`, true or false",
            kind,
            at=at,
        )
    return bool(arrays)


@invariant("DS-SCH-05", traffic=ndjson.TOUR)
def maps_are_described(exchange: Exchange) -> bool:
    """Every map has a keyType and a valueType, and says whether values may be null."""
    maps = _of(exchange, "map")
    for at, kind in maps:
        for member in ("keyType", "valueType"):
            expect.true(
                isinstance(kind.get(member), str | dict), f"a map with a {member}", kind, at=at
            )
        expect.true(
            isinstance(kind.get("valueContainsNull"), bool),
            "a map with `valueContainsNull`, true or false",
            kind,
            at=at,
        )
    return bool(maps)
