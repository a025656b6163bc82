"""Requests to the network and back; the only module that knows the HTTP library."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import httpx

from lakepact.client.wire import Interrupted, Lost, Reply, Request

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Iterator

    from lakepact.client.wire import Headers

#: What carries requests in place of the network: `httpx.MockTransport`, `WSGITransport`, `HTTPTransport` with options of its own, …
Carrier: TypeAlias = httpx.BaseTransport
AsyncCarrier: TypeAlias = httpx.AsyncBaseTransport

#: Headers of requests that do not say otherwise.
_USUAL = (("User-Agent", "lakepact"), ("Accept-Encoding", "gzip, deflate"))
#: Failures before a byte of the request has left.
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError, httpx.UnsupportedProtocol)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """Longest waits, in seconds: for a connection, for the next bytes of a reply, for room to send, for a free connection."""

    connect: float = 5.0
    read: float = 60.0
    write: float = 30.0
    pool: float = 30.0


class Body:
    """The body of a reply, read piece by piece, each as it arrives."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        """The pieces, decoded.

        Raises:
            Interrupted: The body broke off.
        """
        try:
            yield from self._response.iter_bytes()
        except httpx.RequestError as error:
            raise Interrupted(_lost(error)) from None

    def close(self) -> None:
        """Read no more of it."""
        self._response.close()


class AsyncBody:
    """The body of a reply, read piece by piece, each as it arrives."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The pieces, decoded.

        Raises:
            Interrupted: The body broke off.
        """
        try:
            async for piece in self._response.aiter_bytes():
                yield piece
        except httpx.RequestError as error:
            raise Interrupted(_lost(error)) from None

    async def close(self) -> None:
        """Read no more of it."""
        await self._response.aclose()


class Transport:
    """Sends requests and waits for their replies."""

    def __init__(self, timeouts: Timeouts, carrier: Carrier | None = None) -> None:
        # Redirects are not followed: they would take the credentials to an address that nobody has chosen.
        self._client = httpx.Client(verify=_trusted(), timeout=_timeout(timeouts), transport=carrier, follow_redirects=False)

    def send(self, request: Request) -> Reply | Lost:
        """Send one request; what kept it from being answered is returned, not raised."""
        try:
            response = self._client.send(_outgoing(request, self._client.timeout), stream=request.is_streamed)
            if request.is_streamed:
                if response.is_success:
                    return Reply(response.status_code, _headers(response), body=Body(response))
                with contextlib.closing(response):
                    response.read()
            return _reply(response)
        except (httpx.RequestError, httpx.InvalidURL) as error:
            return _lost(error)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class AsyncTransport:
    """Sends requests and awaits their replies."""

    def __init__(self, timeouts: Timeouts, carrier: AsyncCarrier | None = None) -> None:
        self._client = httpx.AsyncClient(verify=_trusted(), timeout=_timeout(timeouts), transport=carrier, follow_redirects=False)

    async def send(self, request: Request) -> Reply | Lost:
        """Send one request; what kept it from being answered is returned, not raised."""
        try:
            response = await self._client.send(_outgoing(request, self._client.timeout), stream=request.is_streamed)
            if request.is_streamed:
                if response.is_success:
                    return Reply(response.status_code, _headers(response), body=AsyncBody(response))
                async with contextlib.aclosing(response):
                    await response.aread()
            return _reply(response)
        except (httpx.RequestError, httpx.InvalidURL) as error:
            return _lost(error)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()


@cache
def _trusted() -> ssl.SSLContext:
    # Reading the certificates of a whole world takes longer than many calls, so every transport shares one reading.
    return httpx.create_ssl_context()


def _timeout(timeouts: Timeouts) -> httpx.Timeout:
    return httpx.Timeout(connect=timeouts.connect, read=timeouts.read, write=timeouts.write, pool=timeouts.pool)


def _outgoing(request: Request, timeout: httpx.Timeout) -> httpx.Request:
    # Built by itself, not by the client: a client would add its cookies.
    given = {name.lower() for name, _ in request.headers}
    headers = [*((name, value) for name, value in _USUAL if name.lower() not in given), *request.headers]
    return httpx.Request(request.method, request.url, headers=headers, content=request.content, extensions={"timeout": timeout.as_dict()})


def _reply(response: httpx.Response) -> Reply:
    return Reply(response.status_code, _headers(response), response.content)


def _headers(response: httpx.Response) -> Headers:
    return tuple(response.headers.multi_items())


def _lost(error: httpx.RequestError | httpx.InvalidURL) -> Lost:
    # The library's frames hold the headers that were sent; whoever prints the local variables of a traceback would print them.
    link: BaseException | None = error
    while link is not None:
        link.__traceback__ = None
        link = link.__cause__ or link.__context__
    if isinstance(error, _UNSENT):
        return Lost("unsent", error)
    # A URL that cannot be read is that of a redirect: the library looks at it, although it is not to follow it.
    return Lost("garbled" if isinstance(error, (httpx.DecodingError, httpx.InvalidURL)) else "unanswered", error)
