"""The `endpoints` of a configuration, and the operations that they name, even misspelled."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from lakepact.generated.contract import Contract, Operation, OperationId

#: The operations of all versions, as the oldest that has each describes it.
OPERATIONS: Mapping[OperationId, Operation] = {
    operation.id: operation
    for version in reversed(Contract("iceberg_rest").versions)
    for operation in Contract("iceberg_rest", version).operations.values()
}

#: A path parameter, in the notations of OpenAPI and of common routers.
PLACEHOLDER = re.compile(r"\{[^}]*\}|<[^>]*>|:[\w-]+")
VERSION = "v1"  #: the first segment of every path of the contract


def form(endpoint: str, prefix: str | None = None) -> tuple[str, ...]:
    """Return an endpoint as method and segments, without case, names of placeholders, surplus
    slashes, version and prefix.

    Args:
        endpoint: a method and a path template.
        prefix: the prefix of this target, which some servers write out in their templates.
    """
    method, _, path = endpoint.strip().lower().partition(" ")
    segments = [PLACEHOLDER.sub("{}", segment) for segment in path.strip().split("/") if segment]
    if segments[:1] == [VERSION]:
        del segments[0]
    prefix_segments = prefix.lower().strip("/").split("/") if prefix else []
    for leading in (["{}"], prefix_segments):
        if leading and segments[: len(leading)] == leading:
            del segments[: len(leading)]
            break
    return (method, *segments)


FORMS: Mapping[tuple[str, ...], Operation] = {
    form(f"{o.method} {o.path}"): o for o in OPERATIONS.values()
}


def operation_of(endpoint: Any, prefix: str | None = None) -> Operation | None:
    """Return the operation that an endpoint names, however it is spelled; `None` if it names
    none.
    """
    return FORMS.get(form(endpoint, prefix)) if isinstance(endpoint, str) else None


def declared(endpoints: Iterable[Any], prefix: str | None = None) -> frozenset[OperationId]:
    """Return the operations that endpoints name."""
    return frozenset(
        operation.id
        for endpoint in endpoints
        if (operation := operation_of(endpoint, prefix)) is not None
    )
