"""The two drivers of the engine: one waits in its thread, one in its event loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from lakepact.client.wire import Lost, Pause, Reply

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from lakepact.client.engine import Engine
    from lakepact.client.transport import AsyncTransport, Transport
    from lakepact.generated.contract import Call

T = TypeVar("T")


class Connection:
    """Makes calls and waits for them."""

    def __init__(self, engine: Engine, transport: Transport, sleep: Callable[[float], None]) -> None:
        self.address = engine.address
        self._engine = engine
        self._transport = transport
        self._sleep = sleep

    def send(self, call: Call[T]) -> T:
        """Make one call, see `Engine.send`."""
        flow = self._engine.send(call)
        answer: Reply | Lost | None = None
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
                answer = self._transport.send(step)

    def close(self) -> None:
        """Close the connections to the server."""
        self._transport.close()


class AsyncConnection:
    """Makes calls and awaits them."""

    def __init__(self, engine: Engine, transport: AsyncTransport, sleep: Callable[[float], Awaitable[None]]) -> None:
        self.address = engine.address
        self._engine = engine
        self._transport = transport
        self._sleep = sleep

    async def send(self, call: Call[T]) -> T:
        """Make one call, see `Engine.send`."""
        flow = self._engine.send(call)
        answer: Reply | Lost | None = None
        while True:
            try:
                step = flow.send(answer)
            except StopIteration as end:
                result: T = end.value
                return result
            if isinstance(step, Pause):
                await self._sleep(step.seconds)
                answer = None
            else:
                answer = await self._transport.send(step)

    async def close(self) -> None:
        """Close the connections to the server."""
        await self._transport.close()
