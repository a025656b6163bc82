"""Requests to the network and back; beside `metered`, the only module that knows the HTTP library."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import httpx

from lakepact.client.limits import METER, Decoder, LimitReached, Limits, Meter, too_large
from lakepact.client.metered import metered
from lakepact.client.wire import Interrupted, Lost, Reply, Request

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Generator, Iterator

    from lakepact.client.wire import Headers

#: A transport that replaces the network: `httpx.MockTransport`, `WSGITransport`, `HTTPTransport` with its own options, …
Carrier: TypeAlias = httpx.BaseTransport
AsyncCarrier: TypeAlias = httpx.AsyncBaseTransport

#: Headers of requests that do not say otherwise.
_USUAL = (("User-Agent", "lakepact"), ("Accept-Encoding", "gzip, deflate"))
#: Failures before a byte of the request has left.
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError, httpx.UnsupportedProtocol)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """Longest waits, in seconds.

    Args:
        connect: For a connection.
        read: For the next bytes of a reply; in a stream, such as a file, for the next 1024 bytes.
        write: For room to send.
        pool: For a free connection.
        reply: For a whole reply that is not streamed.
    """

    connect: float = 5.0
    read: float = 60.0
    write: float = 30.0
    pool: float = 30.0
    reply: float = 300.0


class Body:
    """The body of a reply, read piece by piece, each as it arrives."""

    def __init__(self, response: httpx.Response, meter: Meter) -> None:
        self._response = response
        self._meter = meter

    def __iter__(self) -> Iterator[bytes]:
        """Yield the pieces, decoded.

        Raises:
            Interrupted: The body broke off, or exceeds a limit.
        """
        try:
            yield from self._pieces()
        except (httpx.RequestError, LimitReached) as error:
            self.close()
            raise Interrupted(_lost(error)) from None

    def _pieces(self) -> Iterator[bytes]:
        if self._response.is_stream_consumed:  # the carrier has read it
            yield self._response.content
            return
        decoder, raw = _decoder(self._response), self._response.iter_raw()
        while True:
            self._meter.resume()
            token = METER.set(self._meter)
            try:
                piece = next(raw, None)
            finally:
                METER.reset(token)
            self._meter.pause()
            if piece is None:
                return
            self._meter.content(len(piece))
            with _decoding():
                yield from decoder.decoded(piece)

    def close(self) -> None:
        """Read no more of it."""
        self._response.close()


class AsyncBody:
    """The body of a reply, read piece by piece, each as it arrives."""

    def __init__(self, response: httpx.Response, meter: Meter) -> None:
        self._response = response
        self._meter = meter

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the pieces, decoded.

        Raises:
            Interrupted: The body broke off, or exceeds a limit.
        """
        try:
            async for piece in self._pieces():
                yield piece
        except (httpx.RequestError, LimitReached) as error:
            await self.close()
            raise Interrupted(_lost(error)) from None

    async def _pieces(self) -> AsyncIterator[bytes]:
        if self._response.is_stream_consumed:  # the carrier has read it
            yield self._response.content
            return
        decoder, raw = _decoder(self._response), self._response.aiter_raw()
        while True:
            self._meter.resume()
            token = METER.set(self._meter)
            try:
                piece = await anext(raw, None)
            finally:
                METER.reset(token)
            self._meter.pause()
            if piece is None:
                return
            self._meter.content(len(piece))
            with _decoding():
                for decoded in decoder.decoded(piece):
                    yield decoded

    async def close(self) -> None:
        """Read no more of it."""
        await self._response.aclose()


class Transport:
    """Sends requests and waits for their replies."""

    def __init__(self, timeouts: Timeouts, carrier: Carrier | None = None, limits: Limits | None = None) -> None:
        # Redirects are not followed: they would send the credentials to another address.
        self._client = httpx.Client(verify=_trusted(), timeout=_timeout(timeouts), transport=carrier, follow_redirects=False)
        metered(self._client)
        self._timeouts = timeouts
        self.limits = limits or Limits()

    def send(self, request: Request) -> Reply | Lost:
        """Send one request; what kept it from being answered is returned, not raised."""
        meter = _meter(self._timeouts, self.limits)
        token = METER.set(meter)
        try:
            response = self._client.send(_outgoing(request, self._client.timeout), stream=True)
            if request.is_streamed and response.is_success:
                meter.stream()
                return Reply(response.status_code, _headers(response), body=Body(response, meter))
            with contextlib.closing(response):
                content = bytearray()
                for piece in Body(response, meter):
                    content += piece
                    if len(content) > self.limits.body:
                        raise too_large(self.limits.body)
            return Reply(response.status_code, _headers(response), bytes(content))
        except Interrupted as interruption:
            return interruption.lost
        except (httpx.RequestError, httpx.InvalidURL, LimitReached) as error:
            return _lost(error)
        finally:
            METER.reset(token)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class AsyncTransport:
    """Sends requests and awaits their replies."""

    def __init__(self, timeouts: Timeouts, carrier: AsyncCarrier | None = None, limits: Limits | None = None) -> None:
        self._client = httpx.AsyncClient(verify=_trusted(), timeout=_timeout(timeouts), transport=carrier, follow_redirects=False)
        metered(self._client)
        self._timeouts = timeouts
        self.limits = limits or Limits()

    async def send(self, request: Request) -> Reply | Lost:
        """Send one request; what kept it from being answered is returned, not raised."""
        meter = _meter(self._timeouts, self.limits)
        token = METER.set(meter)
        try:
            response = await self._client.send(_outgoing(request, self._client.timeout), stream=True)
            if request.is_streamed and response.is_success:
                meter.stream()
                return Reply(response.status_code, _headers(response), body=AsyncBody(response, meter))
            async with contextlib.aclosing(response):
                content = bytearray()
                async for piece in AsyncBody(response, meter):
                    content += piece
                    if len(content) > self.limits.body:
                        raise too_large(self.limits.body)
            return Reply(response.status_code, _headers(response), bytes(content))
        except Interrupted as interruption:
            return interruption.lost
        except (httpx.RequestError, httpx.InvalidURL, LimitReached) as error:
            return _lost(error)
        finally:
            METER.reset(token)

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


def _meter(timeouts: Timeouts, limits: Limits) -> Meter:
    return Meter(timeouts.reply, limits.body, timeouts.read)


def _decoder(response: httpx.Response) -> Decoder:
    with _decoding():
        return Decoder(response.headers.get("content-encoding", ""))


@contextlib.contextmanager
def _decoding() -> Generator[None]:
    try:
        yield
    except ValueError as error:
        raise httpx.DecodingError(str(error)) from None


def _headers(response: httpx.Response) -> Headers:
    return tuple(response.headers.multi_items())


def _lost(error: httpx.RequestError | httpx.InvalidURL | LimitReached) -> Lost:
    # The library's frames hold the headers that were sent; whoever prints the local variables of a traceback would print them.
    link: BaseException | None = error
    while link is not None:
        link.__traceback__ = None
        link = link.__cause__ or link.__context__
    if isinstance(error, LimitReached):
        return Lost("excessive", error)
    if isinstance(error, _UNSENT):
        return Lost("unsent", error)
    # A URL that cannot be read is that of a redirect: the library looks at it, although it is not to follow it.
    return Lost("garbled" if isinstance(error, (httpx.DecodingError, httpx.InvalidURL)) else "unanswered", error)
