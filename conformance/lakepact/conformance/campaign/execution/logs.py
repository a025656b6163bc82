"""The log of a worker in an object store: each durable batch is one file of the table, and finished
chunks are merged.

Readers skip files whose batches, by number, a merged file has too (`tables.parts`). The batches of
a lost worker are merged into a
file that has all later numbers: if the worker was not lost, what it goes on to store is no part of
the table, and is sent again.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lakepact.conformance.campaign import tables
from lakepact.conformance.campaign.execution import journal
from lakepact.conformance.campaign.execution.journal import (
    COUNT,
    EXCHANGES,
    JOURNAL,
    LARGE,
    PATIENCE,
    TOGETHER,
)
from lakepact.conformance.campaign.paths import is_local
from lakepact.conformance.evidence.arrow import Table, pa

#: seconds after which rows are stored, and after which a worker looks whether its start goes on
OFTEN = 2.0
LAST = 999_999  #: number that no batch reaches
OPEN = ".open"


class ObjectLog:
    """The log and the files of one worker in an object store; see `journal.WorkerLog`."""

    def __init__(self, run: Path, name: str) -> None:
        self._run, self._name = run, name
        self._mark = run / JOURNAL / f"{name}{OPEN}"
        self._mark.touch()
        self._rows: list[dict[str, Any]] = []  #: that are not stored yet
        self._batches: list[Table] = []  #: that are not merged yet
        self._first = self._next = self._cases = self._all = 0
        self._stored_at, self._looked_at, self._is_on = time.monotonic(), float("-inf"), True

    def goes_on(self, word: str) -> bool:
        """Return whether this start of the worker is the current one, and no other process ended
        its log.
        """
        if self._is_on and time.monotonic() > self._looked_at + OFTEN:
            self._looked_at = time.monotonic()
            self._is_on = journal.goes_on(self._run, word) and self._mark.exists()
        return self._is_on

    def sets_out(self, target: str, case_id: str, word: str) -> None:
        """Record nothing: cases in flight are sent again like those whose rows were not stored."""

    def turns_back(self, _target: str, _case_id: str) -> None:
        """Store the rows, because the next case may come late."""
        self._store()

    def lands(self, rows: Sequence[dict[str, Any]]) -> None:
        """Add the rows of a case, and store rows now and then."""
        self._rows, self._cases, self._all = [*self._rows, *rows], self._cases + 1, self._all + 1
        if time.monotonic() > self._stored_at + OFTEN:
            self._store()
            if self._cases >= TOGETHER or sum(batch.nbytes for batch in self._batches) > LARGE:
                self._merge()

    def close(self) -> None:
        """Store and merge what is left."""
        self._merge()
        self._mark.unlink(missing_ok=True)

    def leave(self) -> None:
        """Store what is left; the next start merges it."""
        with contextlib.suppress(OSError):
            self._store()

    def _store(self) -> None:
        self._stored_at = time.monotonic()
        if self._rows:
            batch = tables.table_of(self._rows, tables.EXCHANGES)
            tables.write_part(batch, self._run / EXCHANGES, f"{self._name}-{self._next:06d}")
            (self._run / JOURNAL / f"{self._name}{COUNT}").write_text(
                str(self._all), encoding="ascii"
            )
            self._rows, self._batches, self._next = [], [*self._batches, batch], self._next + 1

    def _merge(self) -> None:
        self._store()
        if self._batches:
            files = [
                self._run / EXCHANGES / f"{self._name}-{number:06d}.parquet"
                for number in range(self._first, self._next)
            ]
            _merge(
                self._batches,
                files,
                self._run / EXCHANGES / f"{self._name}-{self._first:06d}-{self._next - 1:06d}",
            )
        self._first, self._cases, self._batches = self._next, 0, []


def gather(run: Path, run_id: str, *, only: str = "", patience: float = PATIENCE) -> bool:
    """Store what workers that ended early left, and let none of them store more; see
    `journal.gathered`.
    """
    if is_local(run):
        return journal.gather(run, run_id, only=only, patience=patience)
    marks = list((run / JOURNAL).glob(f"{only}*{OPEN}"))
    entries = (
        [
            (part, *place)
            for part in tables.parts(run / EXCHANGES)
            if (place := tables.numbers(part))
        ]
        if marks
        else []
    )
    for mark in marks:
        name = mark.name.removesuffix(OPEN)
        last_number = max(
            (last for _, worker, _, last in entries if worker == name and last is not None),
            default=-1,
        )
        if last_number < LAST:
            files = [part for part, worker, _, last in entries if worker == name and last is None]
            batches = [
                tables.EXCHANGES.empty_table(),
                *(tables.read_file(part, tables.EXCHANGES) for part in files),
            ]
            _merge(batches, files, run / EXCHANGES / f"{name}-{last_number + 1:06d}-{LAST}")
        mark.unlink(missing_ok=True)
    for path in (run / JOURNAL).glob(f"{only}*{COUNT}"):
        path.unlink(missing_ok=True)
    return True


def _merge(batches: Sequence[Table], files: Sequence[Path], target: Path) -> None:
    """Write batches as one file, unless another process has done so, and remove theirs."""
    tables.write_part(pa.concat_tables(batches), target.parent, target.name, new=True)
    with contextlib.suppress(FileNotFoundError):  # readers skip those that are left
        if files:
            target.fs.rm([file.path for file in files])  # type: ignore[attr-defined]  # the paths of object stores have both
