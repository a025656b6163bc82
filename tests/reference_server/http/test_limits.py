"""Limits of request lines, heads, arrival times, reading times and connections."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from lakepact.reference_server import running
from lakepact.reference_server.http.limits import Limits
from raw_connections import CONFIG, answer_seconds, connect, eventually, fill, received, statuses

LIMITS = Limits(connections=20, seconds=1, incoming=1024 * 1024)
HOST = b"Host: a\r\n"
POST = b"POST /v1/namespaces HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module", params=[True, False], ids=["fast path", "uvicorn's"])
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    with running(warehouse="memory:", fast_path=request.param, limits=LIMITS) as server:
        yield int(server.url.rpartition(":")[2])


def line_of(size: int) -> bytes:
    return b"GET /" + b"a" * (size - len(b"GET / HTTP/1.1")) + b" HTTP/1.1"


def head_of(size: int) -> bytes:
    start = b"GET /v1/config HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: "
    return start + b"x" * (size - len(start) - 4) + b"\r\n\r\n"


@pytest.mark.parametrize(
    ("size", "status"), [(LIMITS.request_line, 404), (LIMITS.request_line + 1, 414)]
)
def test_request_line_over_the_limit_returns_414(port: int, size: int, status: int) -> None:
    with connect(port, line_of(size) + b"\r\nHost: a\r\nConnection: close\r\n\r\n") as connection:
        assert statuses(connection) == [status]


def test_request_line_without_end_returns_414(port: int) -> None:
    with connect(port, b"GET /" + b"a" * LIMITS.request_line * 2) as connection:
        assert statuses(connection) == [414]


@pytest.mark.parametrize(("size", "status"), [(LIMITS.head, 200), (LIMITS.head + 1, 431)])
@pytest.mark.parametrize("piece", [1 << 20, 1000])
def test_head_over_the_limit_returns_431(port: int, size: int, status: int, piece: int) -> None:
    head = head_of(size)
    with connect(port) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for start in range(0, size, piece):
            connection.sendall(head[start : start + piece])

        assert statuses(connection) == [status]


@pytest.mark.parametrize(("headers", "status"), [(LIMITS.lines - 4, 200), (LIMITS.lines - 3, 431)])
def test_too_many_headers_return_431(port: int, headers: int, status: int) -> None:
    with connect(
        port,
        b"GET /v1/config HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
        + b"a:\r\n" * headers
        + b"\r\n",
    ) as connection:
        assert statuses(connection) == [status]


@pytest.mark.parametrize(
    ("version", "hosts", "status"),
    [
        (b"1.1", [b"a"], 200),
        (b"1.1", [b"[::1]:8080"], 200),
        (b"1.1", [b""], 200),
        (b"1.1", [], 400),
        (b"1.1", [b"a", b"b"], 400),
        (b"1.1", [b"a", b"a"], 400),
        (b"1.1", [b"a b"], 400),
        (b"1.1", [b"a/b"], 400),
        (b"1.1", [b"<b>"], 400),
        (b"1.0", [], 200),
        (b"1.0", [b"a", b"b"], 400),
    ],
)
def test_request_without_one_host_returns_400(
    port: int, version: bytes, hosts: list[bytes], status: int
) -> None:
    lines = b"".join(b"Host: %b\r\n" % host for host in hosts)
    request = b"GET /v1/config HTTP/%b\r\n%bConnection: close\r\n\r\n" % (version, lines)
    for _ in range(3):  # the fast path knows headers that came before
        with connect(port, request) as connection:
            answer = received(connection)
        assert int(answer.split()[1]) == status
        assert (b"exactly one valid Host header" in answer) == (status == 400)


def test_body_behind_a_request_without_host_is_not_read_as_a_request(port: int) -> None:
    with connect(
        port, b"POST /v1/namespaces HTTP/1.1\r\nContent-Length: 50\r\n\r\n" + CONFIG
    ) as connection:
        assert statuses(connection) == [400]


def test_trailers_over_the_limit_return_431(port: int) -> None:
    with connect(
        port, POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: " + b"x" * LIMITS.head * 4
    ) as connection:
        assert statuses(connection) == [431]


def test_a_request_in_single_bytes_is_answered(port: int) -> None:
    with connect(port) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in (
            POST
            + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n\r\n\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
        ):
            connection.sendall(bytes([byte]))

        assert statuses(connection) == [400]


@pytest.mark.parametrize(
    "behind", [b"\x00garbage", b"GARBAGE\r\n\r\n", line_of(LIMITS.request_line + 1) + b"\r\n"]
)
@pytest.mark.parametrize("before", [1, 2, 5])
def test_requests_before_garbage_are_answered_in_order(
    port: int, before: int, behind: bytes
) -> None:
    asked = [
        CONFIG,
        b"GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n",
        POST + b"Content-Length: 2\r\n\r\n{}",
    ] * 2
    for _ in range(8):
        with connect(port, b"".join(asked[:before]) + behind) as connection:
            assert statuses(connection) == [
                *([200, 404, 400] * 2)[:before],
                414 if behind.startswith(b"GET") else 400,
            ]


@pytest.mark.parametrize(
    "part",
    [
        b"GET /v1/con",
        b"GET /v1/config HTTP/1.1\r\nHost: a\r\nX-",
        POST + b"Content-Length: 100\r\n\r\n{",
        POST + b"Content-Length: 8000000\r\n\r\n" + b" " * 100_000,
        POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{",
        CONFIG * 3 + b"GET /",
    ],
    ids=["request line", "headers", "body", "long body", "chunked body", "pipelined"],
)
def test_a_request_that_does_not_arrive_returns_408(port: int, part: bytes) -> None:
    started = time.monotonic()
    with connect(port, part) as connection:
        assert (statuses(connection)[-1], time.monotonic() - started < LIMITS.seconds + 3) == (
            408,
            True,
        )


def test_a_request_that_arrives_slowly_returns_408(port: int) -> None:
    with connect(port, b"GET / HTTP/1.1\r\n") as connection:
        for _ in range(5):
            connection.sendall(b"a: b\r\n")
            time.sleep(LIMITS.seconds / 4)

        assert statuses(connection) == [408]


def test_a_body_that_arrives_after_its_head_is_answered(port: int) -> None:
    with connect(port, POST + b"Connection: close\r\nContent-Length: 2\r\n\r\n{") as connection:
        time.sleep(LIMITS.seconds / 4)
        connection.sendall(b"}")

        assert statuses(connection) == [400]


def test_a_connection_whose_answers_are_not_taken_is_closed(port: int) -> None:
    with connect(port, stalled=True) as connection:
        fill([connection], CONFIG, seconds=2)
        time.sleep(LIMITS.seconds + 2)
        connection.settimeout(20)
        answers = received(connection)

        assert answers.startswith(b"HTTP/1.1 200 OK\r\n")


def test_pipelined_requests_are_all_answered_in_order(port: int) -> None:
    targets = [b"/v1/config", b"/nowhere"] * 500
    with connect(
        port,
        b"".join(b"GET %b HTTP/1.1\r\nHost: a\r\n\r\n" % target for target in targets) + b"\x00",
    ) as connection:
        assert statuses(connection) == [200, 404] * 500 + [400]


def test_large_bodies_beyond_the_common_limit_return_503(port: int) -> None:
    half = POST + b"Content-Length: 2000000\r\n\r\n" + b" " * 600_000
    with connect(port, half), connect(port, half) as second:
        assert (statuses(second), answer_seconds(port) < 1) == ([503], True)


def test_a_full_server_closes_the_connection_that_is_idle_longest(port: int) -> None:
    with ExitStack() as stack:
        idle = [stack.enter_context(connect(port)) for _ in range(LIMITS.connections)]
        time.sleep(1.2)  # all of them are older than what comes now
        for _ in range(3):
            assert answer_seconds(port) < 1
        closed = 0
        for connection in idle:
            connection.settimeout(0.01)
            try:
                closed += connection.recv(1) == b""
            except ConnectionResetError:
                closed += 1
            except TimeoutError:
                continue

    assert 1 <= closed <= 3


def test_full_server_closes_connections_that_never_asked_first(port: int) -> None:
    with connect(port, CONFIG) as client, ExitStack() as stack:
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 200 OK")
        for _ in range(LIMITS.connections * 3):
            stack.enter_context(connect(port))
        assert answer_seconds(port) < 1  # all of them are accepted
        client.sendall(CONFIG)

        assert client.recv(1 << 16).startswith(b"HTTP/1.1 200 OK")


def test_room_is_free_again_after_connections_end(port: int) -> None:
    with ExitStack() as stack:
        for _ in range(LIMITS.connections * 3):
            stack.enter_context(connect(port))

    assert eventually(lambda: answer_seconds(port) < 0.5, seconds=10)
