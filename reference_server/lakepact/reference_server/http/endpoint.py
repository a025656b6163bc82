"""One operation, compiled at the start: the way from a request to its reply.

The place of a call (`workers.Place`) is chosen from its arguments, and then its handler runs there
once.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from lakepact.generated.contract import Operation
from lakepact.reference_server.http.bodies import Body, Gone, Receive
from lakepact.reference_server.http.parameters import BadParameter, Parameters
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Begun, Reply
from lakepact.reference_server.http.routes import variables
from lakepact.reference_server.http.service import (
    Arguments,
    Filter,
    Handler,
    Scope,
    Service,
    authenticate,
)
from lakepact.reference_server.http.workers import Place, run_in
from lakepact.reference_server.storage.store import NotKept, Pending

logger = logging.getLogger(__name__)

READING = frozenset({"GET", "HEAD"})  #: methods of the fast path


class Endpoint:
    """One operation on one path template.

    Args:
        operation: the operation of the contract.
        handler: the function that answers it.
        service: the service of the contract.
        template: the concrete path, whose variables are among the operation's parameters.
    """

    __slots__ = (
        "_authenticate",
        "_body",
        "_filters",
        "_handler",
        "_names",
        "_parameters",
        "_pending",
        "_place",
        "_turn",
        "is_fast",
        "operation",
        "service",
    )

    def __init__(
        self, operation: Operation, handler: Handler, *, service: Service, template: str
    ) -> None:
        arguments = {p.name: p.argument for p in operation.parameters if p.where == "path"}
        is_offered = operation.id in service.handlers
        rules = service.rules.http
        self.operation = operation
        self.service = service
        self._handler = rules.admit(operation.id, handler)
        self._authenticate = rules.authenticate
        self._place = service.places.get(operation.id) if is_offered else None
        self._turn = service.turn
        self._pending = service.pending
        self._names = tuple(arguments[name] for name in variables(template))
        self._parameters = Parameters(operation.parameters if is_offered else ())
        self._body = Body(operation, service) if is_offered and operation.body is not None else None
        self._filters = service.filters_of(operation.id)
        is_customized = (
            self._filters or self._authenticate is not authenticate or self._handler is not handler
        )
        #: Whether path, query and headers are enough for an answer, and the handler alone gives it.
        self.is_fast = operation.method in READING and self._body is None and not is_customized

    async def answer(self, scope: Scope, receive: Receive, values: tuple[str, ...]) -> Reply:
        """Return the reply to one request; every refusal is a reply too.

        Raises:
            Gone: the caller hung up.
        """
        try:
            arguments: Arguments = (
                {}
                if self._authenticate is authenticate
                else self._authenticate(self.operation.id, scope)
            )
            self.read_headers(scope["headers"], arguments)
            self._read_path(values, scope["query_string"], arguments)
            is_long = self._body is not None and await self._body.add(scope, receive, arguments)
            reply = await self._run(arguments, is_long=is_long)
        except Gone:
            raise
        except Exception as error:  # noqa: BLE001 - each becomes a reply
            reply = error_reply(error, self.service, self.operation.id)
        if self._pending is not None and (pending := self._pending()) is not None:
            reply = await self.once_durable(reply, pending)
        return finish(reply, self._filters, scope)

    def answer_on_loop(
        self, values: tuple[str, ...], *, query: bytes | None, headers: Mapping[str, Any]
    ) -> Reply | None:
        """Return the reply to a request of the fast path; None, before the handler begins, if it
        cannot run on the event loop.

        Args:
            values: of the variables of the path.
            query: the query string.
            headers: the arguments that the headers hold.
        """
        arguments = dict(headers)
        try:
            self._read_path(values, query, arguments)
            if self._place is not None and self._place(**arguments) is not Place.LOOP:
                return None
        except (BadParameter, Problem):
            return None
        try:
            return self._run_on_loop(arguments)
        except Exception as error:  # noqa: BLE001 - each becomes a reply
            return error_reply(error, self.service, self.operation.id)

    def read_headers(self, headers: list[tuple[bytes, bytes]], arguments: Arguments) -> None:
        """Add the values of headers to the arguments of a call.

        Raises:
            BadParameter: a value is not one that the contract allows.
        """
        if self._parameters.headers:
            self._parameters.read_headers(headers, arguments)

    def pending(self) -> Pending | None:
        """Return the changes that the last handler of this thread made or read and that are not
        durable yet.
        """
        return None if self._pending is None else self._pending()

    async def once_durable(self, reply: Reply, pending: Pending) -> Reply:
        """Return a reply once everything that it reports is durable, or a refusal if that was
        undone.
        """
        try:
            await pending
        except NotKept as lost:
            return error_reply(lost, self.service, self.operation.id)
        return reply

    def _read_path(
        self, values: tuple[str, ...], query: bytes | None, arguments: Arguments
    ) -> None:
        """Add path and query to the arguments that headers hold.

        Raises:
            BadParameter: a value is not one that the contract allows, or a required one is missing.
        """
        if values:
            arguments.update(zip(self._names, values, strict=False))
        if query and self._parameters.query:
            self._parameters.read_query(query, arguments)
        if self._parameters.required:
            self._parameters.missing(arguments)

    async def _run(self, arguments: Arguments, *, is_long: bool) -> Reply:
        """Run the handler in its place."""
        place = Place.LOOP if self._place is None else self._place(**arguments)
        if place is Place.LOOP and is_long:
            place = Place.QUEUE
        elif place is Place.LOOP:
            reply = self._run_on_loop(arguments)
            if reply is not None:
                return reply
            place = Place.TURN
        return await run_in(place, partial(self._run_in_thread, arguments))

    def _run_on_loop(self, arguments: Arguments) -> Reply | None:
        """Run the handler here, unless it might wait: None, before it begins, while another thread
        changes records.
        """
        turn = self._turn
        if turn is None:
            return self._handler(**arguments)
        if not turn.acquire(blocking=False):
            return None
        try:
            return self._handler(**arguments)
        finally:
            turn.release()

    def _run_in_thread(self, arguments: Arguments) -> Reply:
        """Run the handler up to the first chunk of its reply, and wait until its changes are
        durable.
        """
        try:
            reply = self._handler(**arguments)
        finally:
            pending = self.pending()
            if pending is not None:
                pending.wait()
        return reply if reply.chunks is None else replace(reply, chunks=Begun(reply.chunks))


def error_reply(error: Exception, service: Service, what: str) -> Reply:
    """Return the reply to a request that failed; of an unexpected exception only the log tells
    more.

    Args:
        error: why it failed.
        service: the service that was asked.
        what: what failed, for the log.
    """
    if isinstance(error, BadParameter):
        error = Problem(400, service.kinds[400], str(error))
    elif isinstance(error, NotKept):
        error = Problem(
            error.status, service.kinds.get(error.status, service.kinds[500]), error.message
        )
    elif not isinstance(error, Problem):
        incident = uuid.uuid4().hex
        logger.error("%s failed; incident %s", what, incident, exc_info=error)
        error = Problem(
            500,
            service.kinds[500],
            f"the server failed; its log says why under incident {incident}",
        )
    return refusal(error, service)


def refusal(problem: Problem, service: Service) -> Reply:
    """Return a problem as the contract's error body."""
    headers = tuple((name.lower().encode(), value.encode()) for name, value in problem.headers)
    return Reply(problem.status, service.error_body(problem), headers)


def finish(reply: Reply, filters: Iterable[Filter], scope: Scope) -> Reply:
    """Return a reply as it is sent: without a body for HEAD, and changed by the filters."""
    if scope["method"] == "HEAD" and reply.has_body:
        reply = replace(reply, body=b"", chunks=None)
    for change in filters:
        reply = change(reply, scope)
    return reply
