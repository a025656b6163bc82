"""Files are judged in two steps: by partition values, once for all files that share them, and only
then by the statistics of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, reduce
from typing import Any, NamedTuple, Protocol

from lakepact.reference_server.delta_sharing.hints.casts import BadCast
from lakepact.reference_server.delta_sharing.hints.columns import Column, Columns
from lakepact.reference_server.delta_sharing.hints.json_predicates import (
    BadPredicate,
    json_predicate,
)
from lakepact.reference_server.delta_sharing.hints.outcomes import ANYTHING, TRUE
from lakepact.reference_server.delta_sharing.hints.predicates import Predicate, conjunction
from lakepact.reference_server.delta_sharing.hints.reading import Statistics, partition_value
from lakepact.reference_server.delta_sharing.hints.sql import sql_predicate
from lakepact.reference_server.delta_sharing.hints.sql_text import Unusable
from lakepact.reference_server.delta_sharing.hints.values import Values, anything, together
from lakepact.reference_server.delta_sharing.log import ActiveFiles
from lakepact.reference_server.delta_sharing.log.active_files import Chunk

PartitionValues = Mapping[str, str | None]
_Verdict = tuple[
    int, Mapping[Column, Values]
]  # the outcomes that partition values leave, and what they tell


KEPT = (
    "hints"  #: what is kept of a chunk begins so: what all its files together may hold of a column
)
MOST_HINTS = 100  #: predicates of one request that are read
MOST_CHARACTERS = 65_536  #: of these, together
#: Comparisons per request, about a second's worth; files beyond that are kept.
MOST_COMPARISONS = 500_000


class Snapshot(Protocol):
    """A version of a table."""

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Return the statistics of a file itself."""
        ...

    @property
    def files(self) -> ActiveFiles:
        """The files that it consists of."""
        ...


def select(
    snapshot: Snapshot,
    *,
    predicate_hints: Sequence[Any] | None = None,
    json_predicate_hints: str | None = None,
    limit: int | None = None,
) -> Sequence[int] | None:
    """Return the indexes of the files that a query must return, in their order; `None` for all of
    them.

    They hold every row that matches the hints, or at least `limit` of them.

    Args:
        snapshot: the table.
        predicate_hints: predicates in SQL, combined with AND; unreadable ones are ignored.
        json_predicate_hints: a predicate as JSON text; an invalid one is ignored.
        limit: the number of wanted rows; ignored if negative.
    """
    files = snapshot.files
    trees = [
        *_from_sql(predicate_hints or (), snapshot),
        *_from_json(json_predicate_hints, snapshot),
    ]
    used, left = list["Predicate"](), MOST_COMPARISONS
    partitions = _Partitions(files)
    for predicate in filter(None, trees):
        steps = _Judge(predicate, partitions).steps(len(files), left)
        if steps is not None:
            used.append(predicate)
            left -= steps
    indexes: list[int] | None = None
    if limit is not None and limit >= 0 and len(used) == len(trees):
        indexes = _enough(files, _Judge(conjunction(*used), partitions), limit)
    elif used:
        indexes = [file.place for file in _Judge(conjunction(*used), partitions).judge(files)]
    return None if indexes is None or len(indexes) == len(files) else indexes


def _from_sql(hints: Sequence[Any], snapshot: Snapshot) -> Iterator[Predicate | None]:
    """Yield a predicate for each hint, or None if it cannot be used."""
    columns = Columns(snapshot.metadata) if hints else None
    left = MOST_CHARACTERS
    for number, hint in enumerate(hints):
        left -= len(hint) if isinstance(hint, str) else 0
        try:
            yield (
                sql_predicate(hint, columns)
                if columns and isinstance(hint, str) and number < MOST_HINTS and left >= 0
                else None
            )
        except Unusable:
            yield None


def _from_json(text: str | None, snapshot: Snapshot) -> Iterator[Predicate | None]:
    """Yield the predicate of a JSON text, or None if it cannot be used; nothing if there is no
    text.
    """
    if text is None:
        return
    try:
        yield json_predicate(text, Columns(snapshot.metadata))
    except BadPredicate:
        yield None


def _enough(files: ActiveFiles, judge: _Judge, limit: int) -> list[int]:
    """Return files that surely hold `limit` rows that match; if there are not so many, all files
    that may hold one.
    """
    sure, possible, rows = list[int](), list[int](), 0
    if limit == 0:
        return sure
    for file in judge.judge(files):
        possible.append(file.place)
        count = file.rows() if file.outcomes == TRUE else 0
        if count > 0:
            sure.append(file.place)
            rows += count
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
        """Return how many rows it holds for certain, those not counted that are deleted."""
        records = Statistics(self.stats).records
        if records is None:
            return 0
        deletes = 0 if self.vector is None else self.vector.get("cardinality")
        return records - deletes if isinstance(deletes, int) and deletes >= 0 else 0


class _Known:
    """The partition values of a file together with its statistics."""

    def __init__(
        self, partition: Mapping[Column, Values], statistics: Statistics | None = None
    ) -> None:
        self._partition, self._statistics = partition, statistics
        self.read: dict[Column, Values] = {}  #: from the statistics

    def values(self, column: Column) -> Values:
        """Return the possible values of a column."""
        if column.partition:
            return self._partition.get(column) or anything(column.kind)
        if self._statistics is None:
            return self.read.get(column) or anything(column.kind)
        values = self.read.get(column)
        if values is None:
            values = self.read[column] = self._statistics.values(column)
        return values


class _Partitions:
    """The partition values of some files, each read once for all predicates of a request."""

    def __init__(self, files: ActiveFiles) -> None:
        self._files = files
        self._read: dict[tuple[Column, Any], Values] = {}

    @cached_property
    def different(self) -> Sequence[PartitionValues]:
        """All that are not the same."""
        return list(
            {
                id(partition): partition
                for chunk in self._files.chunks
                for partition in chunk.partitions
            }.values()
        )

    def value(self, column: Column, partition: PartitionValues) -> Values:
        """Return the value of a column in all rows of a file with these partition values."""
        key = column, partition.get(column.path[0], ANYTHING)
        value = self._read.get(key)
        if value is None:
            value = self._read[key] = partition_value(column, partition)
        return value


class _Judge:
    """A predicate, judged file by file; what partition values tell is kept, and so is what
    statistics tell of many files together.
    """

    def __init__(self, predicate: Predicate, partitions: _Partitions) -> None:
        self._predicate = predicate
        self._partitions = partitions
        columns = predicate.columns()
        self._partition = [column for column in columns if column.partition]
        self._data = [column for column in columns if not column.partition]
        self._kept: dict[tuple[Any, ...], _Verdict] = {}
        self._seen: dict[int, _Verdict] = {}

    def steps(self, files: int, left: int) -> int | None:
        """Return how many comparisons it takes to judge so many files.

        None if that is more than are left, or if partition values are not what the predicate takes
        them for.
        """
        size = self._predicate.size()
        steps = size * files if self._data else 0
        if self._partition:
            steps += len(
                self._partitions.different
            )  # to look at each of them costs about as much as to compare it
        if steps > left:
            return None
        different = (
            {self._key(partition): partition for partition in self._partitions.different}
            if self._partition
            else {(): {}}
        )
        steps += (size + 1) * len(different) if self._partition else 0
        if steps > left:
            return None
        try:
            for partition in different.values():
                self._of_partition(partition)
        except BadCast:
            return None
        return steps

    def judge(self, files: ActiveFiles) -> Iterator[_File]:
        """Yield the files that may hold a row for which the predicate is true."""
        start = 0
        for chunk in files.chunks:
            if self._may_hold(chunk):
                yield from self._of_chunk(chunk, start)
            start += len(chunk)

    def _may_hold(self, chunk: Chunk) -> bool:
        """Return whether any file of a chunk may hold a row that matches, as far as that was seen
        before.
        """
        facts = _Known({})
        facts.read = {
            column: chunk.cache[KEPT, column]
            for column in self._data
            if (KEPT, column) in chunk.cache
        }
        return not facts.read or bool(self._predicate.outcomes(facts) & TRUE)

    def _of_chunk(self, chunk: Chunk, start: int) -> Iterator[_File]:
        memo, facts = self._seen, list[_Known]()
        for place, (partition, stats) in enumerate(zip(chunk.partitions, chunk.stats, strict=True)):
            outcomes, values = memo.get(id(partition)) or self._of_partition(partition)
            if self._data and outcomes & TRUE and outcomes != TRUE and stats is not None:
                facts.append(_Known(values, Statistics(stats)))
                outcomes = self._predicate.outcomes(facts[-1])
            if outcomes & TRUE:
                yield _File(
                    start + place, outcomes, stats, chunk.vectors[place] if chunk.vectors else None
                )
        if len(facts) == len(chunk):
            for column in self._data:
                chunk.cache[KEPT, column] = reduce(
                    together, (fact.values(column) for fact in facts)
                )

    def _key(self, partition: PartitionValues) -> tuple[Any, ...]:
        return tuple(partition.get(column.path[0], ANYTHING) for column in self._partition)

    def _of_partition(self, partition: PartitionValues) -> _Verdict:
        key = self._key(partition)
        verdict = self._kept.get(key)
        if verdict is None:
            by_column = {
                column: self._partitions.value(column, partition) for column in self._partition
            }
            verdict = self._kept[key] = self._predicate.outcomes(_Known(by_column)), by_column
        self._seen[id(partition)] = verdict
        return verdict
