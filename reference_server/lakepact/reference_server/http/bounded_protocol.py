"""uvicorn's HTTP protocol with limits on what an unauthenticated caller can make the server hold,
and for how long.

The protocol gives uvicorn's parser one frame at a time: the head of a request, its body, or a part
of a chunked body. While a request is being answered, the bytes behind it stay unparsed and the
connection is not read. So each connection has at most one request in memory, and answers leave in
the order of the requests, also before the 400 for garbage behind them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from functools import partial
from http import HTTPStatus
from typing import Any, cast
from weakref import WeakKeyDictionary

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from lakepact.reference_server.http.limits import KEEP_ALIVE_SECONDS, TICK, Connections, Limits

ConnectionsByServer = WeakKeyDictionary[ServerState, Connections]

HEAD_END = b"\r\n\r\n"
#: Java's HTTP client offers h2c with every first request. The parser would take a request with an
#: upgrade to have no body.
UPGRADE = re.compile(rb"\nupgrade:", re.IGNORECASE)
#: Host and port. Without one host, a proxy in front of the server may have routed the request by
#: another one.
HOST = re.compile(rb"[A-Za-z0-9._~!$&'()*+,;=%\[\]:-]*")
SMALL_HEAD = (
    512  #: bytes of a head that no limit can concern; smaller limits than that are not meant
)
FREE_BODY = (
    64 * 1024
)  #: bytes of a request that count against no common limit, so that small requests are always answered
PROGRESS = 64 * 1024  #: bytes of an answer that a reader has to take within the time limit
#: how long input is discarded after a refusal, so that the caller can read the refusal before the
#: connection is reset
LINGER_TICKS = 4
SHUTDOWN_TICKS = 2  #: how long stalled callers are waited for while the server ends


class BadHost(Exception):
    """A request without exactly one valid Host header."""


class Part(Enum):
    """The state of the parser."""

    NEXT = "the first byte of a request"
    HEAD = "the rest of a head"
    BODY = "the rest of a body"


class PausableFlow(FlowControl):
    """Flow control that does not read on while bytes that were read wait to be parsed."""

    waits = False

    def hold(self) -> None:
        """Stop reading until `resume` is called."""
        self.waits = True
        self.pause_reading()

    def resume(self) -> None:
        """Read on."""
        if self.waits:
            self.waits = False
            self.resume_reading()

    def resume_reading(self) -> None:
        """Read on, unless bytes wait."""
        if not self.waits:
            super().resume_reading()


class BoundedProtocol(HttpToolsProtocol):
    """One connection within limits.

    Args:
        limits: what callers may hold.
        shared: the connections of each server that runs this application.
        **options: the arguments of uvicorn.
    """

    def __init__(self, *, limits: Limits, shared: ConnectionsByServer, **options: Any) -> None:
        super().__init__(**options)
        self._limits = limits
        self._shared = shared.setdefault(self.server_state, Connections(limits))
        self._patience = max(1, round(limits.seconds / TICK))
        self._part = Part.NEXT
        self._pending = b""  # received bytes, of which those before _parsed have been parsed
        self._parsed = 0
        # the last bytes of an unfinished head or chunked body, where its end may have begun
        self._tail = b""
        self._head = 0  # bytes of the head so far
        self._lines = 0
        self._body_left: int | None = None  # None for a chunked body
        self._framing = 0  # bytes since the last piece of a chunked body
        self._received = 0  # bytes of the request that are held
        self._refused = False
        self._fault = ""  # of the request, if the parser does not know it
        self._ending = False
        self._paused_flow = cast("PausableFlow", None)
        self.idle_ticks = 0
        self.is_answered = False  #: whether a request has been answered
        self.unsent = 0

    def connection_made(self, transport: Any) -> None:
        """Accept a connection, or refuse it with 503 when the server is full."""
        super().connection_made(transport)
        self.flow = self._paused_flow = PausableFlow(transport)
        if not self._shared.add(self):
            self._write_refusal(503, "Too many connections.")
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Release everything that the connection held."""
        self._shared.remove(self)
        self._release()
        self._pending, self._parsed = b"", 0
        super().connection_lost(exc)

    # -- received bytes

    def data_received(self, data: bytes) -> None:
        """Parse the bytes of the next request, and keep those behind it."""
        if self._refused:
            return
        self._pending = self._pending[self._parsed :] + data if self._pending else data
        self._parsed = 0
        self._parse_pending()

    def _parse_pending(self) -> None:
        """Give the parser frame after frame until a request has to be answered first."""
        while self._parsed < len(self._pending):
            if self._is_answering():
                self._keep_pending()
                return
            if self._refused or self.transport.is_closing():
                break
            part, start = self._part, self._parsed
            self._parsed = end = self._frame_end(start)
            if self._refused:
                break
            frame = self._pending if end - start == len(self._pending) else self._pending[start:end]
            if part is not Part.BODY and b"pgrade" in frame:
                frame = UPGRADE.sub(b"\nIgnored:", frame)
            super().data_received(frame)
            if self._part is Part.BODY and not self._refused:
                self._check_body(end - start, is_new=part is not Part.BODY)
        self._pending, self._parsed = b"", 0
        self._paused_flow.resume()

    def _keep_pending(self) -> None:
        """Buffer bytes that arrive while a request is being answered; without room, close the
        connection after the answer.
        """
        self._paused_flow.hold()
        self._hold(len(self._pending) - self._parsed)
        if self._exceeds_room():
            self._pending, self._parsed = b"", 0
            self.shutdown()

    def _exceeds_room(self) -> bool:
        return self._received > FREE_BODY and self._shared.received > self._limits.incoming

    def _is_answering(self) -> bool:
        """Return whether a request has arrived whole and its answer is not complete."""
        cycle = cast("RequestResponseCycle | None", self.cycle)  # None before the first request
        return self._part is Part.NEXT and cycle is not None and not cycle.response_complete

    def is_waiting(self) -> bool:
        """Return whether no request is being answered: the connection is idle, or a request is
        still arriving.
        """
        return not self._is_answering() and not self.unsent

    def _frame_end(self, start: int) -> int:
        """Return the end of the frame that begins at `start`, after holding a head against its
        limits.
        """
        data = self._pending
        if self._part is Part.BODY and self._body_left is not None:
            return min(len(data), start + self._body_left)
        if self._part is Part.NEXT:
            self._tail, self._head, self._lines = b"", 0, 0
            self._framing = 0
        if self._part is Part.BODY:
            return self._end_of_lines(start, min(len(data), start + self._limits.head))
        end = self._end_of_lines(start, len(data))
        self._check_head(start, end)
        return end

    def _end_of_lines(self, start: int, stop: int) -> int:
        """Return where an empty line ends between `start` and `stop`, or `stop`; the read before
        may hold its beginning.
        """
        data, tail = self._pending, self._tail
        self._tail = b""
        if tail:
            index = (tail + data[start : min(stop, start + 3)]).find(HEAD_END)
            if index >= 0:
                return start + index + 4 - len(tail)
        index = data.find(HEAD_END, start, stop)
        if index >= 0:
            return index + 4
        self._tail = (tail + data[max(start, stop - 3) : stop])[-3:]
        return stop

    def _check_head(self, start: int, end: int) -> None:
        """Refuse a head that is too long, as soon as it is."""
        before = self._head
        self._head += end - start
        if self._head <= SMALL_HEAD:
            self._lines += self._pending.count(b"\n", start, end)
            return
        limits = self._limits
        if not self._lines:
            line_end = self._pending.find(b"\n", start, end)
            if before + (end if line_end < 0 else line_end) - start > limits.request_line + 1:
                self._refuse(414, f"The request line is longer than {limits.request_line} bytes.")
                return
        self._lines += self._pending.count(b"\n", start, end)
        if self._head > limits.head:
            self._refuse(
                431, f"The request line and the headers are longer than {limits.head} bytes."
            )
        elif self._lines > limits.lines:
            self._refuse(431, f"The request has more than {limits.lines - 2} headers.")

    def _check_body(self, size: int, *, is_new: bool) -> None:
        """Refuse an unfinished body that takes too much memory.

        Args:
            size: bytes of the parsed frame.
            is_new: whether the frame was the head of the request.
        """
        if is_new:
            lengths = [value for name, value in self.headers if name == b"content-length"]
            self._body_left = int(lengths[0]) if lengths and lengths[0].isdigit() else None
            return
        if self._body_left is None:
            self._framing += size
            if self._framing > 2 * self._limits.head or len(self.headers) > self._limits.lines:
                self._refuse(
                    431, f"The framing of the body is longer than {self._limits.head} bytes."
                )
                return
        if self._exceeds_room():
            self._refuse(503, "The server is receiving too many large requests.")

    def on_message_begin(self) -> None:
        """Note the first byte of a request."""
        self._part = Part.HEAD
        self.idle_ticks = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Note the end of a head, or refuse one without exactly one host."""
        hosts = [value for name, value in self.headers if name == b"host"]
        needs_host = cast("Any", self.parser).get_http_version() == "1.1"
        if len(hosts) > 1 or (needs_host and not hosts) or not all(map(HOST.fullmatch, hosts)):
            self._fault = "The request needs exactly one valid Host header."
            raise BadHost
        super().on_headers_complete()
        self._part = Part.BODY

    def on_body(self, body: bytes) -> None:
        """Count a piece of a body."""
        if self._body_left is not None:
            self._body_left -= len(body)
        self._framing = 0
        super().on_body(body)
        if not self.cycle.response_complete:
            self._hold(len(body))

    def on_message_complete(self) -> None:
        """Note the last byte of a request."""
        self._part = Part.NEXT
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Go on with the next request."""
        self._release()
        self.idle_ticks, self.is_answered = 0, True
        super().on_response_complete()
        if self._pending and not self.transport.is_closing():
            self._parse_pending()

    def _hold(self, size: int) -> None:
        self._received += size
        self._shared.received += size

    def _release(self) -> None:
        self._shared.received -= self._received
        self._received = 0

    # -- refusals and time limits

    def send_400_response(self, msg: str) -> None:
        """Refuse bytes that are not HTTP."""
        self._refuse(400, self._fault or msg)

    def _refuse(self, status: int, message: str) -> None:
        """Send an error, and answer nothing that follows it."""
        self._refused = True
        self.idle_ticks = 0
        cycle = cast("RequestResponseCycle | None", self.cycle)
        own = (
            cycle if self._part is Part.BODY else None
        )  # the answer to the request that is refused
        if own is not None and own.response_started:
            self.transport.close()
            return
        if own is not None:
            own.disconnected = True
            own.message_event.set()
        self._write_refusal(status, message)
        if self._ending:
            self.transport.close()
            return
        # Closing while the caller still sends would reset the connection, and the caller might
        # never read the error.
        self.transport.write_eof()
        self._paused_flow.waits = False
        self.flow.resume_reading()

    def _write_refusal(self, status: int, message: str) -> None:
        body = message.encode()
        line = b"HTTP/1.1 %d %s\r\n" % (status, HTTPStatus(status).phrase.encode())
        defaults = b"".join(b"%s: %s\r\n" % header for header in self.server_state.default_headers)
        headers = (
            b"content-type: text/plain; charset=utf-8\r\ncontent-length: %d\r\nconnection:"
            b" close\r\n\r\n" % len(body)
        )
        self.transport.write(line + defaults + headers + body)

    def tick(self) -> None:
        """Enforce the time limits of the connection."""
        patience = SHUTDOWN_TICKS if self._ending else self._patience
        unsent = self.transport.get_write_buffer_size()
        if unsent:
            if not self.unsent or unsent <= self.unsent - PROGRESS:
                self.unsent, self.idle_ticks = unsent, 0
            else:
                self._tick_until(patience)
            return
        self.unsent = 0
        if self._refused or self.transport.is_closing():
            self._tick_until(LINGER_TICKS)
        elif self._is_arriving():
            if not self.flow.read_paused:
                self.idle_ticks += 1
            if self.idle_ticks >= patience:
                self._refuse(
                    408, f"The request did not arrive within {self._limits.seconds:g} seconds."
                )
        elif not self._is_answering():
            self._tick_until(KEEP_ALIVE_SECONDS / TICK)

    def _is_arriving(self) -> bool:
        """Return whether a part of a request has arrived."""
        return self._part is not Part.NEXT

    def _tick_until(self, limit: float) -> None:
        """Count a tick without progress, and close the connection after too many."""
        self.idle_ticks += 1
        if self.idle_ticks >= limit:
            self.transport.abort()

    def resume_writing(self) -> None:
        """Note that the client has read most of the buffered answer."""
        self.unsent = 0
        super().resume_writing()

    def shutdown(self) -> None:
        """Let the running request finish; wait no longer for stalled callers."""
        self._ending = True
        self.idle_ticks = 0
        if self._refused:
            self.transport.abort()
        else:
            self._close_after_answer()

    def _close_after_answer(self) -> None:
        super().shutdown()


def protocol_factory(limits: Limits) -> Callable[..., BoundedProtocol]:
    """Return the factory of the protocol of each connection."""
    return partial(BoundedProtocol, limits=limits, shared=WeakKeyDictionary())
