"""Requests that rename tables and views."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Namespace
from lakepact.conformance.evidence.exchanges import Document, Members, Reply
from lakepact.generated.iceberg_rest import op


def identifier(namespace: Namespace, name: str) -> Document:
    """Return the identifier of a table or view, as bodies have it."""
    return {"namespace": list(namespace), "name": name}


def rename_table(lab: CatalogLab, source: Members, destination: Members) -> Reply:
    """Rename a table; a table at the destination is dropped after the check."""
    lab.drop_afterwards(tuple(destination["namespace"]), destination["name"])
    return lab.send(
        op.rename_table, body={"source": dict(source), "destination": dict(destination)}
    )


def rename_view(lab: CatalogLab, source: Members, destination: Members) -> Reply:
    """Rename a view; a view at the destination is dropped after the check."""
    at: Document = {"namespace": tuple(destination["namespace"]), "view": destination["name"]}
    lab.add_cleanup(lambda: lab.send(op.drop_view, **at))
    return lab.send(op.rename_view, body={"source": dict(source), "destination": dict(destination)})
