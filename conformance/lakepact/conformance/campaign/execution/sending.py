"""Sends cases to one target over pooled connections, each to objects of its own: requests,
sequences of them, and checks of the suite.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import httpx

from lakepact.conformance.campaign.execution import evidence
from lakepact.conformance.campaign.execution.job import Job
from lakepact.conformance.campaign.planning.cases import CHECK, SEQUENCE, case_of
from lakepact.conformance.campaign.tables import EXCHANGES
from lakepact.conformance.evidence.exchanges import Reply
from lakepact.conformance.evidence.outcome import Blocked, Outcome, Verdict
from lakepact.conformance.fuzz import World
from lakepact.conformance.fuzz.steps import Step, content, fill
from lakepact.conformance.http.wire import NoAnswer, Wire
from lakepact.conformance.judging.check_verdicts import run_check
from lakepact.conformance.judging.lab import Lab
from lakepact.conformance.running import suite as suites

#: The states of a step: answered; not sent, because the target does not declare it, or because its
#: objects could not be created; no answer in time; a connection that broke twice.
ANSWERED, NOT_OFFERED, UNPREPARED, LATE, BROKEN = (
    "answered",
    "not-offered",
    "unprepared",
    "late",
    "broken",
)
#: of a case whose connection broke: an idle connection may end at any moment, a second one hardly
TRIES = 2
PAUSES = (0.1, 0.5)  #: seconds before a target that takes no connection is tried again
PATIENCE = 3  #: answers in a row that are awaited in vain before a target is left alone for a while
NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, ConnectionRefusedError)
INCONCLUSIVE = "inconclusive"
SHOWN = 2000  #: characters of what a check expected and what came
#: Outcomes of checks that are stored; not-offered is no verdict.
KEPT = {
    Outcome.BLOCKED: INCONCLUSIVE,
    **{o: o.value for o in (Outcome.PASS, Outcome.FAIL, Outcome.WARN, Outcome.ERROR)},
}

PAGE_TOKEN = "pageToken"  # noqa: S105 - the parameter of listings
MOST_PAGES = 100

Row = dict[str, Any]


class Down(Exception):
    """A target takes no connections, or answers nothing any more."""


class _PacedWire(Wire):
    """Connections that take no more than their share of the rate, and remember that an answer did
    not come.
    """

    def __init__(self, url: str, *, gap: float, **more: Any) -> None:
        super().__init__(url, **more)
        self.silent: NoAnswer | None = None
        self._gap, self._next = gap, 0.0
        self._pace = threading.Lock()

    def send(self, method: str, target: str, **more: Any) -> Reply:
        if self._gap:
            with self._pace:
                now = time.monotonic()
                mine = max(self._next, now)
                self._next = mine + self._gap
            time.sleep(mine - now)
        try:
            return super().send(method, target, **more)
        except NoAnswer as silent:
            self.silent = silent
            raise


@dataclass
class _Corner:
    """The place on the target of one case, or of all read-only cases of a worker."""

    lab: Lab
    world: World
    problem: str = ""  #: why it could not be made


class Bench:
    """Sends the cases of one target.

    Args:
        job: the settings of workers.
        place: index of the target in the job.
        word: prefix of names, without the target's index.
    """

    def __init__(self, job: Job, place: int, word: str) -> None:
        self._job = job
        self._asked = job.targets[place]
        self._suite = suites.load(self._asked.contract)
        self._target = self._asked.target()
        self._wire = _PacedWire(
            self._target.url,
            gap=job.workers / job.rps if job.rps else 0.0,
            headers=self._target.headers,
            access=self._target.access,
            timeout=self._target.timeout,
            max_body=self._target.max_body,
        )
        self._shared: dict[str, _Corner] = {}
        self._made = Counter[
            int
        ]()  #: corners, by numbers of cases: each has names that no other had
        self._vain = 0
        self.word = f"{word}{place}"

    def close(self) -> None:
        """Clean up what was shared, and end the connections."""
        for corner in self._shared.values():
            corner.lab.clean_up()
        self._wire.close()

    def answers(self) -> bool:
        """Return whether the target answers anything at all."""
        try:
            self._wire.send("GET", "/", check="campaign")
        except NoAnswer:
            return False
        return True

    def rows(self, errand: Mapping[str, Any]) -> list[Row]:
        """Send one case; the rows of its steps.

        Raises:
            Down: the target is gone, and the case was not sent, or not to its end.
        """
        if self._vain >= PATIENCE:
            raise Down
        start = datetime.now(tz=UTC)
        try:
            results = self._run_check(errand) if errand["mode"] == CHECK else self._send(errand)
        finally:
            self._wire.exchanges.clear()
        case_id, target = errand["case_id"], self._asked.name
        same = {name: errand[name] for name in ("contract", "case_id", "number", "mode")}
        same |= {
            "run_id": self._job.run_id,
            "target": target,
            "word": self.word,
            "started_at": start,
        }
        unsent: Row = dict.fromkeys(EXCHANGES.names)
        unsent |= {
            "operation_id": errand["operation_id"],
            "method": errand["method"],
            "http_status": 0,
            "latency_us": 0,
            "reason": "",
        }
        unsent |= {"authorized": False, "response_truncated": False}
        rows = []
        for step, one in enumerate(results):
            exchange_id = hashlib.sha256(
                f"{self._job.run_id} {target} {case_id} {step}".encode()
            ).hexdigest()[:32]
            rows.append({**unsent, **one, **same, "exchange_id": exchange_id, "step": step})
        return rows

    # -- requests, and sequences of them -----------------------------------------------------------

    def _send(self, errand: Mapping[str, Any]) -> list[Row]:
        case = case_of(errand)
        if errand["mode"] != SEQUENCE and errand["operation_id"] not in self._asked.operations:
            return [{"state": NOT_OFFERED, "tries": 0}]
        for tries in range(1, TRIES + 1):
            corner = self._corner(errand, case.setup)
            if corner.problem:
                return [{"state": UNPREPARED, "tries": tries, "reason": corner.problem}]
            try:
                rows, broke = self._steps(corner, case.steps, tries)
            finally:
                if errand["mutates"]:
                    corner.lab.clean_up()
            if not broke or tries == TRIES:
                return rows
            if errand["setup"] in self._shared:
                self._shared.pop(errand["setup"]).lab.clean_up()
        raise AssertionError("a case ends with its last try")

    def _steps(self, corner: _Corner, steps: Sequence[Step], tries: int) -> tuple[list[Row], bool]:
        """Send one step after another; their rows, and whether a connection broke, which ends
        them.
        """
        rows: list[Row] = []
        for step in steps:
            same = {
                "operation_id": step.operation,
                "method": self._suite.contract.operations[step.operation].method,
                "tries": tries,
            }
            if step.operation not in self._asked.operations:
                rows.append({**same, "state": NOT_OFFERED})
                continue
            try:
                reply, pages, reason = self._all_pages(corner, step)
            except NoAnswer as silent:
                self._unless_down(silent)
                self._vain += silent.late
                row = evidence.row_of(silent.keep(), self._asked.headers)
                rows.append(
                    {
                        **row,
                        **same,
                        "state": LATE if silent.late else BROKEN,
                        "reason": self._wire.redact(str(silent)),
                    }
                )
                return rows, not silent.late
            except ValueError as wrong:  # a value that no path or header can hold
                rows.append({**same, "state": UNPREPARED, "reason": f"it cannot be sent: {wrong}"})
                continue
            self._vain = 0
            rows.append(
                {
                    **evidence.row_of(reply.exchange, self._asked.headers),
                    **same,
                    "state": ANSWERED,
                    "pages": pages,
                    "reason": reason,
                }
            )
        return rows, False

    def _all_pages(self, corner: _Corner, step: Step) -> tuple[Reply, list[str], str]:
        """Send a step; return the answer, if it asks for pages the bodies of those that follow, and
        why these are not all. A page that is refused is the answer.
        """
        first = reply = self._step(corner, step)
        pages: list[str] = []
        query = dict(step.query)
        while (
            PAGE_TOKEN in query
            and 200 <= reply.status < 300
            and isinstance(reply.exchange.json, dict)
        ):
            if reply is not first:
                body = evidence.row_of(reply.exchange, self._asked.headers)["response_body"]
                pages.append(body.decode("utf-8", "replace"))
            token = reply.exchange.json.get("next-page-token")
            if not token or not isinstance(token, str):
                return first, pages, ""
            if len(pages) == MOST_PAGES - 1:
                return first, pages, f"the listing goes on after {MOST_PAGES} pages"
            reply = self._step(
                corner, replace(step, query=tuple({**query, PAGE_TOKEN: token}.items()))
            )
        return reply, [], ""

    # -- checks of the suite -----------------------------------------------------------------------

    def _run_check(self, errand: Mapping[str, Any]) -> list[Row]:
        check = self._suite.checks[errand["request"]]
        lab = self._lab(errand, check.name, check.outside_profile)
        self._wire.silent = None
        try:
            verdicts = run_check(check, lab, tuple(self._suite.invariants.values()))
            numbers = list(lab.sent)
        finally:
            lab.clean_up()
        if self._wire.silent is not None:
            self._unless_down(self._wire.silent)
        exchanges = [self._wire.exchanges[number] for number in numbers]
        rows: list[Row] = [
            {
                **evidence.row_of(e, self._asked.headers),
                "operation_id": e.operation or "",
                "state": ANSWERED,
                "tries": 1,
            }
            for e in exchanges
        ]
        rows = rows or [{"state": NOT_OFFERED, "tries": 0}]
        rows[0]["said"] = [
            self._verdict_row(verdict, numbers) for verdict in verdicts if verdict.outcome in KEPT
        ]
        return rows

    def _verdict_row(self, verdict: Verdict, numbers: Sequence[int]) -> Row:
        shows = [numbers.index(number) for number in verdict.exchanges if number in numbers]
        return {
            "check_id": verdict.check,
            "requirement_id": verdict.requirement,
            "verdict": KEPT[verdict.outcome],
            "expected": self._wire.redact(verdict.expected)[:SHOWN],
            "observed": self._wire.redact(verdict.actual)[:SHOWN],
            "step": shows[-1] if shows else 0,
        }

    # -- corners -----------------------------------------------------------------------------------

    def _unless_down(self, silent: NoAnswer) -> None:
        """Check that a target accepts connections, after some pauses.

        Raises:
            Down: it accepts none.
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

    def _lab(
        self,
        errand: Mapping[str, Any],
        check: str = "campaign",
        outside_profile: frozenset[str] = frozenset(),
    ) -> Lab:
        """Return a lab with unused names, also if an earlier attempt at the case left objects."""
        number = errand["number"]
        word = f"{self.word}{'r' * self._made[number]}"
        self._made[number] += 1
        offer, contract = self._asked.offer, self._suite.contract
        lab: Lab = self._suite.lab(
            self._wire,
            contract,
            self._target,
            offer=offer,
            check=check,
            run=word,
            serial=number,
            outside_profile=outside_profile,
        )
        return lab

    def _corner(self, errand: Mapping[str, Any], steps: Sequence[Step]) -> _Corner:
        """Return the objects of a case, created again unless it only reads."""
        setup = errand["setup"]
        if not errand["mutates"] and setup in self._shared:
            return self._shared[setup]
        if self._suite.fuzz is None:
            raise Blocked(f"{self._asked.contract} has nothing to make a corner with")
        lab = self._lab(errand)
        self._wire.silent = None
        corner = _Corner(lab, self._suite.fuzz.world(lab))
        if (
            self._wire.silent is not None
        ):  # what a world asks for first decides what all later requests are about
            raise Down from self._wire.silent
        corner.problem = self._prepare(corner, steps)
        if not errand["mutates"]:
            self._shared[setup] = corner
        elif corner.problem:
            lab.clean_up()
        return corner

    def _prepare(self, corner: _Corner, setup: Sequence[Step]) -> str:
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
                return f"{step.operation} before it was answered with {reply.summary}"
        return ""

    def _step(self, corner: _Corner, step: Step) -> Reply:
        world = corner.world
        arguments = fill(dict(step.arguments), world.value_of)
        body = content(
            world.confine(step.operation, step.body), world.value_of
        )  # shrinking may have left a root out
        reply = corner.lab.send(
            step.operation, content=body, query=step.query, declared=False, **arguments
        )
        world.learn(step, reply)
        return reply
