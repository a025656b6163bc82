"""Documents drawn from the schemas of a contract, valid or with one violation; everything depends
on the random generator alone.
"""

from __future__ import annotations

import base64
import string
import uuid
from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any, TypeAlias

from lakepact.conformance.fuzz.near import WILD_VALUES

Schema: TypeAlias = "dict[str, Any]"
#: A value in a document: the container and key that hold it, and its schema.
Place: TypeAlias = "tuple[Any, Any, Schema]"

DEEP = 6  #: levels from which on only required members and the flattest alternatives are drawn
MOST_ITEMS = 3
TEXTS = tuple(value for value in WILD_VALUES if isinstance(value, str))
LETTERS = string.ascii_lowercase + string.digits + "_-"
UNUSUAL = "\t\n\"'\\/.%&=?#+;:<>{}\x7f\u00a0\u00df\u0130\u200b\u2028\ufeff\uffff\U0001f9ca"
TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")


class Documents:
    """Draws documents by the schemas of one contract.

    Args:
        schemas: the component schemas.
    """

    def __init__(self, schemas: Mapping[str, Any]) -> None:
        self._schemas = schemas
        self._component = cache(lambda name: self._merge(schemas[name]))
        self._height = cache(lambda name: self._levels(schemas[name], frozenset({name})))

    def valid(self, schema: Any, random: Random) -> Any:
        """Return a document that the schema allows."""
        return self._value(schema, random, 0, [])

    def invalid(self, schema: Any, random: Random) -> Any:
        """Return a document with one change that its schema forbids at the place: a lacking member,
        another type, a value out of range.
        """
        root: list[Any] = [None]
        places: list[Place] = [(root, 0, self._merge(schema))]
        root[0] = self._value(schema, random, 0, places)
        parent, key, at = random.choice(places)
        parent[key] = random.choice(self._violations(at, parent[key], random))
        return root[0]

    # -- schemas -----------------------------------------------------------------------------------

    def _merge(self, schema: Any) -> Schema:
        """Return a schema joined with its references and parts; its members keep their
        references.
        """
        if not isinstance(schema, dict):
            return {"properties": {}, "required": ()}
        whole: Schema = {}
        parts = (
            [self._component(_name(schema))]
            if "$ref" in schema
            else [self._merge(part) for part in schema.get("allOf", ())]
        )
        for part in (*parts, schema):
            members = {**whole.get("properties", {}), **part.get("properties", {})}
            required = dict.fromkeys((*whole.get("required", ()), *part.get("required", ())))
            whole = {**whole, **part, "properties": members, "required": tuple(required)}
        return {key: value for key, value in whole.items() if key not in {"$ref", "allOf"}}

    def _levels(self, schema: Any, above: frozenset[str]) -> int:
        """Return the levels of the flattest document of a schema, without the components above."""
        if "$ref" in schema:
            name = _name(schema)
            return DEEP * 9 if name in above else self._levels(self._schemas[name], above | {name})
        whole = self._merge(schema)
        alternatives = _alternatives(whole)
        inside = [
            self._levels(whole["properties"].get(name, {}), above) for name in whole["required"]
        ]
        return max(
            [
                min((self._levels(alternative, above) for alternative in alternatives), default=0),
                *(1 + levels for levels in inside),
            ]
        )

    def _alternative(self, schemas: list[Schema], random: Random, depth: int) -> Schema:
        if depth < DEEP:
            return random.choice(schemas)
        heights = [self._height(_name(schema)) if "$ref" in schema else 0 for schema in schemas]
        return random.choice(
            [
                schema
                for schema, height in zip(schemas, heights, strict=True)
                if height == min(heights)
            ]
        )

    # -- valid values ------------------------------------------------------------------------------

    def _value(self, schema: Any, random: Random, depth: int, places: list[Place]) -> Any:
        whole = (
            self._component(_name(schema))
            if isinstance(schema, dict) and schema.keys() == {"$ref"}
            else self._merge(schema)
        )
        alternatives = _alternatives(whole)
        if alternatives:
            common = {key: value for key, value in whole.items() if key not in {"oneOf", "anyOf"}}
            return self._value(
                {"allOf": [common, self._alternative(alternatives, random, depth)]},
                random,
                depth,
                places,
            )
        if "const" in whole or "enum" in whole:
            return random.choice(whole.get("enum") or [whole.get("const")])
        kind = random.choice(_types(whole))
        if kind == "object":
            return self._object(whole, random, depth, places)
        if kind == "array":
            return self._array(whole, random, depth, places)
        return _scalar(kind, whole, random)

    def _object(
        self, schema: Schema, random: Random, depth: int, places: list[Place]
    ) -> dict[str, Any]:
        members, document = schema["properties"], dict[str, Any]()
        optional = [
            name
            for name in members
            if depth < DEEP and name not in schema["required"] and random.random() < 1 / 2
        ]
        other = schema.get("additionalProperties", not members)
        names = {
            _text(random): other
            for _ in range(
                random.randint(0, MOST_ITEMS) if other is not False and depth < DEEP else 0
            )
        }
        for name, inner in {
            **names,
            **{name: members.get(name, {}) for name in (*schema["required"], *optional)},
        }.items():
            document[name] = self._value(inner, random, depth + 1, places)
            places.append((document, name, self._merge(inner)))
        return document

    def _array(self, schema: Schema, random: Random, depth: int, places: list[Place]) -> list[Any]:
        fewest = schema.get("minItems", 0)
        items: list[Any] = []
        for _ in range(random.randint(fewest, max(fewest, MOST_ITEMS if depth < DEEP else 0))):
            item = self._value(schema.get("items", {}), random, depth + 1, places)
            if not (schema.get("uniqueItems") and item in items):
                items.append(item)
                places.append((items, len(items) - 1, self._merge(schema.get("items"))))
        return items

    # -- violations --------------------------------------------------------------------------------

    def _violations(self, schema: Schema, value: Any, random: Random) -> list[Any]:
        """Return values for the place of a value, each forbidden there in another way if its schema
        has such a rule.
        """
        types = self._allowed(schema)
        others = [
            kind
            for kind in TYPES
            if kind not in types and not (kind == "integer" and "number" in types)
        ]
        values = [self._value({"type": kind}, random, DEEP - 1, []) for kind in others]
        values += [
            schema[bound] + step
            for bound, step in (("minimum", -1), ("maximum", 1))
            if bound in schema
        ]
        if {"const", "enum", "format", "pattern"} & schema.keys() and "string" in types:
            values.append(random.choice(TEXTS))
        if isinstance(value, dict):
            values += [
                {name: member for name, member in value.items() if name != lacking}
                for lacking in schema["required"]
            ]
            values += (
                [{**value, _text(random): []}]
                if schema.get("additionalProperties", True) is not True
                else []
            )
        if schema.get("minLength") or schema.get("minItems"):
            values.append(type(value)())
        if schema.get("uniqueItems") and value:
            values.append([*value, value[0]])
        return values or [random.choice(WILD_VALUES)]

    def _allowed(self, schema: Schema) -> set[str]:
        """Return the JSON types that a schema, or one of its alternatives, allows."""
        alternatives = _alternatives(schema)
        return (
            set[str]().union(
                *(self._allowed(self._merge(alternative)) for alternative in alternatives)
            )
            if alternatives
            else set(_types(schema))
        )


def _name(reference: Schema) -> str:
    name: str = reference["$ref"].rpartition("/")[2]
    return name


def _alternatives(schema: Schema) -> list[Schema]:
    schemas: list[Schema] = schema.get("oneOf") or schema.get("anyOf") or []
    return schemas


def _types(schema: Schema) -> list[str]:
    """Return the JSON types of a schema; those of all values if it names none."""
    types = schema.get("type") or ("object" if schema.get("properties") else TYPES)
    return [types] if isinstance(types, str) else list(types)


def _scalar(kind: str, schema: Schema, random: Random) -> Any:
    if kind == "integer":
        low, high = schema.get("minimum", -(2**31)), schema.get("maximum", 2**31 - 1)
        return random.choice(
            [
                low,
                high,
                random.randint(low, high),
                *[max(low, min(high, random.randint(-2, 20)))] * 3,
            ]
        )
    if kind == "number":
        return random.choice([0.0, -0.5, 1e308, random.uniform(-1000, 1000)])
    if kind == "string":
        return _text(random, schema)
    return random.random() < 1 / 2 if kind == "boolean" else None


def _text(random: Random, schema: Schema | None = None) -> str:
    """Return a text: mostly a plain one, sometimes one that is hard for a server."""
    rules = schema or {}
    if rules.get("format") == "uuid" or "pattern" in rules:
        return str(uuid.UUID(int=random.getrandbits(128)))
    if rules.get("format") == "date":
        return (
            f"{random.randint(1, 9999):04d}-{random.randint(1, 12):02d}-{random.randint(1, 28):02d}"
        )
    if rules.get("format") == "byte" or rules.get("contentEncoding"):
        return base64.b64encode(random.randbytes(random.randint(0, 12))).decode()
    if random.random() < 0.1:
        text = random.choice(TEXTS)
    else:
        alphabet = LETTERS if random.random() < 0.7 else LETTERS + UNUSUAL * 2
        text = "".join(random.choices(alphabet, k=random.randint(rules.get("minLength", 0), 12)))
    return text[: rules.get("maxLength")].ljust(rules.get("minLength", 0), "x")
