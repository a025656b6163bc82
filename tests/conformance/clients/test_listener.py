"""The HTTP server behind which clients are tested: complete, late, cut and missing answers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest

from lakepact.conformance.programs.listener import Answer, Listener, Received

WHOLE = Answer(200, body=b'{"whole": true}')


ANSWERS = {
    "/whole": WHOLE,
    "/late": replace(WHOLE, delay=0.2),
    "/cut": replace(WHOLE, cut=5),
    "/none": Answer(0),
    "/empty": Answer(204),
}


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    def answer(request: Received) -> Answer:
        return ANSWERS.get(request.target, Answer(200, body=request.body))

    listener = Listener(answer).open()
    with httpx.Client(base_url=listener.address, trust_env=False) as client:
        yield client
    listener.close()


def test_bodies_arrive_and_the_connection_is_kept(client: httpx.Client) -> None:
    assert client.get("/whole").json() == client.get("/whole").json() == {"whole": True}
    assert client.post("/echo", content=b"x" * 200_000).content == b"x" * 200_000


@pytest.mark.parametrize(
    ("method", "path", "length"),
    [("HEAD", "/whole", str(len(WHOLE.body))), ("GET", "/empty", None)],
)
def test_answer_without_a_body_has_the_length_that_http_allows(
    client: httpx.Client, method: str, path: str, length: str | None
) -> None:
    reply = client.request(method, path)

    assert (reply.headers.get("content-length"), reply.content) == (length, b"")


def test_late_answer_is_late(client: httpx.Client) -> None:
    before = time.monotonic()

    assert client.get("/late").is_success
    assert time.monotonic() - before >= 0.2


@pytest.mark.parametrize("path", ["/cut", "/none"])
def test_closed_connection_is_an_error(client: httpx.Client, path: str) -> None:
    with pytest.raises(httpx.RemoteProtocolError):
        client.get(path)
    assert client.get("/whole").is_success
