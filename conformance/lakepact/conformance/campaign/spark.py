"""Spark as the engine of a campaign: lanes are its tasks, one action a chunk, because every action on a lazy frame would send all again."""

from __future__ import annotations

import os
import sys
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

from lakepact.conformance.arrow import pa
from lakepact.conformance.campaign import sql
from lakepact.conformance.campaign.doctor import INSTALL, CannotRun
from lakepact.conformance.campaign.execution import executed_batches
from lakepact.conformance.campaign.judging import judged_batches
from lakepact.conformance.campaign.tables import ANSWERS, EXCHANGES, JUDGED, RESULTS, TEXT, land, parts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lakepact.conformance.arrow import Schema, Table
    from lakepact.conformance.campaign.engines import Features
    from lakepact.conformance.campaign.execution import Job
    from lakepact.conformance.campaign.findings import Sources

#: Lean: no UI, one small heap, nothing reached from outside, times in a form that every reader of Parquet knows.
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "500",
    "spark.speculation": "false",  # a task that runs twice would send its requests twice
    "spark.task.maxFailures": "1",
}
LOCAL = {
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
}


class Spark:
    """A Spark session that runs lanes.

    Args:
        master: where.
        confs: further settings, `KEY=VALUE`.

    Raises:
        ValueError: a setting is none.
    """

    name = "spark"

    def __init__(self, master: str, confs: Sequence[str] = ()) -> None:
        self._master = master
        self._settings = {**SETTINGS, **(LOCAL if master.startswith("local") else {}), **dict(_setting(conf) for conf in confs)}
        self._session: Any = None
        self.lanes = 1

    def __enter__(self) -> Self:
        # Else workers run whatever `python3` is on PATH, which has none of what is needed.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        if self._master.startswith("local"):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        builder = import_module("pyspark.sql").SparkSession.builder.appName("lakepact campaign").master(self._master)
        for name, value in self._settings.items():
            builder = builder.config(name, value)
        try:
            self._session = builder.getOrCreate()
        except Exception as wrong:
            advice = "`lakepact campaign doctor` looks at what it needs"
            raise CannotRun(f"Spark did not start with --master {self._master}: {_said(wrong)}; {advice}") from wrong
        self.lanes = self._session.sparkContext.defaultParallelism
        return self

    def __exit__(self, *_: object) -> None:
        if self._session is not None:
            self._session.stop()

    def execute(self, errands: Table, job: Job, folder: Path) -> None:
        """Send each errand once, and leave the rows of those that were sent in a folder.

        Raises:
            CannotRun: a task failed.
        """
        frame = self._session.createDataFrame(errands).repartition(self.lanes)
        frame = frame.mapInArrow(partial(executed_batches, job=job), _spark_schema(EXCHANGES))
        self._written(frame, folder)

    def judge(self, exchanges: Path, features: Features, *, results: Path, answers: Path) -> None:
        """Judge all exchanges; leaves verdicts and normalised answers in folders.

        Raises:
            CannotRun: a task failed.
        """
        between = results.with_name("_judged")
        judge = partial(judged_batches, features=features)
        read = self._session.read.parquet
        self._written(read(*_files(exchanges)).mapInArrow(judge, _spark_schema(JUDGED)), between)
        judged = read(str(between))
        self._written(judged.selectExpr("inline(verdicts)").select(*RESULTS.names), results)
        self._written(judged.select(*ANSWERS.names), answers)
        for folder in (results, answers):
            land(folder, folder)

    def analyse(self, sources: Sources) -> dict[str, Table]:
        """All tables of `findings`, by Spark SQL."""
        self._view("results", sources.results, RESULTS)
        self._view("base", sources.base, RESULTS)
        self._view("answers", sources.answers, ANSWERS)
        self._view("exchanges", sources.exchanges, EXCHANGES)
        words = pa.table({"word": pa.array(sources.quiet, TEXT)})
        self._session.createDataFrame(words).createOrReplaceTempView("quiet")
        return {name: self._session.sql(query).toArrow() for name, query in sql.queries(sql.SPARK).items()}

    def _view(self, name: str, folder: Path | None, schema: Schema) -> None:
        files = _files(folder) if folder is not None else []
        frame = self._session.read.parquet(*files) if files else self._session.createDataFrame([], _spark_schema(schema))
        frame.createOrReplaceTempView(name)

    def _written(self, frame: Any, folder: Path) -> None:
        try:
            frame.write.parquet(str(folder), mode="overwrite", compression="zstd")
        except Exception as wrong:
            if "ModuleNotFoundError" in str(wrong):
                advice = f"there: {INSTALL}, and let PYSPARK_PYTHON name their interpreter"
                raise CannotRun(f"workers of Spark lack a package ({_said(wrong)}); {advice}") from wrong
            raise CannotRun(f"a task of Spark failed: {_said(wrong)}. What had landed is kept") from wrong


def _said(wrong: Exception) -> str:
    """What went wrong: of a traceback of Python its last line, else the beginning."""
    lines = [line.strip() for line in str(wrong).splitlines() if line.strip() and not line.strip().startswith("at ")]
    errors = [line for line in lines if "Error: " in line or "NoSecret: " in line]
    return (errors or lines or [type(wrong).__name__])[-1 if errors else 0][:500]


def _files(folder: Path) -> list[str]:
    return [str(part) for part in parts(folder)]


def _spark_schema(schema: Schema) -> Any:
    return import_module("pyspark.sql.pandas.types").from_arrow_schema(pa.schema(schema))


def _setting(conf: str) -> tuple[str, str]:
    name, equals, value = conf.partition("=")
    if not equals or not name.startswith("spark."):
        raise ValueError(f"--conf {conf}: write spark.…=VALUE")
    return name, value
