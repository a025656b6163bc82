"""Reads one OpenAPI document, and refuses what is none."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import yaml
from jsonschema_rs import Draft202012Validator
from openapi_spec_validator import OpenAPIV30SpecValidator, OpenAPIV31SpecValidator

from lakepact.codegen.documents import (
    LARGEST,
    LITERAL,
    NAMED,
    Broken,
    Document,
    at,
    from_json,
    from_yaml,
    is_list,
    is_object,
    pointer_of,
    steps,
    within,
)
from lakepact.codegen.passes import operations_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from lakepact.codegen.openapi.findings import Path as Place

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
#: Checks schemas, whatever `$schema` and `$id` they have: these are data to it.
_SCHEMA = Draft202012Validator(
    {
        "$schema": _DIALECT,
        "$dynamicAnchor": "meta",
        "$ref": _DIALECT,
        "properties": {
            "discriminator": {
                "type": "object",
                "required": ["propertyName"],
                "properties": {
                    "propertyName": {"type": "string"},
                    "mapping": {"additionalProperties": {"type": "string"}},
                },
            }
        },
    }
)
_SCHEMAS = ("components", "schemas")
#: Members whose keys are names.
_MAPS = NAMED | {
    "$defs",
    "callbacks",
    "content",
    "encoding",
    "links",
    "paths",
    "pathItems",
    "requestBodies",
    "securitySchemes",
    "webhooks",
}
_VALIDATORS = {"3.0.": OpenAPIV30SpecValidator, "3.1.": OpenAPIV31SpecValidator}


@dataclass(frozen=True, slots=True)
class File:
    """A file, read once."""

    path: Path
    content: bytes


def read_file(path: Path) -> File:
    """Return a file with its content.

    Raises:
        Broken: It cannot be read, or is too large.
    """
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as problem:
        raise Broken(f"{path} cannot be read: {problem.strerror}") from None
    within(len(content), LARGEST, "bytes")
    return File(path, content)


def read(file: File) -> Document:
    """Return the OpenAPI document in a file; JSON if its name ends in `.json`, YAML otherwise.

    Nothing that the document names is opened.

    Raises:
        Broken: It is no OpenAPI 3.0 or 3.1 document, or exceeds a limit; the message says where.
    """
    path = file.path
    parse, language = (from_json, "JSON") if path.suffix == ".json" else (from_yaml, "YAML")
    try:
        document = parse(file.content)
    except json.JSONDecodeError as problem:
        raise Broken(f"{path}:{problem.lineno}: not JSON: {problem.msg}") from None
    except yaml.MarkedYAMLError as problem:
        line = "" if problem.problem_mark is None else f":{problem.problem_mark.line + 1}"
        raise Broken(f"{path}{line}: not YAML: {problem.problem}") from None
    except (yaml.YAMLError, ValueError) as problem:
        raise Broken(f"{path}: not {language}: {problem}") from None
    except Broken as broken:
        raise Broken(f"{path}: {broken}") from None
    _check_version(path, document)
    _check_schema(file, document)
    paths = {
        template: item
        for template, item in document.get("paths", {}).items()
        if not template.startswith("x-")
    }
    subset: Document = {**document, "paths": paths}
    _Check(file, subset).node(subset)
    _check_operations(file, subset)
    return subset


def lines(file: File, pointers: Iterable[str]) -> dict[str, int]:
    """Return the line of each pointer in a document; empty where the file is not YAML (JSON with
    tabs).
    """
    try:
        root = yaml.compose(file.content, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError:
        return {}
    return {pointer: _line(root, steps(pointer)) for pointer in pointers}


def _line(node: Any, path: list[str]) -> int:
    """Return the line of the last step that exists."""
    line: int = node.start_mark.line + 1
    for step in path:
        if isinstance(node, yaml.MappingNode):
            line_number = next(
                ((key, value) for key, value in node.value if str(key.value) == step), None
            )
            if line_number is None:
                return line
            key, node = line_number
            line = key.start_mark.line + 1
        elif (
            isinstance(node, yaml.SequenceNode) and step.isdecimal() and int(step) < len(node.value)
        ):
            node = node.value[int(step)]
            line = node.start_mark.line + 1
    return line


def _check_version(path: Path, document: Any) -> None:
    if not is_object(document):
        raise Broken(f"{path} is not an OpenAPI document: its root is not an object")
    if "swagger" in document:
        raise Broken(f"{path} is Swagger {document['swagger']}; convert it to OpenAPI 3 first")
    version = str(document.get("openapi"))
    if "openapi" not in document:
        raise Broken(f"{path} is not an OpenAPI document: it has no member `openapi`")
    if not version.startswith(tuple(_VALIDATORS)):
        raise Broken(f"{path} is OpenAPI {version}; supported are 3.0 and 3.1")


def _check_schema(file: File, document: Document) -> None:
    validator = next(
        kind for prefix, kind in _VALIDATORS.items() if str(document["openapi"]).startswith(prefix)
    )
    for error in validator.schema_validator.iter_errors(document):
        raise _invalid(file, error.absolute_path, error.message.partition("\n")[0])


class _Check:
    """Checks that each reference has a target, and that each schema is one; also of what only
    references name, such as extensions.
    """

    def __init__(self, file: File, document: Document) -> None:
        self._file = file
        self._document = document
        self._targets: set[str] = set()

    def node(
        self, node: Any, place: Place = (), *, in_schema: bool = False, names: bool = False
    ) -> None:
        """Check a node and all below it.

        Raises:
            Broken: One of them is wrong; the message says where.
        """
        if is_list(node):
            for index, item in enumerate(node):
                self.node(item, (*place, index), in_schema=in_schema)
        if not is_object(node):
            return
        if isinstance(node.get("$ref"), str) and not names:
            self._reference(node["$ref"], (*place, "$ref"), in_schema=in_schema)
        for key, value in node.items():
            here = (*place, key)
            begins = not in_schema and (here[:-1] == _SCHEMAS or (key == "schema" and not names))
            if begins:
                self._schema(value, here)
            if names or key not in LITERAL:
                self.node(
                    value, here, in_schema=in_schema or begins, names=key in _MAPS and not names
                )

    def _schema(self, schema: Any, place: Place) -> None:
        for error in _SCHEMA.iter_errors(_without_draft_4(schema)):
            raise _invalid(self._file, [*place, *error.instance_path], error.message)

    def _reference(self, reference: str, place: Place, *, in_schema: bool) -> None:
        wrong = _wrong(self._document, reference)
        if wrong:
            raise _invalid(self._file, place, f"{reference} {wrong}")
        if in_schema and reference.startswith("#") and reference not in self._targets:
            self._targets.add(reference)
            pointer = unquote(reference[1:])
            target, there = at(self._document, pointer), tuple(steps(pointer))
            if there[:-1] != _SCHEMAS:
                self._schema(target, there)
                self.node(target, there, in_schema=True)


def _check_operations(file: File, document: Document) -> None:
    methods: dict[str, str] = {}
    for template, method, operation in operations_of(document):
        name = operation.get("operationId")
        here = pointer_of(["paths", template, method])
        if name in methods:
            raise _invalid(
                file,
                ["paths", template, method, "operationId"],
                f"operationId {name} is that of {methods[name]} too",
            )
        if name is not None:
            methods[name] = here


def _wrong(document: Document, reference: str) -> str | None:
    """Return why a reference has no target in the document, if so."""
    names: set[str] = set()
    node: Any = {"$ref": reference}
    while is_object(node) and str(node.get("$ref", "")).startswith("#"):
        if node["$ref"] in names:
            return "leads back to itself"
        names.add(node["$ref"])
        try:
            node = at(document, unquote(node["$ref"][1:]))
        except Broken:
            return "points to nothing"
    return None


def _without_draft_4(schema: Any) -> Any:
    # OpenAPI 3.0 has the boolean exclusive bounds of draft 4.
    if is_object(schema):
        keywords = {
            key: value
            for key, value in schema.items()
            if not (key.startswith("exclusiveM") and isinstance(value, bool))
        }
        return {key: _without_draft_4(value) for key, value in keywords.items()}
    return [_without_draft_4(item) for item in schema] if is_list(schema) else schema


def _invalid(file: File, place: Iterable[str | int], message: str) -> Broken:
    pointer = pointer_of(place)
    line = lines(file, [pointer]).get(pointer)
    return Broken(f"{file.path}{'' if line is None else f':{line}'}: #{pointer}: {message}")
