"""How fast the reference server is: against bare ASGI on the same machine, from its start to its first answer, and with very long lists.

`nox -s bench`, or `python tests/bench [--seconds S] [--rounds N]`. Server and load generator have a core each where there are two.
What is compared is the time that the server's process computes for one answer (its inverse is what one core can give), as the median
of rounds in which both servers take turns; other programs on the machine disturb it least. Answers per second are shown beside it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import uvloop
from listings import listings
from load import ask, load
from workloads import PREPARATION, WORKLOADS, Workload

if TYPE_CHECKING:
    from collections.abc import Iterator

CONNECTIONS = 8
WARM_UP = 0.3  #: seconds
START_TARGET = 0.6  #: seconds from the command to its first answer
STARTS = 7


@dataclass
class Speed:
    """What was measured of one server, round by round."""

    computing: list[float] = field(default_factory=list[float])  #: seconds for one answer
    per_second: list[float] = field(default_factory=list[float])


@contextlib.contextmanager
def server(kind: str, warehouse: str, core: int) -> Iterator[tuple[int, int]]:
    """The process id and the port of a prepared server."""
    command = [sys.executable, str(Path(__file__).with_name("servers.py")), kind, warehouse, str(core)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        port = int(process.stdout.readline())
        asyncio.run(prepare(port))
        yield process.pid, port
    finally:
        process.terminate()
        process.communicate()


async def prepare(port: int) -> None:
    """Make what the workloads are about."""
    for made in PREPARATION:
        await ask(port, made)


def computed(pid: int) -> float:
    """Seconds that a process has computed; where the system does not tell, seconds that have passed."""
    try:
        return sum(int(task.read_text().split()[0]) for task in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9
    except OSError:
        return time.perf_counter()


def compared(workload: Workload, *, seconds: float, rounds: int, core: int) -> tuple[Speed, Speed]:
    """Bare ASGI and the reference server under the same load, taking turns."""
    with server("bare", workload.warehouse, core) as bare, server("fast", workload.warehouse, core) as reference:
        measured = [(bare, Speed(), workload.requests()), (reference, Speed(), workload.requests())]
        for number in range(rounds + 1):
            for (pid, port), speed, requests in measured if number % 2 else reversed(measured):
                before, started = computed(pid), time.perf_counter()
                answers = asyncio.run(load(port, requests, seconds=seconds if number else WARM_UP, connections=CONNECTIONS))
                if number:
                    speed.computing.append((computed(pid) - before) / answers)
                    speed.per_second.append(answers / (time.perf_counter() - started))
    return measured[0][1], measured[1][1]


def start_seconds() -> float:
    """Seconds from `lakepact serve` to its first answer."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "lakepact.conformance", "serve", "--port", "0", "--warehouse", "memory:"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        url = process.stdout.readline().strip()
        with urllib.request.urlopen(f"{url}/v1/config") as answer:
            answer.read()
        return time.perf_counter() - started
    finally:
        process.terminate()
        process.communicate()


def long_lists(core: int) -> bool:
    """Measure the listings of tables with very many files, print them, and return whether a target is missed."""
    missed = False
    say(f"{'tables of 100,000 files':52}{'':26}{'':>6}{'most':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name, value, most in listings(Path(folder), core=core, computed=computed):
            missed = missed or value > most
            say(f"{name:52}{'':22}{value:>10.1f}{most:>8.0f}")
    return missed


def cores() -> tuple[int, int]:
    """The cores of the servers and of the load generator, -1 where there is no choice."""
    available = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    return (available[0], available[-1]) if len(available) > 1 else (-1, -1)


def say(line: str) -> None:
    """Write a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    """Measure everything, print a table, and return 1 if a target is missed."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=0.3, help="length of one measurement")
    arguments.add_argument("--rounds", type=int, default=15, help="measurements of each server for each workload")
    chosen = arguments.parse_args()
    uvloop.install()
    start = statistics.median(start_seconds() for _ in range(STARTS))
    served, loading = cores()
    if loading >= 0:
        os.sched_setaffinity(0, {loading})
    missed = start > START_TARGET
    say(f"{f'{CONNECTIONS} connections':22}{'bare ASGI':>22}{'reference':>24}{'ratio':>8}{'target':>8}")
    for workload in WORKLOADS:
        bare, reference = compared(workload, seconds=chosen.seconds, rounds=chosen.rounds, core=served)
        ratio = statistics.median(bare.computing) / statistics.median(reference.computing)
        missed = missed or (workload.target is not None and ratio < workload.target)
        shown = [f"{statistics.median(s.computing) * 1e6:8.1f} µs {statistics.median(s.per_second):8.0f}/s" for s in (bare, reference)]
        say(f"{workload.name:22}{shown[0]:>22}{shown[1]:>24}{ratio:>8.2f}{'-' if workload.target is None else f'{workload.target:.2f}':>8}")
    say(f"{'start to first answer':22}{'':22}{'':24}{start:>7.2f}s{START_TARGET:>7.2f}s")
    missed = long_lists(served) or missed
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
