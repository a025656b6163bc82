"""Reads one OpenAPI document, and refuses what is none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import yaml
from jsonschema_rs import ValidationError, meta
from openapi_spec_validator import OpenAPIV30SpecValidator, OpenAPIV31SpecValidator

from lakepact.codegen.documents import Broken, Document, at, is_list, is_object, pointer_of, read_yaml, steps
from lakepact.codegen.passes import operations_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_VALIDATORS = {"3.0.": OpenAPIV30SpecValidator, "3.1.": OpenAPIV31SpecValidator}


def read(path: Path) -> Document:
    """Return the OpenAPI document in a file.

    Raises:
        Broken: It cannot be read, or is no OpenAPI 3.0 or 3.1 document; the message says where.
    """
    try:
        document: Any = json.loads(path.read_bytes()) if path.suffix == ".json" else read_yaml(path)
    except OSError as problem:
        raise Broken(f"{path} cannot be read: {problem.strerror}") from None
    except json.JSONDecodeError as problem:
        raise Broken(f"{path}:{problem.lineno}: not JSON: {problem.msg}") from None
    except yaml.MarkedYAMLError as problem:
        line = "" if problem.problem_mark is None else f":{problem.problem_mark.line + 1}"
        raise Broken(f"{path}{line}: not YAML: {problem.problem}") from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as problem:
        raise Broken(f"{path}: not YAML: {problem}") from None
    _check_version(path, document)
    _check_schema(path, document)
    paths = {template: item for template, item in document.get("paths", {}).items() if not template.startswith("x-")}
    checked: Document = {**document, "paths": paths}
    _check(path, checked)
    return checked


def lines(path: Path, pointers: Iterable[str]) -> dict[str, int]:
    """Return the line of each pointer in a document; empty where the file is not YAML (JSON with tabs)."""
    try:
        root = yaml.compose(path.read_bytes(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError:
        return {}
    return {pointer: _line(root, steps(pointer)) for pointer in pointers}


def _line(node: Any, path: list[str]) -> int:
    """Return the line of the last step that exists."""
    line: int = node.start_mark.line + 1
    for step in path:
        if isinstance(node, yaml.MappingNode):
            found = next(((key, value) for key, value in node.value if str(key.value) == step), None)
            if found is None:
                return line
            key, node = found
            line = key.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and step.isdecimal() and int(step) < len(node.value):
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


def _check_schema(path: Path, document: Document) -> None:
    validator = next(kind for prefix, kind in _VALIDATORS.items() if str(document["openapi"]).startswith(prefix))
    for error in validator(document).schema_validator.iter_errors(document):
        raise _broken(path, error.absolute_path, error.message.partition("\n")[0])


def _check(path: Path, document: Document) -> None:
    for name, schema in document.get("components", {}).get("schemas", {}).items():
        try:
            meta.validate({"$schema": _DIALECT, **_without_draft_4(schema)} if is_object(schema) else schema)
        except ValidationError as error:
            raise _broken(path, ["components", "schemas", name, *error.instance_path], error.message) from None
    for place, reference in _references(document, ()):
        wrong = _wrong(document, reference)
        if wrong:
            raise _broken(path, place, f"{reference} {wrong}")
    _check_operations(path, document)


def _check_operations(path: Path, document: Document) -> None:
    seen: dict[str, str] = {}
    for template, method, operation in operations_of(document):
        name = operation.get("operationId")
        here = pointer_of(["paths", template, method])
        if name in seen:
            raise _broken(path, ["paths", template, method, "operationId"], f"operationId {name} is that of {seen[name]} too")
        if name is not None:
            seen[name] = here


def _references(node: Any, place: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if is_object(node):
        if isinstance(node.get("$ref"), str):
            yield (*place, "$ref"), node["$ref"]
        for key, value in node.items():
            if key not in {"example", "examples", "default", "enum", "const"}:
                yield from _references(value, (*place, key))
    elif is_list(node):
        for index, item in enumerate(node):
            yield from _references(item, (*place, index))


def _wrong(document: Document, reference: str) -> str | None:
    """Return why a reference has no target in the document, if so."""
    seen: set[str] = set()
    node: Any = {"$ref": reference}
    while is_object(node) and str(node.get("$ref", "")).startswith("#"):
        if node["$ref"] in seen:
            return "leads back to itself"
        seen.add(node["$ref"])
        try:
            node = at(document, unquote(node["$ref"][1:]))
        except Broken:
            return "points to nothing"
    return None


def _without_draft_4(schema: Any) -> Any:
    # OpenAPI 3.0 has the boolean exclusive bounds of draft 4.
    if is_object(schema):
        kept = {key: value for key, value in schema.items() if not (key.startswith("exclusiveM") and isinstance(value, bool))}
        return {key: _without_draft_4(value) for key, value in kept.items()}
    return [_without_draft_4(item) for item in schema] if is_list(schema) else schema


def _broken(path: Path, place: Iterable[str | int], message: str) -> Broken:
    pointer = pointer_of(place)
    line = lines(path, [pointer]).get(pointer)
    return Broken(f"{path}{'' if line is None else f':{line}'}: #{pointer}: {message}")
