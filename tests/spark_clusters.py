"""Spark beside the tests, started from the pip package: a session of this process, a standalone
master with a worker, and a Connect server.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

INSTALLED = importlib.util.find_spec(
    "pyspark"
)  #: tests that start Spark are also collected without Spark
HOME = Path(INSTALLED.origin).parent if INSTALLED and INSTALLED.origin else Path()
PATIENCE = 1800  #: seconds until a process must be ready
SHORT_LIVED = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
ALONE = tuple(
    word
    for setting in (
        "spark.driver.host=127.0.0.1",
        "spark.driver.bindAddress=127.0.0.1",
        f"spark.driver.extraJavaOptions={SHORT_LIVED}",
        f"spark.executor.extraJavaOptions={SHORT_LIVED}",
    )
    for word in ("--conf", setting)
)
HAS_CONNECT = (
    importlib.util.find_spec("grpc") is not None
    and importlib.util.find_spec("grpc_status") is not None
)


@contextlib.contextmanager
def local_session() -> Generator[Any]:
    """Yield a session of two cores with the format `lakepact`."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - where pyspark is there

    from lakepact.spark import LakepactDataSource  # noqa: PLC0415 - where pyspark is there

    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    settings: dict[str, Any] = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.python.filterPushdown.enabled": "true",
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    }
    session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session.dataSource.register(LakepactDataSource)
    try:
        yield session
    finally:
        session.stop()


def environment() -> dict[str, str]:
    """Return the environment without PYTHONPATH, so that workers load lakepact from the shipped
    code only.
    """
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    daemons = {"SPARK_DAEMON_JAVA_OPTS": SHORT_LIVED, "SPARK_DAEMON_MEMORY": "600m"}
    return {
        **own,
        **daemons,
        "SPARK_HOME": str(HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
    }


@contextlib.contextmanager
def started(log: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a process for the length of a block, with its output in a file."""
    with (
        log.open("w") as file,
        subprocess.Popen(
            words, env=environment(), stdout=file, stderr=file, cwd=log.parent
        ) as process,
    ):
        try:
            yield process
        finally:
            process.terminate()
            process.wait(PATIENCE)


def awaited(process: subprocess.Popen[bytes], there: Callable[[], str | None]) -> str:
    """Wait for a value while a process runs, and return the value."""
    until = time.monotonic() + PATIENCE
    while (found := there()) is None:
        assert time.monotonic() < until
        assert process.poll() is None, f"it ended with {process.returncode}: {process.args}"
        time.sleep(0.1)
    return found


@contextlib.contextmanager
def standalone(folder: Path) -> Iterator[str]:
    """Yield the address of a master with a worker of two cores."""
    spark_class, deploy = str(HOME / "bin" / "spark-class"), "org.apache.spark.deploy"
    log = folder / "master.log"

    def address() -> str | None:
        found = re.search(r"spark://127\.0\.0\.1:\d+", log.read_text())
        return found[0] if found else None

    with started(
        log,
        spark_class,
        f"{deploy}.master.Master",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--webui-port",
        "0",
    ) as master:
        url = awaited(master, address)
        worker = (
            spark_class,
            f"{deploy}.worker.Worker",
            url,
            "--cores",
            "2",
            "--memory",
            "1g",
            "--webui-port",
            "0",
        )
        with started(folder / "worker.log", *worker, "--work-dir", str(folder / "work")):
            yield url


@contextlib.contextmanager
def connect(folder: Path, *more: str) -> Iterator[str]:
    """Yield the address of a Connect server with two cores."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.ui.enabled": "false",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": SHORT_LIVED,
    }
    confs = [
        word
        for setting in (*(f"{name}={value}" for name, value in settings.items()), *more)
        for word in ("--conf", setting)
    ]
    server = "org.apache.spark.sql.connect.service.SparkConnectServer"

    def answers() -> str | None:
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), 1).close()
            return f"sc://127.0.0.1:{port}"
        return None

    submit = (
        str(HOME / "bin" / "spark-submit"),
        "--master",
        "local[2]",
        *confs,
        "--class",
        server,
        "spark-internal",
    )
    with started(folder / "connect.log", *submit) as process:
        yield awaited(process, answers)
