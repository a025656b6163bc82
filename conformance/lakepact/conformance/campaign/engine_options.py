"""The options that choose the engine of a campaign, the same for every verb."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import update_wrapper
from pathlib import Path
from typing import Any

import click

from lakepact.conformance.campaign import tables
from lakepact.conformance.campaign.engines import Engine
from lakepact.conformance.campaign.engines.local import LocalEngine
from lakepact.conformance.campaign.engines.spark import Spark

SPARK, LOCAL, BY_SIZE = "spark", "local", "by size"
LARGE = 4 << 30  #: bytes of verdicts and answers that DuckDB analyses no sooner than Spark
MASTER = "local[*]"
OPTIONS = ("engine", "master", "remote", "confs", "workers")


@dataclass(frozen=True)
class Choice:
    """The engine that the options name."""

    engine: str
    master: str | None = None
    remote: str | None = None
    confs: tuple[str, ...] = ()
    workers: int | None = None

    def for_analysis_of(self, run: Path) -> Choice:
        """Return the choice for a judged run: if no engine is named, Spark analyses large runs
        only.
        """
        if self.engine != BY_SIZE:
            return self
        size = sum(
            part.stat().st_size
            for name in ("results", "answers")
            for part in tables.parts(run / name)
        )
        return replace(
            self,
            engine=SPARK if self.master or self.remote or self.confs or size > LARGE else LOCAL,
        )

    def made(self) -> Engine:
        """Return the engine.

        Raises:
            CannotRun: something that it needs is missing.
            ValueError: what was written makes no sense.
        """
        if self.master and self.remote:
            raise ValueError(
                "--master starts Spark, --remote speaks to one that is there: name one of them"
            )
        if self.workers is not None and self.workers < 1:
            raise ValueError("--workers must be 1 or more")
        if self.engine == LOCAL:
            if self.master or self.remote or self.confs:
                raise ValueError("--master, --remote and --conf are for --engine spark")
            return LocalEngine(self.workers)
        return Spark(self.master or MASTER, self.confs, remote=self.remote, workers=self.workers)


def with_engine(default: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options; it is called with `engine`, a `Choice`.

    Args:
        default: the engine if none is named.
    """

    def wrap(command: Callable[..., None]) -> Callable[..., None]:
        def chosen(**given: Any) -> None:
            options: dict[str, Any] = {name: given.pop(name) for name in OPTIONS}
            options["engine"] = options["engine"] or default
            command(**given, engine=Choice(**options))

        wrapped = update_wrapper(chosen, command)
        for option in reversed(
            (
                click.option(
                    "--engine",
                    type=click.Choice([SPARK, LOCAL]),
                    default=None if default == BY_SIZE else default,
                    show_default=default,
                    help="Spark, or processes of this machine without a JVM.",
                ),
                click.option(
                    "--master",
                    help=f"Spark master: local[2], spark://…, yarn.  [default: {MASTER}]",
                ),
                click.option(
                    "--remote",
                    metavar="sc://HOST:PORT",
                    help="A Spark Connect server that is running.",
                ),
                click.option(
                    "--conf",
                    "confs",
                    multiple=True,
                    metavar="KEY=VALUE",
                    help="A setting of Spark.",
                ),
                click.option(
                    "--workers",
                    type=int,
                    help=(
                        "How many send at a time; as many as there are processors if it is left"
                        " out."
                    ),
                ),
            )
        ):
            wrapped = option(wrapped)
        return wrapped

    return wrap
