"""The lab of one check of a client: it starts tasks against the scripted server, and records
verdicts.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import orjson

from lakepact.conformance.clients.expect import excerpt, true
from lakepact.conformance.evidence.exchanges import Exchange, Members
from lakepact.conformance.evidence.outcome import Blocked, NotOffered, StepFailed, Unmet
from lakepact.conformance.evidence.target import Offer, Target
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.judging.lab import Lab
from lakepact.conformance.programs.program import PAGE, Ended, Program
from lakepact.conformance.programs.scripted_server import Request, Script, ScriptedServer, as_it_is
from lakepact.generated.contract import Contract, OperationId


@dataclass(frozen=True, kw_only=True)
class Client(Target):
    """A client to check; its address is that of the server behind the scripted server.

    Args:
        program: performs tasks with the client.
        login: the Authorization that it has to send, if not that of the server.
    """

    program: Program
    login: str = field(default="", repr=False)
    side: ClassVar[str] = "client"


@dataclass(frozen=True)
class Performance(Ended):
    """A task that has ended, with its exchanges."""

    exchanges: tuple[Exchange, ...] = ()

    def meets(self, condition: bool, expected: str) -> None:  # noqa: FBT001
        """Expect that a condition holds of the result."""
        true(condition, expected, self.outcome)

    def require(self, *operations: OperationId) -> tuple[Exchange, ...]:
        """Return the exchanges of some operations.

        Raises:
            NotOffered: there are none.
        """
        if exchanges := self.of(*operations):
            return exchanges
        raise NotOffered(f"the client sends no {' or '.join(sorted(operations))}")

    def of(self, *operations: OperationId) -> tuple[Exchange, ...]:
        """Return the exchanges of some operations."""
        return tuple(exchange for exchange in self.exchanges if exchange.operation in operations)


class ClientLab(Lab):
    """The lab of one check of clients."""

    target: Client
    tasks: ClassVar[
        Mapping[str, str]
    ] = {}  #: the tasks of clients, and the arguments of each other than the server
    own_changes = 0  #: tasks, and changes that the lab makes itself

    @property
    def server(self) -> ScriptedServer:
        """The scripted server of this run."""
        return self.wire.shared_resource(
            "scripted server",
            lambda: ScriptedServer(
                self.contract, self.target.url, self.wire, forwarded=self.request_for_server
            ).open(),
        )

    def request_for_server(self, request: Request) -> Request:
        """Return a request for the server behind the scripted server."""
        return request

    def arguments(self, url: str, arguments: Members) -> Members:
        """Return the arguments of a task; each contract names the server in its own way."""
        return {"url": url, **arguments}

    def observe(
        self, task: str, script: Script, arguments: Members
    ) -> tuple[Script, Callable[[Performance], None]]:
        """Return the script of a task, and the judge of its performance."""
        del task, arguments
        return script, lambda _: None

    def performs(
        self, task: str, script: Script = as_it_is, *, prefix: str = "", **arguments: Any
    ) -> Performance:
        """Let the client perform a task.

        Args:
            task: its name.
            script: answers the client's requests.
            prefix: the prefix of the catalog's paths.
            arguments: of the task.

        Raises:
            NotOffered: the client does not implement the task.
            Blocked: the server behind the scripted server failed.
        """
        self.own_changes += 1
        is_scripted = script is not as_it_is
        script, judge = self.observe(task, script, arguments)
        with self.server.task(self.check, script, prefix=prefix) as server:
            end = self.target.program.run(
                task, self.arguments(server.url, arguments), is_scripted=is_scripted
            )
        exchanges = tuple(sorted(server.exchanges, key=lambda exchange: exchange.number))
        performance = Performance(**vars(end), exchanges=exchanges)
        self.show(performance)
        if server.failure is not None:
            raise server.failure
        judge(performance)
        return performance

    def show(self, performance: Performance) -> None:
        """Make the exchanges of a task the evidence of the next verdict, instead of those of the
        last task.
        """
        with self._lock:
            self.sent = [exchange.number for exchange in performance.exchanges]

    def tries(self, task: str, script: Script = as_it_is, **arguments: Any) -> Performance | None:
        """Let the client perform a task; return None if it does not implement the task."""
        try:
            return self.performs(task, script, **arguments)
        except NotOffered:
            return None

    def does(self, task: str, expected: Any = None, **arguments: Any) -> None:
        """Require that the client performs a task with an unchanged server, so that a later failure
        is due to the script.

        Raises:
            StepFailed: the client fails, or prints something else than `expected`.
            NotOffered: it does not implement the task.
        """
        performance = self.server.once(
            orjson.dumps([task, arguments]).decode(), lambda: self.performs(task, **arguments)
        )
        self.require_success(performance, expected)

    def require_success(self, performance: Performance, expected: Any = None) -> Performance:
        """Return a performance with an unchanged server, which must succeed.

        Raises:
            StepFailed: the client failed, or printed something else than `expected`.
            Blocked: it took too long.
        """
        if performance.is_late:
            raise Blocked(
                f"{performance.text}, with an unchanged server; it may need a longer --timeout"
            )
        try:
            with self.step(self.implicit_requirements[0]):
                if not (performance.is_done if expected is None else performance.prints(expected)):
                    self.show(performance)
                    what = "to succeed" if expected is None else f"to return {excerpt(expected)}"
                    raise Unmet(
                        f"{performance.task} {what} with an unchanged server", performance.outcome
                    )
        except StepFailed as step:
            self.fail_step(step)
            raise
        return performance

    def trail(self, shows: int | None = None) -> tuple[int, ...]:
        """Return the number of the exchange that shows a failure, or by default those of the last
        task.
        """
        return tuple(self.sent) if shows is None else (shows,)

    def evidence(self, unmet: Unmet) -> tuple[int, ...]:
        """Return the exchange that shows an unmet expectation, or those of the last task: responses
        here are not the client's.
        """
        return self.trail(unmet.exchange)


def everything(lab: type[ClientLab], contract: Contract, wire: Wire, target: Target) -> Offer:
    """Return the offer for clients: all operations and features, which scripts provide.

    Raises:
        Blocked: the program answers nothing to a first task, with an unchanged server.
    """
    offer = Offer(
        operations=frozenset(contract.operations), features=dict.fromkeys(contract.features, True)
    )
    if isinstance(target, Client) and not target.program.command:
        return offer  # a person performs the tasks
    first = lab(wire, contract, target, offer=offer, check="discover", run="first", serial=0)
    with contextlib.suppress(NotOffered):
        performance = first.performs(next(iter(lab.tasks)))
        if not performance.is_done and not performance.error:
            raise Blocked(f"the program answers no task: {performance.text}; {PAGE}")
    return offer
