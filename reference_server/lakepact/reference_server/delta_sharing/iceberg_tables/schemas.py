"""Schemas of Iceberg tables as schemas of Delta, and the reasons not to read their files by column
names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from lakepact.reference_server.delta_sharing.log.refusals import UnsupportedTable

Document = Mapping[str, Any]
Path = tuple[str, ...]

#: Types by their names in either format.
TYPES = {
    "boolean": "boolean",
    "int": "integer",
    "long": "long",
    "float": "float",
    "double": "double",
    "date": "date",
    "timestamp": "timestamp_ntz",
    "timestamptz": "timestamp",
    "string": "string",
    "binary": "binary",
}
DECIMAL = re.compile(r"decimal\( *([0-9]+) *, *([0-9]+) *\)")
WITHOUT_ZONE = "timestamp_ntz"
#: Names under which Parquet files have a column; others are spelled differently there by most
#: writers.
PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
COMPLETE = "the list of former schemas is not complete"


def delta_schema(schema: Document) -> str:
    """Return a schema as the text that Delta has for it.

    Raises:
        UnsupportedTable: it has a type that Delta lacks.
    """
    return json.dumps(_struct(schema, ()), separators=(",", ":"))


def is_without_zone(schema_string: str) -> bool:
    """Return whether a schema has times without zones, which not every reader of Delta tables
    knows.
    """
    return f'"{WITHOUT_ZONE}"' in schema_string


def primitive(type_: Any) -> str | None:
    """Return the Delta name of a primitive type, or None if Delta has no such type."""
    if not isinstance(type_, str):
        return None
    match = DECIMAL.fullmatch(type_)
    return f"decimal({match[1]},{match[2]})" if match else TYPES.get(type_)


def _struct(struct: Document, path: Path) -> dict[str, Any]:
    fields = struct["fields"]
    names = [field["name"].casefold() for field in fields]
    for field in fields:
        if names.count(field["name"].casefold()) > 1:
            raise UnsupportedTable(
                "columns of one table may not differ in case alone, as"
                f" {_path_text((*path, field['name']))} does from another"
            )
    return {"type": "struct", "fields": [_field(field, path) for field in fields]}


def _field(field: Document, path: Path) -> dict[str, Any]:
    here = (*path, field["name"])
    if field.get("initial-default") is not None:
        raise UnsupportedTable(
            f"{_path_text(here)} has an initial default, which older data files do not hold"
        )
    comment = {"comment": field["doc"]} if field.get("doc") else {}
    return {
        "name": field["name"],
        "type": _type(field["type"], here),
        "nullable": not field.get("required", False),
        "metadata": comment,
    }


def _type(type_: Any, path: Path) -> Any:
    if isinstance(type_, str):
        type_name = primitive(type_)
        if type_name is None:
            raise UnsupportedTable(
                f"{_path_text(path)} is of type {type_}, which Delta tables do not have"
            )
        return type_name
    kind = type_.get("type")
    if kind == "struct":
        return _struct(type_, path)
    if kind == "list":
        return {
            "type": "array",
            "elementType": _type(type_["element"], path),
            "containsNull": not type_["element-required"],
        }
    if kind == "map":
        nullable = not type_["value-required"]
        return {
            "type": "map",
            "keyType": _type(type_["key"], path),
            "valueType": _type(type_["value"], path),
            "valueContainsNull": nullable,
        }
    raise UnsupportedTable(
        f"{_path_text(path)} is of type {str(kind)[:50]}, which Delta tables do not have"
    )


def fields_by_id(schema: Document) -> dict[int, tuple[Path, str]]:
    """Return every field of a schema: its path, and its type as far as it is one."""
    return {id_: (path, type_) for id_, path, type_ in _fields(schema, ())}


def _fields(type_: Any, path: Path) -> Iterator[tuple[int, Path, str]]:
    if not isinstance(type_, dict):
        return
    kind = type_.get("type")
    parts: list[tuple[int, str, Any]] = []
    if kind == "struct":
        parts = [(field["id"], field["name"], field["type"]) for field in type_["fields"]]
    elif kind == "list":
        parts = [(type_["element-id"], "element", type_["element"])]
    elif kind == "map":
        parts = [
            (type_["key-id"], "key", type_["key"]),
            (type_["value-id"], "value", type_["value"]),
        ]
    for id_, name, inner in parts:
        yield id_, (*path, name), inner if isinstance(inner, str) else str(inner.get("type"))
        yield from _fields(inner, (*path, name))


def doubts(metadata: Document) -> list[str]:
    """Why files of a table may have other columns under its columns' names; nothing, if they
    cannot.
    """
    schemas = metadata["schemas"]
    current = current_schema(metadata)
    result = list[str]()
    ids = {schema["schema-id"] for schema in schemas}
    if len(ids) != max(ids) + 1:
        result.append(COMPLETE)
    now = fields_by_id(current)
    path_ids = {path: id_ for id_, (path, _) in now.items()}
    for schema in schemas:
        for id_, (path, type_) in fields_by_id(schema).items():
            if id_ in now and now[id_] != (path, type_):
                result.append(
                    f"{_path_text(now[id_][0])} was {_path_text(path)} of type {type_} once"
                )
            elif id_ not in now and path in path_ids:
                result.append(f"{_path_text(path)} was another column once")
    result += [
        f"{_path_text(path)} may be spelled differently in Parquet files"
        for path in path_ids
        if not all(map(PLAIN.fullmatch, path))
    ]
    if "schema.name-mapping.default" in (metadata.get("properties") or {}):
        result.append("files may have been taken over that have names and no field ids")
    return result


def current_schema(metadata: Document) -> Document:
    """Return the schema that a table is read with."""
    schema: Document = next(
        s for s in metadata["schemas"] if s["schema-id"] == metadata["current-schema-id"]
    )
    return schema


def _path_text(path: Path) -> str:
    return f"the column {'.'.join(path)[:200]}"
