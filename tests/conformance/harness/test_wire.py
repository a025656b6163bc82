"""The wire sends requests unchanged, records the answers and hides secrets."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from lakepact.conformance.evidence.exchanges import ErrorBody, Reply
from lakepact.conformance.evidence.outcome import Blocked, Unmet
from lakepact.conformance.http.wire import Wire
from miniatures import Answer, answer, miniature

from .test_connections import speaking

TOKEN = "s3cr3t-token-value"


def test_request_target_is_sent_unchanged() -> None:
    targets: list[str] = []
    with (
        miniature(lambda _m, target, _b: targets.append(target) or answer(200, {})) as url,
        Wire(url) as wire,
    ):
        wire.send("GET", "/v1/a%1fb/c%2Fd/%41?x=%20")

    assert targets == ["/v1/a%1fb/c%2Fd/%41?x=%20"]


def test_body_after_head_is_recorded() -> None:
    with miniature(lambda *_: answer(404, {"error": {}})) as url, Wire(url) as wire:
        reply = wire.send("HEAD", "/v1/x")

    assert reply.status == 404
    assert reply.body == b'{"error": {}}'


def test_body_after_204_is_recorded_on_a_separate_connection() -> None:
    with miniature(lambda *_: answer(204, {"a": 1})) as url, Wire(url) as wire:
        reply = wire.send("DELETE", "/v1/x", alone=True)

    assert reply.body == b'{"a": 1}'


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_chunked_body_is_joined_on_a_separate_connection(method: str) -> None:
    chunks = b'5;of=2\r\n{"a":\r\n3\r\n 1}\r\n0\r\n\r\n'
    content = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n" + chunks
    with speaking(content) as (host, port, _), Wire(f"http://{host}:{port}") as wire:
        reply = wire.send(method, "/v1/x", alone=True)

    assert reply.body == b'{"a": 1}'


def test_curl_line_sends_the_same_request() -> None:
    requests: list[tuple[str, str, bytes]] = []

    def record(method: str, target: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        requests.append((method, target, body))
        return answer(200, {})

    with miniature(record) as url, Wire(url) as wire:
        body = b'{"name": "it\'s \xc3\xa9", "n": 1}'
        reply = wire.send(
            "POST", "/v1/a%1Fb?q=%2F", headers=[("Content-Type", "application/json")], body=body
        )
        subprocess.run(
            reply.exchange.curl(),
            shell=True,
            check=True,
            capture_output=True,
            executable="/bin/bash",
        )

    assert requests[1] == requests[0]


def test_curl_line_keeps_binary_bodies() -> None:
    bodies: list[bytes] = []
    with (
        miniature(lambda _m, _t, body: bodies.append(body) or answer(400, {})) as url,
        Wire(url) as wire,
    ):
        reply = wire.send("POST", "/x", body=b"\xff\xfe\"\x01'\\")
        subprocess.run(
            reply.exchange.curl(),
            shell=True,
            check=True,
            capture_output=True,
            executable="/bin/bash",
        )

    assert bodies == [b"\xff\xfe\"\x01'\\"] * 2


@pytest.mark.parametrize(
    ("of_target", "of_request"),
    [({"Authorization": f"Bearer {TOKEN}"}, []), ({}, [("Authorization", f"Bearer {TOKEN}")])],
)
def test_token_of_a_target_or_a_request_is_hidden(
    of_target: dict[str, str], of_request: list[tuple[str, str]]
) -> None:
    refusal = answer(401, {"error": {"message": f"bad token {TOKEN}"}})
    with miniature(lambda *_: refusal) as url, Wire(url, headers=of_target) as wire:
        reply = wire.send("GET", "/v1/config", headers=of_request)

        assert TOKEN not in reply.exchange.curl() + reply.summary + reply.exchange.redact(
            reply.body.decode()
        ) + wire.redact(f"got {TOKEN}")


@pytest.mark.parametrize(
    "document",
    [
        {"url": f"https://s3/a.parquet?X-Amz-Date=1&X-Amz-Signature={TOKEN}&x=1"},
        {"url": f"https://blob/a.parquet?sp=r&sig={TOKEN}"},
        {
            "awsTempCredentials": {
                "accessKeyId": "AKIA",
                "secretAccessKey": TOKEN,
                "sessionToken": TOKEN,
            }
        },
        {"azureUserDelegationSas": {"sasToken": TOKEN}},
        {"config": {"s3.secret-access-key": TOKEN, "s3.session-token": TOKEN}},
    ],
    ids=["s3", "azure", "aws", "sas", "iceberg"],
)
def test_secret_of_an_answer_is_hidden(document: dict[str, Any]) -> None:
    with miniature(lambda *_: answer(200, document)) as url, Wire(url) as wire:
        reply = wire.send("GET", "/x")

    assert TOKEN not in reply.summary
    assert TOKEN not in wire.redact(reply.body.decode())


def test_cut_text_shows_no_part_of_a_secret() -> None:
    with (
        miniature(lambda *_: answer(401, {"message": "x" * 275 + TOKEN})) as url,
        Wire(url, headers={"Authorization": f"Bearer {TOKEN}"}) as wire,
    ):
        assert TOKEN[:5] not in wire.send("GET", "/x").summary


def test_lines_are_parsed_as_json_documents() -> None:
    with (
        miniature(lambda *_: (200, {}, b'{"a": "\xe2\x80\xa8"}\n{"b": 2}\r\n')) as url,
        Wire(url) as wire,
    ):
        assert wire.send("GET", "/x").lines == ({"a": "\u2028"}, {"b": 2})


def test_missing_answer_is_blocked() -> None:
    with (
        Wire("http://127.0.0.1:9", timeout=2) as wire,
        pytest.raises(Blocked, match="no answer to GET"),
    ):
        wire.send("GET", "/v1/config")


def test_body_after_204_spoils_at_most_one_exchange() -> None:
    with_body = b"HTTP/1.1 204 No Content\r\n\r\n{}"
    with (
        speaking(with_body, stays=True) as (host, port, _),
        Wire(f"http://{host}:{port}", timeout=5) as wire,
    ):
        results = [answers(wire) for _ in range(6)]

    assert results.count(False) <= 1


def answers(wire: Wire) -> bool:
    try:
        return wire.send("DELETE", "/x").status == 204
    except Blocked:
        return False


class Sticky:
    """A server that gives a cookie, and records those that it gets back."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def listen(self, headers: dict[str, str]) -> None:
        self.seen.append(headers.get("cookie", ""))

    def __call__(self, *_: object) -> Answer:
        return answer(200, **{"Set-Cookie": "node=a"})


def test_cookies_are_sent_back() -> None:
    server = Sticky()
    with miniature(server) as url, Wire(url) as wire:
        for _ in range(2):
            wire.send("GET", "/")

    assert server.seen == ["", "node=a"]


@pytest.mark.parametrize(
    ("body", "read", "complaint"),
    [
        (b'{"a": [1', lambda reply: reply.document, r"no JSON .*, of 8 bytes"),
        (b'["x"]', lambda reply: reply.document, "a JSON object"),
        (
            b'{"metadata": {}}',
            lambda reply: reply.at("metadata", "table-uuid"),
            "metadata/table-uuid",
        ),
        (b'{"a":\n1}', lambda reply: reply.lines, "a JSON object on each line"),
        (b"{}\n1\n", lambda reply: reply.lines, "a JSON object on each line"),
        (b"<html>", lambda reply: reply.lines, "a JSON object on each line"),
    ],
)
def test_answer_without_what_is_read_is_unmet(
    body: bytes, read: Callable[[Reply], Any], complaint: str
) -> None:
    with (
        miniature(lambda *_: (200, {"Content-Type": "application/json"}, body)) as url,
        Wire(url) as wire,
    ):
        reply = wire.send("GET", "/")

    with pytest.raises(Unmet, match=complaint):
        read(reply)


def test_disconnect_sends_the_whole_request_and_reads_no_answer() -> None:
    pieces: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:
        with Wire(f"http://127.0.0.1:{listening.getsockname()[1]}") as wire:
            reply = wire.send("POST", "/v1/x", body=b"{}", disconnect_after=0.0)
        connection, _ = listening.accept()
        with connection:
            connection.settimeout(5)
            while piece := connection.recv(65536):
                pieces.append(piece)

    assert (reply.status, reply.exchange.request_body) == (0, b"{}")
    assert b"".join(pieces).startswith(b"POST /v1/x HTTP/1.1\r\n")
    assert b"".join(pieces).endswith(b"\r\n\r\n{}")


def test_request_without_retries_returns_the_busy_answer_at_once() -> None:
    targets: list[str] = []

    def busy(method: str, target: str, body: bytes) -> Any:
        targets.append(target)
        return answer(429, {"error": {"message": "busy", "type": "SlowDownException", "code": 429}})

    with miniature(busy) as url, Wire(url) as wire:
        reply = wire.send("GET", "/v1/config", retry=False)

    assert (reply.status, targets) == (429, ["/v1/config"])


def with_a_stack(**changes: Any) -> dict[str, Any]:
    """Return an error body of 10 kB whose members are in alphabetical order."""
    error = {"code": 404, "message": "no table", "stack": ["at a.b(C:1)"] * 800, "type": "Gone"}
    return {"error": error | changes}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (with_a_stack(), ErrorBody("no table", "Gone")),
        (with_a_stack(type=None), ErrorBody("no table")),
        ({"errorCode": "GONE", "message": "no share"}, ErrorBody("no share", "GONE")),
        ({"message": "gone", "status": "404"}, ErrorBody("gone")),
        (["gone"], ErrorBody('["gone"]')),
    ],
    ids=["long", "no type", "sharing", "another body", "list"],
)
def test_error_is_read_from_the_whole_body_and_kept_when_it_is_cut(
    body: object, expected: ErrorBody
) -> None:
    with miniature(lambda *_: answer(404, body)) as url, Wire(url) as wire:
        number = wire.send("GET", "/v1/x").exchange.number
        wire.truncate_body(number)

    assert wire.exchanges[number].error == expected


def test_answer_that_is_no_error_has_none() -> None:
    with miniature(lambda *_: answer(200, with_a_stack())) as url, Wire(url) as wire:
        assert wire.send("GET", "/v1/x").exchange.error is None
