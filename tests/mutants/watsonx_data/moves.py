"""Tables and views that stay where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_call
from lakepact.reference_server.http.problems import Problem

if TYPE_CHECKING:
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.service import Handler


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


@fault("WXD-TBL-003")
def tables_stay_in_their_namespaces() -> Install:
    """Tables cannot be moved into other namespaces."""
    return on_call(op.rename_table, _not_across)


@fault("WXD-TBL-003")
def tables_move_within() -> Install:
    """Tables get their new names where they are."""
    return on_call(op.rename_table, _within)


@fault("WXD-VIEW-001")
def views_stay_in_their_namespaces() -> Install:
    """Views cannot be moved into other namespaces."""
    return on_call(op.rename_view, _not_across)


@fault("WXD-VIEW-001")
def views_move_within() -> Install:
    """Views get their new names where they are."""
    return on_call(op.rename_view, _within)
