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
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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
    files = _Files(snapshot.files)
    given = [*_from_sql(predicate_hints or (), snapshot), *_from_json(json_predicate_hints, snapshot)]
    judges = [judge for judge in map(_Judge, filter(None, given)) if judge.fits(files.partitions())]
    if limit is not None and limit >= 0 and len(judges) == len(given):
        return _enough(files, judges, limit)
    if not judges:
        return None
    chosen = [file.place for file, outcomes in _judged(files, judges) if outcomes & TRUE]
    return None if len(chosen) == len(snapshot.files) else chosen


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


def _judged(files: _Files, judges: Sequence[_Judge]) -> Iterator[tuple[_File, int]]:
    """Each file, and what all predicates together may be for its rows."""
    judge = _Judge(conjunction(*(judge.predicate for judge in judges)))
    for file in files:
        yield file, judge.outcomes(file)


def _enough(files: _Files, judges: Sequence[_Judge], limit: int) -> Sequence[int] | None:
    """Files that surely hold `limit` rows that match; if there are not so many, all files that may hold one."""
    if limit == 0:
        return []
    sure, possible, rows = list[int](), list[int](), 0
    for file, outcomes in _judged(files, judges) if judges else ((file, TRUE) for file in files):
        if not outcomes & TRUE:
            continue
        possible.append(file.place)
        found = file.rows() if outcomes == TRUE else 0
        if found > 0:
            sure.append(file.place)
            rows += found
            if rows >= limit:
                return None if len(sure) == len(files) else sure
    return None if len(possible) == len(files) else possible


class _File(NamedTuple):
    place: int
    partition: PartitionValues
    stats: str | None
    vector: Mapping[str, Any] | None

    def rows(self) -> int:
        """How many rows it holds for certain, those not counted that are deleted."""
        records = Statistics(self.stats).records
        if records is None:
            return 0
        deleted = 0 if self.vector is None else self.vector.get("cardinality")
        return records - deleted if isinstance(deleted, int) and deleted >= 0 else 0


class _Files:
    def __init__(self, files: ActiveFiles) -> None:
        self._files = files

    def __len__(self) -> int:
        return len(self._files)

    def __iter__(self) -> Iterator[_File]:
        index = 0
        for chunk in self._files.chunks:
            for place, (partition, stats) in enumerate(zip(chunk.partitions, chunk.stats, strict=True)):
                yield _File(index, partition, stats, chunk.vectors[place] if chunk.vectors else None)
                index += 1

    def partitions(self) -> Iterable[PartitionValues]:
        """The partition values that there are; files that share them are named once."""
        return {id(partition): partition for chunk in self._files.chunks for partition in chunk.partitions}.values()


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
        self.predicate = predicate
        columns = predicate.columns()
        self._partition = [column for column in columns if column.partition]
        self._data = any(not column.partition for column in columns)
        self._kept: dict[tuple[Any, ...], _Judged] = {}
        self._seen: dict[int, _Judged] = {}

    def fits(self, partitions: Iterable[PartitionValues]) -> bool:
        """Whether all partition values are what the predicate takes them for."""
        try:
            for partition in partitions:
                self._of_partition(partition)
        except BadCast:
            return False
        return True

    def outcomes(self, file: _File) -> int:
        """What the predicate may be for the rows of a file."""
        outcomes, known = self._seen.get(id(file.partition)) or self._of_partition(file.partition)
        if not self._data or not outcomes & TRUE or outcomes == TRUE or file.stats is None:
            return outcomes
        return self.predicate.outcomes(_Known(known, Statistics(file.stats)))

    def _of_partition(self, partition: PartitionValues) -> _Judged:
        key = tuple(partition.get(column.path[0], ANYTHING) for column in self._partition)
        judged = self._kept.get(key)
        if judged is None:
            known = {column: partition_value(column, partition) for column in self._partition}
            judged = self._kept[key] = self.predicate.outcomes(_Known(known)), known
        self._seen[id(partition)] = judged
        return judged
