"""Runs a plan against a target and yields events; prints nothing.

Independent checks run concurrently. After the stateful tests come those marked `alone`, one at a
time: races, with a budget of their own for late answers. The checks marked `last` end the run: a
careless server may store their requests.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import secrets
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.evidence.limits import Budget
from lakepact.conformance.evidence.observations import Observation
from lakepact.conformance.evidence.outcome import (
    Blocked,
    NotOffered,
    Outcome,
    Unmet,
    Verdict,
    deciding_first,
)
from lakepact.conformance.evidence.shared_files import HOW_TO_SHARE, READABLE_FILES
from lakepact.conformance.evidence.target import is_on
from lakepact.conformance.fuzz import Progress, run_fuzzer, run_stateful_tests
from lakepact.conformance.http.caller import ADVICE, PUBLIC
from lakepact.conformance.http.wire import NoAnswer, Wire
from lakepact.conformance.judging import known_failures
from lakepact.conformance.judging.blocking import with_like_failures
from lakepact.conformance.judging.check_verdicts import (
    add_remark,
    block,
    outcome_of_error,
    run_check,
)
from lakepact.conformance.judging.invariants import InvariantBooks
from lakepact.conformance.judging.lab import cleanup_error

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from lakepact.conformance.evidence.exchanges import Exchange
    from lakepact.conformance.evidence.target import Offer, Target
    from lakepact.conformance.judging.definitions import Check
    from lakepact.conformance.judging.known_failures import KnownFailure
    from lakepact.conformance.judging.lab import Lab
    from lakepact.conformance.running.plan import Plan

    _CheckRun = tuple[Check, Lab, list[Verdict]]

MAX_WORKERS = 4  #: checks at a time; more gain nothing on two cores
CLEANING = 30  #: seconds for the second try to remove leftovers
LONGEST_TRAIL = 20  #: exchanges shown before the one that breaks an invariant
DISCOVERY = "discover"  #: check name of exchanges that are sent before the first check
RESTART_SECONDS = 5.0  #: in which a target that accepts no connections may come back
RESTART_PAUSE = 0.2
HEALTH = "health"  #: check name of ordinary requests between the last checks


@dataclass(frozen=True)
class Result:
    """The outcome of one requirement: the worst of the verdicts that judged a case."""

    requirement: str
    outcome: Outcome
    verdicts: tuple[Verdict, ...]  #: worst first, after them those without a case


@dataclass(frozen=True)
class CheckEnded:
    """A check ended, or fuzzing progressed."""

    check: str
    verdicts: tuple[Verdict, ...]
    done: int  #: ended checks plus random requests sent
    planned: int  #: all checks plus all random requests


@dataclass
class Run:
    """One run of a plan against a target; iterate over `events()` once, then read `results()`."""

    plan: Plan
    target: Target
    known_failures: Sequence[KnownFailure] = ()
    keep: bool = False  #: leave the created objects on the target
    fuzz: int = 0  #: about how many fuzzed requests to send
    seed: int = 0  #: seed of fuzzing
    stateful: int = 0  #: about how many requests to send in stateful tests
    stateful_seed: int = 0  #: seed of stateful tests
    races: int = 1  #: factor by which races are repeated
    max_workers: int = MAX_WORKERS
    late_seconds: float = 0.0  #: after which late looks are made, at the earliest
    profile: str = ""  #: file name of the target's profile
    run_id: str = field(default_factory=lambda: secrets.token_hex(3))
    offer: Offer | None = None
    wire: Wire = field(init=False)
    verdicts: list[Verdict] = field(default_factory=list)
    leftovers: list[str] = field(
        default_factory=list
    )  #: one line for each created object that could not be removed: why
    observe: Callable[[Run], Iterable[Observation]] = lambda _: ()  #: lets clients use the target
    observations: list[Observation] = field(default_factory=list)
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self._uncleaned: list[Callable[[], object]] = []
        self._looking: list[tuple[Check, Lab]] = []  #: checks that are looked at again at the end
        self._done = 0  #: checks that ended, and requests of random searches
        self._broken = ""  #: why the target is not judged any more
        self._is_healthy = False  #: whether the target answered ordinary requests at the start
        #: why the run judged only a part: the target no longer serves the caller, or limits the
        #: rate of requests
        self.stopped = ""
        self.wire = Wire(
            self.target.url,
            headers=self.target.headers,
            access=self.target.access,
            timeout=self.target.timeout,
            max_body=self.target.max_body,
            budget=Budget(self.target.max_wait),
            patient=True,
            longest_pause=self.target.max_wait,
        )
        self._invariants = InvariantBooks(
            self.plan.invariants,
            self.wire,
            before=DISCOVERY,
            leave_traces=self.plan.suite.leftovers is not None,
        )

    def events(self) -> Iterator[CheckEnded]:
        """Run all checks and yield an event as each one ends.

        Raises:
            Blocked: the target does not answer.
        """
        start, self._began = time.perf_counter(), time.time()
        try:
            self._discover()
            self.observations.extend(self.observe(self))  # before checks leave objects
            is_whole = False
            try:
                yield from self._scenarios(self._checks())
                if self.stateful:
                    yield from self._run_stateful_tests()
                with self.wire.spending(Budget(self.target.max_wait)):
                    yield from self._scenarios(self._races())
                yield from self._scenarios(self._last_checks())
                yield from self._late_looks()
                is_whole = not (self.stopped or self.wire.throttled)
            finally:  # also after Ctrl-C
                for book in self._invariants.books:
                    verdicts = book.verdicts(self.plan.suite.requirement, self._trail)
                    self._keep(v for v in verdicts if v.judged or is_whole)
            if self.fuzz:
                yield from self._run_fuzzer()
            self._clean_up_again()
            self.stopped = self.stopped or self.wire.throttled
            if self.stopped and self._broken:
                self.verdicts = [self._without_late_cases(verdict) for verdict in self.verdicts]
            self.verdicts = list(
                with_like_failures(
                    self.verdicts, self.wire.exchanges, self.plan.suite.contract.requirements
                )
            )
        finally:
            self.wire.close()
            self.seconds = time.perf_counter() - start

    def _discover(self) -> None:
        """Detect what the target offers.

        Raises:
            Blocked: the target does not answer, or refuses every request of this caller except for
                its configuration.
        """
        caller, suite = self.wire.caller, self.plan.suite
        operations = (suite.requirement(name).operations for name in self.plan.requirements)
        try:
            if suite.rights and any(not each or set(each) - PUBLIC for each in operations):
                suite.rights(self.wire, self.target)
            self.offer = self.plan.suite.discover(self.wire, self.target)
            self._is_healthy = not self._illness()
        except Blocked as error:
            if caller.is_served or not caller.refused:
                raise
            raise Blocked(self._refusal("") + f" ({error})") from error
        if caller.refused and not caller.is_served:
            raise Blocked(self._refusal(""))

    def _refusal(self, when: str) -> str:
        """Return the sentence about a target that refuses the caller."""
        first = next(iter(self.wire.caller.refused.values()))
        words = f" ({plain(first.error.message)})" if first.error and first.error.message else ""
        answer = f"{first.method} {first.url} returned {first.status}{words}"
        return f"{when}the target refuses this caller: {answer}. {ADVICE}"

    def _expect_service(self, numbers: Iterable[int]) -> None:
        """Stop judging if requests of a check were refused, all later ones too, and now also
        ordinary requests.
        """
        caller = self.wire.caller
        if self.stopped or not self._is_healthy or not caller.refused.keys() & set(numbers):
            return
        if self._illness() and (refusals := caller.refused):
            first = next(iter(refusals.values()))
            seconds = first.sent_at - self._began
            at = dt.datetime.fromtimestamp(first.sent_at, dt.UTC).isoformat(timespec="seconds")
            self.stopped = self._broken = self._refusal(
                f"since {at}, {seconds:.0f} s after the start, "
            )

    @cached_property
    def _since_refusal(self) -> dict[int, Exchange]:
        """The answers that came after the first refusal of the caller since it was last served."""
        refusals = self.wire.caller.refused.values()
        since = min(exchange.sent_at + exchange.seconds for exchange in refusals)
        return {
            number: exchange
            for number, exchange in self.wire.exchanges.items()
            if exchange.sent_at + exchange.seconds >= since
        }

    def _without_late_cases(self, verdict: Verdict) -> Verdict:
        """Return a verdict without cases that ended after the first refusal of the caller; blocked,
        if there are no others.
        """
        late = self._since_refusal
        checks = {exchange.check for exchange in late.values()} - {*self.plan.suite.invariants}
        if verdict.check not in checks or verdict.outcome is Outcome.NOT_OFFERED:
            return verdict
        failures = tuple(
            failure for failure in verdict.failures if not late.keys() & set(failure.exchanges)
        )
        if failures:
            return Verdict.of_failures(
                verdict.requirement,
                verdict.outcome,
                verdict.check,
                failures=failures,
                cases=verdict.judged,
            )
        return replace(
            verdict,
            outcome=Outcome.BLOCKED,
            expected="",
            actual=self.stopped,
            remark=self.stopped,
            failures=(),
            judged=0,
        )

    def _scenarios(self, check_runs: Generator[_CheckRun]) -> Iterator[CheckEnded]:
        """Yield an event as each check ends, and judge the invariants by its exchanges."""
        with contextlib.closing(check_runs):  # after Ctrl-C, before the wire is closed
            for check, lab, verdicts in check_runs:
                self._invariants.end(
                    check.name, wrong_acceptances=lab.wrong_acceptances, last=check.last > 0
                )
                self._expect_service(lab.sent)
                self._done += 1
                yield CheckEnded(check.name, self._keep(verdicts), self._done, self.planned)
                self._expect_target_to_run()

    def _expect_target_to_run(self) -> None:
        """Wait a moment for a target that accepts no connections.

        Raises:
            Blocked: it did not come back.
        """
        until = time.monotonic() + RESTART_SECONDS
        while self.wire.availability.end_reason:
            if time.monotonic() > until:
                raise Blocked(self.wire.availability.end_reason)
            time.sleep(RESTART_PAUSE)
            with contextlib.suppress(NoAnswer):
                self.wire.send("GET", "/", check=HEALTH)

    def _run_fuzzer(self) -> Iterator[CheckEnded]:
        suite = self.plan.suite
        if suite.fuzz is None:
            raise Blocked(f"{suite.contract.name} has no fuzzer")
        invariants = tuple(suite.invariants.values())
        events = run_fuzzer(
            partial(self.lab, "fuzz"),
            suite.contract,
            invariants,
            fuzz=suite.fuzz,
            budget=self.fuzz,
            start=self.seed,
        )
        yield from self._search_events("fuzz", events, budget=self.fuzz, answers=suite.fuzz.answers)

    def _run_stateful_tests(self) -> Iterator[CheckEnded]:
        suite = self.plan.suite
        if suite.fuzz is None or suite.fuzz.model is None:
            raise Blocked(f"{suite.contract.name} has no stateful tests")
        lab, fuzz = partial(self.lab, "model"), suite.fuzz
        events = run_stateful_tests(
            lab,
            suite.contract,
            fuzz=fuzz,
            model=suite.fuzz.model,
            budget=self.stateful,
            start=self.stateful_seed,
        )
        yield from self._search_events(
            "model", events, budget=self.stateful, answers=suite.fuzz.answers
        )

    def _search_events(
        self, check: str, events: Iterable[Verdict | Progress], *, budget: int, answers: str
    ) -> Iterator[CheckEnded]:
        """Yield events of a random search: its verdicts and its progress."""
        if self._broken:
            verdict = Verdict(
                answers, Outcome.BLOCKED, check, actual=self._broken, remark=self._broken, judged=0
            )
            yield CheckEnded(
                check, self._keep([verdict], by_plan=False), self.planned, self.planned
            )
            return
        before = count = self._done
        self._done += budget
        try:
            for event in events:
                new_verdicts: tuple[Verdict, ...] = ()
                if isinstance(event, Progress):
                    count = before + min(event.requests, budget)
                else:
                    new_verdicts = self._keep([event], by_plan=False)
                yield CheckEnded(check, new_verdicts, count, self.planned)
            self._expect_service(self.wire.caller.refused)
        except Exception as error:  # noqa: BLE001 - verdicts until then are reported
            outcome, why = outcome_of_error(error)
            yield CheckEnded(
                check,
                self._keep(
                    [Verdict(answers, outcome, check, actual=why, remark=why)], by_plan=False
                ),
                count,
                self.planned,
            )

    @property
    def planned(self) -> int:
        """Number of checks plus random requests."""
        return len(self.plan.checks) + self.stateful + self.fuzz

    def _keep(self, verdicts: Iterable[Verdict], *, by_plan: bool = True) -> tuple[Verdict, ...]:
        """Keep the verdicts of planned requirements, with features and known failures taken into
        account.
        """
        result = []
        for verdict in verdicts:
            if by_plan and verdict.requirement not in self.plan.requirements:
                continue
            missing = [
                f
                for f in self.plan.suite.requirement(verdict.requirement).features
                if not self.feature(f)
            ]
            own = verdict
            if missing:
                own = Verdict(
                    verdict.requirement,
                    Outcome.NOT_OFFERED,
                    verdict.check,
                    remark=f"the target lacks {', '.join(missing)}"
                    + (HOW_TO_SHARE if READABLE_FILES in missing else ""),
                )
            result.append(known_failures.apply(own, tuple(self.known_failures)))
        self.verdicts.extend(result)
        return tuple(result)

    def feature(self, name: str) -> bool:
        """Return whether an optional feature of the contract is on."""
        return is_on(self.plan.suite.contract.features[name], self.target, self.offer)

    def lab(self, check: str, serial: int, outside_profile: frozenset[str] = frozenset()) -> Lab:
        """Return the lab of a check, once the target is discovered."""
        if self.offer is None:
            raise RuntimeError("a check cannot run before the target is discovered")
        lab: Lab = self.plan.suite.lab(
            self.wire,
            self.plan.suite.contract,
            self.target,
            offer=self.offer,
            check=check,
            run=self.run_id,
            serial=serial,
            races=self.races,
            outside_profile=outside_profile,
        )
        return lab

    def _trail(self, exchange: Exchange) -> tuple[int, ...]:
        """Return the number of an exchange after those of earlier changes of its check to the
        objects that it names.
        """
        lab, objects = self.lab(DISCOVERY, 0), exchange.objects
        before = [
            e
            for _, e in sorted(self.wire.exchanges.items())
            if e.number < exchange.number and e.check == exchange.check
        ]
        leading = [
            e.number
            for e in before
            if e.objects
            and lab.changes(e)
            and (e.objects <= objects or frozenset() < objects < e.objects)
        ]
        refusal = [exchange.look.refused.number] if exchange.look else []
        return (*sorted({*leading[-LONGEST_TRAIL:], *refusal}), exchange.number)

    def _checks(self) -> Generator[_CheckRun]:
        """Run all checks except races and those that are last."""
        with ThreadPoolExecutor(self.max_workers, thread_name_prefix="check") as pool:
            futures = [
                pool.submit(self._one, check, n)
                for n, check in enumerate(self.plan.checks)
                if not (check.alone or check.last)
            ]
            try:
                for future in as_completed(futures):
                    yield future.result()
            except BaseException:
                self.wire.interrupted = True  # checks that run end at their next request
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _races(self) -> Generator[_CheckRun]:
        """Run the checks that are alone, one at a time; their late answers leave the others
        time.
        """
        for n, check in enumerate(self.plan.checks):
            if check.alone and not check.last:
                yield self._one(check, n)

    def _last_checks(self) -> Generator[_CheckRun]:
        """Run the checks that are last, one at a time, as long as the target answers ordinary
        requests as before.
        """
        last_checks = sorted(
            ((n, check) for n, check in enumerate(self.plan.checks) if check.last),
            key=lambda one: one[1].last,
        )
        is_watched = bool(last_checks) and not self._illness()
        for n, check in last_checks:
            yield self._one(check, n)
            illness = self._illness() if is_watched and not self._broken else ""
            if illness:
                self._broken = (
                    f"after the requests of {check.name} the target no longer answers ordinary"
                    f" requests: {illness}"
                )

    def _illness(self) -> str:
        """Return why the target does not answer ordinary requests as usual; empty if it does, or if
        the suite cannot tell.
        """
        health = self.plan.suite.health
        lab = self.lab(HEALTH, len(self.plan.checks))
        try:
            if health is not None:
                health(lab)
        except NotOffered:
            return ""
        except (Blocked, Unmet) as error:
            return str(error)
        finally:
            if not self.keep:
                self._uncleaned.extend(lab.clean_up())
        return ""

    def _one(self, check: Check, serial: int) -> _CheckRun:
        lab = self.lab(check.name, serial, check.outside_profile)
        if self._broken:
            return (
                check,
                lab,
                [block(check, requirement, self._broken) for requirement in check.requirements],
            )
        try:
            return check, lab, run_check(check, lab, tuple(self.plan.suite.invariants.values()))
        finally:
            if lab.looks and not self._broken:
                self._looking.append((check, lab))
            elif not self.keep:
                self._uncleaned.extend(lab.clean_up())

    def _late_looks(self) -> Iterator[CheckEnded]:
        """Run the late looks of checks, some seconds after they ended."""
        for n, (check, lab) in enumerate(self._looking, start=len(self.plan.checks) + 1):
            for requirement, since, look in lab.looks if not self._broken else ():
                time.sleep(max(0.0, since + self.late_seconds - time.monotonic()))
                late = f"looked at again {time.monotonic() - since:.0f} s later"
                looking = self.lab(check.name, n)
                verdicts = [
                    add_remark(v, late)
                    for v in run_check(
                        replace(check, requirements=(requirement,), run=look), looking
                    )
                ]
                self._uncleaned.extend(looking.clean_up())
                yield CheckEnded(check.name, self._keep(verdicts), self._done, self.planned)
            if not self.keep:
                self._uncleaned.extend(lab.clean_up())

    def _clean_up_again(self) -> None:
        """Repeat failed clean-ups, and record leftovers."""
        until = time.monotonic() + CLEANING
        late = f"not tried again: cleaning up took longer than {CLEANING} seconds"
        failures = [
            why
            for cleanup in self._uncleaned
            if (why := cleanup_error(cleanup) if time.monotonic() < until else late)
        ]
        suite, lab = self.plan.suite, self.lab(DISCOVERY, 0)
        lines = self._leftover_lines(failures)
        if lines and suite.clean and not self.keep:
            with contextlib.suppress(Blocked, NotOffered):
                for _ in suite.clean(lab, lab.prefix):
                    if time.monotonic() > until:
                        break
            lines = self._leftover_lines(failures)
        self.leftovers.extend(lines)

    def _leftover_lines(self, failures: list[str]) -> list[str]:
        """Return a line for each object that the exchanges leave on the target, or else each
        clean-up that failed.
        """
        list_leftovers = self.plan.suite.leftovers
        exchanges = (exchange for _, exchange in sorted(self.wire.exchanges.items()))
        return list_leftovers(self.lab(DISCOVERY, 0), exchanges) if list_leftovers else failures

    def results(self) -> dict[str, Result]:
        """Return the result of every judged requirement, in the registry's order."""
        by_requirement: dict[str, list[Verdict]] = {}
        for verdict in self.verdicts:
            by_requirement.setdefault(verdict.requirement, []).append(verdict)
        results = {}
        for requirement in self.plan.suite.contract.requirements:
            if own := by_requirement.get(requirement):
                verdicts = deciding_first(
                    known_failures.flag_passes(own, tuple(self.known_failures)),
                    self.plan.suite.invariants,
                )
                results[requirement] = Result(requirement, verdicts[0].outcome, verdicts)
        return results


def counts(results: Iterable[Result]) -> Counter[Outcome]:
    """Return the number of requirements for each outcome."""
    return Counter(result.outcome for result in results)


#: Exit codes of a run.
CONFORMANT, NOT_CONFORMANT, USAGE, INCOMPLETE = 0, 1, 2, 3


def exit_code(results: Iterable[Result], *, strict: bool = False) -> int:
    """Return 0 for conformant, 1 for not conformant, 3 for incomplete or nothing judged.

    With `strict`, a SHOULD counts like a MUST.
    """
    numbers = counts(results)
    if (
        numbers[Outcome.FAIL]
        or numbers[Outcome.UNEXPECTED_PASS]
        or (strict and numbers[Outcome.WARN])
    ):
        return NOT_CONFORMANT
    if (
        numbers[Outcome.ERROR]
        or numbers[Outcome.BLOCKED]
        or numbers.keys() <= {Outcome.NOT_OFFERED}
    ):
        return INCOMPLETE
    return CONFORMANT
