"""Workers of a campaign as processes of this machine. `spark` has the same for Spark."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any, Self

from lakepact.conformance.campaign.analysis import duckdb_analysis
from lakepact.conformance.campaign.execution.workers import travelled
from lakepact.conformance.campaign.judging.verdicts import judged_part
from lakepact.conformance.campaign.planning.generation import Block, drawn
from lakepact.conformance.campaign.tables import parts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lakepact.conformance.campaign.execution.job import Job
    from lakepact.conformance.evidence.arrow import Table

    Rows = list[dict[str, Any]]

FEW_BLOCKS = 60  #: that are drawn before another process has started
Features = Mapping[str, Mapping[str, bool]]  #: by target, by name


class LocalEngine:
    """Processes of this machine as workers.

    Args:
        workers: the number of processes.
    """

    name = "local"

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1
        self._pool = ProcessPoolExecutor(self.workers, mp_context=multiprocessing.get_context("spawn"), initializer=_end_with_parent)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def draw(self, blocks: Sequence[Block]) -> list[Rows]:
        """Return the rows of each block of cases, in the order of the blocks."""
        if len(blocks) <= FEW_BLOCKS or self.workers == 1:
            return list(drawn(blocks))  # sooner than another process has started
        some = [self._pool.submit(_drawn, block) for block in blocks]  # one by one: what is not begun yet can be called off
        return [future.result() for future in some]

    def execute(self, errands: Table, job: Job) -> None:
        """Send each errand once, with as many workers as the job says; they store the answers."""
        workers = min(self.workers, job.workers)
        waiting = []
        for worker in range(workers):
            own = errands.take(list(range(worker, errands.num_rows, workers)))
            if own.num_rows:
                waiting.append(self._pool.submit(_lane, own, job, worker))
        for future in as_completed(waiting):
            future.result()

    def judge(self, exchanges: Path, features: Features, *, results: Path, answers: Path) -> None:
        """Judge all exchanges; leaves verdicts and normalised answers in folders."""
        futures = [
            self._pool.submit(judged_part, part, features, folders=(results, answers), number=n) for n, part in enumerate(parts(exchanges))
        ]
        for future in futures:
            future.result()

    def analyse(self, run: Path, base: Path | None, *, quiet: Sequence[str]) -> dict[str, Table]:
        """Return all tables of `findings`, by DuckDB."""
        return duckdb_analysis.analysed(run, base, quiet=quiet)


def _end_with_parent() -> None:
    """End this process when its parent is gone, but not on Ctrl-C: workers finish their cases then."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _drawn(block: Block) -> Rows:
    (rows,) = drawn([block])
    return rows


def _lane(errands: Table, job: Job, worker: int) -> None:
    for _ in travelled(errands.to_pylist(), job, worker):
        pass
