"""The options that choose the engine of a campaign, the same for every verb, and the cost of choosing Spark."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

import click

from lakepact.conformance.campaign.engines.local import LocalEngine
from lakepact.conformance.campaign.engines.spark import Spark

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.conformance.campaign.engines import Engine


SPARK, LOCAL = "spark", "local"
MASTER = "local[*]"
#: Seconds until Spark sends something: PySpark 4.1 in local mode on two quiet cores.
SPARK_STARTS = 10.0
SPARK_RUNS = 2.0  #: the same where a Connect server is running; an estimate
#: Seconds of a worker per case and target: of 717 more cases of `example`, `near`, `valid`, `wild` and `reading`, about six
#: requests each, every one took 3.4 ms of a processor here and 2.6 ms of the reference server. Sequences and checks take longer; Spark
#: sends by the same code.
ONE_CASE = 0.006
OPTIONS = ("engine", "master", "remote", "confs", "workers")


@dataclass(frozen=True)
class Choice:
    """The engine that the options name."""

    engine: str
    master: str | None = None
    remote: str | None = None
    confs: tuple[str, ...] = ()
    workers: int | None = None

    def made(self) -> Engine:
        """Return the engine.

        Raises:
            CannotRun: something that it needs is missing.
            ValueError: what was written makes no sense.
        """
        if self.master and self.remote:
            raise ValueError("--master starts Spark, --remote speaks to one that is there: name one of them")
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
            options = {name: given.pop(name) for name in OPTIONS}
            command(**given, engine=Choice(**options))

        wrapped = update_wrapper(chosen, command)
        for option in reversed(
            (
                click.option(
                    "--engine",
                    type=click.Choice([SPARK, LOCAL]),
                    default=default,
                    show_default=True,
                    help="Spark, or processes of this machine without a JVM.",
                ),
                click.option("--master", help=f"Spark master: local[2], spark://…, yarn.  [default: {MASTER}]"),
                click.option("--remote", metavar="sc://HOST:PORT", help="A Spark Connect server that is running."),
                click.option("--conf", "confs", multiple=True, metavar="KEY=VALUE", help="A setting of Spark."),
                click.option("--workers", type=int, help="How many send at a time; as many as there are processors if it is left out."),
            )
        ):
            wrapped = option(wrapped)
        return wrapped

    return wrap


def cost(cases: int, workers: int, *, own: int | None = None, remote: bool = False) -> str | None:
    """Return a warning if processes of this machine would send the cases sooner than Spark.

    Args:
        cases: the number of cases times targets.
        workers: the tasks that Spark runs at a time.
        own: the processors of this machine; counted by default.
        remote: whether Spark is already running.
    """
    own = own or os.cpu_count() or 1
    starts = SPARK_RUNS if remote else SPARK_STARTS
    plain, spark = cases * ONE_CASE / own, starts + cases * ONE_CASE / workers
    if plain > spark:
        return None
    times = f"{cases} cases take about {plain:.0f} s with --engine local, {spark:.0f} s with Spark in {workers} workers"
    if workers <= own:
        return f"{times}: {starts:.0f} s to start, and no more workers than here"
    return f"{times}, which pays from about {starts / (ONE_CASE * (1 / own - 1 / workers)):.0f} cases"
