"""Comparisons by Spark: its executors read both sides, partition by partition."""

from __future__ import annotations

import contextlib
import threading
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

from lakepact.conformance.campaign.engines.spark import Spark
from lakepact.data.compare.expressions import SPARK

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from lakepact.data.compare.model import PinnedTable

#: Over those of campaigns, whose tasks are few, short and not to be repeated.
SETTINGS = (
    "spark.task.maxFailures=4",
    "spark.sql.execution.arrow.maxRecordsPerBatch=10000",
    "spark.driver.extraJavaOptions=",
    "spark.executor.extraJavaOptions=",
)


class SparkEngine:
    """Spark at a master, with further settings, or at a Connect server."""

    dialect = SPARK

    def __init__(self, master: str, confs: Sequence[str], *, remote: str | None) -> None:
        self._threads = threading.local()
        self._spark = Spark(master, (*(() if remote else SETTINGS), *confs), remote=remote)

    def __enter__(self) -> Self:
        self._spark.__enter__()
        self._root = import_module("pyspark.sql").SparkSession.active()
        return self

    def __exit__(self, *_: object) -> None:
        self._spark.__exit__()

    @contextlib.contextmanager
    def session(self, sides: Mapping[str, PinnedTable]) -> Generator[Session]:
        """Yield a session over tables, by the names of their relations."""
        from lakepact.spark import LakepactDataSource  # noqa: PLC0415 - where pyspark is there

        if not hasattr(
            self._threads, "session"
        ):  # Spark registers in the session of a thread, and only once
            self._threads.session = self._root.newSession()
            self._threads.session.dataSource.register(LakepactDataSource)
        own = self._threads.session
        for name, table in sides.items():
            table.frame(own).createOrReplaceTempView(name)
        with contextlib.ExitStack() as ending:
            yield Session(own, ending)


class Session:
    """Queries over two tables, with relations of their own, which the end of the block frees."""

    def __init__(self, session: Any, ending: contextlib.ExitStack) -> None:
        self._session, self._ending = session, ending

    def keep(self, name: str, query: str) -> None:
        """Make a relation of the rows of a query."""
        kept = self._session.sql(query).cache()
        self._ending.callback(kept.unpersist)
        kept.createOrReplaceTempView(name)

    def rows(self, query: str) -> list[dict[str, Any]]:
        """Return the rows of a query."""
        return [row.asDict() for row in self._session.sql(query).collect()]
