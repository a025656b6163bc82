"""Speed of the reference server: against bare ASGI and Iceberg's Java server, at its start, with
many names and long lists, with durable commits, and during very long requests; and of the client,
beside pyiceberg and the connector of Delta Sharing.

`nox -s bench`, or `python tests/bench [PART …] [--seconds S] [--rounds N] [--folder FOLDER]`; the
folder is on the disk that is measured. Server and load generator have separate cores if there are
two. The compared value is the CPU time of the server's process for one answer,
as the median of rounds in which the servers alternate: other programs disturb CPU time least. Its
inverse is the throughput of one core. The tables also show answers per second, each target, and
whether the target is met.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import uvloop
from client_loads import client_loads, imports, loads_at_once
from durable import FULL, durable_commits, kinds, new_file, serving
from hostile import MOST as WAIT
from hostile import costs, waits
from java_server import LeftOut, beside_java, commits_beside_java
from listings import listings
from load import ask, load
from scaling import FEW, MANY, scaling
from update_costs import MOST as GROWTH
from update_costs import SIZES
from workloads import PREPARATION, WORKLOADS, Workload

CONNECTIONS = 8
WARM_UP = 0.3  #: seconds
START_TARGET = 0.25  #: seconds from the command to the first answer
MEMORY_TARGET = 45.0  #: MB after the first answer
IMPORT_TARGET = 0.2  #: seconds of computing to import the client of a catalog
EVENT_LOOP_TARGET = 1.3  #: times the computing of a load in a thread
STARTS = 9
SLOW_FILE = 150e-6  #: seconds for a new file: a longer time means that the file system is disturbed
FILES_WERE_DELETED = ": very long; where thousands of files were deleted lately, wait ten minutes or name another --folder"
WAYS = ("bare", "router", "fast")  #: the compared servers


@dataclass
class Speed:
    """Measurements of one server, by round."""

    computing: list[float] = field(default_factory=list[float])  #: seconds for one answer
    per_second: list[float] = field(default_factory=list[float])


@contextlib.contextmanager
def server(kind: str, warehouse: str, core: int, names: int = 0) -> Iterator[tuple[int, int]]:
    """Yield the process id and the port of a prepared server."""
    command = [
        sys.executable,
        str(Path(__file__).with_name("servers.py")),
        kind,
        warehouse,
        str(core),
        str(names),
    ]
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
    """Create the tables of the workloads."""
    for content in PREPARATION:
        await ask(port, content)


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds of a process, or elapsed seconds on systems without /proc."""
    try:
        return (
            sum(
                int(task.read_text().split()[0])
                for task in Path(f"/proc/{pid}/task").glob("*/schedstat")
            )
            / 1e9
        )
    except OSError:
        return time.perf_counter()


def compare(workload: Workload, *, seconds: float, rounds: int, core: int) -> list[Speed]:
    """Measure bare ASGI and the reference server without and with its fast path, alternating under
    the same load.
    """
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(server(way, workload.warehouse, core)) for way in WAYS]
        servers_with_speeds = [(pid, port, Speed(), workload.requests()) for pid, port in servers]
        for number in range(rounds + 1):
            for pid, port, speed, requests in (
                servers_with_speeds if number % 2 else reversed(servers_with_speeds)
            ):
                before, begin = cpu_seconds(pid), time.perf_counter()
                answers = asyncio.run(
                    load(
                        port,
                        requests,
                        seconds=seconds if number else WARM_UP,
                        connections=CONNECTIONS,
                    )
                )
                if number:
                    speed.computing.append((cpu_seconds(pid) - before) / answers)
                    speed.per_second.append(answers / (time.perf_counter() - begin))
    return [speed for _, _, speed, _ in servers_with_speeds]


def start(bytecode: str) -> tuple[float, float]:
    """Return the seconds from `lakepact serve` to its first answer, and its proportional set size
    in megabytes then.

    Args:
        bytecode: a folder for compiled modules, as pip makes them.
    """
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    begin = time.perf_counter()
    command = [
        sys.executable,
        "-m",
        "lakepact.cli",
        "serve",
        "--port",
        "0",
        "--warehouse",
        "memory:",
    ]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        env={**environment, "PYTHONPYCACHEPREFIX": bytecode},
    )
    try:
        assert process.stdout
        url = process.stdout.readline().strip()
        with urllib.request.urlopen(f"{url}/v1/config") as answer:
            answer.read()
        return time.perf_counter() - begin, memory(process.pid)
    finally:
        process.terminate()
        process.communicate()


def memory(pid: int) -> float:
    """Return the proportional set size of a process in megabytes; 0 on systems without /proc."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) / 1024


# -- the parts -------------------------------------------------------------------------------------


def starts(_: argparse.Namespace, __: int) -> bool:
    """Measure the time from the command to its first answer."""
    with tempfile.TemporaryDirectory() as bytecode:
        start(bytecode)
        runs = [start(bytecode) for _ in range(STARTS)]
    seconds, megabytes = (statistics.median(values) for values in zip(*runs, strict=True))
    say(f"{'':46}{'':>10}{'most':>29}")
    say(
        f"{'start to first answer':46}{seconds:>8.2f} s {START_TARGET:>28.2f}{met(is_met=seconds <= START_TARGET)}"
    )
    say(
        f"{'memory after it':46}{megabytes:>7.0f} MB {MEMORY_TARGET:>28.0f}{met(is_met=megabytes <= MEMORY_TARGET)}"
    )
    return seconds > START_TARGET or megabytes > MEMORY_TARGET


def speeds(settings: argparse.Namespace, core: int) -> bool:
    """Compare the reference server with bare ASGI."""
    is_missed = False
    ways = "".join(f"{way:>20}{'ratio':>8}{'least':>7}{'':7}" for way in ("router", "fast path"))
    say(f"{f'{CONNECTIONS} connections':20}{'bare ASGI':>20}{ways}")
    for workload in WORKLOADS:
        bare, router, fast = compare(
            workload, seconds=settings.seconds, rounds=settings.rounds, core=core
        )
        line = f"{workload.name:20}{text_of(bare)}"
        for speed, target in ((router, workload.router), (fast, workload.fast)):
            ratio = statistics.median(bare.computing) / statistics.median(speed.computing)
            is_missed = is_missed or (target is not None and ratio < target)
            line += f"{text_of(speed)}{ratio:>8.2f}{against(ratio, target)}"
        say(line)
    return is_missed


def text_of(speed: Speed) -> str:
    """Return the CPU time of an answer and the answers per second."""
    return f"{statistics.median(speed.computing) * 1e6:8.1f} µs{statistics.median(speed.per_second):7.0f}/s"


def many_names(settings: argparse.Namespace, core: int) -> bool:
    """Compare catalogs of many and few tables and namespaces."""
    is_missed = False
    say(f"{'tables and namespaces of a catalog':46}{FEW:>13}{MANY:>13,}{'ratio':>8}{'most':>6}")
    with_names = partial(server, "fast", "memory:", core)
    for name, few, many, most in scaling(
        with_names, cpu_seconds, seconds=settings.seconds, rounds=settings.rounds
    ):
        is_missed = is_missed or many / few > most
        say(
            f"{name:46}{few * 1e6:>10.1f} µs{many * 1e6:>10.1f} µs{many / few:>8.2f}{most:>6.2f}{met(is_met=many / few <= most)}"
        )
    return is_missed


def long_lists(_: argparse.Namespace, core: int) -> bool:
    """Measure listings of tables with 100,000 files."""
    is_missed = False
    say(f"{'tables of 100,000 files':52}{'':26}{'':>6}{'most':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name, value, most in listings(Path(folder), core=core, cpu_seconds=cpu_seconds):
            is_missed = is_missed or value > most
            say(f"{name:52}{'':22}{value:>10.1f}{most:>8.0f}{met(is_met=value <= most)}")
    return is_missed


def client(_: argparse.Namespace, core: int) -> bool:
    """Compare the client with pyiceberg."""
    statement = "from lakepact.client import IcebergCatalog"
    seconds = imports(statement)
    is_missed = seconds > IMPORT_TARGET
    say(f"{statement:46}{seconds:>24.2f} s{IMPORT_TARGET:>14.2f}{met(is_met=not is_missed)}")
    say(f"{'CPU time of the client':46}{'pyiceberg':>13}{'lakepact':>13}{'times':>8}{'least':>6}")
    with server("fast", "memory:", core) as (_pid, port):
        for name, theirs, ours, least in client_loads(port):
            is_missed = is_missed or theirs / ours < least
            say(
                f"{name:46}{theirs:>10.2f} ms{ours:>10.2f} ms{theirs / ours:>8.1f}{least:>6.1f}{met(is_met=theirs / ours >= least)}"
            )
        say(f"{'CPU time of the client':46}{'thread':>13}{'event loop':>13}{'times':>8}{'most':>6}")
        for name, thread, loop in loads_at_once(port):
            is_missed = is_missed or loop / thread > EVENT_LOOP_TARGET
            limit = f"{EVENT_LOOP_TARGET:>6.1f}{met(is_met=loop / thread <= EVENT_LOOP_TARGET)}"
            say(f"{name:46}{thread:>10.2f} ms{loop:>10.2f} ms{loop / thread:>8.1f}{limit}")
    return is_missed


def long_commits(_: argparse.Namespace, core: int) -> bool:
    """Measure the CPU time of commits with many updates."""
    is_missed = False
    say(
        f"{'CPU time of a commit of':40}{''.join(f'{size:>10,}' for size in SIZES)}{'growth':>14}{'most':>8}"
    )
    for name, seconds in costs(partial(server, "fast", "memory:", core), cpu_seconds):
        growth = [after / before for before, after in itertools.pairwise(seconds)]
        # Only the last doubling counts: the first includes the fixed cost of every commit.
        is_missed = is_missed or growth[-1] > GROWTH
        growth_text = "".join(f"{one:>7.2f}" for one in growth)
        say(
            f"{name:40}{''.join(f'{one * 1e3:>7.1f} ms' for one in seconds)}{growth_text}{GROWTH:>8.2f}{met(is_met=growth[-1] <= GROWTH)}"
        )
    return is_missed


def other_callers(_: argparse.Namespace, core: int) -> bool:
    """Measure how long other callers wait during the longest requests."""
    is_missed = False
    say(
        f"{'another caller, every 5 ms, during':40}{'status':>8}{'took':>10}{'it waited':>13}{'most':>10}"
    )
    for name, status, took, longest in waits(partial(server, "fast", "memory:", core)):
        is_missed = is_missed or longest > WAIT
        say(
            f"{name:40}{status:>8}{took * 1e3:>7.0f} ms{longest * 1e3:>10.1f} ms{WAIT * 1e3:>7.0f} ms{met(is_met=longest <= WAIT)}"
        )
    return is_missed


def cores() -> tuple[int, int]:
    """Return the cores of the servers and of the load generator, or -1 on a single core."""
    available = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    return (available[0], available[-1]) if len(available) > 1 else (-1, -1)


def say(line: str) -> None:
    """Write and flush a line."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def against_java(settings: argparse.Namespace, core: int) -> bool:
    """Compare the reference server with Iceberg's Java server."""
    is_missed = False
    say(
        f"{'beside the Java server of Iceberg':46}{'Java':>13}{'reference':>13}{'times':>8}{'least':>6}"
    )
    ours = partial(server, "fast", "memory:", core)
    try:
        for name, java, cost, least in beside_java(
            ours, cpu_seconds, seconds=settings.seconds, rounds=settings.rounds
        ):
            is_missed = is_missed or java / cost < least
            say(
                f"{name:46}{java * 1e6:>10.1f} µs{cost * 1e6:>10.1f} µs{java / cost:>8.1f}{least:>6.1f}{met(is_met=java / cost >= least)}"
            )
        if (
            core >= 0
        ):  # both servers and the load generator use all cores: their threads wait for a disk
            os.sched_setaffinity(0, {core, *os.sched_getaffinity(0)})
        (lasting,) = (
            kind for kind in kinds(Path(tempfile.mkdtemp(dir=settings.folder))) if kind.name == FULL
        )
        for name, java, rate, least in commits_beside_java(
            partial(serving, lasting, -1), seconds=settings.seconds, rounds=settings.rounds
        ):
            is_missed = is_missed or rate / java < least
            say(
                f"{name:46}{java:>11.0f}/s{rate:>11.0f}/s{rate / java:>8.1f}{least:>6.1f}{met(is_met=rate / java >= least)}"
            )
    except LeftOut as reason:
        say(f"left out: {reason}")
    return is_missed


def durable(settings: argparse.Namespace, _: int) -> bool:
    """Measure durable commits."""
    is_missed = False
    folder = Path(tempfile.mkdtemp(dir=settings.folder))
    one = new_file(folder / "new-files")
    say(
        f"{'a new file of 13 KB':44}{one * 1e6:>9.0f} µs{FILES_WERE_DELETED if one > SLOW_FILE else ''}"
    )
    say(f"{'commits that last':44}{'':>12}{'ratio':>8}{'least':>7}")
    for name, rate, ratio, target in durable_commits(
        folder, core=-1, seconds=settings.seconds, rounds=settings.rounds
    ):
        is_missed = is_missed or (target is not None and ratio < target)
        say(f"{name:44}{rate:>10.0f}/s{ratio:>8.2f}{against(ratio, target)}")
    return is_missed


def against(ratio: float, least: float | None) -> str:
    """Return the target, if any, and whether it is met."""
    return f"{'-':>7}{'':7}" if least is None else f"{least:>7.2f}{met(is_met=ratio >= least):7}"


def met(*, is_met: bool) -> str:
    return " met" if is_met else " MISSED"


#: In this order: the later parts delete their files, which slows down parts that create files.
PARTS = {
    "start": starts,
    "durable": durable,
    "java": against_java,
    "speed": speeds,
    "names": many_names,
    "lists": long_lists,
    "client": client,
    "costs": long_commits,
    "others": other_callers,
}


def main() -> int:
    """Measure everything, print tables, and return 1 if a target is missed."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--seconds", type=float, default=0.3, help="length of one measurement")
    arguments.add_argument(
        "--rounds", type=int, default=15, help="measurements of each server for each workload"
    )
    arguments.add_argument("--folder", default=None, help="where files go that are to last")
    arguments.add_argument(
        "parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all if none is named"
    )
    options = arguments.parse_args()
    unknown = [name for name in options.parts if name not in PARTS]
    if unknown:
        arguments.error(f"there is no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    uvloop.install()
    serving_core, loading = cores()
    misses: list[str] = []
    if options.folder:
        Path(options.folder).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.folder, ignore_cleanup_errors=True) as folder:
        options.folder = folder  # deleted at the end only
        for name in options.parts or PARTS:
            if loading >= 0:  # starts, and servers whose threads wait for a disk, use all cores
                os.sched_setaffinity(
                    0, {serving_core, loading} if name in {"start", "durable"} else {loading}
                )
            if PARTS[name](options, serving_core):
                misses.append(name)
            say("")
    say(f"missed a target: {', '.join(misses)}" if misses else "every target is met")
    return int(bool(misses))


if __name__ == "__main__":
    sys.exit(main())
