"""Where the lanes of a campaign run: in processes of this machine. `spark` has the same for Spark."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any, Protocol, Self

from lakepact.conformance.arrow import Table, pq
from lakepact.conformance.campaign import duck
from lakepact.conformance.campaign.execution import Job, executed
from lakepact.conformance.campaign.judging import judged
from lakepact.conformance.campaign.tables import (
    ANSWERS,
    ERRANDS,
    EXCHANGES,
    RESULTS,
    parts,
    table_of,
    write_part,
)

if TYPE_CHECKING:
    from pathlib import Path

    from lakepact.conformance.campaign.findings import Sources

Features = Mapping[str, Mapping[str, bool]]  #: by target, by name


class Engine(Protocol):
    """Runs lanes."""

    name: str
    lanes: int

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def execute(self, errands: Table, job: Job, folder: Path) -> None:
        """Send each errand once, and leave the rows of those that were sent in a folder."""
        ...

    def judge(self, exchanges: Path, features: Features, *, results: Path, answers: Path) -> None:
        """Judge all exchanges; leaves verdicts and normalised answers in folders."""
        ...

    def analyse(self, sources: Sources) -> dict[str, Table]:
        """All tables of `findings`."""
        ...


class Plain:
    """Processes of this machine.

    Args:
        lanes: how many.
    """

    name = "plain"

    def __init__(self, lanes: int | None = None) -> None:
        self.lanes = lanes or os.cpu_count() or 1
        self._pool = ProcessPoolExecutor(self.lanes, mp_context=multiprocessing.get_context("spawn"), initializer=_end_with_parent)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def execute(self, errands: Table, job: Job, folder: Path) -> None:
        """Send each errand once, and leave the rows of those that were sent in a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        waiting = []
        for lane in range(self.lanes):
            own = errands.take(list(range(lane, errands.num_rows, self.lanes)))
            if own.num_rows:
                waiting.append(self._pool.submit(_lane, own, job, folder, lane))
        for future in waiting:
            future.result()

    def judge(self, exchanges: Path, features: Features, *, results: Path, answers: Path) -> None:
        """Judge all exchanges; leaves verdicts and normalised answers in folders."""
        futures = [
            self._pool.submit(_judged, part, features, folders=(results, answers), number=n) for n, part in enumerate(parts(exchanges))
        ]
        for future in futures:
            future.result()

    def analyse(self, sources: Sources) -> dict[str, Table]:
        """All tables of `findings`."""
        return duck.analysed(sources)


def _end_with_parent() -> None:
    """End this process when the one that started it is gone: nobody would land what it sends."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _lane(errands: Any, job: Job, folder: Path, lane: int) -> None:
    rows = executed(errands.cast(ERRANDS).to_pylist(), job)
    write_part(table_of(rows, EXCHANGES), folder, f"part-{lane:05d}")


def _judged(part: Path, features: Features, *, folders: tuple[Path, Path], number: int) -> None:
    results, answers = folders
    rows = pq.ParquetFile(part).read().to_pylist()
    found = [judged(row, features) for row in rows]
    write_part(table_of([r for verdicts, _ in found for r in verdicts], RESULTS), results, f"part-{number:05d}")
    write_part(table_of([answer for _, answer in found], ANSWERS), answers, f"part-{number:05d}")
