"""Limits on the resources of a server that its callers may hold."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Protocol

TICK = 0.5  #: seconds between two looks at all connections
#: longer than clients keep idle connections, so that the server closes none while a request is on
#: its way
KEEP_ALIVE_SECONDS = 75


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on what callers hold; the defaults suit a server with 64 MiB to spare."""

    #: open at the same time; file descriptors are left for everything else below the usual 1,024
    connections: int = 800
    seconds: float = (
        20  #: for a request to arrive whole, and for `PROGRESS` bytes of an answer to be taken
    )
    request_line: int = 16 * 1024  #: bytes of method, path, query and version
    head: int = 32 * 1024  #: bytes of the request line and all headers
    lines: int = 256  #: request line and headers, counted
    incoming: int = (
        64 * 1024 * 1024
    )  #: bytes of unfinished requests that all connections hold together
    unsent: int = 64 * 1024 * 1024  #: bytes of answers that wait for all slow readers together


class Connection(Protocol):
    """An open connection, as the limits on all connections see it."""

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    idle_ticks: int
    is_answered: bool
    unsent: int

    def is_waiting(self) -> bool:
        """Return whether no request is being answered."""
        ...

    def tick(self) -> None:
        """Enforce the time limits of the connection."""
        ...


class Connections:
    """The open connections of one server.

    One timer serves all time limits, so that a request costs none. Limits are counted in ticks: a
    server that computes for long does not charge its callers for it.

    Args:
        limits: what callers may hold.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.received = 0  #: bytes of unfinished requests
        self._open: dict[Connection, None] = {}  # in the order of their arrival
        self._timer: asyncio.TimerHandle | None = None

    def add(self, connection: Connection) -> bool:
        """Admit a new connection; return False if there is no room for it.

        A full server closes the connection that has been idle longest, or whose request has been
        arriving longest. Connections that got an
        answer are closed after those that got none: many connections at once take the place of no
        client between two requests.
        """
        if len(self._open) >= self.limits.connections:
            waiting = [other for other in self._open if other.is_waiting()]
            if not waiting:
                return False
            longest = max(waiting, key=lambda other: (not other.is_answered, other.idle_ticks))
            del self._open[longest]
            longest.transport.abort()
        self._open[connection] = None
        if self._timer is None:
            self._timer = connection.loop.call_later(TICK, self._tick, connection.loop)
        return True

    def remove(self, connection: Connection) -> None:
        """Forget a closed connection."""
        self._open.pop(connection, None)
        if not self._open and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tick(self, loop: asyncio.AbstractEventLoop) -> None:
        for connection in tuple(self._open):
            connection.tick()
        self._limit_unsent()
        self._timer = loop.call_later(TICK, self._tick, loop)

    def _limit_unsent(self) -> None:
        """Close the slowest readers until the answers that wait fit into the limit."""
        excess = sum(connection.unsent for connection in self._open) - self.limits.unsent
        if excess <= 0:
            return
        idle = [
            connection for connection in self._open if connection.unsent and connection.idle_ticks
        ]
        for connection in sorted(idle, key=lambda one: one.idle_ticks, reverse=True):
            if excess <= 0:
                return
            excess -= connection.unsent
            connection.transport.abort()
