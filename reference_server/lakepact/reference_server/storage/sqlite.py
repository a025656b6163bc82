"""The file of a store: SQLite with a write-ahead log, one row for each record, opened by one
process at a time.

A file is read whole before anything is written to it. If a row is not what was stored, if
acknowledged changes are missing, if the file is of another program, or was written by a newer
version, it is refused and left as it is. A file is made beside its place and moved there when it is
complete.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import os
import secrets
import sqlite3
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

import orjson

from lakepact.reference_server.settings import BadSetting
from lakepact.reference_server.storage.content import (
    FORMAT,
    OURS,
    Content,
    LostChanges,
    check_absence,
    check_head,
    checksum_of,
    log_of,
    message_of,
    read,
    refusal,
    resolve,
)
from lakepact.reference_server.storage.lock import alone, lock_of
from lakepact.reference_server.storage.mark import Mark, MarkFile, boot, make_mark, sync_folder
from lakepact.reference_server.storage.store import Key, NotKept, Record

logger = logging.getLogger(__name__)

MANY = 64  #: rows of one statement
DURABILITIES = {"full": "FULL", "normal": "NORMAL"}

_TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE record (
    collection TEXT NOT NULL, place TEXT NOT NULL, name TEXT NOT NULL,
    kind TEXT NOT NULL, body BLOB NOT NULL, tag BLOB NOT NULL,
    batch INTEGER NOT NULL, checksum INTEGER NOT NULL, total INTEGER NOT NULL,
    PRIMARY KEY (collection, place, name)
);
"""
_VALUES = "(?, ?, ?, ?, ?, ?, ?, ?, ?)"
_PUT = (  # filled with rows of question marks
    "INSERT INTO record (collection, place, name, kind, body, tag, batch, checksum, total) VALUES"
    " {} ON CONFLICT (collection, place, name) DO UPDATE SET kind = excluded.kind, body ="
    " excluded.body, tag = excluded.tag, batch = excluded.batch, checksum = excluded.checksum,"
    " total = excluded.total"
)
_REMOVE = "DELETE FROM record WHERE collection = ? AND place = ? AND name = ?"
_TELL = (
    "INSERT INTO about (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value ="
    " excluded.value"
)
UNCHANGED = "the change was not made: the catalog's store cannot be written"
#: Failures before the end of a transaction is written: nothing of it can reappear. After any other
#: the log is truncated: memory may also end after the end of the transaction is in it.
_HARMLESS = frozenset(
    {"SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_READ", "SQLITE_READONLY", "SQLITE_BUSY"}
)


class StoreFile:
    """An open store file, locked against other processes.

    Args:
        path: its path; it is created if it does not exist.
        contract: the contract of its records.
        durability: `full`: changes survive a power failure; `normal`: they survive the end of the
            process.

    Raises:
        Damaged: the content is not what was stored.
        Locked: another process has it open.
        BadSetting: it is not a store of this contract, or cannot be created, read or written.
    """

    def __init__(self, path: Path, *, contract: str, durability: str = "full") -> None:
        self.path = path = resolve(path)
        self._closing = contextlib.ExitStack()
        with contextlib.ExitStack() as undo:
            undo.callback(self._closing.close)
            _make_folder(path)
            if path.exists() and not lock_of(path).exists():
                check_head(path)  # beside a file of another program, nothing is made
            self._closing.enter_context(alone(path))
            if not path.exists():
                check_absence(path)
                _make(path, contract)
            content = _complete(path, contract)
            self.records = (
                content.records
            )  #: the content of the file when it was opened, each with the number of its change
            self.batch = content.tally.changes  #: the number of the last change
            self._checksums = content.checksums
            self._total = content.tally.total
            self._found = content.mark or Mark(content.about["store"], self.batch)
            self._is_trusted = False
            self._doubted = False
            try:
                self._mark = MarkFile(path)
                self._closing.callback(self._mark.close)
                self._connection = _connect(path, durability)
                self._closing.callback(self._connection.close)
                # A change torn by a power failure must not reappear behind later changes. On a full
                # disk it stays.
                with contextlib.suppress(sqlite3.Error):
                    self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                # Only now: the changes that it counts are on the disk.
                safe = min(self._found.safe, self.batch)
                self._mark.write(
                    Mark(
                        self._found.store, self.batch, durability=durability, boot=boot(), safe=safe
                    )
                )
            except OSError as error:
                raise BadSetting(
                    f"the mark of the store {path} cannot be written: {message_of(error)}"
                ) from None
            undo.pop_all()

    def doubtful(self, *, every: bool = False) -> list[tuple[Key, Record]]:
        """Return the records whose files may be lost: those changed since the machine started, or
        before an unclean end.

        Args:
            every: whether all are, because their files outlast nothing.
        """
        if every:
            return [(key, record) for key, record, _ in self.records]
        if self._found.closed and self._found.boot == boot() is not None:
            return []
        return [(key, record) for key, record, batch in self.records if batch > self._found.safe]

    def trust(self) -> None:
        """Note that the doubtful records have been checked against the disk."""
        now = boot()
        if now is not None and self._found.boot != now:
            self._mark.write(dataclasses.replace(self._mark.mark, safe=self.batch))
        self._is_trusted = True

    def write(self, changes: Mapping[Key, Record | None]) -> None:
        """Change records durably, all or none; None removes one.

        Raises:
            NotKept: none of it is changed.
        """
        try:
            if self._doubted:
                self._make_sure()
        except sqlite3.Error as error:
            raise NotKept(
                f"{UNCHANGED}: it failed before, and does not work again: {message_of(error)}"
            ) from None
        try:
            self._write(changes)
        except sqlite3.Error as error:
            raise self._undone(error) from None
        try:
            self._mark.count(self.batch)
        except OSError as error:
            logger.error("the mark of the store cannot be written: %s", message_of(error))  # noqa: TRY400 - the line holds everything
            # A lost log loses no change that is in the file.
            with contextlib.suppress(sqlite3.Error):
                self._make_sure()

    def close(self) -> None:
        """Write the log into the file, and let others open it."""
        with self._closing, contextlib.suppress(sqlite3.Error, OSError):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._mark.write(dataclasses.replace(self._mark.mark, closed=self._is_trusted))

    def _write(self, changes: Mapping[Key, Record | None]) -> None:
        batch, total = self.batch + 1, self._total
        puts: list[tuple[str | bytes | int, ...]] = []
        removals: list[tuple[str, str, str]] = []
        checksums: dict[Key, int] = {}
        for key, record in changes.items():
            total -= self._checksums.get(key, 0)
            if record is None:
                removals.append((key.collection, _place_text(key), key.name))
            else:
                row = _row(key, record, batch)
                puts.append(row)
                checksums[key] = row[-1]
                total += row[-1]
        execute = self._connection.execute
        is_one_statement = len(changes) <= MANY and not removals
        if not is_one_statement:
            execute("BEGIN IMMEDIATE")
        rows = iter(puts)
        # Many rows in one statement: each statement has to wait until the threads that answer
        # requests pause.
        while some := list(islice(rows, MANY)):
            execute(
                _PUT.format(", ".join([_VALUES] * len(some))),
                [value for row in some for value in (*row, total)],
            )
        if not is_one_statement:
            self._connection.executemany(_REMOVE, removals)
            if not puts:
                self._connection.executemany(_TELL, [("batch", str(batch)), ("total", str(total))])
            execute("COMMIT")
        self.batch, self._total = batch, total
        self._checksums.update(checksums)
        if removals:
            for key in changes.keys() - checksums.keys():
                self._checksums.pop(key, None)

    def _undone(self, error: sqlite3.Error) -> NotKept:
        name = getattr(error, "sqlite_errorname", "")
        with contextlib.suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        message = f"{UNCHANGED}: {message_of(error)}"
        if name in _HARMLESS:
            return NotKept(message, 507 if name == "SQLITE_FULL" else 503)
        try:
            self._make_sure()
        except sqlite3.Error:
            self._doubted = True
            return NotKept(
                "it is not known whether the change lasts: the catalog's store failed:"
                f" {message_of(error)}",
                500,
            )
        return NotKept(message, 503)

    def _make_sure(self) -> None:
        """Truncate the WAL so that changes reported as rolled back cannot reappear after a
        crash.
        """
        self._doubted = True
        ((busy, *_),) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        if busy:
            raise sqlite3.OperationalError("the log cannot be emptied")
        self._doubted = False


def accept_loss(path: Path) -> str | None:
    """Accept the content of a store as complete, and return what was missing, or None.

    Raises:
        Damaged: what is in it is not what was stored.
        Locked: a server has it open.
        BadSetting: it is not a store, or cannot be read or written.
    """
    path = resolve(path)
    with alone(path):
        if not path.exists():
            check_absence(path)
        content = read(path)
        if content.loss is not None:
            _settle(path, content)
        return content.loss


def _complete(path: Path, contract: str) -> Content:
    """Return the content of a store: everything that was acknowledged.

    Raises:
        BadSetting: the file is missing, is not a store of the contract, or cannot be read or
            written.
    """
    content = read(path)
    if (other := content.about.get("contract")) != contract:
        raise BadSetting(
            f"{path} is the store of {other}, not of {contract}; name another with --store"
        )
    if content.loss is not None:
        raise LostChanges(content.loss)
    for place in (path, path.parent):  # the log is made in the folder
        if not os.access(place, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
            raise BadSetting(
                f"the store {path} cannot be written: the permissions of {place} do not let this"
                " user"
            )
    if content.is_marked:
        return content
    _settle(path, content)
    return read(path)


def _settle(path: Path, content: Content) -> None:
    """Give a store a mark that counts what is in it, and the tables of this format if it is older.

    Raises:
        BadSetting: it cannot be written.
    """
    tally, store = content.tally, secrets.token_hex(8)
    try:
        # The mark comes first: a store of an older format whose mark is there is still one that can
        # be taken over.
        make_mark(path, Mark(store, tally.changes))
        with contextlib.closing(_connect(path, "full")) as connection:
            connection.execute("BEGIN IMMEDIATE")
            if not content.is_marked:
                connection.execute("ALTER TABLE record ADD COLUMN total INTEGER NOT NULL DEFAULT 0")
                connection.execute(f"PRAGMA user_version = {FORMAT}")
                connection.execute(
                    "DELETE FROM about WHERE name IN ('boot', 'closed', 'durability', 'safe')"
                )
            connection.executemany(
                _TELL,
                [("store", store), ("batch", str(tally.changes)), ("total", str(tally.total))],
            )
            connection.execute("COMMIT")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except (OSError, sqlite3.Error) as error:
        raise BadSetting(f"the store {path} cannot be written: {message_of(error)}") from None


def _row(key: Key, record: Record, batch: int) -> tuple[str, str, str, str, bytes, bytes, int, int]:
    row = (key.collection, _place_text(key), key.name, record.kind, record.body, record.tag, batch)
    return (*row, checksum_of(*row))


def _place_text(key: Key) -> str:
    return orjson.dumps(key.place).decode()


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadSetting(
            f"the folder {path.parent} of the store cannot be made: {error.strerror}"
        ) from None


def _make(path: Path, contract: str) -> None:
    new, store = path.with_name(f".{path.name}.lakepact-new"), secrets.token_hex(8)
    try:
        for left in (
            new,
            new.with_name(f"{new.name}-wal"),
            new.with_name(f"{new.name}-journal"),
            log_of(path),
        ):
            left.unlink(missing_ok=True)
        # A mark that counts no changes may stand alone, a store may not.
        make_mark(path, Mark(store, 0))
        with contextlib.closing(sqlite3.connect(new, isolation_level=None)) as connection:
            # It counts only once it is moved to its place, and is waited for just before.
            connection.executescript(
                f"PRAGMA synchronous = OFF; PRAGMA application_id = {OURS}; PRAGMA user_version ="
                f" {FORMAT}; PRAGMA journal_mode = WAL;{_TABLES}"
            )
            connection.executemany(
                _TELL, [("contract", contract), ("store", store), ("batch", "0"), ("total", "0")]
            )
        descriptor = os.open(new, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        new.rename(path)
        sync_folder(path.parent)
    except (OSError, sqlite3.Error) as error:
        for left in (new, new.with_name(f"{new.name}-wal"), new.with_name(f"{new.name}-shm")):
            left.unlink(missing_ok=True)
        raise BadSetting(f"the store {path} cannot be made: {message_of(error)}") from None


def _connect(path: Path, durability: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, timeout=0, cached_statements=256
    )
    try:
        connection.executescript(
            "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA fullfsync = 1;"
            f" PRAGMA wal_autocheckpoint = 2000;PRAGMA synchronous = {DURABILITIES[durability]};"
            " PRAGMA temp_store = MEMORY;"
        )
        connection.execute("SELECT count(*) FROM about").fetchall()
    except sqlite3.Error as error:
        connection.close()
        raise refusal(path, error) from None
    return connection
