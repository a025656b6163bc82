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
PATIENCE = 3  #: late answers in a row before a target is left alone for a while
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
class _Objects:
    """The objects of one case, or of all read-only cases of a worker."""

    lab: Lab
    world: World
    problem: str = ""  #: why they could not be created


class CaseSender:
    """Sends the cases of one target.

    Args:
        job: the settings of workers.
        place: index of the target in the job.
        word: prefix of names, without the target's index.
    """

    def __init__(self, job: Job, place: int, word: str) -> None:
        self._job = job
        self._settings = job.targets[place]
        self._suite = suites.load(self._settings.contract)
        self._target = self._settings.target()
        self._wire = _PacedWire(
            self._target.url,
            gap=job.workers / job.rps if job.rps else 0.0,
            headers=self._target.headers,
            access=self._target.access,
            timeout=self._target.timeout,
            max_body=self._target.max_body,
        )
        self._shared: dict[str, _Objects] = {}
        self._attempts = Counter[int]()  #: by numbers of cases: each has names of its own
        self._unanswered = 0
        self.word = f"{word}{place}"

    def close(self) -> None:
        """Clean up what was shared, and end the connections."""
        for objects in self._shared.values():
            objects.lab.clean_up()
        self._wire.close()

    def answers(self) -> bool:
        """Return whether the target answers anything at all."""
        try:
            self._wire.send("GET", "/", check="campaign")
        except NoAnswer:
            return False
        return True

    def rows(self, case_row: Mapping[str, Any]) -> list[Row]:
        """Send one case; the rows of its steps.

        Raises:
            Down: the target is gone, and the case was not sent, or not to its end.
        """
        if self._unanswered >= PATIENCE:
            raise Down
        start = datetime.now(tz=UTC)
        try:
            results = (
                self._run_check(case_row) if case_row["mode"] == CHECK else self._send(case_row)
            )
        finally:
            self._wire.exchanges.clear()
        case_id, target = case_row["case_id"], self._settings.name
        same = {
            **{name: case_row[name] for name in ("contract", "case_id", "number", "mode")},
            "run_id": self._job.run_id,
            "target": target,
            "word": self.word,
            "started_at": start,
        }
        unsent: Row = {
            **dict.fromkeys(EXCHANGES.names),
            "operation_id": case_row["operation_id"],
            "method": case_row["method"],
            "http_status": 0,
            "latency_us": 0,
            "reason": "",
            "authorized": False,
            "response_truncated": False,
        }
        rows = []
        for step, result in enumerate(results):
            exchange_id = hashlib.sha256(
                f"{self._job.run_id} {target} {case_id} {step}".encode()
            ).hexdigest()[:32]
            rows.append({**unsent, **result, **same, "exchange_id": exchange_id, "step": step})
        return rows

    # -- requests, and sequences of them -----------------------------------------------------------

    def _send(self, case_row: Mapping[str, Any]) -> list[Row]:
        case = case_of(case_row)
        if (
            case_row["mode"] != SEQUENCE
            and case_row["operation_id"] not in self._settings.operations
        ):
            return [{"state": NOT_OFFERED, "tries": 0}]
        for tries in range(1, TRIES + 1):
            objects = self._objects(case_row, case.setup)
            if objects.problem:
                return [{"state": UNPREPARED, "tries": tries, "reason": objects.problem}]
            try:
                rows, broke = self._steps(objects, case.steps, tries)
            finally:
                if case_row["mutates"]:
                    objects.lab.clean_up()
            if not broke or tries == TRIES:
                return rows
            if case_row["setup"] in self._shared:
                self._shared.pop(case_row["setup"]).lab.clean_up()
        raise AssertionError("a case ends with its last try")

    def _steps(
        self, objects: _Objects, steps: Sequence[Step], tries: int
    ) -> tuple[list[Row], bool]:
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
            if step.operation not in self._settings.operations:
                rows.append({**same, "state": NOT_OFFERED})
                continue
            try:
                reply, pages, reason = self._all_pages(objects, step)
            except NoAnswer as silent:
                self._unless_down(silent)
                self._unanswered += silent.late
                row = evidence.row_of(silent.keep(), self._settings.headers)
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
            self._unanswered = 0
            rows.append(
                {
                    **evidence.row_of(reply.exchange, self._settings.headers),
                    **same,
                    "state": ANSWERED,
                    "pages": pages,
                    "reason": reason,
                }
            )
        return rows, False

    def _all_pages(self, objects: _Objects, step: Step) -> tuple[Reply, list[str], str]:
        """Send a step; return the answer, if it asks for pages the bodies of those that follow, and
        why these are not all. A page that is refused is the answer.
        """
        first = reply = self._step(objects, step)
        pages: list[str] = []
        query = dict(step.query)
        while (
            PAGE_TOKEN in query
            and 200 <= reply.status < 300
            and isinstance(reply.exchange.json, dict)
        ):
            if reply is not first:
                body = evidence.row_of(reply.exchange, self._settings.headers)["response_body"]
                pages.append(body.decode("utf-8", "replace"))
            token = reply.exchange.json.get("next-page-token")
            if not token or not isinstance(token, str):
                return first, pages, ""
            if len(pages) == MOST_PAGES - 1:
                return first, pages, f"the listing goes on after {MOST_PAGES} pages"
            reply = self._step(
                objects, replace(step, query=tuple({**query, PAGE_TOKEN: token}.items()))
            )
        return reply, [], ""

    # -- checks of the suite -----------------------------------------------------------------------

    def _run_check(self, case_row: Mapping[str, Any]) -> list[Row]:
        check = self._suite.checks[case_row["request"]]  # in this mode, the name of the check
        lab = self._lab(case_row, check.name, check.outside_profile)
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
                **evidence.row_of(e, self._settings.headers),
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

    # -- objects -----------------------------------------------------------------------------------

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
        case_row: Mapping[str, Any],
        check: str = "campaign",
        outside_profile: frozenset[str] = frozenset(),
    ) -> Lab:
        """Return a lab with unused names, also if an earlier attempt at the case left objects."""
        number = case_row["number"]
        word = f"{self.word}{'r' * self._attempts[number]}"
        self._attempts[number] += 1
        offer, contract = self._settings.offer, self._suite.contract
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

    def _objects(self, case_row: Mapping[str, Any], steps: Sequence[Step]) -> _Objects:
        """Return the objects of a case, created again unless it only reads."""
        setup = case_row["setup"]
        if not case_row["mutates"] and setup in self._shared:
            return self._shared[setup]
        if self._suite.fuzz is None:
            raise Blocked(f"{self._settings.contract} has nothing to make objects with")
        lab = self._lab(case_row)
        self._wire.silent = None
        objects = _Objects(lab, self._suite.fuzz.world(lab))
        if (
            self._wire.silent is not None
        ):  # what a world asks for first decides what all later requests are about
            raise Down from self._wire.silent
        objects.problem = self._prepare(objects, steps)
        if not case_row["mutates"]:
            self._shared[setup] = objects
        elif objects.problem:
            lab.clean_up()
        return objects

    def _prepare(self, objects: _Objects, setup: Sequence[Step]) -> str:
        for step in setup:
            if step.operation not in self._settings.operations:
                continue
            try:
                reply = self._step(objects, step)
            except NoAnswer as silent:
                self._unless_down(silent)
                self._unanswered += silent.late
                return self._wire.redact(str(silent))
            if not 200 <= reply.status < 300:
                return f"{step.operation} before it was answered with {reply.summary}"
        return ""

    def _step(self, objects: _Objects, step: Step) -> Reply:
        world = objects.world
        arguments = fill(dict(step.arguments), world.value_of)
        body = content(
            world.confine(step.operation, step.body), world.value_of
        )  # shrinking may have left a root out
        reply = objects.lab.send(
            step.operation, content=body, query=step.query, declared=False, **arguments
        )
        world.learn(step, reply)
        return reply
