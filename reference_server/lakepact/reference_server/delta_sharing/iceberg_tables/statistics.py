"""Statistics of a data file from Iceberg manifests, in the form of Delta statistics."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from lakepact.reference_server.delta_sharing.iceberg_tables.schemas import primitive
from lakepact.reference_server.delta_sharing.iceberg_tables.texts import bound

Counts = Mapping[int, int]


class Leaf(NamedTuple):
    """A column that has values of its own, or a structure with some."""

    name: str  #: as JSON text, with the colon behind it
    id: int
    type: str
    parts: tuple[Leaf, ...] = ()


class Known(NamedTuple):
    """The statistics of a data file in a manifest."""

    records: int
    nulls: Counts
    nans: Counts
    low: Mapping[int, bytes]
    high: Mapping[int, bytes]


def leaves(schema: Mapping[str, Any], *, but: Collection[str]) -> tuple[Leaf, ...]:
    """Return the columns of a schema that can have statistics.

    Args:
        schema: the schema.
        but: columns that have none, because they are in the partition values.
    """
    result = list[Leaf]()
    for field in schema["fields"]:
        type_, name = field["type"], f"{json.dumps(field['name'])}:"
        type_name = primitive(type_)
        if field["name"] in but:
            continue
        if type_name is not None:
            result.append(Leaf(name, field["id"], type_name))
        elif (
            isinstance(type_, dict)
            and type_.get("type") == "struct"
            and (parts := leaves(type_, but=()))
        ):
            result.append(Leaf(name, field["id"], "struct", parts))
    return tuple(result)


def statistics(columns: Sequence[Leaf], facts: Known) -> str:
    """Return the statistics of a file as JSON text."""
    nulls, nans, low, high = facts.nulls, facts.nans, facts.low, facts.high

    def null_count(leaf: Leaf) -> str | None:
        count = nulls.get(leaf.id)
        return None if count is None else str(count)

    def least(leaf: Leaf) -> str | None:
        raw = low.get(leaf.id)
        return None if raw is None else bound(leaf.type, raw)

    def most(leaf: Leaf) -> str | None:
        raw = high.get(leaf.id)
        # To readers of Delta tables NaN is the largest number; Iceberg leaves it out of its bounds.
        if raw is None or (leaf.type in {"float", "double"} and nans.get(leaf.id) != 0):
            return None
        return bound(leaf.type, raw)

    bounds = f'"minValues":{_object(columns, least)},"maxValues":{_object(columns, most)}'
    return f'{{"numRecords":{facts.records},{bounds},"nullCount":{_object(columns, null_count)}}}'


def _object(columns: Sequence[Leaf], text: Callable[[Leaf], str | None]) -> str:
    """Return an object that mirrors the schema."""
    members = list[str]()
    for leaf in columns:
        value = text(leaf) if not leaf.parts else _object(leaf.parts, text)
        if value is not None and value != "{}":
            members.append(leaf.name + value)
    return f"{{{','.join(members)}}}"
