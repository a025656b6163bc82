"""Namespaces that are created without a request."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR
from mutants.iceberg_rest.operators.tables import Handlers, for_operation


def make_namespace(handlers: Handlers, levels: Sequence[str]) -> None:
    """Make a namespace, and those above it, as far as they do not exist."""
    for depth in range(1, len(levels) + 1):
        try:
            handlers[op.create_namespace](body={"namespace": levels[:depth], "properties": {}})
        except Problem as problem:
            if problem.status != 409:
                raise


def made_where_missing(
    operation: OperationId, *, when: Callable[[Document], bool] | None = None
) -> Install:
    """A request for a missing namespace creates it and is repeated; `when` selects requests by
    their bodies, `None` all.
    """

    def act(handlers: Handlers, arguments: Arguments) -> Reply:
        try:
            return handlers[operation](**arguments)
        except Problem as problem:
            if problem.status != 404 or (when is not None and not when(arguments["body"])):
                raise
        make_namespace(handlers, arguments["namespace"].split(SEPARATOR))
        return handlers[operation](**arguments)

    return for_operation(operation, act)
