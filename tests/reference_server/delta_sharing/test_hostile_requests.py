"""Hostile requests to listings and data files get answers in the contract's form."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakepact.reference_server import Server
from raw_connections import sent

from .conftest import TOKENS

SEGMENTS = (
    "shares Main.Share schemas Sales tables all-tables files t1 . .. %2e%2e %2F %00 % %zz %ff %C3%A9 %25 * {share} ~ %0d%0aX:%20y "
    "%F0%9F%98%80 %ED%A0%80 ' \" <x> \\ | ^ " + "a" * 300
).split(" ")
VALUES = [
    "0",
    "1",
    "-1",
    "2147483647",
    "1e9",
    "abc",
    "%00",
    "%ff",
    "%",
    "+",
    "%F0%9F%98%80",
    "true",
    "[]",
    "{}",
    "=",
    "&",
    "",
]
VALUES += ["9" * 50, "A" * 2000]
NAMES = [
    "maxResults",
    "pageToken",
    "maxresults",
    "X-Amz-Signature",
    "expires",
    "",
    "%ff",
    "maxResults%5B%5D",
    "x",
]
KNOWN = f"Authorization: Bearer {TOKENS['all']}"
HEADERS = [
    KNOWN,
    "Authorization: Bearer",
    "Authorization: \xff\xfe",
    "Content-Length: 0",
    "Accept: \xff",
    f"X: {'y' * 9000}",
]
HEADERS += [f"Host: {host}" for host in ("x", "\xff", "a b", "", "x:99999999", "[::1]:80", 'a"b')]
HEADERS += ["Range: bytes=0-", "Range: \xff", "If-Range: \xff"]


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    method=st.sampled_from(["GET", "HEAD", "POST", "DELETE", "OPTIONS"]),
    segments=st.lists(st.sampled_from(SEGMENTS), max_size=7),
    query=st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES)), max_size=3),
    headers=st.lists(st.sampled_from(HEADERS), max_size=4),
    token=st.booleans(),
)
def test_no_request_makes_the_server_fail(
    sharing: Server,
    *,
    method: str,
    segments: list[str],
    query: list[tuple[str, str]],
    headers: list[str],
    token: bool,
) -> None:
    path = "/".join(["/delta-sharing", *segments]) + (
        "?" + "&".join("=".join(pair) for pair in query) if query else ""
    )
    lines = [
        f"{method} {path} HTTP/1.1",
        *headers,
        *([KNOWN] if token else []),
        "Connection: close",
    ]
    answer = sent(sharing.url, ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
    head, _, body = answer.partition(b"\r\n\r\n")
    status = int(head.split(b" ")[1])

    assert status < 500
    if b"content-type: application/json" in head and method != "HEAD":
        assert (set(document(body)) <= {"errorCode", "message"}) == (status >= 400)
    else:
        # The HTTP parser refuses malformed requests, and headers of 64 KiB, before the application.
        assert method == "HEAD" or status in {400, 431}


def document(body: bytes) -> Any:
    assert body.isascii()
    return json.loads(body)
