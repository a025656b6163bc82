"""Sends the cases of one lane: one after another over pooled connections, each in a corner of its own.

Runs wherever an engine puts it; what it is given can be pickled and holds no secret.
"""

from __future__ import annotations

import hashlib
import itertools
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import httpx

from lakepact.conformance import suite as suites
from lakepact.conformance.arrow import pa
from lakepact.conformance.campaign import evidence
from lakepact.conformance.campaign.cases import case_of
from lakepact.conformance.campaign.tables import EXCHANGES
from lakepact.conformance.fuzz.steps import content, filled
from lakepact.conformance.outcome import Blocked
from lakepact.conformance.wire import NoAnswer, Wire

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lakepact.conformance.campaign.cases import Case
    from lakepact.conformance.campaign.targets import Asked
    from lakepact.conformance.fuzz import World
    from lakepact.conformance.fuzz.steps import Step
    from lakepact.conformance.lab import Lab
    from lakepact.conformance.wire import Reply

#: How a case ended: answered; not sent as the target does not declare it, or as what it is about could not be made; no answer in time;
#: a connection that broke, twice.
ANSWERED, NOT_OFFERED, UNPREPARED, LATE, BROKEN = "answered", "not-offered", "unprepared", "late", "broken"
TRIES = 2  #: of a case whose connection broke: an idle connection may end at any moment, a second one hardly
PAUSES = (0.1, 0.5)  #: seconds before a target that takes no connection is tried again
AT_ONCE = 50  #: rows of a record batch
PATIENCE = 3  #: answers in a row that are awaited in vain before a lane gives a target up
NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, ConnectionRefusedError)


class Down(Exception):
    """A target takes no connections, or answers nothing any more."""


@dataclass(frozen=True)
class Job:
    """What every lane of one start of a run knows.

    Args:
        run_id: the run.
        word: what names begin with; another one at each start, so that nothing is met that an earlier start left.
        contract: name of the contract.
        targets: who is asked.
        lanes: how many lanes there are at a time.
        rps: requests a second and target, of all lanes together; 0 for no limit.
    """

    run_id: str
    word: str
    contract: str
    targets: tuple[Asked, ...]
    lanes: int = 1
    rps: float = 0.0


def executed(errands: Iterable[Mapping[str, Any]], job: Job) -> Iterator[dict[str, Any]]:
    """Send cases to targets; yields the row of each that was sent. Those of a target that is down are left out."""
    benches: dict[str, Bench] = {}
    given_up: set[str] = set()
    try:
        for errand in errands:
            name = errand["target"]
            if name in given_up:
                continue
            if name not in benches:
                benches[name] = Bench(job, next(n for n, target in enumerate(job.targets) if target.name == name))
            try:
                yield benches[name].row(errand)
            except Down:
                given_up.add(name)
    finally:
        for bench in benches.values():
            bench.close()


def executed_batches(batches: Iterable[Any], job: Job) -> Iterator[Any]:
    """The same over Arrow record batches, as engines pass them."""
    rows = executed((errand for batch in batches for errand in batch.to_pylist()), job)
    while some := list(itertools.islice(rows, AT_ONCE)):
        yield pa.RecordBatch.from_pylist(some, schema=EXCHANGES)


class _PacedWire(Wire):
    """Connections that take no more than their share of the rate."""

    gap = 0.0
    _next = 0.0

    def send(self, method: str, target: str, **more: Any) -> Reply:
        wait = self._next - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        self._next = max(self._next, time.monotonic() - self.gap) + self.gap
        return super().send(method, target, **more)


@dataclass
class _Corner:
    """A place on the target for one case, or for all those of a lane that only read."""

    lab: Lab
    world: World
    problem: str = ""  #: why it could not be made


class Bench:
    """Sends cases to one target.

    Args:
        job: what every lane knows.
        place: of the target among those of the job.
    """

    def __init__(self, job: Job, place: int) -> None:
        self._job = job
        self._asked = job.targets[place]
        self._suite = suites.load(job.contract)
        self._target = self._asked.target()
        self._wire = _PacedWire(self._target.url, headers=self._target.headers, timeout=self._target.timeout)
        self._wire.gap = job.lanes / job.rps if job.rps else 0.0
        self._word = f"{job.word}{place}"
        self._shared: dict[str, _Corner] = {}
        self._vain = 0

    def close(self) -> None:
        """Clean up what was shared, and end the connections."""
        for corner in self._shared.values():
            corner.lab.clean_up()
        self._wire.close()

    def row(self, errand: Mapping[str, Any]) -> dict[str, Any]:
        """Send one case; its row.

        Raises:
            Down: the target is gone, and the case was not sent.
        """
        started = datetime.now(tz=UTC)
        said = self._sent(errand)
        self._wire.exchanges.clear()
        case_id, target = errand["case_id"], self._asked.name
        same = {name: errand[name] for name in ("contract", "case_id", "number", "operation_id", "mode")}
        exchange_id = hashlib.sha256(f"{self._job.run_id} {target} {case_id}".encode()).hexdigest()[:32]
        unsent: dict[str, Any] = dict.fromkeys(EXCHANGES.names)
        unsent |= {"method": errand["method"], "http_status": 0, "latency_us": 0, "authorized": False, "response_truncated": False}
        mine = {"run_id": self._job.run_id, "exchange_id": exchange_id, "target": target, "word": self._word, "started_at": started}
        return {**unsent, "reason": "", "step": 0, **said, **same, **mine}

    def _sent(self, errand: Mapping[str, Any]) -> dict[str, Any]:
        if errand["operation_id"] not in self._asked.operations:
            return {"state": NOT_OFFERED, "tries": 0}
        if self._vain >= PATIENCE:
            raise Down
        case = case_of(errand)
        for tries in range(1, TRIES + 1):
            corner = self._corner(errand, case, tries)
            if corner.problem:
                return {"state": UNPREPARED, "tries": tries, "reason": corner.problem}
            try:
                reply = self._step(corner, case.step)
            except NoAnswer as silent:
                self._unless_down(silent)
                self._vain += silent.late
                if silent.late or tries == TRIES:
                    row = evidence.row_of(silent.keep(), self._asked.headers)
                    return {**row, "state": LATE if silent.late else BROKEN, "tries": tries, "reason": self._wire.redact(str(silent))}
                if errand["setup"] in self._shared:
                    self._shared.pop(errand["setup"]).lab.clean_up()
                continue
            except ValueError as wrong:  # a value that no path or header can hold
                return {"state": UNPREPARED, "tries": tries, "reason": f"it cannot be sent: {wrong}"}
            finally:
                if errand["mutates"]:
                    corner.lab.clean_up()
            self._vain = 0
            return {**evidence.row_of(reply.exchange, self._asked.headers), "state": ANSWERED, "tries": tries}
        raise AssertionError("a case ends with its last try")

    def _unless_down(self, silent: NoAnswer) -> None:
        """Go on unless a target takes no connection, now and when it is tried again.

        Raises:
            Down: it does not.
        """
        if not isinstance(silent.__cause__, NEVER_SENT):
            return
        for pause in PAUSES:
            time.sleep(pause)
            try:
                self._wire.send("GET", "/", check="campaign")
            except NoAnswer as again:
                if isinstance(again.__cause__, NEVER_SENT):
                    continue
            return
        raise Down from silent

    def _corner(self, errand: Mapping[str, Any], case: Case, tries: int) -> _Corner:
        """What the case is about, made anew unless it only reads."""
        setup = errand["setup"]
        if not errand["mutates"] and setup in self._shared:
            return self._shared[setup]
        lab: Lab = self._suite.lab(
            self._wire,
            self._suite.contract,
            self._target,
            offer=self._asked.offer,
            check="campaign",
            run=f"{self._word}{'r' * (tries - 1)}",
            serial=errand["number"],
        )
        if self._suite.fuzz is None:
            raise Blocked(f"{self._job.contract} has nothing to make a corner with")
        corner = _Corner(lab, self._suite.fuzz.world(lab))
        corner.problem = self._prepared(corner, case.setup)
        if not errand["mutates"]:
            self._shared[setup] = corner
        elif corner.problem:
            lab.clean_up()
        return corner

    def _prepared(self, corner: _Corner, setup: Sequence[Step]) -> str:
        for step in setup:
            if step.operation not in self._asked.operations:
                continue
            try:
                reply = self._step(corner, step)
            except NoAnswer as silent:
                self._unless_down(silent)
                self._vain += silent.late
                return self._wire.redact(str(silent))
            if not 200 <= reply.status < 300:
                return f"{step.operation} before it was answered with {reply.shown}"
        return ""

    def _step(self, corner: _Corner, step: Step) -> Reply:
        world = corner.world
        arguments = filled(dict(step.arguments), world.known)
        body = content(step.body, world.known)
        reply = corner.lab.send(step.operation, content=body, query=step.query, declared=False, **arguments)
        world.learn(step, reply)
        return reply
