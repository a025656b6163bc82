"""Callers who are let in wrongly, or turned away."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import EVERY, Fault, Install, UnknownFault, accept, instead, on_answer, on_reply, on_request
from lakepact.reference_server.iceberg_rest.access.callers import Caller
from lakepact.reference_server.iceberg_rest.access.rights import Rights
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import Reply
from lakepact.reference_server.server_file import Grant, Principal

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from lakepact.reference_server.service import Scope, Service

ANYBODY = Caller(Principal("anybody"), defaultdict(lambda: Rights([Grant("anybody", "admin")])))  #: may do everything

NEEDS_PRINCIPALS = "this fault is one of a server that asks who calls: name principals in the file of --config"
CHALLENGE = b"www-authenticate"


def authorization(scope: Scope) -> str:
    """What a caller shows."""
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == b"authorization"), "")


def letting_in(passes: Callable[[Scope], bool]) -> Install:
    """Let some callers in as somebody who may do everything."""

    def install(service: Service) -> None:
        former = service.caller
        if former is None:
            raise UnknownFault(NEEDS_PRINCIPALS)

        def caller(scope: Scope) -> Any:
            return ANYBODY if passes(scope) else former(scope)

        service.caller = caller

    return install


def turning_away(wrong: Callable[[Scope], bool], status: int = 401) -> Install:
    """Turn away some callers who may enter."""

    def guard(scope: Scope) -> None:
        if wrong(scope):
            raise Problem(status, "NotAuthorizedException", "asked for by a fault")

    return on_request(EVERY, guard)


def _unknown_is_forbidden(reply: Reply, _: Scope) -> Reply:
    wrong = any(name == CHALLENGE and b"invalid_token" in value for name, value in reply.headers)
    return replace(reply, status=403) if wrong else reply


def _without_challenge(reply: Reply, _: Scope) -> Reply:
    return replace(reply, headers=tuple(header for header in reply.headers if header[0] != CHALLENGE))


def _timed_out(expires: datetime, now: datetime) -> None:
    if expires <= now:
        raise Problem(419, "AuthenticationTimeoutException", "the bearer token has expired")


def _gone(expires: datetime, now: datetime) -> None:
    if expires <= now:
        raise Problem(403, "NotAuthorizedException", "the bearer token has expired")


def _tagged_callers_are_told(reply: Reply, scope: Scope) -> Reply:
    asks = any(name == b"if-none-match" for name, _ in scope["headers"])
    return Reply(304) if asks and reply.status == 401 else reply


def _with_a_token(document: dict[str, Any]) -> None:
    document["config"] = {**document.get("config", {}), "token": "lakepact-of-this-table"}


FAULTS = (
    Fault(
        "configuration-for-everybody",
        "The configuration is told to those who show nothing.",
        ("IRC-SEC-009",),
        letting_in(lambda scope: scope["path"].endswith("/v1/config") and not authorization(scope)),
    ),
    Fault(
        "tables-for-everybody",
        "Tables are shown to those who show nothing.",
        ("IRC-SEC-001",),
        letting_in(lambda scope: "/tables/" in scope["path"] and not authorization(scope)),
    ),
    Fault(
        "listings-for-everybody",
        "Listings are given to those who show nothing.",
        ("IRC-SEC-001",),
        letting_in(lambda scope: scope["path"].endswith(("/tables", "/namespaces")) and not authorization(scope)),
    ),
    Fault(
        "every-token-opens",
        "Every bearer token opens the catalog.",
        ("IRC-SEC-002", "IRC-SEC-003"),
        letting_in(lambda scope: authorization(scope).casefold().startswith("bearer")),
    ),
    Fault(
        "tokens-that-open-views-without-proof",
        "For views, every token is good.",
        ("IRC-SEC-002",),
        letting_in(lambda scope: "/views" in scope["path"] and bool(authorization(scope))),
    ),
    Fault(
        "unknown-tokens-are-forbidden",
        "Who has a wrong token is answered with 403.",
        ("IRC-SEC-002",),
        on_reply(EVERY, _unknown_is_forbidden),
    ),
    Fault("tokens-never-end", "Tokens are good for ever.", ("IRC-SEC-003",), instead("rules", "token-holds", accept)),
    Fault(
        "expired-tokens-are-forbidden",
        "Who has an expired token is answered with 403.",
        ("IRC-SEC-003",),
        instead("rules", "token-holds", _gone),
    ),
    Fault(
        "expired-tokens-time-out",
        "Who has an expired token is answered with 419.",
        ("IRC-ERR-016",),
        instead("rules", "token-holds", _timed_out),
    ),
    Fault(
        "tokens-do-not-open-views",
        "Tokens do not open views.",
        ("IRC-SEC-006",),
        turning_away(lambda scope: "/views" in scope["path"] and authorization(scope).startswith("Bearer")),
    ),
    Fault(
        "bearer-is-one-word",
        "The word before a token counts in one case only.",
        ("IRC-SEC-007",),
        turning_away(lambda scope: authorization(scope).startswith(("bearer", "BEARER"))),
    ),
    Fault("refused-without-a-challenge", "A 401 does not say what is asked for.", ("IRC-SEC-015",), on_reply(EVERY, _without_challenge)),
    Fault(
        "tables-come-with-bad-tokens",
        "Tables come with a token that opens nothing.",
        ("IRC-SEC-012",),
        on_answer("loadTable", _with_a_token),
    ),
    Fault(
        "views-come-with-bad-tokens",
        "Views come with a token that opens nothing.",
        ("IRC-SEC-012",),
        on_answer("loadView", _with_a_token),
    ),
    Fault(
        "tags-instead-of-tokens",
        "Who has any tag of a table need not show a token to be told that nothing has changed.",
        ("IRC-TBL-ETAG-010",),
        on_reply("loadTable", _tagged_callers_are_told),
    ),
)
