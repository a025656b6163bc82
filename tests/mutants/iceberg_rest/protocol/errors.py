"""Wrong error bodies."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_reply
from lakepact.reference_server.service import EVERY
from mutants.iceberg_rest.operators.requests import header

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.generated.contract import OperationId
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.service import Scope


def on_errors(edit: Callable[[dict[str, Any]], Any], operations: OperationId | tuple[OperationId, ...] = EVERY) -> Install:
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
    """Errors of status 400 have an empty message."""

    def edit(document: dict[str, Any]) -> None:
        if document["error"]["code"] == 400:
            document["error"]["message"] = ""

    return on_errors(edit)


def _plain_text(reply: Reply, _: Scope) -> Reply:
    return replace(reply, media_type=b"text/html; charset=utf-8") if reply.status >= 400 and reply.body else reply


def _called(kind: str, other: str) -> Callable[[dict[str, Any]], Any]:
    """Call refusals of one type by another."""

    def edit(document: dict[str, Any]) -> None:
        if document["error"].get("type") == kind:
            document["error"]["type"] = other

    return edit


@fault("IRC-ERR-001", "IRC-ERR-015")
def errors_without_envelope() -> Install:
    """Errors are sent bare, without the `error` object around them."""
    return on_errors(lambda document: document["error"])


@fault("IRC-ERR-002")
def errors_without_type() -> Install:
    """Errors carry no type."""
    return set_member("type", None)


@fault("IRC-ERR-002")
def errors_without_message() -> Install:
    """Errors carry no message."""
    return set_member("message", None)


@fault("IRC-ERR-002")
def error_code_as_text() -> Install:
    """The code of errors is a string."""
    return set_member("code", "404")


@fault("IRC-ERR-003")
def error_code_always_400() -> Install:
    """The code of errors is 400 whatever the status."""
    return set_member("code", 400)


@fault("IRC-ERR-003", "IRC-ERR-004")
def error_code_out_of_range() -> Install:
    """The code of errors is the vendor's own."""
    return set_member("code", 40004)


@fault("IRC-ERR-005")
def stack_as_text() -> Install:
    """The stack of errors is one string."""
    return set_member("stack", "at line 1\nat line 2")


@fault("IRC-ERR-006", by=partial(on_errors))
def errors_with_status_beside(document: dict[str, Any]) -> None:
    """Error bodies carry a second member."""
    document["status"] = document["error"]["code"]


@fault("IRC-ERR-007")
def errors_as_html_for_browsers() -> Install:
    """Errors are text/html for clients that do not accept JSON explicitly."""
    return on_reply(EVERY, lambda reply, scope: reply if "json" in (header(scope, "accept") or "") else _plain_text(reply, scope))


@fault("IRC-ERR-007")
def errors_as_html() -> Install:
    """Errors are served as text/html."""
    return on_reply(EVERY, _plain_text)


@fault("IRC-ERR-001")
def errors_as_problem_json() -> Install:
    """Errors are RFC 7807 problems."""
    return on_errors(lambda d: {"type": "about:blank", "title": d["error"]["type"], "status": d["error"]["code"]})


@fault("IRC-ERR-008")
def missing_things_are_not_found() -> Install:
    """Every missing object has the error type NotFoundException."""
    return renamed({"NoSuchTableException": "NotFoundException", "NoSuchNamespaceException": "NotFoundException"})


@fault("IRC-ERR-008", "IRC-ERR-009")
def missing_namespace_is_a_missing_table() -> Install:
    """A missing namespace is called a missing table."""
    return renamed({"NoSuchNamespaceException": "NoSuchTableException"})


@fault("IRC-ERR-010")
def conflicts_are_called_conflict() -> Install:
    """Every conflict is called ConflictException."""
    return renamed(dict.fromkeys(("AlreadyExistsException", "NamespaceNotEmptyException", "CommitFailedException"), "ConflictException"))


@fault("IRC-ERR-008")
def missing_views_are_called_tables() -> Install:
    """Views that are missing are called tables."""
    return on_errors(_called("NoSuchViewException", "NoSuchTableException"), (op.load_view, op.drop_view))


@fault("IRC-ERR-008")
def missing_views_are_not_found() -> Install:
    """Views that are to be changed and are missing are not found."""
    return on_errors(_called("NoSuchViewException", "NotFoundException"), (op.replace_view, op.rename_view))


@fault("IRC-ERR-010")
def taken_names_of_tables_are_conflicts() -> Install:
    """Renaming or registering a table to a taken name has the error type of a conflict."""
    return on_errors(_called("AlreadyExistsException", "ConflictException"), (op.rename_table, op.register_table))


@fault("IRC-ERR-010")
def taken_names_of_views_are_conflicts() -> Install:
    """Creating or renaming a view to a taken name has the error type ConflictException."""
    return on_errors(_called("AlreadyExistsException", "ConflictException"), (op.create_view, op.rename_view))


@fault("IRC-ERR-010")
def stale_views_exist() -> Install:
    """Replacing a view that has changed has the error type AlreadyExistsException."""
    return on_errors(_called("CommitFailedException", "AlreadyExistsException"), op.replace_view)


@fault("IRC-ERR-014", by=partial(on_reply, EVERY))
def client_faults_are_500(reply: Reply, _: Scope) -> Reply:
    """Refusals with 400 become 500."""
    return replace(reply, status=500) if reply.status == 400 else reply


@fault("IRC-ERR-018", by=partial(on_reply, EVERY))
def errors_repeat_the_token(reply: Reply, scope: Scope) -> Reply:
    """Error messages repeat the Authorization header."""
    if reply.status < 400 or not reply.body:
        return reply
    document = reply.document
    if not isinstance(document["error"], dict):
        return reply
    sent = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
    document["error"]["message"] += f" (request by {sent})"
    return replace(reply, body=orjson.dumps(document))
