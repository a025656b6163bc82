"""Callers who are let in wrongly, or turned away."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server import faults
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Scope, Service, admit
from lakepact.reference_server.iceberg_rest.access.callers import Caller
from lakepact.reference_server.iceberg_rest.access.rights import Rights
from lakepact.reference_server.server_file import Grant, Principal

ANYBODY = Caller(
    Principal("anybody"), defaultdict(lambda: Rights([Grant("anybody", "admin")]))
)  #: may do everything

NEEDS_PRINCIPALS = (
    "this fault is one of a server that asks who calls: name principals in the file of --config"
)
CHALLENGE = b"www-authenticate"


def authorization(scope: Scope) -> str:
    """Return the credentials of a request."""
    return next(
        (value.decode("latin-1") for name, value in scope["headers"] if name == b"authorization"),
        "",
    )


def authentication(service: Service) -> Callable[[OperationId, Scope], dict[str, Any]]:
    """Return the rule that authenticates callers.

    Raises:
        UnknownFault: the server is open to all callers.
    """
    if service.rules.current("admit") is admit:
        raise faults.UnknownFault(NEEDS_PRINCIPALS)
    return service.rules.current("authenticate")


def letting_in(passes: Callable[[Scope], bool]) -> faults.Install:
    """Authenticate some callers as a principal with all rights."""

    def install(service: Service) -> None:
        former = authentication(service)

        def authenticate(operation: OperationId, scope: Scope) -> dict[str, Any]:
            return (
                {"caller": ANYBODY}
                if operation != op.get_token and passes(scope)
                else former(operation, scope)
            )

        service.rules.replace("authenticate", authenticate)

    return install


def turning_away(wrong: Callable[[Scope], bool], status: int = 401) -> faults.Install:
    """Turn away some callers who may enter."""

    def guard(scope: Scope) -> None:
        if wrong(scope):
            raise Problem(status, "NotAuthorizedException", "asked for by a fault")

    return faults.on_request(faults.EVERY, guard)


def _with_a_token(document: dict[str, Any]) -> None:
    document["config"] = {**document.get("config", {}), "token": "lakepact-of-this-table"}


@faults.fault("IRC-SEC-002", by=partial(faults.on_reply, faults.EVERY))
def unknown_tokens_are_forbidden(reply: Reply, _: Scope) -> Reply:
    wrong = any(name == CHALLENGE and b"invalid_token" in value for name, value in reply.headers)
    return replace(reply, status=403) if wrong else reply


@faults.fault("IRC-SEC-003", by=partial(faults.replace_rule, "token_holds"))
def expired_tokens_are_forbidden(expires: datetime, now: datetime) -> None:
    if expires <= now:
        raise Problem(403, "NotAuthorizedException", "the bearer token has expired")


@faults.fault("IRC-ERR-016", by=partial(faults.replace_rule, "token_holds"))
def expired_tokens_time_out(expires: datetime, now: datetime) -> None:
    if expires <= now:
        raise Problem(419, "AuthenticationTimeoutException", "the bearer token has expired")


@faults.fault("IRC-TBL-ETAG-010", by=partial(faults.on_reply, op.load_table))
def etags_replace_tokens(reply: Reply, scope: Scope) -> Reply:
    asks = any(name == b"if-none-match" for name, _ in scope["headers"])
    return Reply(304) if asks and reply.status == 401 else reply


FAULTS = {
    "configuration-without-credentials IRC-SEC-009": letting_in(
        lambda scope: scope["path"].endswith("/v1/config") and not authorization(scope)
    ),
    "tables-without-credentials IRC-SEC-001": letting_in(
        lambda scope: "/tables/" in scope["path"] and not authorization(scope)
    ),
    "listings-without-credentials IRC-SEC-001": letting_in(
        lambda scope: (
            scope["path"].endswith(("/tables", "/namespaces")) and not authorization(scope)
        )
    ),
    "every-token-is-accepted IRC-SEC-002 IRC-SEC-003": letting_in(
        lambda scope: authorization(scope).casefold().startswith("bearer")
    ),
    "tokens-that-open-views-without-proof IRC-SEC-002": letting_in(
        lambda scope: "/views" in scope["path"] and bool(authorization(scope))
    ),
    "tokens-never-expire IRC-SEC-003": faults.replace_rule("token_holds", faults.accept),
    "tokens-do-not-open-views IRC-SEC-006": turning_away(
        lambda scope: "/views" in scope["path"] and authorization(scope).startswith("Bearer")
    ),
    "bearer-is-case-sensitive IRC-SEC-007": turning_away(
        lambda scope: authorization(scope).startswith(("bearer", "BEARER"))
    ),
    "refused-without-a-challenge IRC-SEC-015": faults.on_reply(
        faults.EVERY,
        lambda reply, _: replace(
            reply, headers=tuple(header for header in reply.headers if header[0] != CHALLENGE)
        ),
    ),
    "tables-come-with-bad-tokens IRC-SEC-012": faults.on_answer(op.load_table, _with_a_token),
    "views-come-with-bad-tokens IRC-SEC-012": faults.on_answer(op.load_view, _with_a_token),
}
