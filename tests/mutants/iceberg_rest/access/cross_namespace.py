"""Principals who reach where they may not: by renames, by commits that create, by plans, tags and
tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, UnknownFault, accept, fault, wrap_rule
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from mutants.iceberg_rest.access.authentication import NEEDS_PRINCIPALS
from mutants.iceberg_rest.access.rights import admitting
from mutants.iceberg_rest.operators.requests import switched

RENAMES = (op.rename_table, op.rename_view)


def _not_asking(pick: Callable[[str, Any], bool]) -> Install:
    """Every known caller has the rights for operations that `pick(operation, need)` selects."""

    def wrap(may: Callable[..., bool]) -> Callable[..., bool]:
        return lambda operation, rights, need: pick(operation, need) or may(operation, rights, need)

    return wrap_rule("may", wrap)


def _unasked(_: Handler, handler: Handler, arguments: Arguments) -> Reply:
    return handler(**{name: value for name, value in arguments.items() if name != "caller"})


def _by_strangers(asks: Handler, handler: Handler, arguments: Arguments) -> Reply:
    """A caller that sees nothing skips the checks of rights."""
    sees = any(rights.sees_any for rights in arguments["caller"].rights.values())
    return asks(**arguments) if sees else _unasked(asks, handler, arguments)


def _ruling(name: str, act: Callable[[Service, Callable[..., Any]], Callable[..., Any]]) -> Install:
    """A rule of access is what `act(service, rule)` makes of it."""

    def install(service: Service) -> None:
        if name not in service.rules.names():
            raise UnknownFault(NEEDS_PRINCIPALS)
        service.rules.replace(name, act(service, service.rules.current(name)))

    return install


@fault("IRC-SEC-005", by=partial(admitting, (op.update_table, op.commit_transaction)))
def commits_create_anywhere(asks: Handler, handler: Handler, arguments: Arguments) -> Reply:
    changes = arguments["body"].get("table-changes", [arguments["body"]])
    creates = any(
        one["type"] == "assert-create" for change in changes for one in change["requirements"]
    )
    return _unasked(asks, handler, arguments) if creates else asks(**arguments)


@fault("IRC-TBL-ETAG-010", by=partial(admitting, (op.load_table,)))
def tags_are_rights(asks: Handler, handler: Handler, arguments: Arguments) -> Reply:
    try:
        return asks(**arguments)
    except Problem:
        reply = _unasked(asks, handler, arguments)
        if reply.status != 304:
            raise
        return reply


@fault("IRC-OAU-023", by=partial(_ruling, "subject"))
def tokens_are_renewed_for_ever(
    service: Service, subject: Callable[..., Any]
) -> Callable[..., Any]:
    for_ever = switched(service, "token_holds", lambda _: accept)

    def known(callers: Any, token: bytes) -> Any:
        with for_ever():
            return subject(callers, token)

    return known


@fault("IRC-OAU-022", by=partial(_ruling, "subject"))
def renewed_tokens_are_of_the_first(_: Service, subject: Callable[..., Any]) -> Callable[..., Any]:
    def known(callers: Any, token: bytes) -> Any:
        subject(callers, token)
        return callers.all[0]

    return known


@fault("IRC-SEC-002", by=partial(_ruling, "bearer_token"))
def tokens_may_go_on(_: Service, bearer_token: Callable[..., bytes]) -> Callable[..., bytes]:
    def cut(headers: Any) -> bytes:
        token = bearer_token(headers)
        return token[:64] if len(token) < 100 else token

    return cut


FAULTS = {
    "renames-ask-at-the-source IRC-SEC-005": _not_asking(
        lambda operation, need: operation in RENAMES and need.subject.name is None
    ),
    "renames-ask-at-the-destination IRC-SEC-005": _not_asking(
        lambda operation, need: operation in RENAMES and need.subject.name is not None
    ),
    "any-principal-plans-scans IRC-SEC-005": admitting((op.plan_table_scan,), _unasked),
    "any-principal-gets-credentials IRC-SEC-005": admitting((op.load_credentials,), _unasked),
    "callers-without-rights-drop-tables IRC-SEC-005": admitting((op.drop_table,), _by_strangers),
    "callers-without-rights-create-namespaces IRC-SEC-005": admitting(
        (op.create_namespace,), _by_strangers
    ),
}
