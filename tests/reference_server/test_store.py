"""The store keeps what its transactions say, all of it or nothing, whoever asks at the same time."""

from __future__ import annotations

import contextlib
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from lakepact.reference_server.store import Key, MemoryStore, Record

names = st.sampled_from(["a", "b", "ab", "a b", "é", "z"])
keys = st.builds(Key, st.sampled_from(["namespaces", "identifiers"]), st.lists(names, max_size=2).map(tuple), names)
records = st.builds(lambda n: Record("table", {"n": n}, str(n).encode()), st.integers())


def record(number: int = 0) -> Record:
    return Record("table", {"n": number}, str(number).encode())


def everything(store: MemoryStore) -> dict[Key, Record]:
    with store.begin() as transaction:
        return {key: found for shelf in ("namespaces", "identifiers") for key, found in transaction.every(shelf)}


def test_a_record_is_found_where_it_was_put() -> None:
    store = MemoryStore()
    with store.begin() as transaction:
        transaction.put(Key("identifiers", ("ns",), "t"), record(1))

    assert store.get(Key("identifiers", ("ns",), "t")) == record(1)


def test_a_removed_record_is_gone_and_handed_back() -> None:
    store = MemoryStore()
    key = Key("identifiers", ("ns",), "t")
    with store.begin() as transaction:
        transaction.put(key, record(1))
        removed = transaction.remove(key)

    assert (removed, store.get(key)) == (record(1), None)


def test_removing_what_is_not_there_changes_nothing() -> None:
    store = MemoryStore()
    with store.begin() as transaction:
        removed = transaction.remove(Key("identifiers", ("ns",), "t"))

    assert (removed, everything(store)) == (None, {})


def test_a_transaction_sees_its_own_changes() -> None:
    key = Key("identifiers", ("ns",), "t")
    with MemoryStore().begin() as transaction:
        transaction.put(key, record(1))
        seen = transaction.get(key)

    assert seen == record(1)


@given(st.sets(st.text(min_size=1)), st.text())
def test_records_of_a_place_come_in_the_order_of_their_names_behind_the_one_given(present: set[str], behind: str) -> None:
    store = MemoryStore()
    with store.begin() as transaction:
        for name in present:
            transaction.put(Key("identifiers", ("ns",), name), record())
        found = [name for name, _ in transaction.under("identifiers", ("ns",), after=behind)]

    assert found == sorted(name for name in present if name > behind)


def test_a_place_holds_neither_what_is_below_it_nor_what_has_a_similar_name() -> None:
    store = MemoryStore()
    with store.begin() as transaction:
        for place in ((), ("a",), ("a", "b"), ("ab",)):
            transaction.put(Key("namespaces", place, "x"), record())
        transaction.put(Key("namespaces", ("a",), "b"), record())
        found = [name for name, _ in transaction.under("namespaces", ("a",))]

    assert found == ["b", "x"]


@given(st.dictionaries(keys, records), st.lists(st.tuples(keys, st.none() | records)))
def test_a_transaction_that_raises_leaves_no_trace(before: dict[Key, Record], changes: list[tuple[Key, Record | None]]) -> None:
    store = MemoryStore()
    with store.begin() as transaction:
        for key, value in before.items():
            transaction.put(key, value)

    def change_and_fail() -> None:
        with store.begin() as transaction:
            for key, value in changes:
                if value is None:
                    transaction.remove(key)
                else:
                    transaction.put(key, value)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        change_and_fail()

    assert everything(store) == before


def test_no_update_is_lost_between_threads() -> None:
    store = MemoryStore()
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

    assert store.get(key) == record(1600)


def test_readers_never_see_half_of_a_transaction() -> None:
    store = MemoryStore()
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
    """Whatever is done to it, the store holds what a dictionary would hold."""

    @initialize()
    def begin_empty(self) -> None:
        self.store = MemoryStore()
        self.model: dict[Key, Record] = {}

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
    def holds_the_same(self) -> None:
        assert everything(self.store) == self.model


test_the_store_agrees_with_a_dictionary = StoreAgainstDictionary.TestCase
