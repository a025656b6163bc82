"""Kept connections to one target: a request costs a tenth of what a client library takes, and is on the wire what it was told to be.

Answers in the common form are read here. Everything else is read by h11, from the first byte on, so that whatever a target says is
understood as a strict reader of HTTP understands it. What breaks is told by the errors of httpx.
"""

from __future__ import annotations

import contextlib
import re
import socket
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import h11
import httpx

if TYPE_CHECKING:
    from collections.abc import Iterable

    Fields = list[tuple[bytes, bytes]]

NO_CONTENT = (204, 304)
#: Methods that only read: they are asked again if a target closed an idle connection just when they were sent on it.
ASKED_AGAIN = frozenset({"GET", "HEAD"})
HAS_BODY = frozenset({"POST", "PUT", "PATCH"})
KEPT = 64  #: idle connections at most
IDLE = 4.0  #: seconds after which an idle connection is not used again: many servers close it after five
CHUNK = 65536
LONGEST_HEAD = 100 * 1024
#: Headers that say how a message is framed or who is asked: a request that brings its own goes another way.
FRAMING = frozenset(
    {"host", "connection", "content-length", "transfer-encoding", "expect", "upgrade", "te", "trailer", "cookie"}
    | {"accept-encoding", "user-agent"}
)
NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
VALUE = re.compile(r"[!-~](?:[\t -~]*[!-~])?")
TARGET = re.compile(r"[!-~]+")
COMMON = re.compile(rb"HTTP/1\.1 ([2-5][0-9]{2})(?: [\t -~]*)?\r\n((?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t -~\x80-\xff]*\r\n)*)\r\n")
LENGTH = re.compile(rb"[0-9]{1,15}")


@dataclass
class _Answer:
    """What came, whether the target keeps the connection, and whether more came than there should."""

    status: int
    fields: Fields
    body: bytes
    kept: bool
    surplus: bool


class _Closed(Exception):
    """A connection was closed before a byte of an answer came.

    Args:
        told: what a caller is told of it, if the request is not sent again.
    """

    def __init__(self, told: httpx.TransportError) -> None:
        super().__init__(str(told))
        self.told = told


class Connections:
    """Connections to one `http://` address, for any number of threads.

    Args:
        host: name or address.
        port: its port.
        authority: how requests call it.
        timeout: seconds to wait for a connection, and for each part of an answer.
        headers: sent with every request, before its own.
    """

    def __init__(self, host: str, port: int, *, authority: str, timeout: float, headers: Iterable[tuple[str, str]]) -> None:
        self._where, self._timeout = (host, port), timeout
        self._common = "".join(f"{name}: {value}\r\n" for name, value in (("Host", authority), *headers))
        self._idle: deque[tuple[socket.socket, float]] = deque()
        self._sullied = False  #: whether bytes were seen that do not belong there: behind a 204 more of them may be under way

    def close(self) -> None:
        """Close those that are idle."""
        while self._idle:
            self._idle.popleft()[0].close()

    def ask(
        self, method: str, target: str, headers: Iterable[tuple[str, str]] = (), body: bytes = b""
    ) -> tuple[int, httpx.Headers, bytes] | None:
        """Send a request; status, headers and body of the answer, or `None` if the request is in no common form and was not sent.

        Raises:
            httpx.TransportError: no answer came, or one that is none.
        """
        head = self._head(method, target, headers, len(body))
        if head is None:
            return None
        connection, is_new = self._connected()
        try:
            # A target may answer before it has seen all, and close: what it said is still there to be read.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                _told(connection, head + body)
            answer = _answer(connection, method)
        except _Closed as closed:
            connection.close()
            if is_new or method not in ASKED_AGAIN:
                raise closed.told from None
            return self.ask(method, target, headers, body)
        except BaseException as wrong:
            connection.close()
            self._sullied |= isinstance(wrong, httpx.RemoteProtocolError)
            raise
        self._sullied |= answer.surplus
        spoilt = answer.surplus or (self._sullied and answer.status in NO_CONTENT)
        if answer.kept and not spoilt and len(self._idle) < KEPT:
            self._idle.append((connection, time.monotonic()))
        else:
            connection.close()
        found = httpx.Headers(answer.fields)
        if "content-encoding" in found:
            return answer.status, found, httpx.Response(answer.status, headers=found, content=answer.body).content
        return answer.status, found, answer.body

    def _head(self, method: str, target: str, headers: Iterable[tuple[str, str]], length: int) -> bytes | None:
        lines = []
        for name, value in headers:
            if name.lower() in FRAMING or not NAME.fullmatch(name) or not VALUE.fullmatch(value):
                return None
            lines.append(f"{name}: {value}\r\n")
        if not TARGET.fullmatch(target) or not NAME.fullmatch(method):
            return None
        if length or method in HAS_BODY:
            lines.append(f"Content-Length: {length}\r\n")
        return f"{method} {target} HTTP/1.1\r\n{self._common}{''.join(lines)}\r\n".encode("ascii")

    def _connected(self) -> tuple[socket.socket, bool]:
        """A connection, and whether nothing was asked on it before."""
        while self._idle:
            try:
                connection, since = self._idle.pop()
            except IndexError:  # another thread was sooner
                break
            if time.monotonic() < since + IDLE and not _has_something_to_say(connection):
                return connection, False
            connection.close()
        try:
            connection = socket.create_connection(self._where, self._timeout)
        except TimeoutError as late:
            raise httpx.ConnectTimeout(str(late)) from late
        except OSError as wrong:
            raise httpx.ConnectError(str(wrong)) from wrong
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection, True


def _has_something_to_say(connection: socket.socket) -> bool:
    """Whether an idle connection was closed, or brings what nobody asked for."""
    timeout = connection.gettimeout()
    connection.setblocking(False)
    try:
        connection.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    except OSError:
        return True
    finally:
        connection.settimeout(timeout)
    return True


def _told(connection: socket.socket, what: bytes) -> None:
    try:
        connection.sendall(what)
    except TimeoutError as late:
        raise httpx.WriteTimeout(str(late)) from late


def _received(connection: socket.socket) -> bytes:
    try:
        return connection.recv(CHUNK)
    except TimeoutError as late:
        raise httpx.ReadTimeout(str(late)) from late
    except OSError as wrong:
        raise httpx.ReadError(str(wrong)) from wrong


def _begun(connection: socket.socket) -> bytes:
    """The first bytes of an answer.

    Raises:
        _Closed: there are none. Whether a target that closes says so or resets the connection hangs on what it had read of the request.
    """
    try:
        received = _received(connection)
    except httpx.ReadError as wrong:
        if isinstance(wrong.__cause__, ConnectionResetError):
            raise _Closed(wrong) from wrong
        raise
    if not received:
        raise _Closed(httpx.RemoteProtocolError("Server disconnected without sending a response."))
    return received


def _answer(connection: socket.socket, method: str) -> _Answer:
    received = _begun(connection)
    while b"\r\n\r\n" not in received and len(received) < LONGEST_HEAD:
        more = _received(connection)
        if not more:
            return _read_by_h11(connection, method, received, ended=True)
        received += more
    common = COMMON.match(received)
    framed = _framed(common) if common else None
    if common is None or framed is None:
        return _read_by_h11(connection, method, received)
    status, fields, length, kept = framed
    parts, have = [received[common.end() :]], len(received) - common.end()
    while have < length:
        more = _received(connection)
        if not more:
            return _read_by_h11(connection, method, received[: common.end()] + b"".join(parts), ended=True)
        parts.append(more)
        have += len(more)
    body = b"".join(parts) if len(parts) > 1 else parts[0]
    return _Answer(status, fields, body[:length], kept, surplus=have > length)


def _framed(common: re.Match[bytes]) -> tuple[int, Fields, int, bool] | None:
    """Status, headers, length of the body and whether the connection stays, if the head says all of it in the common form."""
    fields: Fields = []
    lengths = []
    kept = True
    for line in common[2].split(b"\r\n")[:-1]:
        name, _, value = line.partition(b":")
        value = value.strip(b" \t")
        fields.append((name, value))
        lowered = name.lower()
        if lowered == b"content-length":
            lengths.append(value)
        elif lowered == b"transfer-encoding":
            return None
        elif lowered == b"connection":
            kept = kept and b"close" not in value.lower()
    status = int(common[1])
    if status in NO_CONTENT:
        return status, fields, 0, kept
    if len(lengths) != 1 or not LENGTH.fullmatch(lengths[0]):
        return None
    return status, fields, int(lengths[0]), kept


def _read_by_h11(connection: socket.socket, method: str, received: bytes, *, ended: bool = False) -> _Answer:
    """The answer that begins with what was received."""
    reader = h11.Connection(h11.CLIENT, max_incomplete_event_size=LONGEST_HEAD)
    reader.send(h11.Request(method=method, target="/", headers=[("Host", "target")]))
    reader.send(h11.EndOfMessage())
    try:
        reader.receive_data(received)
        if ended:
            reader.receive_data(b"")
        status, fields, parts = 0, [], []
        while True:
            event = reader.next_event()
            if event is h11.NEED_DATA:
                more = _received(connection)
                if not more and reader.their_state is h11.SEND_RESPONSE:
                    raise httpx.RemoteProtocolError("Server disconnected without sending a response.")
                reader.receive_data(more)
            elif isinstance(event, h11.Response):
                status, fields = event.status_code, event.headers.raw_items()
            elif isinstance(event, h11.Data):
                parts.append(bytes(event.data))
            elif isinstance(event, (h11.EndOfMessage, h11.ConnectionClosed)) or event is h11.PAUSED:
                break
    except h11.RemoteProtocolError as wrong:
        raise httpx.RemoteProtocolError(str(wrong)) from wrong
    kept = reader.our_state is h11.DONE and reader.their_state is h11.DONE
    return _Answer(status, fields, b"".join(parts), kept, surplus=bool(reader.trailing_data[0]))
