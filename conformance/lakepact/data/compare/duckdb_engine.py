"""Comparisons by DuckDB in this process: rows stream through it, and what does not fit in its
memory goes to a temporary folder.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Generator, Mapping
from importlib import import_module
from typing import Any, Self

from lakepact.conformance.evidence.arrow import pa
from lakepact.data.compare.expressions import DUCKDB
from lakepact.data.compare.model import PinnedTable
from lakepact.data.compare.positions import positional, with_positions


class DuckDb:
    """An engine in this process that uses at most some memory, `2GB`."""

    dialect = DUCKDB

    def __init__(self, memory: str) -> None:
        self._memory, self._ending = memory, contextlib.ExitStack()

    def __enter__(self) -> Self:
        folder = self._ending.enter_context(tempfile.TemporaryDirectory(prefix="lakepact-"))
        settings = {
            "memory_limit": self._memory,
            "temp_directory": folder,
            "preserve_insertion_order": "false",
        }
        config = {**settings, "autoinstall_known_extensions": "false"}
        self._root = self._ending.enter_context(
            import_module("duckdb").connect(":memory:", config=config)
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.close()

    @contextlib.contextmanager
    def session(self, a: PinnedTable, b: PinnedTable) -> Generator[Session]:
        """Yield a session over two tables, which queries call `side_a` and `side_b`."""
        with self._root.cursor() as cursor:
            yield Session(cursor, {"side_a": a, "side_b": b})


class Session:
    """Queries over two tables, with relations of their own."""

    prefix = ""

    def __init__(self, cursor: Any, sides: Mapping[str, PinnedTable]) -> None:
        self._cursor, self._sides = cursor, sides

    def keep(self, name: str, query: str) -> None:
        """Make a relation of the rows of a query."""
        self._take(query)
        self._cursor.execute(f"CREATE TEMP TABLE {name} AS {query}")

    def rows(self, query: str) -> list[dict[str, Any]]:
        """Return the rows of a query."""
        self._take(query)
        rows: list[dict[str, Any]] = self._cursor.sql(query).to_arrow_table().to_pylist()
        return rows

    def _take(self, query: str) -> None:
        for name, table in self._sides.items():
            if name in query:  # a stream of rows can be read once
                rows = (with_positions(batch) for batch in table.batches())
                reader = pa.RecordBatchReader.from_batches(positional(table.schema), rows)
                self._cursor.register(name, reader)
