"""Files without a wanted row, known by their partition values and statistics before they are fetched.

A predicate on a row is true, false, or unknown (null). From the range of each column follows which of the three can occur in a file;
a file in which a predicate is never true is skipped. Statistics that are missing or invalid exclude nothing.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from lakepact.client.delta_sharing import bounds, partition_values
from lakepact.client.delta_sharing.schemas import Primitive, Schema
from lakepact.client.rows.predicates import And, Comparison, IsNull, Not, Or, Predicate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.client.delta_sharing.lines import Metadata, SharedFile
    from lakepact.client.delta_sharing.schemas import Field

#: The values that a predicate can have on the rows of a file; None is unknown.
Outcomes: TypeAlias = frozenset[bool | None]
_ANY: Outcomes = frozenset({True, False, None})
_REAL = frozenset({"float", "double"})


@dataclass(frozen=True, slots=True)
class _Range:
    """The known bounds of a column in one file."""

    low: Any
    high: Any
    has_nulls: bool = True
    has_values: bool = True


class FileSkipping:
    """Tells which files of a table can hold wanted rows.

    Args:
        predicate: The wanted rows; nothing is skipped without a `Predicate`.
        metadata: The metadata of the table.

    Raises:
        ValueError: The schema of the table is invalid.
    """

    def __init__(self, predicate: Any, metadata: Metadata) -> None:
        self._predicate = predicate if isinstance(predicate, Predicate) else None
        self._schema = metadata.schema if self._predicate is not None else Schema(())
        self._mapping = metadata.column_mapping
        self._partitioned = {name.casefold() for name in metadata.partition_columns}

    def may_hold(self, file: SharedFile) -> bool:
        """Return whether the file can have wanted rows."""
        if self._predicate is None:
            return True
        statistics = _Statistics(file.stats)
        return True in self._outcomes(self._predicate, file, statistics)

    def _outcomes(
        self, predicate: Predicate, file: SharedFile, statistics: _Statistics
    ) -> Outcomes:
        if isinstance(predicate, (And, Or)):
            parts = [self._outcomes(part, file, statistics) for part in predicate.parts]
            found, join = parts[0], _both if isinstance(predicate, And) else _either
            for part in parts[1:]:
                found = frozenset(join(one, other) for one, other in itertools.product(found, part))
            return found
        if isinstance(predicate, Not):
            return frozenset(
                None if each is None else not each
                for each in self._outcomes(predicate.part, file, statistics)
            )
        if isinstance(predicate, (Comparison, IsNull)):
            column = self._column(predicate.column)
            known = None if column is None else self._range(column, file, statistics)
            return _ANY if column is None or known is None else _compared(predicate, column, known)
        return _ANY

    def _column(self, name: str) -> Field | None:
        try:
            return self._schema.column(name)
        except ValueError:
            return None

    def _range(self, column: Field, file: SharedFile, statistics: _Statistics) -> _Range | None:
        name = column.physical_name(self._mapping)
        if column.name.casefold() not in self._partitioned:
            return statistics.range(name, column)
        try:
            value = partition_values.parsed(file.partition_values[name], column.type)
        except (KeyError, ValueError):
            return None
        return _Range(value, value, has_nulls=value is None, has_values=value is not None)


class _Statistics:
    """The statistics of a file."""

    def __init__(self, text: str | None) -> None:
        try:
            read: Any = json.loads(text or "{}", parse_float=Decimal)
        except (ValueError, RecursionError):
            read = {}
        self._read = _members(read)

    def range(self, name: str, column: Field) -> _Range:
        """Return the known bounds of a column; None where they are not known."""
        nulls = _members(self._read.get("nullCount")).get(name)
        nulls = nulls if type(nulls) is int else None
        has_values = nulls is None or nulls != self._read.get("numRecords")
        low, high = (
            bounds.around(_members(self._read.get(side)).get(name), column.type)
            for side in ("minValues", "maxValues")
        )
        return _Range(low and low[0], high and high[1], has_nulls=nulls != 0, has_values=has_values)


def _compared(predicate: Comparison | IsNull, column: Field, known: _Range) -> Outcomes:
    if isinstance(predicate, IsNull):
        return frozenset(
            outcome
            for outcome, can_be in ((True, known.has_nulls), (False, known.has_values))
            if can_be
        )
    outcomes: set[bool | None] = {None} if known.has_nulls else set()
    if known.has_values:
        outcomes |= _of_values(predicate, known)
        if isinstance(column.type, Primitive) and column.type.name in _REAL:
            outcomes.add(False)  # of NaN, which no bound counts
    return frozenset(outcomes)


def _of_values(predicate: Comparison, known: _Range) -> set[bool | None]:
    low, high, value = known.low, known.high, predicate.value
    try:
        below, above = low is None or low < value, high is None or high > value
        from_low, to_high = low is None or low <= value, high is None or high >= value
    except TypeError:
        return {True, False}
    can_be = {
        "equal": (from_low and to_high, below or above),
        "lessThan": (below, to_high),
        "lessThanOrEqual": (from_low, above),
        "greaterThan": (above, from_low),
        "greaterThanOrEqual": (to_high, below),
    }
    is_true, is_false = can_be[predicate.operator]
    return {outcome for outcome, is_possible in ((True, is_true), (False, is_false)) if is_possible}


def _both(one: bool | None, other: bool | None) -> bool | None:  # noqa: FBT001 - values of SQL
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def _either(one: bool | None, other: bool | None) -> bool | None:  # noqa: FBT001 - values of SQL
    if one is True or other is True:
        return True
    return None if one is None or other is None else False


def _members(value: Any) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
