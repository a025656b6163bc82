"""Column types: their spelling, the format version that they need, and which of them a column may
change between.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from lakepact.reference_server.iceberg_rest.documents import as_text, refusal

#: Primitive types without parameters, and the first format version that has them.
PLAIN = {
    "boolean": 1,
    "int": 1,
    "long": 1,
    "float": 1,
    "double": 1,
    "date": 1,
    "time": 1,
    "timestamp": 1,
    "timestamptz": 1,
    "string": 1,
    "uuid": 1,
    "binary": 1,
    "timestamp_ns": 3,
    "timestamptz_ns": 3,
    "variant": 3,
    "unknown": 3,
    "geometry": 3,
    "geography": 3,
}
NESTED = frozenset({"struct", "list", "map"})
EDGE_ALGORITHMS = frozenset({"spherical", "vincenty", "thomas", "andoyer", "karney"})
LONGEST = 200  #: characters of a primitive type
LARGEST_PRECISION = 38
LARGEST_FIXED = 2**31 - 1

_DECIMAL = re.compile(r"decimal\( *([0-9]{1,10}) *, *([0-9]{1,10}) *\)")
_FIXED = re.compile(r"fixed\[ *([0-9]{1,10}) *\]")
_GEOMETRY = re.compile(r"geometry\(([^(),]+)\)")
_GEOGRAPHY = re.compile(r"geography\(([^(),]+)(?:,([^(),]+))?\)")

#: The types that a column's type may be promoted to; decimals may also gain precision.
#: Text as bytes is no promotion by the table format, but pyiceberg makes it, and data files hold
#: both alike.
_PROMOTIONS = {
    "int": {"long"},
    "float": {"double"},
    "date": {"timestamp", "timestamp_ns"},
    "string": {"binary"},
}


@dataclass(frozen=True, slots=True)
class Primitive:
    """A primitive type, taken apart."""

    name: str
    since: int = 1  #: the first format version that has it
    numbers: tuple[int, ...] = ()  #: precision and scale of a decimal, length of a fixed
    words: tuple[str, ...] = ()  #: reference system and edge algorithm of a geography


def primitive(name: str) -> Primitive | None:
    """Return the primitive type that is spelled so, or None."""
    return _primitive(name) if len(name) <= LONGEST else None


@lru_cache(maxsize=4096)
def _primitive(name: str) -> Primitive | None:
    if name in PLAIN:
        return Primitive(name, PLAIN[name])
    if match := _DECIMAL.fullmatch(name):
        precision, scale = int(match[1]), int(match[2])
        return (
            Primitive("decimal", numbers=(precision, scale))
            if scale <= precision and 1 <= precision <= LARGEST_PRECISION
            else None
        )
    if match := _FIXED.fullmatch(name):
        length = int(match[1])
        return Primitive("fixed", numbers=(length,)) if 1 <= length <= LARGEST_FIXED else None
    if match := _GEOMETRY.fullmatch(name):
        return Primitive("geometry", 3, words=(match[1].strip(),))
    if match := _GEOGRAPHY.fullmatch(name):
        algorithm = (match[2] or "spherical").strip()
        return (
            Primitive("geography", 3, words=(match[1].strip(), algorithm))
            if algorithm in EDGE_ALGORITHMS
            else None
        )
    return None


def name_of(column_type: Any) -> str:
    """Return the type without its parameters: `decimal` for `decimal(9, 2)`, `list` for a list."""
    if isinstance(column_type, str):
        kind = primitive(column_type)
        return kind.name if kind else column_type
    name: str = column_type["type"]
    return name


def check_type(column_type: Any, where: str, *, format_version: int) -> None:
    """Refuse what is no type, or none of this format version; the types inside of a nested type are
    not looked at.
    """
    if not isinstance(column_type, str):
        _check_nested(column_type, where)
        return
    kind = primitive(column_type)
    if kind is None:
        plain = ", ".join(PLAIN)
        raise refusal(
            where,
            f"{as_text(column_type)} is no type; types are {plain}, decimal(p, s), fixed[n], struct,"
            " list and map",
        )
    if kind.since > format_version:
        raise refusal(
            where,
            f"the type {as_text(column_type)} needs format version {kind.since}, and the table has"
            f" {format_version}; upgrade the table, or choose another type",
        )


def _check_nested(column_type: dict[str, Any], where: str) -> None:
    if type(column_type) is not dict:
        raise refusal(
            where, f"expected the name of a type, or an object, found {as_text(column_type)}"
        )
    name = column_type.get("type")
    if not isinstance(name, str) or name not in NESTED:
        raise refusal(f"{where}/type", f"expected struct, list or map, found {as_text(name)}")


def canonical(column_type: Any) -> Any:
    """Return a form of the type that is equal for equal types, however they are spelled."""
    if isinstance(column_type, str):
        return primitive(column_type) or column_type
    members = {name: value for name, value in column_type.items() if value is not None}
    for inner in ("element", "key", "value"):
        if inner in members:
            members[inner] = canonical(members[inner])
    if "fields" in members:
        members["fields"] = [canonical_field(field) for field in members["fields"]]
    return members


def canonical_field(field: Any) -> dict[str, Any]:
    """Return a form of the field that is equal for equal fields."""
    return {
        name: canonical(value) if name == "type" else value
        for name, value in field.items()
        if value is not None
    }


def are_compatible(one: Any, other: Any) -> bool:
    """Return whether one and the same column may have had these two types, in either order."""
    return _may_become(one, other) or _may_become(other, one)


def _may_become(before: Any, after: Any) -> bool:
    name = name_of(before)
    if name == "unknown" or name_of(after) in _PROMOTIONS.get(name, ()):
        return True
    if name != name_of(after):
        return False
    if name in NESTED:
        return True
    old, new = primitive(before), primitive(after)
    if old is None or new is None or name != "decimal":
        return old == new
    return old.numbers[1] == new.numbers[1]
