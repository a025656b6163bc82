"""Hostile bodies return a 4xx error with the reason, for every operation at one place."""

from __future__ import annotations

import pytest

from raw_connections import sent
from raw_requests import Sender

RAW = {
    "empty": (b"", "the body is empty"),
    "cut off": (b'{"namespace":[', "unexpected end of data at line 1 column"),
    "array": (b"[]", "at the top: "),
    "null": (b"null", "at the top: "),
    "nothing in it": (b"{}", "is a required property"),
    "given twice": (b'{"name":"a","name":"b"}', "at the top: the member 'name' is given twice"),
    "300 arrays deep": (b'{"a":' + b"[" * 300 + b"]" * 300 + b"}", "deep"),
}


@pytest.mark.parametrize("case", RAW)
def test_invalid_body_returns_400_with_the_reason(send: Sender, table: str, case: str) -> None:
    raw, why = RAW[case]
    answer = send("POST", table, raw)

    assert answer.error == (400, "BadRequestException")
    assert why in answer.message
    assert len(answer.message) < 2000


def test_a_body_of_ten_megabytes_is_413(send: Sender, table: str) -> None:
    answer = send("POST", table, b'{"a":"' + b"x" * 10_000_000 + b'"}')

    assert answer.error == (413, "PayloadTooLargeException")


def test_a_body_that_grows_too_large_in_chunks_is_413(send: Sender) -> None:
    head = (
        b"POST /v1/namespaces HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"

    assert sent(send.url, head + chunk * 9 + b"0\r\n\r\n").startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1", ""],
)
def test_a_body_of_another_type_is_415(send: Sender, table: str, content_type: str) -> None:
    answer = send("POST", table, {"updates": []}, content_type=content_type)

    assert answer.error == (415, "UnsupportedMediaTypeException")


def test_a_compressed_body_is_415(send: Sender, table: str) -> None:
    assert send("POST", table, {"updates": []}, content_encoding="gzip").status == 415


@pytest.mark.parametrize(
    "content_type",
    ["application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"', "application/json;v=1"],
)
def test_json_content_type_with_parameters_is_accepted(
    send: Sender, table: str, content_type: str
) -> None:
    body = {"requirements": [], "updates": []}

    assert send("POST", table, body, content_type=content_type).status == 200
