"""The application: `connexion.FlaskApp` with the contracts' lane in front, and Flask for what is in no contract.

1. `service(settings)` of each contract builds its tables (`service.Service`); faults change them.
2. connexion loads each contract's routing and resolves its operations to handlers.
3. `ContractLane` takes the operations over, compiled, and answers every path of the contracts.
4. Flask answers `/`, `/healthz` and `/openapi.json`.
"""

from __future__ import annotations

import html
import importlib
from functools import partial
from typing import TYPE_CHECKING, Any

import flask
import orjson
from a2wsgi import WSGIMiddleware
from connexion.apps.flask import FlaskApp
from connexion.resolver import Resolver
from werkzeug.exceptions import HTTPException

from .contract_lane import ContractLane
from .faults import fault_named
from .problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .replies import Reply
    from .service import Service, Settings

PAGES = frozenset({"/", "/healthz", "/openapi.json"})


def service(contract: str, settings: Settings, *, faults: Iterable[str] = ()) -> Service:
    """The service of one contract, with the faults that are asked for by name.

    Raises:
        UnknownFault: a fault's name is not known.
        Unanswered: an operation of the contract would have no answer.
    """
    served: Service = importlib.import_module(f"lakepact.reference_server.{contract}").service(settings)
    for spelled in faults:
        fault_named(spelled, contract=contract, operations=served.contract.operations).install(served)
    return served


def application(*services: Service) -> FlaskApp:
    """The ASGI application that serves some contracts on one port."""
    by_name = {served.contract.name: served for served in services}
    app = FlaskApp(__name__, middlewares=[partial(ContractLane, services=by_name, pages=PAGES)])
    # Flask as it is: of the contracts' operations, which all end in the lane, it need not know.
    wsgi: Any = app.app.wsgi_app
    pages: Any = WSGIMiddleware(wsgi)  # a2wsgi and starlette describe the same interfaces in types of their own
    app.middleware.app = pages
    for served in services:
        routing = _without_answers(served.contract.routing)
        app.add_api(routing, base_path="", name=served.contract.name, resolver=Resolver(partial(resolved, served)))
    _add_pages(app.app, services)
    return app


def _without_answers(routing: dict[str, Any]) -> dict[str, Any]:
    """A routing with its answers left out: connexion only reads requests here, but would validate them at every start."""
    answers: dict[str, Any] = {"default": {"description": "as the handler says"}}
    items: dict[str, dict[str, Any]] = routing["paths"]
    paths = {path: {method: {**o, "responses": answers} for method, o in item.items()} for path, item in items.items()}
    return {**routing, "paths": paths}


def resolved(served: Service, operation: str) -> Callable[..., Reply]:
    """The function that answers an operation; connexion asks for it by the operation's id."""
    if operation in served.not_offered:
        return partial(_not_offered, served, operation)
    return served.handlers[operation]


def _not_offered(served: Service, operation: str, **_: Any) -> Reply:
    raise Problem(406, served.kinds[406], f"this server does not offer the operation {operation}")


def _add_pages(pages: flask.Flask, services: tuple[Service, ...]) -> None:
    first = services[0]

    def index() -> flask.Response:
        return flask.Response("".join(map(_described, services)), mimetype="text/html")

    def healthz() -> flask.Response:
        return flask.Response(b'{"status":"ok"}', mimetype="application/json")

    def openapi() -> flask.Response:
        return flask.Response(orjson.dumps(first.contract.bundle), mimetype="application/json")

    def refused(error: HTTPException) -> flask.Response:
        status = error.code or 500
        problem = Problem(status, first.kinds.get(status, error.name.replace(" ", "")), error.description or error.name)
        headers = [(n, v) for n, v in error.get_headers() if n.lower() == "allow"]
        return flask.Response(first.error_body(problem), status=status, headers=headers, mimetype="application/json")

    pages.add_url_rule("/", view_func=index)
    pages.add_url_rule("/healthz", view_func=healthz)
    pages.add_url_rule("/openapi.json", view_func=openapi)
    pages.register_error_handler(HTTPException, refused)


def _described(served: Service) -> str:
    contract = served.contract
    rows = "".join(f"<tr><td>{o.method.upper()}</td><td>{html.escape(o.path)}</td><td>{o.id}</td></tr>" for o in served.offered())
    about = " ".join(map(html.escape, served.about))
    absent = ", ".join(sorted(served.not_offered))
    return (
        f"<!doctype html><title>lakepact</title><h1>{html.escape(contract.title)}, {html.escape(contract.version)}</h1>"
        f"<p>This is lakepact's reference server. It answers the operations below as their contract says, checks every request "
        f"against it, and forgets everything when it ends. {about}</p>"
        f'<p>The contract: <a href="/openapi.json">/openapi.json</a>. Whether the server is up: <a href="/healthz">/healthz</a>.</p>'
        f"<table><tr><th>method</th><th>path</th><th>operation</th></tr>{rows}</table>"
        + (f"<p>Not offered, answered with status 406: {absent}.</p>" if absent else "")
    )
