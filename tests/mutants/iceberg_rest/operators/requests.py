"""Requests that are taken for others, or refused although nothing is wrong with them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any

from lakepact.generated.contract import OperationId
from lakepact.reference_server.faults import Install, all_of, on_call, on_request, skip_validation
from lakepact.reference_server.http.replies import NO_CONTENT, Reply
from lakepact.reference_server.http.service import Arguments, Handler, Scope, Service
from lakepact.reference_server.http.validation import Invalid
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import bad_request

Rewrite = Callable[[Document], Document]
Wrapper = Callable[[Callable[..., Any]], Callable[..., Any]]


def asked_for(operation: OperationId, rewrite: Rewrite) -> Install:
    """Requests are answered as if `rewrite(body)` had been sent; it gets a copy."""

    def act(handler: Handler, arguments: Arguments) -> Reply:
        return handler(**{**arguments, "body": rewrite(copy.deepcopy(arguments["body"]))})

    return on_call(operation, act)


def taken_as(operation: OperationId, rewrite: Rewrite) -> Install:
    """Like `asked_for`, but the result of `rewrite(body)` is validated instead of the sent body."""

    def install(service: Service) -> None:
        def checked(body: Document) -> Document:
            rewritten = rewrite(body)
            check(service, operation, rewritten)
            return rewritten

        all_of(skip_validation(operation), asked_for(operation, checked))(service)

    return install


def check(service: Service, operation: OperationId, body: Document) -> None:
    """Hold a body against the schema of an operation, as it is done before requests are handled.

    Raises:
        Problem: it does not follow.
    """
    try:
        service.validators.check(service.contract.operations[operation].body or "", body)
    except Invalid as invalid:
        raise bad_request(str(invalid)) from None


def refused_if(operation: OperationId, wrong: Callable[[Document], bool]) -> Install:
    """Requests with a body that `wrong` picks are refused with status 400."""

    def act(handler: Handler, arguments: Arguments) -> Reply:
        if wrong(arguments["body"]):
            raise bad_request("asked for by a fault")
        return handler(**arguments)

    return on_call(operation, act)


def refused_by_header(
    operation: OperationId, name: str, wrong: Callable[[str | None], bool]
) -> Install:
    """Requests are refused with status 400 when `wrong` says so of a header's value, `None` being
    its absence.
    """

    def guard(scope: Scope) -> None:
        if wrong(header(scope, name)):
            raise bad_request(f"the header {name} is not supported")

    return on_request(operation, guard)


def header(scope: Scope, name: str) -> str | None:
    """The value of a request's header, or None."""
    sent: dict[bytes, bytes] = dict(scope["headers"])
    value = sent.get(name.lower().encode())
    return None if value is None else value.decode("latin-1")


def switched(
    service: Service, rule: str, wrapper: Wrapper
) -> Callable[[], AbstractContextManager[None]]:
    """Let `wrapper(rule)` decide in the place of a rule within `with` blocks: for what the block
    calls, and for no other request.
    """
    inside = ContextVar("inside", default=False)
    usual = service.rules.current(rule)
    other = wrapper(usual)

    def decide(*arguments: Any, **named: Any) -> Any:
        return (other if inside.get() else usual)(*arguments, **named)

    @contextmanager
    def block() -> Generator[None]:
        token = inside.set(True)
        try:
            yield
        finally:
            inside.reset(token)

    service.rules.replace(rule, decide)
    return block


def while_handling(operation: OperationId, rule: str, wrapper: Wrapper) -> Install:
    """Let `wrapper(rule)` decide in the place of a rule while one operation is answered."""

    def install(service: Service) -> None:
        replaced = switched(service, rule, wrapper)

        def act(handler: Handler, arguments: Arguments) -> Reply:
            with replaced():
                return handler(**arguments)

        on_call(operation, act)(service)

    return install


def remembered(operation: OperationId, item: str) -> Install:
    """A caller that once found that an object exists gets 204 from then on; `item` names it in the
    path.
    """

    def install(service: Service) -> None:
        known: set[tuple[str, str]] = set()

        def act(handler: Handler, arguments: Arguments) -> Reply:
            at = arguments["namespace"], arguments[item]
            if at in known:
                return NO_CONTENT
            reply = handler(**arguments)
            known.add(at)
            return reply

        on_call(operation, act)(service)

    return install
