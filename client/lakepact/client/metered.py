"""Network streams that keep to the limits of the reply that is read from them.

The HTTP library has a timeout for each read, and none for a reply: headers that arrive byte by byte would never end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpcore

from lakepact.client.limits import METER

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterable

    import httpx


class _Stream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        meter = METER.get()
        if meter is None:
            return self._stream.read(max_bytes, timeout)
        allowed = meter.left(timeout)
        try:
            received = self._stream.read(max_bytes, allowed)
        except httpcore.ReadTimeout:
            meter.left(timeout)
            raise
        meter.received(len(received))
        return received

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, timeout)

    def close(self) -> None:
        self._stream.close()

    def start_tls(self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None) -> _Stream:
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Backend(httpcore.NetworkBackend):
    def __init__(self, backend: httpcore.NetworkBackend) -> None:
        self._backend = backend

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> _Stream:
        return _Stream(self._backend.connect_tcp(host, port, timeout, local_address, socket_options))

    def connect_unix_socket(self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None) -> _Stream:
        return _Stream(self._backend.connect_unix_socket(path, timeout, socket_options))

    def sleep(self, seconds: float) -> None:
        self._backend.sleep(seconds)


class _AsyncStream(httpcore.AsyncNetworkStream):
    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - the library's signature
        meter = METER.get()
        if meter is None:
            return await self._stream.read(max_bytes, timeout)
        allowed = meter.left(timeout)
        try:
            received = await self._stream.read(max_bytes, allowed)
        except httpcore.ReadTimeout:
            meter.left(timeout)
            raise
        meter.received(len(received))
        return received

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - the library's signature
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's signature
    ) -> _AsyncStream:
        return _AsyncStream(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _AsyncBackend(httpcore.AsyncNetworkBackend):
    def __init__(self, backend: httpcore.AsyncNetworkBackend) -> None:
        self._backend = backend

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's signature
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> _AsyncStream:
        return _AsyncStream(await self._backend.connect_tcp(host, port, timeout, local_address, socket_options))

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's signature
        socket_options: Iterable[Any] | None = None,
    ) -> _AsyncStream:
        return _AsyncStream(await self._backend.connect_unix_socket(path, timeout, socket_options))

    async def sleep(self, seconds: float) -> None:
        await self._backend.sleep(seconds)


def metered(client: httpx.Client | httpx.AsyncClient) -> None:
    """Let the client's network connections keep to the limits of replies, those through proxies too."""
    # The library has no public place for a network backend; without it, tests of slow headers fail.
    mounts: Any = client._mounts.values()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    for transport in (client._transport, *mounts):  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        pool: Any = getattr(transport, "_pool", None)
        backend = getattr(pool, "_network_backend", None)
        if isinstance(backend, httpcore.NetworkBackend) and not isinstance(backend, _Backend):
            pool._network_backend = _Backend(backend)  # noqa: SLF001
        elif isinstance(backend, httpcore.AsyncNetworkBackend) and not isinstance(backend, _AsyncBackend):
            pool._network_backend = _AsyncBackend(backend)  # noqa: SLF001
