"""Transactions of every kind of store are atomic and isolated."""

from __future__ import annotations

import contextlib
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from lakepact.reference_server.storage.group_commit import FileStore
from lakepact.reference_server.storage.sqlite import StoreFile
from lakepact.reference_server.storage.store import Key, MemoryStore, Record, Store

names = st.sampled_from(["a", "b", "ab", "a b", "é", "z"])
keys = st.builds(
    Key,
    st.sampled_from(["namespaces", "identifiers"]),
    st.lists(names, max_size=2).map(tuple),
    names,
)


def record(number: int = 0) -> Record:
    return Record("table", {"n": number}, b'{"n":%d}' % number)


records = st.builds(record, st.integers(-(2**63), 2**63 - 1))


def settle(store: Store) -> None:
    pending = store.pending()
    if pending is not None:
        pending.wait()


def everything(store: Store) -> dict[Key, Record]:
    settle(store)
    with store.view() as view:
        return {
            key: found
            for collection in ("namespaces", "identifiers")
            for key, found in view.every(collection)
        }


@contextmanager
def opened(kind: str) -> Iterator[Store]:
    """Yield an empty store of this kind."""
    with ExitStack() as ending:
        store: Store = MemoryStore()
        if kind == "file":
            folder = Path(ending.enter_context(tempfile.TemporaryDirectory()))
            store = FileStore(
                StoreFile(folder / "store.sqlite", contract="iceberg_rest", durability="normal")
            )
        ending.callback(store.close)
        yield store


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    with opened(request.param) as store:
        yield store


def test_a_removed_record_is_gone_and_handed_back(store: Store) -> None:
    key = Key("identifiers", ("ns",), "t")
    with store.begin() as transaction:
        transaction.put(key, record(1))
        removed = transaction.remove(key)
    settle(store)

    assert (removed, store.get(key)) == (record(1), None)


def test_removing_what_is_not_there_changes_nothing(store: Store) -> None:
    with store.begin() as transaction:
        removed = transaction.remove(Key("identifiers", ("ns",), "t"))

    assert (removed, everything(store)) == (None, {})


@given(st.sets(st.text(min_size=1)), st.text())
def test_records_below_a_key_are_sorted_and_begin_after_a_name(
    present: set[str], behind: str
) -> None:
    store = MemoryStore()
    with store.begin() as transaction:
        for name in present:
            transaction.put(Key("identifiers", ("ns",), name), record())
        found = [name for name, _ in transaction.under("identifiers", ("ns",), after=behind)]

    assert found == sorted(name for name in present if name > behind)


def test_a_place_holds_neither_what_is_below_it_nor_what_has_a_similar_name(store: Store) -> None:
    with store.begin() as transaction:
        for place in ((), ("a",), ("a", "b"), ("ab",)):
            transaction.put(Key("namespaces", place, "x"), record())
        transaction.put(Key("namespaces", ("a",), "b"), record())
        found = [name for name, _ in transaction.under("namespaces", ("a",))]

    assert found == ["b", "x"]


@settings(max_examples=40)
@given(
    kind=st.sampled_from(["memory", "file"]),
    before=st.dictionaries(keys, records),
    changes=st.lists(st.tuples(keys, st.none() | records)),
)
def test_a_transaction_that_raises_leaves_no_trace(
    kind: str, before: dict[Key, Record], changes: list[tuple[Key, Record | None]]
) -> None:
    def change_and_fail(store: Store) -> None:
        with store.begin() as transaction:
            for key, value in changes:
                if value is None:
                    transaction.remove(key)
                else:
                    transaction.put(key, value)
            raise ZeroDivisionError

    with opened(kind) as store:
        with store.begin() as transaction:
            for key, value in before.items():
                transaction.put(key, value)
        with pytest.raises(ZeroDivisionError):
            change_and_fail(store)

        assert everything(store) == before


def test_afterwards_is_called_when_the_changes_are_stored(store: Store) -> None:
    key = Key("identifiers", ("ns",), "t")
    seen: list[Record | None] = []
    with store.begin() as transaction:
        transaction.put(key, record(1))
        transaction.afterwards(lambda: seen.append(store.get(key)))
        transaction.otherwise(lambda: seen.append(None))
    settle(store)

    assert seen == [record(1)]


def test_otherwise_is_called_when_a_transaction_raises(store: Store) -> None:
    done: list[str] = []

    def fail() -> None:
        with store.begin() as transaction:
            transaction.put(Key("identifiers", ("ns",), "t"), record(1))
            transaction.afterwards(lambda: done.append("afterwards"))
            transaction.otherwise(lambda: done.append("otherwise"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert done == ["otherwise"]


def test_no_update_is_lost_between_threads(store: Store) -> None:
    key = Key("identifiers", ("ns",), "t")
    with store.begin() as transaction:
        transaction.put(key, record(0))

    def count() -> None:
        for _ in range(200):
            with store.begin() as transaction:
                found = transaction.get(key)
                assert found
                transaction.put(key, record(found.document["n"] + 1))

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.begin() as transaction:
        transaction.get(key)
    settle(store)

    assert store.get(key) == record(1600)


def test_readers_never_see_half_of_a_transaction(store: Store) -> None:
    left, right = Key("identifiers", ("ns",), "left"), Key("identifiers", ("ns",), "right")
    torn: list[tuple[Record | None, Record | None]] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            with store.begin() as transaction:
                pair = transaction.get(left), transaction.get(right)
            if pair[0] != pair[1]:
                torn.append(pair)

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(500):
        with store.begin() as transaction:
            transaction.put(left, record(number))
            transaction.put(right, record(number))
    done.set()
    reader.join()

    assert torn == []


class StoreAgainstDictionary(RuleBasedStateMachine):
    """A store compared with a dictionary under random operations."""

    @initialize(kind=st.sampled_from(["memory", "file"]))
    def begin_empty(self, kind: str) -> None:
        self.ending = ExitStack()
        self.store = self.ending.enter_context(opened(kind))
        self.model: dict[Key, Record] = {}

    def teardown(self) -> None:
        self.ending.close()

    @rule(key=keys, value=records)
    def put(self, key: Key, value: Record) -> None:
        with self.store.begin() as transaction:
            transaction.put(key, value)
        self.model[key] = value

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.model)))
        with self.store.begin() as transaction:
            transaction.remove(key)
        del self.model[key]

    @rule(key=keys, value=records)
    def put_and_fail(self, key: Key, value: Record) -> None:
        with contextlib.suppress(ZeroDivisionError), self.store.begin() as transaction:
            transaction.put(key, value)
            transaction.remove(key)
            raise ZeroDivisionError

    @invariant()
    def transactions_see_the_same(self) -> None:
        with self.store.begin() as transaction:
            seen = {
                key: found
                for collection in ("namespaces", "identifiers")
                for key, found in transaction.every(collection)
            }

        assert seen == self.model

    @rule()
    def readers_see_the_same_in_the_end(self) -> None:
        assert everything(self.store) == self.model


test_a_store_agrees_with_a_dictionary = StoreAgainstDictionary.TestCase
test_a_store_agrees_with_a_dictionary.settings = settings(max_examples=30, stateful_step_count=30)


def test_readers_do_not_wait_for_a_transaction(store: Store) -> None:
    key, entered, ending = Key("identifiers", (), "a"), threading.Event(), threading.Event()

    def change() -> None:
        with store.begin() as transaction:
            transaction.put(key, record(1))
            entered.set()
            ending.wait(10)

    changing = threading.Thread(target=change)
    changing.start()
    entered.wait(10)
    with store.view() as view:
        seen = store.get(key), view.get(key), list(view.under("identifiers", ()))
    ending.set()
    changing.join(10)

    assert seen == (None, None, [])


def test_transaction_sees_its_own_changes(store: Store) -> None:
    first, second = Key("identifiers", (), "a"), Key("identifiers", (), "b")
    with store.begin() as transaction:
        transaction.put(first, record(1))
    with store.begin() as transaction:
        transaction.put(second, record(2))
        transaction.remove(first)

        assert (transaction.get(first), transaction.get(second)) == (None, record(2))
        assert list(transaction.under("identifiers", ())) == [("b", record(2))]
        assert list(transaction.under("identifiers", (), "b")) == []
        assert list(transaction.every("identifiers")) == [(second, record(2))]
