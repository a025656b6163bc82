"""The application: `connexion.FlaskApp` with the contracts' lane in front, and Flask for what is in no contract.

1. `service(settings, beside)` of each contract builds its tables (`service.Service`); faults change them.
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

from lakepact.generated.contract import Contract, contracts

from .contract_lane import ContractLane
from .faults import UnknownFault, fault_named
from .problems import Problem
from .service import NEEDED, OF_USE_TO, BadSetting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from .faults import Fault
    from .replies import Reply
    from .service import Service, Settings

PAGES = ("/", "/healthz", "/openapi.json")


def service(contract: str, settings: Settings, *, beside: Mapping[str, Service] | None = None, faults: Iterable[str] = ()) -> Service:
    """The service of one contract, with the faults that are asked for by name.

    Args:
        contract: its name.
        settings: what it is built from.
        beside: the services that are already there, by the names of their contracts.
        faults: names of misbehaviours.

    Raises:
        UnknownFault: a fault's name is not known.
        BadSetting: it cannot be built from these settings.
        Unanswered: an operation of the contract would have no answer.
    """
    served: Service = importlib.import_module(f"lakepact.reference_server.{contract}").service(settings, beside or {})
    for spelled in faults:
        fault_named(spelled, contract=contract, operations=served.contract.operations).install(served)
    return served


def services(wanted: Sequence[str], settings: Settings, *, faults: Iterable[str] = ()) -> tuple[Service, ...]:
    """The services of several contracts beside each other, in the order of `wanted`; of all that the settings allow, if it is empty.

    Profiles of another contract are served when they are named. A fault is switched on in every contract that has one of its name.

    Raises:
        UnknownFault: no contract has a fault of that name.
        BadSetting: a contract cannot be built from these settings, or a setting is of no use to any of those wanted.
    """
    able = [c for c in contracts() if c not in NEEDED or getattr(settings, NEEDED[c]) is not None]
    meant = [c for c in able if c in wanted] if wanted else [c for c in able if Contract(c).profile_of is None]
    for contract, needed in NEEDED.items():
        if contract in wanted and contract not in able:
            raise BadSetting(f"{contract} cannot be served without --{needed}")
    for setting, contract in OF_USE_TO.items():
        if getattr(settings, setting) is not None and contract not in meant:
            raise BadSetting(f"--{setting} is of use to {contract} alone, which is not among the contracts to serve: {', '.join(meant)}")
    built: dict[str, Service] = {}
    for contract in meant:
        built[contract] = service(contract, settings, beside=dict(built))
    for spelled in faults:
        for served, fault in _with_fault(built.values(), spelled):
            fault.install(served)
    return tuple(built[contract] for contract in dict.fromkeys(wanted or built))


def _with_fault(served: Iterable[Service], spelled: str) -> list[tuple[Service, Fault]]:
    found: list[tuple[Service, Fault]] = []
    unknown: list[str] = []
    for one in served:
        try:
            found.append((one, fault_named(spelled, contract=one.contract.name, operations=one.contract.operations)))
        except UnknownFault as error:
            unknown.append(str(error))
    if not found:
        raise UnknownFault("; ".join(unknown))
    return found


def application(*services: Service) -> FlaskApp:
    """The ASGI application that serves some contracts on one port."""
    by_name = {served.contract.name: served for served in services}
    left_to_flask = frozenset([*PAGES, *map(_document, services)])
    app = FlaskApp(__name__, middlewares=[partial(ContractLane, services=by_name, pages=left_to_flask)])
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


def _document(served: Service) -> str:
    """Where a contract itself is to be had."""
    return f"{served.root}/openapi.json"


def _add_pages(pages: flask.Flask, services: tuple[Service, ...]) -> None:
    first = services[0]

    def index() -> flask.Response:
        return flask.Response(INDEX + "".join(map(_described, services)), mimetype="text/html")

    def healthz() -> flask.Response:
        return flask.Response(b'{"status":"ok"}', mimetype="application/json")

    def openapi(served: Service) -> flask.Response:
        return flask.Response(orjson.dumps(served.contract.bundle), mimetype="application/json")

    def refused(error: HTTPException) -> flask.Response:
        status = error.code or 500
        problem = Problem(status, first.kinds.get(status, error.name.replace(" ", "")), error.description or error.name)
        headers = [(n, v) for n, v in error.get_headers() if n.lower() == "allow"]
        return flask.Response(first.error_body(problem), status=status, headers=headers, mimetype="application/json")

    pages.add_url_rule("/", view_func=index)
    pages.add_url_rule("/healthz", view_func=healthz)
    # Without a root, a contract's document stands where that of the first one would.
    for path, served in {"/openapi.json": first, **{_document(served): served for served in services}}.items():
        pages.add_url_rule(path, endpoint=path, view_func=partial(openapi, served))
    pages.register_error_handler(HTTPException, refused)


INDEX = (
    "<!doctype html><title>lakepact</title><h1>lakepact's reference server</h1>"
    "<p>It answers the operations below as their contracts say, checks every request against them, and forgets everything when it ends. "
    'Whether it is up: <a href="/healthz">/healthz</a>.</p>'
)


def _described(served: Service) -> str:
    contract = served.contract
    rows = "".join(
        f"<tr><td>{o.method.upper()}</td><td>{html.escape(served.root + o.path)}</td><td>{o.id}</td></tr>" for o in served.offered()
    )
    about = " ".join(map(html.escape, served.about))
    absent = ", ".join(sorted(served.not_offered))
    document = _document(served)
    return (
        f"<h2>{html.escape(contract.title)}, {html.escape(contract.version)}</h2>"
        f'<p>The contract: <a href="{document}">{document}</a>. {about}</p>'
        f"<table><tr><th>method</th><th>path</th><th>operation</th></tr>{rows}</table>"
        + (f"<p>Not offered, answered with status 406: {absent}.</p>" if absent else "")
    )
