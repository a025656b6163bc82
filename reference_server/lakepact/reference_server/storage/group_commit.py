"""A durable store: records in memory for readers, and in a file.

There are two states. Readers see the durable one in the file. Transactions see the newest one, with
all changes that are still being
written: each builds on those before it. Changes are written in batches: while one is written and
synced, the next gathers. When a batch is in the file, readers see all of it at once. If it cannot
be written, it is rolled back together with all later changes, which may depend on it; every waiting
caller gets an error.

A thread writes, so that other requests are answered during a sync. Handing changes to the thread
takes several times as
long as writing them on a fast disk: then the event loop itself writes the batch after all other due
work.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from asyncio import AbstractEventLoop, Future
from collections import defaultdict, deque
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from queue import SimpleQueue
from typing import Any

from lakepact.reference_server.storage.sqlite import StoreFile
from lakepact.reference_server.storage.store import (
    Changing,
    Collections,
    Key,
    Looking,
    NotKept,
    Record,
    Transaction,
    View,
)

logger = logging.getLogger(__name__)

QUICK = 0.002  #: seconds for which the event loop may wait for the disk
#: recently changed records whose documents stay in memory; a document takes five times its bytes
READ = 1024
FEW = 32  #: changes that are written while others wait
LOOKED_AT = 8  #: writes of the loop by which the disk is judged
TRIED = 64  #: batches of the thread until the loop tries again


class _Batch:
    """Changes that become durable together."""

    __slots__ = ("changes", "ended", "lost", "otherwise", "then", "waiting")

    def __init__(self) -> None:
        self.changes: dict[Key, Record | None] = {}
        self.then: list[Callable[[], None]] = []
        self.otherwise: list[Callable[[], None]] = []
        self.waiting: list[tuple[AbstractEventLoop, Future[None]] | threading.Event] = []
        self.ended = False
        self.lost: NotKept | None = None


class Pending:
    """A pending batch; await it to know that it is durable."""

    __slots__ = ("_batch", "_call_writer", "_lock")

    def __init__(
        self, batch: _Batch, lock: AbstractContextManager[bool], call_writer: Callable[[], None]
    ) -> None:
        self._batch = batch
        self._lock = lock
        self._call_writer = call_writer

    def __await__(self) -> Generator[Any, None, None]:
        loop = asyncio.get_running_loop()
        future: Future[None] = loop.create_future()
        if self._add_waiting((loop, future)):
            yield from future
        self._raise_loss()

    def wait(self) -> None:
        """Wait in a thread.

        Raises:
            NotKept: the batch was rolled back.
        """
        event = threading.Event()
        if self._add_waiting(event):
            self._call_writer()  # the event loop of the changes may have ended
            event.wait()
        self._raise_loss()

    def _add_waiting(
        self, waiting: tuple[AbstractEventLoop, Future[None]] | threading.Event
    ) -> bool:
        with self._lock:
            if not self._batch.ended:
                self._batch.waiting.append(waiting)
            return not self._batch.ended

    def _raise_loss(self) -> None:
        loss = self._batch.lost
        if loss is not None:
            raise NotKept(loss.message, loss.status)


class Pace:
    """Decides whether the event loop may wait for the disk itself, by the duration of its last
    writes.

    The thread's durations do not count, because it waits for the loop too. After slow writes the
    loop tries again now and then.
    """

    __slots__ = ("_batches", "_is_slow", "_took")

    def __init__(self) -> None:
        self._took: deque[float] = deque(maxlen=LOOKED_AT)
        self._is_slow = False
        self._batches = 0

    def lets_write(self) -> bool:
        """Return whether the loop is to write the next batch."""
        if not self._is_slow:
            return True
        self._batches += 1
        return self._batches % TRIED == 0

    def note(self, seconds: float) -> None:
        """Record the duration of a write of the loop."""
        if self._is_slow:
            self._is_slow = seconds >= QUICK
            self._took.clear()
        else:
            self._took.append(seconds)
            # Some writes take longer, because the log is full.
            self._is_slow = (
                len(self._took) == LOOKED_AT and sorted(self._took)[LOOKED_AT // 4] >= QUICK
            )


class FileStore:
    """Records in memory and in a file.

    Args:
        file: where they are kept; the store closes it in the end.
    """

    def __init__(self, file: StoreFile) -> None:
        self._file = file
        self._durable = Collections()
        self._newest = Collections()
        for key, record, _ in file.records:
            self._durable.put(key, record)
            self._newest.put(key, record)
        file.records.clear()
        self._lock = threading.RLock()
        self.turn = (
            threading.RLock()
        )  #: held by the thread that is in a transaction; taken before the lock
        self._gathering = _Batch()
        self._read: dict[Key, Record] = {}  # recently changed records
        self._written: _Batch | None = None  # the batch that is being written
        self._writing = threading.Lock()  # held by the thread that takes a batch and writes it
        self._pace = Pace()
        self._local = threading.local()
        self._closed = False
        self._tokens: SimpleQueue[bool] = SimpleQueue()
        self._writer = threading.Thread(
            target=self._write_batches, name="lakepact store", daemon=True
        )
        self._writer.start()

    def begin(self) -> AbstractContextManager[Transaction]:
        """Return a transaction for one `with` block: at its end the changes are queued for the
        file; an exception rolls them back.
        """
        return _Chained(self, self._newest, self.turn, self._lock)

    def view(self) -> AbstractContextManager[View]:
        """Return the records in the file, for one `with` block in which they do not change."""
        return Looking(self._durable, self._lock)

    def get(self, key: Key) -> Record | None:
        """Return the record at this key that is in the file, or None."""
        with self._lock:
            return self._durable.get(key)

    def pending(self) -> Pending | None:
        """Return the pending changes that this thread's last transactions made or read; `None` if
        all are in the file.
        """
        batch: _Batch | None = getattr(self._local, "batch", None)
        if batch is None:
            return None
        self._local.batch = None
        return (
            None
            if batch.ended and batch.lost is None
            else Pending(batch, self._lock, self.call_writer)
        )

    def wait(self) -> None:
        """Wait until everything that this thread's last transactions read and changed is in the
        file.

        Raises:
            NotKept: it was undone.
        """
        pending = self.pending()
        if pending is not None:
            pending.wait()

    def close(self) -> None:
        """Write pending changes, and let others open the file."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._tokens.put(False)
        self._writer.join()
        self._file.close()

    def depend_on_changes(self) -> None:
        """Make this thread's next answer wait for all changes made so far."""
        with self._lock:
            batch = self._gathering if self._gathering.changes else self._written
        if batch is not None:
            self._local.batch = batch

    def gather(
        self,
        changes: dict[Key, Record | None],
        then: list[Callable[[], None]],
        otherwise: list[Callable[[], None]],
    ) -> None:
        """Queue the changes of a transaction; the turn and the lock are held.

        Raises:
            NotKept: the store is closed.
        """
        if self._closed:
            raise NotKept("the change was not made: the server is ending")
        batch = self._gathering
        if not batch.changes:
            self._schedule_writing()
        batch.changes.update(changes)
        batch.then.extend(then)
        batch.otherwise.extend(otherwise)
        for key, record in changes.items():
            self._read.pop(key, None)
            if record is not None:
                self._read[key] = record
        while len(self._read) > READ:
            self._read.pop(next(iter(self._read))).unread()

    def call_writer(self) -> None:
        """Let the thread write the gathering batch."""
        self._tokens.put(True)

    def _schedule_writing(self) -> None:
        """Have the batch that begins to gather written, by the event loop of the changes if there
        is one.
        """
        loop = _running_loop()
        if loop is None:
            self._tokens.put(True)
        else:
            # Requests that have arrived are handled first, and add their changes.
            loop.call_soon(self._write_batch, loop, 1)

    def _write_batch(self, loop: AbstractEventLoop, before: int) -> None:
        """Write changes once no more arrive: callers that change records at about the same time
        share one sync.

        Args:
            loop: the event loop of the changes.
            before: the number of changes at the last look; a single change is written at once.
        """
        count = len(self._gathering.changes)
        if before < count < FEW:
            loop.call_soon(self._write_batch, loop, count)
        else:
            self._write_at_once()

    def _write_at_once(self) -> None:
        """Write changes on the event loop if that is faster; otherwise in the thread."""
        batch = self._gathering
        if (
            0 < len(batch.changes) <= FEW
            and not batch.then
            and self._pace.lets_write()
            and self._writing.acquire(blocking=False)
        ):
            start = time.monotonic()
            try:
                self._write_next()
            finally:
                self._writing.release()
                self._pace.note(time.monotonic() - start)
        elif batch.changes:
            self._tokens.put(True)

    def _write_batches(self) -> None:
        going_on = True
        while going_on:
            going_on = self._tokens.get()
            with self._writing:
                self._write_next()

    def _write_next(self) -> None:
        with self._lock:
            batch = self._gathering
            if not batch.changes:
                return
            self._gathering = _Batch()
            self._written = batch
        try:
            self._file.write(batch.changes)
        except NotKept as lost:
            self._undo(batch, lost)
        except Exception:
            logger.exception("the store failed")
            self._undo(
                batch,
                NotKept(
                    "it is not known whether the change lasts: the catalog's store failed", 500
                ),
            )
        else:
            self._publish(batch)

    def _publish(self, batch: _Batch) -> None:
        with self._lock:
            for key, record in batch.changes.items():
                self._durable.put(key, record)
        _run(batch.then)
        with self._lock:
            self._written = None
            batch.ended = True
        _wake(batch)

    def _undo(self, batch: _Batch, loss: NotKept) -> None:
        logger.error("%s", loss)
        with self.turn, self._lock:
            batches = (batch, self._gathering)
            self._gathering = _Batch()
            for one in batches:
                for key in one.changes:
                    self._newest.put(key, self._durable.get(key))
            # Before others look: cached facts about the changes are dropped with them.
            for one in reversed(batches):
                _run(one.otherwise)
            self._written = None
            for one in batches:
                one.lost = loss
                one.ended = True
        for one in batches:
            _wake(one)


class _Chained(Changing):
    """A transaction on the newest state; its changes go to the file after all earlier ones."""

    __slots__ = ("_store",)

    def __init__(
        self,
        store: FileStore,
        collections: Collections,
        turn: AbstractContextManager[bool],
        lock: AbstractContextManager[bool],
    ) -> None:
        super().__init__(collections, turn, lock)
        self._store = store

    def _keep(self) -> None:
        if self._changes:
            try:
                with self._lock:
                    self._store.gather(self._changes, self._then, self._otherwise)
                    self._make()
            except NotKept:
                self._undo()
                raise
        elif self._then:
            _run(self._then)
        self._store.depend_on_changes()

    def _undo(self) -> None:
        super()._undo()
        self._store.depend_on_changes()


def _run(actions: list[Callable[[], None]]) -> None:
    for action in actions:
        try:
            action()
        except Exception:
            logger.exception("what goes with a change of the store failed")


def _wake(batch: _Batch) -> None:
    """Wake everything that waits for a batch, the waiting tasks of one loop together."""
    loops: defaultdict[AbstractEventLoop, list[Future[None]]] = defaultdict(list)
    here = _running_loop()
    for waiting in batch.waiting:
        if isinstance(waiting, threading.Event):
            waiting.set()
        else:
            loops[waiting[0]].append(waiting[1])
    for loop, futures in loops.items():
        if loop is here:
            _resolve(futures)
            continue
        try:
            loop.call_soon_threadsafe(_resolve, futures)
        except RuntimeError:
            logger.debug("the caller of a stored change has disconnected")


def _running_loop() -> AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _resolve(futures: list[Future[None]]) -> None:
    for future in futures:
        if not future.done():
            future.set_result(None)
