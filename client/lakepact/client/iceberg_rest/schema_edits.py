"""Edits of a schema: columns are found by their path, and new fields get ids that the table has
never used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from lakepact.generated.wire import WireModel

#: A column: the name of one at the top, dots included, or the path of a nested one. `element`,
#: `key` and `value` step into lists and maps.
Column: TypeAlias = str | Sequence[str]

#: Types that readers can widen, by format version from which they may be (Iceberg spec, "Schema
#: Evolution").
_WIDENED = {
    ("int", "long"): 1,
    ("float", "double"): 1,
    ("date", "timestamp"): 3,
    ("date", "timestamp_ns"): 3,
}
DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)")


class SchemaDraft:
    """A copy of a schema to be edited.

    Args:
        document: The schema as JSON.
        last_id: The highest field id that the table has assigned.
    """

    def __init__(self, document: dict[str, Any], last_id: int) -> None:
        self.document = document
        self.last_id = last_id

    def field(self, column: Column) -> dict[str, Any]:
        """Return the field of a column.

        Raises:
            ValueError: The schema has no such column.
        """
        path = _path(column)
        match = next(
            (field for field in self._fields(path[:-1]) if field["name"] == path[-1]), None
        )
        if match is None:
            raise ValueError(f"the schema has no column {column!r}")
        return match

    def add(
        self, column: Column, type_: str | Mapping[str, Any] | WireModel, **members: Any
    ) -> None:
        """Add a column after the others, optional unless its further members (`doc`, `required`,
        default values) say otherwise.

        Raises:
            ValueError: The column exists, or its parent does not.
        """
        path = _path(column)
        fields = self._fields(path[:-1])
        self._require_free(path, fields)
        field = {
            "id": self._next_id(),
            "name": path[-1],
            "required": False,
            "type": self._with_own_ids(type_),
        }
        fields.append(field | {name: value for name, value in members.items() if value is not None})

    def rename(self, column: Column, name: str) -> int:
        """Rename a column, keep its id and return it.

        Raises:
            ValueError: The column does not exist, or its new name is taken or empty.
        """
        field, path = self.field(column), _path(column)
        self._require_free((*path[:-1], name), self._fields(path[:-1]))
        field["name"] = name
        return int(field["id"])

    def drop(self, column: Column) -> set[int]:
        """Drop a column with its nested fields and return their ids.

        Raises:
            ValueError: The column does not exist, is the last one of its struct, or identifies
                rows.
        """
        field, fields = self.field(column), self._fields(_path(column)[:-1])
        ids = ids_of(field)
        if ids & set(self.document.get("identifier-field-ids") or ()):
            raise ValueError(f"the column {column!r} identifies rows and cannot be dropped")
        if len(fields) == 1:
            raise ValueError(f"the column {column!r} is the last one and cannot be dropped")
        fields.remove(field)
        return ids

    def update(
        self,
        column: Column,
        type_: str | None,
        *,
        doc: str | None,
        make_optional: bool,
        format_version: int,
    ) -> dict[str, Any]:
        """Change a column of a table of this format version, and return its field as it was.

        Raises:
            ValueError: The column does not exist, its type cannot be widened so, or it identifies
                rows and cannot be optional.
        """
        field = self.field(column)
        before = dict(field)
        if type_ is not None and type_ != field["type"]:
            self._widen(field, "type", type_, column, format_version)
        if doc is not None:
            field["doc"] = doc
        if make_optional:
            self._make_optional(field, "required", column)
        return before

    def unite(self, other: Mapping[str, Any], format_version: int) -> None:
        """Add the columns that a schema has beyond this one, and change the others so that they
        take its values.

        Raises:
            ValueError: A type can neither be widened to that of the schema in this format version
                nor takes its values as it is.
        """
        self._unite(self.document, other, (), format_version)

    def _unite(
        self, own: dict[str, Any], other: Mapping[str, Any], path: tuple[str, ...], version: int
    ) -> None:
        """Unite two nested types of the same kind."""
        ours = {field["name"]: field for field in own.get("fields", ())}
        for field in other.get("fields", ()):
            there = (*path, field["name"])
            if field["name"] in ours:
                self._unite_member(ours[field["name"]], field, ("type", "required"), there, version)
            else:
                self.add(there, field["type"], doc=field.get("doc"))
        for part in ("element", "key", "value"):
            if part in other:
                self._unite_member(own, other, (part, f"{part}-required"), (*path, part), version)

    def _unite_member(
        self,
        own: dict[str, Any],
        other: Mapping[str, Any],
        members: tuple[str, str],
        path: tuple[str, ...],
        version: int,
    ) -> None:
        """Unite two fields, elements, keys or values, whose type and requiredness are these
        members.
        """
        type_, required = members
        before, after = own[type_], other[type_]
        if _kind(before) == _kind(after) != "":
            self._unite(before, after, path, version)
        elif before != after and not _can_widen(
            after, before, version
        ):  # a narrower type fits as it is
            self._widen(own, type_, after, path, version)
        if own.get(required) and not other.get(required):
            self._make_optional(own, required, path)
        if type_ == "type" and other.get("doc") is not None:
            own["doc"] = other["doc"]

    def _widen(
        self, field: dict[str, Any], member: str, after: Any, column: Column, version: int
    ) -> None:
        before = field[member]
        if not _can_widen(before, after, version):
            raise ValueError(
                f"the type of the column {column!r} cannot be widened from {_type_text(before)} to"
                f" {_type_text(after)}"
            )
        field[member] = self._with_own_ids(after)
        if before == "date":
            field |= {
                name: f"{field[name]}T00:00:00"
                for name in ("initial-default", "write-default")
                if field.get(name)
            }

    def _make_optional(self, field: dict[str, Any], member: str, column: Column) -> None:
        if field.get("id") in (self.document.get("identifier-field-ids") or ()):
            raise ValueError(f"the column {column!r} identifies rows and cannot be optional")
        field[member] = False

    def move(self, column: Column, after: str | None) -> int:
        """Move a column behind another one of its struct, or to the front, and return its id.

        Raises:
            ValueError: One of the columns does not exist, or they are the same.
        """
        field, path = self.field(column), _path(column)
        fields = self._fields(path[:-1])
        fields.remove(field)
        fields.insert(
            0 if after is None else 1 + fields.index(self.field((*path[:-1], after))), field
        )
        return int(field["id"])

    def identify(self, columns: Sequence[Column]) -> list[int]:
        """Let columns identify rows, no others, and return their ids.

        Raises:
            ValueError: A column does not exist, is optional or holds real numbers or nested values.
        """
        fields = [self.field(column) for column in columns]
        for field in fields:
            if (
                not field["required"]
                or field["type"] in ("float", "double")
                or not isinstance(field["type"], str)
            ):
                raise ValueError(
                    f"the column {field['name']!r} cannot identify rows: it is optional, a real"
                    " number or nested"
                )
        self.document["identifier-field-ids"] = [field["id"] for field in fields]
        return [*self.document["identifier-field-ids"]]

    def _fields(self, path: Sequence[str]) -> list[dict[str, Any]]:
        inside: Any = self.document
        for step in path:
            inside = _inside(inside, step)
        if not isinstance(inside, dict) or inside.get("type") != "struct":
            raise ValueError(f"the schema has no struct {tuple(path)!r}")
        fields: list[dict[str, Any]] = inside["fields"]
        return fields

    @staticmethod
    def _require_free(path: Sequence[str], fields: list[dict[str, Any]]) -> None:
        if not path[-1]:
            raise ValueError("the name of a column is empty")
        if any(field["name"] == path[-1] for field in fields):
            raise ValueError(f"the schema has a column {'.'.join(path)!r} already")

    def _next_id(self) -> int:
        self.last_id += 1
        return self.last_id

    def _with_own_ids(self, type_: Any) -> Any:
        """Return the type with new ids for its nested fields, the outer before the inner."""
        if hasattr(type_, "to_wire"):
            type_ = type_.to_wire()
        if isinstance(type_, str):
            return type_
        if not isinstance(type_, Mapping):
            raise TypeError(
                'a type is a text such as "long", or a document such as {"type": "list", …}:'
                f" given {type(type_).__name__}"
            )
        nested = dict(type_)
        if nested["type"] == "struct":
            fields = [
                {"required": False, **field, "id": self._next_id()} for field in nested["fields"]
            ]
            nested["fields"] = [
                {**field, "type": self._with_own_ids(field["type"])} for field in fields
            ]
        for part in (
            ("element",)
            if nested["type"] == "list"
            else ("key", "value")
            if nested["type"] == "map"
            else ()
        ):
            nested[f"{part}-id"] = self._next_id()
        for part in {"element", "key", "value"} & nested.keys():
            nested[part] = self._with_own_ids(nested[part])
            if part != "key":
                nested.setdefault(f"{part}-required", False)
        return nested


def _path(column: Column) -> tuple[str, ...]:
    path = (column,) if isinstance(column, str) else tuple(column)
    if not path:
        raise ValueError("a column has at least one name")
    return path


def _inside(type_: Any, step: str) -> Any:
    if not isinstance(type_, dict):
        return None
    if type_.get("type") == "struct":
        return next((field["type"] for field in type_["fields"] if field["name"] == step), None)
    return type_.get(step) if step in {"element", "key", "value"} else None


def ids_of(field: Any) -> set[int]:
    """Return the ids of a field and of the fields in it."""
    if isinstance(field, list):
        return {id_ for one in field for id_ in ids_of(one)}
    if not isinstance(field, dict):
        return set()
    own = {field[name] for name in ("id", "element-id", "key-id", "value-id") if name in field}
    return own | {
        id_
        for name in ("type", "fields", "element", "key", "value")
        for id_ in ids_of(field.get(name))
    }


def _kind(type_: Any) -> str:
    """Return `struct`, `list` or `map`, and nothing for primitive types."""
    return str(type_["type"]) if isinstance(type_, Mapping) else ""


def _type_text(type_: Any) -> str:
    return type_ if isinstance(type_, str) else _kind(type_)


def _can_widen(before: Any, after: Any, format_version: int) -> bool:
    if before == "unknown":
        return format_version >= 3
    if not isinstance(before, str) or not isinstance(after, str):
        return False
    narrow, wide = DECIMAL.fullmatch(before), DECIMAL.fullmatch(after)
    if narrow and wide:
        return narrow[2] == wide[2] and int(narrow[1]) <= int(wide[1])
    return format_version >= _WIDENED.get((before, after), 99)
