"""Where the lanes of a campaign run: in processes of this machine. `spark` has the same for Spark."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any, Protocol, Self

from lakepact.conformance.campaign.analysis import duckdb_analysis
from lakepact.conformance.campaign.execution.workers import travelled
from lakepact.conformance.campaign.judging.grouped import judged_part
from lakepact.conformance.campaign.planning.generation import Block, drawn
from lakepact.conformance.campaign.tables import parts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lakepact.conformance.arrow import Table
    from lakepact.conformance.campaign.analysis.findings import Sources
    from lakepact.conformance.campaign.execution.job import Job

    Rows = list[dict[str, Any]]

FEW_BLOCKS = 60  #: that are drawn before another process has started
ALLOCATED = 50_000  #: objects between two looks for circles
Features = Mapping[str, Mapping[str, bool]]  #: by target, by name


class Engine(Protocol):
    """Runs lanes."""

    name: str
    lanes: int  #: known once it is entered

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def draw(self, blocks: Sequence[Block]) -> list[Rows]:
        """Return the rows of each block of cases, in the order of the blocks."""
        ...

    def execute(self, errands: Table, job: Job) -> None:
        """Send each errand once, in as many lanes as the job says, which land what comes back."""
        ...

    def judge(self, exchanges: Path, features: Features, *, results: Path, answers: Path) -> None:
        """Judge all exchanges; leaves verdicts and normalised answers in folders."""
        ...

    def analyse(self, sources: Sources) -> dict[str, Table]:
        """Return all tables of `findings`."""
        ...


class LocalEngine:
    """Processes of this machine.

    Args:
        lanes: how many.
    """

    name = "local"

    def __init__(self, lanes: int | None = None) -> None:
        self.lanes = lanes or os.cpu_count() or 1
        self._pool = ProcessPoolExecutor(self.lanes, mp_context=multiprocessing.get_context("spawn"), initializer=_begin)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def draw(self, blocks: Sequence[Block]) -> list[Rows]:
        """Return the rows of each block of cases, in the order of the blocks."""
        if len(blocks) <= FEW_BLOCKS or self.lanes == 1:
            return list(drawn(blocks))  # sooner than another process has started
        some = [self._pool.submit(_drawn, block) for block in blocks]  # one by one: what is not begun yet can be called off
        return [future.result() for future in some]

    def execute(self, errands: Table, job: Job) -> None:
        """Send each errand once, in as many lanes as the job says, which land what comes back."""
        lanes = min(self.lanes, job.lanes)
        waiting = []
        for lane in range(lanes):
            own = errands.take(list(range(lane, errands.num_rows, lanes)))
            if own.num_rows:
                waiting.append(self._pool.submit(_lane, own, job, lane))
        for future in as_completed(waiting):
            future.result()

    def judge(self, exchanges: Path, features: Features, *, results: Path, answers: Path) -> None:
        """Judge all exchanges; leaves verdicts and normalised answers in folders."""
        futures = [
            self._pool.submit(judged_part, part, features, folders=(results, answers), number=n) for n, part in enumerate(parts(exchanges))
        ]
        for future in futures:
            future.result()

    def analyse(self, sources: Sources) -> dict[str, Table]:
        """Return all tables of `findings`."""
        return duckdb_analysis.analysed(sources)


def _begin() -> None:
    """What is remembered of many exchanges holds no circles: it is seldom looked through for them."""
    gc.set_threshold(ALLOCATED)
    _end_with_parent()


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, not when that one is interrupted: it lets lanes end."""
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


def _lane(errands: Table, job: Job, lane: int) -> None:
    for _ in travelled(errands.to_pylist(), job, lane):
        pass
