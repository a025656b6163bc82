"""Faults of the answer to any operation."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import orjson

from lakepact.reference_server.faults import effects
from lakepact.reference_server.faults.operators import (
    Install,
    Operations,
    on_call,
    on_headers,
    on_reply,
    on_status,
    on_wire,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Scope
from lakepact.reference_server.http.wire import Wire


async def _drop(wire: Wire, _: Reply) -> None:
    await wire.close()


async def _truncate(wire: Wire, reply: Reply) -> None:
    reply = reply.as_whole()
    await wire.start(reply)
    await wire.write(reply.body[: len(reply.body) // 2], more=True)
    await wire.close()


async def _dawdle(wire: Wire, reply: Reply) -> None:
    await asyncio.sleep(2)
    await wire.answer(reply)


async def _add_body(wire: Wire, reply: Reply) -> None:
    reply = reply.as_whole()
    body = reply.body or b'{"unexpected": "body"}'
    await wire.start(reply, length=len(body))
    await wire.write(b"" if wire.scope["method"] == "HEAD" else body)
    if wire.scope["method"] == "HEAD":
        wire.raw(body)


def _status(status: int) -> Callable[[Operations], Install]:
    def fail(_handler: Handler, _arguments: Arguments) -> Reply:
        raise Problem(status, "Fault", "asked for by a fault")

    return lambda operations: on_call(operations, fail)


def _body(body: bytes, media_type: bytes = b"application/json") -> Callable[[Operations], Install]:
    def change(reply: Reply, _: Scope) -> Reply:
        return (
            replace(reply, body=body, chunks=None, media_type=media_type)
            if reply.has_body
            else reply
        )

    return lambda operations: on_reply(operations, change)


def _on_wire(act: Callable[[Wire, Reply], Awaitable[None]]) -> Callable[[Operations], Install]:
    return lambda operations: on_wire(operations, act)


#: Faults that fit any operation, and how they are installed for it.
ANSWERS: dict[str, Callable[[Operations], Install]] = {
    "answers-500": _status(500),
    "answers-503": _status(503),
    "answers-404": _status(404),
    "answers-200": lambda o: on_status(o, dict.fromkeys(range(400, 600), 200)),
    "answers-201": lambda o: on_status(o, {200: 201, 204: 201}),
    "drops-connection": _on_wire(_drop),
    "truncates-body": _on_wire(_truncate),
    "slow": _on_wire(_dawdle),
    "not-json": _body(b"<html><body>It works!</body></html>"),
    "empty-body": _body(b"{}"),
    "null-body": _body(b"null"),
    "list-body": _body(b"[]"),
    "wrong-content-type": lambda o: on_headers(o, {"content-type": "text/html; charset=utf-8"}),
    "adds-body": _on_wire(_add_body),
    "bare-errors": lambda o: on_reply(o, _unwrap),
    "text-errors": lambda o: on_reply(o, _plain),
    "done-but-500": effects.return_500_after,
    "not-persisted": effects.restore_after,
    "last-page-lost": effects.end_after_first_page,
}


def _unwrap(reply: Reply, _: Scope) -> Reply:
    if reply.status < 400 or not reply.body:
        return reply
    document = reply.document
    return replace(reply, body=orjson.dumps(document.get("error", document)))


def _plain(reply: Reply, _: Scope) -> Reply:
    return (
        replace(reply, body=b"something went wrong", media_type=b"text/plain")
        if reply.status >= 400 and reply.body
        else reply
    )
