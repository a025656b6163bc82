"""Cost of campaigns and of scans in Spark: `nox -s campaign_bench`, or
`python tests/bench/campaign.py [three] [marginal] [scans]`.

three: one command sends 2,000 cases to three servers (the reference server, a faulty one, and
Iceberg's in Java if Java and Maven are installed), judges and reports, in plain processes and on
Spark in local[2]. It must find every fault in less than 90 seconds.

marginal: the cost of one more case on Spark in local[2], as a ratio to its cost in two plain
processes. Both send the same few and the same many cases; the cost is the difference in CPU
seconds, without the servers. The output also shows the start of Spark.

scans: `lakepact.spark` beside Iceberg's jar, on 10M rows in one file and in twenty. Each scans
twice in a row and the second time counts: Spark ends Python processes that were idle for a minute.
It runs alone, for Spark takes the jar only when its JVM starts.

Exit code 1 if a target is missed. The output shows CPU seconds beside elapsed seconds, because a
busy machine distorts those.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from judging import children

from campaigns import command, ran
from interop import installed
from interop.fixture.java_server import serving as java_serving
from lakepact.conformance.campaign import documents, tables
from lakepact.conformance.campaign import plans as case_plans
from lakepact.conformance.campaign.analysis import findings
from lakepact.conformance.campaign.engines.local import LocalEngine
from lakepact.conformance.campaign.engines.spark import Spark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakepact.conformance.campaign.engines import Engine

CASES, SECONDS = 2000, 90.0
SEEDS, MODES = 26, ("example", "near", "wild", "reading")
#: Each fault of the second server, and the requirement that fails.
FAULTS = {
    "creation-is-201": "IRC-GEN-009",
    "drops-answer-200": "IRC-GEN-006",
    "error-code-always-400": "IRC-ERR-003",
    "broken-json-is-empty": "IRC-GEN-010",
}
ENGINES = {"plain": ("--engine", "local", "--lanes", "2"), "local[2]": ("--master", "local[2]")}
MOST = 1.1  #: times the cost of a case in two plain processes
FEW, MANY, ROUNDS = 200, 1200, 5
ROWS, SCANS, MEGABYTES = (
    10_000_000,
    1.5,
    400,
)  #: times the jar's seconds, and the most of a Python process
COLUMNS = (
    "id",
    "id / 7 amount",
    "concat('city-', id % 5000) city",
    "date_from_unix_date(id % 9999) day",
    "timestamp_micros(id) at",
)
LOOKED_AT = 0.2  #: seconds between two measurements of the processes
TICKS = os.sysconf("SC_CLK_TCK")


def say(line: str) -> None:
    """Write and flush a line."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def cpu_seconds(process: int) -> float:
    """Return the CPU seconds of a process, without its children."""
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, words[11:13])) / TICKS
    return 0.0


@dataclass
class Meter:
    """The CPU seconds of a process and its descendants, including detached ones.

    Args:
        root: the process.
        without: processes that are not counted, nor their descendants.
    """

    root: int
    without: frozenset[int] = frozenset()
    _seconds: dict[int, float] = field(default_factory=dict[int, float])

    def look(self) -> float:
        """Return the CPU seconds so far."""
        others = {child for process in self.without for child in (process, *children(process))}
        for process in {self.root, *children(self.root)} - others:
            self._seconds[process] = max(self._seconds.get(process, 0.0), cpu_seconds(process))
        return self.total

    @property
    def total(self) -> float:
        """The CPU seconds at the last look."""
        return sum(self._seconds.values())


@contextlib.contextmanager
def ours(*faults: str) -> Iterator[tuple[int, str]]:
    """Yield the process id and the address of a reference server."""
    process = subprocess.Popen(
        [sys.executable, "-m", "faulty", *faults],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        yield process.pid, process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.communicate()


@contextlib.contextmanager
def java(folder: Path) -> Iterator[str | None]:
    """Yield the address of Iceberg's Java server, or None without Java and Maven."""
    with contextlib.ExitStack() as ending:
        url = None
        try:
            url = ending.enter_context(java_serving(folder))
        except pytest.skip.Exception as reason:
            say(f"without Iceberg's own server: {reason}")
        yield url


def three(folder: Path, arguments: argparse.Namespace) -> bool:
    """Send 2,000 cases to three servers with one command, and return whether a target is missed."""
    plan = arguments.plan or folder / "plan"
    if arguments.plan is None:
        case_plans.plan("iceberg_rest", plan, seeds=range(SEEDS), modes=MODES)
    plan_document = documents.read(plan / "plan.json")
    is_missed = bool(plan_document["cases"] < CASES)
    say(f"{plan_document['cases']} cases (at least {CASES})")
    for name in arguments.engines:
        run = folder / name
        with (
            ours() as (_, sound),
            ours(*FAULTS) as (_, faulty),
            java(folder / f"{name}-java") as iceberg,
        ):
            targets = {"ours": sound, "faulty": faulty, **({"java": iceberg} if iceberg else {})}
            target_options = [
                word for target, url in targets.items() for word in ("--target", f"{target}={url}")
            ]
            servers = children(os.getpid())
            before = sum(map(cpu_seconds, servers))
            seconds, processors = time_of(
                command(
                    "run",
                    "--plan",
                    str(plan),
                    "--out",
                    str(run),
                    "--report",
                    *target_options,
                    *ENGINES[name],
                )
            )
            theirs = sum(map(cpu_seconds, servers)) - before
        rows = tables.read(run / "coverage", findings.COVERAGE).to_pylist()
        failures = {
            (row["target"], row["requirement_id"]) for row in rows if row["verdict"] == "fail"
        }
        unseen = [
            fault
            for fault, requirement in FAULTS.items()
            if ("faulty", requirement) not in failures
        ]
        failures_of_ours = sorted(
            requirement for target, requirement in failures if target == "ours"
        )
        pages = all((run / f"report.{form}").exists() for form in ("html", "md"))
        late = seconds > SECONDS
        is_missed = is_missed or late or bool(unseen) or bool(failures_of_ours) or not pages
        clock = (
            f"{seconds:5.1f} s of {SECONDS:.0f}{' MISSED' if late else ''}, "
            f"of processors {processors:5.1f} s, the servers {theirs:.1f} s"
        )
        say(
            f"{name:9} {len(targets)} targets, {plan_document['cases'] * len(targets)} cases sent: {clock}"
        )
        say(
            f"{'':9} faults not found: {', '.join(unseen) or 'none'}; failures of ours: {', '.join(failures_of_ours) or 'none'}"
        )
    return is_missed


def time_of(words: list[str]) -> tuple[float, float]:
    """Return the elapsed and the CPU seconds of a command."""
    begin = time.perf_counter()
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as process:
        meter, over = Meter(process.pid), threading.Event()

        def watch() -> None:
            while not over.wait(LOOKED_AT):
                meter.look()

        watching = threading.Thread(target=watch)
        watching.start()
        code = process.wait()
        seconds = time.perf_counter() - begin
        over.set()
        watching.join()
    assert code == 0, f"it ended with {code}"
    return seconds, meter.total


def some_of(plan: Path, folder: Path, cases: int) -> Path:
    """Return a plan with evenly chosen cases of another plan."""
    rows = tables.read(plan / "cases", tables.CASES)
    assert cases <= rows.num_rows, f"there are {rows.num_rows} cases"
    tables.write_part(
        rows.take([n * rows.num_rows // cases for n in range(cases)]),
        folder / "cases",
        "part-00000",
    )
    tables.write_json(documents.read(plan / "plan.json"), folder / "plan.json")
    return folder


def marginal(folder: Path, arguments: argparse.Namespace) -> bool:
    """Compare one more case on Spark and in two plain processes, and return whether Spark exceeds
    the limit.
    """
    whole = case_plans.plan(
        "iceberg_rest", folder / "all", seeds=range(SEEDS), modes=("example", "near", "reading")
    )
    many = min(MANY, whole["cases"])
    plans = {
        count: some_of(folder / "all", folder / f"plan-{count}", count) for count in (FEW, many)
    }
    each: dict[str, list[float]] = {"plain": [], "local[2]": []}
    with ours() as (server, url), contextlib.ExitStack() as ending:
        meter = Meter(os.getpid(), frozenset({server}))
        before, begin = meter.look(), time.perf_counter()
        spark = ending.enter_context(Spark("local[2]"))
        send_plan(spark, plans[FEW], folder / "first", url)
        starts = time.perf_counter() - begin, meter.look() - before
        engines: dict[str, Engine] = {
            "plain": ending.enter_context(LocalEngine(2)),
            "local[2]": spark,
        }
        send_plan(engines["plain"], plans[FEW], folder / "first-plain", url)
        for number in range(arguments.rounds):
            for name, engine in engines.items():
                took: dict[int, float] = {}
                for count, plan in plans.items():
                    before = meter.look()
                    send_plan(engine, plan, folder / f"{number}-{name}-{count}", url)
                    took[count] = meter.look() - before
                each[name].append((took[many] - took[FEW]) / (many - FEW))
    ratio = statistics.median(
        spark / plain for spark, plain in zip(each["local[2]"], each["plain"], strict=True)
    )
    for name, costs in each.items():
        rounds = ", ".join(f"{cost * 1000:.2f}" for cost in costs)
        say(
            f"{name:9} {statistics.median(costs) * 1000:5.2f} ms of a processor for one more case; by rounds {rounds}"
        )
    say(
        f"Spark is there, with its first {FEW} cases sent, after {starts[0]:.1f} s and {starts[1]:.1f} s of processors"
    )
    say(
        f"one more case costs {ratio:.2f} times as much on Spark as in two plain processes, of {MOST}{' MISSED' if ratio > MOST else ''}"
    )
    return ratio > MOST


def send_plan(engine: Engine, plan: Path, run: Path, url: str) -> None:
    ran(plan, run, engine, f"a={url}", chunk=CASES)


def scans(_folder: Path, arguments: argparse.Namespace) -> bool:
    """Compare full scans by both readers, and return whether a limit is exceeded."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - another part measures its start

    from lakepact.spark import LakepactDataSource  # noqa: PLC0415 - as above

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    settings = {
        "spark.jars": installed.jars(
            Path(__file__).parents[1] / "interop/clients/spark/pom.xml"
        ).replace(os.pathsep, ",")
    }
    with ours() as (server, url):
        lake = {"": "org.apache.iceberg.spark.SparkCatalog", ".type": "rest", ".uri": url}
        settings |= {f"spark.sql.catalog.lake{name}": value for name, value in lake.items()}
        spark, meter = (
            SparkSession.builder.master("local[2]").config(map=settings).getOrCreate(),
            Meter(os.getpid(), frozenset({server})),
        )
        spark.dataSource.register(LakepactDataSource)
        spark.sql("CREATE NAMESPACE lake.n")
        ratios: list[float] = []
        for files in (1, 20):
            writer = spark.range(0, ROWS, 1, files).selectExpr(*COLUMNS).writeTo(f"lake.n.t{files}")
            writer.tableProperty("write.parquet.row-group-size-bytes", str(16 << 20)).create()
            source = spark.read.format("lakepact").option("catalog", url)
            readers = {
                "jar": partial(spark.table, f"lake.n.t{files}"),
                "source": partial(source.load, f"n.t{files}"),
            }
            took: dict[str, list[tuple[float, float]]] = {"jar": [], "source": []}
            for reader in [*readers] * arguments.rounds:
                for _ in range(2):
                    before, since = meter.look(), time.perf_counter()
                    readers[reader]().write.format("noop").mode("overwrite").save()
                    last = time.perf_counter() - since, meter.look() - before
                took[reader].append(last)
            parts = [load().rdd.getNumPartitions() for load in readers.values()]
            for number, what in enumerate(("elapsed", "of CPU")):
                jar, own = (
                    statistics.median(each[number] for each in took[reader]) for reader in readers
                )
                say(
                    f"{files:2} files, partitions {parts}: {own:.2f} s {what}, the jar {jar:.2f} s: {own / jar:.2f} times, of {SCANS}"
                )
                ratios.append(own / jar)
        status = [
            Path(f"/proc/{each}/status").read_text()
            for each in set(children(os.getpid())) - {server}
        ]
        most = max(
            int(text.partition("VmHWM:")[2].split()[0]) // 1000
            for text in status
            if text.startswith("Name:\tpython")
        )
        say(f"a Python process holds {most} MB, of {MEGABYTES}")
        spark.stop()
    return max(ratios) > SCANS or most > MEGABYTES


PARTS = {"three": three, "marginal": marginal, "scans": scans}


def main() -> int:
    """Measure and print, and return 1 if a target is missed."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "parts",
        nargs="*",
        default=["three", "marginal"],
        help=f"{', '.join(PARTS)}; by default the first two",
    )
    options.add_argument("--plan", type=Path, metavar="FOLDER", help="three: an existing plan")
    options.add_argument(
        "--engine",
        dest="engines",
        action="append",
        choices=ENGINES,
        help="three: only with this engine; repeatable",
    )
    options.add_argument(
        "--rounds", type=int, default=ROUNDS, help="marginal, scans: rounds of each"
    )
    arguments = options.parse_args()
    arguments.engines = arguments.engines or list(ENGINES)
    unknown = sorted(set(arguments.parts) - set(PARTS))
    if unknown:
        options.error(f"there is no part {unknown[0]}; there are {', '.join(PARTS)}")
    is_missed = False
    for name in arguments.parts:
        with tempfile.TemporaryDirectory() as folder:
            is_missed = PARTS[name](Path(folder), arguments) or is_missed
    return int(is_missed)


if __name__ == "__main__":
    sys.exit(main())
