"""Routes that are not there and should be, or the other way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lakepact.reference_server.faults import UNKNOWN_PATH, Fault, on_call, on_reply, on_status
from lakepact.reference_server.problems import Problem

if TYPE_CHECKING:
    from typing import Any, NoReturn

    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Scope


def _nowhere(_handler: Handler, _arguments: dict[str, Any]) -> NoReturn:
    raise Problem(404, "NotFoundException", "asked for by a fault")


def _any_catalog(reply: Reply, scope: Scope) -> Reply:
    if scope["path"].endswith("/namespaces"):
        return replace(reply, status=200, body=b'{"namespaces":[],"next-page-token":null}')
    return reply


def _reports_break(reply: Reply, scope: Scope) -> Reply:
    return replace(reply, status=500) if scope["path"].endswith("/metrics") else reply


def _tokens_for_all(reply: Reply, scope: Scope) -> Reply:
    if scope["path"].endswith("/oauth/tokens"):
        return replace(reply, status=200, body=b'{"access_token":"none","token_type":"bearer"}')
    return reply


FAULTS = (
    Fault(
        "no-namespaces-by-name", "Routes with the name of the catalog lead nowhere.", ("WXD-GEN-001",), on_call("listNamespaces", _nowhere)
    ),
    Fault("any-catalog", "Every name is that of a catalog, an empty one.", ("WXD-GEN-002",), on_reply(UNKNOWN_PATH, _any_catalog)),
    Fault(
        "unknown-paths-break", "What is not there is a server error.", ("WXD-GEN-003", "WXD-GEN-004"), on_status(UNKNOWN_PATH, {404: 500})
    ),
    Fault("tokens-for-all", "There is a token endpoint.", ("WXD-GEN-003",), on_reply(UNKNOWN_PATH, _tokens_for_all)),
    Fault("reports-break", "A report of metrics is a server error.", ("WXD-GEN-004",), on_reply(UNKNOWN_PATH, _reports_break)),
)
