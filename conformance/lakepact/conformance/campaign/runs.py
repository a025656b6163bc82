"""A run of a plan against targets; stored cases are never sent again.

Workers store their answers themselves (`journal`). Each start has its own prefix of names: cases that an
earlier start had in flight are marked, and sent again under new names.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import secrets
import shutil
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from lakepact.conformance.campaign import documents, tables
from lakepact.conformance.campaign.errors import Refused
from lakepact.conformance.campaign.execution import journal
from lakepact.conformance.campaign.execution.job import Job
from lakepact.conformance.campaign.planning.cases import fingerprint
from lakepact.conformance.campaign.targets import of_document
from lakepact.conformance.evidence.arrow import Table, pa, pc
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.evidence.target import is_on
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.running import suite as suites

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from lakepact.conformance.campaign.engines import Engine
    from lakepact.conformance.campaign.targets import Asked

CHUNK = 20_000  #: cases that an engine is given at a time
PASSES = 2  #: through all that has not landed
PATIENCE = 10.0  #: seconds to wait for a target that is down before the rest is left for `--resume`


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Args:
        landed: cases with their targets that have landed, of all starts.
        planned: all that there are to land.
        missing: by target: cases that it did not take, as it was down.
    """

    landed: int
    planned: int
    missing: Mapping[str, int] = field(default_factory=dict)


def discovered(asked: Asked) -> Asked:
    """Return the target with what it declares.

    Raises:
        Refused: it does not answer.
        NoSecret: an environment variable is missing.
    """
    suite, target = suites.load(asked.contract), asked.target()
    with Wire(target.url, headers=target.headers, timeout=target.timeout, max_body=target.max_body) as wire:
        try:
            offer = suite.discover(wire, target)
        except Blocked as blocked:
            raise Refused(f"the target {asked.name} does not answer ({wire.redact(str(blocked))}); start it, or leave it out") from blocked
    features = {name: is_on(feature, target, offer) for name, feature in suite.contract.features.items()}
    return replace(
        asked, operations=tuple(sorted(offer.operations)), segments=dict(offer.segments), features=features, found=dict(offer.found)
    )


def contracts(plan: Path) -> tuple[str, ...]:
    """Return the contracts that a plan has cases of.

    Raises:
        LookupError: it is no plan.
    """
    return tuple(documents.read(plan / "plan.json")["contracts"])


def prepare(plan: Path, run: Path, targets: Sequence[Asked]) -> None:
    """Make the folder of a new run.

    Raises:
        LookupError: `plan` is no plan.
        Refused: there is a run already, or the plan was made from another version of a contract.
    """
    planned = documents.read(plan / "plan.json")
    if (run / "run.json").exists():
        raise Refused(f"{run} holds a run already; go on with it by --resume, or choose another folder")
    for name, said in planned["contracts"].items():
        if said["sha256"] != fingerprint(suites.load(name).contract):
            raise Refused(f"{plan} was planned from another version of {name}; plan it again")
    asked = [discovered(target) for target in targets]
    run.mkdir(parents=True, exist_ok=True)
    shutil.copytree(plan / "cases", run / "cases", dirs_exist_ok=True)
    said = {
        "run_id": secrets.token_hex(6),
        "created_at": _now(),
        "status": "running",
        "starts": [],
        "targets": [target.document for target in asked],
        "plan": planned,
    }
    tables.write_json(said, run / "run.json")


def is_there(run: Path) -> None:
    """See that there is a run to go on with.

    Raises:
        LookupError: there is none.
    """
    documents.read(run / "run.json")


def carried_on(
    run: Path, engine: Engine, *, rps: float = 0.0, chunk: int = CHUNK, patience: float = PATIENCE, every: float | None = None
) -> Iterator[Progress]:
    """Send the cases that are not stored; yields at the beginning, after each chunk, and in between.

    Args:
        run: its folder.
        engine: runs the workers.
        rps: maximum requests per second and target; 0 for no limit.
        chunk: the number of cases per chunk.
        patience: seconds to wait for targets that are down after all others are done.
        every: seconds between two progress events.

    Raises:
        LookupError: there is no run.
        Refused: no target answers, another process runs it, or the disk is full.
    """
    with _alone(run):
        said = documents.read(run / "run.json")
        targets, away = _there([of_document(document) for document in said["targets"]])
        word = secrets.token_hex(3)
        job = Job(str(run.resolve()), said["run_id"], word, targets, workers=engine.workers, rps=rps, patience=patience)
        said["starts"].append({"at": _now(), "word": word, "engine": engine.name, "workers": engine.workers, "rps": rps})
        tables.write_json({**said, "status": "running"}, run / "run.json")
        journal.begin(run, word)
        try:
            journal.gathered(run, said["run_id"])
            work = _Work(run, targets, away)
            yield work.progress
            for number, errands, workers in work.chunks(chunk, engine.workers):
                yield from _awaited(engine, errands, replace(job, chunk=number, workers=workers), work=work, every=every)
        finally:
            journal.end(run)
            with contextlib.suppress(OSError):  # where there is no room for it, it is for the next start
                journal.gathered(run, said["run_id"], patience=0.0)
                status = "complete" if len(journal.landed(run)) == _all(run, said["targets"]) else "incomplete"
                tables.write_json({**said, "status": status, "finished_at": _now()}, run / "run.json")


def _awaited(engine: Engine, errands: Table, job: Job, *, work: _Work, every: float | None) -> Iterator[Progress]:
    """Send one chunk; yields progress, then its end. If the caller stops iterating, the workers end."""
    with ThreadPoolExecutor(1, thread_name_prefix="campaign") as pool:
        sending = pool.submit(engine.execute, errands, job)
        try:
            while not wait([sending], timeout=every).done:
                yield work.under_way()
            sending.result()
        except OSError as wrong:
            if wrong.errno not in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
                raise
            raise Refused(f"{wrong.strerror}: make room for {job.run}; what had landed is kept") from wrong
        finally:
            if not sending.done():
                journal.end(work.run)
    yield work.after(errands)


class _Work:
    """The rest of a run.

    Args:
        run: its folder.
        targets: those that answer.
        away: those that do not.
    """

    def __init__(self, run: Path, targets: Sequence[Asked], away: Iterable[Asked]) -> None:
        self.run = run
        self._targets = targets
        self._cases = tables.read(run / "cases", tables.CASES)
        self._landed = journal.landed(run)
        self._before = len(self._landed)
        self._all = (*targets, *away)
        self._gone = {target.name for target in away}
        self._down = set(self._gone)
        self._planned = sum(self._of(target) for target in self._all)

    @property
    def progress(self) -> Progress:
        return Progress(len(self._landed), self._planned, {})

    def _of(self, target: Asked) -> int:
        """Return how many cases are in the language of a target."""
        return int(pc.sum(pc.equal(self._cases.column("contract"), target.contract)).as_py() or 0)

    def _landed_of(self, name: str) -> int:
        return sum(target == name for target, _ in self._landed)

    def under_way(self) -> Progress:
        """Return the progress of workers, as last reported."""
        return Progress(min(self._before + journal.under_way(self.run), self._planned), self._planned, {})

    def after(self, errands: Table) -> Progress:
        """Return how far it is when a chunk is over; a target that did not take all of it, and does not answer now, is given no more."""
        self._landed = journal.landed(self.run)
        sent = zip(errands.column("target").to_pylist(), errands.column("case_id").to_pylist(), strict=True)
        short = {target for target, case_id in sent if (target, case_id) not in self._landed}
        self._down |= {target.name for target in self._targets if target.name in short and not _answers(target)}
        missing = {name: n for name in self._down if (n := self._left(name))}
        return Progress(len(self._landed), self._planned, missing)

    def _left(self, name: str) -> int:
        return next(self._of(target) for target in self._all if target.name == name) - self._landed_of(name)

    def chunks(self, size: int, workers: int) -> Iterator[tuple[int, Table, int]]:
        """Yield the chunks to send: number, errands, and the number of workers.

        The missed cases of a target come again at the end, if it is back by then.
        """
        number = 0
        for _ in range(PASSES):
            self._down = {target.name for target in self._targets if target.name in self._down and not _answers(target)} | self._gone
            for some, alone in [(some, alone) for alone, some in self._pending().items()]:
                for start in range(0, len(some), size):
                    chosen = [(row, target) for row, target in some[start : start + size] if target not in self._down]
                    if chosen:
                        names = pa.array([target for _, target in chosen], tables.TEXT)
                        errands = self._cases.take([row for row, _ in chosen]).add_column(0, "target", names).cast(tables.ERRANDS)
                        yield number, errands, 1 if alone else workers
                        number += 1

    def _pending(self) -> dict[bool, list[tuple[int, str]]]:
        """Return rows of cases with their targets; cases that must run alone are separate.

        Targets take turns at coming first, so that each worker gets as many cases of each.
        """
        columns = [self._cases.column(name).to_pylist() for name in ("case_id", "contract", "alone")]
        pending: dict[bool, list[tuple[int, str]]] = {False: [], True: []}
        for row, (case_id, contract, alone) in enumerate(zip(*columns, strict=True)):
            first = row % len(self._targets)
            for target in (*self._targets[first:], *self._targets[:first]):
                if target.contract == contract and (target.name, case_id) not in self._landed:
                    pending[alone].append((row, target.name))
        return pending


def _answers(target: Asked) -> bool:
    try:
        discovered(target)
    except Refused:
        return False
    return True


def _there(targets: Sequence[Asked]) -> tuple[tuple[Asked, ...], tuple[Asked, ...]]:
    """Return the targets that answer, and those that do not.

    Raises:
        Refused: none does.
    """
    there: list[Asked] = []
    away: list[Asked] = []
    last: Refused | None = None
    for target in targets:
        try:
            there.append(discovered(target))
        except Refused as refused:
            away.append(target)
            last = refused
    if last is not None and not there:
        raise last
    return tuple(there), tuple(away)


def _all(run: Path, targets: Iterable[Mapping[str, Any]]) -> int:
    """Return how many cases with targets there are."""
    by_contract = Counter(tables.read(run / "cases", tables.CASES, ["contract"]).column("contract").to_pylist())
    return sum(by_contract[target["contract"]] for target in targets)


@contextlib.contextmanager
def _alone(run: Path) -> Generator[None]:
    """Lock a run for this process, however it ends."""
    if not run.is_dir():
        raise LookupError(f"{run} is not there: is it the folder of a run?")
    with (run / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as taken:
            raise Refused(f"another process is executing the run in {run}; wait for its end") from taken
        yield


def _now() -> str:
    return datetime.now(tz=UTC).isoformat(timespec="seconds")
