"""Requests to the network and back, with the limits of their replies."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import httpx

from lakepact.client.limits import METER, Decoder, LimitReached, Limits, Meter, too_large
from lakepact.client.network import FAILURES, UNSENT, Answer, AsyncNetwork, Network
from lakepact.client.wire import Interrupted, Lost, Reply, Request

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Generator, Iterator


#: A transport that replaces the network: `httpx.MockTransport`, `WSGITransport`, `HTTPTransport` with its own options, …
Carrier: TypeAlias = httpx.BaseTransport
AsyncCarrier: TypeAlias = httpx.AsyncBaseTransport


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

    def __init__(self, answer: Answer, meter: Meter) -> None:
        self._answer = answer
        self._meter = meter

    def __iter__(self) -> Iterator[bytes]:
        """Yield the pieces, decoded.

        Raises:
            Interrupted: The body broke off, or exceeds a limit.
        """
        try:
            yield from self._pieces()
        except (*FAILURES, LimitReached) as error:
            self.close()
            raise Interrupted(_lost(error)) from None

    def _pieces(self) -> Iterator[bytes]:
        if self._answer.whole is not None:
            yield self._answer.whole
            return
        decoder, raw = _decoder(self._answer), self._answer.pieces()
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
        self._answer.close()


class AsyncBody:
    """The body of a reply, read piece by piece, each as it arrives."""

    def __init__(self, answer: Answer, meter: Meter) -> None:
        self._answer = answer
        self._meter = meter

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the pieces, decoded.

        Raises:
            Interrupted: The body broke off, or exceeds a limit.
        """
        try:
            async for piece in self._pieces():
                yield piece
        except (*FAILURES, LimitReached) as error:
            await self.close()
            raise Interrupted(_lost(error)) from None

    async def _pieces(self) -> AsyncIterator[bytes]:
        if self._answer.whole is not None:
            yield self._answer.whole
            return
        decoder, raw = _decoder(self._answer), self._answer.pieces()
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
        await self._answer.close()


class Transport:
    """Sends requests and waits for their replies."""

    def __init__(self, timeouts: Timeouts, carrier: Carrier | None = None, limits: Limits | None = None) -> None:
        self._network = Network(carrier, _timeout(timeouts), _trusted())
        self._timeouts = timeouts
        self.limits = limits or Limits()

    def send(self, request: Request) -> Reply | Lost:
        """Send one request; what kept it from being answered is returned, not raised."""
        meter = _meter(self._timeouts, self.limits)
        token = METER.set(meter)
        try:
            answer = self._network.send(request)
            body = Body(answer, meter)
            if request.is_streamed and 200 <= answer.status < 300:
                meter.stream()
                return Reply(answer.status, answer.headers, body=body)
            with contextlib.closing(body):
                content = bytearray()
                for piece in body:
                    content += piece
                    if len(content) > self.limits.body:
                        raise too_large(self.limits.body)
            return Reply(answer.status, answer.headers, bytes(content))
        except Interrupted as interruption:
            return interruption.lost
        except (*FAILURES, LimitReached) as error:
            return _lost(error)
        finally:
            METER.reset(token)

    def close(self) -> None:
        """Close the connections."""
        self._network.close()


class AsyncTransport:
    """Sends requests and awaits their replies."""

    def __init__(self, timeouts: Timeouts, carrier: AsyncCarrier | None = None, limits: Limits | None = None) -> None:
        self._network = AsyncNetwork(carrier, _timeout(timeouts), _trusted())
        self._timeouts = timeouts
        self.limits = limits or Limits()

    async def send(self, request: Request) -> Reply | Lost:
        """Send one request; what kept it from being answered is returned, not raised."""
        meter = _meter(self._timeouts, self.limits)
        token = METER.set(meter)
        try:
            answer = await self._network.send(request)
            body = AsyncBody(answer, meter)
            if request.is_streamed and 200 <= answer.status < 300:
                meter.stream()
                return Reply(answer.status, answer.headers, body=body)
            try:
                content = bytearray()
                async for piece in body:
                    content += piece
                    if len(content) > self.limits.body:
                        raise too_large(self.limits.body)
            finally:
                await body.close()
            return Reply(answer.status, answer.headers, bytes(content))
        except Interrupted as interruption:
            return interruption.lost
        except (*FAILURES, LimitReached) as error:
            return _lost(error)
        finally:
            METER.reset(token)

    async def close(self) -> None:
        """Close the connections."""
        await self._network.close()


@cache
def _trusted() -> ssl.SSLContext:
    # Reading the certificates of a whole world takes longer than many calls, so every transport shares one reading.
    return httpx.create_ssl_context()


def _timeout(timeouts: Timeouts) -> httpx.Timeout:
    return httpx.Timeout(connect=timeouts.connect, read=timeouts.read, write=timeouts.write, pool=timeouts.pool)


def _meter(timeouts: Timeouts, limits: Limits) -> Meter:
    return Meter(timeouts.reply, limits.body, timeouts.read)


def _decoder(answer: Answer) -> Decoder:
    with _decoding():
        return Decoder(answer.header("content-encoding"))


@contextlib.contextmanager
def _decoding() -> Generator[None]:
    try:
        yield
    except ValueError as error:
        raise httpx.DecodingError(str(error)) from None


def _lost(error: Exception) -> Lost:
    # The library's frames hold the headers that were sent; whoever prints the local variables of a traceback would print them.
    link: BaseException | None = error
    while link is not None:
        link.__traceback__ = None
        link = link.__cause__ or link.__context__
    if isinstance(error, LimitReached):
        return Lost("excessive", error)
    if isinstance(error, UNSENT):
        return Lost("unsent", error)
    # A URL that cannot be read is that of a redirect: the library looks at it, although it is not to follow it.
    return Lost("garbled" if isinstance(error, (httpx.DecodingError, httpx.InvalidURL)) else "unanswered", error)
