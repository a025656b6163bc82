"""Kept connections to one target: requests cost a tenth of a client library's and are sent
unchanged.

Answers in the common form are parsed here. All others are parsed by h11 from the first byte on, so
that they are understood as a strict HTTP parser understands them. Errors are those of httpx.
"""

from __future__ import annotations

import contextlib
import re
import socket
import ssl
import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import h11
import httpx

from lakepact.conformance.evidence.limits import FRAMING as FRAMING_BYTES
from lakepact.conformance.evidence.limits import (
    MAX_BODY,
    MAX_HEAD,
    MIB,
    TooLarge,
    decode,
    too_large,
)
from lakepact.conformance.http import routes
from lakepact.conformance.http.tunnels import tunnel
from lakepact.reach.routes import Proxy
from lakepact.reach.settings import DIRECT, Settings

Fields = list[tuple[bytes, bytes]]

NO_CONTENT = (204, 304)
#: Safe methods: they are sent again if the target closed an idle connection at that moment.
ASKED_AGAIN = frozenset({"GET", "HEAD"})
HAS_BODY = frozenset({"POST", "PUT", "PATCH"})
KEPT = 64  #: idle connections at most
#: seconds after which an idle connection is not used again: many servers close it after five
IDLE = 4.0
CHUNK = 65536
LARGE = 1 * MIB  #: bytes above which only few answers are read at the same time
LARGE_AT_ONCE = 2
#: Headers of framing and authority: a request that sets them is sent through h11.
FRAMING = frozenset(
    {
        "host",
        "connection",
        "content-length",
        "transfer-encoding",
        "expect",
        "upgrade",
        "te",
        "trailer",
    }
    | {"accept-encoding", "user-agent"}
)
NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
VALUE = re.compile(r"[!-~](?:[\t -~]*[!-~])?")
TARGET = re.compile(r"[!-~]+")
COMMON = re.compile(
    rb"HTTP/1\.1 ([2-5][0-9]{2})(?: [\t -~]*)?\r\n((?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t"
    rb" -~\x80-\xff]*\r\n)*)\r\n"
)
LENGTH = re.compile(rb"[0-9]{1,15}")


@dataclass
class _Answer:
    """An answer, whether the target keeps the connection, and whether unexpected bytes follow."""

    status: int
    fields: Fields
    body: bytes
    reusable: bool
    surplus: bool


class _Closed(Exception):
    """A connection was closed before a byte of an answer came.

    Args:
        told: the error for the caller, if the request is not sent again.
    """

    def __init__(self, error: httpx.TransportError) -> None:
        super().__init__(str(error))
        self.told = error


class _Source:
    """The bytes of one answer, within its limits of size and time.

    Args:
        connection: the connection; a read takes no longer than its timeout.
        timeout: seconds for the whole answer.
        large: a lock that is held while more than `LARGE` bytes are read.
    """

    def __init__(
        self, connection: socket.socket, timeout: float, large: threading.Semaphore
    ) -> None:
        self._connection, self._timeout, self._large = connection, timeout, large
        self._until = time.monotonic() + timeout
        self._bytes = 0
        self._holds = False
        self.max_bytes = MAX_HEAD + FRAMING_BYTES
        self.waited = False  #: whether the connection's timeout was changed

    def first(self) -> bytes:
        """Return the first bytes.

        Raises:
            _Closed: the target closed or reset the connection before it sent any.
        """
        try:
            data = self._receive()
        except httpx.ReadError as wrong:
            if isinstance(wrong.__cause__, ConnectionResetError):
                raise _Closed(wrong) from wrong
            raise
        if not data:
            raise _Closed(
                httpx.RemoteProtocolError("Server disconnected without sending a response.")
            )
        return data

    def more(self) -> bytes:
        """Return the next bytes; empty at the end.

        Raises:
            httpx.ReadTimeout: they did not come in time.
            TooLarge: the answer exceeds its limit.
        """
        self._wait()
        data = self._receive()
        self._bytes += len(data)
        if self._bytes > self.max_bytes:
            raise TooLarge(
                f"the answer takes more than {self.max_bytes / MIB:.1f} MiB on the wire"
                " (--max-body)"
            )
        if self._bytes > LARGE and not self._holds:
            self._holds = self._large.acquire(timeout=self._left())
            self._left()
        return data

    def close(self) -> None:
        """Release the lock for other large answers."""
        if self._holds:
            self._holds = False
            self._large.release()

    def _wait(self) -> None:
        self.waited = True
        self._connection.settimeout(self._left())

    def _left(self) -> float:
        left = self._until - time.monotonic()
        if left <= 0:
            raise self._late()
        return left

    def _late(self) -> httpx.ReadTimeout:
        return httpx.ReadTimeout(
            f"the answer was not complete within {self._timeout:g} s (--timeout)"
        )

    def _receive(self) -> bytes:
        try:
            return self._connection.recv(CHUNK)
        except TimeoutError as late:
            raise self._late() from late
        except OSError as wrong:
            raise httpx.ReadError(str(wrong)) from wrong


class Connections:
    """Connections to one address, shared by threads.

    Args:
        url: the address; its path is not used.
        settings: certificates and proxy.
        timeout: seconds to wait for a connection, and for a complete answer.
        headers: sent with every request, before its own.
        max_body: maximum bytes of a body, both as sent and as decoded.

    Raises:
        ValueError: one of the settings cannot be used.
    """

    def __init__(
        self,
        url: str,
        settings: Settings = DIRECT,
        *,
        timeout: float,
        headers: Iterable[tuple[str, str]] = (),
        max_body: int = MAX_BODY,
    ) -> None:
        split = urlsplit(url)
        self._where, self._timeout = (split.hostname or "", routes.port(split)), timeout
        self._tls = routes.tls(settings) if split.scheme == "https" else None
        self._proxy = routes.proxy(settings, split)
        self._max_body = max_body
        #: The `Host` header.
        self.authority = split.netloc.rpartition("@")[2]
        self._headers = (("Host", self.authority), *headers)
        self._common = "".join(f"{name}: {value}\r\n" for name, value in self._headers)
        self._large = threading.Semaphore(LARGE_AT_ONCE)
        self._idle: deque[tuple[socket.socket, float]] = deque()
        self._desynchronized = False  #: whether unexpected bytes arrived: more may follow a 204

    def close(self) -> None:
        """Close the idle connections."""
        while self._idle:
            self._idle.popleft()[0].close()

    def ask(
        self, method: str, target: str, headers: Sequence[tuple[str, str]] = (), body: bytes = b""
    ) -> tuple[int, httpx.Headers, bytes]:
        """Send a request and return status, headers and body of the answer.

        Raises:
            httpx.TransportError: no answer came, it was malformed, or it exceeded a limit.
            httpx.DecodingError: the content coding of its body is broken.
            h11.LocalProtocolError: HTTP does not allow such a request.
        """
        head = self._head(method, target, headers, len(body))
        request = (
            _build(method, target, (*self._headers, *headers), body)
            if head is None
            else head + body
        )
        answer = self._exchange(method, request)
        headers_ = httpx.Headers(answer.fields)
        if "content-encoding" in headers_:
            return (
                answer.status,
                headers_,
                decode(answer.body, headers_["content-encoding"], self._max_body),
            )
        return answer.status, headers_, answer.body

    def _exchange(self, method: str, request: bytes) -> _Answer:
        connection, is_new = self._connect()
        source = self.source(connection)
        try:
            # A target may answer early and close: its answer can still be read.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                _write(connection, request)
            answer = _answer(source, method, self._max_body)
        except _Closed as closed:
            connection.close()
            if is_new or method not in ASKED_AGAIN:
                raise closed.told from None
            return self._exchange(method, request)
        except BaseException as wrong:
            connection.close()
            self._desynchronized |= isinstance(wrong, httpx.RemoteProtocolError)
            raise
        finally:
            source.close()
        self._desynchronized |= answer.surplus
        spoilt = answer.surplus or (self._desynchronized and answer.status in NO_CONTENT)
        if answer.reusable and not spoilt and len(self._idle) < KEPT:
            if source.waited:
                connection.settimeout(self._timeout)
            self._idle.append((connection, time.monotonic()))
        else:
            connection.close()
        return answer

    def source(self, connection: socket.socket) -> _Source:
        """Return the reader of the next answer on a connection."""
        return _Source(connection, self._timeout, self._large)

    def _head(
        self, method: str, target: str, headers: Iterable[tuple[str, str]], length: int
    ) -> bytes | None:
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

    def _connect(self) -> tuple[socket.socket, bool]:
        """Return a connection and whether it is new."""
        while self._idle:
            try:
                connection, since = self._idle.pop()
            except IndexError:  # another thread took it
                break
            if time.monotonic() < since + IDLE and not _has_something_to_say(connection):
                return connection, False
            connection.close()
        return self.fresh(), True

    def fresh(self) -> socket.socket:
        """Open a new connection.

        Raises:
            httpx.ConnectTimeout: the target takes too long.
            httpx.ConnectError: the target refuses it, or its certificate is not trusted.
        """
        try:
            connection = (
                tunnel(self._proxy, *self._where, timeout=self._timeout)
                if self._proxy
                else socket.create_connection(self._where, self._timeout)
            )
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return (
                connection
                if self._tls is None
                else _wrap_tls(connection, self._tls, self._where[0])
            )
        except TimeoutError as late:
            raise httpx.ConnectTimeout(str(late)) from late
        except ssl.SSLCertVerificationError as wrong:
            raise httpx.ConnectError(
                f"{wrong.verify_message} (--ca-file FILE trusts another authority)"
            ) from wrong
        except OSError as wrong:
            through = f", through the proxy {_proxy_text(self._proxy)}" if self._proxy else ""
            raise httpx.ConnectError(f"{wrong}{through}") from wrong


def _wrap_tls(connection: socket.socket, tls: ssl.SSLContext, host: str) -> socket.socket:
    try:
        return tls.wrap_socket(connection, server_hostname=host)
    except OSError:
        connection.close()
        raise


def _proxy_text(proxy: Proxy) -> str:
    origin, name = proxy.url.origin, proxy.name.replace("proxy", "--proxy")
    return f"{origin.host.decode()}:{origin.port} ({name})"


def _build(method: str, target: str, headers: Iterable[tuple[str, str]], body: bytes) -> bytes:
    """Build an unusual request with h11; of headers that must be unique, the last counts."""
    by_name: dict[str, list[tuple[str, str]]] = {}
    for name, value in headers:
        if name.lower() in FRAMING:
            by_name[name.lower()] = []
        by_name.setdefault(name.lower(), []).append((name, value))
    if not by_name.keys() & {"content-length", "transfer-encoding"} and (
        body or method in HAS_BODY
    ):
        by_name["content-length"] = [("Content-Length", str(len(body)))]
    sender = h11.Connection(h11.CLIENT)
    fields = [
        (name.encode("ascii"), value.encode("utf-8"))
        for same in by_name.values()
        for name, value in same
    ]
    head = sender.send(h11.Request(method=method, target=target, headers=fields))
    content = sender.send(h11.Data(data=body)) if body else b""
    return b"".join((head or b"", content or b"", sender.send(h11.EndOfMessage()) or b""))


def _has_something_to_say(connection: socket.socket) -> bool:
    """Return whether an idle connection was closed or has unexpected bytes."""
    timeout = connection.gettimeout()
    connection.setblocking(False)
    try:
        connection.recv(1)
    except (BlockingIOError, ssl.SSLWantReadError):
        return False
    except OSError:
        return True
    finally:
        connection.settimeout(timeout)
    return True


def _write(connection: socket.socket, what: bytes) -> None:
    try:
        connection.sendall(what)
    except TimeoutError as late:
        raise httpx.WriteTimeout(str(late)) from late


def _answer(source: _Source, method: str, max_body: int) -> _Answer:
    head = source.first()
    while b"\r\n\r\n" not in head and len(head) < MAX_HEAD:
        more = source.more()
        if not more:
            return _read_by_h11(source, method, head, max_body=max_body, at_end=True)
        head += more
    common = COMMON.match(head)
    plain = _parse_head(common) if common else None
    if common is None or plain is None:
        return _read_by_h11(source, method, head, max_body=max_body)
    status, fields, length, reusable = plain
    if length > max_body:
        raise too_large(max_body)
    source.max_bytes = len(head) + max_body + CHUNK
    parts, have = [head[common.end() :]], len(head) - common.end()
    while have < length:
        more = source.more()
        if not more:
            return _read_by_h11(
                source,
                method,
                head[: common.end()] + b"".join(parts),
                max_body=max_body,
                at_end=True,
            )
        parts.append(more)
        have += len(more)
    body = b"".join(parts) if len(parts) > 1 else parts[0]
    return _Answer(status, fields, body[:length], reusable, surplus=have > length)


def _parse_head(common: re.Match[bytes]) -> tuple[int, Fields, int, bool] | None:
    """Return status, headers, body length and keep-alive of a head in the common form, else
    `None`.
    """
    fields: Fields = []
    lengths = []
    reusable = True
    for line in common[2].split(b"\r\n")[:-1]:
        name, _, value = line.partition(b":")
        value = value.strip(b" \t")
        fields.append((name, value))
        lower = name.lower()
        if lower == b"content-length":
            lengths.append(value)
        elif lower == b"transfer-encoding":
            return None
        elif lower == b"connection":
            reusable = reusable and b"close" not in value.lower()
    status = int(common[1])
    if status in NO_CONTENT:
        return status, fields, 0, reusable
    if len(lengths) != 1 or not LENGTH.fullmatch(lengths[0]):
        return None
    return status, fields, int(lengths[0]), reusable


def _read_by_h11(
    source: _Source, method: str, head: bytes, *, max_body: int, at_end: bool = False
) -> _Answer:
    """Read the answer that begins with these bytes."""
    source.max_bytes = 2 * max_body + MAX_HEAD + FRAMING_BYTES
    reader = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD)
    reader.send(h11.Request(method=method, target="/", headers=[("Host", "target")]))
    reader.send(h11.EndOfMessage())
    try:
        reader.receive_data(head)
        if at_end:
            reader.receive_data(b"")
        status, fields, parts, have = 0, [], [], 0
        while True:
            event = reader.next_event()
            if event is h11.NEED_DATA:
                more = source.more()
                if not more and reader.their_state is h11.SEND_RESPONSE:
                    raise httpx.RemoteProtocolError(
                        "Server disconnected without sending a response."
                    )
                reader.receive_data(more)
            elif isinstance(event, h11.Response):
                status, fields = event.status_code, event.headers.raw_items()
            elif isinstance(event, h11.Data):
                parts.append(bytes(event.data))
                have += len(event.data)
                if have > max_body:
                    raise too_large(max_body)
            elif isinstance(event, (h11.EndOfMessage, h11.ConnectionClosed)) or event is h11.PAUSED:
                break
    except h11.RemoteProtocolError as wrong:
        raise httpx.RemoteProtocolError(str(wrong)) from wrong
    reusable = reader.our_state is h11.DONE and reader.their_state is h11.DONE
    return _Answer(status, fields, b"".join(parts), reusable, surplus=bool(reader.trailing_data[0]))
