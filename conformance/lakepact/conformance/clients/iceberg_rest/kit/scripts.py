"""Catalogs with unusual answers and declared endpoints, as scripts for the scripted server."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

import orjson

from lakepact.conformance.evidence.exchanges import Document
from lakepact.conformance.programs.listener import Answer
from lakepact.conformance.programs.scripted_server import Forward, Request, Script
from lakepact.generated.contract import Contract, OperationId
from lakepact.generated.iceberg_rest import op

HTML = (("content-type", "text/html"),)


def error(status: int, kind: str = "ServerError", **headers: str) -> Answer:
    """Return an error with a well-formed body; underscores in names of headers stand for
    hyphens.
    """
    body = orjson.dumps(
        {"error": {"message": "an answer of the script", "type": kind, "code": status}}
    )
    answer = Answer(status, body=body)
    for name, value in headers.items():
        answer = answer.with_header(name.replace("_", "-"), value)
    return answer


#: Bodies of errors that are missing, or not those of the contract.
BODIES: Mapping[str, Callable[[Answer], Answer]] = {
    "no body": lambda answer: replace(answer, body=b"", headers=()),
    "an HTML body": lambda answer: replace(
        answer, body=b"<html><body><h1>It does not work</h1></body></html>", headers=HTML
    ),
    "half a JSON body": lambda answer: replace(answer, body=answer.body[: len(answer.body) // 2]),
    "a JSON body without error": lambda answer: replace(
        answer, body=b'{"message": "it does not work"}'
    ),
    "a JSON array as body": lambda answer: replace(answer, body=b"[]"),
}


def answering(
    operations: OperationId | Collection[OperationId],
    *answers: Answer | None,
    is_applied: bool = False,
) -> Script:
    """Return a catalog that answers the requests for some operations with these answers; the last
    one is repeated.

    Args:
        operations: an operation, or several.
        answers: None forwards the request.
        is_applied: whether a request is forwarded although its answer is replaced.
    """
    ids = {operations} if isinstance(operations, str) else set(operations)
    left = list(answers)
    lock = threading.Lock()

    def script(request: Request, forward: Forward) -> Answer:
        if request.operation not in ids:
            return forward(request)
        with lock:
            answer = left.pop(0) if len(left) > 1 else left[0]
        if answer is None:
            return forward(request)
        if is_applied:
            forward(request)
        return answer

    return script


def at_first(
    script: Script, operations: OperationId | Collection[OperationId], part: bytes = b""
) -> Script:
    """Return a catalog that answers the first request for some operations with `part` in its body
    by a script, and all others unchanged.
    """
    ids = {operations} if isinstance(operations, str) else set(operations)
    met: list[bytes] = []

    def first(request: Request, forward: Forward) -> Answer:
        if request.operation not in ids or part not in request.body or met:
            return forward(request)
        met.append(request.body)
        return script(request, forward)

    return first


def changing(
    operations: OperationId | Collection[OperationId],
    change: Callable[[Document], Document],
) -> Script:
    """Return a catalog whose successful answers to some operations are changed, without their
    ETag.
    """
    ids = {operations} if isinstance(operations, str) else set(operations)

    def script(request: Request, forward: Forward) -> Answer:
        answer = forward(request)
        if request.operation not in ids or answer.status != 200:
            return answer
        return answer.with_document(change(answer.document)).with_header("etag", None)

    return script


ROUTES = {
    operation: f"{method} {template}"
    for method, template, operation in Contract("iceberg_rest").routes
}
ALWAYS = frozenset({op.get_config, op.get_token})
MISSING = Answer(404, headers=(("content-type", "text/plain"),), body=b"no such route")


def with_endpoints(without: Collection[OperationId] = ()) -> Script:
    """Return a catalog whose configuration lists its endpoints; it does not serve those in
    `without`.
    """

    def script(request: Request, forward: Forward) -> Answer:
        if request.operation in without:
            return MISSING
        answer = forward(request)
        if request.operation != op.get_config or answer.status != 200:
            return answer
        routes = [
            route
            for operation, route in ROUTES.items()
            if operation not in ALWAYS and operation not in without
        ]
        return answer.with_document({**answer.document, "endpoints": routes})

    return script
