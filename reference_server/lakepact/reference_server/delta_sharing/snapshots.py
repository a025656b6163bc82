"""Cache of parsed logs: snapshots by table and version, and the prepared lines of their files.

The end of a table's log shows whether it changed. The cache is bounded by bytes; versions of a
table share most of theirs.
"""

from __future__ import annotations

from collections import OrderedDict
from itertools import groupby
from threading import Lock
from typing import TYPE_CHECKING

from lakepact.reference_server.delta_sharing.formats import FORMATS
from lakepact.reference_server.delta_sharing.histories import delta_log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lakepact.reference_server.delta_sharing.formats import Links
    from lakepact.reference_server.delta_sharing.histories import History, Source
    from lakepact.reference_server.delta_sharing.log import Snapshot
    from lakepact.reference_server.delta_sharing.log.active_files import Chunk

LIMIT = 512 * 1024 * 1024  #: bytes that are kept, unless something else is said
OVERHEAD = 200  #: bytes per file without its texts, roughly
WEIGHT = "weight"
NEARER = 16  #: commits that cost less to read than a checkpoint


class Snapshots:
    """Snapshots of tables, read once.

    Args:
        limit: bytes that are kept; the snapshot that was used last is kept whatever its size.
        opened: gives what the versions of a table are read from, by where they are.
    """

    def __init__(
        self, limit: int = LIMIT, *, open_history: Callable[[Source], History] = delta_log
    ) -> None:
        self._limit, self._opened = limit, open_history
        self._logs: dict[Source, History] = {}
        self._snapshots: OrderedDict[tuple[object, int], Snapshot] = OrderedDict()
        self._locks: dict[object, Lock] = {}
        self._order = Lock()

    def log(self, source: Source) -> History:
        """Return the versions of a table, as they are now.

        Raises:
            NoTable: there is none.
        """
        with self._lock(("log", source)):
            cached = self._logs.get(source)
            log = self._logs[source] = self._opened(source) if cached is None else cached.refresh()
            log.latest()  # whether there is a table is said here
            return log

    def snapshot(self, source: Source, version: int | None = None) -> Snapshot:
        """Return a version of a table, the newest one if none is named.

        Raises:
            LogError: there is none, or it cannot be read.
        """
        log = self.log(source)
        number = log.existing(log.latest() if version is None else version)
        name = (log.lineage, number)
        snapshot = self._cached(name)
        if snapshot is None:
            with self._lock(source):
                snapshot = self._cached(name)  # another thread may have loaded it
                if snapshot is None:
                    snapshot = log.snapshot(number, base=self._base(log, number))
                    self._keep(name, snapshot)
        return snapshot

    def lines(
        self,
        snapshot: Snapshot,
        form: str,
        links: Links,
        *,
        numbers: Sequence[int] | None = None,
        with_time: bool = False,
    ) -> Iterator[bytes]:
        """Return the lines of a snapshot's files, in pieces; whatever can be wrong with them is
        said before the first one is given.

        Args:
            snapshot: the snapshot.
            form: the response format.
            links: where the files are fetched.
            numbers: which files, in order; all of them if None.
            with_time: whether each line says the snapshot's version and time.
        """
        name = (form, links.key, tuple(snapshot.metadata["partitionColumns"]))
        chunks = snapshot.files.chunks
        if numbers is None:
            parts: list[tuple[Chunk, list[int] | None]] = [(chunk, None) for chunk in chunks]
        else:
            places = groupby(map(snapshot.files.place, numbers), key=lambda place: place[0])
            parts = [
                (chunks[number], [index for _, index in of_chunk]) for number, of_chunk in places
            ]
        self._prepare([chunk for chunk, _ in parts if name not in chunk.cache], name)
        members = (
            {"version": snapshot.version, "timestamp": snapshot.timestamp} if with_time else {}
        )
        return (links.fill(only(chunk.cache[name], indexes), **members) for chunk, indexes in parts)

    def _prepare(
        self, chunks: Sequence[Chunk], name: tuple[str, Callable[[str], str], tuple[str, ...]]
    ) -> None:
        """Make the lines of chunks that have none yet."""
        if not chunks:
            return
        form, key, columns = name
        with self._lock(key):
            for chunk in chunks:
                if name not in chunk.cache:
                    chunk.cache[name] = FORMATS[form].block(chunk, key, columns)
        self._let_go()

    def _lock(self, name: object) -> Lock:
        """Return a lock that admits one thread at a time."""
        return self._locks.setdefault(name, Lock())

    def _cached(self, name: tuple[object, int]) -> Snapshot | None:
        with self._order:
            snapshot = self._snapshots.get(name)
            if snapshot is not None:
                self._snapshots.move_to_end(name)
            return snapshot

    def _base(self, log: History, version: int) -> Snapshot | None:
        """Return the snapshot to start from: the newest one before a version that is kept, if no
        checkpoint is nearer.
        """
        with self._order:
            older = [
                earlier
                for lineage, earlier in self._snapshots
                if lineage is log.lineage and earlier < version
            ]
            newest = max(older, default=-1)
            if newest < max((c for c in log.checkpoints if c <= version), default=-1) - NEARER:
                return None
            return self._snapshots.get((log.lineage, newest))

    def _keep(self, name: tuple[object, int], snapshot: Snapshot) -> None:
        with self._order:
            self._snapshots[name] = snapshot
        self._let_go()

    def _let_go(self) -> None:
        """Forget what was not used for the longest time, until the rest is within the limit."""
        with self._order:
            while len(self._snapshots) > 1 and self.weight() > self._limit:
                self._snapshots.popitem(last=False)

    def weight(self) -> int:
        """Return bytes that are kept, roughly."""
        chunks = {
            id(chunk): chunk
            for snapshot in self._snapshots.values()
            for chunk in snapshot.files.chunks
        }
        return sum(map(weight, chunks.values()))


def only(block: bytes, indexes: Sequence[int] | None) -> bytes:
    """Return a range of lines of a block."""
    if indexes is None:
        return block
    lines = block.split(b"\n")
    return b"".join(lines[index] + b"\n" for index in indexes)


def weight(chunk: Chunk) -> int:
    """Return bytes of a chunk and of what was worked out from it, roughly."""
    texts: int | None = chunk.cache.get(WEIGHT)
    if texts is None:
        texts = chunk.cache[WEIGHT] = sum(map(len, chunk.paths)) + sum(
            len(stats) for stats in chunk.stats if stats
        )
    return (
        texts
        + OVERHEAD * len(chunk)
        + sum(len(lines) for lines in list(chunk.cache.values()) if isinstance(lines, bytes))
    )
