"""What is on its way to the file: transactions build on it, readers do not see it, and if it fails, all that relies on it is undone."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from typing import TYPE_CHECKING, Any

import pytest

from lakepact.reference_server.storage import group_commit
from lakepact.reference_server.storage.store import Key, NotKept, Record

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.storage.group_commit import FileStore

ONE, TWO = Key("identifiers", ("ns",), "one"), Key("identifiers", ("ns",), "two")


def record(number: int, size: int = 0) -> Record:
    return Record("table", {"n": number, "": "x" * size}, b'{"n":%d,"":"%s"}' % (number, b"x" * size))


def put(store: FileStore, key: Key, value: Record) -> None:
    with store.begin() as transaction:
        transaction.put(key, value)


def names(store: FileStore, *, newest: bool) -> list[str]:
    with store.begin() if newest else store.view() as view:
        return [name for name, _ in view.under("identifiers", ("ns",))]


@pytest.fixture
def store(open_store: Callable[..., FileStore]) -> FileStore:
    return open_store()


def full(store: FileStore) -> None:
    """Let the store's file have no more pages than it has."""
    connection = store._file._connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")


def test_transactions_see_what_is_on_its_way_and_readers_do_not(store: FileStore) -> None:
    with store._lock:  # which the writer needs before it can take a batch
        put(store, ONE, record(1))
        seen = names(store, newest=True), names(store, newest=False), store.get(ONE)

    assert seen == (["one"], [], None)


def test_listings_of_readers_hold_what_is_being_removed_until_it_is_gone_for_good(store: FileStore) -> None:
    put(store, ONE, record(1))
    put(store, TWO, record(2))
    store.settle()
    with store._lock:
        with store.begin() as transaction:
            transaction.remove(ONE)
        seen = names(store, newest=True), names(store, newest=False)
    store.settle()

    assert (seen, names(store, newest=False)) == ((["two"], ["one", "two"]), ["two"])


def test_who_only_read_what_lasts_waits_for_nobody(store: FileStore) -> None:
    with store._lock:
        put(store, ONE, record(1))
        store.settled()
        with store.view() as view:
            view.get(ONE)

        assert store.settled() is None


def test_who_looked_at_what_is_on_its_way_waits_for_it(store: FileStore) -> None:
    with store._lock:
        put(store, ONE, record(1))
        store.settled()
        with store.begin() as transaction:
            transaction.get(TWO)
        settling = store.settled()
    assert settling
    settling.wait()

    assert store.get(ONE) == record(1)


def test_a_refusal_because_of_what_is_on_its_way_waits_for_it_too(store: FileStore) -> None:
    def refused() -> None:
        with store.begin() as transaction:
            assert transaction.get(ONE)
            raise ZeroDivisionError

    with store._lock:
        put(store, ONE, record(1))
        store.settled()
        with pytest.raises(ZeroDivisionError):
            refused()

        assert store.settled() is not None


def test_changes_for_which_there_is_no_room_are_undone_and_told_of(store: FileStore) -> None:
    put(store, ONE, record(1))
    store.settle()
    full(store)
    put(store, ONE, record(2, 100_000))
    with pytest.raises(NotKept, match="the disk is full") as told:
        store.settle()

    assert (told.value.status, store.get(ONE), names(store, newest=True)) == (507, record(1), ["one"])


def test_what_relies_on_undone_changes_is_undone_with_them(store: FileStore) -> None:
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
        store.settle()

    assert (names(store, newest=True), names(store, newest=False), lost) == ([], [], ["two"])


def test_the_store_goes_on_when_there_is_room_again(store: FileStore) -> None:
    full(store)
    put(store, ONE, record(1, 100_000))
    with pytest.raises(NotKept):
        store.settle()
    store._file._connection.execute("PRAGMA max_page_count = 100000")
    put(store, ONE, record(2, 100_000))
    store.settle()

    assert store.get(ONE) == record(2, 100_000)


def test_nothing_of_what_was_undone_is_there_when_the_store_is_opened_again(open_store: Callable[..., FileStore]) -> None:
    store = open_store()
    put(store, ONE, record(1))
    store.settle()
    full(store)
    put(store, ONE, record(2, 100_000))
    with pytest.raises(NotKept):
        store.settle()
    store.close()

    assert open_store().get(ONE) == record(1)


def test_what_cannot_be_undone_is_not_begun_for_changes_that_are(store: FileStore) -> None:
    full(store)
    done: list[str] = []
    with store.begin() as transaction:
        transaction.put(ONE, record(1, 100_000))
        transaction.afterwards(lambda: done.append("afterwards"))
        transaction.otherwise(lambda: done.append("otherwise"))
    with pytest.raises(NotKept):
        store.settle()

    assert done == ["otherwise"]


class Failing:
    """The connection to a file on a disk that fails."""

    def __init__(self, connection: sqlite3.Connection, *statements: str) -> None:
        self.connection = connection
        self.statements = statements

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)

    def execute(self, statement: str, *arguments: Any) -> sqlite3.Cursor:
        if statement.startswith(self.statements):
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorname = "SQLITE_IOERR_FSYNC"
            raise error
        return self.connection.execute(statement, *arguments)


def told(store: FileStore, number: int) -> int | None:
    """What somebody who puts a record is told; None for success."""
    put(store, ONE, record(number))
    try:
        store.settle()
    except NotKept as lost:
        return lost.status
    return None


def test_after_a_failure_of_the_disk_the_log_is_emptied_so_that_nothing_comes_back(store: FileStore) -> None:
    failing = Failing(store._file._connection, "INSERT INTO record")
    store._file._connection = failing
    failed = told(store, 1)
    failing.statements = ()

    assert (failed, store.get(ONE), told(store, 2), store.get(ONE)) == (503, None, None, record(2))


def test_where_nobody_can_tell_whether_a_change_comes_back_nothing_more_is_written_until_it_is_known(store: FileStore) -> None:
    failing = Failing(store._file._connection, "INSERT INTO record", "PRAGMA wal_checkpoint")
    store._file._connection = failing
    statuses = [told(store, 1)]
    failing.statements = ("PRAGMA wal_checkpoint",)
    statuses.append(told(store, 2))
    failing.statements = ()
    statuses.append(told(store, 3))

    assert (statuses, store.get(ONE)) == ([500, 503, None], record(3))


def test_all_tasks_that_wait_for_one_batch_are_woken(store: FileStore) -> None:
    async def commit(number: int) -> None:
        put(store, Key("identifiers", ("ns",), f"{number:02}"), record(number))
        settling = store.settled()
        if settling is not None:
            await settling

    async def commits() -> None:
        await asyncio.gather(*map(commit, range(32)))

    asyncio.run(commits())

    assert names(store, newest=False) == [f"{number:02}" for number in range(32)]


@pytest.mark.parametrize(("at_once", "batches"), [(1, 5), (2, 1)])
def test_where_several_change_something_at_once_more_is_waited_for_until_none_comes(store: FileStore, at_once: int, batches: int) -> None:
    async def commits() -> None:
        for number in range(5 * at_once):
            put(store, Key("identifiers", ("ns",), f"{number:02}"), record(number))
            if number % at_once == at_once - 1:
                await asyncio.sleep(0)
        settling = store.settled()
        if settling is not None:
            await settling

    before = store._file.batch
    asyncio.run(commits())

    assert (store._file.batch - before, len(names(store, newest=False))) == (batches, 5 * at_once)


def test_all_tasks_that_wait_for_a_batch_that_fails_are_told(store: FileStore) -> None:
    async def commit(number: int) -> int:
        put(store, Key("identifiers", ("ns",), f"{number:02}"), record(number, 100_000))
        settling = store.settled()
        assert settling
        try:
            await settling
        except NotKept as lost:
            return lost.status
        return 0

    async def commits() -> list[int]:
        return await asyncio.gather(*map(commit, range(8)))

    full(store)

    assert asyncio.run(commits()) == [507] * 8


def test_a_change_whose_loop_has_ended_is_written_when_somebody_waits_for_it(store: FileStore) -> None:
    def commit() -> None:
        loop.stop()  # it does not come to what the store puts off
        put(store, ONE, record(1))

    loop = asyncio.new_event_loop()
    loop.call_soon(commit)
    loop.run_forever()
    loop.close()
    store.settle()

    assert store.get(ONE) == record(1)


def test_changes_of_a_loop_and_of_threads_beside_it_are_all_kept(store: FileStore) -> None:
    def commit(number: int) -> None:
        put(store, Key("identifiers", ("ns",), f"{number:03}"), record(number))

    def commit_and_wait(number: int) -> None:
        commit(number)
        store.settle()

    async def commits() -> None:
        beside = [asyncio.to_thread(commit_and_wait, number) for number in range(100)]
        gathered = asyncio.gather(*beside)
        for number in range(100, 200):
            commit(number)
            settling = store.settled()
            if settling is not None:
                await settling
        await gathered

    asyncio.run(commits())

    assert names(store, newest=False) == [f"{number:03}" for number in range(200)]


def test_a_loop_answers_others_while_the_disk_is_slow(store: FileStore) -> None:
    async def commit() -> list[int]:
        put(store, ONE, record(1))
        settling = store.settled()
        assert settling
        waiting = asyncio.ensure_future(settling)
        done: list[int] = []
        for number in range(3):
            await asyncio.sleep(0)
            done.append(number)
        store._writing.release()
        await waiting
        return done

    store._writing.acquire()  # as a thread does that writes

    assert (asyncio.run(commit()), store.get(ONE)) == ([0, 1, 2], record(1))


def test_only_the_documents_of_what_was_changed_last_stay_in_memory(store: FileStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_commit, "READ", 2)
    for number in (1, 2, 3, 1):
        put(store, Key("identifiers", ("ns",), f"{number}"), record(number))
    store.settle()
    with store.view() as view:
        records = [found for _, found in view.under("identifiers", ("ns",))]

    assert ([one.is_read for one in records], [one.document["n"] for one in records]) == ([True, False, True], [1, 2, 3])


def test_what_is_on_its_way_when_the_store_is_closed_is_kept(open_store: Callable[..., FileStore]) -> None:
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


def test_counts_of_many_threads_are_all_there_when_the_store_is_opened_again(open_store: Callable[..., FileStore]) -> None:
    store = open_store()
    put(store, ONE, record(0))

    def count() -> None:
        for _ in range(50):
            with store.begin() as transaction:
                found = transaction.get(ONE)
                assert found
                transaction.put(ONE, record(found.document["n"] + 1))
            store.settle()

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()

    assert open_store().get(ONE) == record(400)
