"""Streamed answers are made only as fast as they are read, and an aborted stream is detectable."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
import uvicorn

from lakepact.generated.contract import OperationId
from lakepact.reference_server.app import application, service
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NDJSON, Begun, Reply
from lakepact.reference_server.http.wire import AHEAD
from lakepact.reference_server.http.workers import in_a_thread
from lakepact.reference_server.running import _answering, configure, listening
from lakepact.reference_server.settings import Settings

PIECE = b"x" * 65536


class Pieces:
    """Chunks that count how many were taken, and record whether they were closed."""

    def __init__(self, count: int, *, fails_at: int | None = None) -> None:
        self.made = 0
        self.closed = threading.Event()
        self.threads: set[str] = set()
        self._count, self._fails_at = count, fails_at

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        self.threads.add(threading.current_thread().name)
        if self.made == self._fails_at:
            raise ZeroDivisionError
        if self.made == self._count:
            raise StopIteration
        self.made += 1
        return PIECE

    def close(self) -> None:
        self.closed.set()


@pytest.fixture(params=["blocking", "not blocking", "prompt"])
def serving(request: pytest.FixtureRequest) -> Iterator[Callable[..., str]]:
    """Yield a function that starts a server with a handler for getConfig, and returns its
    address.
    """
    with contextlib.ExitStack() as stack:

        def start(handler: Callable[..., Reply]) -> str:
            made = service("iceberg_rest", Settings())
            made.handlers["getConfig"] = lambda **asked: replace(
                handler(**asked), prompt=request.param == "prompt"
            )
            made.places = (
                {OperationId("getConfig"): in_a_thread} if request.param == "blocking" else {}
            )
            listener, url = listening("127.0.0.1", 0)
            stack.enter_context(contextlib.closing(listener))
            stack.enter_context(_answering(uvicorn.Server(configure(application(made))), listener))
            return url.removeprefix("http://")

        yield start


def lines(pieces: Any) -> Callable[..., Reply]:
    return lambda **_: Reply(200, media_type=NDJSON, headers=((b"x-version", b"3"),), chunks=pieces)


def test_chunks_arrive_in_order_and_are_closed(serving: Callable[..., str]) -> None:
    pieces = Pieces(50)
    connection = http.client.HTTPConnection(serving(lines(pieces)), timeout=20)
    connection.request("GET", "/v1/config")
    response = connection.getresponse()
    headers = dict(response.getheaders())

    assert (response.status, response.read()) == (200, PIECE * 50)
    assert headers == {
        "content-type": "application/x-ndjson; charset=utf-8",
        "x-version": "3",
        "transfer-encoding": "chunked",
    }
    assert pieces.closed.wait(20)
    connection.close()


@pytest.mark.parametrize("serving", ["blocking", "not blocking"], indirect=True)
def test_chunks_are_not_made_by_the_thread_of_the_event_loop(serving: Callable[..., str]) -> None:
    pieces = Pieces(3)
    connection = http.client.HTTPConnection(serving(lines(pieces)), timeout=20)
    connection.request("GET", "/v1/config")
    connection.getresponse().read()
    connection.close()

    assert "lakepact reference server" not in pieces.threads


def test_slow_client_delays_no_other_client(serving: Callable[..., str]) -> None:
    pieces = Pieces(100_000)
    address = serving(lines(pieces))
    host, port = address.split(":")
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        slow.settimeout(20)
        slow.connect((host, int(port)))
        slow.sendall(b"GET /v1/config HTTP/1.1\r\nHost: x\r\n\r\n")
        slow.recv(1000)
        made = -1
        while made != pieces.made:  # until the connection takes no more
            made = pieces.made
            connection = http.client.HTTPConnection(address, timeout=20)
            for _ in range(50):
                connection.request("GET", "/v1/namespaces")
                assert connection.getresponse().read().startswith(b"{")
            connection.close()

        assert made * len(PIECE) < 20 * 1024 * 1024

    assert pieces.closed.wait(20)


def test_an_answer_takes_the_memory_of_a_few_chunks(serving: Callable[..., str]) -> None:
    def generated() -> Iterator[bytes]:
        for number in range(2000):
            yield b"%d" % number * 16384

    connection = http.client.HTTPConnection(
        serving(lambda **_: Reply(200, media_type=NDJSON, chunks=generated())), timeout=20
    )
    tracemalloc.start()
    connection.request("GET", "/v1/config")
    response = connection.getresponse()
    size = 0
    while piece := response.read(65536):
        size += len(piece)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    connection.close()

    assert size > 100_000_000
    assert peak < 8 * AHEAD


@pytest.mark.parametrize("fails_at", [1, 30])
def test_failing_stream_ends_the_connection_and_is_logged(
    serving: Callable[..., str], fails_at: int, caplog: pytest.LogCaptureFixture
) -> None:
    pieces = Pieces(50, fails_at=fails_at)
    connection = http.client.HTTPConnection(serving(lines(pieces)), timeout=20)
    connection.request("GET", "/v1/config")
    response = connection.getresponse()

    with pytest.raises(http.client.IncompleteRead):
        response.read()
    assert pieces.closed.wait(20)
    assert "ZeroDivisionError" in caplog.text
    connection.close()


def test_a_caller_that_hangs_up_stops_the_making(serving: Callable[..., str]) -> None:
    pieces = Pieces(10_000_000)
    host, port = serving(lines(pieces)).split(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(b"GET /v1/config HTTP/1.1\r\nHost: x\r\n\r\n")
        connection.recv(1000)

    assert pieces.closed.wait(20)
    assert pieces.made < 10_000_000


def test_nothing_at_all_is_an_empty_body(serving: Callable[..., str]) -> None:
    connection = http.client.HTTPConnection(serving(lines(Pieces(0))), timeout=20)
    connection.request("GET", "/v1/config")
    response = connection.getresponse()

    assert (response.status, response.read()) == (200, b"")
    connection.close()


@pytest.mark.parametrize("refusal", [Problem(418, "Teapot", "no"), ZeroDivisionError()])
def test_stream_that_fails_before_its_first_chunk_raises(refusal: Exception) -> None:
    def failing() -> Iterator[bytes]:
        raise refusal
        yield b""

    with pytest.raises(type(refusal)):
        Begun(failing())


def test_begun_stream_keeps_its_first_chunk() -> None:
    assert list(Begun(iter([b"1", b"2", b"3"]))) == [b"1", b"2", b"3"]
    assert list(Begun(iter([]))) == [b""]


def test_closing_a_begun_stream_closes_its_source() -> None:
    pieces = Pieces(5)
    Begun(pieces).close()

    assert pieces.closed.is_set()
