# Made by codegen.sync_twin from asynchronous/connection.py beside this folder. Do not edit: nox -s generate
"""The driver of the engine for threads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, TypeVar

from lakepact.client.spans import request_span
from lakepact.reach.wire import Interrupted, Lost, Pause, Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lakepact.client.engine import Carried, Engine, Flow
    from lakepact.client.errors import Failure
    from lakepact.client.etag_cache import EtagCache
    from lakepact.client.limits import Timeouts
    from lakepact.client.retries import Retries
    from lakepact.client.transport.synchronous.transport import Transport
    from lakepact.generated.contract import Call
    from lakepact.reach.wire import Request

T = TypeVar("T")


class Opened:
    """A reply whose body is read piece by piece; it has to be closed unless it was read to its
    end.
    """

    def __init__(self, result: Carried[Any]) -> None:
        self._carried = result

    def header(self, name: str) -> str | None:
        """Return the first header of that name."""
        return self._carried.reply.header(name)

    @property
    def status(self) -> int:
        """The status of the reply."""
        return self._carried.reply.status

    def failure(self, message: str) -> Failure:
        """Return the part of an invalid body for an error."""
        return self._carried.failure(message)

    def __iter__(self) -> Iterator[bytes]:
        """Yield the pieces of the body, each as it arrives.

        Raises:
            Unreachable: The reply broke off.
            BadReply: Its coding is broken.
        """
        try:
            yield from self._carried.reply.body
        except Interrupted as interruption:
            raise self._carried.interruption(interruption.lost) from interruption.lost.cause

    def close(self) -> None:
        """Read no more of it."""
        self._carried.reply.body.close()


class Connection:
    """Makes calls and awaits them."""

    def __init__(
        self, engine: Engine, transport: Transport, sleep: Callable[[float], None]
    ) -> None:
        self.address = engine.address
        self.limits = transport.limits
        self._engine = engine
        self._transport = transport
        self._sleep = sleep

    def with_options(
        self,
        *,
        retries: Retries | None = None,
        timeouts: Timeouts | None = None,
        on_reply: Callable[[Reply], object] | None = None,
    ) -> Self:
        """Return the same connection with other options of its calls."""
        engine = replace(
            self._engine,
            retries=retries or self._engine.retries,
            on_reply=on_reply or self._engine.on_reply,
        )
        return type(self)(
            engine,
            self._transport.with_timeouts(timeouts) if timeouts else self._transport,
            self._sleep,
        )

    def move(self, address: str) -> None:
        """Send further calls to another address."""
        self.address = address
        self._engine = replace(self._engine, address=address)

    def send(self, call: Call[T]) -> T:
        """Make one call, see `Engine.send`."""
        return self.drive(self._engine.send(call), call.operation)

    def send_conditionally(
        self, call: Call[T], memory: EtagCache, may_store: Callable[[T], bool]
    ) -> T:
        """Make one call, or learn that its reply is known already, see
        `Engine.send_unless_known`.
        """
        return self.drive(self._engine.send_conditionally(call, memory, may_store), call.operation)

    def authorization(self, call: Call[Any]) -> str | None:
        """Return the header that authorizes a call, see `Engine.authorization`."""
        return self.drive(self._engine.authorization(call), call.operation)

    def pause(self, seconds: float) -> None:
        """Wait between two calls."""
        self._sleep(seconds)

    def reply(self, call: Call[Any]) -> Reply:
        """Make one call and return its reply as it came, see `Engine.carry`."""
        return (self.drive(self._engine.carry(call), call.operation)).reply

    def open(self, call: Call[Any]) -> Opened:
        """Make one call and leave the body of its reply to be read, see `Engine.carry`."""
        return Opened(self.drive(self._engine.carry(call, is_streamed=True), call.operation))

    def drive(self, flow: Flow[T], operation: str) -> T:
        """Return the result of a flow of requests and pauses, which make a call of `operation`."""
        answer: Reply | Lost | None = None
        requests: list[Request] = []
        while True:
            try:
                step = flow.send(answer)
            except StopIteration as end:
                result: T = end.value
                return result
            if isinstance(step, Pause):
                self._sleep(step.seconds)
                answer = None
            else:
                with request_span(operation, step, requests.count(step)) as finish:
                    answer = self._transport.send(step)
                    finish(answer)
                requests.append(step)

    def close(self) -> None:
        """Close the connections to the server."""
        self._transport.close()
