"""Files are judged in two steps: by partition values, once for all files that share them, and only then by the statistics of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from .casts import BadCast
from .columns import Columns
from .json_predicates import BadPredicate, json_predicate
from .outcomes import ANYTHING, TRUE
from .predicates import conjunction
from .reading import Statistics, partition_value
from .sql import sql_predicate
from .sql_text import Unusable
from .values import anything

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lakepact.reference_server.delta_sharing.log import ActiveFiles

    from .columns import Column
    from .predicates import Predicate
    from .values import Values

    PartitionValues = Mapping[str, str | None]
    _Judged = tuple[int, Mapping[Column, Values]]  # the outcomes that partition values leave, and what they tell


class Snapshot(Protocol):
    """A version of a table."""

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What it says of itself."""
        ...

    @property
    def files(self) -> ActiveFiles:
        """The files that it consists of."""
        ...


def selected(
    snapshot: Snapshot,
    *,
    predicate_hints: Sequence[Any] | None = None,
    json_predicate_hints: str | None = None,
    limit: int | None = None,
) -> Sequence[int] | None:
    """The files that a query has to answer with, as indexes in their order; None if it is all of them.

    They hold every row that matches the hints, or at least `limit` of them.

    Args:
        snapshot: the table.
        predicate_hints: predicates in SQL, all of which count; those that cannot be read do not.
        json_predicate_hints: a predicate as a JSON text; if there is anything wrong with it, it does not count.
        limit: how many rows are wanted; below 0 it does not count.
    """
    files = snapshot.files
    given = [*_from_sql(predicate_hints or (), snapshot), *_from_json(json_predicate_hints, snapshot)]
    used = [predicate for predicate in given if predicate and _Judge(predicate).fits(files)]
    chosen: list[int] | None = None
    if limit is not None and limit >= 0 and len(used) == len(given):
        chosen = _enough(files, _Judge(conjunction(*used)), limit)
    elif used:
        chosen = [file.place for file in _Judge(conjunction(*used)).judged(files)]
    return None if chosen is None or len(chosen) == len(files) else chosen


def _from_sql(hints: Sequence[Any], snapshot: Snapshot) -> Iterator[Predicate | None]:
    """A predicate for each hint, or None if it cannot be used."""
    columns = Columns(snapshot.metadata) if hints else None
    for hint in hints:
        try:
            yield sql_predicate(hint, columns) if columns and isinstance(hint, str) else None
        except Unusable:
            yield None


def _from_json(text: str | None, snapshot: Snapshot) -> Iterator[Predicate | None]:
    """The predicate of a JSON text, or None if it cannot be used; nothing if there is no text."""
    if text is None:
        return
    try:
        yield json_predicate(text, Columns(snapshot.metadata))
    except BadPredicate:
        yield None


def _enough(files: ActiveFiles, judge: _Judge, limit: int) -> list[int]:
    """Files that surely hold `limit` rows that match; if there are not so many, all files that may hold one."""
    sure, possible, rows = list[int](), list[int](), 0
    if limit == 0:
        return sure
    for file in judge.judged(files):
        possible.append(file.place)
        found = file.rows() if file.outcomes == TRUE else 0
        if found > 0:
            sure.append(file.place)
            rows += found
            if rows >= limit:
                return sure
    return possible


class _File(NamedTuple):
    """A file that may hold a row that matches."""

    place: int
    outcomes: int
    stats: str | None
    vector: Mapping[str, Any] | None

    def rows(self) -> int:
        """How many rows it holds for certain, those not counted that are deleted."""
        records = Statistics(self.stats).records
        if records is None:
            return 0
        deleted = 0 if self.vector is None else self.vector.get("cardinality")
        return records - deleted if isinstance(deleted, int) and deleted >= 0 else 0


class _Known:
    """What partition values tell of a file, and its statistics if they are asked."""

    def __init__(self, partition: Mapping[Column, Values], statistics: Statistics | None = None) -> None:
        self._partition, self._statistics = partition, statistics

    def values(self, column: Column) -> Values:
        """What a column may hold."""
        if column.partition:
            return self._partition[column]
        return anything(column.kind) if self._statistics is None else self._statistics.values(column)


class _Judge:
    """A predicate, judged file by file; what partition values tell is kept."""

    def __init__(self, predicate: Predicate) -> None:
        self._predicate = predicate
        columns = predicate.columns()
        self._partition = [column for column in columns if column.partition]
        self._data = any(not column.partition for column in columns)
        self._kept: dict[tuple[Any, ...], _Judged] = {}
        self._seen: dict[int, _Judged] = {}

    def fits(self, files: ActiveFiles) -> bool:
        """Whether all partition values are what the predicate takes them for."""
        try:
            for partition in {id(partition): partition for chunk in files.chunks for partition in chunk.partitions}.values():
                self._of_partition(partition)
        except BadCast:
            return False
        return True

    def judged(self, files: ActiveFiles) -> Iterator[_File]:
        """The files that may hold a row for which the predicate is true."""
        seen, start = self._seen, 0
        for chunk in files.chunks:
            for place, (partition, stats) in enumerate(zip(chunk.partitions, chunk.stats, strict=True)):
                outcomes, known = seen.get(id(partition)) or self._of_partition(partition)
                if self._data and outcomes & TRUE and outcomes != TRUE and stats is not None:
                    outcomes = self._predicate.outcomes(_Known(known, Statistics(stats)))
                if outcomes & TRUE:
                    yield _File(start + place, outcomes, stats, chunk.vectors[place] if chunk.vectors else None)
            start += len(chunk)

    def _of_partition(self, partition: PartitionValues) -> _Judged:
        key = tuple(partition.get(column.path[0], ANYTHING) for column in self._partition)
        judged = self._kept.get(key)
        if judged is None:
            known = {column: partition_value(column, partition) for column in self._partition}
            judged = self._kept[key] = self._predicate.outcomes(_Known(known)), known
        self._seen[id(partition)] = judged
        return judged
