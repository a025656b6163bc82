"""Schemas of tables, read from their JSON text into values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias, cast

#: Deeper ones than people write; a hostile one shall not exhaust the stack.
_DEEPEST = 100
_PRIMITIVES = frozenset(
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
        "timestamp_ntz",
        "void",
    }
)
_DECIMAL = re.compile(r"decimal\((\d{1,2}),\s?(\d{1,2})\)")


@dataclass(frozen=True, slots=True)
class Primitive:
    """A type without parts, such as `long` and `decimal`."""

    name: str
    precision: int = 0
    scale: int = 0

    def __str__(self) -> str:
        return (
            f"{self.name}({self.precision},{self.scale})" if self.name == "decimal" else self.name
        )


@dataclass(frozen=True, slots=True)
class Struct:
    """A type of named parts."""

    fields: tuple[Field, ...]

    def __str__(self) -> str:
        return f"struct<{', '.join(f'{field.name}: {field.type}' for field in self.fields)}>"


@dataclass(frozen=True, slots=True)
class Array:
    """A list of elements of one type."""

    element: Type
    contains_null: bool

    def __str__(self) -> str:
        return f"array<{self.element}>"


@dataclass(frozen=True, slots=True)
class Map:
    """Keys and values."""

    key: Type
    value: Type
    value_contains_null: bool

    def __str__(self) -> str:
        return f"map<{self.key}, {self.value}>"


@dataclass(frozen=True, slots=True)
class Other:
    """A type that is not known here; a table that has it can be read without the column."""

    name: str

    def __str__(self) -> str:
        return self.name


Type: TypeAlias = Primitive | Struct | Array | Map | Other


@dataclass(frozen=True, slots=True)
class Field:
    """One column, or part of a struct."""

    name: str
    type: Type
    nullable: bool
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)

    def physical_name(self, mapping: str) -> str:
        """Return its name in files, by the column mapping mode."""
        if mapping == "none":
            return self.name
        name = self.metadata.get("delta.columnMapping.physicalName", self.name)
        return name if isinstance(name, str) else self.name

    @property
    def field_id(self) -> int | None:
        """Its number in files, where columns are mapped."""
        number = self.metadata.get("delta.columnMapping.id")
        return number if isinstance(number, int) else None


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a table, in order."""

    fields: tuple[Field, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.fields)

    def column(self, name: str) -> Field:
        """Return the column of that name; another spelling will do where no column is spelled so.

        Raises:
            ValueError: There is none.
        """
        same = [column for column in self.fields if column.name == name]
        matches = same or [
            column for column in self.fields if column.name.casefold() == name.casefold()
        ]
        if not matches:
            raise ValueError(f"the table has no column {name!r}; it has {', '.join(self.names)}")
        return matches[0]


@lru_cache(maxsize=16)
def parse(text: str) -> Schema:
    """Return the schema in a text.

    Raises:
        ValueError: It is not a schema; the message says where.
    """
    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("the schema of the table is not JSON") from None
    read = _type(document, "", 0)
    if not isinstance(read, Struct):
        raise ValueError("the schema of the table is not a struct")  # noqa: TRY004 - what was read is wrong
    return Schema(read.fields)


def _type(document: Any, place: str, depth: int) -> Type:
    if depth > _DEEPEST:
        raise ValueError(f"the schema of the table is nested more than {_DEEPEST} times")
    if isinstance(document, str):
        return _primitive(document)
    members = _object(document, place)
    kind = members.get("type")
    if kind == "struct":
        fields = members.get("fields")
        if not isinstance(fields, list):
            raise ValueError(f"the schema of the table has a struct without fields{_at(place)}")
        return Struct(tuple(_field(each, place, depth + 1) for each in fields))
    if kind == "array":
        return Array(
            _type(members.get("elementType"), f"{place}.element", depth + 1),
            members.get("containsNull") is not False,
        )
    if kind == "map":
        key, value = (
            _type(members.get(f"{part}Type"), f"{place}.{part}", depth + 1)
            for part in ("key", "value")
        )
        return Map(key, value, members.get("valueContainsNull") is not False)
    raise ValueError(f"the schema of the table has a type that is none{_at(place)}")


def _field(document: Any, place: str, depth: int) -> Field:
    members = _object(document, place)
    name, metadata = members.get("name"), members.get("metadata")
    if not isinstance(name, str):
        raise ValueError(f"the schema of the table has a field without a name{_at(place)}")  # noqa: TRY004
    kind = _type(members.get("type"), f"{place}.{name}" if place else name, depth)
    return Field(
        name,
        kind,
        members.get("nullable") is not False,
        metadata if isinstance(metadata, dict) else {},
    )


def _primitive(name: str) -> Type:
    if name in _PRIMITIVES:
        return Primitive(name)
    if (
        (match := _DECIMAL.fullmatch(name))
        and 0 <= int(match[2]) <= int(match[1]) <= 38
        and int(match[1])
    ):
        return Primitive("decimal", int(match[1]), int(match[2]))
    return Other(name)


def _object(document: Any, place: str) -> dict[str, Any]:
    if not isinstance(document, dict):
        raise ValueError(f"the schema of the table has a type that is none{_at(place)}")  # noqa: TRY004
    return cast("dict[str, Any]", document)


def _at(place: str) -> str:
    return f", at {place.lstrip('.')}" if place else ""
