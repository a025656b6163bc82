"""Writers on a server that is killed, and checks that the restarted server keeps all acknowledged
changes.

Each writer has its own namespace and knows its content. When the server dies, each writer has at
most one request with an unknown outcome: the restarted server shows the namespace as it was before
that request or after it.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lakepact.client import NO_RETRIES, IcebergCatalog, TableChange
from lakepact.client.errors import LakepactError, ResponseError, ServerError
from sample_tables.schemas import SCHEMA

PAIR = ("left", "right")  #: tables that are always changed together
State = dict[str, str]  #: by the name of a table: the number of its last commit


@contextmanager
def server(warehouse: Path, *options: str) -> Generator[tuple[str, subprocess.Popen[str]]]:
    """Yield a server on a file store in its own process, which is killed at the end."""
    command = [
        sys.executable,
        "-m",
        "lakepact.reference_server",
        "--port",
        "0",
        "--store",
        "file",
        "--warehouse",
        str(warehouse),
        *options,
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        url = process.stdout.readline().strip()
        assert url, "the server did not start"
        yield url, process
    finally:
        process.kill()
        process.communicate()


@dataclass
class Writer:
    """A client that changes its namespace and records the answers."""

    number: int
    chance: random.Random
    known: State = field(default_factory=dict)
    wanted: State | None = None  #: the content after the request with unknown outcome
    steps: int = 0
    refused: list[str] = field(default_factory=list)  #: valid changes that the server refused

    @property
    def namespace(self) -> str:
        return f"writer_{self.number}"

    def prepare(self, catalog: IcebergCatalog) -> None:
        catalog.create_namespace(self.namespace)
        for name in PAIR:
            catalog.create_table((self.namespace, name), SCHEMA, properties={"n": "0"})
            self.known[name] = "0"

    def write(self, catalog: IcebergCatalog, acknowledged: Callable[[], None]) -> None:
        """Send changes until the server is gone."""
        while True:
            self.steps += 1
            change, self.wanted = self._next(catalog)
            try:
                change()
            except LakepactError as error:
                if isinstance(error, ResponseError) and not isinstance(error, ServerError):
                    self.refused.append(f"{self.namespace}: {error}")
                return
            self.known, self.wanted = self.wanted, None
            acknowledged()

    def _next(self, catalog: IcebergCatalog) -> tuple[Callable[[], Any], State]:
        number, space = str(self.steps), self.namespace
        others = sorted(self.known.keys() - set(PAIR))
        kind = self.chance.choice(["commit", "commit", "pair", "pair", "create", "drop", "rename"])
        updates = [{"action": "set-properties", "updates": {"n": number}}]
        if kind == "pair":
            changes = [TableChange(space, name, updates) for name in PAIR]
            return lambda: catalog.commit_transaction(changes), {
                **self.known,
                **dict.fromkeys(PAIR, number),
            }
        if kind == "create" or not others:
            name = f"table_{number}"
            return lambda: catalog.create_table((space, name), SCHEMA, properties={"n": number}), {
                **self.known,
                name: number,
            }
        name = self.chance.choice(others)
        left = {other: n for other, n in self.known.items() if other != name}
        if kind == "drop":
            purge = self.chance.random() < 0.5
            return lambda: catalog.drop_table((space, name), purge=purge), left
        if kind == "rename":
            new = f"renamed_{number}"
            return lambda: catalog.rename_table((space, name), (space, new)), {
                **left,
                new: self.known[name],
            }
        return lambda: catalog.commit_table((space, name), updates), {**self.known, name: number}

    def agree(self, catalog: IcebergCatalog) -> str | None:
        """Adopt the content of the namespace, and return an error text if that content is
        impossible.
        """
        found = {
            table.name: catalog.load_table((self.namespace, table.name)).metadata.properties["n"]
            for table in catalog.list_tables(self.namespace)
        }
        possible = [self.known, *([self.wanted] if self.wanted is not None else [])]
        self.known, self.wanted = found, None
        return (
            None
            if found in possible
            else f"{self.namespace} holds {found}, which is none of {possible}"
        )


@dataclass
class Reader:
    """A client that reads pairs of tables during changes and records their numbers."""

    writers: list[Writer]
    seen: dict[str, int] = field(default_factory=dict)
    torn: list[str] = field(default_factory=list)

    def read(self, catalog: IcebergCatalog) -> None:
        """Read pairs until the server is gone; the table loaded second is never older than the
        first.
        """
        while True:
            for turn, writer in enumerate(self.writers):
                first, second = PAIR if turn % 2 else reversed(PAIR)
                try:
                    earlier, later = (
                        self._number(catalog, writer, name) for name in (first, second)
                    )
                except LakepactError:
                    return
                if later < earlier:
                    self.torn.append(
                        f"{writer.namespace}: {first} is {earlier}, and then {second} is {later}"
                    )

    def _number(self, catalog: IcebergCatalog, writer: Writer, name: str) -> int:
        number = int(catalog.load_table((writer.namespace, name)).metadata.properties["n"])
        key = f"{writer.namespace}.{name}"
        self.seen[key] = max(self.seen.get(key, 0), number)
        return number

    def agree(self) -> list[str]:
        """Return the numbers that were read and are lost."""
        there = {
            f"{writer.namespace}.{name}": int(writer.known[name])
            for writer in self.writers
            for name in PAIR
        }
        return [
            f"{key} was seen as {number}, and is {there[key]}"
            for key, number in self.seen.items()
            if there[key] < number
        ]


def crash(
    url: str,
    process: subprocess.Popen[str],
    writers: list[Writer],
    reader: Reader,
    *,
    chance: random.Random,
    end: signal.Signals = signal.SIGKILL,
) -> int:
    """Run all clients, end the server at a random moment, and return its number of acknowledged
    changes.
    """
    count, enough, moment = 0, chance.randint(1, 120), threading.Event()
    lock = threading.Lock()

    def acknowledged() -> None:
        nonlocal count
        with lock:
            count += 1
            if count >= enough:
                moment.set()

    def work(task: Callable[[IcebergCatalog], None]) -> None:
        with IcebergCatalog(url, retries=NO_RETRIES) as catalog:
            task(catalog)

    tasks: list[Callable[[IcebergCatalog], None]] = [
        lambda catalog, writer=writer: writer.write(catalog, acknowledged) for writer in writers
    ]
    threads = [threading.Thread(target=work, args=[task]) for task in [*tasks, reader.read]]
    for thread in threads:
        thread.start()
    assert moment.wait(60), "the server acknowledges nothing"
    threading.Event().wait(chance.random() * 0.01)
    process.send_signal(end)
    for thread in threads:
        thread.join()
    process.wait(30)
    return count
