"""Kept connections parse answers as HTTPX does and are reused while they are usable."""

from __future__ import annotations

import contextlib
import gzip
import socket
import socketserver
import struct
import threading
from collections.abc import Generator
from typing import Any

import h11
import httpx
import pytest

from lakepact.conformance.http.connections import Connections

ZIPPED = gzip.compress(b'{"a": 1}')
ANSWERS = {
    "plain": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
    "no-reason": b"HTTP/1.1 200\r\ncontent-length: 2\r\n\r\n{}",
    "twice-and-empty": b"HTTP/1.1 404 Not Found\r\nX: 1\r\nx:  2 \r\nY:\r\nContent-Length: 0\r\n\r\n",
    "latin": b"HTTP/1.1 200 OK\r\nX: caf\xe9\r\nContent-Length: 0\r\n\r\n",
    "no-content": b"HTTP/1.1 204 No Content\r\nETag: a\r\n\r\n",
    "not-modified": b"HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n",
    "chunked": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
    "zipped": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s"
    % (len(ZIPPED), ZIPPED),
    "not-zipped": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
    "to-the-end": b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nall of it",
    "old": b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    "hints-first": b"HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    "two-lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
    "no-length": b"HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\n{}",
    "too-little": b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
    "too-much": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}{}",
    "folded": b"HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n",
    "bare-newlines": b"HTTP/1.1 200 OK\nContent-Length: 2\n\n{}",
    "control": b"HTTP/1.1 200 OK\r\nX: a\x01b\r\nContent-Length: 0\r\n\r\n",
    "no-http": b"<html></html>",
    "half-a-head": b"HTTP/1.1 200 OK\r\nContent-",
    "nothing": b"",
}


@contextlib.contextmanager
def speaking(
    said: bytes,
    *,
    at_once: bool = True,
    stays: bool = False,
    closed: threading.Semaphore | None = None,
) -> Generator[tuple[str, int, list[bytes]]]:
    """Start a server that sends the same bytes to every request; yield its host, its port and the
    requests of each connection.

    Args:
        said: the bytes to send.
        at_once: whether to send them together.
        stays: whether to wait for more requests on a connection.
        closed: a semaphore to release for each closed connection.
    """
    seen: list[bytes] = []

    class Speaker(socketserver.StreamRequestHandler):
        disable_nagle_algorithm = True

        def handle(self) -> None:
            seen.append(b"")
            while line := self.rfile.readline():
                seen[-1] += line
                if line != b"\r\n":
                    continue
                for part in [said] if at_once else [said[n : n + 1] for n in range(len(said))]:
                    self.wfile.write(part)
                if not stays:
                    self.connection.shutdown(socket.SHUT_RDWR)
                    if closed is not None:
                        closed.release()
                    break

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Speaker) as server:
        server.daemon_threads = True
        threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()
        yield "127.0.0.1", server.server_address[1], seen
        server.shutdown()


@contextlib.contextmanager
def connections(host: str, port: int, timeout: float = 10.0) -> Generator[Connections]:
    kept = Connections(f"http://{host}:{port}", timeout=timeout, headers=[("User-Agent", "test")])
    with contextlib.closing(kept):
        yield kept


def understood(ask: Any) -> Any:
    """Return the answer, or the name of the error."""
    try:
        return ask()
    except httpx.HTTPError as error:
        return type(error).__name__


@pytest.mark.parametrize("at_once", [True, False], ids=["at-once", "byte-by-byte"])
@pytest.mark.parametrize("said", ANSWERS.values(), ids=ANSWERS)
def test_answer_is_parsed_as_httpx_parses_it(said: bytes, *, at_once: bool) -> None:
    def by_httpx() -> Any:
        with httpx.Client(trust_env=False, verify=False) as client:
            answer = client.get(f"http://127.0.0.1:{port}/x")
            return answer.status_code, answer.headers.multi_items(), answer.content

    def by_us() -> Any:
        answered = kept.ask("GET", "/x")
        assert answered is not None
        return answered[0], answered[1].multi_items(), answered[2]

    with speaking(said, at_once=at_once) as (host, port, _), connections(host, port) as kept:
        assert understood(by_httpx) == understood(by_us)


@pytest.mark.parametrize(
    ("name", "times"),
    {
        "plain": 1,
        "chunked": 1,
        "no-content": 1,
        "hints-first": 1,
        "too-much": 3,
        "old": 3,
        "closing": 3,
    }.items(),
)
def test_connection_is_reused_only_after_clean_answers(name: str, times: int) -> None:
    closing = b"HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n"
    with (
        speaking(ANSWERS.get(name, closing), stays=True) as (host, port, seen),
        connections(host, port) as kept,
    ):
        for _ in range(3):
            kept.ask("GET", "/x")

    assert times == len(seen)


def test_closed_connection_is_replaced_before_a_request_is_sent() -> None:
    closed = threading.Semaphore(0)
    with (
        speaking(ANSWERS["plain"], closed=closed) as (host, port, seen),
        connections(host, port) as kept,
    ):
        for _ in range(3):
            kept.ask("GET", "/x")
            closed.acquire(timeout=10)

    assert len(seen) == 3


@contextlib.contextmanager
def answering_once(*, resets: bool = False) -> Generator[tuple[str, int]]:
    """Start a server that closes or resets each connection at its second request, without an
    answer.
    """

    class Speaker(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            for said in (ANSWERS["plain"], b""):
                while self.rfile.readline() not in {b"\r\n", b""}:
                    pass
                self.wfile.write(said)
            if resets:
                self.connection.setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
                )
                self.connection.close()

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Speaker) as server:
        threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()
        yield "127.0.0.1", server.server_address[1]
        server.shutdown()


@pytest.mark.parametrize("resets", [False, True], ids=["closed", "reset"])
def test_get_is_repeated_when_an_idle_connection_breaks(*, resets: bool) -> None:
    with answering_once(resets=resets) as (host, port), connections(host, port) as kept:
        answers = [kept.ask("GET", "/x") for _ in range(3)]

    assert [answer and answer[0] for answer in answers] == [200, 200, 200]


@pytest.mark.parametrize(
    ("resets", "error"),
    [(False, httpx.RemoteProtocolError), (True, httpx.ReadError)],
    ids=["closed", "reset"],
)
def test_delete_is_not_repeated_when_an_idle_connection_breaks(
    error: type[Exception], *, resets: bool
) -> None:
    with answering_once(resets=resets) as (host, port), connections(host, port) as kept:
        kept.ask("GET", "/x")
        with pytest.raises(error):
            kept.ask("DELETE", "/x")


def test_request_is_sent_byte_for_byte() -> None:
    with speaking(ANSWERS["plain"]) as (host, port, seen), connections(host, port) as kept:
        kept.ask("PUT", "/a%1fb?c=%2F", [("Accept", "a/b"), ("X-One", "1  2")])

    assert seen[0].decode() == (
        f"PUT /a%1fb?c=%2F HTTP/1.1\r\nHost: {host}:{port}\r\nUser-Agent: test\r\nAccept: a/b\r\nX-One: 1  2\r\nContent-Length: 0\r\n\r\n"
    )


@pytest.mark.parametrize(
    ("method", "target", "headers"),
    [
        ("GET", "/a b", []),
        ("GET", "/\r\nX: 1", []),
        ("G T", "/", []),
        ("GET", "/", [("X", "1\r\nY: 2")]),
        ("GET", "/", [("X:", "a")]),
    ],
)
def test_request_that_http_forbids_is_not_sent(
    method: str, target: str, headers: list[tuple[str, str]]
) -> None:
    with speaking(ANSWERS["plain"]) as (host, port, seen), connections(host, port) as kept:
        with pytest.raises(h11.LocalProtocolError):
            kept.ask(method, target, headers)

        assert seen == []


@pytest.mark.parametrize(
    ("headers", "line"),
    [
        ([("X", "é")], "X: é".encode()),
        ([("Content-Length", "0")], b"Content-Length: 0"),
        ([("Transfer-Encoding", "chunked")], b"Transfer-Encoding: chunked"),
        ([("host", "elsewhere")], b"host: elsewhere"),
        ([("User-Agent", "other")], b"User-Agent: other"),
    ],
    ids=["text", "length", "chunked", "host", "agent"],
)
def test_uncommon_header_is_sent_once(headers: list[tuple[str, str]], line: bytes) -> None:
    with speaking(ANSWERS["plain"]) as (host, port, seen), connections(host, port) as kept:
        kept.ask("POST", "/", headers)

    name = line.partition(b":")[0].lower()
    assert [sent for sent in seen[0].split(b"\r\n") if sent.lower().startswith(name + b":")] == [
        line
    ]


def test_unreachable_target_raises_connect_error() -> None:
    with connections("127.0.0.1", 9) as kept, pytest.raises(httpx.ConnectError):
        kept.ask("GET", "/")


def test_late_answer_raises_read_timeout() -> None:
    with (
        speaking(b"", stays=True) as (host, port, _),
        connections(host, port, timeout=0.05) as kept,
        pytest.raises(httpx.ReadTimeout),
    ):
        kept.ask("GET", "/")
