"""Requests about namespaces, and their answers."""

from __future__ import annotations

from typing import Any

from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Namespace
from lakepact.conformance.checks.iceberg_rest.kit.listings import Names
from lakepact.conformance.evidence.exchanges import Placed, Reply
from lakepact.conformance.evidence.replaying import ABSENT
from lakepact.conformance.judging import expect
from lakepact.generated.iceberg_rest import op


def create(lab: CatalogLab, namespace: Any = ABSENT, **members: Any) -> Reply:
    """Return the answer to creating a namespace; the clean-up drops the namespace that it names.

    Valid properties are left out if the target stores none.
    """
    if not lab.feature("namespace-properties") and all(
        isinstance(value, str) for value in (members.get("properties") or {}).values()
    ):
        members.pop("properties", None)
    reply = lab.send(
        op.create_namespace,
        body={**({} if namespace is ABSENT else {"namespace": namespace}), **members},
    )
    if reply.status == 200:
        document = reply.exchange.json
        answer = document.get("namespace") if isinstance(document, dict) else None
        levels = [
            str(level)
            for level in (
                answer
                if isinstance(answer, list)
                else namespace
                if isinstance(namespace, list)
                else []
            )
        ]
        if any(levels):
            lab.add_cleanup(lambda: lab.send(op.drop_namespace, namespace=tuple(levels)))
    return reply


def expect_namespace(reply: Reply, namespace: Namespace | list[str], about: str = "") -> None:
    """Expect 200 with the levels of a namespace."""
    expect.status(reply, 200, about=about)
    expect.member(list(namespace), reply.place("namespace"), f"namespace {about}".rstrip())


def expect_loads(lab: CatalogLab, namespace: Namespace) -> None:
    """Expect a namespace to be loaded with its levels."""
    expect_namespace(lab.send(op.load_namespace_metadata, namespace=namespace), namespace)


def properties_of(lab: CatalogLab, namespace: Namespace) -> Placed:
    """Return the stored properties of a namespace."""
    reply = lab.send(op.load_namespace_metadata, namespace=namespace)
    expect.status(reply, 200)
    properties = reply.at("properties")
    if properties is not None or lab.feature("namespace-properties"):
        expect.true(
            isinstance(properties, dict),
            "`properties` as an object",
            properties,
            at=reply.place("properties"),
        )
    return Placed(properties or {}, reply.place("properties"))


def names_in(reply: Reply) -> list[Any]:
    """Return the namespaces of a listing."""
    expect.status(reply, 200)
    names: list[Any] = reply.at("namespaces")
    return names


def children(lab: CatalogLab, parent: Namespace | str | None) -> Names:
    """Return the namespaces of a listing below a parent, on all its pages."""
    names: list[Any] = []
    token: str | None = None
    for page in range(1000):
        reply = lab.send(op.list_namespaces, parent=parent, page_token=token)
        names += names_in(reply)
        token = reply.document.get("next-page-token")
        if not token:
            return Names(names, at=None if page else reply.place("namespaces"))
    return Names(names, at=None)
