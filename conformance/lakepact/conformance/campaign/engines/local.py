"""Workers of a campaign as processes of this machine. `spark` has the same for Spark."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Self

from lakepact.conformance.campaign.analysis import duckdb_analysis
from lakepact.conformance.campaign.errors import CannotRun
from lakepact.conformance.campaign.execution.job import Job
from lakepact.conformance.campaign.execution.workers import case_rows, send_cases
from lakepact.conformance.campaign.judging.verdicts import judge_part
from lakepact.conformance.campaign.planning import seeds
from lakepact.conformance.campaign.tables import parts
from lakepact.conformance.evidence.arrow import Table

Rows = list[dict[str, Any]]

FEW = 20  #: places of a plan that are drawn before another process has started
Features = Mapping[str, Mapping[str, bool]]  #: by target, by name


class LocalEngine:
    """Processes of this machine as workers.

    Args:
        workers: the number of processes.
    """

    name = "local"

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1
        self._pool = ProcessPoolExecutor(
            self.workers,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_end_with_parent,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def draw(self, selection: seeds.Wanted, folder: Path) -> None:
        """Draw the cases of a plan, and write them into a folder."""
        if len(selection.places) <= FEW or self.workers == 1:
            seeds.draw(selection, folder)  # sooner than another process has started
            return
        waiting = deque(self._pool.submit(_drawn, selection, place) for place in selection.places)
        seeds.write((rows for result in _results(waiting) for rows in result), folder)

    def execute(self, job: Job) -> None:
        """Send what is left of a run, with as many workers as the job says; they store the
        answers.
        """
        try:
            for future in as_completed(
                [self._pool.submit(_work, job, worker) for worker in range(job.workers)]
            ):
                future.result()
        except BrokenProcessPool as lost:
            raise CannotRun("a worker was ended from outside. Stored answers are kept") from lost

    def judge(self, exchanges: Path, features: Features, *, results: Path, answers: Path) -> None:
        """Judge all exchanges; leaves verdicts and normalised answers in folders."""
        futures = [
            self._pool.submit(judge_part, part, features, folders=(results, answers), number=n)
            for n, part in enumerate(parts(exchanges))
        ]
        for future in futures:
            future.result()

    def analyse(self, run: Path, base: Path | None, *, quiet: Sequence[str]) -> dict[str, Table]:
        """Return all tables of `findings`, by DuckDB."""
        return duckdb_analysis.analyse(run, base, quiet=quiet)


def _end_with_parent() -> None:
    """End this process when its parent is gone, but not on Ctrl-C: workers finish their cases
    then.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _results(waiting: deque[Future[list[Rows]]]) -> Iterator[list[Rows]]:
    while waiting:
        yield waiting.popleft().result()  # which is held no longer


def _drawn(selection: seeds.Wanted, place: int) -> list[Rows]:
    return list(selection.rows([place]))


def _work(job: Job, worker: int) -> None:
    for _ in send_cases(case_rows(job, worker), job, worker):
        pass
