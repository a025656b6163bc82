"""A handler without a parameter of the served version, for mypy.

It has to find the parameter, because it refuses an ignore that nothing needs.
"""

from __future__ import annotations

from lakepact.generated.iceberg_rest.server import Handlers
from lakepact.reference_server.http.replies import NO_CONTENT, Reply
from lakepact.reference_server.iceberg_rest.handlers import CatalogHandlers


class Forgetful(CatalogHandlers):
    def load_credentials(self, *, namespace: str, table: str) -> Reply:  # type: ignore[override]
        return NO_CONTENT  # without plan_id and referenced_by


def served(complete: CatalogHandlers) -> Handlers[Reply]:
    return complete


def forgotten(handlers: Forgetful) -> Handlers[Reply]:
    return handlers  # type: ignore[return-value]
