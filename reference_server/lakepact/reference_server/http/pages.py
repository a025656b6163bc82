"""Pages outside the contracts: an index page, the contracts' documents, and the health of the server."""

from __future__ import annotations

import html
from functools import partial
from typing import TYPE_CHECKING, Any

import flask
import orjson
from a2wsgi import WSGIMiddleware
from werkzeug.exceptions import HTTPException

from lakepact.reference_server.http.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.http.router import AsgiApp
    from lakepact.reference_server.service import Service


def pages(services: tuple[Service, ...]) -> AsgiApp:
    """Return an application of its own with the pages."""
    app = flask.Flask(__name__)
    add_pages(app, services)
    return over_asgi(app)


def over_asgi(app: flask.Flask) -> AsgiApp:
    """Return a Flask application as the router calls it."""
    wsgi: Any = app.wsgi_app
    served: Any = WSGIMiddleware(wsgi)  # a2wsgi describes the same interfaces in types of its own
    asgi: AsgiApp = served
    return asgi


def add_pages(pages: flask.Flask, services: tuple[Service, ...]) -> None:
    """Give a Flask application the pages about some contracts."""
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
    for path, served in {"/openapi.json": first, **{served.document_path: served for served in services}}.items():
        pages.add_url_rule(path, endpoint=path, view_func=partial(openapi, served))
    for served in services:
        for path, told in served.pages.items():
            pages.add_url_rule(path, endpoint=path, view_func=partial(_told, told))
    pages.register_error_handler(HTTPException, refused)


def _told(told: Callable[[], bytes]) -> flask.Response:
    return flask.Response(told(), mimetype="application/json")


INDEX = (
    "<!doctype html><title>lakepact</title><h1>lakepact's reference server</h1>"
    "<p>It answers the operations below as their contracts say, and checks every request against them. "
    'Whether it is up: <a href="/healthz">/healthz</a>.</p>'
)


def _described(served: Service) -> str:
    contract = served.contract
    rows = "".join(
        f"<tr><td>{o.method.upper()}</td><td>{html.escape(served.root + o.path)}</td><td>{o.id}</td></tr>" for o in served.offered()
    )
    about = " ".join(map(html.escape, served.about))
    absent = ", ".join(sorted(served.not_offered))
    further = "".join(f' <a href="{path}">{html.escape(path.rpartition("/")[2].replace("-", " "))}</a>' for path in served.pages)
    return (
        f"<h2>{html.escape(contract.title)}, {html.escape(contract.version)}</h2>"
        f'<p>The contract: <a href="{served.document_path}">{served.document_path}</a>. {about}{further}</p>'
        f"<table><tr><th>method</th><th>path</th><th>operation</th></tr>{rows}</table>"
        + (f"<p>Not offered, answered with status 406: {absent}.</p>" if absent else "")
    )
