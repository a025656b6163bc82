"""Tables and views that stay where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, on_call
from lakepact.reference_server.problems import Problem

if TYPE_CHECKING:
    from lakepact.reference_server.replies import Reply
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


FAULTS = (
    Fault(
        "tables-stay-in-their-namespaces",
        "Tables cannot be moved into other namespaces.",
        ("WXD-TBL-003",),
        on_call("renameTable", _not_across),
    ),
    Fault("tables-move-within", "Tables get their new names where they are.", ("WXD-TBL-003",), on_call("renameTable", _within)),
    Fault(
        "views-stay-in-their-namespaces",
        "Views cannot be moved into other namespaces.",
        ("WXD-VIEW-001",),
        on_call("renameView", _not_across),
    ),
    Fault("views-move-within", "Views get their new names where they are.", ("WXD-VIEW-001",), on_call("renameView", _within)),
)
