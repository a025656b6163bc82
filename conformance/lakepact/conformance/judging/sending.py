"""The requests of one check: their names, paths and headers, and which of them lead to an
answer.
"""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, ClassVar, TypeVar
from urllib.parse import quote, unquote

import orjson

from lakepact.conformance.evidence.exchanges import ANYTHING, Document, Exchange, Reply
from lakepact.conformance.evidence.object_names import USUAL, prefix_of
from lakepact.conformance.evidence.outcome import LOWEST_ERROR, NotOffered
from lakepact.conformance.evidence.target import Offer, Target, is_on
from lakepact.conformance.http.wire import Wire
from lakepact.generated.contract import Contract, Operation, OperationId

T = TypeVar("T")

READS = frozenset({"GET", "HEAD"})


@cache
def all_versions(contract: str) -> tuple[Contract, ...]:
    """Return all versions of a contract, and of the contract that it is a profile of."""
    own = Contract(contract)
    versions = tuple(Contract(contract, version) for version in own.versions)
    return versions + all_versions(own.profile_of) if own.profile_of else versions


class Sender:
    """Sends the requests of one check; `Lab` describes the arguments."""

    divider: ClassVar[str] = USUAL  #: of the parts of names

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
    ) -> None:
        self.wire = wire
        self.contract = contract
        self.target = target
        self.offer = offer
        self.check = check
        self.sent: list[int] = []
        self._races = races
        self._together = 0  # actions that run at the same time
        self.prefix = prefix_of(run, divider=self.divider)  #: of the names of the run's objects
        first = f"{self.prefix}{serial}{self.divider}"
        self._names = (f"{first}{n}" for n in itertools.count(1))
        self._named = re.compile(rf"{re.escape(first)}\d+")
        self._lock = threading.Lock()

    def name(self, stem: str = "") -> str:
        """Return a name that is unused on the target."""
        with self._lock:
            return next(self._names) + (f"{self.divider}{stem}" if stem else "")

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
            disconnect_after: seconds after which the connection is closed; the reply then has
                status 0.
            method: another method than the operation's.
            retry: send again what returns 429 or 503.
            arguments: parameters by their Python names; `None` leaves one out.

        Raises:
            NotOffered: the target does not declare the operation, or this version of the contract
                does not have it.
            LookupError: no version of the contract has the operation: the check misspells it.
            Blocked: no answer came.
        """
        is_declared = self.offers(operation)
        definition = self.contract.operations.get(operation)
        if definition is None:
            raise NotOffered(f"{self.contract.name} has no operation {operation}")
        if declared and not is_declared:
            raise NotOffered(f"the target does not declare {operation}")
        payload = content if content is not None else (b"" if body is None else orjson.dumps(body))
        all_headers = list(headers)
        if (
            (payload or definition.body)
            and (method or definition.method) not in {"GET", "HEAD"}
            and not _names(all_headers, "content-type")
        ):
            all_headers.append(("Content-Type", definition.body_media_type or "application/json"))
        all_headers += [
            (p.name, str(arguments[p.argument]))
            for p in definition.parameters
            if p.where == "header"
            and arguments.get(p.argument) is not None
            and not _names(all_headers, p.name)
        ]
        return self.send_raw(
            method or definition.method,
            self.path(definition, **arguments) + self._query(definition, arguments, query),
            headers=all_headers,
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
            accepts=accept_header(self.contract.operations[operation]) if operation else ANYTHING,
            retry=retry,
            objects=frozenset(
                self._named.findall(unquote(target) + content.decode(errors="replace"))
            ),
        )
        with self._lock:
            self.sent.append(reply.exchange.number)
        if self._together or disconnect_after is not None:
            self.wire.concurrent.add(reply.exchange.number)
        return reply

    def path(self, operation: Operation | OperationId, **arguments: Any) -> str:
        """Return the path of an operation below the base address, percent-encoded."""
        definition = (
            self.contract.operations[operation] if isinstance(operation, str) else operation
        )
        path = definition.path
        for parameter in definition.parameters:
            if parameter.where != "path":
                continue
            hole = "{" + parameter.name + "}"
            if parameter.name in self.offer.segments and parameter.argument not in arguments:
                fixed = self.offer.segments[parameter.name]
                path = path.replace("/" + hole, "" if fixed is None else "/" + fixed)
            else:
                path = path.replace(
                    hole,
                    quote(self.segment(parameter.name, arguments[parameter.argument]), safe=""),
                )
        return path

    def segment(self, parameter: str, value: Any) -> str:  # noqa: ARG002 - a contract's lab may treat parameters differently
        """Return the text of a path parameter before percent-encoding; a contract's lab joins
        lists.
        """
        return str(value)

    def _query(
        self, operation: Operation, arguments: Document, further: Iterable[tuple[str, str]]
    ) -> str:
        pairs = [
            (p.name, self.segment(p.name, _query_text(arguments[p.argument])))
            for p in operation.parameters
            if p.where == "query" and arguments.get(p.argument) is not None
        ]
        fields = [
            f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in (*pairs, *further)
        ]
        return "?" + "&".join(fields) if fields else ""

    def offers(self, operation: OperationId) -> bool:
        """Return whether the target declares the operation.

        Raises:
            LookupError: no version of the contract has the operation.
        """
        if not any(operation in version.operations for version in all_versions(self.contract.name)):
            raise LookupError(f"no version of {self.contract.name} has an operation {operation!r}")
        return operation in self.offer.operations

    def feature(self, name: str) -> bool:
        """Return whether an optional feature of the contract is on."""
        return is_on(self.contract.features[name], self.target, self.offer)

    def repeat(self, usual: int) -> range:
        """Return the rounds of a race: `usual`, multiplied by `--race-repeat`."""
        return range(usual * self._races)

    def concurrently(self, actions: Sequence[Callable[[], T]]) -> list[T]:
        """Start all actions at the same moment, each in a thread; return their results in the same
        order.
        """
        gate = threading.Barrier(len(actions))

        def start(action: Callable[[], T]) -> T:
            gate.wait(timeout=30)
            return action()

        self._together += 1
        try:
            with ThreadPoolExecutor(len(actions)) as pool:
                return [
                    future.result() for future in [pool.submit(start, action) for action in actions]
                ]
        finally:
            self._together -= 1

    def trail(self, shows: int | None = None) -> tuple[int, ...]:
        """Return the number of an exchange (the last one by default) after those of the earlier
        exchanges that changed something.

        A request that was refused, or failed, may have changed something too: it counts if only
        reads follow it.
        """
        last = shows or (self.sent[-1] if self.sent else 0)
        exchanges = self.wire.exchanges
        before = max(
            (n for n in self.sent if n < last and exchanges[n].method not in READS), default=0
        )
        unsure = before if before and exchanges[before].status >= LOWEST_ERROR else 0
        return tuple(
            n
            for n in self.sent
            if n == last or (n < last and (n == unsure or self.changes(exchanges[n])))
        )

    def changes(self, exchange: Exchange) -> bool:
        """Return whether an exchange may have changed the target's state; a contract's lab excludes
        operations that only read.
        """
        return exchange.method not in READS and (
            200 <= exchange.status < 300 or exchange.status == 0
        )


def accept_header(operation: Operation) -> str:
    """Return the documented media types of an operation's responses as an `Accept` header."""
    return (
        ", ".join(dict.fromkeys(a.media_type for a in operation.answers.values() if a.media_type))
        or ANYTHING
    )


def _names(headers: Iterable[tuple[str, str]], name: str) -> bool:
    return any(header.lower() == name.lower() for header, _ in headers)


def _query_text(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value
