"""Workers: each sends its cases one after another and stores the answers itself, wherever the
engine runs it.

Its arguments can be pickled and hold no secret. It needs the folder of the run, which the machines
of a cluster share.
"""

from __future__ import annotations

import socket
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lakepact.conformance.campaign import tables
from lakepact.conformance.campaign.execution import journal, logs
from lakepact.conformance.campaign.execution.job import Job
from lakepact.conformance.campaign.execution.sending import CaseSender, Down
from lakepact.conformance.campaign.paths import is_local, locate

LOOK = 2.0  #: seconds between two looks whether a target that was down is back
HELD = (
    1000  #: cases that wait for a target that is down; those after them are left to the next turn
)


class NotShared(Exception):
    """The folder of the run does not exist where a worker runs, or another worker holds its place
    there.
    """


def case_rows(job: Job, worker: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the cases that a worker has to send, each with its target; targets take turns at coming
    first.
    """
    run = locate(job.run)
    stored = journal.stored_keys(
        run, share=(worker, job.workers), but=f"{job.word}-{job.turn}{job.alone:d}-"
    )  # of workers beside
    for rows in tables.batches(run / "cases", tables.CASES):
        for row in rows.to_pylist():
            if row["alone"] != job.alone or row["number"] % job.workers != worker:
                continue
            first = row["number"] // job.workers % len(job.targets)
            for target in (*job.targets[first:], *job.targets[:first]):
                if (
                    target.contract == row["contract"]
                    and (target.name, row["case_id"]) not in stored
                ):
                    yield {**row, "target": target.name}


def send_cases(
    case_rows: Iterable[Mapping[str, Any]], job: Job, number: int, attempt: int = 0
) -> Iterator[str]:
    """Send cases to targets and store the answers; yields the name of the target after each.

    A target that is down is skipped for a while; its cases come last, and are left out if it is
    still down then.

    Args:
        case_rows: cases, each with its target.
        job: the settings of workers.
        number: of the worker.
        attempt: another one each time that an engine starts the worker: it may repeat lost tasks.

    Raises:
        NotShared: the folder of the run does not exist here, or an earlier attempt has not ended.
    """
    worker = _Worker(job, number, attempt)
    try:
        yield from worker.send(case_rows)
    except BaseException:
        worker.leave()
        raise
    worker.close()


class _Worker:
    """A worker with its connections and its log."""

    def __init__(self, job: Job, number: int, attempt: int) -> None:
        self._job, self._run = job, locate(job.run)
        if not (self._run / "run.json").exists():
            raise NotShared(
                f"{job.run} is not there on {socket.gethostname()}: --out has to be a folder that"
                " all machines of Spark share"
            )
        name = f"{job.word}-{job.turn}{job.alone:d}-{number:05d}."
        self._word = f"{job.word}{job.turn}" + (f"a{attempt:x}" if attempt else "")
        self._landed = self._of_earlier_attempts(name) if attempt else set[tuple[str, str]]()
        self._log = (journal.WorkerLog if is_local(self._run) else logs.ObjectLog)(
            self._run, f"{name}{attempt}"
        )
        self._senders: dict[str, CaseSender] = {}
        self._waiting: dict[str, deque[Mapping[str, Any]]] = {}  #: for targets that are down
        self._look_at: dict[str, float] = {}
        self._downs = Counter[str]()

    def _of_earlier_attempts(self, name: str) -> set[tuple[str, str]]:
        if not logs.gather(self._run, self._job.run_id, only=name):
            raise NotShared(
                f"an earlier attempt of the worker {name} still sends, or its log in {self._run}"
                " cannot be locked"
            )
        return journal.stored_keys(self._run, name)

    def close(self) -> None:
        self._clean_up()
        self._log.close()

    def leave(self) -> None:
        """End early; what was landed is in the log."""
        self._log.leave()
        self._clean_up()

    def _clean_up(self) -> None:
        for sender in self._senders.values():
            sender.close()

    def send(self, case_rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
        """Send cases, those of targets that are down last; yield the target of each."""
        for case_row in case_rows:
            target = case_row["target"]
            if target in self._waiting and not self._is_back(target):
                if len(self._waiting[target]) < HELD:
                    self._waiting[target].append(case_row)
                continue
            yield from self._some(target, deque([*self._waiting.pop(target, ()), case_row]))
        until = time.monotonic() + self._job.patience
        while self._waiting and time.monotonic() < until and self._log.goes_on(self._job.word):
            time.sleep(LOOK)
            for target in [name for name in self._waiting if self._is_back(name)]:
                yield from self._some(target, self._waiting.pop(target))

    def _is_back(self, target: str) -> bool:
        if time.monotonic() < self._look_at[target]:
            return False
        sender, began = self._new_sender(target), time.monotonic()
        if not sender.answers():
            sender.close()
            now = time.monotonic()
            self._look_at[target] = now + max(
                LOOK, 10 * (now - began)
            )  # a target that is silent for long must not hold up others
            return False
        self._senders.pop(target).close()
        self._senders[target] = sender
        return True

    def _new_sender(self, target: str) -> CaseSender:
        """Open connections with a new prefix of names: cases in flight may have left objects."""
        place = next(n for n, each in enumerate(self._job.targets) if each.name == target)
        return CaseSender(self._job, place, self._word + "b" * self._downs[target])

    def _some(self, target: str, case_rows: deque[Mapping[str, Any]]) -> Iterator[str]:
        while case_rows and self._log.goes_on(self._job.word):
            case_row = case_rows.popleft()
            if (target, case_row["case_id"]) in self._landed:
                continue
            if not self._one(target, case_row):
                case_rows.appendleft(case_row)
                self._waiting[target] = case_rows
                self._look_at[target] = time.monotonic() + LOOK
                return
            yield target

    def _one(self, target: str, case_row: Mapping[str, Any]) -> bool:
        """Send one case and land it; whether its target is there."""
        if target not in self._senders:
            self._senders[target] = self._new_sender(target)
        sender = self._senders[target]
        self._log.sets_out(target, case_row["case_id"], sender.word)
        try:
            rows = sender.rows(case_row)
        except Down:
            self._log.turns_back(target, case_row["case_id"])
            self._downs[target] += 1
            return False
        self._log.lands(rows)
        return True
