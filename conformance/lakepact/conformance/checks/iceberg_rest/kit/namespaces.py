"""Requests about namespaces, and their answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance.judging import expect
from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Namespace
    from lakepact.conformance.evidence.exchanges import Reply


ABSENT: Any = object()  #: stands for a member that is left out


def create(lab: CatalogLab, namespace: Any = ABSENT, **members: Any) -> Reply:
    """Return a request that creates a namespace; what it makes is dropped when the check is over, by the name that it was answered with.

    Sound properties are left out where the target keeps none.
    """
    if not lab.feature("namespace-properties") and all(isinstance(value, str) for value in (members.get("properties") or {}).values()):
        members.pop("properties", None)
    reply = lab.send(op.create_namespace, body={**({} if namespace is ABSENT else {"namespace": namespace}), **members})
    if reply.status == 200:
        parsed = reply.exchange.parsed
        made = parsed.get("namespace") if isinstance(parsed, dict) else None
        levels = [str(level) for level in (made if isinstance(made, list) else namespace if isinstance(namespace, list) else [])]
        if any(levels):
            lab.add_cleanup(lambda: lab.send(op.drop_namespace, namespace=tuple(levels)))
    return reply


def levels_of(lab: CatalogLab, namespace: Namespace) -> Any:
    """Return the levels that a catalog answers when a namespace is loaded."""
    reply = lab.send(op.load_namespace_metadata, namespace=namespace)
    expect.status(reply, 200)
    return reply.at("namespace")


def properties_of(lab: CatalogLab, namespace: Namespace) -> dict[str, Any]:
    """Return the stored properties of a namespace."""
    reply = lab.send(op.load_namespace_metadata, namespace=namespace)
    expect.status(reply, 200)
    properties = reply.at("properties")
    if properties is None and not lab.feature("namespace-properties"):
        return {}
    expect.true(isinstance(properties, dict), "`properties` as an object", properties, at=reply.place("properties"))
    stored: dict[str, Any] = properties or {}
    return stored


def names_in(reply: Reply) -> list[Any]:
    """Return the namespaces of a listing."""
    expect.status(reply, 200)
    names: list[Any] = reply.at("namespaces")
    return names


def children(lab: CatalogLab, parent: Namespace | str | None) -> list[Any]:
    """Everything that a listing below a parent holds, over all pages."""
    found: list[Any] = []
    token: str | None = None
    for _ in range(1000):
        reply = lab.send(op.list_namespaces, parent=parent, page_token=token)
        expect.status(reply, 200)
        token = reply.document.get("next-page-token")
        found += names_in(reply)
        if not token:
            break
    return found
