"""Faults of servers that no catalog has: without memory, and without judgement."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import (
    EVERY,
    Install,
    all_of,
    on_call,
    on_reply,
    on_wire,
    skip_validation,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Handler, Scope, Service
from lakepact.reference_server.http.wire import Wire

READS = ("GET", "HEAD")


def always(
    operations: Iterable[OperationId],
    status: int,
    body: bytes = b"",
    media_type: str = "application/json",
) -> Install:
    """Answer each request of some operations alike, refused ones too."""

    def constant(reply: Reply, scope: Scope) -> Reply:
        shown = b"" if scope["method"] == "HEAD" else body
        return replace(
            reply,
            status=status,
            body=shown,
            chunks=None,
            headers=(),
            media_type=media_type.encode(),
        )

    return on_reply(tuple(operations), constant)


def never_answers(operation: OperationId) -> Install:
    """Keep the requests of an operation waiting, longer than any test waits."""

    async def hang(wire: Wire, _: Reply) -> None:
        await asyncio.sleep(30)
        await wire.close()

    return on_wire(operation, hang)


def forgets_pages(service: Service) -> None:
    """Take each page token for one that was never issued."""

    def forgetting(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if arguments.get("page_token") or (arguments.get("body") or {}).get("pageToken"):
            raise Problem(400, service.kinds[400], "the page token is unknown")
        return handler(**arguments)

    on_call(EVERY, forgetting)(service)


def forgets_namespaces(service: Service) -> None:
    """Drop each namespace as soon as its creation is answered."""
    create, drop = service.handlers[op.create_namespace], service.handlers[op.drop_namespace]

    def forgetting(**arguments: Any) -> Reply:
        reply = create(**arguments)
        drop(namespace="\x1f".join(arguments["body"]["namespace"]))
        return reply

    service.handlers[op.create_namespace] = forgetting


def forgets_tables(service: Service) -> None:
    """Drop each table as soon as its creation is answered."""
    create, drop = service.handlers[op.create_table], service.handlers[op.drop_table]

    def forgetting(**arguments: Any) -> Reply:
        reply = create(**arguments)
        if not arguments["body"].get("stage-create"):
            drop(namespace=arguments["namespace"], table=arguments["body"]["name"])
        return reply

    service.handlers[op.create_table] = forgetting


def never_refuses(*, reads: bool = True) -> Install:
    """Answer 200 or 204 to each request; a refused one gets the latest answer of its operation.

    Args:
        reads: whether reading what is not there succeeds too.
    """

    def install(service: Service) -> None:
        for operation in service.operations():
            if reads or operation.method not in READS:
                on_reply(operation.id, partial(_agreeing, []))(service)

    return install


def _agreeing(latest: list[Reply], reply: Reply, _: Scope) -> Reply:
    if reply.status < 400:
        latest[:] = [reply.as_whole()]
        return latest[0]
    return latest[0] if latest else replace(reply, status=204, body=b"", chunks=None)


def stores_everything() -> Install:
    """Accept each request that changes something, even nonsense, and store what can be stored of
    it.
    """
    writing = threading.local()

    def willing(rule: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        try:
            return rule(*arguments, **named)
        except Problem:
            if getattr(writing, "now", False):
                return None
            raise

    def write(handler: Handler, **arguments: Any) -> Reply:
        writing.now = True
        try:
            return handler(**arguments)
        finally:
            writing.now = False

    def lenient(service: Service) -> None:
        for name in service.rules.names():
            service.rules.replace(name, partial(willing, service.rules.current(name)))
        for operation in service.operations():
            if operation.method not in READS:
                service.handlers[operation.id] = partial(write, service.handlers[operation.id])

    return all_of(skip_validation(EVERY), lenient, never_refuses(reads=False))
