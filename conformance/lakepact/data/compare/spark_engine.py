"""Comparisons by Spark: its executors read both sides, partition by partition."""

from __future__ import annotations

import contextlib
import itertools
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lakepact.conformance.campaign.engines.spark import Spark
from lakepact.data.compare.expressions import SPARK
from lakepact.data.compare.positions import positional

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from lakepact.data.compare.model import PinnedTable

#: Over those of campaigns, whose tasks are few, short and not to be repeated.
SETTINGS = (
    "spark.task.maxFailures=4",
    "spark.sql.execution.arrow.maxRecordsPerBatch=10000",
    "spark.driver.extraJavaOptions=",
    "spark.executor.extraJavaOptions=",
)


class SparkEngine:
    """Comparisons in a session of Spark, of this process or of a Connect server."""

    dialect = SPARK

    def __init__(self, session: Any) -> None:
        from lakepact.spark import LakepactDataSource  # noqa: PLC0415 - where pyspark is there

        self._numbers, self._session = itertools.count(), session
        session.conf.set("spark.sql.caseSensitive", "true")
        session.dataSource.register(LakepactDataSource)

    @contextlib.contextmanager
    def session(self, a: PinnedTable, b: PinnedTable) -> Generator[Session]:
        """Yield a session over two tables, which queries call `side_a` and `side_b` after its
        prefix.
        """
        prefix = f"lakepact_{next(self._numbers)}_"
        with contextlib.ExitStack() as ending:
            session = Session(self._session, prefix, ending)
            for name, table in (("side_a", a), ("side_b", b)):
                session.view(f"{prefix}{name}", _with_positions(table.frame(self._session)))
            yield session


@contextlib.contextmanager
def start(master: str, confs: Sequence[str], *, remote: str | None) -> Generator[SparkEngine]:
    """Yield an engine with a Spark of its own, at a master with further settings, or at a Connect
    server.
    """
    settings = () if remote else SETTINGS
    with Spark(master, (*settings, *confs), remote=remote) as spark:
        yield SparkEngine(spark.session)


class Session:
    """Queries over two tables, with relations of their own, which the end of the block frees.

    Args:
        session: Of Spark; comparisons share it, because Spark Connect makes no second one.
        prefix: Of the names of the relations.
        ending: Frees them.
    """

    def __init__(self, session: Any, prefix: str, ending: contextlib.ExitStack) -> None:
        self._session, self.prefix, self._ending = session, prefix, ending

    def view(self, name: str, frame: Any) -> None:
        """Give a frame a name."""
        frame.createOrReplaceTempView(name)
        self._ending.callback(self._session.catalog.dropTempView, name)

    def keep(self, name: str, query: str) -> None:
        """Make a relation of the rows of a query."""
        frame = self._session.sql(query).cache()
        self._ending.callback(frame.unpersist)
        self.view(name, frame)

    def rows(self, query: str) -> list[dict[str, Any]]:
        """Return the rows of a query."""
        return [row.asDict() for row in self._session.sql(query).collect()]


def _with_positions(frame: Any) -> Any:
    """Return a frame that names columns `c0`, `c1` and members of structs `m0`, `m1`."""
    types = import_module("pyspark.sql.pandas.types")
    columns = positional(types.to_arrow_schema(frame.schema))
    schema = types.from_arrow_schema(columns, prefer_timestamp_ntz=True)
    frame = frame.toDF(*schema.names)
    pairs = zip(frame.schema, schema, strict=True)
    # Spark casts no TIME, not even to itself.
    return frame.select(
        *(
            frame[one.name]
            if one.dataType == other.dataType
            else frame[one.name].cast(other.dataType)
            for one, other in pairs
        )
    )
