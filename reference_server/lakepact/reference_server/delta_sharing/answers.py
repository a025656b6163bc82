"""How this contract is answered: JSON on one line of ASCII, and refusals by their names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply

JSON = b"application/json; charset=utf-8"

#: Error codes, as the official server has them where it has one, for what is refused before an
#: operation sees it.
KINDS = {
    400: "INVALID_PARAMETER_VALUE",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "RESOURCE_DOES_NOT_EXIST",
    405: "UNSUPPORTED_OPERATION",
    406: "UNSUPPORTED_OPERATION",
    413: "MALFORMED_REQUEST",
    415: "MALFORMED_REQUEST",
    416: "INVALID_PARAMETER_VALUE",
    500: "INTERNAL_ERROR",
}


def one_line(document: Mapping[str, Any]) -> bytes:
    """Return a document as JSON in ASCII: some clients take U+2028 and its like for the end of a
    line.
    """
    text = orjson.dumps(document)
    return text if text.isascii() else json.dumps(document, separators=(",", ":")).encode()


def json_answer(document: Mapping[str, Any]) -> Reply:
    """Return an answer whose body is `document`."""
    return Reply(200, one_line(document), media_type=JSON)


def error_body(problem: Problem) -> bytes:
    """Return a problem as the contract's error body."""
    return one_line({"errorCode": problem.kind, "message": problem.message})


def refusal(status: int, message: str) -> Problem:
    """Return a request that is refused with the error code of its status."""
    return Problem(status, KINDS[status], message)
