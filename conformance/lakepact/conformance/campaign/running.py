"""A run of a plan against targets, chunk after chunk; what has landed is never sent again.

A chunk is a folder that appears when all of it is there. Before it is sent, a journal says what is on its way: after a crash that is
what may have reached a target although nothing of it landed. It is marked so, and sent again under names that nothing has.
"""

from __future__ import annotations

import contextlib
import fcntl
import secrets
import shutil
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from lakepact.conformance import suite as suites
from lakepact.conformance.arrow import Table, pa
from lakepact.conformance.campaign import tables
from lakepact.conformance.campaign.cases import fingerprint
from lakepact.conformance.campaign.execution import Job
from lakepact.conformance.campaign.targets import of_document
from lakepact.conformance.outcome import Blocked
from lakepact.conformance.target import is_on
from lakepact.conformance.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from pathlib import Path

    from lakepact.conformance.campaign.engines import Engine
    from lakepact.conformance.campaign.targets import Asked

CHUNK = 300  #: exchanges that a crash can cost


class Refused(Exception):
    """A run that cannot go on; the message says what to do."""


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    landed: int
    planned: int
    missing: dict[str, int]  #: by target: cases that it did not take, as it was down


def discovered(asked: Asked, contract: str) -> Asked:
    """The target with what it declares.

    Raises:
        Refused: it does not answer.
        NoSecret: an environment variable is missing.
    """
    suite, target = suites.load(contract), asked.target()
    with Wire(target.url, headers=target.headers, timeout=target.timeout) as wire:
        try:
            offer = suite.discover(wire, target)
        except Blocked as blocked:
            raise Refused(f"the target {asked.name} does not answer ({wire.redact(str(blocked))}); start it, or leave it out") from blocked
    features = {name: is_on(feature, target, offer) for name, feature in suite.contract.features.items()}
    return replace(asked, operations=tuple(sorted(offer.operations)), segments=dict(offer.segments), features=features)


def prepare(plan: Path, run: Path, targets: Sequence[Asked]) -> None:
    """Make the folder of a new run.

    Raises:
        LookupError: `plan` is no plan.
        Refused: there is a run already, or the plan was made from another version of the contract.
    """
    planned = tables.read_json(plan / "plan.json")
    if (run / "run.json").exists():
        raise Refused(f"{run} holds a run already; go on with it by --resume, or choose another folder")
    if planned["contract_sha256"] != fingerprint(suites.load(planned["contract"]).contract):
        raise Refused(f"{plan} was planned from another version of the contract; plan it again")
    asked = [discovered(target, planned["contract"]) for target in targets]
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


def carried_on(run: Path, engine: Engine, *, rps: float = 0.0, chunk: int = CHUNK) -> Iterator[Progress]:
    """Send what has not landed; yields after each chunk.

    Raises:
        LookupError: there is no run.
        Refused: a target does not answer, or somebody else is at it.
    """
    with _alone(run):
        said = tables.read_json(run / "run.json")
        contract = said["plan"]["contract"]
        targets = tuple(discovered(of_document(document), contract) for document in said["targets"])
        # Each start has a word of its own: the names of an earlier one are never met again.
        word = secrets.token_hex(3)
        job = Job(said["run_id"], word, contract, targets, lanes=engine.lanes, rps=rps)
        said["starts"].append({"at": _now(), "word": word, "engine": engine.name, "lanes": engine.lanes, "rps": rps})
        tables.write_json({**said, "status": "running"}, run / "run.json")
        _mark_interrupted(run, said["run_id"])
        cases = tables.read(run / "cases", tables.CASES)
        landed = _landed(run)
        yield from _chunks(run, cases, landed, engine=engine, job=job, chunk=chunk)
        whole = len(_landed(run)) == cases.num_rows * len(targets)
        tables.write_json({**said, "status": "complete" if whole else "incomplete", "finished_at": _now()}, run / "run.json")


def _chunks(run: Path, cases: Table, landed: set[tuple[str, str]], *, engine: Engine, job: Job, chunk: int) -> Iterator[Progress]:
    ids = cases.column("case_id").to_pylist()
    pending = [(row, target.name) for row, case_id in enumerate(ids) for target in job.targets if (target.name, case_id) not in landed]
    done, missing = len(landed), Counter[str]()
    yield Progress(done, len(ids) * len(job.targets), {})
    down: set[str] = set()
    for number, start in enumerate(range(0, len(pending), chunk)):
        some = [(row, name) for row, name in pending[start : start + chunk] if name not in down]
        missing.update(name for _, name in pending[start : start + chunk] if name in down)
        if some:
            rows, names = [row for row, _ in some], [name for _, name in some]
            errands = cases.take(rows).add_column(0, "target", pa.array(names, tables.TEXT)).cast(tables.ERRANDS)
            taken = _one_chunk(run, errands, f"{job.word}-{number:05d}", engine=engine, job=job)
            done += taken.total()
            short = {name: n - taken[name] for name, n in Counter(names).items() if n > taken[name]}
            missing.update(short)
            # One that is back takes the next chunk; what it missed is for `--resume`.
            down |= {target.name for target in job.targets if target.name in short and not _answers(target, job.contract)}
        yield Progress(done, len(ids) * len(job.targets), dict(missing))


def _one_chunk(run: Path, errands: Table, name: str, *, engine: Engine, job: Job) -> Counter[str]:
    """Send one chunk and let it land; how many each target took."""
    on_its_way = [list(pair) for pair in zip(*(errands.column(c).to_pylist() for c in ("target", "case_id")), strict=True)]
    journal, unfinished = run / "journal" / f"{name}.json", run / "exchanges" / f"_chunk-{name}"
    tables.write_json({"word": job.word, "pairs": on_its_way}, journal)
    engine.execute(errands, job, unfinished)
    taken = Counter(tables.read(unfinished, tables.EXCHANGES, ["target"]).column("target").to_pylist())
    tables.land(unfinished, run / "exchanges" / f"chunk-{name}")
    journal.unlink()
    return taken


def _answers(target: Asked, contract: str) -> bool:
    try:
        discovered(target, contract)
    except Refused:
        return False
    return True


def _landed(run: Path) -> set[tuple[str, str]]:
    held = tables.read(run / "exchanges", tables.EXCHANGES, ["target", "case_id"])
    return set(zip(held.column("target").to_pylist(), held.column("case_id").to_pylist(), strict=True))


def _mark_interrupted(run: Path, run_id: str) -> None:
    """Say of what was on its way when a start ended early that nothing can be said of it."""
    landed = _landed(run)
    for journal in sorted((run / "journal").glob("*.json")):
        said = tables.read_json(journal)
        lost = [(target, case_id) for target, case_id in said["pairs"] if (target, case_id) not in landed]
        why = "on its way when the run was interrupted; sent again under other names"
        same: dict[str, Any] = {"run_id": run_id, "word": said["word"], "verdict": "inconclusive", "reason": why}
        rows = [{**same, "target": target, "case_id": case_id} for target, case_id in lost]
        if rows:
            tables.write_part(tables.table_of(rows, tables.INTERRUPTIONS), run / "interruptions", journal.stem)
        journal.unlink()
    for unfinished in (run / "exchanges").glob("_*"):
        shutil.rmtree(unfinished)


@contextlib.contextmanager
def _alone(run: Path) -> Generator[None]:
    """Nobody else at the same run; the end of the process ends it, however it comes."""
    if not run.is_dir():
        raise LookupError(f"{run} is not there: is it the folder of a run?")
    with (run / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as taken:
            raise Refused(f"somebody else is at the run in {run}; wait for its end") from taken
        yield


def _now() -> str:
    return datetime.now(tz=UTC).isoformat(timespec="seconds")
