"""Pages outside the contracts: the contracts' documents, and the health of the server. The router
has the index page (`index_page`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import flask
import orjson
from a2wsgi import WSGIMiddleware
from werkzeug.exceptions import HTTPException

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.router import AsgiApp
from lakepact.reference_server.http.service import Service


def pages(services: tuple[Service, ...]) -> AsgiApp:
    """Return an application of its own with the pages."""
    app = flask.Flask(__name__)
    add_pages(app, services)
    return over_asgi(app)


def over_asgi(app: flask.Flask) -> AsgiApp:
    """Return a Flask application as the router calls it."""
    wsgi: Any = app.wsgi_app
    middleware: Any = WSGIMiddleware(
        wsgi
    )  # a2wsgi describes the same interfaces in types of its own
    asgi: AsgiApp = middleware
    return asgi


def add_pages(pages: flask.Flask, services: tuple[Service, ...]) -> None:
    """Give a Flask application the pages about some contracts."""
    first = services[0]

    def healthz() -> flask.Response:
        return flask.Response(b'{"status":"ok"}', mimetype="application/json")

    def openapi(service: Service) -> flask.Response:
        return flask.Response(orjson.dumps(service.contract.bundle), mimetype="application/json")

    def refuse(error: HTTPException) -> flask.Response:
        status = error.code or 500
        problem = Problem(
            status,
            first.kinds.get(status, error.name.replace(" ", "")),
            error.description or error.name,
        )
        headers = [(n, v) for n, v in error.get_headers() if n.lower() == "allow"]
        return flask.Response(
            first.error_body(problem), status=status, headers=headers, mimetype="application/json"
        )

    pages.add_url_rule("/healthz", view_func=healthz)
    # Without a root, a contract's document stands where that of the first one would.
    for path, service in {
        "/openapi.json": first,
        **{service.document_path: service for service in services},
    }.items():
        pages.add_url_rule(path, endpoint=path, view_func=partial(openapi, service))
    for service in services:
        for path, content in service.pages.items():
            pages.add_url_rule(path, endpoint=path, view_func=partial(_json_page, content))
    pages.register_error_handler(HTTPException, refuse)


def _json_page(content: Callable[[], bytes]) -> flask.Response:
    return flask.Response(content(), mimetype="application/json")
