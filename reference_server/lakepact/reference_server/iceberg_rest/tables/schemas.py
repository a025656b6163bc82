"""Schemas of tables: validation, comparison, and assignment of fresh field ids."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.iceberg_rest.documents import (
    INT32,
    as_text,
    children,
    exact,
    hashable,
    integer,
    objects,
    refusal,
    text,
)
from lakepact.reference_server.iceberg_rest.tables.defaults import MEMBERS, check_default
from lakepact.reference_server.iceberg_rest.tables.types import (
    NESTED,
    canonical_field,
    check_type,
    name_of,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from lakepact.generated.iceberg_rest.documents import (
        ListType,
        MapType,
        NestedType,
        Schema,
        StructType,
    )
    from lakepact.reference_server.iceberg_rest.documents import Document

#: levels of types within each other; a document that nests deeper cannot be written as JSON
#: everywhere
DEEPEST = 100
#: characters of a column's name from the root; every column of a schema spells those of all structs
#: around it
LONGEST_NAME = 1000
FIELD_IDS = range(2_147_483_447)  #: higher ids belong to columns that readers add on their own
_NO_IDENTITY = frozenset({"float", "double"})


@dataclass(frozen=True, slots=True)
class Column:
    """One field of a schema, with what stands around it; elements, keys and values of collections
    are fields too.
    """

    id: int
    name: str  #: from the root, levels joined by dots
    type: Any
    required: bool
    around: Column | None
    step: str  #: from the place of the type around it, or of the schema, to its own
    type_step: str  #: from there to its type
    in_collection: bool = False  #: inside of a list or map
    in_optional: bool = False  #: inside of a struct that may be null

    def where(self, root: str) -> str:
        """Its place in a request whose schema is at `root`."""
        return (root if self.around is None else self.around.type_where(root)) + self.step

    def type_where(self, root: str) -> str:
        """Return the place of its type in a request whose schema is at `root`."""
        return self.where(root) + self.type_step


class Columns(dict[int, Column]):
    """The fields of a schema by their ids."""

    @cached_property
    def ids(self) -> dict[str, int]:
        """The ids of the fields by their names from the root."""
        return {column.name: column.id for column in self.values()}


def columns(schema: Schema, where: str, *, format_version: int, ids: range = FIELD_IDS) -> Columns:
    """Return every field of a valid schema by its id.

    Args:
        schema: the schema as a request has it.
        where: its place in the request, for messages.
        format_version: of the table; it decides about types and default values.
        ids: the field ids that are allowed.

    Raises:
        Problem: 400, the schema is not valid.
    """
    if schema.get("type") != "struct":
        raise refusal(f"{where}/type", f"expected struct, found {as_text(schema.get('type'))}")
    result = Columns()
    names: set[str] = set()
    for column in _walk(schema, where, None, depth=1, format_version=format_version):
        if column.id not in ids:
            raise refusal(
                column.where(where),
                f"field id {column.id} is out of range; ids go from {ids.start} to {ids.stop - 1}",
            )
        if (twin := result.setdefault(column.id, column)) is not column:
            raise refusal(
                column.where(where),
                f"{as_text(column.name)} has field id {column.id}, which is the id of"
                f" {as_text(twin.name)} already",
            )
        if column.name in names:
            raise refusal(
                column.where(where),
                f"there is another field {as_text(column.name)}; names are unique in a schema",
            )
        names.add(column.name)
    _check_identifiers(schema, result, where)
    return result


def _walk(
    outer: NestedType, where: str, around: Column | None, *, depth: int, format_version: int
) -> Iterator[Column]:
    if depth > DEEPEST:
        raise refusal(where, f"types are nested more than {DEEPEST} levels deep")
    for column in (
        _struct(outer, where, around, format_version)
        if outer["type"] == "struct"
        else _collection(outer, where, around)
    ):
        here = f"{where}{column.step}"
        check_type(column.type, f"{here}{column.type_step}", format_version=format_version)
        kind = name_of(column.type)
        if kind == "unknown" and column.required:
            raise refusal(
                here,
                f"{as_text(column.name)} is of type unknown, which is always null: it cannot be"
                " required",
            )
        yield column
        if kind in NESTED:
            yield from _walk(
                column.type,
                f"{here}{column.type_step}",
                column,
                depth=depth + 1,
                format_version=format_version,
            )


def _struct(
    struct: StructType, where: str, around: Column | None, format_version: int
) -> Iterator[Column]:
    for index, field in enumerate(objects(struct, "fields", where)):
        here = f"{where}/fields/{index}"
        for member in MEMBERS:
            check_default(field, member, here, format_version=format_version)
        yield Column(
            id=integer(field, "id", here, within=INT32),
            name=_name(text(field, "name", here), around, here),
            type=field.get("type"),
            required=field.get("required") is True,
            around=around,
            step=f"/fields/{index}",
            type_step="/type",
            in_collection=around is not None and around.in_collection,
            in_optional=around is not None and (around.in_optional or not around.required),
        )


def _collection(
    collection: ListType | MapType, where: str, around: Column | None
) -> Iterator[Column]:
    for part in ("element",) if collection["type"] == "list" else ("key", "value"):
        yield Column(
            id=integer(collection, f"{part}-id", where, within=INT32),
            name=_name(part, around, where),
            type=collection.get(part),
            required=part == "key" or collection.get(f"{part}-required") is True,
            around=around,
            step="",
            type_step=f"/{part}",
            in_collection=True,
        )


def _name(last: str, around: Column | None, where: str) -> str:
    length = len(last) + (0 if around is None else len(around.name) + 1)
    if length > LONGEST_NAME:
        raise refusal(
            where,
            f"the name of the field has {length} characters, counted from the root; at most"
            f" {LONGEST_NAME} are possible",
        )
    return last if around is None else f"{around.name}.{last}"


def _check_identifiers(schema: Schema, by_id: dict[int, Column], where: str) -> None:
    identifiers = (
        children(schema, "identifier-field-ids", where)
        if schema.get("identifier-field-ids") is not None
        else []
    )
    for index, value in enumerate(identifiers):
        here = f"{where}/identifier-field-ids/{index}"
        column = by_id.get(exact(value, here, within=INT32))
        if column is None:
            raise refusal(here, f"the schema has no field with id {value}")
        kind = name_of(column.type)
        if kind in NESTED or kind in _NO_IDENTITY:
            raise refusal(
                here, f"{as_text(column.name)} is of type {kind}, which cannot identify a row"
            )
        if not column.required or column.in_optional:
            raise refusal(
                here,
                f"{as_text(column.name)} may be null, so it cannot identify a row; make it and all"
                " around it required",
            )
        if column.in_collection:
            raise refusal(
                here,
                f"{as_text(column.name)} is inside of a list or map, so it cannot identify a row",
            )


def schema_meaning(schema: Schema) -> Hashable:
    """Return the meaning of a schema: equal for the same schemas, and only for them."""
    return _identifiers(schema), hashable([canonical_field(field) for field in schema["fields"]])


def schema_sketch(schema: Schema) -> Hashable:
    """Return a part of a schema that is fast to compare: equal for the same schemas, and mostly for
    them alone.
    """
    fields = schema["fields"]
    return (
        _identifiers(schema),
        len(fields),
        *((field["id"], field["name"]) for field in fields[-1:]),
    )


def _identifiers(schema: Schema) -> frozenset[int]:
    return frozenset(schema.get("identifier-field-ids") or ())


def types_by_id(schema: Schema) -> dict[int, Any]:
    """Return the type of every field of a stored schema by field id."""
    result: dict[int, Any] = {}
    todo: list[Any] = [schema]
    while todo:
        outer = todo.pop()
        for id_, inner in _parts(outer):
            result[id_] = inner
            if isinstance(inner, dict):
                todo.append(inner)
    return result


def _parts(outer: Document) -> Iterable[tuple[int, Any]]:
    if outer["type"] == "struct":
        return [(field["id"], field["type"]) for field in outer["fields"]]
    return [
        (outer[f"{part}-id"], outer[part]) for part in ("element", "key", "value") if part in outer
    ]


def with_fresh_ids(schema: Schema) -> tuple[Schema, dict[int, int]]:
    """Return the valid schema with field ids from 1, and the new id of each old one.

    The fields of a struct are numbered before those inside of them.
    """
    fresh: dict[int, int] = {}
    result: Schema = _with_numbers(schema, fresh, count(1))
    identifiers = [fresh[old] for old in schema.get("identifier-field-ids") or ()]
    if identifiers:
        result["identifier-field-ids"] = identifiers
    return result, fresh


def _with_numbers(column_type: Any, fresh: dict[int, int], numbers: count[int]) -> Any:
    if isinstance(column_type, str):
        return column_type
    members: Document = dict(column_type)
    if members["type"] == "struct":
        for field in members["fields"]:
            fresh[field["id"]] = next(numbers)
        members["fields"] = [
            {
                **field,
                "id": fresh[field["id"]],
                "type": _with_numbers(field["type"], fresh, numbers),
            }
            for field in members["fields"]
        ]
        return members
    parts = [part for part in ("element", "key", "value") if part in members]
    for part in parts:
        fresh[members[f"{part}-id"]] = members[f"{part}-id"] = next(numbers)
    for part in parts:
        members[part] = _with_numbers(members[part], fresh, numbers)
    return members
