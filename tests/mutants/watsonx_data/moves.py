"""Tables and views that stay where they are."""

from __future__ import annotations

from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import on_call
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Handler


def _not_across(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Refuse to move anything across namespaces."""
    body = arguments["body"]
    if body["source"]["namespace"] != body["destination"]["namespace"]:
        raise Problem(406, "UnsupportedOperationException", "asked for by a fault")
    return handler(**arguments)


def _within(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Rename within the namespace, whatever the other one is."""
    body = arguments["body"]
    there = {**body["destination"], "namespace": body["source"]["namespace"]}
    return handler(body={**body, "destination": there})


FAULTS = {
    "tables-stay-in-their-namespaces WXD-TBL-003": on_call(op.rename_table, _not_across),
    "tables-move-within WXD-TBL-003": on_call(op.rename_table, _within),
    "views-stay-in-their-namespaces WXD-VIEW-001": on_call(op.rename_view, _not_across),
    "views-move-within WXD-VIEW-001": on_call(op.rename_view, _within),
}
