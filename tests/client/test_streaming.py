"""Streamed bodies: whole, refused and truncated."""

from __future__ import annotations

import asyncio
import contextlib

import httpx
import pytest

from lakepact.client import errors
from lakepact.client.engine import Engine
from lakepact.client.limits import Timeouts
from lakepact.client.refusals import Refusals
from lakepact.client.retries import Retries
from lakepact.client.transport.asynchronous.connection import AsyncConnection
from lakepact.client.transport.asynchronous.transport import AsyncTransport
from lakepact.client.transport.synchronous.connection import Connection
from lakepact.client.transport.synchronous.transport import Transport
from lakepact.generated.contract import Call
from lakepact.reach.auth import NoAuth
from lakepact.reach.wire import Request

from .conftest import REFUSALS, read_grievance
from .test_transport import listening

LOOK = Call("look", "POST", "/pets", (), (), b"{}", {"200": None}, frozenset({"200"}))
READS = Refusals(REFUSALS.declared_kinds, REFUSALS.kinds, read_grievance, reads=frozenset({"look"}))
WHOLE = b"HTTP/1.1 200 OK\r\nX-Kind: dogs\r\nContent-Length: 8\r\n\r\nrex\nfox\n"
CUT_OFF = b"HTTP/1.1 200 OK\r\nContent-Length: 80\r\n\r\nrex\n"
NOT_GZIP = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope"
REFUSED = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 14\r\n\r\nNo|not for you"


@pytest.fixture(params=["sync", "async"])
def read(request):
    """Return a function that opens a call and reads its body, once in a thread and once in an event
    loop.
    """

    def in_thread(address, refusals):
        connection = Connection(
            Engine(address, NoAuth(), Retries(tries=2), refusals),
            Transport(Timeouts(read=5)),
            lambda _: None,
        )
        with contextlib.closing(connection), contextlib.closing(connection.open(LOOK)) as reply:
            return reply.header("X-Kind"), b"".join(reply)

    async def in_loop(address, refusals):
        async def pause(_):
            await asyncio.sleep(0)

        connection = AsyncConnection(
            Engine(address, NoAuth(), Retries(tries=2), refusals),
            AsyncTransport(Timeouts(read=5)),
            pause,
        )
        async with contextlib.AsyncExitStack() as stack:
            stack.push_async_callback(connection.close)
            reply = await connection.open(LOOK)
            stack.push_async_callback(reply.close)
            return reply.header("X-Kind"), b"".join([piece async for piece in reply])

    if request.param == "sync":
        return in_thread
    return lambda address, refusals: asyncio.run(in_loop(address, refusals))


def test_body_is_read_to_its_end(read):
    with listening(WHOLE) as (address, _):
        assert read(address, READS) == ("dogs", b"rex\nfox\n")


def test_error_reply_is_read_and_raised(read):
    with listening(REFUSED) as (address, _), pytest.raises(errors.Forbidden, match="not for you"):
        read(address, READS)


def test_truncated_body_raises_unreachable(read):
    with (
        listening(CUT_OFF) as (address, _),
        pytest.raises(errors.Unreachable, match="look: no reply from") as exc_info,
    ):
        read(address, READS)

    assert exc_info.value.is_retry_safe


def test_broken_content_coding_is_a_bad_reply(read):
    with (
        listening(NOT_GZIP) as (address, _),
        pytest.raises(errors.BadReply, match="coding of the reply"),
    ):
        read(address, READS)


def test_read_with_any_method_is_retried(read):
    with listening(b"", WHOLE) as (address, requests):
        assert read(address, READS) == ("dogs", b"rex\nfox\n")

    assert len(requests) == 2


def test_change_with_a_lost_reply_raises_outcome_unknown(read):
    with listening(b"", WHOLE) as (address, _), pytest.raises(errors.OutcomeUnknown):
        read(address, REFUSALS)


@pytest.mark.parametrize(
    "headers", [(), (("accept-encoding", "identity"),)], ids=["none", "identity"]
)
def test_given_header_replaces_the_default(headers):
    requests = []
    http = httpx.Client(
        transport=httpx.MockTransport(
            lambda request: requests.append(request) or httpx.Response(200)
        )
    )
    transport = Transport(Timeouts(), http)

    transport.send(Request("GET", "http://pets.test/", headers))

    assert [request.headers.get_list("accept-encoding") for request in requests] == [
        ["identity" if headers else "gzip, deflate"]
    ]
