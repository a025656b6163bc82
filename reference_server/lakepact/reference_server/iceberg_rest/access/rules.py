"""All decisions of a catalog that knows its callers."""

from __future__ import annotations

from lakepact.reference_server.iceberg_rest.access import Rules as AccessRules
from lakepact.reference_server.iceberg_rest.access import callers, token_endpoint
from lakepact.reference_server.iceberg_rest.rules import CatalogRules


class GuardedRules(AccessRules, callers.Rules, token_endpoint.Rules, CatalogRules):
    """The rules of all areas, those of access first."""
