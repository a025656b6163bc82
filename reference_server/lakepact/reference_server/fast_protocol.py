"""A short way for requests that ask for nothing unusual: from the connection's bytes to the handler, and from it back to the connection.

It is uvicorn's own protocol, which goes on to do everything that is unusual: bodies, pipelines, upgrades, other versions of HTTP, callers
who take their answers slowly, headers that it sees for the first or second time. What it takes short is one whole GET or HEAD request
without a body, with headers that came before and meant nothing to the connection, for an operation that needs nothing of the
connection (`doors.Door.plain`). Both ways call the same handler and send the same bytes; the short one makes no ASGI scope and no task.

How uvicorn's protocol works within is promised by nobody. Where a version of it lacks what the short way looks at, there is none, and
uvicorn answers everything (`is_known`).
"""

from __future__ import annotations

import logging
import re
from functools import cache, partial
from typing import TYPE_CHECKING, Any, cast

from uvicorn.protocols.http import httptools_impl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .wire import SPELLED

if TYPE_CHECKING:
    from collections.abc import Callable

    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

    from .contract_lane import ContractLane
    from .doors import Door
    from .replies import Reply

logger = logging.getLogger(__name__)

#: What the short way takes from uvicorn: from its module, its protocol, each connection, its counters and its flow control.
SHARED = frozenset({"HEADER_VALUE_RE", "STATUS_LINE"})
CALLED = frozenset({"connection_made", "data_received", "on_message_begin", "on_message_complete", "timeout_keep_alive_handler"})
HELD = frozenset(
    {
        *("access_log", "access_logger", "cycle", "flow", "headers", "limit_concurrency", "loop", "root_path", "server_state"),
        *("timeout_keep_alive", "timeout_keep_alive_task", "transport"),
    }
)
COUNTED = frozenset({"default_headers", "total_requests"})
HEEDED = frozenset({"write_paused"})
HEADER_VALUE_RE: re.Pattern[bytes] = getattr(httptools_impl, "HEADER_VALUE_RE", re.compile(b""))
STATUS_LINE: dict[int, bytes] = getattr(httptools_impl, "STATUS_LINE", {})
#: A request line that everybody reads alike. Two slashes would begin another host.
LINE = re.compile(rb"(GET|HEAD) (/(?!/)[A-Za-z0-9._~!$&'()*+,;=:@%/-]*)(?:\?([A-Za-z0-9._~!$&'()*+,;=:@%/?-]*))? HTTP/1\.1")
#: Headers that mean something to the connection, or say that a body follows.
UNUSUAL = frozenset(b"content-length expect http2-settings keep-alive proxy-connection te trailer transfer-encoding upgrade".split())
KEEP_ALIVE = (b"connection", b"keep-alive")
JOINED = 16 * 1024  #: bytes of a body that are copied behind their head; more are sent by themselves
REMEMBERED = 1024  #: blocks of headers that are known
LONGEST = 8 * 1024  #: bytes of a block that is worth knowing


class Headers:
    """A block of headers that means nothing to the connection, as uvicorn has read it."""

    __slots__ = ("_arguments", "lines")

    def __init__(self, lines: list[tuple[bytes, bytes]]) -> None:
        self.lines = lines
        self._arguments: dict[Door, dict[str, Any] | None] = {}

    def arguments(self, door: Door) -> dict[str, Any] | None:
        """What the headers say to an operation; None if they are refused."""
        try:
            return self._arguments[door]
        except KeyError:
            return self._arguments.setdefault(door, door.read_headers(self.lines))


class KnownHeaders:
    """Blocks of headers, by their bytes, that have come more than once: clients send the same with every request."""

    def __init__(self) -> None:
        self._known: dict[bytes, Headers] = {}
        self._seen: set[int] = set()
        self.find = self._known.get

    def learn(self, block: bytes, lines: list[tuple[bytes, bytes]]) -> None:
        """Remember a block that has come before; what comes once is hardly worth it."""
        if len(block) > LONGEST or any(name in UNUSUAL or (name == b"connection" and (name, value) != KEEP_ALIVE) for name, value in lines):
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


class FastProtocol(HttpToolsProtocol):
    """One connection.

    Args:
        lane: what answers short.
        known: the headers that all connections share.
        **options: what uvicorn says.
    """

    def __init__(self, *, lane: ContractLane, known: KnownHeaders, **options: Any) -> None:
        super().__init__(**options)
        self._lane = lane
        self._known = known
        self._answered = 0.0
        self._begun = 0
        # Between two requests; never, where uvicorn is to do what the short way does not.
        self._between = False
        self._short = self._is_plain()

    def _is_plain(self) -> bool:
        """Whether uvicorn is known, and configured so that it does nothing that the short way does not."""
        if not (is_known(self, HELD) and is_known(self.server_state, COUNTED)):
            return False
        logs = self.access_log and self.access_logger.isEnabledFor(logging.INFO)
        return not (logs or self.root_path or self.limit_concurrency is not None or self.server_state.default_headers)

    def connection_made(self, transport: Any) -> None:
        """A caller has come."""
        super().connection_made(transport)
        self._short = self._short and is_known(self.flow, HEEDED)
        self._between = self._short

    def on_message_begin(self) -> None:
        """The parser has seen the first byte of a request."""
        self._between = False
        self._begun += 1
        super().on_message_begin()

    def on_message_complete(self) -> None:
        """The parser has seen the last byte of a request."""
        super().on_message_complete()
        self._between = self._short

    def data_received(self, data: bytes) -> None:
        """Something has come: one request as a rule, or a part of one, or several."""
        if not self._between:
            super().data_received(data)
            return
        at = data.find(b"\r\n")
        headers = self._known.find(data[at:])
        if headers is not None:
            line = LINE.fullmatch(data, 0, at)
            if line is not None and self._is_free() and self._answer(headers, *line.groups()):
                return
            super().data_received(data)
            return
        before = self._begun
        super().data_received(data)
        if self._begun - before == 1 and self._between and data[-4:] == b"\r\n\r\n" and LINE.fullmatch(data, 0, at):
            self._known.learn(data[at:], self.headers)

    def _is_free(self) -> bool:
        """Whether nothing else is being answered, and the caller takes what he is sent."""
        cycle = cast("RequestResponseCycle | None", self.cycle)  # before the first request on the long way there is none
        return (
            (cycle is None or getattr(cycle, "response_complete", False)) and not self.flow.write_paused and not self.transport.is_closing()
        )

    def _answer(self, headers: Headers, method: bytes, path: bytes, query: bytes | None) -> bool:
        """Answer a request if it can be done short."""
        found = self._lane.plain(method.decode(), path)
        if found is None:
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
        if method == b"HEAD" or not reply.body:
            self.transport.write(head)
        elif len(reply.body) <= JOINED:
            self.transport.write(head + reply.body)
        else:
            self.transport.write(head)
            self.transport.write(reply.body)
        self.server_state.total_requests += 1
        self._answered = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)
        return True

    def timeout_keep_alive_handler(self) -> None:
        """Nothing has come for a while on the long way; if something has on the short one, wait for the rest of the time."""
        rest = self._answered + self.timeout_keep_alive - self.loop.time()
        if rest > 0:
            self.timeout_keep_alive_task = self.loop.call_later(rest, self.timeout_keep_alive_handler)
        else:
            super().timeout_keep_alive_handler()


def fast_protocol(lane: ContractLane) -> Callable[..., HttpToolsProtocol]:
    """What makes the protocol of each connection to a lane: uvicorn's own, where its version is not known."""
    if not (is_known(httptools_impl, SHARED) and is_known(HttpToolsProtocol, CALLED)):
        return HttpToolsProtocol
    return partial(FastProtocol, lane=lane, known=KnownHeaders())


def is_known(held: object, names: frozenset[str]) -> bool:
    """Whether something of uvicorn's has what the short way takes from it; what is missing is said once a server."""
    missing = sorted(name for name in names if not hasattr(held, name))
    if missing:
        _say_once(f"this version of uvicorn has no {', '.join(missing)}: requests are answered, but no faster than by other servers")
    return not missing


@cache
def _say_once(message: str) -> None:
    logger.warning("%s", message)


def _head(reply: Reply, method: bytes) -> bytes | None:
    """Status line and headers as uvicorn writes them (`wire.headers_of`); None for what it would send in chunks, or not at all."""
    size = len(reply.body)
    if size:
        head = b"%scontent-type: %s\r\ncontent-length: %d\r\n" % (STATUS_LINE[reply.status], reply.media_type, size)
    elif method == b"HEAD" or reply.status in {204, 304}:
        head = STATUS_LINE[reply.status]
    else:
        return None
    for name, value in reply.headers:
        if HEADER_VALUE_RE.search(value):
            return None
        head += b"%s: %s\r\n" % (SPELLED.get(name, name).lower(), value)
    return head + b"\r\n"
