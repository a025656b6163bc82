"""Transforms of partition and sort fields: their spelling, and the columns that they can be applied
to.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lakepact.reference_server.iceberg_rest.documents import INT32, as_text, integer, refusal, text
from lakepact.reference_server.iceberg_rest.tables.types import NESTED, name_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.generated.iceberg_rest.documents import PartitionField, SortField
    from lakepact.reference_server.iceberg_rest.tables.schemas import Column

_TIMESTAMPS = frozenset({"timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns"})
_DATES = _TIMESTAMPS | {"date"}

#: By transform: the types of the columns that it takes; None stands for every primitive type.
SOURCES: dict[str, frozenset[str] | None] = {
    "identity": None,
    "bucket": _DATES | {"int", "long", "decimal", "time", "string", "uuid", "fixed", "binary"},
    "truncate": frozenset({"int", "long", "decimal", "string", "binary"}),
    "year": _DATES,
    "month": _DATES,
    "day": _DATES,
    "hour": _TIMESTAMPS,
    "void": None,
}
VOID = "void"  #: keeps the place of a field whose column may be gone
_UNORDERED = frozenset(
    {"variant", "geometry", "geography"}
)  #: have no identity that files could be divided or sorted by
_WITH_NUMBER = re.compile(r"(bucket|truncate)\[([0-9]{1,10})\]")


def transform_name(value: str) -> str | None:
    """Return the transform without its number (`bucket` for `bucket[16]`), or None when there is
    none that is spelled so.
    """
    if match := _WITH_NUMBER.fullmatch(value):
        return match[1] if 1 <= int(match[2]) < INT32.stop else None
    return value if value in SOURCES and value not in {"bucket", "truncate"} else None


def check_transform(
    field: PartitionField | SortField, columns: Mapping[int, Column], where: str
) -> None:
    """Refuse a partition or sort field whose transform is unknown, or cannot be applied to its
    source column.
    """
    transform = text(field, "transform", where)
    name = transform_name(transform)
    if name is None:
        raise refusal(
            f"{where}/transform",
            f"unknown transform {as_text(transform)}; known are {', '.join(SOURCES)}, with bucket[n]"
            " and n > 0",
        )
    source = integer(field, "source-id", where, within=INT32)
    if name == VOID:
        return
    column = columns.get(source)
    if column is None:
        raise refusal(f"{where}/source-id", f"the schema has no column with id {source}")
    if column.in_collection:
        raise refusal(
            f"{where}/source-id",
            f"column {as_text(column.name)} is inside of a list or map; use a column that each row"
            " has once",
        )
    kind = name_of(column.type)
    takes = SOURCES[name]
    fits = kind in takes if takes is not None else kind not in NESTED | _UNORDERED
    if not fits:
        raise refusal(
            f"{where}/transform",
            f"{transform} cannot be applied to column {as_text(column.name)}, which is of type {kind}",
        )
