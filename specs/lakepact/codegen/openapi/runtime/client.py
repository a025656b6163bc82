"""Clients that send calls over httpx: `Client` for threads, `AsyncClient` for event loops.

`Client(httpx.Client(base_url="https://…")).send(endpoints.get_something(…))` returns what the
document says. Credentials, timeouts and proxies are httpx's: give them to `httpx.Client`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from pydantic import ValidationError

from .contract import Call, encode_body, read, text

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")


class ResponseError(Exception):
    """The server answered with an error.

    Args:
        status: The status of the answer.
        body: Its body: a model where the document describes one and the body is valid, the bytes
            otherwise.
        operation: The id of the operation.
    """

    def __init__(self, status: int, body: Any, operation: str) -> None:
        super().__init__(f"{operation} returned {status}")
        self.status = status
        self.body = body
        self.operation = operation


class InvalidResponse(ResponseError):
    """The server answered with success, but not as the document describes; `body` is the bytes that
    it sent.
    """


@dataclass(frozen=True, slots=True)
class Client:
    """Sends calls in a thread.

    Args:
        http: The client that sends, with the address of the API as its `base_url`.
    """

    http: httpx.Client

    def send(self, call: Call[T]) -> T:
        """Send a call and return its result.

        Raises:
            ResponseError: The server refused it, or its answer is not what the document describes.
            httpx.TransportError: There was no answer.
        """
        return _result(
            call, self.http.request(call.operation.method, _path(call), **_request(call))
        )


@dataclass(frozen=True, slots=True)
class AsyncClient:
    """Sends calls in an event loop.

    Args:
        http: The client that sends, with the address of the API as its `base_url`.
    """

    http: httpx.AsyncClient

    async def send(self, call: Call[T]) -> T:
        """Send a call and return its result.

        Raises:
            ResponseError: The server refused it, or its answer is not what the document describes.
            httpx.TransportError: There was no answer.
        """
        return _result(
            call, await self.http.request(call.operation.method, _path(call), **_request(call))
        )


def _path(call: Call[Any]) -> str:
    path = call.operation.path
    for parameter in call.operation.parameters:
        if parameter.where == "path":
            value = call.arguments[parameter.argument]
            segment = (
                ",".join(quote(text(item), safe="") for item in value)
                if parameter.many
                else quote(text(value), safe="")
            )
            path = path.replace(f"{{{parameter.name}}}", segment)
    return path


def _request(call: Call[Any]) -> dict[str, Any]:
    query: list[tuple[str, str]] = []
    headers: list[tuple[str, str]] = []
    for parameter in call.operation.parameters:
        value = call.arguments[parameter.argument]
        if value is None or parameter.where == "path":
            continue
        values = [text(item) for item in value] if parameter.many else [text(value)]
        target = query if parameter.where == "query" else headers
        target += [
            (parameter.name, item) for item in (values if parameter.explode else [",".join(values)])
        ]
    media_types = dict.fromkeys(
        answer.media_type for answer in call.operation.answers.values() if answer
    )
    if media_types:
        headers.append(("Accept", ", ".join(media_types)))
    body = call.operation.body
    if body is None or (call.body is None and not call.operation.body_required):
        return {"params": query, "headers": headers}
    headers.append(("Content-Type", body.media_type))
    return {
        "params": query,
        "headers": headers,
        "content": encode_body(call.body, body, call.body_type),
    }


def _result(call: Call[T], response: httpx.Response) -> T:
    operation, status, content = call.operation, response.status_code, response.content
    key, answer = operation.answer(status)
    is_success = key in operation.success
    try:
        body: Any = None if answer is None else read(content, answer, call.answers[key])
    except (ValidationError, UnicodeDecodeError) as problem:
        kind = InvalidResponse if is_success else ResponseError
        raise kind(status, content, operation.id) from problem
    if is_success:
        result: T = body
        return result
    if response.is_success:
        raise InvalidResponse(status, content, operation.id)
    raise ResponseError(status, content if answer is None else body, operation.id)
