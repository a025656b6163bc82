"""The mark of a store: the number of acknowledged changes, in a separate file.

SQLite treats a deleted or truncated log as one that ended early. The mark shows the difference: a
store with fewer changes than the mark has lost some.

The mark is written after a change is in the log and before the change is acknowledged. When the
process is killed, the operating system keeps the mark, which is then exact. It is not synced at
each change, so it may be older than the store after a power failure. It is never newer where
commits are synced. With `--durability normal` it can be newer after a restart of the machine.
"""

from __future__ import annotations

import dataclasses
import os
import zlib
from dataclasses import dataclass
from pathlib import Path

import orjson

from lakepact.reference_server.settings import BadSetting

BOOT = Path("/proc/sys/kernel/random/boot_id")
SIZE = 512  #: bytes of a mark: disks write as many at once, so that a mark is never torn
COUNT = 30  #: of these, at the end, for the number of changes
#: changes after which the mark is waited for, so that it lags by no more after a power failure
SYNCED = 64
_WAIT = getattr(os, "fdatasync", os.fsync)


class DamagedMark(BadSetting):
    """A file holds no mark."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The facts about a store without its log."""

    store: str  #: the id of the store
    changes: int  #: how many were acknowledged
    durability: str = "full"  #: of these changes
    boot: str | None = (
        None  #: the start of the machine in which they were made; None where nothing tells
    )
    closed: bool = False  #: whether the server has ended in order
    safe: int = 0  #: changes whose metadata files are known to be on the disk

    @property
    def may_be_ahead(self) -> bool:
        """Whether a power failure may have cost changes that it counts."""
        return self.durability != "full" and (self.boot is None or self.boot != boot())


def mark_of(path: Path) -> Path:
    """Return the file of a store's mark."""
    return path.with_name(f"{path.name}-mark")


def boot() -> str | None:
    """Return the id of this boot of the machine; None on systems without one."""
    try:
        return BOOT.read_text().strip()
    except OSError:
        return None


def read_mark(path: Path) -> Mark | None:
    """Return the mark of a store, or None if there is no file.

    Raises:
        DamagedMark: the file holds none.
        BadSetting: it cannot be read.
    """
    file = mark_of(path)
    try:
        raw = file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadSetting(f"the mark {file} of the store cannot be read: {error.strerror}") from None
    try:
        mark = Mark(changes=int(raw[-COUNT:][:20]), **orjson.loads(raw[:-COUNT]))
    except (ValueError, TypeError):
        raise DamagedMark(f"its mark {file} is damaged") from None
    if _line(mark) != raw:
        raise DamagedMark(f"its mark {file} is damaged")
    return mark


def make_mark(path: Path, mark: Mark) -> None:
    """Put a mark beside a store, whole or not at all, and wait until it is on the disk.

    Raises:
        OSError: it cannot be written.
    """
    new = path.with_name(f".{path.name}.lakepact-new-mark")
    try:
        with new.open("wb") as file:
            file.write(_line(mark))
            file.flush()
            os.fsync(file.fileno())
        new.rename(mark_of(path))
    except OSError:
        new.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class MarkFile:
    """The open mark of a store in use.

    Args:
        path: the store.

    Raises:
        OSError: it cannot be written.
    """

    _mark: Mark
    _changes: int
    _head: int  #: the checksum of the bytes before the number

    def __init__(self, path: Path) -> None:
        self._lag = SYNCED  #: changes since the mark was waited for; the first one is
        self._descriptor = os.open(mark_of(path), os.O_WRONLY | os.O_CLOEXEC)

    def write(self, mark: Mark) -> None:
        """Replace the mark, and wait until it is on the disk."""
        line = _line(mark)
        self._head = zlib.crc32(line[:-COUNT])
        self._mark = mark
        self._changes = mark.changes
        os.pwrite(self._descriptor, line, 0)
        _WAIT(self._descriptor)

    @property
    def mark(self) -> Mark:
        """The last written value."""
        return dataclasses.replace(self._mark, changes=self._changes)

    def count(self, changes: int) -> None:
        """Note how many changes there are."""
        self._changes = changes
        os.pwrite(self._descriptor, _body(changes, self._head), SIZE - COUNT)
        self._lag += 1
        if self._lag > SYNCED and self._mark.durability == "full":
            _WAIT(self._descriptor)
            self._lag = 0

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._descriptor)


def _line(mark: Mark) -> bytes:
    fields = {name: value for name, value in dataclasses.asdict(mark).items() if name != "changes"}
    head = orjson.dumps(fields).ljust(SIZE - COUNT)
    return head + _body(mark.changes, zlib.crc32(head))


def _body(changes: int, head: int) -> bytes:
    number = b"%020d" % changes
    return b"%s %08x\n" % (number, zlib.crc32(number, head))
