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
    reply_bytes: bytes,
    *,
    at_once: bool = True,
    stays: bool = False,
    closures: threading.Semaphore | None = None,
) -> Generator[tuple[str, int, list[bytes]]]:
    """Start a server that sends the same bytes to every request; yield its host, its port and the
    requests of each connection.

    Args:
        reply_bytes: the bytes to send.
        at_once: whether to send them together.
        stays: whether to wait for more requests on a connection.
        closures: a semaphore to release for each closed connection.
    """
    requests_read: list[bytes] = []

    class Speaker(socketserver.StreamRequestHandler):
        disable_nagle_algorithm = True

        def handle(self) -> None:
            requests_read.append(b"")
            while line := self.rfile.readline():
                requests_read[-1] += line
                if line != b"\r\n":
                    continue
                for part in (
                    [reply_bytes]
                    if at_once
                    else [reply_bytes[n : n + 1] for n in range(len(reply_bytes))]
                ):
                    self.wfile.write(part)
                if not stays:
                    self.connection.shutdown(socket.SHUT_RDWR)
                    if closures is not None:
                        closures.release()
                    break

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Speaker) as server:
        server.daemon_threads = True
        threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()
        yield "127.0.0.1", server.server_address[1], requests_read
        server.shutdown()


@contextlib.contextmanager
def connections(host: str, port: int, timeout: float = 10.0) -> Generator[Connections]:
    pool = Connections(f"http://{host}:{port}", timeout=timeout, headers=[("User-Agent", "test")])
    with contextlib.closing(pool):
        yield pool


def understood(ask: Any) -> Any:
    """Return the answer, or the name of the error."""
    try:
        return ask()
    except httpx.HTTPError as error:
        return type(error).__name__


@pytest.mark.parametrize("at_once", [True, False], ids=["at-once", "byte-by-byte"])
@pytest.mark.parametrize("reply_bytes", ANSWERS.values(), ids=ANSWERS)
def test_answer_is_parsed_as_httpx_parses_it(reply_bytes: bytes, *, at_once: bool) -> None:
    def by_httpx() -> Any:
        with httpx.Client(trust_env=False, verify=False) as client:
            answer = client.get(f"http://127.0.0.1:{port}/x")
            return answer.status_code, answer.headers.multi_items(), answer.content

    def by_us() -> Any:
        reply = pool.ask("GET", "/x")
        assert reply is not None
        return reply[0], reply[1].multi_items(), reply[2]

    with speaking(reply_bytes, at_once=at_once) as (host, port, _), connections(host, port) as pool:
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
        speaking(ANSWERS.get(name, closing), stays=True) as (host, port, requests_read),
        connections(host, port) as pool,
    ):
        for _ in range(3):
            pool.ask("GET", "/x")

    assert times == len(requests_read)


def test_closed_connection_is_replaced_before_a_request_is_sent() -> None:
    closures = threading.Semaphore(0)
    with (
        speaking(ANSWERS["plain"], closures=closures) as (host, port, requests_read),
        connections(host, port) as pool,
    ):
        for _ in range(3):
            pool.ask("GET", "/x")
            closures.acquire(timeout=10)

    assert len(requests_read) == 3


@contextlib.contextmanager
def answering_once(*, resets: bool = False) -> Generator[tuple[str, int]]:
    """Start a server that closes or resets each connection at its second request, without an
    answer.
    """

    class Speaker(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            for content in (ANSWERS["plain"], b""):
                while self.rfile.readline() not in {b"\r\n", b""}:
                    pass
                self.wfile.write(content)
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
    with answering_once(resets=resets) as (host, port), connections(host, port) as pool:
        answers = [pool.ask("GET", "/x") for _ in range(3)]

    assert [answer and answer[0] for answer in answers] == [200, 200, 200]


@pytest.mark.parametrize(
    ("resets", "error"),
    [(False, httpx.RemoteProtocolError), (True, httpx.ReadError)],
    ids=["closed", "reset"],
)
def test_delete_is_not_repeated_when_an_idle_connection_breaks(
    error: type[Exception], *, resets: bool
) -> None:
    with answering_once(resets=resets) as (host, port), connections(host, port) as pool:
        pool.ask("GET", "/x")
        with pytest.raises(error):
            pool.ask("DELETE", "/x")


def test_request_is_sent_byte_for_byte() -> None:
    with speaking(ANSWERS["plain"]) as (host, port, requests_read), connections(host, port) as pool:
        pool.ask("PUT", "/a%1fb?c=%2F", [("Accept", "a/b"), ("X-One", "1  2")])

    assert requests_read[0].decode() == (
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
    with speaking(ANSWERS["plain"]) as (host, port, requests_read), connections(host, port) as pool:
        with pytest.raises(h11.LocalProtocolError):
            pool.ask(method, target, headers)

        assert requests_read == []


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
    with speaking(ANSWERS["plain"]) as (host, port, requests_read), connections(host, port) as pool:
        pool.ask("POST", "/", headers)

    name = line.partition(b":")[0].lower()
    assert [
        header_line
        for header_line in requests_read[0].split(b"\r\n")
        if header_line.lower().startswith(name + b":")
    ] == [line]


def test_unreachable_target_raises_connect_error() -> None:
    with connections("127.0.0.1", 9) as pool, pytest.raises(httpx.ConnectError):
        pool.ask("GET", "/")


def test_late_answer_raises_read_timeout() -> None:
    with (
        speaking(b"", stays=True) as (host, port, _),
        connections(host, port, timeout=0.05) as pool,
        pytest.raises(httpx.ReadTimeout),
    ):
        pool.ask("GET", "/")
