"""Spark as the engine of a campaign: workers are its tasks. It uses the DataFrame API only, so that
Spark Connect works too.

Sending is one action, whose frame is computed on executors: cases without those that have landed.
Workers store answers themselves (`journal`), so that a failing task loses nothing: its cases are
those of a hash, and it is started again with those that are left.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import threading
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Self

from lakepact.conformance.campaign.analysis import sql
from lakepact.conformance.campaign.analysis.findings import TABLES
from lakepact.conformance.campaign.engines import code_bundle, spark_requirements
from lakepact.conformance.campaign.engines.local import Features
from lakepact.conformance.campaign.errors import CannotRun
from lakepact.conformance.campaign.execution.job import Job
from lakepact.conformance.campaign.execution.workers import send_cases
from lakepact.conformance.campaign.judging.verdicts import judge_batches
from lakepact.conformance.campaign.paths import is_local, locate
from lakepact.conformance.campaign.planning.seeds import Wanted
from lakepact.conformance.campaign.tables import (
    ANSWERS,
    CASES,
    EXCHANGES,
    JUDGED,
    RESULTS,
    TEXT,
    WHOLE,
    parts,
    schema_of,
    tidy,
)
from lakepact.conformance.evidence.arrow import Schema, Table, pa

#: Lean: no UI, one small heap, nothing reached from outside, times in a form that every reader of
#: Parquet knows.
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # what fails is told by us, in one line; `--conf spark.log.level=INFO` shows the rest
    "spark.log.level": "FATAL",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "500",
    "spark.task.maxFailures": "4",  # a worker that is started again skips what it has stored
}
SPECULATION = "spark.speculation"  #: a task that runs twice at a time would send its requests twice
#: JVMs that live for minutes have no time to become fast
SHORT_LIVED = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
LOCAL = {
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": SHORT_LIVED,
    "spark.executor.extraJavaOptions": SHORT_LIVED,
}
#: Of these, what a Connect server lets a session say.
CONNECTED = ("spark.sql.session.timeZone", "spark.sql.execution.arrow.maxRecordsPerBatch")
WILDCARDS = re.compile(r"[][{}*?\\]")  #: of Hadoop's paths
TAKEN = schema_of(target=TEXT, cases=WHOLE)
OFTEN = 50  #: cases after which a worker reports that it is alive: it ends if the driver is gone
MANY = 1000  #: partitions to look at to learn how many tasks run at a time
DRAWN_EACH = 4  #: tasks per worker that draw: seeds differ in cost
#: Of equal cases, the one with the least number.
DRAWN = f"SELECT first.* FROM (SELECT min(struct({', '.join(CASES.names)})) AS first FROM drawn GROUP BY case_id)"  # noqa: S608 - columns
LEFT = """
    SELECT targets.target, cases.* FROM cases JOIN targets ON targets.contract = cases.contract
    LEFT ANTI JOIN exchanges ON exchanges.target = targets.target AND exchanges.case_id = cases.case_id AND step = 0
    WHERE alone = {alone}
"""


class Spark:
    """A Spark session that runs workers.

    Args:
        master: the Spark master, unless `remote` is given.
        confs: further settings, `KEY=VALUE`.
        remote: address of a Spark Connect server, `sc://…`.
        workers: how many tasks send at a time; by default as many as Spark runs.

    Raises:
        CannotRun: a requirement of Spark is missing.
        ValueError: a setting is malformed.
    """

    name = "spark"

    def __init__(
        self,
        master: str,
        confs: Sequence[str] = (),
        *,
        remote: str | None = None,
        workers: int | None = None,
    ) -> None:
        if problems := spark_requirements.problems(remote=remote is not None):
            raise CannotRun("; ".join(problems))
        self._master, self._remote, self._workers = master, remote, workers
        own = {} if remote else {**SETTINGS, **(LOCAL if master.startswith("local") else {})}
        self._settings = {**own, **dict(_setting(conf) for conf in confs)}
        self.session: Any = None
        self.workers = workers or 1

    def __enter__(self) -> Self:
        # Else workers run whatever `python3` is on PATH, which has none of what is needed.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        if self._master.startswith("local"):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        builder = import_module("pyspark.sql").SparkSession.builder.appName("lakepact campaign")
        builder = builder.remote(self._remote) if self._remote else builder.master(self._master)
        for name, value in self._settings.items():
            builder = builder.config(name, value)
        where = f"--remote {self._remote}" if self._remote else f"--master {self._master}"
        try:
            with _own_interrupts():
                self.session = builder.getOrCreate()
            if self._remote:
                for name in CONNECTED:
                    self.session.conf.set(name, SETTINGS[name])
            if self._remote or not _is_this_machine(self._master):
                self.session.addArtifacts(code_bundle.pack(), pyfile=True)
            self.workers = self._workers or self._tasks_at_a_time()
        except Exception as wrong:
            raise CannotRun(f"Spark did not start with {where}: {cause(wrong)}") from wrong
        if self.session.conf.get(SPECULATION, "false") == "true":
            self.session.stop()
            raise CannotRun(
                f"{where} has {SPECULATION}=true, which would send requests twice: set it to false"
                " there"
            )
        return self

    def __exit__(self, *_: object) -> None:
        if self.session is not None:
            self.session.stop()

    def _tasks_at_a_time(self) -> int:
        """Return the number of partitions of a plain range: as many as tasks can run at a time."""
        return len(
            self.session.range(MANY)
            .selectExpr("spark_partition_id() AS place")
            .distinct()
            .collect()
        )

    def draw(self, selection: Wanted, folder: Path) -> None:
        """Draw the cases of a plan, and write them into a folder.

        Raises:
            CannotRun: a task failed.
        """
        places = len(selection.places)
        frame = self.session.range(0, places, 1, min(places, DRAWN_EACH * self.workers))
        frame.mapInArrow(
            partial(drawn_batches, selection=selection), _spark_schema(CASES)
        ).createOrReplaceTempView("drawn")
        self._write(self.session.sql(DRAWN), folder)

    def map_rows(self, rows: Table, function: Any, schema: Schema, *, parts: int) -> Table:
        """Return the result of a function of Arrow record batches over rows, in as many tasks.

        Raises:
            CannotRun: a task failed.
        """
        frame = self.session.createDataFrame(rows).repartition(parts)
        return self._collect(frame.mapInArrow(function, _spark_schema(schema)))

    def execute(self, job: Job) -> None:
        """Send what is left of a run, with as many workers as the job says; they store the answers.

        Raises:
            CannotRun: a task failed.
        """
        run = locate(job.run)
        self._view("cases", run / "cases", CASES)
        self._view("exchanges", run / "exchanges", EXCHANGES)
        targets = {
            "target": [target.name for target in job.targets],
            "contract": [target.contract for target in job.targets],
        }
        self.session.createDataFrame(pa.table(targets)).createOrReplaceTempView("targets")
        # A case is sent by the same worker if its task, or what came before it, is repeated.
        frame = self.session.sql(LEFT.format(alone=job.alone)).repartition(job.workers, "case_id")
        self._collect(frame.mapInArrow(partial(send_batches, job=job), _spark_schema(TAKEN)))

    def judge(self, exchanges: Path, features: Features, *, results: Path, answers: Path) -> None:
        """Judge all exchanges; leaves verdicts and normalised answers in folders.

        Raises:
            CannotRun: a task failed.
        """
        between = results.with_name("_judged")
        judge = partial(judge_batches, features=features)
        self._write(
            self.table(exchanges, EXCHANGES).mapInArrow(judge, _spark_schema(JUDGED)), between
        )
        frame = self.table(between, JUDGED)
        self._write(frame.selectExpr("inline(verdicts)").select(*RESULTS.names), results)
        self._write(frame.select(*ANSWERS.names), answers)

    def analyse(self, run: Path, base: Path | None, *, quiet: Sequence[str]) -> dict[str, Table]:
        """Return all tables of `findings`, by Spark SQL.

        Raises:
            CannotRun: a task failed.
        """
        self._view("results", run / "results", RESULTS)
        self._view("base", base / "results" if base else None, RESULTS)
        self._view("answers", run / "answers", ANSWERS)
        self._view("exchanges", run / "exchanges", EXCHANGES)
        words = pa.table({"word": pa.array(quiet, TEXT)})
        self.session.createDataFrame(words).createOrReplaceTempView("quiet")
        result = {
            name: self._collect(self.session.sql(query))
            for name, query in sql.queries(sql.SPARK).items()
        }
        return {
            name: table.select(TABLES[name].names).cast(TABLES[name])
            for name, table in result.items()
        }

    def _view(self, name: str, folder: Path | None, schema: Schema) -> None:
        self.table(folder, schema).createOrReplaceTempView(name)

    def table(self, folder: Path | None, schema: Schema) -> Any:
        """Return a table, which executors read; what its folders are called is no column."""
        spark_schema = _spark_schema(schema)
        files = parts(folder) if folder is not None else []
        if folder is None or not files:
            return self.session.createDataFrame([], spark_schema)
        paths = map(_itself, [folder] if is_local(folder) else files)
        return (
            self.session.read.schema(spark_schema)
            .option("recursiveFileLookup", "true")
            .parquet(*paths)
        )

    def _write(self, frame: Any, folder: Path) -> None:
        try:
            frame.write.parquet(hadoop(folder), mode="overwrite", compression="zstd")
        except Exception as wrong:
            raise _failure(wrong) from wrong
        tidy(folder)

    def _collect(self, frame: Any) -> Table:
        try:
            return frame.toArrow()
        except Exception as wrong:
            raise _failure(wrong) from wrong


def send_batches(batches: Iterable[Any], job: Job) -> Iterator[Any]:
    """Send the cases of Arrow record batches in this task; yield the number of cases of each
    target.
    """
    context = import_module("pyspark").TaskContext.get()
    case_rows = (case_row for batch in batches for case_row in batch.to_pylist())
    counts = Counter[str]()
    # The number of an attempt starts at 0 again when a stage is repeated; its id does not.
    for number, target in enumerate(
        send_cases(case_rows, job, context.partitionId(), 1 + context.taskAttemptId())
    ):
        counts[target] += 1
        if number % OFTEN == 0:
            yield pa.RecordBatch.from_pylist([], schema=TAKEN)
    yield pa.RecordBatch.from_pylist(
        [{"target": target, "cases": cases} for target, cases in counts.items()], schema=TAKEN
    )


def drawn_batches(batches: Iterable[Any], selection: Wanted) -> Iterator[Any]:
    """Yield the cases of places of a plan in Arrow record batches."""
    places = [place for batch in batches for place in batch.column(0).to_pylist()]
    for rows in selection.rows(places):
        yield pa.RecordBatch.from_pylist(rows, schema=CASES)


@contextlib.contextmanager
def _own_interrupts() -> Generator[None]:
    """Keep the default Ctrl-C handler: PySpark would cancel all tasks at once, but workers should
    finish their cases.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _is_this_machine(master: str) -> bool:
    """Return whether tasks run in processes that this one starts, with its paths and packages."""
    return master.startswith("local") and not master.startswith("local-cluster")


#: Messages of failing tasks, and what to do.
ADVICE = {
    "ModuleNotFoundError": (
        f"workers of Spark lack a package: there, {spark_requirements.INSTALL},"
        " and let PYSPARK_PYTHON name their interpreter"
    ),
    "PYTHON_VERSION_MISMATCH": (
        "workers of Spark run another Python than this one: let PYSPARK_PYTHON name one of the same"
        " version there"
    ),
    "Cannot run program": (
        "workers of Spark find no Python: let PYSPARK_PYTHON name their interpreter"
    ),
    "NoSecret": "a secret is missing where requests are sent",
    "NotShared": "the run cannot be reached",
    "No space left on device": (
        "the disk is full: make room for the folder of the run, and for Spark's own"
        " (spark.local.dir)"
    ),
    "File too large": "the disk takes no more: make room for the folder of the run",
}


def _failure(wrong: Exception) -> CannotRun:
    reason = cause(wrong)
    advice = next(
        (sentence for sign, sentence in ADVICE.items() if sign in reason), "a task of Spark failed"
    )
    return CannotRun(f"{advice} ({reason}). Stored answers are kept")


#: Forms of the cause in an error of Spark, in order of preference: the last line of a Python
#: traceback, a lost task, a Java cause.
CAUSES = (
    re.compile(r"^((?:\w+\.)*(?:\w+Error|NoSecret|NotShared): .*)", re.MULTILINE),
    re.compile(r"Lost task .*?\): (?!\S+: Exception thrown in awaitResult)(?:[\w.$]+: )?(.+)"),
    re.compile(r"^Caused by: (?:[\w.$]+: )?(.*)", re.MULTILINE),
    re.compile(r"^: (.*)", re.MULTILINE),
)


def cause(wrong: Exception) -> str:
    """Return the cause that an error names, else the beginning of its message."""
    text = str(wrong).strip()
    causes = next(
        (matches for sign in CAUSES if (matches := sign.findall(text))),
        text.splitlines()[:1] or [type(wrong).__name__],
    )
    return str(causes[-1])[:500]


def _itself(path: Path) -> str:
    """Return a path for readers with wildcards, in another folder."""
    return WILDCARDS.sub(r"\\\g<0>", hadoop(path))


def hadoop(path: Path) -> str:
    """Return a path as Hadoop's file systems write it."""
    return re.sub("^s3://", "s3a://", str(path.resolve()))


def _spark_schema(schema: Schema) -> Any:
    return import_module("pyspark.sql.pandas.types").from_arrow_schema(pa.schema(schema))


def _setting(conf: str) -> tuple[str, str]:
    name, equals, value = conf.partition("=")
    if not equals or not name.startswith("spark."):
        raise ValueError(f"--conf {conf}: write spark.…=VALUE")
    return name, value
