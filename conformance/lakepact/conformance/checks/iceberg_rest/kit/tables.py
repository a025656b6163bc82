"""Requests that rename, drop and report on tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Namespace
    from lakepact.conformance.exchanges import Reply

ROUNDS = 4  #: of each race: in the first one most clients still open their connections


def identifier(namespace: Namespace, name: str) -> dict[str, Any]:
    """Return an identifier as it stands in bodies."""
    return {"namespace": list(namespace), "name": name}


def rename(lab: CatalogLab, source: Mapping[str, Any], destination: Mapping[str, Any]) -> Reply:
    """Return the answer to a request that renames a table; the destination is dropped afterwards, should there be one."""
    lab.drop_afterwards(tuple(destination["namespace"]), destination["name"])
    return lab.send(op.rename_table, body={"source": dict(source), "destination": dict(destination)})


def ways(lab: CatalogLab) -> tuple[bool | None, ...]:
    """Return how the target drops tables: without a word of purging and with it, or with it alone, which it is told where that is judged.

    Raises:
        Blocked: it drops none.
    """
    lab.drop_table(**lab.make_table().at)
    return (True,) if lab.only_purges else (None, True)
