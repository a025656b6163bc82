"""Mutated requests get the same answers from the fast path as from uvicorn's protocol."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import pairwise

import pytest

from both_paths import HOST, USUAL, Counted, Ways, made, request
from lakepact.reference_server.app import application

N, T = "/v1/namespaces/n", "/v1/namespaces/n/tables/t"
JSON = HOST + b"Content-Type: application/json\r\n"
GARBAGE = [
    *(
        b"\x00\x01",
        b"garbage\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01",
        b"\r\n\r\n\r\n",
        b"0\r\n\r\n",
        b" ",
        b"\n",
    ),
    b"GET /v1/config HTTP/1.1\r\nHo",
]
METHODS = [
    b"HEAD",
    b"DELETE",
    b"OPTIONS",
    b"PUT",
    b"PATCH",
    b"CONNECT",
    b"BREW",
    b"get",
    b"G",
    b"POST",
    b"PRI",
    b"QUERY",
]
DUPLICATED = [
    *(
        b"Host: b\r\n",
        b"Content-Length: 2\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Connection: close\r\n",
        b"Connection: keep-alive\r\n",
    ),
    *(
        b"Expect: 100-continue\r\n",
        b"Upgrade: websocket\r\n",
        b"Connection: Upgrade\r\n",
        b"X: " + b"y" * 40_000 + b"\r\n",
        b"X: y\r\n" * 300,
    ),
    *(
        b"Content-Length: 99999999\r\n",
        b"If-None-Match: *\r\n",
        b"X\r\n",
        b" folded\r\n",
        b"Content-Length: -1\r\n",
    ),
]
REFUSED = (
    b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 30\r\nconnection: close\r\n\r\n"
    b"Invalid HTTP request received."
)
#: Only these parts of an answer may differ between two catalogs with the same content.
VOLATILE = re.compile(rb"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{12,32}|[0-9]{13}")


def posted(target: str, body: bytes) -> bytes:
    return request(target, JSON + b"Content-Length: %d\r\n" % len(body), method="POST", body=body)


def chunked(target: str, body: bytes) -> bytes:
    pieces = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    return request(target, JSON + b"Transfer-Encoding: chunked\r\n", method="POST", body=pieces)


WELL_FORMED = [
    *(
        request(T),
        request(T, USUAL),
        request("/v1/config"),
        request("/v1/namespaces?pageSize=1"),
        request(f"{N}/tables/absent"),
    ),
    *(
        request(T, method="HEAD"),
        request(f"{N}/tables/absent", method="DELETE"),
        request(f"{N}/tables/large"),
        request("/nowhere"),
    ),
    posted(T, b'{"requirements": [], "updates": []}'),
    posted(f"{N}/properties", b'{"removals": ["absent"]}'),
    posted(f"{N}/properties", b'{"updates": {"a": "\r\n\r\n"}}'),
    posted("/v1/namespaces", b'{"namespace": ["m"]}'),
    posted(f"{N}/properties", b"{" + b" " * 70_000 + b"}"),
    chunked(f"{N}/properties", b'{"removals": ["absent"]}'),
    chunked(f"{N}/properties", b"{\r\n\r\n}"),
]


def flipped(raw: bytes, choose: random.Random) -> bytes:
    """Change one to three bytes of a request, usually in its head."""
    changed = bytearray(raw)
    for _ in range(choose.randint(1, 3)):
        changed[choose.randrange(min(len(raw), 200))] = choose.choice(
            [choose.randrange(256), 13, 10, 32, 58, 0]
        )
    return bytes(changed)


def cut(raw: bytes, choose: random.Random) -> bytes:
    return raw[: choose.randrange(len(raw))]


def removed(raw: bytes, choose: random.Random) -> bytes:
    start = choose.randrange(len(raw))
    return raw[:start] + raw[start + choose.randint(1, 20) :]


def with_header(raw: bytes, choose: random.Random) -> bytes:
    line, _, rest = raw.partition(b"\r\n")
    return line + b"\r\n" + choose.choice(DUPLICATED) + rest


def with_method(raw: bytes, choose: random.Random) -> bytes:
    return choose.choice(METHODS) + raw[raw.index(b" ") :]


def with_target(raw: bytes, choose: random.Random) -> bytes:
    target = choose.choice(
        [
            b"*",
            b"/" + b"a" * 20_000,
            b"//a",
            b"/v1/%zz",
            b"http://a/v1/config",
            b"a:1",
            b"/v1/config#x",
            b"/\xff",
            b"",
        ]
    )
    return re.sub(rb" [^ ]* HTTP", lambda _: b" " + target + b" HTTP", raw, count=1)


def with_version(raw: bytes, choose: random.Random) -> bytes:
    return raw.replace(
        b"HTTP/1.1",
        choose.choice(
            [b"HTTP/1.0", b"HTTP/2.0", b"HTTP/0.9", b"HTTP/1.1 ", b"http/1.1", b"ICE/1.0"]
        ),
        1,
    )


MUTATIONS: list[Callable[[bytes, random.Random], bytes]] = [
    flipped,
    cut,
    removed,
    with_header,
    with_method,
    with_target,
    with_version,
]


def conversation(choose: random.Random) -> tuple[list[tuple[bytes, bool]], int]:
    """Return a pipeline of one to five requests in random pieces, and how many of the requests are
    mutated.

    Each piece comes with whether the next one waits until the server has nothing more to do.
    """
    asked = [choose.choice(WELL_FORMED) for _ in range(choose.randint(1, 5))]
    chosen = [number for number in range(len(asked)) if choose.random() < 0.6] or [len(asked) - 1]
    for number in chosen:
        asked[number] = choose.choice(MUTATIONS)(asked[number], choose)
    whole = b"".join(asked) + (choose.choice(GARBAGE) if choose.random() < 0.3 else b"")
    cuts = {choose.randrange(len(whole) + 1) for _ in range(choose.choice([0, 0, 1, 3, 8]))}
    if choose.random() < 0.5:
        cuts |= {sum(map(len, asked[:number])) for number in range(len(asked))}
    ends = sorted({0, len(whole), *cuts})
    return [(whole[start:end], choose.random() < 0.5) for start, end in pairwise(ends)], len(chosen)


class Pair:
    """Two catalogs with the same content, one behind each path."""

    def __init__(self) -> None:
        self._short, self._usual = (Ways(Counted(application(made()))) for _ in range(2))
        for known in WELL_FORMED:
            for _ in range(3):
                self.answers([(known, True)])

    def answers(self, pieces: list[tuple[bytes, bool]]) -> tuple[bytes, bytes]:
        said = self._short.say("short", pieces), self._usual.say("usual", pieces)
        return VOLATILE.sub(b"<>", said[0]), VOLATILE.sub(b"<>", said[1])

    @property
    def long_way(self) -> tuple[int, int]:
        """Return how many requests came to the application of each path."""
        return self._short.router.calls, self._usual.router.calls


@pytest.fixture(scope="module")
def pair() -> Pair:
    return Pair()


def compare(pair: Pair, *, requests: int, seed: int) -> None:
    choose = random.Random(seed)
    done = 0
    while done < requests:
        pieces, mutated = conversation(choose)
        short, usual = pair.answers(pieces)
        if short != usual and is_race(short, usual):
            short, usual = pair.answers([(piece, True) for piece, _ in pieces])
        assert short == usual, f"seed {seed}, after {done} requests: {pieces}"
        done += mutated


def is_race(short: bytes, usual: bytes) -> bool:
    """Return whether one path refused a request for its body, and the other answered before that
    part of the body came.
    """
    differs = next(
        (at for at, (one, other) in enumerate(zip(short, usual, strict=False)) if one != other),
        min(len(short), len(usual)),
    )
    start = max(
        short.rfind(b"HTTP/1.1 ", 0, differs + 9), usual.rfind(b"HTTP/1.1 ", 0, differs + 9)
    )
    return any(said[start:] == REFUSED for said in (short, usual))


def test_mutated_requests_are_answered_alike_on_both_paths(pair: Pair) -> None:
    compare(pair, requests=400, seed=1)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(10, 15))
def test_twenty_thousand_mutated_requests_are_answered_alike_on_both_paths(
    pair: Pair, seed: int
) -> None:
    compare(pair, requests=4000, seed=seed)


def test_mutated_requests_reach_the_fast_path_too(pair: Pair) -> None:
    before = pair.long_way
    compare(pair, requests=200, seed=2)
    short, usual = (after - earlier for after, earlier in zip(pair.long_way, before, strict=True))

    assert 0 < short < usual
