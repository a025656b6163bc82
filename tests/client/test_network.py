"""Connections are kept, limited and closed; proxies and certificates come from the environment."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import gc
import socket
import threading
import time
from dataclasses import dataclass, field

import httpx
import pytest
import uvloop

from driving import KINDS
from lakepact.client import (
    NO_RETRIES,
    AsyncIcebergCatalog,
    BearerToken,
    IcebergCatalog,
    LimitExceeded,
    Limits,
    Timeouts,
    Unreachable,
)
from lakepact.client.transport.asynchronous.transport import AsyncTransport
from lakepact.client.transport.synchronous.transport import Transport
from lakepact.reach.wire import Lost, Request

CONFIG = b'{"defaults":{},"overrides":{}}'
JSON = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
TABLES = b'{"namespace":["a"]}'


@dataclass
class KeptServer:
    """A server that answers each request on its connection; `heads` are the requests, by
    connection.
    """

    address: str = ""
    heads: list[list[bytes]] = field(default_factory=list)
    delay: float = 0.0
    closes_silently: bool = False

    def answer(self, line: socket.socket) -> None:
        heads: list[bytes] = []
        self.heads.append(heads)
        with contextlib.suppress(OSError), line:
            self.converse(line, heads)

    def converse(self, line: socket.socket, heads: list[bytes]) -> None:
        buffer = b""
        while True:
            while b"\r\n\r\n" not in buffer:
                more = line.recv(65536)
                if not more:
                    return
                buffer += more
            head, _, buffer = buffer.partition(b"\r\n\r\n")
            heads.append(head)
            if head.startswith(b"CONNECT"):
                line.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
                return
            time.sleep(self.delay)
            line.sendall(
                JSON % ((len(CONFIG), CONFIG) if b"/config" in head else (len(TABLES), TABLES))
            )
            if self.closes_silently:
                time.sleep(0.02)
                return


@contextlib.contextmanager
def serving(**options):
    """Yield a server on a free port."""
    server = KeptServer(**options)
    lines = []
    with socket.create_server(("127.0.0.1", 0), backlog=256) as listener:
        server.address = f"http://127.0.0.1:{listener.getsockname()[1]}"

        def accept():
            with contextlib.suppress(OSError):
                while True:
                    line, _ = listener.accept()
                    lines.append(line)
                    threading.Thread(target=server.answer, args=(line,), daemon=True).start()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield server
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
        for line in lines:
            line.close()


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch):
    """Take the proxies of the developer's environment away."""
    for scheme in ("http", "https", "all", "no"):
        monkeypatch.delenv(f"{scheme}_proxy", raising=False)
        monkeypatch.delenv(f"{scheme}_proxy".upper(), raising=False)


def test_connection_is_used_for_the_next_request(drive):
    with serving() as server:
        catalog = drive(server.address)
        for _ in range(3):
            catalog.load_namespace("a")

    assert [len(heads) for heads in server.heads] == [4]


def test_connection_that_the_server_closed_is_not_used_for_a_change(drive):
    with serving(closes_silently=True) as server:
        catalog = drive(server.address, retries=NO_RETRIES)
        catalog.config()
        for _ in range(3):
            time.sleep(0.05)
            catalog.create_namespace("a")

    assert [len(heads) for heads in server.heads] == [1] * 4


def test_closed_connection_is_noticed_after_a_busy_event_loop():
    async def change(address):
        async with AsyncIcebergCatalog(address, retries=NO_RETRIES) as catalog:
            await catalog.config()
            time.sleep(0.1)  # noqa: ASYNC251 - the event loop cannot look at its connections
            await catalog.create_namespace("a")

    with serving(closes_silently=True) as server:
        asyncio.run(change(server.address))

    assert [len(heads) for heads in server.heads] == [1, 1]


def test_threads_open_a_connection_each_and_no_more():
    with serving(delay=0.02) as server, IcebergCatalog(server.address) as catalog:
        catalog.config()
        threads = [
            threading.Thread(target=lambda: [catalog.load_namespace("a") for _ in range(5)])
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert len(server.heads) <= 8
    assert sum(map(len, server.heads)) == 41


def test_tasks_beyond_the_most_connections_wait():
    async def many(address):
        async with AsyncIcebergCatalog(address) as catalog:
            await asyncio.gather(*(catalog.load_namespace("a") for _ in range(250)))

    with serving(delay=0.05) as server:
        asyncio.run(many(server.address))

    assert len(server.heads) <= 100
    assert sum(map(len, server.heads)) == 251


@pytest.mark.parametrize("kind", KINDS)
def test_request_without_a_free_connection_raises_unreachable(kind):
    options = {
        "timeouts": Timeouts(pool=0.1),
        "retries": NO_RETRIES,
        "limits": Limits(connections=1),
    }

    async def two(address):
        async with AsyncIcebergCatalog(address, **options) as catalog:
            await catalog.config()
            slow = asyncio.ensure_future(catalog.load_namespace("a"))
            await asyncio.sleep(0.05)
            with pytest.raises(
                Unreachable, match=r"PoolTimeout: no connection became free within 0\.1 s"
            ):
                await catalog.load_namespace("a")
            await slow

    with serving(delay=0.5) as server:
        if kind == "async":
            asyncio.run(two(server.address))
            return
        with IcebergCatalog(server.address, **options) as catalog:
            catalog.config()
            slow = threading.Thread(target=catalog.load_namespace, args=("a",))
            slow.start()
            time.sleep(0.05)
            with pytest.raises(
                Unreachable, match=r"PoolTimeout: no connection became free within 0\.1 s"
            ):
                catalog.load_namespace("a")
            slow.join()


def test_closed_client_sends_nothing(drive):
    with serving() as server:
        catalog = drive(server.address)
        catalog.config()
        catalog.close()

        with pytest.raises(RuntimeError, match="the client is closed"):
            catalog.load_namespace("a")


@pytest.mark.filterwarnings(
    "ignore::ResourceWarning"
)  # the first loop is closed before its connection
@pytest.mark.parametrize(
    "new_loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"]
)
def test_client_is_used_in_one_event_loop_after_another(new_loop):
    with serving() as server:
        catalog = AsyncIcebergCatalog(server.address)

        async def load(catalog, *, last):
            await catalog.load_namespace("a")
            if last:
                await catalog.close()

        for last in (False, True):
            with asyncio.Runner(loop_factory=new_loop) as runner:
                runner.run(load(catalog, last=last))
    del catalog
    gc.collect()  # the connection of the first loop warns here, and in no later test

    assert [len(heads) for heads in server.heads] == [2, 1]


def test_cancelled_call_gives_its_connection_back():
    async def cancel(address):
        async with AsyncIcebergCatalog(address) as catalog:
            await catalog.config()
            for _ in range(110):
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(catalog.load_namespace("a"), 0.001)
            server.delay = 0.0
            return await catalog.load_namespace("a")

    with serving() as server:
        server.delay = 0.3
        assert asyncio.run(cancel(server.address)).namespace == ["a"]


# Proxies.


def test_proxy_of_the_environment_gets_the_whole_url_and_its_credentials(drive, monkeypatch):
    with serving() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.address.replace("://", "://user:p%40ss@"))
        drive("http://catalog.test:8181/base").config()

    head = proxy.heads[0][0]
    assert head.startswith(b"GET http://catalog.test:8181/base/v1/config HTTP/1.1\r\n")
    assert b"\r\nHost: catalog.test:8181\r\n" in head
    assert b"Proxy-Authorization: Basic " + base64.b64encode(b"user:p@ss") in head


@pytest.mark.parametrize("variable", ["https_proxy", "ALL_PROXY"])
def test_proxy_is_asked_to_connect_for_https(drive, monkeypatch, variable):
    with serving() as proxy:
        monkeypatch.setenv(variable, proxy.address.removeprefix("http://"))
        with pytest.raises(Unreachable):
            drive("https://catalog.test", retries=NO_RETRIES).config()

    assert proxy.heads[0][0].startswith(b"CONNECT catalog.test:443 HTTP/1.1\r\n")


@pytest.mark.parametrize("hosts", ["127.0.0.1", "other.test, 127.0.0.1", "*"])
def test_host_of_no_proxy_is_reached_without_the_proxy(drive, monkeypatch, hosts):
    with serving() as proxy, serving() as server:
        monkeypatch.setenv("http_proxy", proxy.address)
        monkeypatch.setenv("no_proxy", hosts)
        drive(server.address).config()

    assert (len(proxy.heads), len(server.heads)) == (0, 1)


def test_unsupported_proxy_is_named_without_its_password(monkeypatch):
    monkeypatch.setenv("ALL_PROXY", "socks4://user:s3cr3t@127.0.0.1:1080")

    with pytest.raises(
        ValueError,
        match=r"ALL_PROXY is socks4://…, and http, https, socks5 or socks5h is supported",
    ) as exc_info:
        IcebergCatalog("http://catalog.test")

    assert "s3cr3t" not in str(exc_info.value)


# Slow sides.


def test_unread_body_stops_the_server_of_an_event_loop():
    size = 0

    def stream(listener):
        nonlocal size
        line, _ = listener.accept()
        with contextlib.suppress(OSError), line:
            line.recv(65536)
            line.settimeout(0.5)
            line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
            while True:
                size += line.send(b"x" * 65536)

    async def read_a_little(address):
        transport = AsyncTransport(Timeouts())
        reply = await transport.send(Request("GET", address, is_streamed=True))
        body = aiter(reply.body)
        await anext(body)
        await asyncio.sleep(1)
        await reply.body.close()
        await transport.close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=stream, args=(listener,))
        thread.start()
        asyncio.run(read_a_little(f"http://127.0.0.1:{listener.getsockname()[1]}/"))
        thread.join()

    assert 0 < size < 20_000_000


@pytest.mark.parametrize("kind", KINDS)
def test_request_that_the_server_does_not_read_times_out(kind):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        request = Request(
            "POST", f"http://127.0.0.1:{listener.getsockname()[1]}/", content=b"x" * 30_000_000
        )
        timeouts = Timeouts(write=0.3, read=0.3)
        with contextlib.closing(Transport(timeouts)) as transport:
            answer = (
                transport.send(request)
                if kind == "sync"
                else asyncio.run(send_and_close(AsyncTransport(timeouts), request))
            )

    assert isinstance(answer, Lost)
    assert (answer.how, type(answer.cause).__name__) == ("unanswered", "WriteTimeout")


async def send_and_close(transport, request):
    answer = await transport.send(request)
    await transport.close()
    return answer


# A client of the caller.


def test_given_client_sends_only_what_the_catalog_says_and_stays_open():
    headers = []

    def answer(request):
        headers.append(request.headers)
        return httpx.Response(
            200, headers={"Set-Cookie": "a=b"}, json={"defaults": {}, "overrides": {}}
        )

    http = httpx.Client(
        transport=httpx.MockTransport(answer),
        headers={"X-Own": "1"},
        auth=("user", "s3cr3t"),
        cookies={"c": "d"},
    )
    with IcebergCatalog("http://catalog.test", auth=BearerToken("token"), http=http) as catalog:
        catalog.config()

    assert (headers[0]["authorization"], "x-own" in headers[0], "cookie" in headers[0]) == (
        "Bearer token",
        False,
        False,
    )
    assert not http.is_closed


@pytest.mark.parametrize(
    ("limits", "option"),
    [
        ({"timeouts": Timeouts(reply=0.2)}, "Timeouts(reply=…)"),
        ({"limits": Limits(body=10)}, "Limits(body=…)"),
    ],
)
def test_reply_through_a_given_client_keeps_to_the_limits(limits, option):
    def drip():
        for _ in range(100):
            yield b" "
            time.sleep(0.02)

    http = httpx.Client(
        transport=httpx.MockTransport(lambda _: httpx.Response(200, content=drip()))
    )
    with (
        IcebergCatalog("http://a.test", http=http, retries=NO_RETRIES, **limits) as catalog,
        pytest.raises(LimitExceeded) as exc_info,
    ):
        catalog.config()

    assert option in str(exc_info.value)
