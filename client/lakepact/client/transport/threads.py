"""Network streams for threads, within the limits of the reply that is read from them, and a limit
of requests at once.
"""

from __future__ import annotations

import socket
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

import httpcore

from lakepact.client.limits import METER
from lakepact.client.origins import reachable

if TYPE_CHECKING:
    import ssl


class _Stream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        meter = METER.get()
        seconds = meter.left(timeout)
        try:
            data = self._stream.read(max_bytes, seconds)
        except httpcore.ReadTimeout:
            meter.left(timeout)
            raise
        meter.add(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, timeout)

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> _Stream:
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class Backend(httpcore.SyncBackend):
    """Opens network streams that keep to the limits of the reply that is read from them.

    The HTTP library has a timeout for each read, and none for a reply: headers that arrive byte by
    byte would never end.
    """

    def connect_tcp(self, host: str, port: int, *rest: Any, **options: Any) -> _Stream:
        """Return a stream to a host: its addresses are tried one after another, none of them
        resolved again.
        """
        error: Exception = httpcore.ConnectError(f"{host} has no address")
        try:
            addresses = reachable(host, socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as failed:  # names that IDNA does not allow
            raise httpcore.ConnectError(str(failed)) from failed
        for address in addresses:
            try:
                return _Stream(super().connect_tcp(address, port, *rest, **options))
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as failed:
                error = failed
        raise error


class Slots:
    """As many requests as may be under way at once."""

    def __init__(self, most: int) -> None:
        # This queue alone may be used by the garbage collector while it is in use.
        self._free: SimpleQueue[None] = SimpleQueue()
        for _ in range(most):
            self._free.put(None)

    def take(self, seconds: float) -> None:
        """Wait for a free slot.

        Raises:
            httpcore.PoolTimeout: There is none in that time.
        """
        try:
            self._free.get(timeout=seconds)
        except Empty:
            raise httpcore.PoolTimeout(f"no connection became free within {seconds:g} s") from None

    def free(self) -> None:
        """Give a slot back."""
        self._free.put(None)
