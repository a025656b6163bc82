"""The tools of one check: it sends requests, records verdicts and removes what it created.

A contract's lab (`checks/<contract>/kit/lab.py`) adds methods that create its objects.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

from lakepact.conformance.evidence.exchanges import Exchange, Reply
from lakepact.conformance.evidence.outcome import (
    ENDED_EARLY,
    STEP,
    Blocked,
    Mutation,
    NotOffered,
    Outcome,
    StepFailed,
    Unmet,
    Verdict,
    breach_outcome,
    partial_pass,
)
from lakepact.conformance.evidence.target import Offer, Target
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.judging.cases import Cases
from lakepact.conformance.judging.sending import Sender, all_versions
from lakepact.generated.contract import Contract

T = TypeVar("T")


class Lab(Sender):
    """Sends the requests of one check and records its verdicts.

    Args:
        wire: connections to the target.
        contract: the contract that the target is checked against.
        target: the server that is checked.
        offer: what the server declares.
        check: name of the check.
        run: id of the run, part of every name that the check creates.
        serial: number of the check in the run, part of every name too.
        races: factor by which races are repeated more often than usual.
        outside_profile: requirements that the check judges and the profile does not have.
    """

    implicit_requirements: ClassVar[
        tuple[str, ...]
    ] = ()  #: requirements that every check may judge without citing them

    def __init__(
        self,
        wire: Wire,
        contract: Contract,
        target: Target,
        *,
        offer: Offer,
        check: str,
        run: str,
        serial: int,
        races: int = 1,
        outside_profile: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(
            wire, contract, target, offer=offer, check=check, run=run, serial=serial, races=races
        )
        self._outside_profile = outside_profile
        self.verdicts: list[Verdict] = []
        self.unfinished: list[
            set[str]
        ] = []  #: of loops that were not exhausted: the requirements that were judged in them
        self._open: list[set[str]] = []  #: the same of loops that run
        self.unsound: list[
            StepFailed
        ] = []  #: steps that were accepted without effect; what fails because of them is blocked
        self.wrong_acceptances: list[
            int
        ] = []  #: exchanges with requests that should have been refused
        self._cleanups: list[Callable[[], object]] = []
        self.looks: list[
            tuple[str, float, Callable[[Any], None]]
        ] = []  #: requirement, time and function of each late look

    # -- steps that have to succeed before a requirement can be judged -----------------------------

    def require(self, reply: Reply, *allowed: int) -> Reply:
        """Return `reply` if its status is one of `allowed` (by default 200 and 204).

        Raises:
            Blocked: the status is another one.
        """
        if reply.status not in (allowed or (200, 204)):
            raise Blocked(
                f"{reply.exchange.method} {reply.exchange.operation or reply.exchange.url} returned"
                f" {reply.summary}"
            )
        self.wire.required.add(reply.exchange.number)
        return reply

    @contextlib.contextmanager
    def step(self, requirement: str) -> Generator[None]:
        """Check a set-up step by the expectations of the block, under the requirement that it
        belongs to.

        In a block of `judge`, only that judgement is blocked.

        Args:
            requirement: the id of the requirement that the step needs.

        Raises:
            StepFailed: the target does not meet them.
            LookupError: no version of the contract has the requirement.
        """
        versions = all_versions(self.contract.name)
        if not any(requirement in version.requirements for version in versions):
            raise LookupError(
                f"no version of {self.contract.name} has a requirement {requirement!r}"
            )
        before = len(self.sent)
        try:
            yield
            self.wire.required.update(self.sent[before:])
        except Unmet as unmet:
            self._note_acceptance(unmet)
            raise StepFailed(requirement, unmet) from unmet

    def uses_files(self) -> None:
        """Note that the check reads or writes files of the server: its requests alone do not repeat
        it.
        """
        self.wire.file_users.add(self.check)

    def add_cleanup(self, action: Callable[[], object]) -> None:
        """Run `action` after the check; the last one that was added runs first."""
        with self._lock:
            self._cleanups.append(action)

    def look_again(self, requirement: str, look: Callable[[Any], None]) -> None:
        """Judge a promise that nothing happens once more at the end of the run; what the check
        created stays until then.

        Args:
            requirement: the id of the promise, which the check judges too.
            look: judges it with the lab that it receives.
        """
        self.looks.append((requirement, time.monotonic(), look))

    def clean_up(self) -> list[Callable[[], object]]:
        """Remove what the check created; return the actions that failed, for a second try at the
        end of the run.
        """
        undone: list[Callable[[], object]] = []
        self.wire.cleaning.add(self.check)
        while self._cleanups:
            action = self._cleanups.pop()
            if cleanup_error(action):
                undone.append(action)
        return undone

    # -- judging -----------------------------------------------------------------------------------

    def each(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the items of a loop that judges; if the check ends before the last one, what it
        judged for the others does not pass.
        """
        requirements: set[str] = set()
        self.unfinished.append(requirements)
        self._open.append(requirements)
        try:
            yield from items
            self.unfinished = [
                other for other in self.unfinished if other is not requirements
            ]  # others may be equal
        finally:
            self._open = [other for other in self._open if other is not requirements]

    @contextlib.contextmanager
    def judge(self, *requirements: str, remark: str = "") -> Generator[Cases]:
        """Judge requirements by the block: they pass unless it raises `Unmet`.

        The block is one case; each `with case():` in it is a further one, where `case` is what this
        yields.

        Args:
            requirements: their ids.
            remark: a note for the reader of a passed requirement.
        """
        with self.judge_each(*requirements, remark=remark) as cases, cases():
            yield cases

    @contextlib.contextmanager
    def judge_each(
        self, *requirements: str, remark: str = "", without: str = ""
    ) -> Generator[Cases]:
        """Judge requirements by each `with case():` of the block, also after one that fails.

        Args:
            requirements: their ids.
            remark: a note for the reader of a passed requirement.
            without: why a conformant target may have no case: then the requirement is not offered.
                By default it is blocked.
        """
        cases = Cases(self.evidence, self._note_acceptance, requirements, self.blocking)
        for loop in self._open:
            loop.update(requirements)
        try:
            yield cases
        except NotOffered:
            raise
        except (Blocked, Unmet) as ended:
            cases.blocked.append(f"{ENDED_EARLY}{ended}")
            raise
        except Exception:
            cases.judged = len(cases.failures)  # an error of the check proves nothing
            raise
        finally:
            for requirement in requirements:
                self._conclude(requirement, cases, remark)
        if without and not (cases.judged or cases.blocked):
            for requirement in requirements:
                self.skip(requirement, without)

    def warn(
        self,
        requirement: str,
        *,
        expected: str,
        actual: str,
        expected_status: tuple[int, ...] = (),
        mutation: Mutation | None = None,
    ) -> None:
        """Record a warning for a requirement.

        Args:
            requirement: its id.
            expected: what it advises.
            actual: what the target returned.
            expected_status: the statuses that it advises, if it advises a status.
            mutation: the mistake of a request that should be refused.
        """
        unmet = Unmet(
            expected,
            actual,
            expected_status=expected_status,
            refusal=mutation is not None,
            mutation=mutation,
        )
        failure = unmet.failure(self.trail())
        self._keep(Verdict.of_failures(requirement, Outcome.WARN, self.check, failures=(failure,)))

    def note(self, requirement: str, remark: str) -> None:
        """Record that a requirement passes, with a remark."""
        self._record(requirement, Outcome.PASS, remark=remark)

    def skip(self, requirement: str, why: str) -> None:
        """Record that the target does not offer the subject of a requirement."""
        self._record(requirement, Outcome.NOT_OFFERED, remark=why)

    def blocking(self, unmet: Unmet) -> StepFailed | None:
        """Return an earlier step without effect that may be why an expectation is not met."""
        steps = (
            step for step in self.unsound if step.decides_statuses or not unmet.expected_status
        )
        return next(steps, None)

    def evidence(self, unmet: Unmet) -> tuple[int, ...]:
        """Return the exchanges that lead to the one which shows an unmet expectation: the one that
        it states, or the last.
        """
        return self.trail(unmet.exchange)

    def fail_step(self, step: StepFailed) -> None:
        """Record that the check ended by a step which breaks a requirement that the check
        judges.
        """
        unmet = step.unmet
        failure = unmet.failure(self.evidence(unmet))
        outcome = breach_outcome(self.contract.requirements[step.requirement])
        self._keep(Verdict.of_failures(step.requirement, outcome, self.check, failures=(failure,)))

    def _conclude(self, requirement: str, cases: Cases, remark: str) -> None:
        """Record the verdict of judged cases, which named steps leave a pass if they block
        fewer.
        """
        if not (cases.judged or cases.blocked) or requirement in self._outside_profile:
            return
        outcome = (
            breach_outcome(self.contract.requirements[requirement])
            if cases.failures
            else Outcome.PASS
        )
        why = "; ".join(dict.fromkeys(cases.blocked))
        is_decided = cases.judged > len(cases.blocked) and all(
            reason.startswith(STEP) for reason in cases.blocked
        )
        if outcome is Outcome.PASS and cases.blocked and not is_decided:
            self._keep(
                Verdict(
                    requirement,
                    Outcome.BLOCKED,
                    self.check,
                    actual=why,
                    remark=why,
                    exchanges=self.trail(),
                    judged=cases.judged,
                )
            )
        elif outcome is Outcome.PASS and cases.blocked:
            remark = partial_pass(cases.judged, len(cases.blocked), why)
            self._record(requirement, outcome, remark=remark, cases=cases.judged)
        elif outcome is Outcome.PASS:
            first = cases.failures[0] if cases.failures else None
            self._record(
                requirement,
                outcome,
                remark=f"may: {first.expected}; {first.actual}" if first else remark,
                cases=cases.judged,
            )
        else:
            self._keep(
                Verdict.of_failures(
                    requirement,
                    outcome,
                    self.check,
                    failures=tuple(cases.failures),
                    cases=cases.judged,
                )
            )

    def disown(self, exchange: Exchange) -> None:
        """Keep invariants from judging what a request left behind that should have been refused, if
        it was accepted.
        """
        if 200 <= exchange.status < 300:
            with self._lock:
                self.wrong_acceptances.append(exchange.number)

    def _note_acceptance(self, unmet: Unmet) -> None:
        """Note a request that a requirement demands to be refused, and disown it if it was
        accepted.
        """
        number = unmet.exchange or max(self.sent, default=0)
        if unmet.refusal and number in self.wire.exchanges:
            exchange = self.wire.exchanges[number] = replace(
                self.wire.exchanges[number], is_invalid=number not in self.wire.concurrent
            )
            self.disown(exchange)

    def _record(self, requirement: str, outcome: Outcome, *, remark: str, cases: int = 1) -> None:
        self._keep(
            Verdict(
                requirement,
                outcome,
                self.check,
                remark=remark,
                exchanges=self.trail(),
                judged=cases,
            )
        )

    def _keep(self, verdict: Verdict) -> None:
        if verdict.requirement not in self._outside_profile:
            with self._lock:
                self.verdicts.append(verdict)


def cleanup_error(cleanup: Callable[[], object]) -> str:
    """Run a cleanup and return why it failed; empty if it succeeded or the object was already
    gone.
    """
    try:
        result = cleanup()
    except (Blocked, NotOffered, Unmet) as error:
        return str(error)
    if isinstance(result, Reply) and result.status >= 400 and result.status != 404:
        return f"{result.exchange.method} {result.exchange.url} returned {result.summary}"
    return ""
