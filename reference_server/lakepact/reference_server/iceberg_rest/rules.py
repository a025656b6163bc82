"""All decisions of a catalog that a fault, a version or a profile may replace."""

from __future__ import annotations

from lakepact.reference_server.iceberg_rest import namespaces, scan_planning
from lakepact.reference_server.iceberg_rest.commits import commits, idempotency, transactions
from lakepact.reference_server.iceberg_rest.tables import credentials, etags, remote_signing, tables
from lakepact.reference_server.iceberg_rest.views import commits as view_commits
from lakepact.reference_server.iceberg_rest.views import views


class CatalogRules(
    namespaces.Rules,
    tables.Rules,
    etags.Rules,
    credentials.Rules,
    remote_signing.Rules,
    commits.Rules,
    transactions.Rules,
    views.Rules,
    view_commits.Rules,
    scan_planning.Rules,
    idempotency.Rules,
):
    """The rules of all areas but access."""
