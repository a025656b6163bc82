"""A run of a plan against targets; stored cases are never sent again.

Workers store their answers themselves (`journal`). Each start has its own prefix of names: cases
that an earlier start had in flight are marked, and sent again under new names.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import itertools
import secrets
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lakepact.conformance.campaign import documents, run_metadata, tables
from lakepact.conformance.campaign.engines import Engine
from lakepact.conformance.campaign.errors import Refused
from lakepact.conformance.campaign.execution import journal, logs
from lakepact.conformance.campaign.execution.job import Job
from lakepact.conformance.campaign.paths import is_local
from lakepact.conformance.campaign.planning.cases import fingerprint
from lakepact.conformance.campaign.targets import TargetSettings, of_document
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.evidence.target import is_on
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.running import suite as suites

TURNS = 2  #: the second one sends what targets missed in the first
PATIENCE = 10.0  #: seconds to wait for a target that is down before the rest is left for `--resume`


@dataclass(frozen=True)
class Progress:
    """The progress of a run.

    Args:
        stored: cases with their targets that have landed, of all starts.
        total: all that there are to land.
        missing: by target: cases that it did not take, as it was down.
    """

    stored: int
    total: int
    missing: Mapping[str, int] = field(default_factory=dict)


def discover(settings: TargetSettings) -> TargetSettings:
    """Return the target with its declarations.

    Raises:
        Refused: it does not answer.
        NoSecret: an environment variable is missing.
    """
    suite, target = suites.load(settings.contract), settings.target()
    with Wire(
        target.url,
        headers=target.headers,
        access=target.access,
        timeout=target.timeout,
        max_body=target.max_body,
    ) as wire:
        try:
            offer = suite.discover(wire, target)
        except Blocked as blocked:
            raise Refused(
                f"the target {settings.name} gives no usable answer"
                f" ({wire.redact(str(blocked))}); start it, or leave it out"
            ) from blocked
        features = {
            name: is_on(feature, target, offer) for name, feature in suite.contract.features.items()
        }
        details = {name: offer.result(name) for name in offer.results}
    return replace(
        settings,
        operations=tuple(sorted(offer.operations)),
        segments=dict(offer.segments),
        features=features,
        results=details,
    )


def contracts(plan: Path) -> tuple[str, ...]:
    """Return the contracts that a plan has cases of.

    Raises:
        LookupError: it is no plan.
    """
    return tuple(documents.read(plan / "plan.json")["contracts"])


def prepare(plan: Path, run: Path, targets: Sequence[TargetSettings]) -> None:
    """Make the folder of a new run.

    Raises:
        LookupError: `plan` is no plan.
        Refused: there is a run already, or the plan was made from another version of a contract.
    """
    plan_document = documents.read(plan / "plan.json")
    if (run / "run.json").exists():
        raise Refused(
            f"{run} holds a run already; go on with it by --resume, or choose another folder"
        )
    for name, document in plan_document["contracts"].items():
        if document["sha256"] != fingerprint(suites.load(name).contract):
            raise Refused(f"{plan} was planned from another version of {name}; plan it again")
    declared = [discover(target) for target in targets]
    (run / "cases").mkdir(parents=True, exist_ok=True)
    for part in tables.parts(plan / "cases"):
        (run / "cases" / part.name).write_bytes(part.read_bytes())
    document = {
        "run_id": secrets.token_hex(6),
        "created_at": _now(),
        "status": "running",
        "starts": [],
        "targets": [target.document for target in declared],
        "plan": plan_document,
    }
    tables.write_json(document, run / "run.json")


def check_run(run: Path) -> None:
    """Check that a run exists.

    Raises:
        LookupError: there is none.
    """
    documents.read(run / "run.json")


def send_remaining(
    run: Path,
    engine: Engine,
    *,
    rps: float = 0.0,
    patience: float = PATIENCE,
    every: float | None = None,
) -> Iterator[Progress]:
    """Send the cases that are not stored; yields at the beginning, each time that an engine is
    done, and in between.

    Args:
        run: its folder.
        engine: runs the workers.
        rps: maximum requests per second and target; 0 for no limit.
        patience: seconds to wait for targets that are down after all others are done.
        every: seconds between two progress events.

    Raises:
        LookupError: there is no run.
        Refused: no target answers, another process runs it, or the disk is full.
    """
    with _alone(run):
        run_document = documents.read(run / "run.json")
        targets = _there([of_document(document) for document in run_document["targets"]])
        word = secrets.token_hex(3)
        job = Job(
            str(run.resolve()),
            run_document["run_id"],
            word,
            targets,
            workers=engine.workers,
            rps=rps,
            patience=patience,
        )
        run_document["starts"].append(
            {
                "at": _now(),
                "word": word,
                "engine": engine.name,
                "workers": engine.workers,
                "rps": rps,
            }
        )
        tables.write_json({**run_document, "status": "running"}, run / "run.json")
        journal.begin(run, word)
        try:
            logs.gather(run, run_document["run_id"])
            work = _Work(run, run_document["targets"])
            yield work.progress
            for turn, alone in itertools.product(range(TURNS), (False, True)):
                if work.has_more(targets, turn, alone=alone):
                    workers = 1 if alone else engine.workers
                    yield from _run_workers(
                        engine,
                        replace(job, turn=turn, alone=alone, workers=workers),
                        work=work,
                        every=every,
                    )
        finally:
            if journal.end(run, word):
                raise Refused(f"another start has taken over the run in {run}; wait for its end")
            with contextlib.suppress(
                OSError
            ):  # where there is no room for it, it is for the next start
                logs.gather(run, run_document["run_id"], patience=0.0)
                row = run_metadata.row_of(run)
                status = "complete" if row["complete"] else "incomplete"
                tables.write_json(
                    {**run_document, "status": status, "finished_at": _now()}, run / "run.json"
                )


def _run_workers(
    engine: Engine, job: Job, *, work: _Work, every: float | None
) -> Iterator[Progress]:
    """Send what is left; yields progress, then its end. If the caller stops iterating, the workers
    end.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="campaign") as pool:
        sending = pool.submit(engine.execute, job)
        try:
            while not wait([sending], timeout=every).done:
                yield work.under_way()
            sending.result()
        except OSError as wrong:
            if wrong.errno not in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
                raise
            raise Refused(
                f"{wrong.strerror}: make room for {job.run}; what had landed is kept"
            ) from wrong
        finally:
            if not sending.done():
                journal.end(work.run, job.word)
    yield work.after(job.targets)


class _Work:
    """The planned and stored cases of a run, by target.

    Args:
        run: its folder.
        targets: their documents.
    """

    def __init__(self, run: Path, targets: Sequence[Mapping[str, Any]]) -> None:
        self.run = run
        self._alone = tables.counts(run / "cases", tables.CASES, ["contract", "alone"])
        self._planned = run_metadata.cases_by_target(run, targets)
        self._landed = self._before = journal.stored_by_target(run)

    @property
    def progress(self) -> Progress:
        return Progress(self._landed.total(), sum(self._planned.values()))

    @property
    def _left(self) -> dict[str, int]:
        return {
            name: left
            for name, total in self._planned.items()
            if (left := total - self._landed[name])
        }

    def under_way(self) -> Progress:
        """Return the progress of workers, as last reported."""
        total = sum(self._planned.values())
        return Progress(min(self._before.total() + journal.under_way(self.run), total), total)

    def after(self, targets: Sequence[TargetSettings]) -> Progress:
        """Return the progress after an engine has ended, with the missing cases of targets that do
        not answer.
        """
        self._landed = journal.stored_by_target(self.run)
        there = {
            target.name for target in targets if target.name in self._left and _answers(target)
        }
        return replace(
            self.progress,
            missing={name: left for name, left in self._left.items() if name not in there},
        )

    def has_more(self, targets: Sequence[TargetSettings], turn: int, *, alone: bool) -> bool:
        """Return whether a turn has something to send to targets that answer."""
        some = [
            target
            for target in targets
            if target.name in self._left and self._alone[target.contract, alone]
        ]
        return bool(some) if turn == 0 else any(_answers(target) for target in some)


def _answers(target: TargetSettings) -> bool:
    try:
        discover(target)
    except Refused:
        return False
    return True


def _there(targets: Sequence[TargetSettings]) -> tuple[TargetSettings, ...]:
    """Return the targets that answer.

    Raises:
        Refused: none does.
    """
    there: list[TargetSettings] = []
    last: Refused | None = None
    for target in targets:
        try:
            there.append(discover(target))
        except Refused as refused:
            last = refused
    if last is not None and not there:
        raise last
    return tuple(there)


@contextlib.contextmanager
def _alone(run: Path) -> Generator[None]:
    """Lock a run for this process, however it ends; in an object store, a later start takes the run
    over.
    """
    if not run.is_dir():
        raise LookupError(f"{run} is not there: is it the folder of a run?")
    if not is_local(run):
        yield
        return
    with (run / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as taken:
            raise Refused(
                f"another process is executing the run in {run}; wait for its end"
            ) from taken
        yield


def _now() -> str:
    return datetime.now(tz=UTC).isoformat(timespec="milliseconds")
