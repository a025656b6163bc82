"""Operators that make a server wrong: each returns an `Install`, which changes one service.

`operations` is an operation id, a tuple of ids, `EVERY`, `UNKNOWN_PATH` or `WRONG_METHOD`.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ParamSpec

import orjson

from lakepact.generated.contract import Operation, OperationId
from lakepact.reference_server.http.replies import NDJSON, Reply
from lakepact.reference_server.http.service import EVERY, Filter, Handler, Scope, Service
from lakepact.reference_server.http.validation import Validators
from lakepact.reference_server.http.wire import Wire

Install = Callable[[Service], None]
P = ParamSpec("P")
Operations = OperationId | tuple[OperationId, ...]
Guard = Callable[[Scope], None]  #: raises Problem to refuse a request
Sender = Callable[[Wire, Reply], Awaitable[None]]


class UnknownFault(Exception):
    """No fault has this name; the message lists the nearest ones."""


def each(operations: Operations) -> tuple[OperationId, ...]:
    """Return operations as a tuple of ids."""
    return (operations,) if isinstance(operations, str) else operations


def covers(operations: Operations, operation: OperationId) -> bool:
    """Return whether an operation is one of these."""
    return EVERY in each(operations) or operation in each(operations)


def accept(*_: object, **__: object) -> None:
    """A rule that accepts everything."""


def all_of(*installs: Install) -> Install:
    """Install several faults together."""

    def install(service: Service) -> None:
        for one in installs:
            one(service)

    return install


def per_server(operator: Callable[P, Install]) -> Callable[P, Install]:
    """Call an operator again for each server, so that no server shares what another one keeps."""

    def bind(*arguments: P.args, **keywords: P.kwargs) -> Install:
        def install(service: Service) -> None:
            operator(*arguments, **keywords)(service)

        return install

    return bind


def wrap_entry(table: str, key: Any, wrapper: Callable[[Any], Any]) -> Install:
    """Replace the handler of an operation, or the rule of a kind of update or requirement, by
    `wrapper(function)`.
    """

    def install(service: Service) -> None:
        if key not in service.handlers:
            near = difflib.get_close_matches(key, service.handlers, n=3, cutoff=0.0)
            raise UnknownFault(f"{table} has no entry {key!r}; near: {', '.join(near)}")
        service.handlers[key] = wrapper(service.handlers[key])

    return install if table == "handlers" else wrap_rule(f"{table} {key}", wrapper)


def wrap_rule(name: str, wrapper: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Install:
    """Replace a rule by `wrapper(rule)`."""

    def install(service: Service) -> None:
        try:
            service.rules.replace(name, wrapper(service.rules.current(name)))
        except LookupError as unknown:
            raise UnknownFault(str(unknown)) from None

    return install


def replace_rule(name: str, function: Callable[..., Any]) -> Install:
    """Replace a rule by a function."""
    return wrap_rule(name, lambda _: function)


def replace_entry(table: str, key: Any, value: Any) -> Install:
    """Replace the handler of an operation, or the rule of a kind of update or requirement, by
    `value`.
    """
    return wrap_entry(table, key, lambda _: value)


def on_call(operations: Operations, act: Callable[[Handler, dict[str, Any]], Reply]) -> Install:
    """Answer calls of some operations by `act(handler, arguments)`."""

    def install(service: Service) -> None:
        for operation in each(operations):
            if operation != EVERY and operation not in service.handlers:
                raise UnknownFault(f"{operation} is not offered, so it cannot be answered wrongly")
            for id_ in service.handlers if operation == EVERY else (operation,):
                service.handlers[id_] = partial(_call, act, service.handlers[id_])

    return install


def _call(
    act: Callable[[Handler, dict[str, Any]], Reply], handler: Handler, **arguments: Any
) -> Reply:
    return act(handler, arguments)


def on_request(operations: Operations, guard: Guard) -> Install:
    """Let a guard refuse requests of some operations before anything else is looked at."""

    def wrapper(
        authenticate: Callable[[OperationId, Scope], dict[str, Any]],
    ) -> Callable[[OperationId, Scope], dict[str, Any]]:
        def with_guard(operation: OperationId, scope: Scope) -> dict[str, Any]:
            if covers(operations, operation):
                guard(scope)
            return authenticate(operation, scope)

        return with_guard

    return wrap_rule("authenticate", wrapper)


def on_reply(operations: Operations, change: Filter) -> Install:
    """Change replies of some operations, refusals too."""

    def install(service: Service) -> None:
        for operation in each(operations):
            service.filters[operation].append(change)

    return install


def on_answer(
    operations: Operations, edit: Callable[[Any], Any], *, status: int | None = None
) -> Install:
    """Change the decoded body of answers with `status`, or of all that succeed.

    `edit` changes the document in place and returns None, or returns what is sent instead.
    """

    def change(reply: Reply, _: Scope) -> Reply:
        if not reply.body or (
            reply.status != status if status is not None else not 200 <= reply.status < 300
        ):
            return reply
        document = reply.document
        result = edit(document)
        return replace(reply, body=orjson.dumps(document if result is None else result))

    return on_reply(operations, change)


def on_lines(operations: Operations, change: Callable[[list[Any]], Any]) -> Install:
    """Change the decoded lines of answers that succeed and are sent in lines.

    `change` changes the list in place and returns None, or returns the lines that are sent instead.
    """

    def rewrite(reply: Reply, _: Scope) -> Reply:
        if reply.media_type != NDJSON or not reply.has_body or not 200 <= reply.status < 300:
            return reply
        lines = [orjson.loads(line) for line in reply.as_whole().body.split(b"\n") if line]
        result = change(lines)
        texts = [
            json.dumps(line, separators=(",", ":"))
            for line in (lines if result is None else result)
        ]
        return replace(reply, chunks=None, body="".join(f"{line}\n" for line in texts).encode())

    return on_reply(operations, rewrite)


def on_status(operations: Operations, become: Mapping[int, int]) -> Install:
    """Send answers of one status with another; a body goes with it unless the new status is 204."""

    def change(reply: Reply, _: Scope) -> Reply:
        status = become.get(reply.status, reply.status)
        return (
            replace(reply, status=status)
            if status != 204
            else replace(reply, status=204, body=b"", chunks=None)
        )

    return on_reply(operations, change)


def on_headers(operations: Operations, headers: Mapping[str, str]) -> Install:
    """Add headers to answers; `content-type` replaces the one that the answer had."""

    def change(reply: Reply, _: Scope) -> Reply:
        media_type = headers.get("content-type", reply.media_type.decode()).encode()
        extra = tuple((n.encode(), v.encode()) for n, v in headers.items() if n != "content-type")
        return replace(reply, media_type=media_type, headers=reply.headers + extra)

    return on_reply(operations, change)


def on_wire(operations: Operations, act: Sender) -> Install:
    """Send replies of some operations by `act(wire, reply)`."""
    return on_reply(operations, lambda reply, _: replace(reply, sender=reply.sender or act))


def skip_validation(*operations: OperationId) -> Install:
    """Do not validate the bodies of some operations."""

    def wrapper(
        check: Callable[[Validators, Operation, Any], None],
    ) -> Callable[[Validators, Operation, Any], None]:
        def check_others(validators: Validators, operation: Operation, document: Any) -> None:
            if not covers(operations, operation.id):
                check(validators, operation, document)

        return check_others

    return wrap_rule("check_body", wrapper)
