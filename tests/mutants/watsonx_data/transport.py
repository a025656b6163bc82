"""Routes that are not there and should be, or the other way."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import UNKNOWN_PATH, fault, on_reply, on_status
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Scope
from mutants.operators import refuse_calls


@fault("WXD-GEN-002", by=partial(on_reply, UNKNOWN_PATH))
def any_catalog(reply: Reply, scope: Scope) -> Reply:
    if scope["path"].endswith("/namespaces"):
        return replace(reply, status=200, body=b'{"namespaces":[],"next-page-token":null}')
    return reply


@fault("WXD-GEN-003", by=partial(on_reply, UNKNOWN_PATH))
def tokens_for_all(reply: Reply, scope: Scope) -> Reply:
    if scope["path"].endswith("/oauth/tokens"):
        return replace(reply, status=200, body=b'{"access_token":"none","token_type":"bearer"}')
    return reply


FAULTS = {
    "no-namespaces-by-name WXD-GEN-001": refuse_calls(
        op.list_namespaces,
        lambda _: True,
        Problem(400, "BadRequestException", "asked for by a fault"),
    ),
    "unknown-paths-break WXD-GEN-003 WXD-GEN-004": on_status(UNKNOWN_PATH, {404: 500}),
    "reports-break WXD-GEN-004": on_reply(
        UNKNOWN_PATH,
        lambda reply, scope: (
            replace(reply, status=500) if scope["path"].endswith("/metrics") else reply
        ),
    ),
}
