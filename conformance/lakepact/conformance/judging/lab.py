"""The tools of one check: it sends requests, records verdicts and removes what it created.

A contract's lab (`checks/<contract>/lab.py`) adds methods that create its objects.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import orjson

from lakepact.conformance.exchanges import ANYTHING, Reply
from lakepact.conformance.judging import loops
from lakepact.conformance.outcome import Blocked, Failure, NotOffered, Outcome, StepFailed, Unmet, Verdict, broken
from lakepact.conformance.target import is_on
from lakepact.generated.contract import Contract

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence

    from lakepact.conformance.exchanges import Exchange
    from lakepact.conformance.outcome import Mutation
    from lakepact.conformance.target import Offer, Target
    from lakepact.conformance.wire import Wire
    from lakepact.generated.contract import Operation, OperationId

T = TypeVar("T")


@cache
def operations_of(contract: str) -> frozenset[str]:
    """Return the operations of all versions of a contract, and of the contract that it is a profile of."""
    own = Contract(contract)
    found = frozenset(operation for version in own.versions for operation in Contract(contract, version).operations)
    return found | operations_of(own.profile_of) if own.profile_of else found


@cache
def requirements_of(contract: str) -> frozenset[str]:
    """Return the ids of the requirements of all versions of a contract, and of the contract that it is a profile of."""
    own = Contract(contract)
    found = frozenset(requirement for version in own.versions for requirement in Contract(contract, version).requirements)
    return found | requirements_of(own.profile_of) if own.profile_of else found


class Lab:
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
        waived: requirements that the check judges and the profile does not have.
    """

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
        waived: frozenset[str] = frozenset(),
    ) -> None:
        self.wire = wire
        self.contract = contract
        self.target = target
        self.offer = offer
        self.check = check
        self._races = races
        self._waived = waived
        self.verdicts: list[Verdict] = []
        self.sent: list[int] = []
        self.sites: list[tuple[str, loops.Site]] = []  #: where each requirement was judged
        self.unsound: list[StepFailed] = []  #: steps that were accepted without effect; what fails because of them is blocked
        self.accepted_wrongly: list[int] = []  #: exchanges with requests that should have been refused
        self._together = 0  # actions that run at the same time
        self._names = (f"lp_{run}_{serial}_{n}" for n in itertools.count(1))
        self._cleanups: list[Callable[[], object]] = []
        self._lock = threading.Lock()

    # -- names -------------------------------------------------------------------------------------------------

    def name(self, stem: str = "") -> str:
        """Return a name that is unused on the target."""
        with self._lock:
            return next(self._names) + (f"_{stem}" if stem else "")

    # -- sending -----------------------------------------------------------------------------------------------

    def send(
        self,
        operation: OperationId,
        *,
        body: Any = None,
        content: bytes | None = None,
        headers: Iterable[tuple[str, str]] = (),
        query: Iterable[tuple[str, str]] = (),
        declared: bool = True,
        anonymous: bool = False,
        alone: bool = False,
        disconnect_after: float | None = None,
        method: str | None = None,
        retry: bool = True,
        **arguments: Any,
    ) -> Reply:
        """Send a request for an operation of the contract.

        Args:
            operation: its id.
            body: a JSON value to send.
            content: bytes to send instead of JSON.
            headers: further headers; an empty value removes a header.
            query: further query parameters, sent unchanged even if malformed.
            declared: False sends the request even if the target does not declare the operation.
            anonymous: leave out the target's credentials.
            alone: use a connection of its own, which shows unexpected bytes.
            disconnect_after: seconds after which the connection is closed; the reply then has status 0.
            method: another method than the operation's.
            retry: send again what returns 429 or 503.
            arguments: parameters by their Python names; `None` leaves one out.

        Raises:
            NotOffered: the target does not declare the operation, or this version of the contract does not have it.
            LookupError: no version of the contract has the operation: the check misspells it.
            Blocked: no answer came.
        """
        known = self.contract.operations.get(operation)
        if known is None:
            if operation not in operations_of(self.contract.name):
                raise LookupError(f"no version of {self.contract.name} has an operation {operation!r}")
            raise NotOffered(f"{self.contract.name} has no operation {operation}")
        if declared and not self.offers(operation):
            raise NotOffered(f"the target does not declare {operation}")
        payload = content if content is not None else (b"" if body is None else orjson.dumps(body))
        sent = list(headers)
        if (payload or known.body) and (method or known.method) not in {"GET", "HEAD"} and not _names(sent, "content-type"):
            sent.append(("Content-Type", known.body_media_type or "application/json"))
        sent += [
            (p.name, str(arguments[p.argument]))
            for p in known.parameters
            if p.where == "header" and arguments.get(p.argument) is not None and not _names(sent, p.name)
        ]
        return self.send_raw(
            method or known.method,
            self.path(known, **arguments) + self._query(known, arguments, query),
            headers=sent,
            content=payload,
            operation=operation,
            anonymous=anonymous,
            alone=alone,
            disconnect_after=disconnect_after,
            retry=retry,
        )

    def send_raw(
        self,
        method: str,
        target: str,
        *,
        headers: Iterable[tuple[str, str]] = (),
        content: bytes = b"",
        operation: OperationId | None = None,
        anonymous: bool = False,
        alone: bool = False,
        disconnect_after: float | None = None,
        retry: bool = True,
    ) -> Reply:
        """Send a request; `target` is its path and query below the base address, sent unchanged."""
        reply = self.wire.send(
            method,
            target,
            headers=headers,
            body=content,
            operation=operation,
            check=self.check,
            anonymous=anonymous,
            alone=alone,
            disconnect_after=disconnect_after,
            accepts=accepted(self.contract.operations[operation]) if operation else ANYTHING,
            retry=retry,
        )
        with self._lock:
            self.sent.append(reply.exchange.number)
        if self._together or disconnect_after is not None:
            self.wire.concurrent.add(reply.exchange.number)
        return reply

    def path(self, operation: Operation | OperationId, **arguments: Any) -> str:
        """Return the path of an operation below the base address, percent-encoded."""
        known = self.contract.operations[operation] if isinstance(operation, str) else operation
        path = known.path
        for parameter in known.parameters:
            if parameter.where != "path":
                continue
            hole = "{" + parameter.name + "}"
            if parameter.name in self.offer.segments and parameter.argument not in arguments:
                fixed = self.offer.segments[parameter.name]
                path = path.replace("/" + hole, "" if fixed is None else "/" + fixed)
            else:
                path = path.replace(hole, quote(self.segment(parameter.name, arguments[parameter.argument]), safe=""))
        return path

    def segment(self, parameter: str, value: Any) -> str:  # noqa: ARG002 - a contract's lab may treat parameters differently
        """Return the text of a path parameter before percent-encoding; a contract's lab joins lists."""
        return str(value)

    def _query(self, operation: Operation, arguments: dict[str, Any], further: Iterable[tuple[str, str]]) -> str:
        pairs = [
            (p.name, self.segment(p.name, _query_text(arguments[p.argument])))
            for p in operation.parameters
            if p.where == "query" and arguments.get(p.argument) is not None
        ]
        encoded = [f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in (*pairs, *further)]
        return "?" + "&".join(encoded) if encoded else ""

    def offers(self, operation: OperationId) -> bool:
        """Return whether the target declares the operation.

        Raises:
            LookupError: no version of the contract has the operation.
        """
        if operation not in operations_of(self.contract.name):
            raise LookupError(f"no version of {self.contract.name} has an operation {operation!r}")
        return operation in self.offer.operations

    def feature(self, name: str) -> bool:
        """Return whether an optional feature of the contract is on."""
        return is_on(self.contract.features[name], self.target, self.offer)

    def repeat(self, usual: int) -> range:
        """Return the rounds of a race: `usual`, multiplied by `--race-repeat`."""
        return range(usual * self._races)

    def concurrently(self, actions: Sequence[Callable[[], T]]) -> list[T]:
        """Start all actions at the same moment, each in a thread; return their results in the same order."""
        gate = threading.Barrier(len(actions))

        def start(action: Callable[[], T]) -> T:
            gate.wait(timeout=30)
            return action()

        self._together += 1
        try:
            with ThreadPoolExecutor(len(actions)) as pool:
                return [future.result() for future in [pool.submit(start, action) for action in actions]]
        finally:
            self._together -= 1

    # -- steps that have to succeed before a requirement can be judged ----------------------------------------------------

    def require(self, reply: Reply, *allowed: int) -> Reply:
        """Return `reply` if its status is one of `allowed` (by default 200 and 204).

        Raises:
            Blocked: the status is another one.
        """
        if reply.status not in (allowed or (200, 204)):
            raise Blocked(f"{reply.exchange.method} {reply.exchange.operation or reply.exchange.url} returned {reply.shown}")
        self.wire.required.add(reply.exchange.number)
        return reply

    @contextlib.contextmanager
    def step(self, requirement: str) -> Generator[None]:
        """Check a set-up step by the expectations of the block, under the requirement that it belongs to.

        In a block of `judge`, only that judgement is blocked.

        Args:
            requirement: the id of the requirement that the step needs.

        Raises:
            StepFailed: the target does not meet them.
            LookupError: no version of the contract has the requirement.
        """
        if requirement not in requirements_of(self.contract.name):
            raise LookupError(f"no version of {self.contract.name} has a requirement {requirement!r}")
        before = len(self.sent)
        try:
            yield
            self.wire.required.update(self.sent[before:])
        except Unmet as unmet:
            self._note_acceptance(unmet)
            raise StepFailed(requirement, unmet) from unmet

    def uses_files(self) -> None:
        """Note that the check reads or writes files of the server: its requests alone do not repeat it."""
        self.wire.file_users.add(self.check)

    def add_cleanup(self, action: Callable[[], object]) -> None:
        """Run `action` after the check; the last one that was added runs first."""
        with self._lock:
            self._cleanups.append(action)

    def clean_up(self) -> list[Callable[[], object]]:
        """Remove what the check created; return the actions that failed, for a second try at the end of the run."""
        undone: list[Callable[[], object]] = []
        while self._cleanups:
            action = self._cleanups.pop()
            if cleanup_error(action):
                undone.append(action)
        return undone

    # -- judging -----------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def judge(self, *requirements: str, remark: str = "") -> Generator[Cases]:
        """Judge requirements by the block: they pass unless it raises `Unmet`.

        The block is one case; each `with case():` in it is a further one, where `case` is what this yields.

        Args:
            requirements: their ids.
            remark: a note for the reader of a passed requirement.
        """
        with self.judge_each(*requirements, remark=remark) as cases, cases():
            yield cases

    @contextlib.contextmanager
    def judge_each(self, *requirements: str, remark: str = "", without: str = "") -> Generator[Cases]:
        """Judge requirements by each `with case():` of the block, also after one that fails.

        Args:
            requirements: their ids.
            remark: a note for the reader of a passed requirement.
            without: why a conformant target may have no case: then the requirement is not offered. By default it is blocked.
        """
        cases = Cases(self.trail, self._note_acceptance, requirements, self.blocking)
        here = loops.site()
        self.sites.extend((requirement, here) for requirement in requirements)
        try:
            yield cases
        except NotOffered:
            raise
        except (Blocked, Unmet) as ended:
            cases.blocked.append(f"the check ended before it had judged every case: {ended}")
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

    def warn(self, requirement: str, *, expected: str, actual: str) -> None:
        """Record a warning for a requirement."""
        failure = Failure(expected, actual, self.trail())
        self._keep(Verdict.of_failures(requirement, Outcome.WARN, self.check, failures=(failure,)))

    def note(self, requirement: str, remark: str) -> None:
        """Record that a requirement passes, with a remark."""
        self._record(requirement, Outcome.PASS, remark=remark)

    def skip(self, requirement: str, why: str) -> None:
        """Record that the target does not offer the subject of a requirement."""
        self._record(requirement, Outcome.NOT_OFFERED, remark=why)

    def trail(self, shows: int | None = None) -> tuple[int, ...]:
        """Return the number of an exchange (the last one by default) after those of the earlier exchanges that changed something."""
        last = shows or max(self.sent, default=0)
        return tuple(n for n in self.sent if n == last or (n < last and self.changes(self.wire.exchanges[n])))

    def changes(self, exchange: Exchange) -> bool:
        """Return whether an exchange may have changed the target's state; a contract's lab excludes operations that only read."""
        return exchange.method not in {"GET", "HEAD"} and (200 <= exchange.status < 300 or exchange.status == 0)

    def blocking(self, unmet: Unmet) -> StepFailed | None:
        """Return an earlier step without effect that may be why an expectation is not met."""
        steps = (step for step in self.unsound if step.decides_statuses or not unmet.expected_status)
        return next(steps, None)

    def fail_step(self, step: StepFailed) -> None:
        """Record that the check ended by a step which breaks a requirement that the check judges."""
        unmet = step.unmet
        failure = unmet.failure(self.trail(unmet.exchange))
        outcome = broken(self.contract.requirements[step.requirement])
        self._keep(Verdict.of_failures(step.requirement, outcome, self.check, failures=(failure,)))

    def _conclude(self, requirement: str, cases: Cases, remark: str) -> None:
        """Record the verdict of judged cases; a case that a failed step blocks keeps the requirement from passing."""
        if not (cases.judged or cases.blocked) or requirement in self._waived:
            return
        outcome = broken(self.contract.requirements[requirement]) if cases.failures else Outcome.PASS
        if outcome is Outcome.PASS and cases.blocked:
            why = "; ".join(dict.fromkeys(cases.blocked))
            self._keep(
                Verdict(requirement, Outcome.BLOCKED, self.check, actual=why, remark=why, exchanges=self.trail(), judged=cases.judged)
            )
        elif outcome is Outcome.PASS:
            first = cases.failures[0] if cases.failures else None
            self._record(requirement, outcome, remark=f"may: {first.expected}; {first.actual}" if first else remark, judged=cases.judged)
        else:
            self._keep(Verdict.of_failures(requirement, outcome, self.check, failures=tuple(cases.failures), judged=cases.judged))

    def disown(self, exchange: Exchange) -> None:
        """Keep invariants from judging what a request left behind that should have been refused, if it was accepted."""
        if 200 <= exchange.status < 300:
            with self._lock:
                self.accepted_wrongly.append(exchange.number)

    def _note_acceptance(self, unmet: Unmet) -> None:
        """Disown a request that was accepted although a requirement demands a refusal."""
        number = unmet.exchange or max(self.sent, default=0)
        if unmet.refusal and number in self.wire.exchanges:
            self.disown(self.wire.exchanges[number])

    def _record(self, requirement: str, outcome: Outcome, *, remark: str, judged: int = 1) -> None:
        self._keep(Verdict(requirement, outcome, self.check, remark=remark, exchanges=self.trail(), judged=judged))

    def _keep(self, verdict: Verdict) -> None:
        if verdict.requirement not in self._waived:
            with self._lock:
                self.verdicts.append(verdict)


class Cases:
    """The cases of one judgement: `with case():` judges one; if it raises `Unmet`, the next is judged all the same.

    Args:
        trail: returns the numbers of the exchanges that lead to the exchange with a number, or to the last one.
        noticed: is called with each expectation that is not met.
        requirements: the requirements that are judged; a step that breaks one of them is a failure.
        blocking: returns the earlier step that explains an expectation which is not met, if one does.
    """

    def __init__(
        self,
        trail: Callable[[int | None], tuple[int, ...]],
        noticed: Callable[[Unmet], None],
        requirements: tuple[str, ...] = (),
        blocking: Callable[[Unmet], StepFailed | None] = lambda _: None,
    ) -> None:
        self._trail = trail
        self._noticed = noticed
        self._requirements = requirements
        self._blocking = blocking
        self.judged = 0
        self.failures: list[Failure] = []
        self.blocked: list[str] = []  #: reasons of cases that a failed step keeps from being judged

    @contextlib.contextmanager
    def __call__(self, mutation: Mutation | None = None) -> Generator[None]:
        """Judge the block as one case.

        Args:
            mutation: the change that makes the request of the case invalid.
        """
        try:
            yield
        except StepFailed as step:
            if step.requirement not in self._requirements:
                self.blocked.append(str(step))
                return
            self._fail(step.unmet, mutation)
        except Unmet as unmet:
            self._noticed(unmet)
            cause = self._blocking(unmet)
            if cause is not None and cause.requirement not in self._requirements:
                self.blocked.append(str(cause))
                return
            self._fail(unmet, mutation)
        self.judged += 1

    def _fail(self, unmet: Unmet, mutation: Mutation | None) -> None:
        self.failures.append(replace(unmet.failure(self._trail(unmet.exchange)), mutation=mutation))


def accepted(operation: Operation) -> str:
    """Return the documented media types of an operation's responses as an `Accept` header."""
    return ", ".join(dict.fromkeys(a.media_type for a in operation.answers.values() if a.media_type)) or ANYTHING


def _names(headers: Iterable[tuple[str, str]], name: str) -> bool:
    return any(given.lower() == name.lower() for given, _ in headers)


def _query_text(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def cleanup_error(cleanup: Callable[[], object]) -> str:
    """Run a cleanup and return why it failed; empty if it succeeded or the object was already gone."""
    try:
        done = cleanup()
    except (Blocked, NotOffered, Unmet) as hindered:
        return str(hindered)
    if isinstance(done, Reply) and done.status >= 400 and done.status != 404:
        return f"{done.exchange.method} {done.exchange.url} returned {done.shown}"
    return ""
