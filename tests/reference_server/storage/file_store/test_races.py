"""Concurrent commits of many clients to the same tables: one winner for each state, and
linearizable answers.
"""

from __future__ import annotations

import math
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from crashes import SCHEMA, server
from lakepact.client import NO_RETRIES, IcebergCatalog, TableChange
from lakepact.client.errors import CommitRejected, LakepactError, ResponseError, ServerError
from linearizability import Operation, explained
from sample_tables.table_documents import append_updates

SPACE = "races"
TABLES = ("one", "two", "three")
THREADS = 32
NONE = 0  #: instead of a snapshot: there is none yet


def change(table: str, base: int, new: int) -> TableChange:
    """Return the change that makes `new` the current snapshot of a table, if `base` is current."""
    updates = append_updates(new)  # ids grow with every change, as sequence numbers have to
    requires = {
        "type": "assert-ref-snapshot-id",
        "ref": "main",
        "snapshot-id": base if base != NONE else None,
    }
    return TableChange(SPACE, table, updates, requirements=[requires])


class Histories:
    """The recorded operations of all threads."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self._lock = threading.Lock()
        self._last = 0

    def number(self) -> int:
        """Return the next higher number."""
        with self._lock:
            self._last += 1
            return self._last

    def load(self, catalog: IcebergCatalog, table: str) -> int:
        """Return the current snapshot of a table."""
        began = time.monotonic()
        seen = catalog.load_table((SPACE, table)).metadata.current_snapshot_id or NONE
        self._note(Operation(began, time.monotonic(), {table: seen}))
        return seen

    def commit(self, catalog: IcebergCatalog, bases: dict[str, int]) -> bool | None:
        """Replace the current snapshots of some tables; return whether it was done, or None if
        unknown.
        """
        new = {table: self.number() for table in bases}
        changes = [change(table, base, new[table]) for table, base in bases.items()]
        began, done, ended = time.monotonic(), None, math.inf
        try:
            if len(changes) == 1:
                (only,) = changes
                catalog.commit_table(
                    (SPACE, only.name), only.updates, requirements=only.requirements
                )
            else:
                catalog.commit_transaction(changes)
            done = True
        except CommitRejected:
            done = False
        except LakepactError as error:
            if isinstance(error, ResponseError) and not isinstance(error, ServerError):
                raise
        if done is not None:
            ended = time.monotonic()
        self._note(Operation(began, ended, bases, new, done))
        return done

    def _note(self, operation: Operation) -> None:
        with self._lock:
            self.operations.append(operation)


def together(
    url: str, task: Callable[[IcebergCatalog, int], None], count: int = THREADS
) -> list[threading.Thread]:
    """Start threads that begin the same task at once, each with its own client."""
    ready = threading.Barrier(count)

    def run(number: int) -> None:
        with IcebergCatalog(url, retries=NO_RETRIES) as catalog:
            catalog.namespace_exists(SPACE)  # connected
            ready.wait(60)
            task(catalog, number)

    threads = [threading.Thread(target=run, args=[number]) for number in range(count)]
    for thread in threads:
        thread.start()
    return threads


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def url(warehouse: Path) -> Iterator[str]:
    with server(warehouse) as (url, _):
        prepare(url)
        yield url


def prepare(url: str) -> None:
    with IcebergCatalog(url) as catalog:
        catalog.create_namespace(SPACE)
        for table in TABLES:
            catalog.create_table((SPACE, table), SCHEMA)


@pytest.mark.parametrize(
    "bases", [{"one": NONE}, {"one": NONE, "two": NONE}, {"one": NONE, "two": NONE, "three": NONE}]
)
def test_exactly_one_of_many_concurrent_commits_wins(url: str, bases: dict[str, int]) -> None:
    histories, told = Histories(), Counter[bool | None]()

    def commit(catalog: IcebergCatalog, _: int) -> None:
        told[histories.commit(catalog, bases)] += 1

    for thread in together(url, commit):
        thread.join()

    assert told == {True: 1, False: THREADS - 1}


def test_answers_to_many_clients_are_linearizable(url: str) -> None:
    histories = Histories()

    def work(catalog: IcebergCatalog, number: int) -> None:
        chance = random.Random(number)
        for _ in range(6):
            tables = chance.sample(TABLES, chance.choice([1, 1, 2]))
            histories.commit(catalog, {table: histories.load(catalog, table) for table in tables})

    for thread in together(url, work):
        thread.join()

    assert explained(histories.operations, dict.fromkeys(TABLES, NONE)) is None
    assert {operation.done for operation in histories.operations} == {True, False}


@pytest.mark.parametrize(
    "seed",
    [pytest.param(seed, marks=[pytest.mark.nightly] if seed > 1 else []) for seed in range(30)],
)
def test_answers_before_and_after_a_crash_are_linearizable(warehouse: Path, seed: int) -> None:
    histories, chance, enough = Histories(), random.Random(seed), threading.Event()
    wanted = chance.randint(20, 250)

    def work(catalog: IcebergCatalog, number: int) -> None:
        mine = random.Random(f"{seed}.{number}")
        while True:
            tables = mine.sample(TABLES, mine.choice([1, 1, 2]))
            try:
                bases = {table: histories.load(catalog, table) for table in tables}
            except LakepactError:
                return
            if histories.commit(catalog, bases) is None:
                return
            if len(histories.operations) > wanted:
                enough.set()

    with server(warehouse) as (url, process):
        prepare(url)
        threads = together(url, work)
        assert enough.wait(60)
        process.kill()
        for thread in threads:
            thread.join()
    with server(warehouse) as (url, _), IcebergCatalog(url) as catalog:
        for table in TABLES:
            histories.load(catalog, table)

    assert explained(histories.operations, dict.fromkeys(TABLES, NONE)) is None
