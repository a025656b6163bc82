"""Tables and views that stay where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import on_call
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.http.service import Arguments, Handler


def _refusing(status: int, *, moves: bool = False) -> Callable[[Handler, dict[str, Any]], Reply]:
    """Refuse to move anything across namespaces, perhaps after it has been moved."""

    def act(handler: Handler, arguments: Arguments) -> Reply:
        body = arguments["body"]
        across = body["source"]["namespace"] != body["destination"]["namespace"]
        reply = handler(**arguments) if moves or not across else Reply(204)
        if across:
            raise Problem(status, "UnsupportedOperationException", "asked for by a fault")
        return reply

    return act


def _within(handler: Handler, arguments: Arguments) -> Reply:
    """Rename within the namespace, whatever the other one is."""
    body = arguments["body"]
    there = {**body["destination"], "namespace": body["source"]["namespace"]}
    return handler(body={**body, "destination": there})


FAULTS = {
    "tables-do-not-move WXD-TBL-003": on_call(op.rename_table, _refusing(400)),
    "tables-move-and-refuse WXD-TBL-003": on_call(op.rename_table, _refusing(406, moves=True)),
    "tables-move-within WXD-TBL-003": on_call(op.rename_table, _within),
    "views-do-not-move WXD-VIEW-001": on_call(op.rename_view, _refusing(400)),
    "views-move-and-refuse WXD-VIEW-001": on_call(op.rename_view, _refusing(406, moves=True)),
    "views-move-within WXD-VIEW-001": on_call(op.rename_view, _within),
}
