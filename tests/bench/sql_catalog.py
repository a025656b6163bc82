"""Commits of pyiceberg's SqlCatalog: the same commits, to tables of the same metadata, by one or
several writers.

A SqlCatalog is a library: each program has its own, and they share the database. So each writer
here is a process. It commits in one of
two ways:

- `table` is the usage of programs: a loaded table commits a transaction that sets the same
  properties.
- `catalog` is the least possible work: only `commit_table` runs, on requests that were parsed
  before the measurement.

As a program the module is one writer: `python sql_catalog.py FOLDER NUMBER` reads lines with a way
and a number of seconds, commits to its table, and answers each line with its number of commits and
seconds.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import CommitTableRequest
from sqlalchemy.exc import OperationalError
from workloads import commits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyiceberg.table import Table

DIFFERENT = 200  #: different commits


def catalog(folder: Path) -> SqlCatalog:
    """Return the catalog that all writers share."""
    return SqlCatalog("bench", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}")


def prepare(folder: Path, metadata: dict[str, Any], *, writers: int) -> None:
    """Create a catalog with a table of this metadata for each writer."""
    folder.mkdir()
    shared_catalog = catalog(folder)
    shared_catalog.create_namespace("bench")
    for number in range(writers):
        location = folder / f"small{number}"
        (location / "metadata").mkdir(parents=True)
        file = location / "metadata" / "00000-0f8a2f4e-2a5b-4b0f-8f0e-000000000000.metadata.json"
        file.write_text(
            json.dumps({**metadata, "location": f"file://{location}", "metadata-log": []})
        )
        shared_catalog.register_table(f"bench.small{number}", f"file://{file}")
    shared_catalog.engine.dispose()


def _requests() -> Iterator[CommitTableRequest]:
    """Yield the commits of the server, without removals of absent properties: pyiceberg rejects
    those.
    """
    identifier = {"namespace": ["bench"], "name": "small"}
    for raw in itertools.islice(commits(), DIFFERENT):
        body = json.loads(raw.partition(b"\r\n\r\n")[2])
        updates = [update for update in body["updates"] if update["action"] != "remove-properties"]
        yield CommitTableRequest.model_validate(
            {"identifier": identifier, "requirements": body["requirements"], "updates": updates}
        )


class Writers:
    """Processes that commit on request.

    Args:
        processes: in the order of their tables.
    """

    def __init__(self, processes: list[subprocess.Popen[str]]) -> None:
        self._processes = processes

    def rate(self, count: int, seconds: float, *, way: str) -> float:
        """Return the commits per second of several writers at once."""
        rates: list[float] = []
        for process in self._processes[:count]:
            assert process.stdin
            process.stdin.write(f"{way} {seconds}\n")
            process.stdin.flush()
        for process in self._processes[:count]:
            assert process.stdout
            count_text, took = process.stdout.readline().split()
            rates.append(int(count_text) / float(took))
        return sum(rates)


@contextmanager
def writing(folder: Path, metadata: dict[str, Any], *, writers: int) -> Iterator[Writers]:
    """Yield ready writers, each with its own table of this metadata."""
    prepare(folder, metadata, writers=writers)
    with ExitStack() as ending:
        processes: list[subprocess.Popen[str]] = []
        for number in range(writers):
            command = [sys.executable, __file__, str(folder), str(number)]
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            ending.callback(process.communicate)
            processes.append(process)
        for process in processes:
            assert process.stdout
            process.stdout.readline()  # it is ready
        yield Writers(processes)


def write(folder: Path, number: int) -> None:
    """Run one writer."""
    shared_catalog = catalog(folder)
    table = shared_catalog.load_table(f"bench.small{number}")
    ways = {"catalog": _by_catalog(shared_catalog, table), "table": _by_table(table)}
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        way, seconds = line.split()
        table.refresh()
        begin = time.perf_counter()
        until = begin + float(seconds)
        count = 0
        while (now := time.perf_counter()) < until or not count:
            try:
                ways[way]()
            except OperationalError:  # another writer holds the database: try the commit again
                continue
            count += 1
        sys.stdout.write(f"{count} {now - begin}\n")
        sys.stdout.flush()


def _by_catalog(shared_catalog: SqlCatalog, table: Table) -> Callable[[], object]:
    requests = itertools.cycle(list(_requests()))

    def commit() -> object:
        request = next(requests)
        return shared_catalog.commit_table(table, request.requirements, request.updates)

    return commit


def _by_table(table: Table) -> Callable[[], object]:
    properties = itertools.cycle(
        [
            update.updates
            for request in _requests()
            for update in request.updates
            if update.action == "set-properties"
        ]
    )

    def commit() -> object:
        with table.transaction() as transaction:
            transaction.set_properties(next(properties))

    return commit


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]))
