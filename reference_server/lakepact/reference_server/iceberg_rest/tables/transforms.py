"""Transforms of partition and sort fields: their spelling, and the columns that they can be applied
to.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lakepact.reference_server.iceberg_rest.documents import INT32, integer, refused, shown, text
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


def transform_name(spelled: str) -> str | None:
    """Return the transform without its number (`bucket` for `bucket[16]`), or None when there is
    none that is spelled so.
    """
    if match := _WITH_NUMBER.fullmatch(spelled):
        return match[1] if 1 <= int(match[2]) < INT32.stop else None
    return spelled if spelled in SOURCES and spelled not in {"bucket", "truncate"} else None


def check_transform(
    field: PartitionField | SortField, columns: Mapping[int, Column], where: str
) -> None:
    """Refuse a partition or sort field whose transform is unknown, or cannot be applied to its
    source column.
    """
    spelled = text(field, "transform", where)
    name = transform_name(spelled)
    if name is None:
        raise refused(
            f"{where}/transform",
            f"unknown transform {shown(spelled)}; known are {', '.join(SOURCES)}, with bucket[n]"
            " and n > 0",
        )
    source = integer(field, "source-id", where, within=INT32)
    if name == VOID:
        return
    column = columns.get(source)
    if column is None:
        raise refused(f"{where}/source-id", f"the schema has no column with id {source}")
    if column.in_collection:
        raise refused(
            f"{where}/source-id",
            f"column {shown(column.name)} is inside of a list or map; use a column that each row"
            " has once",
        )
    kind = name_of(column.type)
    takes = SOURCES[name]
    fits = kind in takes if takes is not None else kind not in NESTED | _UNORDERED
    if not fits:
        raise refused(
            f"{where}/transform",
            f"{spelled} cannot be applied to column {shown(column.name)}, which is of type {kind}",
        )
