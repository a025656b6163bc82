"""The ASGI application around that of the contracts, which records and scripts."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any

from lakepact.reference_server.http.router import AsgiApp
from lakepact.reference_server.http.service import Service
from lakepact.reference_server.stub.recorder import (
    Recorder,
    redact_body,
    redact_headers,
    redact_query,
)
from lakepact.reference_server.stub.script import BEFORE, WITHIN, Rule, Script

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]


@dataclass
class Told:
    """An answer as it is made."""

    status: int = 0
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytearray = field(default_factory=bytearray)

    async def take(self, message: Message) -> None:
        """Keep a part of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = [
                (bytes(name), bytes(value)) for name, value in message.get("headers", ())
            ]
        elif message["type"] == "http.response.body":
            self.body += message.get("body", b"")


class StubApplication:
    """Answers requests by a script, all others by an application, and records them.

    Args:
        app: the application of the contracts.
        services: the contracts that it serves.
        script: rules for chosen requests.
        recorder: writes every exchange.
    """

    def __init__(
        self,
        app: AsgiApp,
        services: Sequence[Service],
        *,
        script: Script | None = None,
        recorder: Recorder | None = None,
    ) -> None:
        self._app = app
        self._script = script
        self._recorder = recorder
        self._routes = [
            (template.count("{"), method, _pattern(service.root + template), str(operation))
            for service in services
            for method, template, operation in service.contract.routes
        ]

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = await _body(receive)
        path = scope["raw_path"].decode("latin-1").partition("?")[0]
        operation = self._operation(scope["method"], path)
        rule = self._script.rule_for(scope["method"], path, operation) if self._script else None
        answer, start = Told(), time.perf_counter()
        if rule is None or rule.handle or (rule.status is None and rule.close != BEFORE):
            await self._app(scope, _again(body), answer.take)
        if rule is not None:
            _replace(answer, rule)
            await asyncio.sleep(rule.delay)
        if self._recorder is not None:
            request = {
                "operation": operation or None,
                "method": scope["method"],
                "path": path,
                **_request(scope, body),
            }
            self._recorder.write(
                {**request, **_answer(answer), "seconds": round(time.perf_counter() - start, 4)}
            )
        await _send(answer, send, rule.close if rule else "")

    def _operation(self, method: str, path: str) -> str:
        fitting = [
            (holes, operation)
            for holes, own_method, pattern, operation in self._routes
            if own_method == method and pattern.fullmatch(path)
        ]
        return min(fitting)[1] if fitting else ""


def _request(scope: Message, body: bytes) -> dict[str, Any]:
    """Return a request without secrets."""
    headers = redact_headers(scope["headers"])
    kind = next((value for name, value in headers if name.lower() == "content-type"), "")
    return {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "query": redact_query(scope["query_string"].decode("latin-1")),
        "request_headers": headers,
        "request_body": redact_body(body, kind),
    }


def _answer(answer: Told) -> dict[str, Any]:
    """Return an answer without secrets."""
    headers = redact_headers(answer.headers)
    kind = next((value for name, value in headers if name.lower() == "content-type"), "")
    return {
        "status": answer.status,
        "headers": headers,
        "body": redact_body(bytes(answer.body), kind),
    }


def _replace(answer: Told, rule: Rule) -> None:
    """Replace the answer by that of a rule."""
    if rule.close == BEFORE:
        answer.status = 0
    elif rule.status is not None:
        answer.status = rule.status
        answer.headers = [
            (name.lower().encode("latin-1"), value.encode("latin-1"))
            for name, value in rule.headers.items()
        ]
        answer.headers.append((b"content-length", str(len(rule.body)).encode()))
        answer.body = bytearray(rule.body)


async def _send(answer: Told, send: Send, close: str) -> None:
    """Send an answer, or close the connection before or within it."""
    if answer.status:
        has_length = any(name.lower() == b"content-length" for name, _ in answer.headers)
        length = (
            []
            if has_length or not answer.body
            else [(b"content-length", str(len(answer.body)).encode())]
        )
        await send(
            {
                "type": "http.response.start",
                "status": answer.status,
                "headers": [*answer.headers, *length],
            }
        )
        if close != WITHIN:
            await send({"type": "http.response.body", "body": bytes(answer.body)})
            return
        await send(
            {
                "type": "http.response.body",
                "body": bytes(answer.body[: len(answer.body) // 2]),
                "more_body": True,
            }
        )
    transport: asyncio.Transport = send.__self__.transport  # type: ignore[attr-defined]  # uvicorn's cycle owns both
    transport.close()


async def _body(receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            return bytes(body)


def _again(body: bytes) -> Receive:
    """Return a `receive` that gives the body, and then waits for a caller who stays."""
    parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if parts:
            return parts.pop()
        await asyncio.Event().wait()
        raise AssertionError

    return receive


@cache
def _pattern(template: str) -> re.Pattern[str]:
    steps = [
        ".+?" if step == "{prefix}" else "[^/]+" if step.startswith("{") else re.escape(step)
        for step in template.split("/")
        if step
    ]
    return re.compile("".join(f"(?:/{step})?" if step == ".+?" else f"/{step}" for step in steps))
