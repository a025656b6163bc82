# Made by codegen.sync_twin from asynchronous/transport.py beside this folder. Do not edit: nox -s generate
"""Requests and their whole replies, or bodies that are left to be read, for threads."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Self

from lakepact.client.limits import (
    METER,
    LimitReached,
    Limits,
    Meter,
    too_large,
)
from lakepact.client.transport.failures import loss
from lakepact.reach.access import Access
from lakepact.reach.content_codings import Decoder, DecodingError
from lakepact.reach.wire import Interrupted, Lost, Reply

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

    from lakepact.client.limits import Timeouts
    from lakepact.client.transport.messages import Answer
    from lakepact.client.transport.synchronous.given import GivenClient
    from lakepact.client.transport.synchronous.network import Network
    from lakepact.reach.wire import Request


class Body:
    """The body of a reply, read piece by piece, each as it arrives."""

    def __init__(self, answer: Answer, meter: Meter, failures: tuple[type[Exception], ...]) -> None:
        self._answer = answer
        self._meter = meter
        self._failures = failures
        self._is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        """Yield the pieces, decoded.

        Raises:
            Interrupted: The body broke off, or exceeds a limit.
        """
        try:
            if self._answer.whole is not None:
                yield self._answer.whole
                return
            codings = dict(self._answer.headers).get("content-encoding")
            decoder, raw = Decoder(codings) if codings else None, self._answer.pieces()
            while (piece := self._next(raw)) is not None:
                yield from decoder.decode(piece) if decoder else (piece,)
        except self._failures as error:
            raise Interrupted(loss(error)) from None
        finally:
            self.close()

    def _next(self, raw: Any) -> bytes | None:
        self._meter.resume()
        token = METER.set(self._meter)
        try:
            piece: bytes | None = next(raw, None)
        finally:
            METER.reset(token)
        self._meter.pause(len(piece or b""))
        return piece

    def close(self) -> None:
        """Read no more of it."""
        if not self._is_closed:
            self._is_closed = True
            self._answer.close()


class Transport:
    """Sends requests and waits for their replies.

    Args:
        timeouts: The time to wait.
        http: The client of httpx that sends them instead, if there is one.
        limits: The maximum size of replies, and number of connections.
        access: The certificates and the proxy; `http` has its own.
    """

    def __init__(
        self,
        timeouts: Timeouts,
        http: httpx.Client | None = None,
        limits: Limits | None = None,
        *,
        access: Access | None = None,
    ) -> None:
        self._network: Network | GivenClient
        self.limits = limits or Limits()
        if http is None:
            from lakepact.client.transport.synchronous.network import Network  # noqa: PLC0415 - it imports httpcore

            self._network = Network(access or Access(), self.limits.connections)
        else:
            if access not in {None, Access()}:
                raise ValueError("http has its own verify, cert and proxy; give these to httpx")
            from lakepact.client.transport.synchronous.given import GivenClient  # noqa: PLC0415 - it imports httpx

            self._network = GivenClient(http)
        self._failures = (*self._network.failures, DecodingError, LimitReached)
        self._timeouts = timeouts

    def with_timeouts(self, timeouts: Timeouts) -> Self:
        """Return the same transport with other timeouts; it shares the connections."""
        other = copy(self)
        vars(other).update(_timeouts=timeouts)
        return other

    def send(self, request: Request) -> Reply | Lost:
        """Send one request; what kept it from being answered is returned, not raised."""
        meter = Meter(self._timeouts.reply, self.limits.body, self._timeouts.read)
        token = METER.set(meter)
        try:
            answer = self._network.send(request, self._timeouts)
            body = Body(answer, meter, self._failures)
            if request.is_streamed and 200 <= answer.status < 300:
                meter.stream()
                return Reply(answer.status, answer.headers, body=body)
            content = bytearray()
            try:
                for piece in body:
                    content += piece
                    if len(content) > self.limits.body:
                        raise too_large(self.limits.body)
            finally:
                body.close()
            return Reply(answer.status, answer.headers, bytes(content))
        except Interrupted as interruption:
            return interruption.lost
        except self._failures as error:
            return loss(error)
        finally:
            METER.reset(token)

    def close(self) -> None:
        """Close the connections."""
        self._network.close()
