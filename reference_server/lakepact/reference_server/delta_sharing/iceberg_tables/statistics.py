"""What the manifests of an Iceberg table know of a data file, as the statistics of a Delta table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from .schemas import primitive
from .texts import bound

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    Counts = Mapping[int, int]


class Leaf(NamedTuple):
    """A column that has values of its own, or a part of one in structures."""

    id: int
    type: str
    path: tuple[str, ...]


class Known(NamedTuple):
    """What a manifest says of a data file."""

    records: int
    nulls: Counts
    nans: Counts
    low: Mapping[int, bytes]
    high: Mapping[int, bytes]


def leaves(schema: Mapping[str, Any], *, but: Collection[str]) -> list[Leaf]:
    """The columns of a schema that can have statistics.

    Args:
        schema: the schema.
        but: columns that have none, because they are in the partition values.
    """
    return [leaf for leaf in _leaves(schema, ()) if leaf.path[0] not in but]


def _leaves(struct: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[Leaf]:
    for field in struct["fields"]:
        type_, here = field["type"], (*path, field["name"])
        spelled = primitive(type_)
        if spelled is not None:
            yield Leaf(field["id"], spelled, here)
        elif isinstance(type_, dict) and type_.get("type") == "struct":
            yield from _leaves(type_, here)


def statistics(columns: Sequence[Leaf], known: Known) -> str:
    """The statistics of a file as JSON text."""

    def nulls(leaf: Leaf) -> str | None:
        count = known.nulls.get(leaf.id)
        return None if count is None else str(count)

    def low(leaf: Leaf) -> str | None:
        raw = known.low.get(leaf.id)
        return None if raw is None else bound(leaf.type, raw)

    def high(leaf: Leaf) -> str | None:
        raw = known.high.get(leaf.id)
        # To readers of Delta tables NaN is the largest number; Iceberg leaves it out of its bounds.
        if raw is None or (leaf.type in {"float", "double"} and known.nans.get(leaf.id) != 0):
            return None
        return bound(leaf.type, raw)

    parts = {"minValues": low, "maxValues": high, "nullCount": nulls}
    members = [f'"{name}":{_nested(columns, 0, text)}' for name, text in parts.items()]
    return f'{{"numRecords":{known.records},{",".join(members)}}}'


def _nested(columns: Sequence[Leaf], depth: int, text: Callable[[Leaf], str | None]) -> str:
    """An object that mirrors the schema; columns of one structure stand together."""
    members, at = list[str](), 0
    while at < len(columns):
        leaf = columns[at]
        end = at + 1
        if len(leaf.path) == depth + 1:
            value = text(leaf)
        else:
            while end < len(columns) and columns[end].path[: depth + 1] == leaf.path[: depth + 1]:
                end += 1
            inner = _nested(columns[at:end], depth + 1, text)
            value = None if inner == "{}" else inner
        if value is not None:
            members.append(f"{json.dumps(leaf.path[depth])}:{value}")
        at = end
    return f"{{{','.join(members)}}}"
