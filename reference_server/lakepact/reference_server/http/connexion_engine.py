"""The application of connexion: `connexion.FlaskApp` reads the contracts' routing at every start,
with the router as middleware.

It answers like the application made from plans, but starts later: connexion takes longer to import
than everything else.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

from lakepact.generated.contract import OperationId
from lakepact.reference_server.http.pages import add_pages, over_asgi
from lakepact.reference_server.http.router import ContractRouter
from lakepact.reference_server.http.service import Service
from lakepact.reference_server.import_stubs import stub_imports

with warnings.catch_warnings(), stub_imports("starlette.testclient", "requests", "httpx"):
    # connexion imports names of jsonschema and starlette that these have deprecated.
    warnings.filterwarnings("ignore", message=r"jsonschema\..* is deprecated")
    warnings.filterwarnings("ignore", message="Using `httpx` with `starlette.testclient`")
    from connexion.apps.flask import FlaskApp
    from connexion.middleware.abstract import AbstractRoutingAPI, SpecMiddleware
    from connexion.resolver import Resolver
    from connexion.spec import Specification


class _RouterApi(AbstractRoutingAPI[Any]):
    """Takes over connexion's operations with the functions that connexion has resolved for them."""

    def __init__(
        self, specification: Specification, *, router: ContractRouter, contract: str, **options: Any
    ) -> None:
        self._router = router
        self._contract = contract
        super().__init__(specification, **options)

    def make_operation(self, operation: Any) -> Any:
        return operation

    @staticmethod
    def _framework_path_and_name(operation: Any, path: str) -> tuple[str, str]:
        return path, operation.operation_id

    def _add_operation_internal(
        self, method: str, path: str, operation: Any, name: str | None = None
    ) -> None:
        self._router.add(
            self._contract,
            method,
            path,
            operation=OperationId(name or operation.operation_id),
            handler=operation.function,
        )


class ConnexionRouter(ContractRouter, SpecMiddleware):
    """The router as a middleware of connexion, which passes the contracts' operations to it."""

    def add_api(self, specification: Specification, **kwargs: Any) -> None:
        """Take over the operations of the contract with this `name`."""
        options = {
            key: kwargs[key]
            for key in ("base_path", "resolver", "resolver_error_handler", "uri_parser_class")
        }
        _RouterApi(specification, router=self, contract=kwargs["name"], **options)


def application(*services: Service, pages: frozenset[str]) -> FlaskApp:
    """Return the ASGI application that serves some contracts on one port, and leaves the paths of
    pages to Flask.
    """
    by_name = {service.contract.name: service for service in services}
    app = FlaskApp(__name__, middlewares=[partial(ConnexionRouter, services=by_name, pages=pages)])
    # Plain Flask: it does not see the contracts' operations, which the router answers.
    behind: Any = over_asgi(app.app)  # starlette describes the same interfaces in types of its own
    app.middleware.app = behind
    for each in services:
        routing = _without_answers(each.contract.routing)
        app.add_api(
            routing, base_path="", name=each.contract.name, resolver=Resolver(each.answering)
        )
    add_pages(app.app, services)
    return app


def _without_answers(routing: dict[str, Any]) -> dict[str, Any]:
    """Return a routing with its answers left out: connexion only reads requests here, but would
    validate them at every start.
    """
    answers: dict[str, Any] = {"default": {"description": "as the handler says"}}
    items: dict[str, dict[str, Any]] = routing["paths"]
    paths = {
        path: {method: {**o, "responses": answers} for method, o in item.items()}
        for path, item in items.items()
    }
    return {**routing, "paths": paths}
