"""Callers who are given what was kept for others, or let in, or obeyed, where one has to look
twice.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import orjson

from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import EVERY, Install, fault, on_reply
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Scope, Service
from mutants.iceberg_rest.access.authentication import (
    CHALLENGE,
    authentication,
    authorization,
    letting_in,
)
from mutants.iceberg_rest.access.rights import admitting, after_the_deed, without_asking


def keeping(*operations: OperationId) -> Install:
    """Answer equal requests as the first of them, whoever sent it."""

    def install(service: Service) -> None:
        kept: dict[bytes, Reply] = {}

        def act(asks: Handler, _: Handler, arguments: Arguments) -> Reply:
            asked = {name: value for name, value in arguments.items() if name != "caller"}
            key = orjson.dumps(asked, option=orjson.OPT_SORT_KEYS, default=list)
            if key not in kept:
                kept[key] = asks(**arguments)
            return kept[key]

        admitting(operations, act)(service)

    return install


def allowing(operation: OperationId, meant: Callable[[dict[str, Any]], Any]) -> Install:
    """Ask for no rights where the arguments of an operation are what is meant."""

    def act(asks: Handler, handler: Handler, arguments: Arguments) -> Reply:
        return (
            without_asking(asks, handler, dict(arguments))
            if meant(arguments)
            else asks(**arguments)
        )

    return admitting((operation,), act)


def _refusal(
    authenticate: Callable[[OperationId, Scope], object], operation: OperationId, scope: Scope
) -> Problem | None:
    """Return the refusal of a request by the access control; `None` if it is allowed."""
    try:
        authenticate(operation, scope)
    except Problem as problem:
        return problem
    return None


@fault("IRC-SEC-001", "IRC-SEC-002")
def views_that_were_shown_stay_open(service: Service) -> None:
    shown: set[str] = set()

    def keep(reply: Reply, scope: Scope) -> Reply:
        if reply.status == 200:
            shown.add(scope["path"])
        return reply

    on_reply(op.load_view, keep)(service)
    letting_in(lambda scope: scope["method"] == "GET" and scope["path"] in shown)(service)


@fault("IRC-SEC-015", by=partial(on_reply, EVERY))
def wrong_tokens_are_not_challenged(reply: Reply, scope: Scope) -> Reply:
    if reply.status != 401 or not authorization(scope):
        return reply
    return replace(
        reply, headers=tuple(header for header in reply.headers if header[0] != CHALLENGE)
    )


@fault("IRC-SEC-005")
def any_principal_exchanges_plan_tasks(service: Service) -> None:
    service.rules.replace("plans_are_of", str)  # the empty text: one owner for all plans
    admitting((op.fetch_scan_tasks,), without_asking)(service)


@fault("IRC-SEC-016")
def applies_and_refuses_anonymous_changes(service: Service) -> None:
    former, admitted = authentication(service), service.rules.current("admit")

    def authenticate(operation: OperationId, scope: Scope) -> dict[str, Any]:
        refusal = None if operation == op.get_token else _refusal(former, operation, scope)
        return {"caller": refusal} if refusal else former(operation, scope)

    def admission(operation: OperationId, handler: Handler) -> Handler:
        asks: Handler = admitted(operation, handler)

        def answer(**arguments: Any) -> Reply:
            refusal = arguments["caller"]
            if not isinstance(refusal, Problem):
                return asks(**arguments)
            if operation in {op.update_properties, op.drop_view}:
                with suppress(Problem):
                    without_asking(asks, handler, dict(arguments))
            raise refusal

        return answer

    def refused(reply: Reply, scope: Scope) -> Reply:
        refusal = (
            None
            if scope["path"].endswith("/oauth/tokens")
            else _refusal(former, op.get_config, scope)
        )
        if refusal is None:
            return reply
        body = b"" if scope["method"] == "HEAD" else service.error_body(refusal)
        return Reply(
            refusal.status,
            body,
            tuple((name.encode(), value.encode()) for name, value in refusal.headers),
        )

    service.rules.replace("authenticate", authenticate)
    service.rules.replace("admit", admission)
    on_reply(EVERY, refused)(service)


FAULTS = {
    "credentials-are-kept-for-all IRC-SEC-005": keeping(op.load_credentials),
    "listings-are-kept-for-all IRC-SEC-008": keeping(op.list_views),
    "paged-listings-are-not-authorized IRC-SEC-008": allowing(
        op.list_tables, lambda arguments: arguments.get("page_size") is not None
    ),
    "readers-stage-tables IRC-SEC-005": allowing(
        op.create_table, lambda arguments: arguments["body"].get("stage-create")
    ),
    "readers-create-namespaces-below IRC-SEC-005": allowing(
        op.create_namespace, lambda arguments: len(arguments["body"]["namespace"]) > 1
    ),
    "refused-namespaces-are-created IRC-SEC-016": admitting((op.create_namespace,), after_the_deed),
}
