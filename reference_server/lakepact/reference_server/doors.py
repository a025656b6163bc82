"""One operation, compiled: from the request to the reply, with everything that can be known before decided at the start."""

from __future__ import annotations

import logging
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .bodies import Body, Gone
from .parameters import BadParameter, Parameters
from .problems import Problem
from .replies import Reply
from .routes import variables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lakepact.generated.contract import Operation

    from .bodies import Receive
    from .service import Filter, Handler, Scope, Service

logger = logging.getLogger(__name__)


class Door:
    """One operation on one path template.

    Args:
        operation: what the contract says about it.
        handler: what answers it.
        service: the tables that everything else is looked up in.
        template: the concrete path, whose variables are among the operation's parameters.
    """

    __slots__ = ("_body", "_declares", "_filters", "_guards", "_handler", "_names", "_parameters", "operation", "sender", "service")

    def __init__(self, operation: Operation, handler: Handler, *, service: Service, template: str) -> None:
        arguments = {p.name: p.argument for p in operation.parameters if p.where == "path"}
        offered = operation.id in service.handlers
        self.operation = operation
        self.service = service
        self._handler = handler
        self._names = tuple(arguments[name] for name in variables(template))
        self._parameters = Parameters(operation.parameters if offered else ())
        self._declares = bool(self._parameters.query or self._parameters.headers)
        self._body = Body(operation, service) if offered and operation.body is not None else None
        self._guards = service.guards_of(operation.id)
        self._filters = service.filters_of(operation.id)
        self.sender = service.sender_of(operation.id)

    async def answer(self, scope: Scope, receive: Receive, values: tuple[str, ...]) -> Reply:
        """The reply to one request; every refusal is a reply too.

        Raises:
            Gone: the caller hung up.
        """
        try:
            for guard in self._guards:
                guard(scope)
            arguments: dict[str, Any] = dict(zip(self._names, values, strict=False)) if values else {}
            if self._declares:
                self._read_parameters(scope, arguments)
            if self._body is not None:
                await self._body.add(scope, receive, arguments)
            reply = self._handler(**arguments)
        except Problem as problem:
            reply = refusal(problem, self.service)
        except Gone:
            raise
        except Exception:
            incident = uuid.uuid4().hex
            logger.exception("%s failed; incident %s", self.operation.id, incident)
            reply = refusal(failure(self.service, incident), self.service)
        return finished(reply, self._filters, scope)

    def _read_parameters(self, scope: Scope, arguments: dict[str, Any]) -> None:
        parameters = self._parameters
        try:
            if scope["query_string"] and parameters.query:
                parameters.read_query(scope["query_string"], arguments)
            if parameters.headers:
                parameters.read_headers(scope["headers"], arguments)
            if parameters.required:
                parameters.missing(arguments)
        except BadParameter as bad:
            raise Problem(400, self.service.kinds[400], str(bad)) from None


def refusal(problem: Problem, service: Service) -> Reply:
    """A problem as the contract's error body."""
    headers = tuple((name.lower().encode(), value.encode()) for name, value in problem.headers)
    return Reply(problem.status, service.error_body(problem), headers)


def failure(service: Service, incident: str) -> Problem:
    """What the caller learns about an exception of ours: where the log tells more, and nothing else."""
    return Problem(500, service.kinds[500], f"the server failed; its log says why under incident {incident}")


def finished(reply: Reply, filters: Iterable[Filter], scope: Scope) -> Reply:
    """A reply as it goes to its sender: without a body for HEAD, and past the filters."""
    if reply.body and scope["method"] == "HEAD":
        reply = replace(reply, body=b"")
    for change in filters:
        reply = change(reply, scope)
    return reply
