"""The way of every request: one middleware of `connexion.FlaskApp`, compiled when connexion hands over the operations of the contracts.

Nothing is constructed per request but the arguments of the call: paths are found in a trie, parameters are read by functions made from
their schemas, bodies are parsed once and held against compiled schemas, handlers are plain functions that return bytes.
What is in no contract goes on to Flask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from connexion.middleware.abstract import AbstractRoutingAPI, SpecMiddleware

from .bodies import Gone
from .doors import Door, finished, refusal
from .problems import Problem
from .routes import BadPath, Routes
from .service import UNKNOWN_PATH, WRONG_METHOD
from .wire import Wire, headers_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping

    from connexion.spec import Specification

    from .bodies import Receive
    from .service import Scope, Service

    Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
    AsgiApp = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]


class _LaneApi(AbstractRoutingAPI[Any]):
    """Takes over connexion's operations with the functions that connexion has resolved for them."""

    def __init__(self, specification: Specification, *, lane: ContractLane, service: Service, **options: Any) -> None:
        self._lane = lane
        self._service = service
        super().__init__(specification, **options)

    def make_operation(self, operation: Any) -> Any:
        return operation

    @staticmethod
    def _framework_path_and_name(operation: Any, path: str) -> tuple[str, str]:
        return path, operation.operation_id

    def _add_operation_internal(self, method: str, path: str, operation: Any, name: str | None = None) -> None:
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

    def add_api(self, specification: Specification, **kwargs: Any) -> None:
        """Take over the operations of the contract that `name` says."""
        wanted = {key: kwargs[key] for key in ("base_path", "resolver", "resolver_error_handler", "uri_parser_class")}
        _LaneApi(specification, lane=self, service=self._services[kwargs["name"]], **wanted)

    def add(self, method: str, template: str, door: Door) -> None:
        """Answer one method of one path."""
        self._routes.add(template, method, door)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request."""
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
        await send({"type": "http.response.body", "body": reply.body})

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
        reply = finished(refusal(problem, self._first), self._first.filters_of(where), wire.scope)
        sender = self._first.sender_of(where)
        await (sender(wire, reply) if sender else wire.answer(reply))


async def _live(scope: Scope, receive: Receive, send: Send) -> None:
    """Say to the HTTP server that the application has started, and later that it has ended."""
    while scope["type"] == "lifespan":
        event = (await receive())["type"].removeprefix("lifespan.")
        await send({"type": f"lifespan.{event}.complete"})
        if event == "shutdown":
            return
