"""Refusals that do not say what is wrong, or say it of what is right."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from lakepact.generated.delta_sharing import op
from lakepact.reference_server.delta_sharing.answers import json_answer
from lakepact.reference_server.faults import Install, fault, on_answer, on_reply, on_status
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import EVERY, WRONG_METHOD, Scope


def _error_without(member: str) -> Install:
    def change(reply: Reply, _: Scope) -> Reply:
        if reply.status < 400 or not reply.body:
            return reply
        document = reply.document
        del document[member]
        return replace(reply, body=json_answer(document).body)

    return on_reply(EVERY, change)


@fault("DS-GEN-15", by=partial(on_reply, op.query_table_changes))
def long_versions_are_a_failure(reply: Reply, scope: Scope) -> Reply:
    return (
        replace(reply, status=500)
        if reply.status == 400 and b"0" * 20 in scope["query_string"]
        else reply
    )


@fault("DS-GEN-07", by=partial(on_reply, EVERY))
def strangers_are_told_in_text(reply: Reply, _: Scope) -> Reply:
    return (
        replace(reply, body=b"401 Unauthorized", media_type=b"text/plain; charset=utf-8")
        if reply.status == 401 and reply.body
        else reply
    )


@fault("DS-GEN-11", "DS-GEN-12", "DS-GEN-15", by=partial(on_reply, EVERY))
def absent_is_a_failure(reply: Reply, _: Scope) -> Reply:
    failed = reply.status == 404 and reply.body
    return (
        replace(reply, status=500, body=b"Internal Server Error", media_type=b"text/plain")
        if failed
        else reply
    )


@fault("DS-GEN-16", by=partial(on_reply, EVERY))
def errors_repeat_the_token(reply: Reply, scope: Scope) -> Reply:
    sent = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
    if reply.status < 400 or not reply.body or not sent:
        return reply
    document: dict[str, Any] = reply.document
    return replace(
        reply,
        body=json_answer(
            {**document, "message": f"{document['message']} (asked with {sent.decode('latin-1')})"}
        ).body,
    )


FAULTS = {
    "pages-of-no-files-are-a-failure DS-GEN-15": on_reply(
        op.query_table,
        lambda reply, _: (
            replace(reply, status=500)
            if reply.status == 400 and b"maxFiles" in reply.body
            else reply
        ),
    ),
    "errors-without-code DS-GEN-07": _error_without("errorCode"),
    "errors-without-message DS-GEN-07": _error_without("message"),
    "error-codes-are-numbers DS-GEN-07": on_answer(
        EVERY, lambda d: d.update(errorCode=404), status=404
    ),
    "other-methods-are-a-failure DS-GEN-15": on_status(WRONG_METHOD, {405: 500}),
    "malformed-is-a-failure DS-GEN-08 DS-GEN-15": on_status(EVERY, {400: 500}),
    "malformed-is-unprocessable DS-GEN-08": on_status(EVERY, {400: 422}),
    "absent-is-malformed DS-GEN-11": on_status(EVERY, {404: 400}),
}
