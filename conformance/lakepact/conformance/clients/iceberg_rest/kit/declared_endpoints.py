"""Catalogs whose configuration declares the endpoints that they serve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.conformance.clients.listener import Answer
from lakepact.generated.contract import Contract
from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from collections.abc import Collection

    from lakepact.conformance.clients.scripted_server import Forward, Request, Script
    from lakepact.generated.contract import OperationId

ROUTES = {operation: f"{method} {template}" for method, template, operation in Contract("iceberg_rest").routes}
ALWAYS = frozenset({op.get_config, op.get_token})
MISSING = Answer(404, headers=(("content-type", "text/plain"),), body=b"no such route")


def with_endpoints(without: Collection[OperationId] = ()) -> Script:
    """Return a catalog whose configuration lists its endpoints; it does not serve those in `without`."""

    def script(request: Request, forward: Forward) -> Answer:
        if request.operation in without:
            return MISSING
        answer = forward(request)
        if request.operation != op.get_config or answer.status != 200:
            return answer
        served = [route for operation, route in ROUTES.items() if operation not in ALWAYS and operation not in without]
        return answer.with_document({**answer.document, "endpoints": served})

    return script
