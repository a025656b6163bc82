"""Wrong error bodies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import orjson

from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_reply
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import EVERY, Scope
from mutants.iceberg_rest.operators.requests import header


def on_errors(
    edit: Callable[[dict[str, Any]], Any], operations: OperationId | tuple[OperationId, ...] = EVERY
) -> Install:
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


@fault("IRC-ERR-021")
def bad_requests_have_an_empty_message() -> Install:
    def edit(document: dict[str, Any]) -> None:
        if document["error"]["code"] == 400:
            document["error"]["message"] = ""

    return on_errors(edit)


def _plain_text(reply: Reply, _: Scope) -> Reply:
    return (
        replace(reply, media_type=b"text/html; charset=utf-8")
        if reply.status >= 400 and reply.body
        else reply
    )


def _called(kind: str, other: str) -> Callable[[dict[str, Any]], Any]:
    """Call refusals of one type by another."""

    def edit(document: dict[str, Any]) -> None:
        if document["error"].get("type") == kind:
            document["error"]["type"] = other

    return edit


@fault("IRC-ERR-018", by=partial(on_reply, EVERY))
def errors_repeat_the_token(reply: Reply, scope: Scope) -> Reply:
    if reply.status < 400 or not reply.body:
        return reply
    document = reply.document
    if not isinstance(document["error"], dict):
        return reply
    sent = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
    document["error"]["message"] += f" (request by {sent})"
    return replace(reply, body=orjson.dumps(document))


FAULTS = {
    "errors-without-envelope IRC-ERR-001 IRC-ERR-015": on_errors(
        lambda document: document["error"]
    ),
    "errors-without-type IRC-ERR-002": set_member("type", None),
    "errors-without-message IRC-ERR-002": set_member("message", None),
    "error-code-as-text IRC-ERR-002": set_member("code", "404"),
    "error-code-always-400 IRC-ERR-003": set_member("code", 400),
    "error-code-out-of-range IRC-ERR-003 IRC-ERR-004": set_member("code", 40004),
    "stack-as-text IRC-ERR-005": set_member("stack", "at line 1\nat line 2"),
    "errors-with-status-beside IRC-ERR-006": on_errors(
        lambda document: document.update(status=document["error"]["code"])
    ),
    "errors-as-html-for-browsers IRC-ERR-007": on_reply(
        EVERY,
        lambda reply, scope: (
            reply if "json" in (header(scope, "accept") or "") else _plain_text(reply, scope)
        ),
    ),
    "errors-as-html IRC-ERR-007": on_reply(EVERY, _plain_text),
    "errors-as-problem-json IRC-ERR-001": on_errors(
        lambda d: {"type": "about:blank", "title": d["error"]["type"], "status": d["error"]["code"]}
    ),
    "missing-things-are-not-found IRC-ERR-008": renamed(
        {
            "NoSuchTableException": "NotFoundException",
            "NoSuchNamespaceException": "NotFoundException",
        }
    ),
    "missing-namespace-is-a-missing-table IRC-ERR-008 IRC-ERR-009": renamed(
        {"NoSuchNamespaceException": "NoSuchTableException"}
    ),
    "conflicts-are-called-conflict IRC-ERR-010": renamed(
        dict.fromkeys(
            ("AlreadyExistsException", "NamespaceNotEmptyException", "CommitFailedException"),
            "ConflictException",
        )
    ),
    "missing-views-are-called-tables IRC-ERR-008": on_errors(
        _called("NoSuchViewException", "NoSuchTableException"), (op.load_view, op.drop_view)
    ),
    "missing-views-are-not-found IRC-ERR-008": on_errors(
        _called("NoSuchViewException", "NotFoundException"), (op.replace_view, op.rename_view)
    ),
    "taken-names-of-tables-are-conflicts IRC-ERR-010": on_errors(
        _called("AlreadyExistsException", "ConflictException"), (op.rename_table, op.register_table)
    ),
    "taken-names-of-views-are-conflicts IRC-ERR-010": on_errors(
        _called("AlreadyExistsException", "ConflictException"), (op.create_view, op.rename_view)
    ),
    "stale-views-exist IRC-ERR-010": on_errors(
        _called("CommitFailedException", "AlreadyExistsException"), op.replace_view
    ),
    "client-faults-are-500 IRC-ERR-014": on_reply(
        EVERY, lambda reply, _: replace(reply, status=500) if reply.status == 400 else reply
    ),
}
