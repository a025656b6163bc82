"""Network failures become the right error, and no change is sent twice."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading

import httpx
import pytest

from lakepact.client import errors
from lakepact.client.engine import Engine
from lakepact.client.limits import Timeouts
from lakepact.client.retries import Retries
from lakepact.client.transport.asynchronous.connection import AsyncConnection
from lakepact.client.transport.asynchronous.transport import AsyncTransport
from lakepact.client.transport.synchronous.connection import Connection
from lakepact.client.transport.synchronous.transport import Transport
from lakepact.reach.auth import NoAuth
from lakepact.reach.wire import Request

from .conftest import ADOPT, REFUSALS, VISIT, Pet

REX = b'HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{"name":"rex"}'
CUT_OFF = b'HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{"name'
NOT_HTTP = b"SSH-2.0-OpenSSH_9.6\r\n"
NOT_GZIP = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope"
SILENCE = None


@contextlib.contextmanager
def listening(*answers):
    """Yield a socket that reads a request for each answer, sends it and closes; after `SILENCE` it
    keeps the connection open.
    """
    requests, open_lines = [], []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            for answer in answers:
                with contextlib.suppress(OSError):
                    line, _ = listener.accept()
                    requests.append(line.recv(65536))
                    if answer is SILENCE:
                        open_lines.append(line)
                    else:
                        line.sendall(answer)
                        line.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", requests
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
        for line in open_lines:
            line.close()


@pytest.fixture(params=["sync", "async"])
def send(request):
    def send_to(address, call):
        engine = Engine(address, NoAuth(), Retries(tries=2, first_pause=0.001), REFUSALS)
        timeouts = Timeouts(connect=5, read=0.2)
        if request.param == "sync":
            connection = Connection(engine, Transport(timeouts), lambda _: None)
            with contextlib.closing(connection):
                return connection.send(call)
        return asyncio.run(
            in_loop(AsyncConnection(engine, AsyncTransport(timeouts), asyncio.sleep), call)
        )

    return send_to


async def in_loop(connection, call):
    try:
        return await connection.send(call)
    finally:
        await connection.close()


def test_request_is_sent_and_its_reply_decoded(send):
    with listening(REX) as (address, requests):
        assert send(address, VISIT) == Pet(name="rex")

    assert requests[0].startswith(b"GET /pets/a%2Fb HTTP/1.1\r\n")


def test_closed_port_raises_unreachable(send):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"

    with pytest.raises(errors.Unreachable, match="no connection to") as exc_info:
        send(address, ADOPT)

    assert (exc_info.value.tries, exc_info.value.is_retry_safe) == (2, True)


@pytest.mark.parametrize(
    "answer", [b"", CUT_OFF, NOT_HTTP, SILENCE], ids=["hung up", "cut off", "not http", "silence"]
)
def test_read_with_a_lost_reply_is_retried(send, answer):
    with listening(answer, REX) as (address, requests):
        assert send(address, VISIT) == Pet(name="rex")

    assert len(requests) == 2


@pytest.mark.parametrize(
    "answer",
    [b"", CUT_OFF, NOT_HTTP, NOT_GZIP, SILENCE],
    ids=["hung up", "cut off", "not http", "not gzip", "silence"],
)
def test_change_with_a_lost_reply_is_not_retried(send, answer):
    with listening(answer, REX) as (address, requests):
        with pytest.raises(errors.OutcomeUnknown):
            send(address, ADOPT)

        assert len(requests) == 1


def test_broken_content_coding_is_a_bad_reply(send):
    with (
        listening(NOT_GZIP) as (address, _),
        pytest.raises(errors.BadReply, match="coding of the reply"),
    ):
        send(address, VISIT)


@pytest.mark.parametrize(
    "path", ["/a%2Fb", "/%1F", "/%25%2e%2E", "/x%20y+z", "/%e4%BD%A0", "/a;b,c:d@e!$&'()*"]
)
def test_percent_encoded_path_is_sent_unchanged(path):
    paths = []
    http = httpx.Client(
        transport=httpx.MockTransport(
            lambda request: paths.append(request.url.raw_path) or httpx.Response(200)
        )
    )
    transport = Transport(Timeouts(), http)

    transport.send(Request("GET", f"http://pets.test{path}?q=a%2Bb+c"))

    assert paths == [f"{path}?q=a%2Bb+c".encode()]
