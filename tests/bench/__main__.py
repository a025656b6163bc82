"""How fast the reference server is: against bare ASGI on the same machine in the same run, and from its start to its first answer.

`nox -s bench`, or `python tests/bench [--seconds S] [--rounds N]`. Server and load generator have a core each where there are two.
A ratio is the median of the reference server's answers per second over the rounds, divided by that of bare ASGI.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import uvloop
from load import ask, load
from workloads import PREPARATION, WORKLOADS, Workload

if TYPE_CHECKING:
    from collections.abc import Iterator

CONNECTIONS = 8
START_TARGET = 0.6  #: seconds from the command to its first answer
STARTS = 7


def pin(which: int) -> None:
    """Keep this process on its first or last core, if it has several."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[which]})


@contextlib.contextmanager
def server(kind: str, warehouse: str, cores: set[int]) -> Iterator[int]:
    """The port of a prepared server in a process of its own."""
    command = [sys.executable, str(Path(__file__).with_name("servers.py")), kind, warehouse, str(min(cores, default=-1))]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        port = int(process.stdout.readline())
        asyncio.run(prepare(port))
        yield port
    finally:
        process.terminate()
        process.communicate()


async def prepare(port: int) -> None:
    """Make what the workloads are about."""
    for made in PREPARATION:
        await ask(port, made)


def compared(workload: Workload, *, seconds: float, rounds: int, cores: set[int]) -> tuple[float, float]:
    """Answers per second of bare ASGI and of the reference server, medians over rounds that take turns."""
    speeds: dict[str, list[float]] = {"bare": [], "reference": []}
    with server("bare", workload.warehouse, cores) as bare, server("reference", workload.warehouse, cores) as reference:
        ports = {"bare": bare, "reference": reference}
        streams = {kind: workload.requests() for kind in ports}
        for number in range(rounds + 1):
            for kind in sorted(ports, reverse=bool(number % 2)):
                speed = asyncio.run(load(ports[kind], streams[kind], seconds=seconds if number else 0.3, connections=CONNECTIONS))
                if number:  # the first round warms up
                    speeds[kind].append(speed)
    return statistics.median(speeds["bare"]), statistics.median(speeds["reference"])


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


def say(line: str) -> None:
    """Write a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    """Measure everything, print a table, and return 1 if a target is missed."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, default=1.0, help="length of one measurement")
    arguments.add_argument("--rounds", type=int, default=5, help="measurements of each server for each workload")
    chosen = arguments.parse_args()
    uvloop.install()
    starts = [start_seconds() for _ in range(STARTS)]
    available: set[int] = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    cores = available if len(available) > 1 else set()
    if cores:
        pin(-1)
    missed = statistics.median(starts) > START_TARGET
    say(f"{'':24}{'bare ASGI':>12}{'reference':>12}{'ratio':>8}{'target':>8}")
    for workload in WORKLOADS:
        bare, reference = compared(workload, seconds=chosen.seconds, rounds=chosen.rounds, cores=cores)
        ratio = reference / bare
        missed = missed or (workload.target is not None and ratio < workload.target)
        target = f"{workload.target:.2f}" if workload.target is not None else "-"
        say(f"{workload.name:24}{bare:>10.0f}/s{reference:>10.0f}/s{ratio:>8.2f}{target:>8}")
    say(f"{'start to first answer':24}{'':24}{statistics.median(starts):>7.2f}s{START_TARGET:>7.2f}s")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
