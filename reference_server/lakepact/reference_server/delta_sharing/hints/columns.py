"""The columns of a table as predicates name them: where their values and statistics stand, and
which of these can be relied on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson

from lakepact.reference_server.delta_sharing.hints.values import Kind

PARTITION_VALUES = "partitionvalues"  #: how some clients begin the names of partition columns
KINDS = {
    "boolean": Kind.BOOLEAN,
    "byte": Kind.INTEGER,
    "short": Kind.INTEGER,
    "integer": Kind.INTEGER,
    "long": Kind.INTEGER,
    "float": Kind.REAL,
    "double": Kind.REAL,
    "string": Kind.TEXT,
    "date": Kind.DATE,
    "timestamp": Kind.TIMESTAMP,
    "timestamp_ntz": Kind.TIMESTAMP,
}
#: Metadata of a field whose text is not compared byte by byte: another collation, or padded to a
#: length.
ODD_TEXT = ("__COLLATIONS", "__CHAR_VARCHAR_TYPE_STRING")
WIDENED = "delta.typeChanges"  #: metadata of a field whose older statistics are of a narrower type
PHYSICAL_NAME = "delta.columnMapping.physicalName"


class NoSuchColumn(ValueError):
    """No column, or more than one, has a name."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column that holds single values, or a part of one."""

    path: tuple[str, ...]  #: the names under which its statistics stand
    type: str  #: the name of its type; "other" if it has no values that could be compared
    partition: bool = False
    statistics: bool = (
        True  #: whether minimum and maximum can be believed: the type was always this one
    )
    kind: Kind = Kind.OTHER  #: what its values are compared as


def kind(type_: str) -> Kind:
    """Return the type in which values of a type are compared."""
    return Kind.REAL if type_.startswith("decimal") else KINDS.get(type_, Kind.OTHER)


class Columns:
    """The columns of a table, found by name whatever its case."""

    def __init__(self, metadata: Mapping[str, Any]) -> None:
        mode = (metadata.get("configuration") or {}).get("delta.columnMapping.mode", "none")
        self._mapped = mode in {"name", "id"}
        self._fields = _fields(metadata["schemaString"])
        self._partitioned = frozenset(metadata.get("partitionColumns") or ())

    def __contains__(self, name: str) -> bool:
        return any(field["name"].casefold() == name.casefold() for field in self._fields)

    def find(self, name: str) -> Column:
        """Return the column with this name; dots lead into structures if no column has them in its
        name.

        Raises:
            NoSuchColumn: there is none.
        """
        return self.at([name] if name in self or "." not in name else name.split("."))

    def at(self, names: Sequence[str]) -> Column:
        """Return the column at a path of names.

        Raises:
            NoSuchColumn: there is none.
        """
        fields, match, path = self._fields, None, []
        for name in names:
            match = _field(name, fields)
            path.append(self._physical(match))
            type_ = match["type"]
            fields = (
                type_["fields"] if isinstance(type_, dict) and type_.get("type") == "struct" else []
            )
        if match is None:
            raise NoSuchColumn("a name is missing")
        about = match.get("metadata") or {}
        type_ = match["type"] if isinstance(match["type"], str) else "other"
        return Column(
            tuple(path),
            type_,
            partition=len(names) == 1 and match["name"] in self._partitioned,
            statistics=WIDENED not in about,
            kind=Kind.OTHER if any(key in about for key in ODD_TEXT) else kind(type_),
        )

    def _physical(self, field: dict[str, Any]) -> str:
        name: str = field["name"]
        return str((field.get("metadata") or {}).get(PHYSICAL_NAME, name)) if self._mapped else name


def _field(name: str, fields: Sequence[dict[str, Any]]) -> dict[str, Any]:
    exact = [field for field in fields if field["name"] == name]
    matches = exact or [field for field in fields if field["name"].casefold() == name.casefold()]
    if len(matches) != 1:
        raise NoSuchColumn(f"{len(matches)} columns are called {name[:100]!r}")
    return matches[0]


@lru_cache(maxsize=64)
def _fields(schema: str) -> tuple[dict[str, Any], ...]:
    """Return the columns of a schema; `None` if it cannot be parsed, which must not fail a query
    with hints.
    """
    try:
        fields = orjson.loads(schema)["fields"]
        return tuple(
            field
            for field in fields
            if isinstance(field["name"], str) and isinstance(field["type"], str | dict)
        )
    except (ValueError, KeyError, TypeError):
        return ()
