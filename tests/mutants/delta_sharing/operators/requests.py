"""Faults that read in a request something else than what it says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lakepact.generated.delta_sharing import op
from lakepact.reference_server.faults import Install, on_call
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler


def on_query(edit: Callable[[dict[str, Any]], dict[str, Any]]) -> Install:
    """Answer queries as if they had the body that `edit` makes of theirs."""

    def act(handler: Handler, arguments: Arguments) -> Reply:
        return handler(**arguments | {"body": edit(dict(arguments.get("body") or {}))})

    return on_call(op.query_table, act)


def on_changes(edit: Callable[[dict[str, Any]], dict[str, Any]]) -> Install:
    """Answer requests for changes as if they had the arguments that `edit` makes of theirs."""

    def act(handler: Handler, arguments: Arguments) -> Reply:
        return handler(**edit(dict(arguments)))

    return on_call(op.query_table_changes, act)


def without(*names: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Leave out some members."""
    return lambda given: {name: value for name, value in given.items() if name not in names}
