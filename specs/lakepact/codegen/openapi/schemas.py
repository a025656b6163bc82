"""The schemas of a document in the form that models are made of: every class a component, and every
keyword one that is understood.

A component of the result is an object with properties, a map, an array, a scalar, a union or any
value. Other keywords are left out and reported.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, TypeAdapter
from pydantic_core import SchemaError

from lakepact.codegen.documents import Document, at, is_list, is_object, pointer_of, steps
from lakepact.codegen.openapi.all_of import merge
from lakepact.codegen.openapi.keywords import ANNOTATIONS, drop_keywords
from lakepact.codegen.openapi.naming import class_name, class_names
from lakepact.codegen.openapi.tags import Tags, with_tags

if TYPE_CHECKING:
    from lakepact.codegen.openapi.findings import Findings, Path

ANY: Document = {}
_PREFIX = "#/components/schemas/"
_FORMATS = frozenset({"date", "date-time", "uuid", "int32", "int64", "float", "double"})
_BOUNDS = {
    "string": ("minLength", "maxLength", "pattern"),
    "integer": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
_SCALARS = frozenset({"string", "integer", "number", "boolean", "null"})


class Schemas:
    """Translates schemas of one document; `components` holds the result.

    Args:
        document: The document.
        findings: The findings, to which it adds.
    """

    def __init__(self, document: Document, findings: Findings) -> None:
        self._document = document
        self._findings = findings
        self._names = class_names()
        self.components: dict[str, Document] = {}
        schemas: dict[str, Any] = document.get("components", {}).get("schemas", {})
        #: Names of components by the pointer of what they are made of.
        self._named = {
            f"{_PREFIX}{_escape(name)}": self._names.unique(class_name(name)) for name in schemas
        }
        self._tags = Tags(schemas, findings)
        for name, schema in schemas.items():
            path: Path = ("components", "schemas", name)
            self.components[self._named[f"{_PREFIX}{_escape(name)}"]] = self._component(
                schema, path, self._class_of(path)
            )

    def finish(self) -> dict[str, Document]:
        """Return all components, once every schema of the document is translated."""
        return with_tags(self.components, self._findings)

    def type_of(self, schema: Any, path: Path, name: str) -> str:
        """Return the name of the component of a schema: the one that it refers to, or a new one."""
        reference = schema.get("$ref") if is_object(schema) else None
        if isinstance(reference, str) and reference.startswith("#"):
            return self._class_of_reference(reference)
        return self._hoist(schema, path, name)

    def resolve(self, node: Any) -> Any:
        """Return what a node refers to, or itself."""
        while is_object(node) and str(node.get("$ref", "")).startswith("#"):
            node = at(self._document, node["$ref"][1:])
        return node

    def _class_of(self, path: Path) -> str:
        return self._named[f"{_PREFIX}{_escape(str(path[2]))}"]

    def _class_of_reference(self, reference: str) -> str:
        """Return the component of a pointer; what is no component schema in the document becomes
        one.
        """
        if reference not in self._named:
            path = tuple(steps(reference[1:]))
            words = [
                step
                for step in path
                if step
                not in {
                    "components",
                    "schemas",
                    "properties",
                    "paths",
                    "content",
                    "schema",
                    "$defs",
                }
            ]
            self._named[reference] = self._names.unique(class_name(" ".join(words[-2:])))
            self.components[self._named[reference]] = ANY  # while it is made it may refer to itself
            self.components[self._named[reference]] = self._component(
                at(self._document, reference[1:]), path, self._named[reference]
            )
        return self._named[reference]

    def _hoist(self, schema: Any, path: Path, name: str) -> str:
        unique = self._names.unique(class_name(name))
        self.components[unique] = self._component(schema, path, unique)
        return unique

    def _component(self, schema: Any, path: Path, name: str) -> Document:
        """Return a schema as a component: the members of an object stay in it."""
        schema = self._whole(schema, path)
        if "discriminator" in schema and "oneOf" not in schema and "anyOf" not in schema:
            schema = self._as_union(schema, path, name)
        if is_object(schema) and schema.get("type") == "object" and "properties" in schema:
            return self._with_description(schema, self._object(schema, path, name))
        return self._with_description(schema, self._plain(schema, path, name))

    def _part(self, schema: Any, path: Path, name: str) -> Document:
        """Return a schema inside another one: an object with properties becomes a component."""
        whole = self._whole(schema, path)
        if is_object(whole) and whole.get("type") == "object" and "properties" in whole:
            unique = self._names.unique(class_name(name))
            self.components[unique] = self._with_description(
                whole, self._object(whole, path, unique)
            )
            return {"$ref": f"{_PREFIX}{unique}"}
        schema_part = self._with_description(whole, self._plain(whole, path, name))
        if "discriminator" in schema_part:
            unique = self._names.unique(class_name(name))
            self.components[unique] = schema_part
            return {"$ref": f"{_PREFIX}{unique}"}
        return schema_part

    def _as_union(self, schema: Document, path: Path, name: str) -> Document:
        """Return a schema that others extend as the union of those; its `discriminator` tells them
        apart.
        """
        own = f"#{pointer_of(path)}"
        mapping = self._tags.extensions(schema, path)
        plain = {key: value for key, value in schema.items() if key != "discriminator"}
        if not mapping:
            return plain
        if own in mapping.values():
            self._named[f"{own}#own"] = self._hoist(plain, path, f"{name} Itself")
            mapping = {
                value: f"{own}#own" if reference == own else reference
                for value, reference in mapping.items()
            }
        alternatives = [{"$ref": reference} for reference in dict.fromkeys(mapping.values())]
        annotations = {key: schema[key] for key in ("description",) if key in schema}
        return {
            **annotations,
            "oneOf": alternatives,
            "discriminator": {**schema["discriminator"], "mapping": mapping},
        }

    def _with_description(self, schema: Document, translation: Document) -> Document:
        text = schema.get("description")
        return (
            {**translation, "description": text}
            if isinstance(text, str) and text.strip() and "$ref" not in translation
            else translation
        )

    def _plain(self, schema: Document, path: Path, name: str) -> Document:  # noqa: PLR0911 - one return for each kind of schema
        """Return anything but an object with properties; `schema` is whole."""
        reference = schema.get("$ref")
        if isinstance(reference, str):
            return {"$ref": f"{_PREFIX}{self._class_of_reference(reference)}"}
        if "oneOf" in schema or "anyOf" in schema:
            return self._union(schema, path, name)
        if "enum" in schema:
            return self._enum(schema, path)
        kinds = schema.get("type")
        if is_list(kinds):
            return self._either([{**schema, "type": kind} for kind in kinds], path, name)
        if kinds == "array":
            return {
                "type": "array",
                "items": self._part(schema.get("items", ANY), (*path, "items"), f"{name} Item"),
            }
        if kinds == "object":
            return self._map(schema, path, name)
        return self._scalar(schema, path) if kinds in _SCALARS else ANY

    def _object(self, schema: Document, path: Path, name: str) -> Document:
        properties: dict[str, Document] = {}
        required = [
            member for member in schema.get("required", ()) if member in schema["properties"]
        ]
        for member, member_schema in schema["properties"].items():
            place = (*path, "properties", member)
            properties[member] = self._part(member_schema, place, f"{name} {member}")
            whole = self.resolve(member_schema)
            if (
                member in required
                and is_object(whole)
                and (whole.get("readOnly") or whole.get("writeOnly"))
            ):
                required.remove(member)  # a request and an answer have one model
                self._findings.add(
                    place, "is required in one direction only, so the model does not require it"
                )
        if is_object(schema.get("additionalProperties")) and schema["additionalProperties"]:
            self._findings.add(
                (*path, "additionalProperties"),
                "members beside the properties are kept, but their values are not checked",
            )
        closing = (
            {"additionalProperties": False} if schema.get("additionalProperties") is False else {}
        )
        return {
            "type": "object",
            "properties": properties,
            **({"required": required} if required else {}),
            **closing,
        }

    def _map(self, schema: Document, path: Path, name: str) -> Document:
        values = schema.get("additionalProperties", True)
        if not is_object(values) or not values:
            return {"type": "object", "additionalProperties": True}
        return {
            "type": "object",
            "additionalProperties": self._part(
                values, (*path, "additionalProperties"), f"{name} Value"
            ),
        }

    def _scalar(self, schema: Document, path: Path) -> Document:
        kind = schema["type"]
        scalar: Document = {"type": kind}
        if schema.get("format") in _FORMATS:
            scalar["format"] = schema["format"]
            if kind == "string":
                return scalar  # bounds of the text hold for the text, and the model has a date
        bounds = {key: schema[key] for key in _BOUNDS.get(kind, ()) if key in schema}
        for exclusive, bound in (
            ("exclusiveMinimum", "minimum"),
            ("exclusiveMaximum", "maximum"),
        ):  # OpenAPI 3.0 has flags
            if (
                isinstance(bounds.get(exclusive), bool)
                and bounds.pop(exclusive)
                and bound in bounds
            ):
                bounds[exclusive] = bounds.pop(bound)
        if "pattern" in bounds and not _compiles(bounds["pattern"]):
            self._findings.add(
                (*path, "pattern"), "is not checked: pydantic has no such regular expression"
            )
            del bounds["pattern"]
        return scalar | bounds

    def _enum(self, schema: Document, path: Path) -> Document:
        values = [value for value in schema["enum"] if value is not None]
        kinds = {type(value) for value in values}
        enumeration: Document = {"enum": values}
        if kinds == {str}:
            enumeration["type"] = "string"
        elif kinds == {int}:
            enumeration["type"] = "integer"
        elif values:
            self._findings.add(
                (*path, "enum"), "values other than texts and integers are not checked"
            )
            enumeration = {"type": "boolean"} if kinds == {bool} else ANY
        if not values:
            return {"type": "null"}
        return (
            {"anyOf": [enumeration, {"type": "null"}]}
            if enumeration and len(values) < len(schema["enum"])
            else enumeration
        )

    def _union(self, schema: Document, path: Path, name: str) -> Document:
        key = "oneOf" if "oneOf" in schema else "anyOf"
        if "properties" in schema and key in schema:
            self._findings.add((*path, key), "is not checked beside properties")
        union = self._either(schema[key], (*path, key), name)
        tag_mapping = self._tags.alternatives_of(schema, key, path) if "anyOf" in union else {}
        if not tag_mapping:
            return union
        mapping = {
            value: f"{_PREFIX}{self._class_of_reference(reference)}"
            for value, reference in tag_mapping.items()
        }
        discriminator = {
            "propertyName": schema["discriminator"]["propertyName"],
            "mapping": mapping,
        }
        return {
            "oneOf": union["anyOf"],
            "discriminator": discriminator,
            "x-path": (*path, "discriminator"),
        }

    def _either(self, alternatives: list[Any], path: Path, name: str) -> Document:
        parts: list[Document] = []
        for index, alternative in enumerate(alternatives):
            part = self._part(
                alternative,
                (*path, index),
                f"{name} {index + 1}" if len(alternatives) > 2 else name,
            )
            parts += part.get("anyOf", [part])
        parts = [part for index, part in enumerate(parts) if part not in parts[:index]]
        if any(part.keys() <= {"description"} for part in parts):
            return ANY
        return parts[0] if len(parts) == 1 else {"anyOf": parts}

    def _whole(self, schema: Any, path: Path) -> Document:
        """Return a schema without `nullable`, `const`, `allOf` and what is not understood."""
        if not is_object(schema):
            if schema is False:
                self._findings.add(path, "a value that is never valid is not refused")
            return ANY
        reference = schema.get("$ref")
        if isinstance(reference, str) and not reference.startswith("#"):
            self._findings.add(
                (*path, "$ref"), f"{reference} is outside the document: any value is accepted"
            )
            return ANY
        if isinstance(reference, str):
            beside = [
                key for key in schema if key not in ANNOTATIONS and key not in {"$ref", "nullable"}
            ]
            if beside and not str(self._document["openapi"]).startswith("3.0"):
                self._findings.each(path, beside, "is not checked beside $ref")
            whole: Document = {"$ref": reference}
            return {"anyOf": [whole, {"type": "null"}]} if schema.get("nullable") is True else whole
        whole = drop_keywords(schema, path, self._findings)
        if "const" in whole:
            whole = {
                **{key: value for key, value in whole.items() if key != "const"},
                "enum": [whole["const"]],
            }
        if "allOf" in whole:
            whole = merge(self._document, whole, path, self._findings)
            return (
                self._whole(whole, path) if "$ref" in whole else self._nullable(_with_type(whole))
            )
        return self._nullable(_with_type(whole))

    def _nullable(self, whole: Document) -> Document:
        nullable = whole.pop("nullable", False) is True
        kinds = whole.get("type")
        if is_list(kinds):
            nullable = nullable or "null" in kinds
            rest = [kind for kind in kinds if kind != "null"]
            whole = {**whole, "type": rest[0] if len(rest) == 1 else rest or "null"}
        if not nullable or not (whole.keys() - ANNOTATIONS):
            return whole
        description: Document = {
            key: whole.pop(key) for key in ("description", "readOnly", "writeOnly") if key in whole
        }
        return {**description, "anyOf": [whole, {"type": "null"}]}


def _with_type(schema: Document) -> Document:
    """Return a schema with the type that its keywords imply."""
    if (
        "type" in schema
        or "$ref" in schema
        or "oneOf" in schema
        or "anyOf" in schema
        or "enum" in schema
    ):
        return dict(schema)
    kind = (
        "object"
        if "properties" in schema or is_object(schema.get("additionalProperties"))
        else "array"
        if "items" in schema
        else None
    )
    return {**schema, "type": kind} if kind else dict(schema)


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


@cache
def _compiles(pattern: str) -> bool:
    """Return whether pydantic's regular expressions have a pattern."""
    try:
        TypeAdapter(Annotated[str, Field(pattern=pattern)])
    except SchemaError:
        return False
    return True
