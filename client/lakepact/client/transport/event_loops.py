"""Network streams for event loops, within the limits of the reply that is read from them, and a
limit of requests at once.
"""

from __future__ import annotations

import asyncio
import select
import socket
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import httpcore

from lakepact.client.limits import METER
from lakepact.client.origins import reachable

if TYPE_CHECKING:
    import ssl

#: Received bytes at which the other side has to wait until they are read.
_MOST_UNREAD = 64 * 1024


class _AsyncStream(httpcore.AsyncNetworkStream, asyncio.Protocol):
    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._transport: Any = None
        self._unread = bytearray()
        self._has_ended = self._is_full = self._is_paused = False
        self._error: Exception | None = None
        self._waiter: asyncio.Future[None] | None = None

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._unread += data
        if len(self._unread) >= _MOST_UNREAD:
            self._is_paused = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        self.connection_lost(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self._has_ended, self._error = True, exc
        self._wake()

    def pause_writing(self) -> None:
        self._is_full = True

    def resume_writing(self) -> None:
        self._is_full = False
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def _change(self, seconds: float | None, late: type[Exception]) -> None:
        self._waiter = self._loop.create_future()
        try:
            async with asyncio.timeout(seconds):
                await self._waiter
        except TimeoutError:
            raise late from None

    # What the HTTP library calls.

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - the library's signature
        meter = METER.get()
        seconds = meter.left(timeout)
        while not self._unread and not self._has_ended:
            try:
                await self._change(seconds, httpcore.ReadTimeout)
            except httpcore.ReadTimeout:
                meter.left(timeout)
                raise
        if not self._unread and self._error is not None:
            raise httpcore.ReadError(str(self._error)) from self._error
        data = bytes(self._unread[:max_bytes])
        del self._unread[:max_bytes]
        if self._is_paused:
            self._is_paused = False
            self._transport.resume_reading()
        meter.add(len(data))
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - the library's signature
        if not self._has_ended:
            self._transport.write(buffer)
        while self._is_full and not self._has_ended:
            await self._change(timeout, httpcore.WriteTimeout)
        if self._has_ended:
            raise httpcore.WriteError(str(self._error or "the connection was closed"))

    async def aclose(self) -> None:
        if self._loop is asyncio.get_running_loop():
            self._transport.abort()
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._transport.abort)

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's signature
    ) -> _AsyncStream:
        try:
            async with asyncio.timeout(timeout):
                self._transport = await self._loop.start_tls(
                    self._transport, self, ssl_context, server_hostname=server_hostname
                )
        except OSError as error:
            self._transport.abort()
            raise _connect_error(error) from error
        return self

    def get_extra_info(self, info: str) -> Any:
        if info != "is_readable":
            return self._transport.get_extra_info(info)
        # Between two requests: it has ended, or belongs to an event loop that has.
        if self._unread or self._has_ended or self._loop is not asyncio.get_running_loop():
            return True
        poll = select.poll()  # the event loop may have had no time to look
        poll.register(self._transport.get_extra_info("socket"), select.POLLIN)
        return bool(poll.poll(0))


class AsyncBackend(httpcore.AsyncNetworkBackend):
    """Opens such streams; those of the HTTP library would take a fifth of a small call."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109
        *_rest: Any,
        **_options: Any,
    ) -> _AsyncStream:
        """Return a stream to a host: its addresses are tried one after another, as in threads."""
        loop = asyncio.get_running_loop()
        # Not asyncio's way to try several at once: it leaves sockets open when it is cancelled, and
        # uvloop has none.
        error: Exception = OSError(f"{host} has no address")
        try:
            async with asyncio.timeout(timeout):
                address_infos = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            for address in reachable(host, address_infos):
                try:
                    async with asyncio.timeout(timeout):
                        _, stream = await loop.create_connection(
                            lambda: _AsyncStream(loop), address, port
                        )
                except OSError as failed:
                    error = failed
                else:
                    return stream
        except (OSError, UnicodeError) as failed:  # names that IDNA does not allow
            error = failed
        raise _connect_error(error) from error


def _connect_error(error: Exception) -> Exception:
    return (
        httpcore.ConnectTimeout()
        if isinstance(error, TimeoutError)
        else httpcore.ConnectError(str(error))
    )


class AsyncSlots:
    """As many requests as may be under way at once, in each event loop."""

    def __init__(self, most: int) -> None:
        self._most = most
        # A semaphore of asyncio serves one event loop.
        self._free: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = (
            WeakKeyDictionary()
        )

    async def take(self, seconds: float) -> None:
        """Wait for a free slot.

        Raises:
            httpcore.PoolTimeout: There is none in that time.
        """
        loop = asyncio.get_running_loop()
        free = self._free.get(loop) or self._free.setdefault(loop, asyncio.Semaphore(self._most))
        try:
            async with asyncio.timeout(seconds if free.locked() else None):
                await free.acquire()
        except TimeoutError:
            raise httpcore.PoolTimeout(f"no connection became free within {seconds:g} s") from None

    def free(self) -> None:
        """Give a slot back."""
        self._free[asyncio.get_running_loop()].release()
