"""The file of a store: SQLite with a write-ahead log, one row for each record, opened by one process at a time.

A file is read whole before anything is written to it. If a row is not what was stored, if the file is of another program, or was written
by a newer version, it is refused and left as it is. A file is made beside its place and moved there when it is complete.

Rows hold the bytes that are sent, and a checksum over all of their columns; SQLite itself does not notice a changed bit.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import zlib
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import orjson

from .service import BadSetting
from .store import Key, NotKept, Record
from .store_lock import Locked, alone, lock_of
from .store_log import lost_changes

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

SQLITE = b"SQLite format 3\0"
OURS = 0x6C616B65  #: "lake", where SQLite files say whose they are
FORMAT = 1  #: of the tables below; a file that has a higher one is left to newer versions
MANY = 64  #: rows of one statement
BOOT = Path("/proc/sys/kernel/random/boot_id")
DURABILITIES = {"full": "FULL", "normal": "NORMAL"}

_TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE record (
    shelf TEXT NOT NULL, place TEXT NOT NULL, name TEXT NOT NULL,
    kind TEXT NOT NULL, body BLOB NOT NULL, tag BLOB NOT NULL,
    batch INTEGER NOT NULL, checksum INTEGER NOT NULL,
    PRIMARY KEY (shelf, place, name)
);
"""
ROW = "shelf, place, name, kind, body, tag, batch, checksum"
_TYPES = (str, str, str, str, bytes, bytes, int, int)
_VALUES = "(?, ?, ?, ?, ?, ?, ?, ?)"
_PUT = (  # filled with rows of question marks
    "INSERT INTO record (shelf, place, name, kind, body, tag, batch, checksum) VALUES {} ON CONFLICT (shelf, place, name) DO UPDATE SET "
    "kind = excluded.kind, body = excluded.body, tag = excluded.tag, batch = excluded.batch, checksum = excluded.checksum"
)
_REMOVE = "DELETE FROM record WHERE shelf = ? AND place = ? AND name = ?"
_TELL = "INSERT INTO about (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
UNCHANGED = "the change was not made: the catalog's store cannot be written"
#: Failures before the end of a transaction could be written: none of it is ever found again.
_HARMLESS = frozenset({"SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_READ", "SQLITE_NOMEM", "SQLITE_READONLY", "SQLITE_BUSY"})


class Damaged(BadSetting):
    """A file does not hold what was stored in it; the message says what is wrong, and where."""


class Newer(BadSetting):
    """A file is of a format that this version does not know."""


class StoreFile:
    """An open file of records, which nobody else has open.

    Args:
        path: where it is; it is made if it is not there.
        contract: whose records they are.
        durability: `full`: what is written survives a power failure; `normal`: it survives the end of the process.

    Raises:
        Damaged: the file does not hold what was stored.
        Locked: another process has it open.
        BadSetting: it is not a store of this contract, or cannot be made, read or written.
    """

    def __init__(self, path: Path, *, contract: str, durability: str = "full") -> None:
        self.path = path
        self.records: list[tuple[Key, Record, int]] = []  #: what was in the file when it was opened, and the batch that it came with
        self._closing = contextlib.ExitStack()
        with contextlib.ExitStack() as undo:
            undo.callback(self._closing.close)
            _made_folder(path)
            if path.exists() and not lock_of(path).exists():
                check_head(path)  # beside a file of another program, nothing is made
            self._closing.enter_context(alone(path))
            if not path.exists():
                _make(path, contract)
            self.records, about = read(path)
            if about.get("contract") != contract:
                raise BadSetting(f"{path} is the store of {about.get('contract')}, not of {contract}; name another with --store")
            if not os.access(path, os.W_OK):
                raise BadSetting(f"the store {path} cannot be written; its permissions do not let this user")
            self.about = about
            self.was_closed = about.get("closed") == "yes"
            self.batch = max((batch for *_, batch in self.records), default=0)
            self._doubted = False
            self._connection = _connected(path, durability)
            self._closing.callback(self._connection.close)
            try:
                with self._together():
                    self.tell("closed", "no")
                    self.tell("durability", durability)
            except sqlite3.Error as error:
                raise BadSetting(f"the store {path} cannot be written: {worded(error)}") from None
            undo.pop_all()

    def doubtful(self, *, every: bool = False) -> list[tuple[Key, Record]]:
        """The records whose files may be lost: what was changed since the machine was started, if it was, or if the end was not clean.

        Args:
            every: whether all are, because their files outlast nothing.
        """
        if every:
            return [(key, record) for key, record, _ in self.records]
        if self.was_closed and self.about.get("boot") == _boot() is not None:
            return []
        safe = int(self.about.get("safe", "0"))
        return [(key, record) for key, record, batch in self.records if batch > safe]

    def trust(self) -> None:
        """Note that the doubtful records have been seen to: what is there after a start of the machine was read from the disk."""
        boot = _boot()
        if boot is not None and self.about.get("boot") != boot:
            with self._together():
                self.tell("safe", str(self.batch))
                self.tell("boot", boot)
        # What the file says of itself is not in the log, so that it is known whatever becomes of the log.
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def write(self, changes: Mapping[Key, Record | None]) -> None:
        """Change records, all or none, for good; None stands for one that goes.

        Raises:
            NotKept: none of it is changed.
        """
        self.batch += 1
        try:
            if self._doubted:
                self._make_sure()
        except sqlite3.Error as error:
            raise NotKept(f"{UNCHANGED}: it failed before, and does not work again: {worded(error)}") from None
        try:
            self._write(changes)
        except sqlite3.Error as error:
            raise self._undone(error) from None

    def tell(self, name: str, value: str) -> None:
        """Write down something about the file itself."""
        self._connection.execute(_TELL, (name, value))

    def close(self) -> None:
        """Put everything into the one file, and let others open it."""
        with self._closing, contextlib.suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self.tell("closed", "yes")

    @contextlib.contextmanager
    def _together(self) -> Generator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        yield
        self._connection.execute("COMMIT")

    def _write(self, changes: Mapping[Key, Record | None]) -> None:
        rows = iter([_row(key, record, self.batch) for key, record in changes.items() if record is not None])
        gone = [(key.shelf, _spelled(key), key.name) for key, record in changes.items() if record is None]
        execute = self._connection.execute
        alone = len(changes) <= MANY and not gone
        if not alone:
            execute("BEGIN IMMEDIATE")
        # Many rows in one statement: each statement has to wait until the threads that answer requests pause.
        while some := list(islice(rows, MANY)):
            execute(_PUT.format(", ".join([_VALUES] * len(some))), [value for row in some for value in row])
        if not alone:
            self._connection.executemany(_REMOVE, gone)
            execute("COMMIT")

    def _undone(self, error: sqlite3.Error) -> NotKept:
        name = getattr(error, "sqlite_errorname", "")
        with contextlib.suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        said = f"{UNCHANGED}: {worded(error)}"
        if name in _HARMLESS or not name.startswith("SQLITE_IOERR"):
            return NotKept(said, 507 if name == "SQLITE_FULL" else 503)
        try:
            self._make_sure()
        except sqlite3.Error:
            self._doubted = True
            return NotKept(f"it is not known whether the change lasts: the catalog's store failed: {worded(error)}", 500)
        return NotKept(said, 503)

    def _make_sure(self) -> None:
        """Empty the log, so that nothing is found there after a crash that was taken for undone before."""
        self._doubted = True
        ((busy, *_),) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        if busy:
            raise sqlite3.OperationalError("the log cannot be emptied")
        self._doubted = False


def read(path: Path) -> tuple[list[tuple[Key, Record, int]], dict[str, str]]:
    """All records of a file with the batches that they came with, and what it says about itself; the file stays as it is.

    Raises:
        Damaged: it does not hold what was stored.
        BadSetting: it is not a store, or cannot be read.
    """
    check_head(path)
    try:
        with looking_into(path) as connection:
            for (said,) in connection.execute("PRAGMA quick_check(1)"):
                if said != "ok":
                    raise Damaged(f"the store {path} is damaged: {said}; nothing in it was touched")
            about = dict(connection.execute("SELECT name, value FROM about"))
            rows = connection.execute(f"SELECT {ROW} FROM record").fetchall()  # noqa: S608 - names of columns
            check_log(path, about)
    except sqlite3.Error as error:
        raise Damaged(f"the store {path} is damaged: {worded(error)}; nothing in it was touched") from None
    return [_record(path, row) for row in rows], about


def check_log(path: Path, about: Mapping[str, str]) -> None:
    """Refuse a store whose log has lost what was acknowledged; a connection has read it, and is still open.

    Raises:
        Damaged: it has.
    """
    log = _log(path)
    lost = lost_changes(log, path.with_name(f"{path.name}-shm")) if log.exists() else 0
    # A machine that has lost its power may have cost one change that nobody was told of, or without waiting for the disk any number.
    allowed = 0 if about.get("boot") == _boot() is not None else 1 if about.get("durability") == "full" else lost
    if lost > allowed:
        raise Damaged(f"the store {path} is damaged: {log.name} has changes behind a place that cannot be read; nothing in it was touched")


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


@contextlib.contextmanager
def looking_into(path: Path) -> Generator[sqlite3.Connection]:
    """A connection that only reads, and leaves the file and its log as they are."""
    log = _log(path)
    logged = log.exists() and log.stat().st_size > 0
    # Where there is no log, nothing beside the file is looked for.
    uri = f"file:{quote(str(path.absolute()))}?mode=ro{'' if logged else '&immutable=1'}"
    try:
        with contextlib.closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
            yield connection
    finally:
        if logged:
            path.with_name(f"{path.name}-shm").unlink(missing_ok=True)


def check_head(path: Path) -> None:
    """Refuse what is no store, without looking further.

    Raises:
        BadSetting: it is another file, or one of a newer format, or cannot be read.
    """
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except OSError as error:
        raise BadSetting(f"the store {path} cannot be read: {error.strerror}") from None
    if head[:16] != SQLITE or len(head) < 100 or int.from_bytes(head[68:72], "big") != OURS:
        raise BadSetting(f"{path} is not a store of lakepact's; it was left as it is: name another file with --store")
    if (version := int.from_bytes(head[60:64], "big")) > FORMAT:
        raise Newer(f"the store {path} was written by a newer lakepact (format {version}, this one knows {FORMAT}); it was left as it is")


def _record(path: Path, row: tuple[str, str, str, str, bytes, bytes, int, int]) -> tuple[Key, Record, int]:
    shelf, place, name, kind, body, tag, batch, _ = row
    if not holds(row):
        raise Damaged(f"the store {path} is damaged: the {kind} {name!r} in {place} is not what was stored; nothing in it was touched")
    return Key(shelf, tuple(orjson.loads(place)), name), Record.stored(kind, body, tag), batch


def _row(key: Key, record: Record, batch: int) -> tuple[str | bytes | int, ...]:
    row = (key.shelf, _spelled(key), key.name, record.kind, record.body, record.tag, batch)
    return (*row, checksum_of(*row))


def _spelled(key: Key) -> str:
    return orjson.dumps(key.place).decode()


def holds(row: tuple[str, str, str, str, bytes, bytes, int, int]) -> bool:
    """Whether a row is what was stored; SQLite lets other programs put values of any type into any column."""
    return tuple(map(type, row)) == _TYPES and row[-1] == checksum_of(*row[:-1])


def checksum_of(shelf: str, place: str, name: str, kind: str, body: bytes, tag: bytes, batch: int) -> int:  # noqa: PLR0917 - as in a row
    """The checksum that stands in the row of these columns."""
    return zlib.crc32(body, zlib.crc32(b"\0".join((shelf.encode(), place.encode(), name.encode(), kind.encode(), tag, b"%d" % batch))))


def _made_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadSetting(f"the folder {path.parent} of the store cannot be made: {error.strerror}") from None


def _make(path: Path, contract: str) -> None:
    log = _log(path)
    if log.exists() and log.stat().st_size:
        raise BadSetting(f"the store {path} is not there, but its log {log.name} is: bring the store back, or move the log away")
    new = path.with_name(f".{path.name}.lakepact-new")
    try:
        for left in (new, new.with_name(f"{new.name}-wal"), new.with_name(f"{new.name}-journal"), log):
            left.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(new, isolation_level=None)) as connection:
            # It counts only once it is moved to its place, and is waited for just before.
            connection.executescript(
                f"PRAGMA synchronous = OFF; PRAGMA application_id = {OURS}; PRAGMA user_version = {FORMAT}; PRAGMA journal_mode = WAL;"
                f"{_TABLES}"
            )
            connection.executemany(_TELL, [("contract", contract), ("closed", "yes")])
        descriptor = os.open(new, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        new.rename(path)
        _sync_folder(path.parent)
    except (OSError, sqlite3.Error) as error:
        new.unlink(missing_ok=True)
        raise BadSetting(f"the store {path} cannot be made: {worded(error)}") from None


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _connected(path: Path, durability: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0, cached_statements=256)
    try:
        connection.executescript(
            "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA fullfsync = 1; PRAGMA wal_autocheckpoint = 2000;"
            f"PRAGMA synchronous = {DURABILITIES[durability]}; PRAGMA temp_store = MEMORY;"
        )
        connection.execute("SELECT count(*) FROM about").fetchall()
    except sqlite3.Error as error:
        connection.close()
        if getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
            raise Locked(f"the store {path} is in use by another program that reads or writes SQLite files") from None
        raise BadSetting(f"the store {path} cannot be opened: {worded(error)}") from None
    return connection


def _boot() -> str | None:
    """What tells this start of the machine from every other; None where nothing does."""
    try:
        return BOOT.read_text().strip()
    except OSError:
        return None


def worded(error: Exception) -> str:
    """What an error says, without codes."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    name = getattr(error, "sqlite_errorname", "")
    return "the disk is full" if name == "SQLITE_FULL" else str(error)
