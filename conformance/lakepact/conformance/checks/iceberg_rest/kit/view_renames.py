"""Requests that rename views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Namespace
    from lakepact.conformance.exchanges import Reply


def identifier(namespace: Namespace, name: str) -> dict[str, Any]:
    """Return an identifier as it stands in bodies."""
    return {"namespace": list(namespace), "name": name}


def rename(lab: CatalogLab, source: Mapping[str, Any], destination: Mapping[str, Any]) -> Reply:
    """Return the answer to a request that renames a view; the destination is dropped afterwards, should there be one."""
    at: dict[str, Any] = {"namespace": tuple(destination["namespace"]), "view": destination["name"]}
    lab.add_cleanup(lambda: lab.send(op.drop_view, **at))
    return lab.send(op.rename_view, body={"source": dict(source), "destination": dict(destination)})
