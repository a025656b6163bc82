"""The options that choose the engine of a campaign, the same for every verb."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import click

from lakepact.conformance.campaign import tables
from lakepact.conformance.campaign.engines import Engine
from lakepact.conformance.campaign.engines.local import LocalEngine
from lakepact.conformance.campaign.engines.spark import Spark
from lakepact.reach.options import option, several

SPARK, LOCAL, BY_SIZE = "spark", "local", "by size"
LARGE = 4 << 30  #: bytes of verdicts and answers that DuckDB analyses no sooner than Spark
MASTER = "local[*]"


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The options that choose an engine; `{default}` names that of a verb."""

    engine: str | None = option(
        "Spark, or processes of this machine without a JVM.  [default: ({default})]",
        type=click.Choice([SPARK, LOCAL]),
    )
    master: str | None = option(f"Spark master: local[2], spark://…, yarn.  [default: {MASTER}]")
    remote: str | None = option("A Spark Connect server that is running.", "sc://HOST:PORT")
    conf: tuple[str, ...] = several("A setting of Spark.", "KEY=VALUE")
    workers: int | None = option(
        "How many send at a time; as many as there are processors if it is left out.", type=int
    )

    def for_analysis_of(self, run: Path) -> Choice:
        """Return the choice for a judged run: if no engine is named, Spark analyses large runs
        only.
        """
        if self.engine:
            return self
        size = sum(
            part.stat().st_size
            for name in ("results", "answers")
            for part in tables.parts(run / name)
        )
        return replace(
            self,
            engine=SPARK if self.master or self.remote or self.conf or size > LARGE else LOCAL,
        )

    def make(self, default: str = SPARK) -> Engine:
        """Return the engine; the default if no option names one.

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
        if (self.engine or default) == LOCAL:
            if self.master or self.remote or self.conf:
                raise ValueError("--master, --remote and --conf are for --engine spark")
            return LocalEngine(self.workers)
        return Spark(self.master or MASTER, self.conf, remote=self.remote, workers=self.workers)
