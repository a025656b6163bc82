"""The engines that compare rows, and the options that choose one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol

import click

from lakepact.data.compare.duckdb_engine import DuckDb
from lakepact.data.compare.expressions import Dialect

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


def spark_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that name a Spark: `master`, `remote`, `confs`."""
    for option in (
        click.option(
            "--conf",
            "confs",
            multiple=True,
            metavar="KEY=VALUE",
            help="A setting of Spark; may be given several times.",
        ),
        click.option(
            "--remote", metavar="sc://…", help="A Spark Connect server, in the place of --master."
        ),
        click.option("--master", default="local[*]", show_default=True, help="The Spark master."),
    ):
        command = option(command)
    return command


def engine_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of an engine, which becomes its argument `engine`."""

    @wraps(command)
    def called(
        *arguments: Any,
        engine: str,
        memory: str,
        master: str,
        remote: str | None,
        confs: tuple[str, ...],
        **others: Any,
    ) -> None:
        command(*arguments, engine=_engine(engine, memory, master, remote, confs), **others)

    command_with_options: Callable[..., None] = spark_options(called)
    for option in (
        click.option(
            "--engine",
            type=click.Choice(("local", "spark")),
            default="local",
            show_default=True,
            help="DuckDB in this process, or Spark.",
        ),
        click.option(
            "--memory",
            default="2GB",
            show_default=True,
            help="The most that DuckDB uses; the rest goes to a temporary folder.",
        ),
    ):
        command_with_options = option(command_with_options)
    return command_with_options


def _engine(
    name: str, memory: str, master: str, remote: str | None, confs: tuple[str, ...]
) -> Callable[[], AbstractContextManager[Engine]]:
    def made() -> AbstractContextManager[Engine]:
        if name == "local":
            return DuckDb(memory)
        from lakepact.data.compare.spark_engine import started  # noqa: PLC0415 - DuckDB needs no Spark

        return started(master, confs, remote=remote)

    return made
