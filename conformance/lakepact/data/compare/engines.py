"""The engines that compare rows, and the options that choose one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import click

from lakepact.data.compare.duckdb_engine import DuckDb
from lakepact.data.compare.expressions import Dialect
from lakepact.reach.options import option, part, several

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from lakepact.data.compare.model import PinnedTable


class Session(Protocol):
    """Queries over two tables."""

    @property
    def prefix(self) -> str:
        """The beginning of the names of relations."""
        ...

    def keep(self, name: str, query: str) -> None:
        """Make a relation of the rows of a query."""

    def rows(self, query: str) -> list[dict[str, Any]]:
        """Return the rows of a query."""
        ...


class Engine(Protocol):
    """DuckDB in this process, or Spark."""

    @property
    def dialect(self) -> Dialect:
        """The dialect of its SQL."""
        ...

    def session(self, a: PinnedTable, b: PinnedTable) -> AbstractContextManager[Session]:
        """Yield a session over two tables, which queries call `side_a` and `side_b` after its
        prefix.
        """
        ...


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

    def started(self) -> AbstractContextManager[Engine]:
        """Yield the engine."""
        if self.engine == "local":
            return DuckDb(self.memory)
        from lakepact.data.compare.spark_engine import started  # noqa: PLC0415 - DuckDB needs no Spark

        return started(self.spark.master, self.spark.conf, remote=self.spark.remote)
