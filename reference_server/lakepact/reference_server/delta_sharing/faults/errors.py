"""Refusals that do not say what is wrong, or say it of what is right."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.delta_sharing.answers import json_answer
from lakepact.reference_server.faults import Fault, Install, on_answer, on_reply, on_status
from lakepact.reference_server.service import EVERY, WRONG_METHOD

if TYPE_CHECKING:
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Scope


def _error_without(member: str) -> Install:
    def change(reply: Reply, _: Scope) -> Reply:
        if reply.status < 400 or not reply.body:
            return reply
        document = reply.document
        del document[member]
        return replace(reply, body=json_answer(document).body)

    return on_reply(EVERY, change)


def _plain_401(reply: Reply, _: Scope) -> Reply:
    return (
        replace(reply, body=b"401 Unauthorized", media_type=b"text/plain; charset=utf-8") if reply.status == 401 and reply.body else reply
    )


def _failure_in_text(reply: Reply, _: Scope) -> Reply:
    """Fail over what does not exist, as servers do over what they did not expect."""
    failed = reply.status == 404 and reply.body
    return replace(reply, status=500, body=b"Internal Server Error", media_type=b"text/plain") if failed else reply


def _with_token(reply: Reply, scope: Scope) -> Reply:
    """Say in the message of an error which token was sent."""
    sent = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
    if reply.status < 400 or not reply.body or not sent:
        return reply
    document: dict[str, Any] = reply.document
    return replace(reply, body=json_answer({**document, "message": f"{document['message']} (asked with {sent.decode('latin-1')})"}).body)


def _sizes_are_a_failure(reply: Reply, _: Scope) -> Reply:
    """Fail over pages of a size that there cannot be."""
    return replace(reply, status=500) if reply.status == 400 and b"maxFiles" in reply.body else reply


def _long_numbers_are_a_failure(reply: Reply, scope: Scope) -> Reply:
    """Fail over versions of more digits than a number of 64 bits has."""
    return replace(reply, status=500) if reply.status == 400 and b"0" * 20 in scope["query_string"] else reply


FAULTS = (
    Fault(
        "long-versions-are-a-failure",
        "Changes since a version of thirty digits are a failure.",
        ("DS-GEN-15",),
        on_reply("queryTableChanges", _long_numbers_are_a_failure),
    ),
    Fault(
        "pages-of-no-files-are-a-failure",
        "A query for pages of no files, or of less, is a failure.",
        ("DS-GEN-15",),
        on_reply("queryTable", _sizes_are_a_failure),
    ),
    Fault("errors-without-code", "Errors have no errorCode.", ("DS-GEN-07",), _error_without("errorCode")),
    Fault("errors-without-message", "Errors have no message.", ("DS-GEN-07",), _error_without("message")),
    Fault("strangers-are-told-in-text", "Who is not known is told so in plain text.", ("DS-GEN-07",), on_reply(EVERY, _plain_401)),
    Fault(
        "error-codes-are-numbers",
        "The errorCode of what does not exist is a number.",
        ("DS-GEN-07",),
        on_answer(EVERY, lambda d: d.update(errorCode=404), status=404),
    ),
    Fault(
        "other-methods-are-a-failure",
        "A method that a path does not have is a failure.",
        ("DS-GEN-15",),
        on_status(WRONG_METHOD, {405: 500}),
    ),
    Fault("malformed-is-a-failure", "What is malformed is answered with 500.", ("DS-GEN-08", "DS-GEN-15"), on_status(EVERY, {400: 500})),
    Fault("malformed-is-unprocessable", "What is malformed is answered with 422.", ("DS-GEN-08",), on_status(EVERY, {400: 422})),
    Fault("absent-is-malformed", "What does not exist is answered with 400.", ("DS-GEN-11",), on_status(EVERY, {404: 400})),
    Fault(
        "absent-is-a-failure",
        "What does not exist is answered with 500 and plain text.",
        ("DS-GEN-11", "DS-GEN-12", "DS-GEN-15"),
        on_reply(EVERY, _failure_in_text),
    ),
    Fault(
        "errors-repeat-the-token",
        "The message of an error has the token of the request in it.",
        ("DS-GEN-16",),
        on_reply(EVERY, _with_token),
    ),
)
