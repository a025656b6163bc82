"""One operation, compiled: from the request to the reply, with everything that can be known before decided at the start."""

from __future__ import annotations

import asyncio
import logging
import uuid
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.http.bodies import Body, Gone
from lakepact.reference_server.http.parameters import BadParameter, Parameters
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Begun, Reply
from lakepact.reference_server.http.routes import variables
from lakepact.reference_server.http.workers import NotNow, TakesLong, at_leisure, in_turn
from lakepact.reference_server.storage.store import NotKept

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lakepact.generated.contract import Operation
    from lakepact.reference_server.http.bodies import Receive
    from lakepact.reference_server.service import Filter, Handler, Scope, Service
    from lakepact.reference_server.storage.store import Settling

logger = logging.getLogger(__name__)

READING = frozenset({"get", "head"})  #: methods whose handlers change no records


class Endpoint:
    """One operation on one path template.

    Args:
        operation: what the contract says about it.
        handler: what answers it.
        service: the tables that everything else is looked up in.
        template: the concrete path, whose variables are among the operation's parameters.
    """

    __slots__ = (
        "_aside",
        "_blocking",
        "_body",
        "_caller",
        "_declares",
        "_filters",
        "_guards",
        "_handler",
        "_names",
        "_parameters",
        "_settled",
        "_turn",
        "operation",
        "plain",
        "sender",
        "service",
        "takes_body",
    )

    def __init__(self, operation: Operation, handler: Handler, *, service: Service, template: str) -> None:
        arguments = {p.name: p.argument for p in operation.parameters if p.where == "path"}
        offered = operation.id in service.handlers
        settled = service.settled
        self.operation = operation
        self.service = service
        admission = service.admission
        self._handler = handler if admission is None else admission(operation.id, handler)
        self._caller = service.callers.get(operation.id, service.caller)
        self._blocking = operation.id in service.blocking
        self._settled = settled
        #: The handler in a thread of its own.
        self._aside = self._handler if settled is None else partial(_settling, self._handler, settled)
        self._turn = None if operation.method in READING else service.turn
        self._names = tuple(arguments[name] for name in variables(template))
        self._parameters = Parameters(operation.parameters if offered else ())
        self._declares = bool(self._parameters.query or self._parameters.headers)
        self._body = Body(operation, service) if offered and operation.body is not None else None
        self._guards = service.guards_of(operation.id)
        self._filters = service.filters_of(operation.id)
        self.sender = service.sender_of(operation.id)
        #: Whether a request can be answered from its path, its query, its headers and its body alone, by the handler alone.
        self.plain = not (self._guards or self._filters or self.sender or self._caller or admission or self._blocking)
        self.takes_body = self._body is not None

    async def answer(self, scope: Scope, receive: Receive, values: tuple[str, ...]) -> Reply:
        """Return the reply to one request; every refusal is a reply too.

        Raises:
            Gone: the caller hung up.
        """
        try:
            for guard in self._guards:
                guard(scope)
            arguments: dict[str, Any] = dict(zip(self._names, values, strict=False)) if values else {}
            if self._caller is not None:
                arguments["caller"] = self._caller(scope)
            if self._declares:
                self._read_parameters(scope, arguments)
            is_long = self._body is not None and await self._body.add(scope, receive, arguments)
            reply = await (self._beside(arguments, is_long=is_long) if self._blocking or is_long else self._soon(arguments))
        except Problem as problem:
            reply = refusal(problem, self.service)
        except NotKept as lost:
            reply = undone(lost, self.service)
        except Gone:
            raise
        except Exception:
            incident = uuid.uuid4().hex
            logger.exception("%s failed; incident %s", self.operation.id, incident)
            reply = refusal(failure(self.service, incident), self.service)
        if self._settled is not None:
            reply = await self.once_settled(reply, self._settled())
        return finished(reply, self._filters, scope)

    def answer_at_once(self, method: str, values: tuple[str, ...], *, query: bytes | None, said: dict[str, Any]) -> Reply | None:
        """Return the reply to one request of a plain operation; None if it has to be answered the usual way.

        Args:
            method: GET or HEAD.
            values: of the variables of the path.
            query: what stands behind the question mark.
            said: the arguments that the headers hold.
        """
        arguments = self._arguments(values, query, said)
        if arguments is None:
            return None
        try:
            reply = self._handled(arguments)
        except TakesLong:
            return None
        if reply.chunks is not None or (self._settled is not None and self._settled() is not None):
            return None  # it is not known yet whether what the answer tells of lasts; the usual way asks again, and waits
        return finished(reply, (), {"method": method}) if method == "HEAD" else reply

    def is_understood(self, values: tuple[str, ...], *, query: bytes | None, said: dict[str, Any]) -> bool:
        """Return whether a request is answered by the handler once its body has come."""
        return self._arguments(values, query, said) is not None

    def answer_body_at_once(
        self, values: tuple[str, ...], *, query: bytes | None, said: dict[str, Any], raw: bytes
    ) -> tuple[Reply, Settling | None] | None:
        """Return the reply to a request of a plain operation, and the change to wait for; `None` if the slow path must handle it.

        Args:
            values: of the variables of the path.
            query: what stands behind the question mark.
            said: the arguments that the headers hold.
            raw: the body.
        """
        arguments = self._arguments(values, query, said)
        if arguments is None or self._body is None:
            return None
        try:
            self._body.read(raw, arguments)
        except Problem:
            return None
        try:
            reply = self._handled(arguments)
        except TakesLong:
            return None
        settling = None if self._settled is None else self._settled()
        if reply.chunks is not None:
            self.plain = False  # it streams, as nothing does that changes anything: the usual way asks it again
            return None
        return reply, settling

    def _handled(self, arguments: dict[str, Any]) -> Reply:
        """Return the handler's answer, or its refusal.

        Raises:
            TakesLong: nothing was done, and a thread must do it.
        """
        try:
            return self._at_once(arguments)
        except Problem as problem:
            return refusal(problem, self.service)
        except NotKept as lost:
            return undone(lost, self.service)
        except TakesLong:
            raise
        except Exception:
            incident = uuid.uuid4().hex
            logger.exception("%s failed; incident %s", self.operation.id, incident)
            return refusal(failure(self.service, incident), self.service)

    def _arguments(self, values: tuple[str, ...], query: bytes | None, said: dict[str, Any]) -> dict[str, Any] | None:
        """Return the handler's arguments from path, query and headers; `None` if they are refused."""
        parameters = self._parameters
        arguments: dict[str, Any] = dict(zip(self._names, values, strict=False)) if values else {}
        try:
            if query and parameters.query:
                parameters.read_query(query, arguments)
            arguments.update(said)
            if parameters.required:
                parameters.missing(arguments)
        except BadParameter:
            return None
        return arguments

    def read_headers(self, headers: list[tuple[bytes, bytes]]) -> dict[str, Any] | None:
        """Return the arguments that headers hold; None if they are refused."""
        arguments: dict[str, Any] = {}
        try:
            if self._body is not None:
                self._body.look_at(headers)
            self._parameters.read_headers(headers, arguments)
        except (BadParameter, Problem):
            return None
        return arguments

    async def once_settled(self, reply: Reply, settling: Settling | None) -> Reply:
        """Return a reply once everything that it tells of lasts, or what became of it instead."""
        try:
            if settling is not None:
                await settling
        except NotKept as lost:
            return undone(lost, self.service)
        return reply

    async def _beside(self, arguments: dict[str, Any], *, is_long: bool) -> Reply:
        """Return the handler's answer and its first chunk, computed in a thread."""
        work = partial(_begun, self._aside, arguments)
        if self._blocking:
            return await asyncio.get_running_loop().run_in_executor(None, work)
        return await (at_leisure(work) if is_long else in_turn(work))

    async def _soon(self, arguments: dict[str, Any]) -> Reply:
        """Return the handler's answer, from the event loop or, if it would block, from a thread."""
        try:
            return self._at_once(arguments)
        except NotNow:
            is_long = False
        except TakesLong:
            is_long = True
        return await self._beside(arguments, is_long=is_long)

    def _at_once(self, arguments: dict[str, Any]) -> Reply:
        """Return the handler's answer on the event loop.

        Raises:
            TakesLong: nothing was done, and a thread must do it.
        """
        turn = self._turn
        if turn is None:
            return self._handler(**arguments)
        if not turn.acquire(blocking=False):
            raise NotNow
        try:
            return self._handler(**arguments)
        finally:
            turn.release()

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


def _settling(handler: Handler, settled: Callable[[], Settling | None], **arguments: Any) -> Reply:
    """Return the handler's answer from a thread, once its changes are durable."""
    try:
        return handler(**arguments)
    finally:
        settling = settled()
        if settling is not None:
            settling.wait()


def _begun(handler: Handler, arguments: dict[str, Any]) -> Reply:
    reply = handler(**arguments)
    return reply if reply.chunks is None else replace(reply, chunks=Begun(reply.chunks))


def refusal(problem: Problem, service: Service) -> Reply:
    """Return a problem as the contract's error body."""
    headers = tuple((name.lower().encode(), value.encode()) for name, value in problem.headers)
    return Reply(problem.status, service.error_body(problem), headers)


def undone(lost: NotKept, service: Service) -> Reply:
    """Turn changes that could not be stored into the contract's error body."""
    return refusal(Problem(lost.status, service.kinds.get(lost.status, service.kinds[500]), lost.message), service)


def failure(service: Service, incident: str) -> Problem:
    """Return the message about an internal exception: a reference to the log, nothing else."""
    return Problem(500, service.kinds[500], f"the server failed; its log says why under incident {incident}")


def finished(reply: Reply, filters: Iterable[Filter], scope: Scope) -> Reply:
    """Return a reply as it goes to its sender: without a body for HEAD, and past the filters."""
    if scope["method"] == "HEAD" and reply.has_body:
        reply = replace(reply, body=b"", chunks=None)
    for change in filters:
        reply = change(reply, scope)
    return reply
