"""The rows of a worker: each case is logged as soon as it is answered, and many are stored as a
file of the table.

The log records when a case is sent, and then its answer. However a worker ends, all answers are in
its log, and the cases without an answer are exactly those that were in flight.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from lakepact.conformance.campaign import tables

Key = tuple[str, str]  #: target and case

JOURNAL, EXCHANGES = "journal", "exchanges"
TOGETHER, LARGE = 1000, 1 << 26  #: cases, and bytes of a log, that land as one file
OFTEN = 10.0  #: seconds after which a power failure takes no answer from the log
TELL = 0.5  #: seconds between two reads of a worker's progress
LINES, COUNT, UNFINISHED, START = ".jsonl", ".count", ".unfinished", ".start"
PATIENCE = 60.0  #: seconds to wait for a worker of an earlier start that has not noticed its end


class WorkerLog:
    """The log and the files of one worker.

    Args:
        run: folder of the run.
        name: of the worker, unique across starts.
    """

    def __init__(self, run: Path, name: str) -> None:
        self._run, self._name = run, name
        self._path = run / JOURNAL / f"{name}{LINES}"
        self._path.parent.mkdir(exist_ok=True)
        self._file = self._path.open("ab", buffering=0)
        fcntl.flock(self._file, fcntl.LOCK_EX)
        self._rows: list[dict[str, Any]] = []
        self._cases = self._files = self._all = 0
        self._safe_at = time.monotonic()
        self._told_at = 0.0

    def goes_on(self, word: str) -> bool:
        """Return whether this start of the worker is the current one: none has replaced it."""
        return goes_on(self._run, word)

    def sets_out(self, target: str, case_id: str, word: str) -> None:
        """Record that a case is about to be sent."""
        self._write({"out": [target, case_id, word]})

    def turns_back(self, target: str, case_id: str) -> None:
        """Record that a case was not sent completely; it will be sent later."""
        self._write({"back": [target, case_id]})

    def lands(self, rows: Sequence[dict[str, Any]]) -> None:
        """Record all rows of a case, and store rows as a file when there are many."""
        self._write({"in": rows})
        self._rows += rows
        self._cases += 1
        self._all += 1
        now = time.monotonic()
        if self._cases >= TOGETHER or self._file.tell() > LARGE:
            self._land()
        elif now > self._safe_at + OFTEN:
            os.fsync(self._file.fileno())
            self._safe_at = now
        if now > self._told_at + TELL:
            self._told_at = now
            count_file = self._path.with_suffix(UNFINISHED)
            count_file.write_text(str(self._all), encoding="ascii")
            count_file.replace(
                self._path.with_suffix(COUNT)
            )  # a concurrent reader finds the old number

    def close(self) -> None:
        """Store the rest, and remove the log."""
        self._land()
        self._path.unlink()
        self.leave()

    def leave(self) -> None:
        """Leave the log to the next start of the run."""
        self._file.close()

    def _write(self, line: Any) -> None:
        self._file.write(orjson.dumps(line, default=_as_text) + b"\n")

    def _land(self) -> None:
        if self._rows:
            tables.write_part(
                tables.table_of(self._rows, tables.EXCHANGES),
                self._run / EXCHANGES,
                f"{self._name}-{self._files:04d}",
            )
            self._files += 1
        self._file.truncate(0)
        self._rows, self._cases, self._safe_at = [], 0, time.monotonic()


def _as_text(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")


def stored_keys(
    run: Path, workers: str = "", *, share: tuple[int, int] = (0, 1), but: str = "-"
) -> set[Key]:
    """Return target and case of stored rows.

    Args:
        run: its folder.
        workers: prefix of the names of workers.
        share: a worker, and of how many: only its cases.
        but: prefix of the names of workers whose files are left out.
    """
    keys: set[Key] = set()
    for part in tables.parts(run / EXCHANGES):
        if part.name.startswith(workers) and not part.name.startswith(but):
            table = tables.read_file(part, tables.EXCHANGES, ["target", "case_id", "number"])
            rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
            keys.update(
                (target, case_id)
                for target, case_id, number in rows
                if number % share[1] == share[0]
            )
    return keys


def stored_by_target(run: Path) -> Counter[str]:
    """Return how many cases have landed on each target: each has one first step."""
    steps = tables.counts(run / EXCHANGES, tables.EXCHANGES, ["target", "step"])
    return Counter({target: cases for (target, step), cases in steps.items() if step == 0})


def under_way(run: Path) -> int:
    """Return how many cases workers have stored since their start, as last reported."""
    count = 0
    for path in (run / JOURNAL).glob(f"*{COUNT}"):
        with contextlib.suppress(OSError, ValueError):
            count += int(path.read_text(encoding="ascii"))
    return count


# -- starts: workers of an ended start send nothing ------------------------------------------------


def begin(run: Path, word: str) -> None:
    """Let only workers of this start send from now on."""
    folder = run / JOURNAL
    folder.mkdir(exist_ok=True)
    end(run)
    (folder / f"{word}{START}").touch()


def end(run: Path, word: str = "*") -> bool:
    """Let no worker of a start send from now on, by default of any; return whether another start
    has begun.
    """
    for path in (run / JOURNAL).glob(f"{word}{START}"):
        path.unlink(missing_ok=True)
    return any((run / JOURNAL).glob(f"*{START}"))


def goes_on(run: Path, word: str) -> bool:
    """Return whether a start of a worker is the current one: none has replaced it."""
    return (run / JOURNAL / f"{word}{START}").exists()


# -- logs of ended workers -------------------------------------------------------------------------


def gather(run: Path, run_id: str, *, only: str = "", patience: float = PATIENCE) -> bool:
    """Store what workers that ended early left in their logs, and mark their cases in flight as
    inconclusive; whether all have ended.

    Args:
        run: its folder.
        run_id: its name.
        only: prefix of the names of workers.
        patience: seconds to wait for workers that are still running.
    """
    logs = sorted((run / JOURNAL).glob(f"{only}*{LINES}"))
    keys = stored_keys(run, only) if logs else set[tuple[str, str]]()
    is_complete = True
    for path in logs:
        with path.open("r+b") as file:
            if not _left_alone(file, patience):
                is_complete = False
                continue
            rows, in_flight = _read(path, keys)
            if rows:
                tables.write_part(
                    tables.table_of(rows, tables.EXCHANGES),
                    run / EXCHANGES,
                    f"{path.stem}-gathered",
                )
                keys |= {(row["target"], row["case_id"]) for row in rows}
            if in_flight:
                why = "in flight when the run was interrupted; sent again under other names"
                same: dict[str, Any] = {"run_id": run_id, "verdict": "inconclusive", "reason": why}
                marks = [
                    {**same, "target": target, "case_id": case_id, "word": word}
                    for (target, case_id), word in in_flight.items()
                ]
                tables.write_part(
                    tables.table_of(marks, tables.INTERRUPTIONS), run / "interruptions", path.stem
                )
            path.unlink()
    files = (
        path for kind in (COUNT, UNFINISHED) for path in (run / JOURNAL).glob(f"{only}*{kind}")
    )
    for path in (*files, *(run / EXCHANGES).glob(f"_{only}*")):
        path.unlink(missing_ok=True)
    return is_complete


def _left_alone(file: Any, patience: float) -> bool:
    """Return whether the worker of a log has ended."""
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() > until:
                return False
            time.sleep(TELL / 5)
        else:
            return True


def _read(path: Path, keys: set[Key]) -> tuple[list[dict[str, Any]], dict[Key, str]]:
    """Return the rows of a log that are not stored, and the cases without an answer with the prefix
    of their names.
    """
    rows: dict[Key, list[dict[str, Any]]] = {}
    flying: dict[Key, str] = {}
    for line in _lines(path):
        if "out" in line:
            target, case_id, word = line["out"]
            flying[target, case_id] = word
        elif "back" in line:
            flying.pop(tuple(line["back"]), None)
        else:
            key = line["in"][0]["target"], line["in"][0]["case_id"]
            flying.pop(key, None)
            rows[key] = [_row(row) for row in line["in"]]
    new_rows = [row for key, some in rows.items() if key not in keys for row in some]
    return new_rows, {key: word for key, word in flying.items() if key not in keys}


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_bytes().split(b"\n"):
        try:
            yield orjson.loads(line)
        except orjson.JSONDecodeError:  # the end of a log that broke off
            continue


def _row(row: dict[str, Any]) -> dict[str, Any]:
    bodies = {
        name: base64.b64decode(row[name])
        for name in ("request_body", "response_body")
        if row[name] is not None
    }
    return {**row, **bodies, "started_at": datetime.fromisoformat(row["started_at"])}
