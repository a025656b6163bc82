# Made by codegen.sync_twin from asynchronous/network.py beside this folder. Do not edit: nox -s generate
"""Connections to servers for threads."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import httpcore

from lakepact.client.transport.failures import is_of_socks
from lakepact.client.transport.messages import Answer, extensions, outgoing, text_headers
from lakepact.client.transport.threads import Backend, Slots
from lakepact.reach.access import WrongSetting
from lakepact.reach.routes import proxies, proxy, tls

if TYPE_CHECKING:
    from lakepact.client.limits import Timeouts
    from lakepact.reach.access import Access
    from lakepact.reach.wire import Request

#: Seconds after which an idle connection is not used again.
_IDLE = 5.0


class Network:
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
        self._backend = Backend()
        self._most = most
        self._slots = Slots(most)
        self._idle: list[httpcore.ConnectionInterface] = []
        self._busy: set[httpcore.ConnectionInterface] = set()
        self._is_closed = False

    def send(self, request: Request, timeouts: Timeouts) -> Answer:
        """Send a request and return the beginning of its reply, or raise one of `failures`."""
        if self._is_closed:
            raise RuntimeError("the client is closed: it sends nothing more")
        http_request = outgoing(request, extensions(timeouts))
        self._slots.take(timeouts.pool)
        connection = None
        try:
            connection = self._connection(http_request.url.origin, timeouts)
            response = connection.handle_request(http_request)
        except BaseException as error:
            self._give_back(connection)
            if is_of_socks(error):
                raise httpcore.ProxyError("the proxy does not answer as SOCKS5 does") from error
            raise
        body: Any = response.stream
        return Answer(
            response.status,
            text_headers(response.headers),
            partial(iter, body),
            partial(self._end, connection, response),
        )

    def _connection(
        self, origin: httpcore.Origin, timeouts: Timeouts
    ) -> httpcore.ConnectionInterface:
        for idle in self._idle[::-1]:
            if idle.can_handle_request(origin) and self._take(idle):
                if not idle.has_expired():
                    self._busy.add(idle)
                    return idle
                idle.close()
        connection = self._open(origin, timeouts)
        self._busy.add(connection)
        return connection

    def _open(self, origin: httpcore.Origin, timeouts: Timeouts) -> httpcore.ConnectionInterface:
        if through := proxy(origin, self._proxies):
            pool = httpcore.ConnectionPool(
                self._trusted, through, keepalive_expiry=_IDLE, network_backend=self._backend
            )
            return pool.create_connection(origin)
        # Not by the pool: its connections take a lock, and with it a turn of the event loop, for
        # each request.
        stream: Any = self._backend.connect_tcp(origin.host.decode(), origin.port, timeouts.connect)
        if origin.scheme == b"https":
            stream = stream.start_tls(self._trusted, origin.host.decode(), timeouts.connect)
        return httpcore.HTTP11Connection(origin, stream, _IDLE)

    def _take(self, idle: httpcore.ConnectionInterface) -> bool:
        try:
            self._idle.remove(idle)
        except ValueError:  # another thread took it
            return False
        return True

    def _end(self, connection: httpcore.ConnectionInterface, response: httpcore.Response) -> None:
        try:
            response.close()
        finally:
            self._give_back(connection)

    def _give_back(self, connection: httpcore.ConnectionInterface | None) -> None:
        self._slots.free()
        if connection is None:
            return
        self._busy.discard(connection)
        for oldest in self._idle[:1]:
            if (
                oldest.has_expired() or len(self._idle) + len(self._busy) >= self._most
            ) and self._take(oldest):
                oldest.close()
        if connection.is_available() and not self._is_closed:
            self._idle.append(connection)
        else:
            connection.close()

    def close(self) -> None:
        """Close the connections."""
        self._is_closed = True
        for connection in [*self._idle, *self._busy]:
            connection.close()
        self._idle.clear()
