"""Figures of columns: number of nulls, least and greatest value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from lakepact.conformance.evidence.arrow import Array, pa, pc


@dataclass(frozen=True)
class Figures:
    """The figures of one column: number of nulls, and least and greatest value as text; `None` for
    unordered types.
    """

    nulls: int = 0
    least: Any = None
    greatest: Any = None

    def __add__(self, other: Self) -> Figures:
        ends = [end for end in (self.least, other.least) if end is not None]
        tops = [top for top in (self.greatest, other.greatest) if top is not None]
        return Figures(self.nulls + other.nulls, min(ends, default=None), max(tops, default=None))


def figures(batches: Iterable[Any]) -> dict[str, Figures]:
    """Return the figures of each column of some record batches."""
    by_column: dict[str, Figures] = {}
    for batch in batches:
        for name in batch.schema.names:
            by_column[name] = by_column.get(name, Figures()) + _figures(batch.column(name))
    return by_column


def is_ordered(kind: Any) -> bool:
    """Return whether values of a type have a least and a greatest here."""
    return not (pa.types.is_nested(kind) or pa.types.is_boolean(kind) or pa.types.is_binary(kind))


def _figures(values: Array) -> Figures:
    if not is_ordered(values.type) or values.null_count == len(values):
        return Figures(values.null_count)
    ends = pc.min_max(values).as_py()
    return Figures(values.null_count, ends["min"], ends["max"])
