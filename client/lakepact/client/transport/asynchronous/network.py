"""Connections to servers for event loops."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import httpcore

from lakepact.client.transport.event_loops import AsyncBackend, AsyncSlots
from lakepact.client.transport.failures import is_of_socks
from lakepact.client.transport.messages import Answer, extensions, outgoing, text_headers
from lakepact.reach.access import WrongSetting
from lakepact.reach.routes import proxies, proxy, tls

if TYPE_CHECKING:
    from lakepact.client.limits import Timeouts
    from lakepact.reach.access import Access
    from lakepact.reach.wire import Request

#: Seconds after which an idle connection is not used again.
_IDLE = 5.0


class AsyncNetwork:
    """Sends requests over connections that are kept for the next request: the one that was used
    last is used first.

    The pool of the HTTP library looks at every connection several times a request, and offers one
    to every request that waits.
    """

    failures = (
        httpcore.TimeoutException,
        httpcore.NetworkError,
        httpcore.ProtocolError,
        httpcore.ProxyError,
        httpcore.UnsupportedProtocol,
        WrongSetting,
    )

    def __init__(self, access: Access, most: int) -> None:
        self._trusted, self._proxies = tls(access), proxies(access)
        self._backend = AsyncBackend()
        self._most = most
        self._slots = AsyncSlots(most)
        self._idle: list[httpcore.AsyncConnectionInterface] = []
        self._busy: set[httpcore.AsyncConnectionInterface] = set()
        self._is_closed = False

    async def send(self, request: Request, timeouts: Timeouts) -> Answer:
        """Send a request and return the beginning of its reply, or raise one of `failures`."""
        if self._is_closed:
            raise RuntimeError("the client is closed: it sends nothing more")
        http_request = outgoing(request, extensions(timeouts))
        await self._slots.take(timeouts.pool)
        connection = None
        try:
            connection = await self._connection(http_request.url.origin, timeouts)
            response = await connection.handle_async_request(http_request)
        except BaseException as error:
            await self._give_back(connection)
            if is_of_socks(error):
                raise httpcore.ProxyError("the proxy does not answer as SOCKS5 does") from error
            raise
        body: Any = response.stream
        return Answer(
            response.status,
            text_headers(response.headers),
            partial(aiter, body),
            partial(self._end, connection, response),
        )

    async def _connection(
        self, origin: httpcore.Origin, timeouts: Timeouts
    ) -> httpcore.AsyncConnectionInterface:
        for idle in self._idle[::-1]:
            if idle.can_handle_request(origin) and self._take(idle):
                if not idle.has_expired():
                    self._busy.add(idle)
                    return idle
                await idle.aclose()
        connection = await self._open(origin, timeouts)
        self._busy.add(connection)
        return connection

    async def _open(
        self, origin: httpcore.Origin, timeouts: Timeouts
    ) -> httpcore.AsyncConnectionInterface:
        if through := proxy(origin, self._proxies):
            pool = httpcore.AsyncConnectionPool(
                self._trusted, through, keepalive_expiry=_IDLE, network_backend=self._backend
            )
            return pool.create_connection(origin)
        # Not by the pool: its connections take a lock, and with it a turn of the event loop, for
        # each request.
        stream: Any = await self._backend.connect_tcp(
            origin.host.decode(), origin.port, timeouts.connect
        )
        if origin.scheme == b"https":
            stream = await stream.start_tls(self._trusted, origin.host.decode(), timeouts.connect)
        return httpcore.AsyncHTTP11Connection(origin, stream, _IDLE)

    def _take(self, idle: httpcore.AsyncConnectionInterface) -> bool:
        try:
            self._idle.remove(idle)
        except ValueError:  # another thread took it
            return False
        return True

    async def _end(
        self, connection: httpcore.AsyncConnectionInterface, response: httpcore.Response
    ) -> None:
        try:
            await response.aclose()
        finally:
            await self._give_back(connection)

    async def _give_back(self, connection: httpcore.AsyncConnectionInterface | None) -> None:
        self._slots.free()
        if connection is None:
            return
        self._busy.discard(connection)
        for oldest in self._idle[:1]:
            if (
                oldest.has_expired() or len(self._idle) + len(self._busy) >= self._most
            ) and self._take(oldest):
                await oldest.aclose()
        if connection.is_available() and not self._is_closed:
            self._idle.append(connection)
        else:
            await connection.aclose()

    async def close(self) -> None:
        """Close the connections."""
        self._is_closed = True
        for connection in [*self._idle, *self._busy]:
            await connection.aclose()
        self._idle.clear()
