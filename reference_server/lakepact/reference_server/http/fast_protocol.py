"""A fast path for common requests, from the bytes of a connection to the handler and back.

It extends uvicorn's protocol class, which still handles everything unusual: long bodies, pipelining, upgrades, other HTTP versions,
slow readers, and headers that it sees for the first or second time. The fast path handles a single GET or HEAD without a body, or a
POST with a short one, with known headers that do not concern the connection, for an operation
that does not use the connection (`Endpoint.plain`). Both paths call the same handler and send the same bytes; the fast one creates no
ASGI scope, and a task only if the answer must wait until changes are durable.

uvicorn's internals are not a public API. If a version lacks an attribute that the fast path uses, the fast path is disabled and
uvicorn handles everything (`is_known`).
"""

from __future__ import annotations

import logging
import re
from functools import cache, partial
from time import time
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from uvicorn.protocols.http import httptools_impl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from lakepact.reference_server.http.bounded_protocol import HEAD_END, BoundedProtocol, Part, bounded_protocol
from lakepact.reference_server.http.wire import SPELLED
from lakepact.reference_server.http.workers import LONG_BODY

if TYPE_CHECKING:
    from collections.abc import Callable

    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

    from lakepact.reference_server.http.endpoint import Endpoint
    from lakepact.reference_server.http.limits import Limits
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.http.router import ContractRouter
    from lakepact.reference_server.storage.store import Settling

logger = logging.getLogger(__name__)

#: Attributes of uvicorn that the fast path uses: of its module, protocol, connection state, counters and flow control.
SHARED = frozenset({"HEADER_VALUE_RE", "STATUS_LINE"})
CALLED = frozenset(
    {
        *("connection_made", "data_received", "shutdown", "_unset_keepalive_if_required"),
    }
)
HELD = frozenset(
    {
        *("access_log", "access_logger", "cycle", "flow", "headers", "limit_concurrency", "loop", "root_path", "server_state"),
        *("tasks", "timeout_keep_alive_task", "transport"),
    }
)
COUNTED = frozenset({"default_headers", "total_requests"})
HEEDED = frozenset({"write_paused"})
HEADER_VALUE_RE: re.Pattern[bytes] = getattr(httptools_impl, "HEADER_VALUE_RE", re.compile(b""))
STATUS_LINE: dict[int, bytes] = getattr(httptools_impl, "STATUS_LINE", {})
#: An unambiguous request line. Two leading slashes would start another authority.
LINE = re.compile(rb"(GET|HEAD|POST) (/(?!/)[A-Za-z0-9._~!$&'()*+,;=:@%/-]*)(?:\?([A-Za-z0-9._~!$&'()*+,;=:@%/?-]*))? HTTP/1\.1")
#: How many bytes of a body follow; the number differs between requests that are alike otherwise.
LENGTH = re.compile(rb"\r\n[Cc]ontent-[Ll]ength: ?([0-9]{1,6})\r\n")
CONTENT_LENGTH = b"content-length"
#: Headers that mean something to the connection.
UNUSUAL = frozenset(b"expect http2-settings keep-alive proxy-connection te trailer transfer-encoding upgrade".split())
KEEP_ALIVE = (b"connection", b"keep-alive")
JOINED = 16 * 1024  #: bytes of a body that are copied behind their head; more are sent by themselves
REMEMBERED = 512  #: blocks of headers that are known
LONGEST = 4 * 1024  #: bytes of a block that is worth knowing
MOST_LINES = 64  #: headers of a block that is worth knowing: each takes more memory than its bytes


class Headers:
    """A block of headers that means nothing to the connection, as uvicorn has read it."""

    __slots__ = ("_arguments", "lines")

    def __init__(self, lines: list[tuple[bytes, bytes]]) -> None:
        self.lines = lines
        self._arguments: dict[Endpoint, dict[str, Any] | None] = {}

    def arguments(self, door: Endpoint) -> dict[str, Any] | None:
        """Return an operation's arguments from headers; `None` if they are refused."""
        try:
            return self._arguments[door]
        except KeyError:
            return self._arguments.setdefault(door, door.read_headers(self.lines))


class KnownHeaders:
    """Blocks of headers, by their bytes, that have come more than once: clients send the same with every request.

    Args:
        lengths: how many of the headers say how long the body is.
    """

    def __init__(self, lengths: int) -> None:
        self._lengths = lengths
        self._known: dict[bytes, Headers] = {}
        self._seen: set[int] = set()
        self.find = self._known.get

    def learn(self, block: bytes, lines: list[tuple[bytes, bytes]]) -> None:
        """Remember a block that has come before; what comes once is hardly worth it."""
        if (
            len(block) > LONGEST
            or len(lines) > MOST_LINES
            or any(name in UNUSUAL or (name == b"connection" and (name, value) != KEEP_ALIVE) for name, value in lines)
        ):
            return
        if sum(name == CONTENT_LENGTH for name, _ in lines) != self._lengths:
            return
        mark = hash(block)
        if mark not in self._seen:
            if len(self._seen) >= REMEMBERED * 4:
                self._seen.clear()
            self._seen.add(mark)
            return
        if len(self._known) >= REMEMBERED:
            self._known.clear()
        self._known[block] = Headers(lines)


class FastProtocol(BoundedProtocol):
    """One connection.

    Args:
        router: the router, whose `answering_at_once` answers on the fast path.
        known: parsed headers of requests without a body, shared by all connections.
        posted: parsed headers of requests with a body, without its length.
        **options: uvicorn's options.
    """

    def __init__(self, *, router: ContractRouter, known: KnownHeaders, posted: KnownHeaders, **options: Any) -> None:
        super().__init__(**options)
        self._router = router
        self._known = known
        self._posted = posted
        self._partial = b""  # a request whose body has not come whole
        self._settling = False  # an answer waits until what it tells of lasts
        self._short = self._is_plain()

    def _is_plain(self) -> bool:
        """Return whether uvicorn is known, and configured so that it does nothing that the short way does not."""
        if not (is_known(self, HELD) and is_known(self.server_state, COUNTED)):
            return False
        logs = self.access_log and self.access_logger.isEnabledFor(logging.INFO)
        return not (logs or self.root_path or self.limit_concurrency is not None or self.server_state.default_headers)

    def connection_made(self, transport: Any) -> None:
        """Accept a connection."""
        super().connection_made(transport)
        self._short = self._short and is_known(self.flow, HEEDED)

    def data_received(self, data: bytes) -> None:
        """Something has come: one request as a rule, or a part of one, or several."""
        if self._partial:
            data, self._partial = self._partial + data, b""
        at = data.find(b"\r\n")
        if not self._is_free() or at > self._limits.request_line:
            super().data_received(data)
        elif data.startswith(b"POST "):
            self._with_body(data, at)
        else:
            self._without_body(data, at)

    def _without_body(self, data: bytes, at: int) -> None:
        """Handle a request without a body, or pass it on to uvicorn."""
        headers = self._known.find(data[at:])
        if headers is None:
            super().data_received(data)
            is_whole = data.find(HEAD_END) == len(data) - len(HEAD_END) and self._part is Part.NEXT and not self._refused
            if is_whole and LINE.fullmatch(data, 0, at):
                self._known.learn(data[at:], self.headers)
            return
        line = LINE.fullmatch(data, 0, at) if len(data) <= self._limits.head else None
        if line is None or not self._answer(headers, *line.groups()):
            super().data_received(data)

    def _with_body(self, data: bytes, at: int) -> None:
        """Handle a request with a body, or its beginning."""
        end = data.find(HEAD_END, at) + 4
        length = LENGTH.search(data, at, end) if 4 <= end <= self._limits.head else None
        line = LINE.fullmatch(data, 0, at) if length else None
        whole = end + int(length[1]) if length else 0
        if length is None or line is None or not len(data) <= whole <= end + LONG_BODY:
            super().data_received(data)
            return
        block = data[at : length.start(1)] + data[length.end(1) : end]
        headers = self._posted.find(block)
        if headers is None:
            super().data_received(data)
            if not self._refused:
                self._posted.learn(block, self.headers)
        elif not self._answer_body(headers, line, data[end:], is_whole=len(data) == whole):
            super().data_received(data)
        elif len(data) < whole:
            self._partial = data
            self.idle_ticks = 0

    def _is_free(self) -> bool:
        """Return whether nothing else is read or answered, and the caller takes what he is sent."""
        cycle = cast("RequestResponseCycle | None", self.cycle)  # before the first request on the long way there is none
        return (
            self._short
            and self._part is Part.NEXT
            and not (self._pending or self._settling or self._refused or self.flow.write_paused)
            and (cycle is None or cycle.response_complete)
            and not self.transport.is_closing()
        )

    def _is_answering(self) -> bool:
        return self._settling or super()._is_answering()

    def _is_arriving(self) -> bool:
        return bool(self._partial) or super()._is_arriving()

    def _answer(self, headers: Headers, method: bytes, path: bytes, query: bytes | None) -> bool:
        """Answer a request if it can be done short."""
        found = self._router.plain(method.decode(), path)
        if found is None or found[0].takes_body:
            return False
        door, values = found
        said = headers.arguments(door)
        if said is None:
            return False
        reply = door.answer_at_once(method.decode(), values, query=query, said=said)
        if reply is None:
            return False
        head = _head(reply, method)
        if head is None:
            return False
        self._send(head, b"" if method == b"HEAD" else reply.body)
        self._router.recent.append((time(), method.decode(), path, reply.status, door.operation.id))
        return True

    def _answer_body(self, headers: Headers, line: re.Match[bytes], raw: bytes, *, is_whole: bool) -> bool:
        """Answer a request if it can be done short, as soon as its body is whole."""
        _, path, query = line.groups()
        found = self._router.plain("POST", path)
        if found is None or not found[0].takes_body:
            return False
        door, values = found
        said = headers.arguments(door)
        if said is None:
            return False
        if not is_whole:
            return door.is_understood(values, query=query, said=said)
        answered = door.answer_body_at_once(values, query=query, said=said, raw=raw)
        if answered is None:
            return False
        reply, settling = answered
        self._router.recent.append((time(), "POST", path, reply.status, door.operation.id))
        if settling is None:
            self._reply(reply)
        else:
            self._settling = True
            task = self.loop.create_task(self._reply_settled(door, reply, settling))
            task.add_done_callback(self.tasks.discard)
            self.tasks.add(task)
        return True

    async def _reply_settled(self, door: Endpoint, reply: Reply, settling: Settling) -> None:
        """Send an answer once its changes are durable, then continue with buffered bytes."""
        try:
            reply = await door.once_settled(reply, settling)
        except BaseException:
            self.transport.close()  # its state is unknown
            raise
        self._settling = False
        if self.transport.is_closing():
            return
        self._reply(reply)
        if self._ending:
            self.transport.close()
            return
        if self._pending:
            self._parse_pending()

    def _reply(self, reply: Reply) -> None:
        """Send the answer to what has been done."""
        head = _head(reply, b"POST", chunked=True)
        if head is None:
            logger.error("an answer has a header that cannot be sent")
            self.transport.close()
        else:
            self._send(head, reply.body)

    def _send(self, head: bytes, body: bytes) -> None:
        """Send an answer, and wait for the next request."""
        if len(body) <= JOINED:
            self.transport.write(head + body)
        else:
            self.transport.write(head)
            self.transport.write(body)
        self.server_state.total_requests += 1
        self.idle_ticks, self.is_answered = 0, True
        if self.timeout_keep_alive_task is not None:
            self._unset_keepalive_if_required()

    def shutdown(self) -> None:
        """Let a caller who waits for an answer have it."""
        if self._partial:
            data, self._partial = self._partial, b""
            super().data_received(data)
        super().shutdown()

    def _close_after_answer(self) -> None:
        if not self._settling:
            super()._close_after_answer()


def fast_protocol(router: ContractRouter, *, limits: Limits) -> Callable[..., HttpToolsProtocol]:
    """Return the protocol factory of a router; uvicorn's own protocol if its version is unknown."""
    if not (is_known(httptools_impl, SHARED) and is_known(HttpToolsProtocol, CALLED)):
        return bounded_protocol(limits)
    return partial(
        FastProtocol,
        router=router,
        known=KnownHeaders(lengths=0),
        posted=KnownHeaders(lengths=1),
        limits=limits,
        shared=WeakKeyDictionary(),
    )


def is_known(held: object, names: frozenset[str]) -> bool:
    """Return whether something of uvicorn's has what the short way takes from it; what is missing is said once a server."""
    missing = sorted(name for name in names if not hasattr(held, name))
    if missing:
        _say_once(f"this version of uvicorn has no {', '.join(missing)}: requests are answered, but no faster than by other servers")
    return not missing


@cache
def _say_once(message: str) -> None:
    logger.warning("%s", message)


def _head(reply: Reply, method: bytes, *, chunked: bool = False) -> bytes | None:
    """Return status line and headers as uvicorn writes them (`wire.headers_of`); None for what it would not send, or only `chunked`."""
    size = len(reply.body)
    last = b"\r\n"
    if size:
        head = b"%scontent-type: %s\r\ncontent-length: %d\r\n" % (STATUS_LINE[reply.status], reply.media_type, size)
    elif method == b"HEAD" or reply.status in {204, 304}:
        head = STATUS_LINE[reply.status]
    elif chunked:
        head = STATUS_LINE[reply.status]
        last = b"transfer-encoding: chunked\r\n\r\n0\r\n\r\n"
    else:
        return None
    for name, value in reply.headers:
        if HEADER_VALUE_RE.search(value):
            return None
        head += b"%s: %s\r\n" % (SPELLED.get(name, name).lower(), value)
    return head + last
