"""Files without a wanted row, known by their partition values and statistics before they are
fetched.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

from lakepact.client.delta_sharing import bounds, partition_values
from lakepact.client.delta_sharing.schemas import Primitive, Schema
from lakepact.client.rows.ranges import ANY, Outcomes, Range, of_range, outcomes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.client.delta_sharing.lines import Metadata, SharedFile
    from lakepact.client.delta_sharing.schemas import Field
    from lakepact.client.rows.predicates import Leaf, Predicate

_REAL = frozenset({"float", "double"})


class FileSkipping:
    """Tells which files of a table can hold wanted rows.

    Args:
        predicate: The wanted rows, bound to the schema; nothing is skipped without.
        metadata: The metadata of the table.

    Raises:
        ValueError: The schema of the table is invalid.
    """

    def __init__(self, predicate: Predicate | None, metadata: Metadata) -> None:
        self._predicate = predicate
        self._schema = metadata.schema if predicate is not None else Schema(())
        self._mapping = metadata.column_mapping
        self._partitioned = {name.casefold() for name in metadata.partition_columns}

    def may_hold(self, file: SharedFile) -> bool:
        """Return whether the file can have wanted rows."""
        if self._predicate is None:
            return True
        statistics = _Statistics(file.stats)
        return True in outcomes(self._predicate, lambda leaf: self._of_leaf(leaf, file, statistics))

    def _of_leaf(self, leaf: Leaf, file: SharedFile, statistics: _Statistics) -> Outcomes:
        values = self._range(self._schema.column(leaf.column), file, statistics)
        return ANY if values is None else of_range(leaf, values)

    def _range(self, column: Field, file: SharedFile, statistics: _Statistics) -> Range | None:
        name = column.physical_name(self._mapping)
        if column.name.casefold() not in self._partitioned:
            return statistics.range(name, column)
        try:
            value = partition_values.parse(file.partition_values[name], column.type)
        except (KeyError, ValueError):
            return None
        if value != value:  # noqa: PLR0124
            return Range(has_nulls=False, has_nans=True)
        return Range(value, value, has_nulls=value is None, has_values=value is not None)


class _Statistics:
    """The statistics of a file."""

    def __init__(self, text: str | None) -> None:
        try:
            read: Any = json.loads(text or "{}", parse_float=Decimal)
        except (ValueError, RecursionError):
            read = {}
        self._read = _members(read)

    def range(self, name: str, column: Field) -> Range:
        """Return the known bounds of a column; None where they are not known."""
        nulls = _members(self._read.get("nullCount")).get(name)
        nulls = nulls if type(nulls) is int else None
        has_values = nulls is None or nulls != self._read.get("numRecords")
        low, high = (
            bounds.around(_members(self._read.get(side)).get(name), column.type)
            for side in ("minValues", "maxValues")
        )
        return Range(
            low and low[0],
            high and high[1],
            has_nulls=nulls != 0,
            has_values=has_values,
            has_nans=isinstance(column.type, Primitive) and column.type.name in _REAL,
        )


def _members(value: Any) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
