"""All decisions of a catalog that a fault, a version or a profile may replace."""

from __future__ import annotations

from . import commits, credentials, etags, idempotency, namespaces, scan_planning, tables, transactions, view_commits, views


class CatalogRules(
    namespaces.Rules,
    tables.Rules,
    etags.Rules,
    credentials.Rules,
    commits.Rules,
    transactions.Rules,
    views.Rules,
    view_commits.Rules,
    scan_planning.Rules,
    idempotency.Rules,
):
    """The rules of all areas but access."""
