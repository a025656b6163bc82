"""The engines that compare rows, and the options that choose one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import click

from lakepact.data.compare import duckdb_engine
from lakepact.reach.options import option, part, several

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from lakepact.data.compare import spark_engine


Session: TypeAlias = "duckdb_engine.Session | spark_engine.Session"
Engine: TypeAlias = "duckdb_engine.DuckDb | spark_engine.SparkEngine"


@dataclass(frozen=True, kw_only=True)
class SparkOptions:
    """The options that name a Spark."""

    master: str = option("The Spark master.", default="local[*]")
    remote: str | None = option("A Spark Connect server, in the place of --master.", "sc://…")
    conf: tuple[str, ...] = several("A setting of Spark; may be given several times.", "KEY=VALUE")


@dataclass(frozen=True, kw_only=True)
class EngineOptions:
    """The options that choose an engine."""

    memory: str = option(
        "The most that DuckDB uses; the rest goes to a temporary folder.",
        default="2GB",
    )
    engine: str = option(
        "DuckDB in this process, or Spark.",
        default="local",
        type=click.Choice(("local", "spark")),
    )
    spark: SparkOptions = part(SparkOptions)

    def start(self) -> AbstractContextManager[Engine]:
        """Yield the engine."""
        if self.engine == "local":
            return duckdb_engine.DuckDb(self.memory)
        from lakepact.data.compare.spark_engine import start  # noqa: PLC0415 - DuckDB needs no Spark

        return start(self.spark.master, self.spark.conf, remote=self.spark.remote)
