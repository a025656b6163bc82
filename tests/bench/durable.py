"""Commits that last: on the file store, beside the store in memory and beside pyiceberg's SqlCatalog.

Here it counts how many commits there are in a second, for most of what a durable commit takes is waiting for the disk. Each connection
commits to a table of its own. The servers take turns, so that a disk or a machine that is slow for a while is so for all of them.
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
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from load import ask, load
from sql_catalog import writing
from workloads import WRITERS, WRITERS_PREPARATION, to_many_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

NEW_FILES = 200  #: are made to see what one costs
METADATA = 13_000  #: bytes of one


@dataclass(frozen=True)
class Kind:
    """One way to keep a catalog."""

    name: str
    options: tuple[str, ...]
    beside: str = ""  #: what it is compared with: the same warehouse with the store in memory
    target: float | None = None


FULL = "full, metadata files"


@dataclass(frozen=True)
class BesideSql:
    """Our commits that last beside those of pyiceberg's SqlCatalog."""

    way: str  #: in which it commits (`sql_catalog`)
    theirs: int  #: how many of its writers commit at once
    ours: int  #: and how many of ours
    target: float | None = None

    @property
    def named(self) -> str:
        """What is measured of it."""
        way = {"table": "by transactions", "catalog": "commit_table alone"}[self.way]
        return f"SqlCatalog {way}, {_counted(self.theirs)}"


TIMES = 15.0  #: as many commits as pyiceberg's, however those are counted
#: As one program of its users commits, and as many writers on either side, with a client's work on that of theirs and without.
BESIDE_SQL = (
    BesideSql("table", 1, WRITERS, TIMES),
    BesideSql("table", WRITERS, WRITERS),
    BesideSql("catalog", WRITERS, WRITERS, TIMES),
    BesideSql("catalog", 1, 1),
)


def kinds(folder: Path) -> tuple[Kind, ...]:
    """What takes turns."""
    return (
        Kind("memory", ("--warehouse", "memory:")),
        Kind("full", ("--warehouse", "memory:", "--store", str(folder / "full.sqlite")), "memory", 0.35),
        Kind("memory, metadata files", ("--warehouse", str(folder / "files"))),
        Kind(FULL, ("--warehouse", str(folder / "full"), "--store", "file"), "memory, metadata files", 0.35),
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
        for made in WRITERS_PREPARATION:
            asyncio.run(ask(port, made))
        yield port
    finally:
        process.terminate()
        process.communicate()


def _metadata(port: int) -> dict[str, Any]:
    """What the tables of the writers are by now."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/namespaces/bench/tables/small0") as answer:
        metadata: dict[str, Any] = json.load(answer)["metadata"]
    return metadata


def new_file(folder: Path) -> float:
    """Return seconds that one more file takes, as each commit of every catalog makes one.

    Where ext4 has no journal, it looks at each file that was deleted in the last minutes before it makes one: that takes up to twenty times
    as long as it takes elsewhere, and is no property of what is measured. So nothing is deleted here as long as it is measured.
    """
    folder.mkdir()
    took: list[float] = []
    for number in range(NEW_FILES):
        started = time.perf_counter()
        (folder / f"{number}.metadata.json").write_bytes(b" " * METADATA)
        took.append(time.perf_counter() - started)
    return statistics.median(took)


def durable_commits(folder: Path, *, core: int, seconds: float, rounds: int) -> Iterator[tuple[str, float, float, float | None]]:
    """What is measured, its commits in a second, how many times those of what it is compared with, and the least that is to be."""
    compared = kinds(folder)
    with ExitStack() as ending:
        ports = {kind.name: ending.enter_context(serving(kind, core)) for kind in compared}
        for port in ports.values():
            _rate(port, WRITERS, seconds)  # all have properties and tags by then
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
    for kind in compared:
        rates = many[kind.name]
        yield f"{kind.name}, {_counted(WRITERS)}", statistics.median(rates), _ratio(rates, many[kind.beside or kind.name]), kind.target
    for beside, rates in theirs.items():
        ours = single if beside.ours == 1 else many[FULL]
        yield beside.named, statistics.median(rates), 1.0, None
        yield f"{FULL}, {_counted(beside.ours)}", statistics.median(ours), _ratio(ours, rates), beside.target


def _counted(writers: int) -> str:
    return "1 writer" if writers == 1 else f"{writers} writers"


def _ratio(rates: list[float], base: list[float]) -> float:
    return statistics.median(rate / other for rate, other in zip(rates, base, strict=True))


def _rate(port: int, writers: int, seconds: float) -> float:
    requests = to_many_tables(writers)
    started = time.perf_counter()
    answers = asyncio.run(load(port, requests, seconds=seconds, connections=writers))
    return answers / (time.perf_counter() - started)
