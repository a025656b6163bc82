"""Durable commits: on the file store, compared with the store in memory and with pyiceberg's
SqlCatalog.

The measured value is commits per second, because a durable commit mostly waits for the disk. Each
connection commits to its own table. The servers alternate, so that a slow disk or machine affects
all of them.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from load import ask, load
from sql_catalog import writing
from workloads import WRITERS, WRITERS_PREPARATION, to_many_tables

NEW_FILES = 200  #: created to measure the cost of a file
METADATA = 13_000  #: bytes of a metadata file


@dataclass(frozen=True)
class Kind:
    """A storage configuration."""

    name: str
    options: tuple[str, ...]
    beside: str = ""  #: the compared configuration: the same warehouse with the store in memory
    target: float | None = None


FULL = "full, metadata files"


@dataclass(frozen=True)
class BesideSql:
    """A comparison of our durable commits with those of pyiceberg's SqlCatalog."""

    way: str  #: the way of its commits (`sql_catalog`)
    theirs: int  #: the number of concurrent writers of pyiceberg
    ours: int  #: the number of ours
    target: float | None = None

    @property
    def row_name(self) -> str:
        """The name of the row in the table of results."""
        way = {"table": "by transactions", "catalog": "commit_table alone"}[self.way]
        return f"SqlCatalog {way}, {_writer_count(self.theirs)}"


TIMES = 15.0  #: times the commits of pyiceberg, for both ways
#: One pyiceberg program against our writers, and equal numbers of writers, with and without the
#: work of the client.
BESIDE_SQL = (
    BesideSql("table", 1, WRITERS, TIMES),
    BesideSql("table", WRITERS, WRITERS),
    BesideSql("catalog", WRITERS, WRITERS, TIMES),
    BesideSql("catalog", 1, 1),
)


def kinds(folder: Path) -> tuple[Kind, ...]:
    """Return the storage configurations that are measured alternately."""
    return (
        Kind("memory", ("--warehouse", "memory:")),
        Kind(
            "full",
            ("--warehouse", "memory:", "--store", str(folder / "full.sqlite")),
            "memory",
            0.35,
        ),
        Kind("memory, metadata files", ("--warehouse", str(folder / "files"))),
        Kind(
            FULL,
            ("--warehouse", str(folder / "full"), "--store", "file"),
            "memory, metadata files",
            0.35,
        ),
        Kind(
            "normal, metadata files",
            ("--warehouse", str(folder / "normal"), "--store", "file", "--durability", "normal"),
            "memory, metadata files",
        ),
    )


@contextmanager
def serving(kind: Kind, core: int) -> Iterator[int]:
    """Yield the port of a server with a table for each writer."""
    command = [sys.executable, "-m", "lakepact.reference_server", "--port", "0", *kind.options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        port = int(process.stdout.readline().rpartition(":")[2])
        if core >= 0:
            for task in Path(f"/proc/{process.pid}/task").iterdir():
                os.sched_setaffinity(int(task.name), {core})
        for content in WRITERS_PREPARATION:
            asyncio.run(ask(port, content))
        yield port
    finally:
        process.terminate()
        process.communicate()


def _metadata(port: int) -> dict[str, Any]:
    """Return the current metadata of the writers' tables."""
    with urllib.request.urlopen(
        f"http://127.0.0.1:{port}/v1/namespaces/bench/tables/small0"
    ) as answer:
        metadata: dict[str, Any] = json.load(answer)["metadata"]
    return metadata


def new_file(folder: Path) -> float:
    """Return the seconds for a new file, which every commit of every catalog creates.

    ext4 without a journal inspects each recently deleted file before it creates one, which takes up
    to twenty times as long. This delay is no property of the catalogs, so nothing is deleted during
    the measurement.
    """
    folder.mkdir()
    took: list[float] = []
    for number in range(NEW_FILES):
        begin = time.perf_counter()
        (folder / f"{number}.metadata.json").write_bytes(b" " * METADATA)
        took.append(time.perf_counter() - begin)
    return statistics.median(took)


def durable_commits(
    folder: Path, *, core: int, seconds: float, rounds: int
) -> Iterator[tuple[str, float, float, float | None]]:
    """Yield each measurement: name, commits per second, ratio to the compared one, and least
    ratio.
    """
    configurations = kinds(folder)
    with ExitStack() as ending:
        ports = {kind.name: ending.enter_context(serving(kind, core)) for kind in configurations}
        for port in ports.values():
            _rate(port, WRITERS, seconds)  # from here all tables have properties and tags
        sql = ending.enter_context(writing(folder / "sql", _metadata(ports[FULL]), writers=WRITERS))
        many: dict[str, list[float]] = {name: [] for name in ports}
        single: list[float] = []
        theirs: dict[BesideSql, list[float]] = {beside: [] for beside in BESIDE_SQL}
        for _ in range(rounds):
            for name, port in ports.items():
                many[name].append(_rate(port, WRITERS, seconds))
            single.append(_rate(ports[FULL], 1, seconds))
            for beside, rates in theirs.items():
                rates.append(sql.rate(beside.theirs, seconds, way=beside.way))
    for kind in configurations:
        rates = many[kind.name]
        yield (
            f"{kind.name}, {_writer_count(WRITERS)}",
            statistics.median(rates),
            _ratio(rates, many[kind.beside or kind.name]),
            kind.target,
        )
    for beside, rates in theirs.items():
        ours = single if beside.ours == 1 else many[FULL]
        yield beside.row_name, statistics.median(rates), 1.0, None
        yield (
            f"{FULL}, {_writer_count(beside.ours)}",
            statistics.median(ours),
            _ratio(ours, rates),
            beside.target,
        )


def _writer_count(writers: int) -> str:
    return "1 writer" if writers == 1 else f"{writers} writers"


def _ratio(rates: list[float], base: list[float]) -> float:
    return statistics.median(rate / other for rate, other in zip(rates, base, strict=True))


def _rate(port: int, writers: int, seconds: float) -> float:
    requests = to_many_tables(writers)
    begin = time.perf_counter()
    answers = asyncio.run(load(port, requests, seconds=seconds, connections=writers))
    return answers / (time.perf_counter() - begin)
