"""Comparison with Iceberg's Java REST catalog server: CPU time of an answer, and durable commits
per second.

Maven Central provides the jars, once. Without Java, Maven or a network the comparison is left out,
with the reason.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from load import ask, load
from workloads import PREPARATION, WRITERS, WRITERS_PREPARATION, request, to_many_tables

sys.path.insert(0, str(Path(__file__).parents[1]))
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from interop import installed

POM = Path(__file__).parent / "iceberg-java" / "pom.xml"
MAIN = "org.apache.iceberg.rest.RESTCatalogServer"
LONGEST_START = 60  #: seconds
JUST_IN_TIME = 20_000  #: answers until the JVM has compiled its code
COMMITS_IN_TIME = 2_000  #: commits until the JVM has compiled its code
LONGEST_WARM_UP = 60  #: seconds
CONNECTIONS = 8
#: Tables, and the least ratio of the CPU time of the Java server to ours.
LOADS = {"small": 6.0, "large": 20.0}
COMMITS = 15.0  #: times the durable commits of the Java server


class LeftOut(Exception):
    """The Java server is not available; the message gives the reason."""


def class_path() -> tuple[str, str]:
    """Return the Java runtime and the class path.

    Raises:
        LeftOut: Java or Maven is missing.
    """
    try:
        return installed.java(), installed.jars(POM)
    except (pytest.skip.Exception, pytest.fail.Exception) as reason:
        raise LeftOut(str(reason).partition("\n")[0]) from None


@contextmanager
def java_server() -> Iterator[tuple[int, int]]:
    """Yield the process id and the port of a prepared server."""
    java, jars = class_path()
    with socket.create_server(("127.0.0.1", 0)) as free, tempfile.TemporaryDirectory() as folder:
        port: int = free.getsockname()[1]
        free.close()  # it listens on all interfaces, without a setting
        environment = {
            "CATALOG_REST_PORT": str(port),
            "CATALOG_WAREHOUSE": f"file://{folder}/warehouse",
            "CATALOG_URI": f"jdbc:sqlite:{folder}/catalog.db?journal_mode=WAL",
            "CATALOG_JDBC_SCHEMA__VERSION": "V1",
        }
        Path(folder, "warehouse").mkdir()
        process = subprocess.Popen(
            [java, "-cp", jars, MAIN],
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if hasattr(
            os, "sched_setaffinity"
        ):  # it uses all cores: it compiles and collects in its own threads
            os.sched_setaffinity(process.pid, range(os.cpu_count() or 1))
        try:
            _wait_for(f"http://127.0.0.1:{port}/v1/config", process)
            for content in PREPARATION:
                asyncio.run(ask(port, content))
            yield process.pid, port
        finally:
            process.terminate()
            process.communicate()


def _wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + LONGEST_START
    while time.monotonic() < until:
        if process.poll() is not None:
            raise LeftOut(f"it ended with {process.returncode} before it answered")
        try:
            with urllib.request.urlopen(address):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    raise LeftOut(f"it has not answered within {LONGEST_START} seconds")


def beside_java(
    ours: Callable[[], AbstractContextManager[tuple[int, int]]],
    cpu_seconds: Callable[[int], float],
    *,
    seconds: float,
    rounds: int,
) -> Iterator[tuple[str, float, float, float]]:
    """Yield for each load the CPU seconds of an answer of the Java server and of ours, and the
    least ratio.

    Args:
        ours: starts our server, and gives its process id and port.
        cpu_seconds: returns the CPU seconds of a process.
        seconds: the length of one measurement.
        rounds: the number of measurements.

    Raises:
        LeftOut: the Java server is not available.
    """
    with ExitStack() as stack:
        servers = [stack.enter_context(java_server()), stack.enter_context(ours())]
        for table, least in LOADS.items():
            # Uncompressed: else compression would be compared.
            content = request("GET", f"/v1/namespaces/bench/tables/{table}").replace(
                b"Accept-Encoding: gzip, deflate\r\n", b""
            )
            costs: list[list[float]] = [[], []]
            _warm_up(servers[0][1], itertools.repeat(content), JUST_IN_TIME)
            for _ in range(rounds):
                for (pid, port), cost in zip(servers, costs, strict=True):
                    before = cpu_seconds(pid)
                    answers = asyncio.run(
                        load(
                            port,
                            itertools.repeat(content),
                            seconds=seconds,
                            connections=CONNECTIONS,
                        )
                    )
                    cost.append((cpu_seconds(pid) - before) / answers)
            yield (
                f"loadTable, {table}",
                statistics.median(costs[0]),
                statistics.median(costs[1]),
                least,
            )


def commits_beside_java(
    ours: Callable[[], AbstractContextManager[int]], *, seconds: float, rounds: int
) -> Iterator[tuple[str, float, float, float]]:
    """Yield the durable commits per second of the Java server and of ours, and the least ratio.

    Args:
        ours: starts our server with a table for each writer, and gives its port.
        seconds: the length of one measurement.
        rounds: the number of measurements.

    Raises:
        LeftOut: the Java server is not available.
    """
    with ExitStack() as stack:
        _, theirs = stack.enter_context(java_server())
        for content in WRITERS_PREPARATION[1:]:
            asyncio.run(ask(theirs, content))
        _warm_up(theirs, to_many_tables(WRITERS), COMMITS_IN_TIME)
        ports = (theirs, stack.enter_context(ours()))
        rates: list[list[float]] = [[], []]
        for number in range(rounds + 1):
            for port, rate in zip(ports, rates, strict=True):
                requests = to_many_tables(WRITERS)
                begin = time.perf_counter()
                answers = asyncio.run(load(port, requests, seconds=seconds, connections=WRITERS))
                if number:
                    rate.append(answers / (time.perf_counter() - begin))
        yield (
            f"commits that last, {WRITERS} writers",
            statistics.median(rates[0]),
            statistics.median(rates[1]),
            COMMITS,
        )


def _warm_up(port: int, requests: Iterator[bytes], enough: int) -> None:
    answers, until = 0, time.monotonic() + LONGEST_WARM_UP
    while answers < enough and time.monotonic() < until:
        answers += asyncio.run(load(port, requests, seconds=1, connections=CONNECTIONS))
