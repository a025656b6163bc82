"""The path of every request: an ASGI application, compiled from the routes that connexion derives
from the contracts.

By default the routes come from plans that connexion made at code generation (`app`); with the
engine `connexion` it makes them at every start, and this is a middleware of its application
(`connexion_engine`).

Only the arguments of the call are built per request: a trie finds the path, functions compiled from
the schemas parse parameters, bodies are parsed once and validated by compiled schemas, handlers are
plain functions that return bytes. Paths outside the contracts go to Flask.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from functools import partial
from typing import Any
from urllib.parse import unquote, urlencode

from lakepact.generated.contract import Operation, OperationId
from lakepact.reference_server.http.bodies import Gone, Receive
from lakepact.reference_server.http.endpoint import Endpoint, finish, refusal
from lakepact.reference_server.http.index_entries import NotListed
from lakepact.reference_server.http.index_page import HTML, NEVER_STORED, index_page
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.routes import BadPath, Routes
from lakepact.reference_server.http.service import (
    UNKNOWN_PATH,
    WRONG_METHOD,
    Handler,
    Scope,
    Service,
)
from lakepact.reference_server.http.wire import Wire, headers_of

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
AsgiApp = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

INDEX_METHODS = ("GET", "HEAD")


class Mount:
    """One contract in the router: its service and its paths."""

    __slots__ = ("apps", "below", "root", "routes", "service")

    def __init__(self, service: Service) -> None:
        self.service = service
        self.root = service.root
        self.below = f"{service.root}/"
        self.apps = tuple((f"{path}/", app) for path, app in service.apps.items())
        self.routes: Routes[Endpoint] = Routes(decode=service.rules.http.decode_segment)

    def add(self, method: str, path: str, *, operation: Operation, handler: Handler) -> None:
        """Answer one operation by the function that was resolved for it."""
        for template in self.service.paths(path):
            endpoint = Endpoint(operation, handler, service=self.service, template=template)
            self.routes.add(f"{self.root}{template}", method, endpoint)


class ContractRouter:
    """Answers every path of the contracts; other paths go to Flask's pages or get 404.

    A path that no contract has gets an error body of the contract whose root is its beginning.

    Args:
        app: the application of the pages.
        services: the contracts by name.
        pages: the paths that go to `app`.
    """

    def __init__(
        self, app: AsgiApp, *, services: Mapping[str, Service], pages: frozenset[str]
    ) -> None:
        self._app = app
        self._pages = pages
        self._by_name = {name: Mount(service) for name, service in services.items()}
        self._first = next(iter(self._by_name.values()))
        self._mounts = tuple(
            sorted(self._by_name.values(), key=lambda mount: len(mount.root), reverse=True)
        )
        self._only = self._first if len(self._mounts) == 1 else None

    def add(
        self, name: str, method: str, path: str, *, operation: OperationId, handler: Handler
    ) -> None:
        """Answer one operation of the contract `name` by a function."""
        mount = self._by_name[name]
        mount.add(
            method, path, operation=mount.service.contract.operations[operation], handler=handler
        )

    def fast_endpoint(
        self, method: str, raw_path: bytes
    ) -> tuple[Endpoint, tuple[str, ...]] | None:
        """Return the operation of a path and the values of its variables, if the fast path may
        answer it.
        """
        mount = self._only or self._mount(unquote(raw_path.decode()))
        try:
            match = mount.routes.find(raw_path)
        except BadPath:
            return None
        endpoint = match.methods.get(method) if match else None
        return (endpoint, match.values) if match and endpoint and endpoint.is_fast else None

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await _live(scope, receive, send)
            return
        mount = self._only or self._mount(scope["path"])
        try:
            match = mount.routes.find(scope["raw_path"])
        except BadPath as bad:
            problem = Problem(400, mount.service.kinds[400], str(bad))
            await _refuse(mount.service, UNKNOWN_PATH, problem, Wire(scope, receive, send))
            return
        if match is None:
            await self._elsewhere(mount, scope, receive, send)
            return
        endpoint = match.methods.get(scope["method"])
        if endpoint is None:
            problem = _wrong_method(mount.service, scope, match.methods)
            await _refuse(mount.service, WRONG_METHOD, problem, Wire(scope, receive, send))
            return
        try:
            reply = await endpoint.answer(scope, receive, match.values)
        except Gone:
            return
        await send_reply(reply, scope, receive, send)

    def _mount(self, path: str) -> Mount:
        """Return the contract whose root is the beginning of a path."""
        for mount in self._mounts:
            if path.startswith(mount.below) or path == mount.root:
                return mount
        return self._first

    async def _elsewhere(
        self, mount: Mount, scope: MutableMapping[str, Any], receive: Receive, send: Send
    ) -> None:
        path: str = scope["path"]
        if path == "/":
            await self._index(scope, receive, send)
            return
        if path in self._pages:
            await self._app(scope, receive, send)
            return
        for below, app in mount.apps:
            if path.startswith(below):
                await app(scope, receive, send)
                return
        message = (
            f"no operation has the path {path[:200]!r}; the index page at / says what is served"
        )
        await _refuse(
            mount.service,
            UNKNOWN_PATH,
            Problem(404, mount.service.kinds[404], message),
            Wire(scope, receive, send),
        )

    async def _index(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Send the index page."""
        wire = Wire(scope, receive, send)
        if scope["method"] not in INDEX_METHODS:
            await _refuse(
                self._first.service,
                WRONG_METHOD,
                _wrong_method(self._first.service, scope, INDEX_METHODS),
                wire,
            )
            return
        services = [mount.service for mount in self._by_name.values()]
        page = await index_page(services, scope, ask=partial(self._ask, scope))
        await wire.answer(finish(Reply(200, page, NEVER_STORED, HTML), (), scope))

    async def _ask(self, scope: Scope, path: str, query: Mapping[str, str]) -> dict[str, Any]:
        """Return the document that the caller of a page gets for a GET of a path.

        Raises:
            NotListed: the answer is not a document with status 200.
        """
        raw_path = path.encode()
        match = (self._only or self._mount(path)).routes.find(raw_path)
        endpoint = match.methods.get("GET") if match else None
        if match is None or endpoint is None:
            raise NotListed(404)
        request = {
            **scope,
            "method": "GET",
            "path": unquote(path),
            "raw_path": raw_path,
            "query_string": urlencode(query).encode(),
        }
        reply = await endpoint.answer(request, _nothing, match.values)
        if reply.status != 200 or reply.chunks is not None:
            raise NotListed(reply.status)
        document: dict[str, Any] = reply.document
        return document


async def _nothing() -> MutableMapping[str, Any]:
    """Return an empty body."""
    return {"type": "http.request", "body": b"", "more_body": False}


def _wrong_method(service: Service, scope: Scope, methods: Iterable[str]) -> Problem:
    allow = ", ".join(sorted(methods))
    message = f"{scope['method']} is not a method of this path; it has {allow}"
    return Problem(405, service.kinds[405], message, headers=(("allow", allow),))


async def _refuse(service: Service, where: OperationId, problem: Problem, wire: Wire) -> None:
    reply = finish(refusal(problem, service), service.filters_of(where), wire.scope)
    await (reply.sender or Wire.answer)(wire, reply)


async def _live(scope: Scope, receive: Receive, send: Send) -> None:
    """Say to the HTTP server that the application has started, and later that it has ended."""
    while scope["type"] == "lifespan":
        event = (await receive())["type"].removeprefix("lifespan.")
        await send({"type": f"lifespan.{event}.complete"})
        if event == "shutdown":
            return


async def send_reply(
    reply: Reply, scope: MutableMapping[str, Any], receive: Receive, send: Send
) -> None:
    """Send the reply of an endpoint."""
    if reply.sender is not None or reply.chunks is not None:
        await (reply.sender or Wire.answer)(Wire(scope, receive, send), reply)
        return
    await send(
        {"type": "http.response.start", "status": reply.status, "headers": headers_of(reply)}
    )
    await send({"type": "http.response.body", "body": reply.body})
