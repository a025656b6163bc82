"""A fast path for loads and listings, from the bytes of a connection to the handler and back.

It extends uvicorn's protocol class, which still handles everything unusual: bodies, pipelining,
upgrades, other HTTP versions, slow readers, and headers that it sees for the first or second time.
The fast path handles a single GET or HEAD, with known headers that do not concern the connection,
for an operation that needs nothing but its handler (`Endpoint.is_fast`) on the event loop. Both
paths call the same handler and send the same bytes; the fast one creates no ASGI scope and no task.

uvicorn's internals are not a public API. If a version lacks an attribute that the fast path uses,
the fast path is disabled and uvicorn handles everything (`is_known`).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, MutableMapping
from functools import cache, partial
from typing import Any, cast
from weakref import WeakKeyDictionary

from uvicorn.protocols.http import httptools_impl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from lakepact.reference_server.http.bounded_protocol import (
    HEAD_END,
    BoundedProtocol,
    Part,
    protocol_factory,
)
from lakepact.reference_server.http.endpoint import Endpoint, finish
from lakepact.reference_server.http.limits import Limits
from lakepact.reference_server.http.parameters import BadParameter
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.router import ContractRouter, send_reply
from lakepact.reference_server.http.wire import SPELLED
from lakepact.reference_server.storage.store import Pending

logger = logging.getLogger(__name__)

#: Attributes of uvicorn that the fast path uses: of its module, protocol, connection state,
#: counters and flow control.
SHARED = frozenset({"HEADER_VALUE_RE", "STATUS_LINE"})
CALLED = frozenset({"connection_made", "data_received", "_unset_keepalive_if_required"})
HELD = frozenset(
    {
        *(
            "access_log",
            "access_logger",
            "app",
            "cycle",
            "flow",
            "headers",
            "limit_concurrency",
            "root_path",
            "server_state",
        ),
        *("timeout_keep_alive_task", "transport"),
    }
)
COUNTED = frozenset({"default_headers", "total_requests"})
HEEDED = frozenset({"write_paused"})
HEADER_VALUE_RE: re.Pattern[bytes] = getattr(httptools_impl, "HEADER_VALUE_RE", re.compile(b""))
STATUS_LINE: dict[int, bytes] = getattr(httptools_impl, "STATUS_LINE", {})
#: An unambiguous request line. Two leading slashes would start another authority.
LINE = re.compile(
    rb"(GET|HEAD) (/(?!/)[A-Za-z0-9._~!$&'()*+,;=:@%/-]*)(?:\?([A-Za-z0-9._~!$&'()*+,;=:@%/?-]*))?"
    rb" HTTP/1\.1"
)
#: Headers that concern the connection, or announce a body.
UNUSUAL = frozenset(
    b"content-length expect http2-settings keep-alive proxy-connection te trailer transfer-encoding"
    b" upgrade".split()
)
KEEP_ALIVE = (b"connection", b"keep-alive")
JOINED = (
    16 * 1024
)  #: bytes of a body that are copied behind their head; a longer body is written separately
REMEMBERED = 512  #: blocks of headers that are known
LONGEST = 4 * 1024  #: bytes of a block that is worth knowing
MOST_LINES = 64  #: headers of a block that is worth knowing: each takes more memory than its bytes


class Headers:
    """A block of headers that means nothing to the connection, as uvicorn has read it."""

    __slots__ = ("_arguments", "lines")

    def __init__(self, lines: list[tuple[bytes, bytes]]) -> None:
        self.lines = lines
        self._arguments: dict[Endpoint, dict[str, Any] | None] = {}

    def arguments(self, endpoint: Endpoint) -> dict[str, Any] | None:
        """Return an operation's arguments from headers; `None` if they are refused."""
        if endpoint not in self._arguments:
            arguments: dict[str, Any] = {}
            try:
                endpoint.read_headers(self.lines, arguments)
                self._arguments[endpoint] = arguments
            except BadParameter:
                self._arguments[endpoint] = None
        return self._arguments[endpoint]


class KnownHeaders:
    """Blocks of headers, by their bytes, that have come more than once: clients send the same with
    every request.
    """

    def __init__(self) -> None:
        self._known: dict[bytes, Headers] = {}
        self._seen: set[int] = set()
        self.find = self._known.get

    def learn(self, block: bytes, lines: list[tuple[bytes, bytes]]) -> None:
        """Remember a block at its second arrival."""
        if (
            len(block) > LONGEST
            or len(lines) > MOST_LINES
            or any(
                name in UNUSUAL or (name == b"connection" and (name, value) != KEEP_ALIVE)
                for name, value in lines
            )
        ):
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
        router: the router, which knows the endpoints.
        known: parsed headers, shared by all connections.
        **options: uvicorn's options.
    """

    def __init__(self, *, router: ContractRouter, headers: KnownHeaders, **options: Any) -> None:
        super().__init__(**options)
        self._router = router
        self._known = headers
        self._is_fast = self._is_plain()

    def _is_plain(self) -> bool:
        """Return whether uvicorn is known, and configured to do nothing that the fast path leaves
        out.
        """
        if not (has_attributes(self, HELD) and has_attributes(self.server_state, COUNTED)):
            return False
        logs = self.access_log and self.access_logger.isEnabledFor(logging.INFO)
        return not (
            logs
            or self.root_path
            or self.limit_concurrency is not None
            or self.server_state.default_headers
        )

    def connection_made(self, transport: Any) -> None:
        """Accept a connection."""
        super().connection_made(transport)
        self._is_fast = self._is_fast and has_attributes(self.flow, HEEDED)

    def data_received(self, data: bytes) -> None:
        """Answer a request whose headers are known; give everything else to uvicorn."""
        at = data.find(b"\r\n")
        if (
            not data.startswith((b"GET ", b"HEAD "))
            or not self._is_free()
            or at > self._limits.request_line
        ):
            super().data_received(data)
            return
        headers = self._known.find(data[at:])
        if headers is None:
            super().data_received(data)
            is_whole = (
                data.find(HEAD_END) == len(data) - len(HEAD_END)
                and self._part is Part.NEXT
                and not self._refused
            )
            if is_whole and LINE.fullmatch(data, 0, at):
                self._known.learn(data[at:], self.headers)
            return
        line = LINE.fullmatch(data, 0, at) if len(data) <= self._limits.head else None
        if line is None or not self._answer(data, line, headers):
            super().data_received(data)

    def _is_free(self) -> bool:
        """Return whether no other request is read or answered, and the client's receive window is
        open.
        """
        cycle = cast(
            "RequestResponseCycle | None", self.cycle
        )  # None before the first request that uvicorn handles
        return (
            self._is_fast
            and self._part is Part.NEXT
            and not (self._pending or self._refused or self.flow.write_paused)
            and (cycle is None or cycle.response_complete)
            and not self.transport.is_closing()
        )

    def _answer(self, data: bytes, line: re.Match[bytes], headers: Headers) -> bool:
        """Answer a request if its handler runs on the event loop, and return whether it did."""
        method, path, query = line.groups()
        match = self._router.fast_endpoint(method.decode(), path)
        if match is None:
            return False
        endpoint, values = match
        arguments = headers.arguments(endpoint)
        reply = (
            None
            if arguments is None
            else endpoint.answer_on_loop(values, query=query, headers=arguments)
        )
        if reply is None:
            return False
        pending = endpoint.pending()
        head = _head(reply, method) if pending is None and reply.chunks is None else None
        if head is None:
            self._send_by_uvicorn(data, endpoint, reply, pending)
            return True
        self._send(head, b"" if method == b"HEAD" else reply.body)
        return True

    def _send_by_uvicorn(
        self, data: bytes, endpoint: Endpoint, reply: Reply, pending: Pending | None
    ) -> None:
        """Let uvicorn send a reply that is not durable yet, is streamed, or has headers that only
        uvicorn can judge.
        """

        async def send_durable(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
            durable = reply if pending is None else await endpoint.once_durable(reply, pending)
            await send_reply(finish(durable, (), scope), scope, receive, send)

        app, self.app = self.app, send_durable
        super().data_received(data)
        self.app = app

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


def fast_protocol(router: ContractRouter, *, limits: Limits) -> Callable[..., HttpToolsProtocol]:
    """Return the protocol factory of a router; uvicorn's own protocol if its version is unknown."""
    if not (has_attributes(httptools_impl, SHARED) and has_attributes(HttpToolsProtocol, CALLED)):
        return protocol_factory(limits)
    return partial(
        FastProtocol,
        router=router,
        headers=KnownHeaders(),
        limits=limits,
        shared=WeakKeyDictionary(),
    )


def has_attributes(of_uvicorn: object, names: frozenset[str]) -> bool:
    """Return whether a uvicorn object has the attributes that the fast path uses; log missing ones
    once.
    """
    missing = sorted(name for name in names if not hasattr(of_uvicorn, name))
    if missing:
        _warn_once(
            f"this version of uvicorn has no {', '.join(missing)}: requests are answered, but no"
            " faster than by other servers"
        )
    return not missing


@cache
def _warn_once(message: str) -> None:
    logger.warning("%s", message)


def _head(reply: Reply, method: bytes) -> bytes | None:
    """Return status line and headers as uvicorn writes them (`wire.headers_of`); None for those
    that it would not send, or in chunks.
    """
    size = 0 if method == b"HEAD" else len(reply.body)
    if size:
        head = b"%scontent-type: %s\r\ncontent-length: %d\r\n" % (
            STATUS_LINE[reply.status],
            reply.media_type,
            size,
        )
    elif method == b"HEAD" or reply.status in {204, 304}:
        head = STATUS_LINE[reply.status]
    else:
        return None
    for name, value in reply.headers:
        if HEADER_VALUE_RE.search(value):
            return None
        head += b"%s: %s\r\n" % (SPELLED.get(name, name).lower(), value)
    return head + b"\r\n"
