"""Wrong error bodies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.reference_server.faults import Fault, Install, on_reply
from lakepact.reference_server.iceberg_rest.faults.ways.requests import header
from lakepact.reference_server.service import EVERY

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Scope


def on_errors(edit: Callable[[dict[str, Any]], Any], operations: str | tuple[str, ...] = EVERY) -> Install:
    """Change the body of every refusal, or send what `edit` returns instead."""

    def change(reply: Reply, _: Scope) -> Reply:
        if reply.status < 400 or not reply.body:
            return reply
        document: dict[str, Any] = reply.document
        if not isinstance(document.get("error"), dict):
            return reply  # of the token endpoint, which has a form of its own
        edited = edit(document)
        return replace(reply, body=orjson.dumps(document if edited is None else edited))

    return on_reply(operations, change)


def set_member(member: str, value: Any) -> Install:
    """Give a member of every error another value; `None` takes it away."""

    def edit(document: dict[str, Any]) -> None:
        if value is None:
            document["error"].pop(member, None)
        else:
            document["error"][member] = value

    return on_errors(edit)


def renamed(kinds: dict[str, str]) -> Install:
    """Call errors otherwise."""

    def edit(document: dict[str, Any]) -> None:
        document["error"]["type"] = kinds.get(document["error"]["type"], document["error"]["type"])

    return on_errors(edit)


def _add_top_level_status(document: dict[str, Any]) -> None:
    document["status"] = document["error"]["code"]


def _repeat_authorization(reply: Reply, scope: Scope) -> Reply:
    if reply.status < 400 or not reply.body:
        return reply
    document = reply.document
    if not isinstance(document["error"], dict):
        return reply
    sent = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
    document["error"]["message"] += f" (request by {sent})"
    return replace(reply, body=orjson.dumps(document))


def _plain_text(reply: Reply, _: Scope) -> Reply:
    return replace(reply, media_type=b"text/html; charset=utf-8") if reply.status >= 400 and reply.body else reply


def _gateway_errors(reply: Reply, _: Scope) -> Reply:
    return replace(reply, status=500) if reply.status == 400 else reply


def _called(kind: str, other: str) -> Callable[[dict[str, Any]], Any]:
    """Call refusals of one type by another."""

    def edit(document: dict[str, Any]) -> None:
        if document["error"].get("type") == kind:
            document["error"]["type"] = other

    return edit


FAULTS = (
    Fault(
        "errors-without-envelope",
        "Errors are sent bare, without the `error` object around them.",
        ("IRC-ERR-001", "IRC-ERR-015"),
        on_errors(lambda document: document["error"]),
    ),
    Fault("errors-without-type", "Errors carry no type.", ("IRC-ERR-002",), set_member("type", None)),
    Fault("errors-without-message", "Errors carry no message.", ("IRC-ERR-002",), set_member("message", None)),
    Fault("error-code-as-text", "The code of errors is a string.", ("IRC-ERR-002",), set_member("code", "404")),
    Fault("error-code-always-400", "The code of errors is 400 whatever the status.", ("IRC-ERR-003",), set_member("code", 400)),
    Fault("error-code-out-of-range", "The code of errors is the vendor's own.", ("IRC-ERR-003", "IRC-ERR-004"), set_member("code", 40004)),
    Fault("stack-as-text", "The stack of errors is one string.", ("IRC-ERR-005",), set_member("stack", "at line 1\nat line 2")),
    Fault("errors-with-status-beside", "Error bodies carry a second member.", ("IRC-ERR-006",), on_errors(_add_top_level_status)),
    Fault(
        "errors-as-html-for-browsers",
        "Errors are served as text/html to who does not ask for JSON.",
        ("IRC-ERR-007",),
        on_reply(EVERY, lambda reply, scope: reply if "json" in (header(scope, "accept") or "") else _plain_text(reply, scope)),
    ),
    Fault("errors-as-html", "Errors are served as text/html.", ("IRC-ERR-007",), on_reply(EVERY, _plain_text)),
    Fault(
        "errors-as-problem-json",
        "Errors are RFC 7807 problems.",
        ("IRC-ERR-001",),
        on_errors(lambda d: {"type": "about:blank", "title": d["error"]["type"], "status": d["error"]["code"]}),
    ),
    Fault(
        "missing-things-are-not-found",
        "Whatever is missing is called NotFoundException.",
        ("IRC-ERR-008",),
        renamed({"NoSuchTableException": "NotFoundException", "NoSuchNamespaceException": "NotFoundException"}),
    ),
    Fault(
        "missing-namespace-is-a-missing-table",
        "A missing namespace is called a missing table.",
        ("IRC-ERR-008", "IRC-ERR-009"),
        renamed({"NoSuchNamespaceException": "NoSuchTableException"}),
    ),
    Fault(
        "conflicts-are-called-conflict",
        "Every conflict is called ConflictException.",
        ("IRC-ERR-010",),
        renamed(dict.fromkeys(("AlreadyExistsException", "NamespaceNotEmptyException", "CommitFailedException"), "ConflictException")),
    ),
    Fault(
        "missing-views-are-called-tables",
        "Views that are missing are called tables.",
        ("IRC-ERR-008",),
        on_errors(_called("NoSuchViewException", "NoSuchTableException"), ("loadView", "dropView")),
    ),
    Fault(
        "missing-views-are-not-found",
        "Views that are to be changed and are missing are not found.",
        ("IRC-ERR-008",),
        on_errors(_called("NoSuchViewException", "NotFoundException"), ("replaceView", "renameView")),
    ),
    Fault(
        "taken-names-of-tables-are-conflicts",
        "Who renames or registers to a name that is taken is told of a conflict.",
        ("IRC-ERR-010",),
        on_errors(_called("AlreadyExistsException", "ConflictException"), ("renameTable", "registerTable")),
    ),
    Fault(
        "taken-names-of-views-are-conflicts",
        "Who makes or renames a view to a name that is taken is told of a conflict.",
        ("IRC-ERR-010",),
        on_errors(_called("AlreadyExistsException", "ConflictException"), ("createView", "renameView")),
    ),
    Fault(
        "stale-views-exist",
        "Who replaces a view that has changed is told that it exists.",
        ("IRC-ERR-010",),
        on_errors(_called("CommitFailedException", "AlreadyExistsException"), "replaceView"),
    ),
    Fault("client-faults-are-500", "What should be 400 is 500.", ("IRC-ERR-014",), on_reply(EVERY, _gateway_errors)),
    Fault(
        "errors-repeat-the-token",
        "Error messages repeat the Authorization header.",
        ("IRC-ERR-018",),
        on_reply(EVERY, _repeat_authorization),
    ),
)
