"""The content of a store, read without changing it, and whether it is all that was acknowledged.

Rows hold the bytes that are sent, and a checksum over all of their columns; SQLite itself does not
notice a changed bit. Each change also writes down the sum of the checksums of all rows, as it is
after that change. So rows that are missing, and rows that are back, are noticed.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import sqlite3
import zlib
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import orjson

from lakepact.reference_server.settings import BadSetting
from lakepact.reference_server.storage.lock import Locked
from lakepact.reference_server.storage.mark import DamagedMark, Mark, mark_of, read_mark
from lakepact.reference_server.storage.store import Key, Record
from lakepact.reference_server.storage.write_ahead_log import count_invalid_commits

logger = logging.getLogger(__name__)

SQLITE = b"SQLite format 3\0"
OURS = 0x6C616B65  #: "lake", the application id of SQLite files
#: of the tables; a file that has a higher one is left to newer versions, and one that has a lower
#: one has no mark
FORMAT = 2
COLUMNS = "collection, place, name, kind, body, tag, batch, checksum"
Row = tuple[str, str, str, str, bytes, bytes, int, int]
_TYPES = (str, str, str, str, bytes, bytes, int, int)
#: Failures that do not mean that the file is damaged.
_UNAVAILABLE = (
    "SQLITE_FULL",
    "SQLITE_CANTOPEN",
    "SQLITE_IOERR_SHM",
    "SQLITE_PERM",
    "SQLITE_READONLY",
    "SQLITE_NOMEM",
    "SQLITE_IOERR_LOCK",
)
_NO_ROOM = {"SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"}


class Damaged(BadSetting):
    """A file does not hold what was stored in it; the message names the fault and its place."""


class LostChanges(Damaged):
    """A store does not hold all changes that were acknowledged."""


class Newer(BadSetting):
    """A file is of a format that this version does not know."""


class Unavailable(BadSetting):
    """A file cannot be read now; its content may be sound."""


@dataclass(slots=True)
class Tally:
    """The sum of the rows of a store, and the sum that its last change recorded."""

    changes: int = 0  #: the number of the last change
    expected: int = 0  #: the sum of checksums that the last change wrote down
    total: int = 0  #: the sum of the checksums that are there

    def add(self, batch: int, checksum: int, expected: int) -> None:
        """Count a row."""
        self.total += checksum
        if batch > self.changes:
            self.changes, self.expected = batch, expected

    def close(self, about: Mapping[str, str]) -> None:
        """Take account of a last change that left no row."""
        if (batch := int(about.get("batch", "0"))) >= self.changes:
            self.changes, self.expected = batch, int(about.get("total", "0"))


@dataclass(slots=True)
class Content:
    """The content of a store."""

    about: dict[str, str]
    mark: Mark | None
    loss: str | None = None  #: why it does not hold all that was acknowledged; None if it does
    records: list[tuple[Key, Record, int]] = field(
        default_factory=list[tuple[Key, Record, int]]
    )  #: with the numbers of their changes
    checksums: dict[Key, int] = field(default_factory=dict[Key, int])
    tally: Tally = field(default_factory=Tally)

    @property
    def is_marked(self) -> bool:
        """Whether the store is of the format that has a mark."""
        return "store" in self.about


def read(path: Path) -> Content:
    """Everything that is in a store; the file stays as it is.

    Raises:
        Damaged: it does not hold what was stored.
        Unavailable: it cannot be read now.
        BadSetting: it is not a store.
    """
    check_head(path)
    try:
        with looking_into(path) as connection:
            for (message,) in connection.execute("PRAGMA integrity_check(1)"):
                if message != "ok":
                    raise Damaged(
                        f"the store {path} is damaged: {message}; nothing in it was touched"
                    )
            about = about_of(connection)
            mark, loss = _mark(path)
            content = Content(about, mark)
            for *row, total in connection.execute(rows_of(about)).fetchall():
                key, record, batch, checksum = _record(path, tuple(row))
                content.records.append((key, record, batch))
                content.checksums[key] = checksum
                content.tally.add(batch, checksum, total)
            content.tally.close(about)
            content.loss = loss or reason_of_loss(path, content.tally, about, mark)
    except sqlite3.Error as error:
        raise refusal(path, error) from None
    return content


def about_of(connection: sqlite3.Connection) -> dict[str, str]:
    """Facts that a store records about itself.

    Raises:
        sqlite3.Error: its tables do not fit its format.
    """
    about = dict(connection.execute("SELECT name, value FROM about"))
    ((version,),) = connection.execute("PRAGMA user_version")
    if (version == FORMAT) != ("store" in about) or not all(
        about.get(name, "0").isdecimal() for name in ("batch", "total")
    ):
        raise sqlite3.DatabaseError(f"its tables are not those of format {version}")
    return about


def rows_of(about: Mapping[str, str]) -> str:
    """Return the statement that reads all rows, and with each the sum that its change wrote
    down.
    """
    return f"SELECT {COLUMNS}, {'total' if 'store' in about else '0'} FROM record"  # noqa: S608 - names of columns


def _mark(path: Path) -> tuple[Mark | None, str | None]:
    try:
        return read_mark(path), None
    except DamagedMark as damaged:
        return None, _refusal(path, str(damaged))


def reason_of_loss(
    path: Path, tally: Tally, about: Mapping[str, str], mark: Mark | None
) -> str | None:
    """Why a store does not hold all changes that were acknowledged; None if it does.

    A connection has read the store, and is still open.
    """
    log = log_of(path)
    if mark is None:
        if "store" in about:
            return _refusal(
                path, f"its mark {mark_of(path)} is missing, which counts the acknowledged changes"
            )
    elif "store" in about and mark.store != about["store"]:
        return _refusal(path, f"its mark {mark_of(path)} belongs to another store")
    elif tally.changes < mark.changes:
        missing = (
            f"{mark.changes - tally.changes} of {mark.changes} acknowledged changes are missing,"
            f" from number {tally.changes + 1} on"
        )
        if not mark.may_be_ahead:
            return _refusal(
                path,
                missing,
                f"put {log.name} back as the server left it"
                + ("" if log.exists() else ": it is not there"),
            )
        logger.warning(
            "the store %s: %s; --durability %s does not keep them when power fails",
            path,
            missing,
            mark.durability,
        )
    if "store" in about and tally.total != tally.expected:
        return _refusal(
            path,
            f"its records are not those that change {tally.changes} left: some are missing, or"
            " older ones are back",
        )
    frames = count_invalid_commits(log, path.with_name(f"{path.name}-shm")) if log.exists() else 0
    # After a power failure one unacknowledged change may be torn; with `--durability normal` any
    # number may be.
    if frames > 1 and (mark.durability if mark else about.get("durability")) == "full":
        return _refusal(path, f"{log.name} has changes behind a place that cannot be read")
    return None


def _refusal(
    path: Path, what: str, remedy: str = "put the files of the store back as the server left them"
) -> str:
    ways = f"{remedy}, or give up what is missing with `lakepact store accept-loss`"
    return f"the store {path} is damaged: {what}; {ways}; nothing in it was touched"


def log_of(path: Path) -> Path:
    """Return the write-ahead log of a store."""
    return path.with_name(f"{path.name}-wal")


@contextlib.contextmanager
def looking_into(path: Path) -> Generator[sqlite3.Connection]:
    """Yield a connection that only reads, and leaves the file and its log as they are."""
    log = log_of(path)
    has_log = log.exists() and log.stat().st_size > 0
    # Without a log, nothing beside the file matters.
    uri = f"file:{quote(str(path.absolute()))}?mode=ro{'' if has_log else '&immutable=1'}"
    try:
        with contextlib.closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
            yield connection
    finally:
        if has_log:
            path.with_name(f"{path.name}-shm").unlink(missing_ok=True)


def check_head(path: Path) -> None:
    """Refuse a file that is not a store.

    Raises:
        BadSetting: it is another file, or one of a newer format, or cannot be read.
    """
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except FileNotFoundError:
        raise BadSetting(f"there is no store {path}") from None
    except OSError as error:
        raise Unavailable(f"the store {path} cannot be read: {error.strerror}") from None
    if head[:16] != SQLITE or len(head) < 100 or int.from_bytes(head[68:72], "big") != OURS:
        raise BadSetting(
            f"{path} is not a store of lakepact's; it was left as it is: name another file with"
            " --store"
        )
    if (version := int.from_bytes(head[60:64], "big")) > FORMAT:
        raise Newer(
            f"the store {path} was written by a newer lakepact (format {version}, this one knows"
            f" {FORMAT}); it was left as it is"
        )


def check_absence(path: Path) -> None:
    """Refuse a store that is not there, although its log or its mark is.

    Raises:
        LostChanges: changes were acknowledged.
        BadSetting: the mark cannot be read.
    """
    log, file = log_of(path), mark_of(path)
    try:
        mark = read_mark(path)
        detail = f", which counts {mark.changes} changes" if mark else ""
        is_new = mark is None or not mark.changes
    except DamagedMark:
        detail, is_new = "", False
    left = [
        *([f"its log {log}"] if log.exists() and log.stat().st_size else []),
        *([] if is_new else [f"its mark {file}{detail}"]),
    ]
    if left:
        remedy = "put the store back, or move these files away to begin with an empty one"
        raise LostChanges(
            f"the store {path} is not there, but {' and '.join(left)}: {remedy}; nothing was"
            " touched"
        )


def resolve(path: Path) -> Path:
    """Return the file that a path leads to: SQLite keeps the log beside the file, and not beside a
    symbolic link to it.

    Raises:
        BadSetting: it leads nowhere.
    """
    try:
        target = path.resolve()
    except (OSError, RuntimeError) as error:
        raise BadSetting(f"the store {path} cannot be read: {error}") from None
    if path.is_symlink() and not target.exists():
        raise BadSetting(
            f"the store {path} is a symbolic link to {target}, which is not there; make the link"
            " right, or remove it"
        )
    return target


def _record(path: Path, row: Row) -> tuple[Key, Record, int, int]:
    collection, place, name, kind, body, tag, batch, checksum = row
    if not holds(row):
        raise Damaged(
            f"the store {path} is damaged: the {kind} {name!r} in {place} is not what was stored;"
            " nothing in it was touched"
        )
    return (
        Key(collection, tuple(orjson.loads(place)), name),
        Record.stored(kind, body, tag),
        batch,
        checksum,
    )


def holds(row: Row) -> bool:
    """Return whether a row has its checksum; SQLite lets other programs put values of any type into
    any column.
    """
    return tuple(map(type, row)) == _TYPES and row[-1] == checksum_of(*row[:-1])


def checksum_of(  # noqa: PLR0917 - as in a row
    collection: str, place: str, name: str, kind: str, body: bytes, tag: bytes, batch: int
) -> int:
    """Return the checksum that stands in the row of these columns."""
    return zlib.crc32(
        body,
        zlib.crc32(
            b"\0".join(
                (
                    collection.encode(),
                    place.encode(),
                    name.encode(),
                    kind.encode(),
                    tag,
                    b"%d" % batch,
                )
            )
        ),
    )


def refusal(path: Path, error: sqlite3.Error) -> BadSetting:
    """Return why a store cannot be read: it is damaged, or the failure has another cause."""
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith("SQLITE_BUSY"):
        return Locked(
            f"the store {path} is in use by another program that reads or writes SQLite files"
        )
    if name.startswith(_UNAVAILABLE):
        return Unavailable(
            f"the store {path} cannot be read: {message_of(error)}; nothing in it was touched"
        )
    return Damaged(f"the store {path} is damaged: {message_of(error)}; nothing in it was touched")


def message_of(error: Exception) -> str:
    """Return the message of an error, without codes."""
    if isinstance(error, OSError):
        return (
            "the disk is full"
            if error.errno in {errno.ENOSPC, errno.EDQUOT}
            else error.strerror or str(error)
        )
    return "the disk is full" if getattr(error, "sqlite_errorname", "") in _NO_ROOM else str(error)
