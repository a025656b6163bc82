"""The way of a request through a contract: one middleware of `connexion.FlaskApp`, compiled when connexion hands over its operations.

Nothing is constructed per request but the arguments of the call: paths are found in a trie, parameters are read by functions made from
their schemas, bodies are parsed once and held against compiled schemas, handlers are plain functions that return bytes.
What is in no contract goes on to Flask.
"""

from __future__ import annotations

import logging
import uuid
from typing import TYPE_CHECKING, Any

from connexion.middleware.abstract import AbstractRoutingAPI, SpecMiddleware

from .json_text import NotJson
from .parameters import BadParameter, Parameters
from .problems import Problem
from .replies import Reply
from .routes import BadPath, Routes, variables
from .service import UNKNOWN_PATH, WRONG_METHOD, Handler, Scope, Service
from .validation import Invalid
from .wire import Wire, headers_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping

    from connexion.operations import AbstractOperation
    from connexion.spec import Specification

    from lakepact.generated.contract import Operation

    Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
    Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
    AsgiApp = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

logger = logging.getLogger(__name__)

UTF8 = frozenset({"utf-8", "utf8", "us-ascii"})


class Gone(Exception):
    """The caller hung up before the body was complete."""


class Door:
    """One operation of a contract, compiled: from the request to the reply."""

    def __init__(self, operation: Operation, handler: Handler, *, service: Service, template: str) -> None:
        arguments = {p.name: p.argument for p in operation.parameters if p.where == "path"}
        self.operation = operation
        self.service = service
        self._handler = handler
        self._names = tuple(arguments[name] for name in variables(template))
        self._parameters = Parameters(operation.parameters)
        self._has_body = operation.body is not None and operation.id in service.handlers
        self._has_parameters = operation.id in service.handlers
        self._nullable = service.nullable.get(operation.id, frozenset())
        self._checked = operation.id not in service.unchecked
        self._read_json: Callable[[bytes], Any] = service.rules["read-json"]
        self.guards = service.guards_of(operation.id)
        self.filters = service.filters_of(operation.id)
        self.sender = service.sender_of(operation.id)

    async def answer(self, scope: Scope, receive: Receive, values: list[str]) -> Reply:
        """The reply to one request; every refusal is a reply too."""
        try:
            for guard in self.guards:
                guard(scope)
            arguments: dict[str, Any] = dict(zip(self._names, values, strict=True))
            if self._has_parameters:
                self._read_parameters(scope, arguments)
            if self._has_body:
                await self._read_body(scope, receive, arguments)
            reply = self._handler(**arguments)
        except Problem as problem:
            reply = refusal(problem, self.service)
        except Gone:
            raise
        except Exception:  # noqa: BLE001  # whatever goes wrong, the caller gets an answer and the log gets the cause
            reply = failure(self.service, self.operation.id)
        for change in self.filters:
            reply = change(reply, scope)
        return reply

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
            raise self._problem(400, str(bad)) from None

    async def _read_body(self, scope: Scope, receive: Receive, arguments: dict[str, Any]) -> None:
        operation = self.operation
        for name, value in scope["headers"]:
            if name == b"content-type":
                self._check_media_type(value.decode("latin-1"))
            elif name == b"content-encoding" and value.lower() != b"identity":
                raise self._problem(415, f"the body is encoded as {value.decode('latin-1')[:100]!r}; send it as it is")
            elif name == b"content-length" and int(value) > self.service.max_body:
                raise self._too_large()
        raw = await self._received(receive)
        if not raw and not operation.body_required:
            return
        try:
            document = self._read_json(raw)
        except NotJson as broken:
            raise self._problem(400, str(broken)) from None
        if self._nullable and isinstance(document, dict):
            for name in self._nullable:
                if name in document and document[name] is None:
                    del document[name]
        if self._checked and operation.body:
            try:
                self.service.validators.check(operation.body, document)
            except Invalid as invalid:
                raise self._problem(400, f"the body is not a valid {operation.body}: {invalid}") from None
        arguments["body"] = document

    def _check_media_type(self, value: str) -> None:
        media_type, _, rest = value.partition(";")
        wanted = self.operation.body_media_type or "application/json"
        if media_type.strip().lower() != wanted:
            raise self._problem(415, f"the body's Content-Type is {value[:100]!r}, but must be {wanted}")
        for parameter in rest.split(";"):
            name, _, charset = parameter.partition("=")
            if name.strip().lower() == "charset" and charset.strip().strip('"').lower() not in UTF8:
                raise self._problem(415, f"the body's charset is {charset.strip()[:100]!r}, but must be utf-8")

    async def _received(self, receive: Receive) -> bytes:
        message = await receive()
        raw: bytes = message.get("body", b"")
        if message.get("more_body"):
            pieces, size = [raw], len(raw)
            while message.get("more_body") and size <= self.service.max_body:
                message = await receive()
                pieces.append(message.get("body", b""))
                size += len(pieces[-1])
            raw = b"".join(pieces)
        if message["type"] == "http.disconnect":
            raise Gone
        if len(raw) > self.service.max_body:
            raise self._too_large()
        return raw

    def _too_large(self) -> Problem:
        return self._problem(413, f"the body is larger than {self.service.max_body} bytes, the most that this server reads")

    def _problem(self, status: int, message: str) -> Problem:
        return Problem(status, self.service.kinds[status], message)


def refusal(problem: Problem, service: Service) -> Reply:
    """A problem as the contract's error body."""
    headers = tuple((name.lower().encode(), value.encode()) for name, value in problem.headers)
    return Reply(problem.status, service.error_body(problem), headers)


def failure(service: Service, where: str) -> Reply:
    """The answer to an exception of ours: an id for the caller, the cause for the log. To be called while it is handled."""
    incident = uuid.uuid4().hex
    logger.exception("%s failed; incident %s", where, incident)
    return refusal(Problem(500, service.kinds[500], f"the server failed; its log says why under incident {incident}"), service)


class _LaneApi(AbstractRoutingAPI["AbstractOperation"]):
    """Takes over connexion's operations with the functions that connexion has resolved for them."""

    def __init__(self, specification: Specification, *, lane: ContractLane, service: Service, **options: Any) -> None:
        self._lane = lane
        self._service = service
        super().__init__(specification, **options)

    def make_operation(self, operation: AbstractOperation) -> AbstractOperation:
        return operation

    @staticmethod
    def _framework_path_and_name(operation: AbstractOperation, path: str) -> tuple[str, str]:
        return path, operation.operation_id

    def _add_operation_internal(self, method: str, path: str, operation: AbstractOperation, name: str | None = None) -> None:
        contracted = self._service.contract.operations[name or operation.operation_id]
        for template in self._service.paths(path):
            self._lane.add(method, template, Door(contracted, operation.function, service=self._service, template=template))


class ContractLane(SpecMiddleware):
    """Answers every path of the contracts, and 404 for every path that neither they nor Flask's pages have.

    Args:
        app: what answers the pages.
        services: the contracts by name, as they are given to `add_api`.
        pages: the paths that are left to `app`.
    """

    def __init__(self, app: AsgiApp, *, services: Mapping[str, Service], pages: frozenset[str]) -> None:
        self._app = app
        self._services = services
        self._pages = pages
        self._first = next(iter(services.values()))
        self._routes: Routes[Door] = Routes(decode=self._first.rules["decode-segment"])

    def add_api(self, specification: Specification, *, name: str, **options: Any) -> None:
        """Take over the operations of one contract."""
        wanted = {key: options[key] for key in ("base_path", "resolver", "resolver_error_handler", "uri_parser_class")}
        _LaneApi(specification, lane=self, service=self._services[name], **wanted)

    def add(self, method: str, template: str, door: Door) -> None:
        """Answer one method of one path."""
        self._routes.add(template, method, door)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await _live(scope, receive, send)
            return
        try:
            found = self._routes.find(scope["raw_path"])
        except BadPath as bad:
            await self._refuse(UNKNOWN_PATH, Problem(400, self._first.kinds[400], str(bad)), Wire(scope, receive, send))
            return
        if found is None:
            await self._elsewhere(scope, receive, send)
            return
        door = found.methods.get(scope["method"])
        if door is None:
            await self._refuse(WRONG_METHOD, self._wrong_method(scope, found.methods), Wire(scope, receive, send))
            return
        try:
            reply = await door.answer(scope, receive, found.values)
        except Gone:
            return
        if door.sender is not None:
            await door.sender(Wire(scope, receive, send), reply)
            return
        await send({"type": "http.response.start", "status": reply.status, "headers": headers_of(reply)})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else reply.body})

    def _wrong_method(self, scope: Scope, methods: Iterable[str]) -> Problem:
        allowed = ", ".join(sorted(methods))
        message = f"{scope['method']} is not a method of this path; it has {allowed}"
        return Problem(405, self._first.kinds[405], message, headers=(("allow", allowed),))

    async def _elsewhere(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["path"] in self._pages:
            await self._app(scope, receive, send)
            return
        message = f"no operation has the path {scope['path'][:200]!r}; the index page at / says what is served"
        await self._refuse(UNKNOWN_PATH, Problem(404, self._first.kinds[404], message), Wire(scope, receive, send))

    async def _refuse(self, where: str, problem: Problem, wire: Wire) -> None:
        reply = refusal(problem, self._first)
        for change in self._first.filters_of(where):
            reply = change(reply, wire.scope)
        sender = self._first.sender_of(where)
        await (sender(wire, reply) if sender else wire.answer(reply))


async def _live(scope: Scope, receive: Receive, send: Send) -> None:
    """Say to the HTTP server that the application has started, and later that it has ended."""
    while scope["type"] == "lifespan":
        event = (await receive())["type"].removeprefix("lifespan.")
        await send({"type": f"lifespan.{event}.complete"})
        if event == "shutdown":
            return
