"""The files that a version of a table consists of: chunks of columns, which versions share as long as nothing in them changes."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from .actions import key_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from .actions import Document

    Key = str | tuple[str, str]

CHUNK = 256  #: files of a chunk, at most
COLUMNS = frozenset({"path", "partitionValues", "size", "modificationTime", "stats", "deletionVector"})
DROPPED = frozenset({"tags", "stats_parsed", "partitionValues_parsed"})  #: what no reader of a shared table gets to see


class File(NamedTuple):
    """One file, as the column-wise store takes it in."""

    path: str
    partition: Mapping[str, str | None]
    size: int
    modified: int  #: milliseconds since 1970
    stats: str | None
    vector: Mapping[str, Any] | None
    others: Mapping[str, Any]  #: the rest of the add action


class Sharing:
    """Keeps one of equal partition values, and of equal rests, for many files have the same."""

    def __init__(self) -> None:
        self._partitions: dict[tuple[tuple[str, str | None], ...], Mapping[str, str | None]] = {}
        self._others: dict[tuple[tuple[str, Any], ...], Mapping[str, Any]] = {}

    def partition(self, values: Mapping[str, str | None]) -> Mapping[str, str | None]:
        """These values, or equal ones that were seen before."""
        return self._partitions.setdefault(tuple(values.items()), values)

    def others(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """This rest, or an equal one that was seen before."""
        try:
            return self._others.setdefault(tuple(values.items()), values)
        except TypeError:  # a member that is unknown here, and is a list or an object
            return values

    def file(self, add: Document) -> File:
        """The file that a checked add action is about."""
        modified = add.get("modificationTime")
        return File(
            add["path"],
            self.partition(add["partitionValues"]),
            add["size"],
            modified if type(modified) is int else 0,
            add.get("stats"),
            add.get("deletionVector"),
            self.others({name: value for name, value in add.items() if name not in COLUMNS and name not in DROPPED}),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Some files, column by column."""

    paths: tuple[str, ...]
    partitions: tuple[Mapping[str, str | None], ...]
    sizes: array[int]
    modified: array[int]
    stats: tuple[str | None, ...]
    vectors: tuple[Mapping[str, Any] | None, ...] | None  #: None: no file has one
    others: tuple[Mapping[str, Any], ...]
    kept: dict[Any, Any] = field(default_factory=dict[Any, Any])
    #: what was worked out from these files and will be asked for again, by name: prepared lines, statistics

    def __len__(self) -> int:
        return len(self.paths)

    def document(self, index: int) -> Document:
        """The add action of a file."""
        stats, vector = self.stats[index], self.vectors[index] if self.vectors else None
        return {
            "path": self.paths[index],
            "partitionValues": dict(self.partitions[index]),
            "size": self.sizes[index],
            "modificationTime": self.modified[index],
            **({} if stats is None else {"stats": stats}),
            **({} if vector is None else {"deletionVector": dict(vector)}),
            **self.others[index],
        }

    def keys(self) -> Collection[Key]:
        """What makes each of these files a logical file of its own."""
        if self.vectors is None:
            return self.paths
        return [key_of(path, vector) for path, vector in zip(self.paths, self.vectors, strict=True)]

    def files(self) -> Iterator[File]:
        """The files one by one."""
        vectors = self.vectors or (None,) * len(self.paths)
        return map(File, self.paths, self.partitions, self.sizes, self.modified, self.stats, vectors, self.others)


def chunk_of(files: Sequence[File]) -> Chunk:
    """These files as columns."""
    paths, partitions, sizes, modified, stats, vectors, others = zip(*files, strict=True)
    return Chunk(
        paths,
        partitions,
        array("q", sizes),
        array("q", modified),
        stats,
        vectors if any(vectors) else None,
        others,
    )


def chunked(files: Sequence[File]) -> list[Chunk]:
    """These files in chunks."""
    return [chunk_of(files[start : start + CHUNK]) for start in range(0, len(files), CHUNK)]


class ActiveFiles(Sequence[Mapping[str, Any]]):
    """The files of a snapshot: a sequence of add actions, and behind it the columns that they are made from."""

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
        """Which chunk a file is in, and where there."""
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        chunk = bisect_right(self._ends, index)
        return chunk, index - (self._ends[chunk - 1] if chunk else 0)

    def size(self) -> int:
        """Bytes of all files together."""
        return sum(sum(chunk.sizes) for chunk in self.chunks)

    def changed(self, gone: set[Key], added: Collection[File]) -> ActiveFiles:
        """These files without those that are gone, and with others behind them; chunks that nothing happens to are the same ones."""
        chunks: list[Chunk] = []
        for chunk in self.chunks:
            keys = chunk.keys()
            if not gone or gone.isdisjoint(keys):
                chunks.append(chunk)
            elif left := [file for file, key in zip(chunk.files(), keys, strict=True) if key not in gone]:
                chunks.append(chunk_of(left))
        files = list(added)
        if files and chunks and len(chunks[-1]) + len(files) <= CHUNK:
            files = [*chunks.pop().files(), *files]
        return ActiveFiles([*chunks, *chunked(files)])
