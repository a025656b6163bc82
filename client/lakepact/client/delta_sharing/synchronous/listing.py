# Made by codegen.sync_twin from asynchronous/listing.py beside this folder. Do not edit: nox -s generate
"""An answer about a table, whose rows can be read."""

from __future__ import annotations

import math
from contextlib import closing
from typing import TYPE_CHECKING

from lakepact.client.delta_sharing.read_tasks import TASK_BYTES
from lakepact.client.delta_sharing.synchronous.answer import Answer
from lakepact.client.rows.needs import need

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lakepact.client.delta_sharing.progress import Progress
    from lakepact.client.delta_sharing.read_tasks import ReadTask
    from lakepact.client.rows.foreign import (
        ArrowTable,
        DuckDBConnection,
        DuckDBRelation,
        PandasFrame,
        PolarsFrame,
    )
    from lakepact.client.several import Names


class Listing(Answer):
    """An answer of the server: the metadata of the table, and its files or their rows as they
    arrive.

    It is read once, as files or as rows. Close it, or use it with `with`, if it is not read to its
    end.
    """

    def batches(
        self,
        *,
        columns: Names | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> Iterator[ArrowTable]:
        """Yield the wanted rows, the files of the answer one after the other, with no more than a
        few of them in memory.

        Args:
            columns: The columns that are wanted, in this order; all without it.
            progress: Is called after each file.

        Raises:
            ImportError: `pyarrow` or `pyroaring` is not there; the message says how to get it.
            ValueError: The table has no column of such a name.
            TypeError: The predicate compares a column with what it cannot be compared with.
            DamagedData: A file is not what the answer says of it.
            ResponseError: A file is not given, also not after its URL was renewed.
            UpgradeNeeded: A wanted column is of a type that is not known here.
        """
        need("pyarrow", "pyroaring")
        from lakepact.client.delta_sharing.synchronous.rows import Rows  # noqa: PLC0415 - where pyarrow is there

        try:
            rows = Rows(self._reach, self, columns=columns, progress=progress)
            with closing(rows.tables()) as tables:
                yield from tables
        finally:
            self.close()

    def tasks(
        self, *, columns: Names | None = None, task_bytes: int = TASK_BYTES
    ) -> list[ReadTask]:
        """Divide the wanted rows into tasks, which `SharingClient.read` reads in any process.

        Args:
            columns: The columns that are wanted, in this order; all without it.
            task_bytes: Most bytes of the files of a task; a larger file is a task of its own.

        Raises:
            ImportError: `pyarrow` or `pyroaring` is not there; the message says how to get it.
            ValueError: The table has no column of such a name, or the query has a limit.
            BadReply: The answer is not what the contract says.
        """
        need("pyarrow", "pyroaring")
        from lakepact.client.delta_sharing.synchronous.rows import Rows  # noqa: PLC0415 - where pyarrow is there

        try:
            if self.question.limit is not None:
                raise ValueError(
                    "tasks are read independently, so a query that is divided into tasks has no"
                    " limit"
                )
            return Rows(self._reach, self, columns=columns).tasks(most=task_bytes)
        finally:
            self.close()

    def to_arrow(
        self,
        *,
        columns: Names | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> ArrowTable:
        """Return the wanted rows as a table of Arrow. The arguments and errors are those of
        `batches`.
        """
        need("pyarrow", "pyroaring")
        from lakepact.client.delta_sharing.synchronous.rows import Rows  # noqa: PLC0415 - where pyarrow is there

        try:
            rows = Rows(self._reach, self, columns=columns, progress=progress, ahead=math.inf)
            with closing(rows.tables()) as tables:
                return rows.plan.join([table for table in tables if table.num_rows])
        finally:
            self.close()

    def to_pandas(
        self,
        *,
        columns: Names | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> PandasFrame:
        """Return the wanted rows as a frame of pandas. The arguments and errors are those of
        `batches`.

        Integers and booleans are of the types that know nulls, so that none becomes a float.
        """
        need("pandas", "pyarrow", "pyroaring")
        from lakepact.client.rows.frames import pandas_frame  # noqa: PLC0415 - where pandas is there

        return pandas_frame(self.to_arrow(columns=columns, progress=progress))

    def to_polars(
        self,
        *,
        columns: Names | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> PolarsFrame:
        """Return the wanted rows as a frame of polars. The arguments and errors are those of
        `batches`.
        """
        need("polars", "pyarrow", "pyroaring")
        from lakepact.client.rows.frames import polars_frame  # noqa: PLC0415 - where polars is there

        return polars_frame(self.to_arrow(columns=columns, progress=progress))

    def to_duckdb(
        self,
        *,
        columns: Names | None = None,
        progress: Callable[[Progress], object] | None = None,
        connection: DuckDBConnection | None = None,
    ) -> DuckDBRelation:
        """Return the wanted rows as a relation of DuckDB. The other arguments and errors are those
        of `batches`.

        Args:
            columns: As for `batches`.
            progress: As for `batches`.
            connection: The connection that the relation belongs to; the default one of DuckDB
                without it.
        """
        need("duckdb", "pyarrow", "pyroaring")
        from lakepact.client.rows.frames import duckdb_relation  # noqa: PLC0415 - where duckdb is there

        return duckdb_relation(self.to_arrow(columns=columns, progress=progress), connection)
