"""What a check works with: it sends, makes things, judges, and cleans up after itself.

A contract's own lab (`checks/<contract>/lab.py`) adds what can be made there.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import orjson

from lakepact.conformance.exchanges import ANYTHING, Reply
from lakepact.conformance.outcome import Blocked, NotOffered, Outcome, Unmet, Verdict, broken
from lakepact.conformance.target import is_on
from lakepact.generated.contract import Contract

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence

    from lakepact.conformance.exchanges import Exchange
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


class Lab:
    """The bench of one check.

    Args:
        wire: connections to the target.
        contract: what the target is judged by.
        target: who is judged.
        offer: what it declares.
        check: name of the check.
        run: a word that makes the names of this run unlike those of any other.
        serial: number of the check in this run, for unique names.
        races: how many times as often as usual a race is repeated.
        waived: requirements that the check judges and that a profile does not have.
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
        self._names = (f"lp_{run}_{serial}_{n}" for n in itertools.count(1))
        self._cleanups: list[Callable[[], object]] = []
        self._lock = threading.Lock()

    # -- names -------------------------------------------------------------------------------------------------

    def name(self, stem: str = "") -> str:
        """A name that nothing on the target has."""
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
        **arguments: Any,
    ) -> Reply:
        """Send a request for an operation of the contract.

        Args:
            operation: its id.
            body: a JSON value to send.
            content: bytes to send instead, for what is not JSON.
            headers: further headers; an empty value removes one that would be sent.
            query: further query parameters, as they are, also malformed ones.
            declared: False to send it although the target does not declare the operation.
            anonymous: leave out the target's credentials.
            alone: use a connection of its own, to see bytes that should not be there.
            disconnect_after: seconds after which nobody waits for the answer any more, which has the status 0 then.
            method: another method on the operation's path.
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
    ) -> Reply:
        """Send any request; `target` is path and query below the base address, sent as it is."""
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
        )
        with self._lock:
            self.sent.append(reply.exchange.number)
        return reply

    def path(self, operation: Operation | OperationId, **arguments: Any) -> str:
        """The path of an operation below the base address, percent-encoded."""
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
        """The text of a path parameter before it is percent-encoded; a contract's lab says how lists are joined."""
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
        """Whether an optional behaviour of the contract is on."""
        return is_on(self.contract.features[name], self.target, self.offer)

    def repeat(self, usual: int) -> range:
        """The rounds of a race, of which there are so many unless somebody wants more."""
        return range(usual * self._races)

    def concurrently(self, actions: Sequence[Callable[[], T]]) -> list[T]:
        """Run the actions truly side by side, started by one signal; answers in the order of the actions."""
        gate = threading.Barrier(len(actions))

        def start(action: Callable[[], T]) -> T:
            gate.wait(timeout=30)
            return action()

        with ThreadPoolExecutor(len(actions)) as pool:
            return [future.result() for future in [pool.submit(start, action) for action in actions]]

    # -- steps that have to work before anything can be judged ----------------------------------------------------

    def require(self, reply: Reply, *allowed: int) -> Reply:
        """`reply`, if its status is one of `allowed` (200 or 204 unless said otherwise).

        Raises:
            Blocked: it is not.
        """
        if reply.status not in (allowed or (200, 204)):
            raise Blocked(f"{reply.exchange.method} {reply.exchange.operation or reply.exchange.url} was answered with {reply.shown}")
        return reply

    def add_cleanup(self, action: Callable[[], object]) -> None:
        """Do `action` when the check is over, last one first."""
        with self._lock:
            self._cleanups.append(action)

    def clean_up(self) -> list[Callable[[], object]]:
        """Remove what was made; returns what could not be done, to be tried again when all others have cleaned up."""
        undone: list[Callable[[], object]] = []
        while self._cleanups:
            action = self._cleanups.pop()
            if cleanup_error(action):
                undone.append(action)
        return undone

    # -- judging -----------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def judge(self, *requirements: str, remark: str = "") -> Generator[None]:
        """Judge requirements by what happens inside: kept, unless an expectation is unmet.

        Args:
            requirements: their ids.
            remark: what a reader should know although the requirement is kept.
        """
        try:
            yield
        except Unmet as unmet:
            for requirement in (r for r in requirements if r not in self._waived):
                outcome = broken(self.contract.requirements[requirement])
                self._record(requirement, outcome, expected=unmet.expected, actual=unmet.actual, shows=unmet.exchange)
        else:
            for requirement in requirements:
                self._record(requirement, Outcome.PASS, remark=remark)

    def warn(self, requirement: str, *, expected: str, actual: str) -> None:
        """Say that a requirement is kept in a way that a reader should look at."""
        self._record(requirement, Outcome.WARN, expected=expected, actual=actual)

    def note(self, requirement: str, remark: str) -> None:
        """Say that a requirement is kept, and how."""
        self._record(requirement, Outcome.PASS, remark=remark)

    def skip(self, requirement: str, why: str) -> None:
        """Say that a requirement is about something that the target does not have."""
        self._record(requirement, Outcome.NOT_OFFERED, remark=why)

    def trail(self, shows: int | None = None) -> tuple[int, ...]:
        """Numbers of the exchanges that lead to one, the last one by default, and of it itself: what changed something before it."""
        last = shows or max(self.sent, default=0)
        return tuple(n for n in self.sent if n == last or (n < last and self.changes(self.wire.exchanges[n])))

    def changes(self, exchange: Exchange) -> bool:
        """Whether an exchange may have changed something on the target; a contract's lab knows of methods that only read."""
        return exchange.method not in {"GET", "HEAD"} and (200 <= exchange.status < 300 or exchange.status == 0)

    def _record(
        self, requirement: str, outcome: Outcome, *, expected: str = "", actual: str = "", remark: str = "", shows: int | None = None
    ) -> None:
        if requirement in self._waived:
            return
        if outcome is Outcome.PASS and expected:
            remark, expected, actual = f"may: {expected}; {actual}", "", ""
        with self._lock:
            self.verdicts.append(Verdict(requirement, outcome, self.check, expected, actual, remark, self.trail(shows)))


def accepted(operation: Operation) -> str:
    """The media types that an operation is documented to be answered in, as an `Accept` header names them."""
    return ", ".join(dict.fromkeys(a.media_type for a in operation.answers.values() if a.media_type)) or ANYTHING


def _names(headers: Iterable[tuple[str, str]], name: str) -> bool:
    return any(given.lower() == name.lower() for given, _ in headers)


def _query_text(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def cleanup_error(cleanup: Callable[[], object]) -> str:
    """Remove something, and say why it stays; nothing if it is gone."""
    try:
        done = cleanup()
    except (Blocked, NotOffered, Unmet) as hindered:
        return str(hindered)
    if isinstance(done, Reply) and done.status >= 400 and done.status != 404:
        return f"{done.exchange.method} {done.exchange.url} was answered with {done.shown}"
    return ""
