"""The fast path sends the same bytes as the usual path, for every request, fragmentation and
reading speed.
"""

from __future__ import annotations

import asyncio
import http.client
import itertools
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from both_paths import HOST, USUAL, Counted, Ways, made, quiet, request
from lakepact.reference_server.app import application
from lakepact.reference_server.faults import (
    ANSWERS,
    EVERY,
    Install,
    on_call,
    on_headers,
    on_request,
    on_wire,
)
from lakepact.reference_server.http import fast_protocol
from lakepact.reference_server.http.limits import KEEP_ALIVE_SECONDS
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Service
from lakepact.reference_server.http.wire import Wire
from lakepact.reference_server.running import running
from lakepact.reference_server.storage.store import NotKept


@pytest.fixture(scope="module")
def ways() -> Ways:
    return Ways(Counted(application(made())))


N, T = "/v1/namespaces/n", "/v1/namespaces/n/tables/t"
TARGETS = [
    *(
        "/v1/config",
        "/v1/config?warehouse=",
        "/v1/config?warehouse=nowhere",
        "/v1/namespaces",
        "/v1/namespaces?pageSize=1",
    ),
    *(
        "/v1/namespaces?pageSize=0",
        "/v1/namespaces?parent=n&pageSize=1&pageToken=",
        "/v1/namespaces?parent=x",
    ),
    *(
        N,
        f"{N}%1Fm",
        "/v1/namespaces/%C3%BC%20b",
        "/v1/namespaces/absent",
        "/v1/namespaces/n%1F",
        f"{N}/tables",
        f"{N}/views",
    ),
    *(
        T,
        f"{N}/tables/a%2Fb",
        f"{N}/tables/a%2fb",
        f"{N}/tables/%C3%BC%25",
        f"{N}/tables/a%20b",
        f"{N}/tables/a+b",
        f"{N}/tables/large",
    ),
    *(
        f"{N}/tables/absent",
        "/v1/namespaces/absent/tables/t",
        f"{N}/tables/v",
        f"{N}/views/v",
        f"{N}/views/absent",
        f"{N}/views/t",
    ),
    *(
        f"{T}?snapshots=all",
        f"{T}?snapshots=refs",
        f"{T}?snapshots=",
        f"{T}?snapshots=some",
        f"{T}?snapshots=all&snapshots=all",
    ),
    *(
        f"{T}?x=y",
        f"{T}?",
        f"{T}?snapshots=%61ll",
        f"{T}?%73napshots=refs",
        f"{T}?snapshots=all?",
        f"{T}?snapshots=%FF",
        f"{T}?a=%zz",
    ),
    *(
        f"{T}/",
        f"{T}/credentials",
        f"{T}/nonsense",
        f"{N}/tables/%zz",
        f"{N}/tables/%",
        f"{N}/tables/%FF",
        f"{N}//tables/t",
        "//v1/config",
    ),
    *(
        "/healthz",
        "/nowhere",
        "/v1",
        "/V1/config",
        "*",
        "http://a/v1/config",
        f"{T}#x",
        f"{N}/tables/t;a=b",
        f"{N}/tables/" + "t" * 3000,
    ),
    *(
        f"{N}/./tables/t",
        f"{N}/tables/..",
        f'{N}/tables/"',
        f"{N}/tables/\\",
        f"{N}/tables/|",
        f"{N}/tables/ü",
    ),
]
HEADERS = [
    *(
        USUAL,
        HOST,
        b"",
        HOST.lower(),
        b"HOST:a\r\n",
        b"Host: a\r\nConnection: close\r\n",
        b"Host: a\r\nconnection: Keep-Alive\r\n",
    ),
    *(
        b"Host: a\r\nConnection: keep-alive, close\r\n",
        b"Host: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n",
        b"Host: a\r\nTE: x\r\n",
    ),
    *(
        b"Host: a\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n",
        b"Host: a\r\nExpect: 100-continue\r\n",
        b"Host: a\r\nContent-Length: 0\r\n",
    ),
    *(
        b"Host: a\r\nKeep-Alive: timeout=1\r\n",
        b"Host: a\r\nIf-None-Match: *\r\n",
        b'Host: a\r\nIf-None-Match: "x", W/"y"\r\n',
    ),
    *(
        b"Host: a\r\nX-Iceberg-Access-Delegation: vended-credentials\r\n",
        b"Host: a\r\nX-Iceberg-Access-Delegation: nothing, at all\r\n",
    ),
    *(
        b"Host: a\r\nIf-None-Match: \r\n",
        b"Host: a\r\nIf-None-Match: x\r\nIf-None-Match: y\r\n",
        b"Host: a\r\nX: \xc3\xbc\xff\r\n",
    ),
    *(
        b"Host: a\r\nX:  tab\there \t\r\n",
        b"Host: a\r\nX Y: z\r\n",
        b"Host: a\r\nX\r\n",
        b"Host: a\r\n folded\r\n",
        b"Host: a\nX: y\r\n",
    ),
    *(
        b"Host: a\r\n" + b"X: y\r\n" * 120,
        b"Host: a\r\nX: " + b"y" * 9000 + b"\r\n",
        b"Host: a\r\nX: \x00\r\n",
    ),
    *(
        b"Host: a\r\nAccept-Encoding: gzip\r\nRange: bytes=0-3\r\n",
        b"Host: a\r\nX-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Proto: https\r\n",
    ),
]
REFUSED_BODY = b'{"source": 1}'
POSTED = request(
    "/v1/tables/rename",
    HOST + b"Content-Length: %d\r\n" % len(REFUSED_BODY),
    method="POST",
    body=REFUSED_BODY,
)
JSON_BODY = HOST + b"Content-Type: application/json\r\n"
NOTHING_TO_DO = b'{"requirements": [], "updates": []}'
PROPERTIES = f"{N}/properties"


def posted(target: str, body: bytes) -> bytes:
    return request(
        target, JSON_BODY + b"Content-Length: %d\r\n" % len(body), method="POST", body=body
    )


COMMIT = posted(T, NOTHING_TO_DO)
MISSING = posted(PROPERTIES, b'{"removals": ["absent"]}')
CHUNKED = request(
    "/v1/tables/rename",
    HOST + b"Transfer-Encoding: chunked\r\n",
    method="POST",
    body=b"2\r\n{}\r\n0\r\n\r\n",
)


def again(asked: bytes) -> list[tuple[bytes, bool]]:
    """Return a request four times, so that its headers become known."""
    return [(asked, True)] * 4


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target[:40])
def test_every_path_gets_the_same_bytes_on_both_paths(ways: Ways, target: str, method: str) -> None:
    short, usual = ways.both(again(request(target, method=method)))

    assert short == usual


@pytest.mark.parametrize("target", [T, "/v1/config", f"{N}/tables/absent"])
@pytest.mark.parametrize("headers", HEADERS, ids=lambda headers: headers[9:50].decode("latin-1"))
def test_all_headers_get_the_same_bytes_on_both_paths(
    ways: Ways, headers: bytes, target: str
) -> None:
    short, usual = ways.both(again(request(target, headers)))

    assert short == usual


@pytest.mark.parametrize(
    "asked",
    [
        request(T, version="1.0"),
        request(T, b"Connection: keep-alive\r\n", version="1.0"),
        request(T, version="2.0"),
        request(T, version="1.1 "),
        b"\r\n" + request(T),
        request(T) + b"\r\n",
        request(T).replace(b"\r\n", b"\n"),
        request(T).replace(b"GET ", b"GET  "),
        request(T).replace(b"GET ", b"get "),
        request(T, HOST + b"Content-Length: 3\r\n", body=b"abc"),
        request(T, HOST + b"Transfer-Encoding: chunked\r\n", body=b"0\r\n\r\n"),
        request(T, method="DELETE", headers=HOST).replace(b"/t ", b"/absent "),
        request(T, method="OPTIONS"),
        request(T, method="BREW"),
        POSTED,
        CHUNKED,
        b"",
        b"\r\n",
        b"\x16\x03\x01\x02\x00\x01",
    ],
    ids=lambda asked: asked[:60].decode("latin-1"),
)
def test_unusual_requests_get_the_same_bytes_on_both_paths(ways: Ways, asked: bytes) -> None:
    known = again(request(T)) + again(request(T, HOST))

    assert ways.say("short", known + again(asked) + known) == ways.say(
        "usual", known + again(asked) + known
    )


@pytest.mark.parametrize(
    "before",
    [
        b"G",
        b"GET /nowhere HTTP/1.1\r\n",
        b"GET /nowhere HTTP/1.1\r\nX: ",
        request(
            "/v1/tables/rename", HOST + b"Content-Length: %d\r\n" % len(request(T)), method="POST"
        ),
        request("/v1/tables/rename", HOST + b"Transfer-Encoding: chunked\r\n", method="POST")
        + b"%x\r\n" % len(request(T)),
        request(T, HOST + b"Content-Length: %d\r\n" % len(request(T))),
    ],
    ids=lambda before: before[:60].decode(),
)
def test_request_inside_another_is_not_answered_separately(ways: Ways, before: bytes) -> None:
    short, usual = ways.both(
        [*again(request(T)), (before, True), (request(T), True), (request(T), True)]
    )

    assert short == usual


CONVERSED = [
    *(
        request(T),
        request(T, HOST),
        request(T, HOST, method="HEAD"),
        request(f"{N}/tables/large"),
        request(f"{N}/tables/absent"),
    ),
    *(
        request("/v1/config", HOST),
        request(T, HOST + b"If-None-Match: *\r\n"),
        request("/nowhere"),
        POSTED,
        CHUNKED,
    ),
    request(T, HOST + b"Content-Length: 2\r\n", body=b"{}"),
    *(
        COMMIT,
        MISSING,
        posted(f"{N}/tables/absent", NOTHING_TO_DO),
        posted("/nowhere", b"{}"),
        posted(PROPERTIES, b"[]"),
    ),
    *(request(T, HOST + b"Expect: 100-continue\r\n"), request(T, version="1.0")),
    request(T, HOST + b"Connection: close\r\n"),
]


@settings(max_examples=120, deadline=None)
@given(
    st.lists(st.sampled_from(CONVERSED[:-2]), min_size=1, max_size=7),
    st.sampled_from([b"", *CONVERSED]),
    st.data(),
)
def test_fragmented_requests_get_the_same_bytes_on_both_paths(
    ways: Ways, asked: list[bytes], last: bytes, data: st.DataObject
) -> None:
    whole = b"".join(asked) + last
    seams = [0, *itertools.accumulate(map(len, asked)), len(whole)]
    cut = {seam for seam in seams if data.draw(st.booleans())} | data.draw(
        st.sets(st.integers(0, len(whole)), max_size=4)
    )
    ends = sorted(cut | {0, len(whole)})
    pieces = [
        (whole[start:end], data.draw(st.booleans())) for start, end in itertools.pairwise(ends)
    ]

    short, usual = ways.both(pieces)

    assert short == usual


@pytest.mark.parametrize("way", ["short", "usual"])
def test_shutdown_answers_a_request_whose_body_is_arriving(ways: Ways, way: str) -> None:
    async def conversation() -> bytes:
        protocol, connection, state = ways.connect(way)
        connection.receive(COMMIT[:-5])
        protocol.shutdown()
        connection.receive(COMMIT[-5:])
        await quiet(protocol, state)
        return connection.sent

    assert asyncio.run(conversation())[:15] == b"HTTP/1.1 200 OK"


def test_third_equal_request_takes_the_fast_path(ways: Ways) -> None:
    asked = request(T, HOST + b"X-Own: of this test\r\n")
    before = ways.router.calls
    ways.say("short", [(asked, True)] * 10)

    assert ways.router.calls - before == 2


@pytest.mark.parametrize(
    "target",
    [
        N,
        T,
        f"{N}/views/v",
        f"{N}/tables/absent",
        "/v1/config",
        f"{T}?snapshots=refs",
        f"{N}/tables/a%2Fb",
        "/v1/namespaces",
    ],
)
def test_fast_path_does_not_need_the_same_path_twice(ways: Ways, target: str) -> None:
    asked = request(target, HOST + b"X-Own: of this other test\r\n")
    known = again(request(T, HOST + b"X-Own: of this other test\r\n"))
    ways.say("short", known)
    before = ways.router.calls
    ways.say("short", [(asked, True)])

    assert ways.router.calls - before == 0


def test_known_table_returns_304_on_the_fast_path(ways: Ways) -> None:
    (tag,) = [
        line[6:]
        for line in ways.say("usual", [(request(T), True)]).split(b"\r\n")
        if line.lower().startswith(b"etag: ")
    ]
    asked = request(T, HOST + b"If-None-Match: " + tag + b"\r\n")
    short, usual = ways.both(again(asked))

    assert (short, short.count(b"HTTP/1.1 304 Not Modified\r\n")) == (usual, 4)


def test_a_change_is_seen_at_once(ways: Ways) -> None:
    served: Service = next(iter(ways.router._by_name.values())).service
    asked = request("/v1/namespaces/changing", HOST)
    before = ways.say("short", again(asked))
    served.handlers["createNamespace"](body={"namespace": ["changing"]})
    after = ways.say("short", [(asked, True)])

    assert (before.count(b" 404 "), after[:15]) == (4, b"HTTP/1.1 200 OK")


def _nothing(*_: Any) -> None: ...


async def _sent(wire: Wire, reply: Reply) -> None:
    await wire.answer(reply)


def _without_a_caller(handler: Any, arguments: dict[str, Any]) -> Reply:
    return handler(**{name: value for name, value in arguments.items() if name != "caller"})


def _with_a_caller(served: Service) -> None:
    served.rules.replace("authenticate", lambda *_: {"caller": "somebody"})
    on_call("loadTable", _without_a_caller)(served)


def _with_admission(served: Service) -> None:
    served.rules.replace("admit", lambda _, handler: partial(handler))


@pytest.mark.parametrize(
    "install",
    [
        on_request("loadTable", _nothing),
        on_headers("loadTable", {"x-own": "header"}),
        on_wire("loadTable", _sent),
        _with_a_caller,
        _with_admission,
        ANSWERS["truncates-body"]("loadTable"),
    ],
    ids=["guard", "filter", "sender", "caller", "admission", "fault on the wire"],
)
def test_customized_service_takes_the_usual_path(install: Install) -> None:
    served = made()
    install(served)
    ways = Ways(Counted(application(served)))
    asked = again(request(T))
    short, usual = ways.both(asked)

    assert (short, ways.router.calls) == (usual, 2 * short.count(b"HTTP/1.1 200 OK"))


class Unfinished:
    """Changes that become durable a moment later, or are undone."""

    def __init__(self, lost: NotKept | None = None) -> None:
        self.lost = lost

    def __await__(self) -> Any:
        yield from asyncio.sleep(0).__await__()
        if self.lost:
            raise self.lost

    def wait(self) -> None: ...


@pytest.mark.parametrize(
    "reply",
    [Reply(200), Reply(200, chunks=(b"[", b"]")), Reply(200, b"[]")],
    ids=["empty", "stream", "body"],
)
@pytest.mark.parametrize(
    "pending",
    [None, Unfinished, partial(Unfinished, NotKept("full", 507))],
    ids=["durable", "pending", "undone"],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_handler_runs_once_for_replies_that_only_uvicorn_can_send(
    method: str, pending: Any, reply: Reply
) -> None:
    calls: list[Any] = []

    def act(_: Any, arguments: Any) -> Reply:
        calls.append(arguments)
        return reply

    served = made()
    served.pending = pending
    on_call(EVERY, act)(served)
    short, usual = Ways(Counted(application(served))).both(again(request(T, method=method)))

    assert (short, len(calls)) == (usual, 8)


@pytest.mark.parametrize(
    "raised", [Problem(404, "NoSuchTableException", "gone"), RuntimeError("broken")]
)
def test_exception_of_a_handler_is_answered_once(
    raised: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    asked = 0

    def fail(_handler: Any, _arguments: Any) -> Reply:
        nonlocal asked
        asked += 1
        raise raised

    served = made()
    on_call("loadTable", fail)(served)
    ways = Ways(Counted(application(served)))
    answers = ways.say("short", again(request(T)))

    problem = isinstance(raised, Problem)
    assert (
        asked,
        answers.count(b"HTTP/1.1 404" if problem else b"HTTP/1.1 500"),
        ways.router.calls,
    ) == (4, 4, 2)
    assert sum("loadTable failed" in record.getMessage() for record in caplog.records) == (
        0 if problem else 4
    )


def test_client_that_reads_nothing_waits_on_the_usual_path(ways: Ways) -> None:
    async def conversation() -> tuple[bytes, bytes]:
        protocol, connection, state = ways.connect("short")
        for _ in range(3):
            connection.receive(request(T))
            await quiet(protocol, state)
        before = connection.sent
        protocol.pause_writing()
        connection.receive(request(T))
        for _ in range(20):
            await asyncio.sleep(0)
        held = connection.sent[len(before) :]
        protocol.resume_writing()
        await quiet(protocol, state)
        connection.close()
        await asyncio.sleep(0)
        return held, connection.sent[len(before) :]

    held, sent = asyncio.run(conversation())

    assert (held, sent) == (b"", ways.say("usual", [(request(T), True)]))


class Clock:
    """A loop whose time is set by a test."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[tuple[float, Callable[[], None]]] = []

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, act: Callable[..., None], *arguments: Any) -> Any:
        self.timers.append((self.now + delay, partial(act, *arguments)))
        return asyncio.get_running_loop().call_later(1000, _nothing)

    def create_task(self, work: Any) -> Any:
        return asyncio.get_running_loop().create_task(work)

    def go_to(self, moment: float) -> None:
        while due := [timer for timer in self.timers if timer[0] <= moment]:
            first = min(due, key=lambda timer: timer[0])
            self.timers.remove(first)
            self.now, act = first
            act()
        self.now = moment


def test_idle_connection_is_closed_on_both_paths(ways: Ways) -> None:
    async def conversation() -> list[bool]:
        clock = Clock()
        _, connection, _ = ways.connect("short", clock)
        open_at: list[bool] = []
        for moment in (1.0, 3.0, 3.0 + KEEP_ALIVE_SECONDS - 1, 3.0 + KEEP_ALIVE_SECONDS + 1):
            clock.go_to(moment)
            open_at.append(not connection.is_closing())
            if moment <= 3:
                connection.receive(request(T))
        await asyncio.sleep(0)
        return open_at

    ways.say("short", again(request(T)))

    assert asyncio.run(conversation()) == [True, True, True, False]


def test_answers_of_the_fast_path_are_counted_by_the_server(ways: Ways) -> None:
    async def conversation() -> int:
        protocol, connection, state = ways.connect("short")
        for _ in range(5):
            connection.receive(request(T))
            await quiet(protocol, state)
        connection.close()
        await asyncio.sleep(0)
        return state.total_requests

    assert asyncio.run(conversation()) == 5


def test_headers_that_come_once_are_not_kept(ways: Ways) -> None:
    known = ways._configs["short"].http_protocol_class.keywords["headers"]
    before = len(known._known)
    ways.say(
        "short",
        [(request(T, HOST + b"X-Request-Id: %d\r\n" % number), True) for number in range(50)],
    )

    assert len(known._known) == before


def test_table_of_the_fast_path_equals_the_stored_table(ways: Ways) -> None:
    _, _, body = ways.say("short", again(request(T)))[:].rpartition(b"\r\n\r\n")
    served: Service = next(iter(ways.router._by_name.values())).service

    assert orjson.loads(body) == served.handlers["loadTable"](namespace="n", table="t").document


@pytest.mark.parametrize("fast_path", [True, False])
def test_server_answers_with_and_without_the_fast_path(fast_path: bool) -> None:  # noqa: FBT001
    with running(warehouse="memory:", fast_path=fast_path) as server:
        answers = []
        with closing(http.client.HTTPConnection(server.url.removeprefix("http://"))) as connection:
            for _ in range(4):
                connection.request("GET", "/v1/namespaces")
                with connection.getresponse() as answer:
                    answers.append((answer.status, answer.read()))

    assert answers == [(200, b'{"namespaces":[],"next-page-token":null}')] * 4


@pytest.mark.parametrize("known", ["SHARED", "CALLED", "HELD", "COUNTED", "HEEDED"])
def test_unknown_uvicorn_version_disables_the_fast_path(
    known: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(
        fast_protocol, known, frozenset({*getattr(fast_protocol, known), f"no_{known.lower()}"})
    )
    with (
        running(warehouse="memory:") as server,
        closing(http.client.HTTPConnection(server.url.removeprefix("http://"))) as connection,
    ):
        statuses = []
        for _ in range(4):
            connection.request("GET", "/v1/namespaces")
            with connection.getresponse() as answer:
                statuses.append((answer.status, answer.read()))

    said = f"this version of uvicorn has no no_{known.lower()}: requests are answered, but no faster than by other servers"
    assert (statuses, caplog.messages) == (
        [(200, b'{"namespaces":[],"next-page-token":null}')] * 4,
        [said],
    )
