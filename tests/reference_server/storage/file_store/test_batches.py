"""Pending changes: transactions see them, readers do not, and a failure undoes all that depend on
them.
"""

from __future__ import annotations

import asyncio
import sqlite3
from typing import Any

import pytest

from lakepact.reference_server.storage import group_commit
from lakepact.reference_server.storage.group_commit import FileStore
from lakepact.reference_server.storage.store import Key, NotKept, Record

from .conftest import Open

ONE, TWO = Key("identifiers", ("ns",), "one"), Key("identifiers", ("ns",), "two")


def record(number: int, size: int = 0) -> Record:
    return Record(
        "table", {"n": number, "": "x" * size}, b'{"n":%d,"":"%s"}' % (number, b"x" * size)
    )


def put(store: FileStore, key: Key, value: Record) -> None:
    with store.begin() as transaction:
        transaction.put(key, value)


def names(store: FileStore, *, newest: bool) -> list[str]:
    with store.begin() if newest else store.view() as view:
        return [name for name, _ in view.under("identifiers", ("ns",))]


@pytest.fixture
def store(open_store: Open) -> FileStore:
    return open_store()


def full(store: FileStore) -> None:
    """Limit the file of the store to its present pages."""
    connection = store._file._connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")


def test_pending_changes_are_seen_by_transactions_and_not_by_readers(store: FileStore) -> None:
    with store._lock:  # the writer needs the lock before it takes a batch
        put(store, ONE, record(1))
        seen = names(store, newest=True), names(store, newest=False), store.get(ONE)

    assert seen == (["one"], [], None)


def test_pending_removal_stays_in_listings_of_readers(store: FileStore) -> None:
    put(store, ONE, record(1))
    put(store, TWO, record(2))
    store.wait()
    with store._lock:
        with store.begin() as transaction:
            transaction.remove(ONE)
        seen = names(store, newest=True), names(store, newest=False)
    store.wait()

    assert (seen, names(store, newest=False)) == ((["two"], ["one", "two"]), ["two"])


def test_reader_of_durable_state_does_not_wait(store: FileStore) -> None:
    with store._lock:
        put(store, ONE, record(1))
        store.pending()
        with store.view() as view:
            view.get(ONE)

        assert store.pending() is None


def test_transaction_that_read_pending_state_waits_for_it(store: FileStore) -> None:
    with store._lock:
        put(store, ONE, record(1))
        store.pending()
        with store.begin() as transaction:
            transaction.get(TWO)
        pending = store.pending()
    assert pending
    pending.wait()

    assert store.get(ONE) == record(1)


def test_refusal_because_of_pending_state_waits_for_it(store: FileStore) -> None:
    def refused() -> None:
        with store.begin() as transaction:
            assert transaction.get(ONE)
            raise ZeroDivisionError

    with store._lock:
        put(store, ONE, record(1))
        store.pending()
        with pytest.raises(ZeroDivisionError):
            refused()

        assert store.pending() is not None


def test_changes_on_a_full_disk_are_undone_and_return_507(store: FileStore) -> None:
    put(store, ONE, record(1))
    store.wait()
    full(store)
    put(store, ONE, record(2, 100_000))
    with pytest.raises(NotKept, match="the disk is full") as told:
        store.wait()

    assert (told.value.status, store.get(ONE), names(store, newest=True)) == (
        507,
        record(1),
        ["one"],
    )


def test_changes_based_on_undone_changes_are_undone(store: FileStore) -> None:
    full(store)
    lost: list[str] = []
    with store._lock:
        put(store, ONE, record(1, 100_000))
        with store.begin() as transaction:
            found = transaction.get(ONE)
            assert found
            transaction.put(TWO, record(found.document["n"] + 1))
            transaction.otherwise(lambda: lost.append("two"))
    with pytest.raises(NotKept):
        store.wait()

    assert (names(store, newest=True), names(store, newest=False), lost) == ([], [], ["two"])


def test_the_store_goes_on_when_there_is_room_again(store: FileStore) -> None:
    full(store)
    put(store, ONE, record(1, 100_000))
    with pytest.raises(NotKept):
        store.wait()
    store._file._connection.execute("PRAGMA max_page_count = 100000")
    put(store, ONE, record(2, 100_000))
    store.wait()

    assert store.get(ONE) == record(2, 100_000)


def test_undone_changes_are_absent_after_reopening(open_store: Open) -> None:
    store = open_store()
    put(store, ONE, record(1))
    store.wait()
    full(store)
    put(store, ONE, record(2, 100_000))
    with pytest.raises(NotKept):
        store.wait()
    store.close()

    assert open_store().get(ONE) == record(1)


def test_afterwards_is_not_called_for_undone_changes(store: FileStore) -> None:
    full(store)
    done: list[str] = []
    with store.begin() as transaction:
        transaction.put(ONE, record(1, 100_000))
        transaction.afterwards(lambda: done.append("afterwards"))
        transaction.otherwise(lambda: done.append("otherwise"))
    with pytest.raises(NotKept):
        store.wait()

    assert done == ["otherwise"]


class Failing:
    """The connection to a file, whose statements that begin so fail with an error of SQLite."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        *statements: str,
        error: str = "SQLITE_IOERR_FSYNC",
    ) -> None:
        self.connection = connection
        self.statements = statements
        self.error = error

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)

    def execute(self, statement: str, *arguments: Any) -> sqlite3.Cursor:
        if statement.startswith(self.statements):
            error = sqlite3.OperationalError("an error of SQLite")
            error.sqlite_errorname = self.error
            raise error
        return self.connection.execute(statement, *arguments)


def put_status(store: FileStore, number: int) -> int | None:
    """Put a record, and return the status of the failure, or None for success."""
    put(store, ONE, record(number))
    try:
        store.wait()
    except NotKept as lost:
        return lost.status
    return None


def test_disk_failure_truncates_the_log_so_that_nothing_reappears(store: FileStore) -> None:
    failing = Failing(store._file._connection, "INSERT INTO record")
    store._file._connection = failing
    failed = put_status(store, 1)
    failing.statements = ()

    assert (failed, store.get(ONE), put_status(store, 2), store.get(ONE)) == (
        503,
        None,
        None,
        record(2),
    )


def test_writes_stop_while_an_undone_change_could_reappear(store: FileStore) -> None:
    failing = Failing(store._file._connection, "INSERT INTO record", "PRAGMA wal_checkpoint")
    store._file._connection = failing
    statuses = [put_status(store, 1)]
    failing.statements = ("PRAGMA wal_checkpoint",)
    statuses.append(put_status(store, 2))
    failing.statements = ()
    statuses.append(put_status(store, 3))

    assert (statuses, store.get(ONE)) == ([500, 503, None], record(3))


@pytest.mark.parametrize(
    ("error", "statuses"),
    [
        ("SQLITE_FULL", [507, None]),
        ("SQLITE_BUSY", [503, None]),
        ("SQLITE_IOERR_WRITE", [503, None]),
        ("SQLITE_IOERR_SHMSIZE", [500, 503]),
        ("SQLITE_NOMEM", [500, 503]),
        ("SQLITE_CORRUPT", [500, 503]),
    ],
)
def test_writes_stop_unless_the_error_comes_before_the_end_of_the_change(
    store: FileStore, error: str, statuses: list[int | None]
) -> None:
    failing = Failing(
        store._file._connection, "INSERT INTO record", "PRAGMA wal_checkpoint", error=error
    )
    store._file._connection = failing
    failed = put_status(store, 1)
    failing.statements = ("PRAGMA wal_checkpoint",)

    assert [failed, put_status(store, 2)] == statuses


def test_all_tasks_that_wait_for_one_batch_are_woken(store: FileStore) -> None:
    async def commit(number: int) -> None:
        put(store, Key("identifiers", ("ns",), f"{number:02}"), record(number))
        pending = store.pending()
        if pending is not None:
            await pending

    async def commits() -> None:
        await asyncio.gather(*map(commit, range(32)))

    asyncio.run(commits())

    assert names(store, newest=False) == [f"{number:02}" for number in range(32)]


@pytest.mark.parametrize(("at_once", "batches"), [(1, 5), (2, 1)])
def test_concurrent_changes_are_written_in_one_batch(
    store: FileStore, at_once: int, batches: int
) -> None:
    async def commits() -> None:
        for number in range(5 * at_once):
            put(store, Key("identifiers", ("ns",), f"{number:02}"), record(number))
            if number % at_once == at_once - 1:
                await asyncio.sleep(0)
        pending = store.pending()
        if pending is not None:
            await pending

    before = store._file.batch
    asyncio.run(commits())

    assert (store._file.batch - before, len(names(store, newest=False))) == (batches, 5 * at_once)


def test_failed_batch_raises_in_every_waiting_task(store: FileStore) -> None:
    async def commit(number: int) -> int:
        put(store, Key("identifiers", ("ns",), f"{number:02}"), record(number, 100_000))
        pending = store.pending()
        assert pending
        try:
            await pending
        except NotKept as lost:
            return lost.status
        return 0

    async def commits() -> list[int]:
        return await asyncio.gather(*map(commit, range(8)))

    full(store)

    assert asyncio.run(commits()) == [507] * 8


def test_change_of_an_ended_loop_is_written_by_wait(store: FileStore) -> None:
    def commit() -> None:
        loop.stop()  # the loop does not run the deferred write
        put(store, ONE, record(1))

    loop = asyncio.new_event_loop()
    loop.call_soon(commit)
    loop.run_forever()
    loop.close()
    store.wait()

    assert store.get(ONE) == record(1)


def test_changes_of_a_loop_and_of_threads_beside_it_are_all_kept(store: FileStore) -> None:
    def commit(number: int) -> None:
        put(store, Key("identifiers", ("ns",), f"{number:03}"), record(number))

    def commit_and_wait(number: int) -> None:
        commit(number)
        store.wait()

    async def commits() -> None:
        beside = [asyncio.to_thread(commit_and_wait, number) for number in range(100)]
        gathered = asyncio.gather(*beside)
        for number in range(100, 200):
            commit(number)
            pending = store.pending()
            if pending is not None:
                await pending
        await gathered

    asyncio.run(commits())

    assert names(store, newest=False) == [f"{number:03}" for number in range(200)]


def test_a_loop_answers_others_while_the_disk_is_slow(store: FileStore) -> None:
    async def commit() -> list[int]:
        put(store, ONE, record(1))
        pending = store.pending()
        assert pending
        waiting = asyncio.ensure_future(pending)
        done: list[int] = []
        for number in range(3):
            await asyncio.sleep(0)
            done.append(number)
        store._writing.release()
        await waiting
        return done

    store._writing.acquire()  # like a writing thread

    assert (asyncio.run(commit()), store.get(ONE)) == ([0, 1, 2], record(1))


def test_only_the_documents_of_what_was_changed_last_stay_in_memory(
    store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "READ", 2)
    for number in (1, 2, 3, 1):
        put(store, Key("identifiers", ("ns",), f"{number}"), record(number))
    store.wait()
    with store.view() as view:
        records = [found for _, found in view.under("identifiers", ("ns",))]

    assert ([one.is_read for one in records], [one.document["n"] for one in records]) == (
        [True, False, True],
        [1, 2, 3],
    )


def test_pending_changes_are_kept_when_the_store_is_closed(
    open_store: Open,
) -> None:
    store = open_store()
    for number in range(200):
        put(store, Key("identifiers", ("ns",), f"{number:03}"), record(number))
    store.close()

    assert len(names(open_store(), newest=False)) == 200


def test_a_closed_store_takes_no_changes(store: FileStore) -> None:
    store.close()
    with pytest.raises(NotKept, match="the server is ending"):
        put(store, ONE, record(1))

    assert names(store, newest=True) == []
