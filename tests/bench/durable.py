"""Commits that last: on the file store, beside the store in memory and beside pyiceberg's SqlCatalog.

`python tests/bench/durable.py [--seconds S] [--rounds N] [--folder FOLDER]`; the folder is on the disk that is measured.
Here it counts how many commits there are in a second, for most of what a durable commit takes is waiting for the disk. Each connection
commits to a table of its own. The servers take turns, so that a disk or a machine that is slow for a while is so for all of them.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvloop
from load import ask, load
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import NestedField, StringType
from workloads import commits, request, snapshots, table

if TYPE_CHECKING:
    from collections.abc import Iterator

WRITERS = 8
SQL_COMMITS = 40  #: of each round


@dataclass(frozen=True)
class Kind:
    """One way to keep a catalog."""

    name: str
    options: tuple[str, ...]
    beside: str = ""  #: what it is compared with: the same warehouse with the store in memory
    target: float | None = None


FULL = "full, metadata files"


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
    """The port of a server with a table for each writer."""
    command = [sys.executable, "-m", "lakepact.reference_server", "--port", "0", *kind.options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        port = int(process.stdout.readline().rpartition(":")[2])
        if core >= 0:
            for task in Path(f"/proc/{process.pid}/task").iterdir():
                os.sched_setaffinity(int(task.name), {core})
        asyncio.run(_prepare(port))
        yield port
    finally:
        process.terminate()
        process.communicate()


async def _prepare(port: int) -> None:
    await ask(port, request("POST", "/v1/namespaces", {"namespace": ["bench"]}))
    for number in range(WRITERS):
        await ask(port, request("POST", "/v1/namespaces/bench/tables", table(f"small{number}")))
        await ask(port, request("POST", f"/v1/namespaces/bench/tables/small{number}", snapshots(12)))


def to_many_tables(writers: int) -> Iterator[bytes]:
    """Commits of 2 KB, to one table after the other."""
    for number, made in zip(itertools.cycle(range(writers)), commits(), strict=False):
        yield made.replace(b"/tables/small ", f"/tables/small{number} ".encode(), 1)


@contextmanager
def sql_catalog(folder: Path) -> Iterator[Any]:
    """A table in a catalog of pyiceberg, with about as much metadata."""
    folder.mkdir()
    catalog = SqlCatalog("bench", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}")
    catalog.create_namespace("bench")
    columns = [NestedField(n, f"column_{n}", StringType(), doc=f"The column {n}.") for n in range(1, 23)]
    yield catalog.create_table("bench.small", Schema(*columns), properties={"write.metadata.previous-versions-max": "1"})
    catalog.engine.dispose()


def _sql_rate(made: Any) -> float:
    started = time.perf_counter()
    for number in range(SQL_COMMITS):
        with made.transaction() as transaction:
            transaction.set_properties({"bench.number": str(number)})
    return SQL_COMMITS / (time.perf_counter() - started)


def durable_commits(folder: Path, *, core: int, seconds: float, rounds: int) -> Iterator[tuple[str, float, float, float | None]]:
    """What is measured, its commits in a second, how many times those of what it is compared with, and the least that is to be."""
    compared = kinds(folder)
    with ExitStack() as ending:
        ports = {kind.name: ending.enter_context(serving(kind, core)) for kind in compared}
        made = ending.enter_context(sql_catalog(folder / "sql"))
        many: dict[str, list[float]] = {name: [] for name in ports}
        single: list[float] = []
        sql: list[float] = []
        for number in range(rounds + 1):
            for name, port in ports.items():
                rate = _rate(port, WRITERS, seconds)
                if number:
                    many[name].append(rate)
            if number:
                single.append(_rate(ports[FULL], 1, seconds))
                sql.append(_sql_rate(made))
    for kind in compared:
        rates = many[kind.name]
        yield f"{kind.name}, {WRITERS} writers", statistics.median(rates), _ratio(rates, many[kind.beside or kind.name]), kind.target
    yield "pyiceberg SqlCatalog, 1 writer", statistics.median(sql), 1.0, None
    yield f"{FULL}, 1 writer", statistics.median(single), _ratio(single, sql), 15.0


def _ratio(rates: list[float], base: list[float]) -> float:
    return statistics.median(rate / other for rate, other in zip(rates, base, strict=True))


def _rate(port: int, writers: int, seconds: float) -> float:
    started = time.perf_counter()
    answers = asyncio.run(load(port, to_many_tables(writers), seconds=seconds, connections=writers))
    return answers / (time.perf_counter() - started)


def main() -> int:
    """Measure, print a table, and return 1 if a target is missed."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=0.3, help="length of one measurement")
    arguments.add_argument("--rounds", type=int, default=15, help="measurements of each")
    arguments.add_argument("--folder", default=None, help="where files go")
    chosen = arguments.parse_args()
    uvloop.install()
    missed = False
    sys.stdout.write(f"{'durable commits':44}{'':>12}{'ratio':>8}{'target':>8}\n")
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        for name, rate, ratio, target in durable_commits(Path(folder), core=-1, seconds=chosen.seconds, rounds=chosen.rounds):
            missed = missed or (target is not None and ratio < target)
            sys.stdout.write(f"{name:44}{rate:>10.0f}/s{ratio:>8.2f}{'-' if target is None else f'{target:.2f}':>8}\n")
            sys.stdout.flush()
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
