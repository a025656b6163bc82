"""The files that a version of a table consists of: chunks of columns, which versions share as long
as nothing in them changes.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, compress
from typing import TYPE_CHECKING, Any, overload

from lakepact.reference_server.delta_sharing.log.actions import (
    check_partition,
    check_path_and_size,
    check_stats,
    check_vector,
    key_of,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from lakepact.reference_server.delta_sharing.log.actions import Document, Key

    Partition = Mapping[str, str | None]
    Vector = Mapping[str, Any]

CHUNK = 256  #: files of a chunk, at most
MANY = 64  #: chunks that are acceptable, however small they are
DROPPED = frozenset(
    {"tags", "stats_parsed", "partitionValues_parsed"}
)  #: what no reader of a shared table gets to see


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Some files, column by column."""

    paths: Sequence[str]
    partitions: Sequence[Partition]
    sizes: array[int]
    mtimes: array[int]  #: milliseconds since 1970
    stats: Sequence[str | None]
    vectors: Sequence[Vector | None] | None  #: None: no file has one
    others: Sequence[Mapping[str, Any]]  #: the rest of the add actions
    cache: dict[Any, Any] = field(default_factory=dict[Any, Any])
    #: what was worked out from these files and will be asked for again, by name: prepared lines,
    #: statistics

    def __len__(self) -> int:
        return len(self.paths)

    def document(self, index: int) -> Document:
        """Return the add action of a file."""
        stats, vector = self.stats[index], self.vectors[index] if self.vectors else None
        return {
            "path": self.paths[index],
            "partitionValues": dict(self.partitions[index]),
            "size": self.sizes[index],
            "modificationTime": self.mtimes[index],
            **({} if stats is None else {"stats": stats}),
            **({} if vector is None else {"deletionVector": dict(vector)}),
            **self.others[index],
        }

    def keys(self) -> Collection[Key]:
        """Return the identities of these files as logical files."""
        if self.vectors is None:
            return self.paths
        return [key_of(path, vector) for path, vector in zip(self.paths, self.vectors, strict=True)]

    def columns(self) -> Columns:
        """Return the same files, to be changed."""
        return Columns(
            list(self.paths),
            list(self.partitions),
            list(self.sizes),
            list(self.mtimes),
            list(self.stats),
            list(self.vectors or (None,) * len(self)),
            list(self.others),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Files on their way into chunks."""

    paths: list[str] = field(default_factory=list[str])
    partitions: list[Partition] = field(default_factory=list["Partition"])
    sizes: list[int] = field(default_factory=list[int])
    mtimes: list[int] = field(default_factory=list[int])
    stats: list[str | None] = field(default_factory=list["str | None"])
    vectors: list[Vector | None] = field(default_factory=list["Vector | None"])
    others: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])

    def __len__(self) -> int:
        return len(self.paths)

    def all(self) -> tuple[list[Any], ...]:
        """Return the columns, in order."""
        return (
            self.paths,
            self.partitions,
            self.sizes,
            self.mtimes,
            self.stats,
            self.vectors,
            self.others,
        )

    def select(self, mask: Sequence[bool]) -> Columns:
        """Return only the wanted files."""
        return Columns(*(list(compress(column, mask)) for column in self.all()))

    def extend(self, more: Columns) -> None:
        """Put other files behind these."""
        for column, further in zip(self.all(), more.all(), strict=True):
            column.extend(further)

    def chunks(self) -> list[Chunk]:
        """Return these files in chunks."""
        return [self._chunk(slice(start, start + CHUNK)) for start in range(0, len(self), CHUNK)]

    def _chunk(self, part: slice) -> Chunk:
        vectors = tuple(self.vectors[part])
        return Chunk(
            tuple(self.paths[part]),
            tuple(self.partitions[part]),
            array("q", self.sizes[part]),
            array("q", self.mtimes[part]),
            tuple(self.stats[part]),
            vectors if any(vectors) else None,
            tuple(self.others[part]),
        )


class Changes:
    """Collects the effect of consecutive commits on the files of a table: removed and added
    files.
    """

    def __init__(self) -> None:
        self.gone: set[Key] = set()
        self._columns = Columns()
        self._places: dict[Key, int] = {}
        self._same_partitions: dict[Any, Partition] = {}
        self._same_others: dict[Any, Mapping[str, Any]] = {}

    def remove(self, key: Key) -> None:
        """Record a removed file."""
        self.gone.add(key)
        self._places.pop(key, None)

    def add(self, action: Document, where: str) -> None:
        """Record an added file; the action is consumed.

        Raises:
            DamagedLog: the action lacks a required member.
        """
        take, columns = action.pop, self._columns
        path, size = take("path", None), take("size", None)
        check_path_and_size("add", path, size, where)
        vector = take("deletionVector", None)
        key = path
        if vector is not None:
            check_vector(vector, where)
            key = key_of(path, vector)
        self.gone.add(key)
        self._places[key] = len(columns.paths)
        stats, mtime = take("stats", None), take("modificationTime", None)
        columns.paths.append(path)
        columns.partitions.append(self._partition(take("partitionValues", None), where))
        columns.sizes.append(size)
        columns.mtimes.append(mtime if type(mtime) is int and 0 <= mtime < 1 << 63 else 0)
        columns.stats.append(check_stats(stats, where))
        columns.vectors.append(vector)
        columns.others.append(self._rest(action))

    def come(self) -> Columns:
        """Return the files that have come and stayed."""
        count = len(self._columns)
        if len(self._places) == count:
            return self._columns
        mask = [False] * count
        for place in self._places.values():
            mask[place] = True
        return self._columns.select(mask)

    def _partition(self, values: Any, where: str) -> Partition:
        """Return values that are one object in all files that have the same."""
        try:
            key = tuple(values.items())
            return self._same_partitions[key]
        except (AttributeError, KeyError, TypeError):
            values = {} if values is None else values
            check_partition(values, where)
            return self._same_partitions.setdefault(tuple(values.items()), values)

    def _rest(self, action: Document) -> Mapping[str, Any]:
        """Return the rest of an action, shared by all files with an equal one."""
        key = tuple(action.items())
        try:
            return self._same_others[key]
        except KeyError:
            return self._same_others.setdefault(key, rest_of(action))
        except TypeError:  # a member that is a list or an object
            return rest_of(action)


def rest_of(action: Document) -> Mapping[str, Any]:
    """Return the members that have no column."""
    return {
        name: value for name, value in action.items() if value is not None and name not in DROPPED
    }


class ActiveFiles(Sequence[Mapping[str, Any]]):
    """The files of a snapshot: a sequence of add actions, and behind it the columns that they are
    made from.
    """

    def __init__(self, chunks: Iterable[Chunk] = ()) -> None:
        self.chunks = tuple(chunks)
        self._ends = list(accumulate(map(len, self.chunks)))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, index: int) -> Mapping[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Mapping[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        chunk, place = self.place(index)
        return self.chunks[chunk].document(place)

    def place(self, index: int) -> tuple[int, int]:
        """Return the chunk of a file, and its position there."""
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        chunk = bisect_right(self._ends, index)
        return chunk, index - (self._ends[chunk - 1] if chunk else 0)

    def size(self) -> int:
        """Return bytes of all files together."""
        return self._size

    @cached_property
    def _size(self) -> int:
        return sum(sum(chunk.sizes) for chunk in self.chunks)

    def twice(self) -> str | None:
        """Return a path that two files have, which differ in their deletion vectors alone; None if
        there is none.
        """
        paths: set[str] = set()
        if any(chunk.vectors for chunk in self.chunks):
            for chunk in self.chunks:
                for path in chunk.paths:
                    if path in paths:
                        return path
                    paths.add(path)
        return None

    def with_changes(self, removals: set[Key], come: Columns) -> ActiveFiles:
        """Return these files without removed ones and with added ones at the end; unaffected chunks
        stay the same objects.
        """
        chunks: list[Chunk] = []
        for chunk in self.chunks:
            keys = chunk.keys()
            if not removals or removals.isdisjoint(keys):
                chunks.append(chunk)
            else:
                chunks += chunk.columns().select([key not in removals for key in keys]).chunks()
        if come and chunks and len(chunks[-1]) + len(come) <= CHUNK:
            last = chunks.pop().columns()
            last.extend(come)
            come = last
        chunks += come.chunks()
        return ActiveFiles(
            chunks
            if len(chunks) < MANY + 4 * sum(map(len, chunks)) // CHUNK
            else merge_small(chunks)
        )


def merge_small(chunks: Iterable[Chunk]) -> list[Chunk]:
    """Return the files of chunks that have become small, in fewer of them."""
    columns = Columns()
    for chunk in chunks:
        columns.extend(chunk.columns())
    return columns.chunks()
