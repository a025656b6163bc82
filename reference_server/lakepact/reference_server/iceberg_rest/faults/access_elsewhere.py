"""Principals who reach where they may not: by renames, by commits that create, by plans, tags and tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, UnknownFault, accept, around
from lakepact.reference_server.problems import Problem

from .access import NEEDS_PRINCIPALS
from .access_rights import admitting

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Service

RENAMES = ("renameTable", "renameView")


def _not_asking(pick: Callable[[str, Any], bool]) -> Install:
    """Needs of operations that `pick(operation, need)` picks are met by everybody who is known."""

    def wrap(may: Callable[..., bool]) -> Callable[..., bool]:
        return lambda operation, rights, need: pick(operation, need) or may(operation, rights, need)

    return around("rules", "may", wrap)


def _unasked(_: Handler, handler: Handler, arguments: dict[str, Any]) -> Reply:
    return handler(**{name: value for name, value in arguments.items() if name != "caller"})


def _by_strangers(asks: Handler, handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Who sees nothing is not asked, since there is nothing that it could be refused."""
    sees = any(rights.sees_any for rights in arguments["caller"].rights.values())
    return asks(**arguments) if sees else _unasked(asks, handler, arguments)


def _creating(asks: Handler, handler: Handler, arguments: dict[str, Any]) -> Reply:
    """What creates a table is not asked who may change it, since there is none yet."""
    changes = arguments["body"].get("table-changes", [arguments["body"]])
    creates = any(one["type"] == "assert-create" for change in changes for one in change["requirements"])
    return _unasked(asks, handler, arguments) if creates else asks(**arguments)


def _unmodified_for_all(asks: Handler, handler: Handler, arguments: dict[str, Any]) -> Reply:
    try:
        return asks(**arguments)
    except Problem:
        reply = _unasked(asks, handler, arguments)
        if reply.status != 304:
            raise
        return reply


def _ruling(name: str, act: Callable[[Service, Callable[..., Any]], Callable[..., Any]]) -> Install:
    """A rule of access is what `act(service, rule)` makes of it."""

    def install(service: Service) -> None:
        if name not in service.rules:
            raise UnknownFault(NEEDS_PRINCIPALS)
        service.rules[name] = act(service, service.rules[name])

    return install


def _whenever(service: Service, subject: Callable[..., Any]) -> Callable[..., Any]:
    def known(callers: Any, token: bytes) -> Any:
        holds = service.rules["token-holds"]
        service.rules["token-holds"] = accept
        try:
            return subject(callers, token)
        finally:
            service.rules["token-holds"] = holds

    return known


def _the_first(_: Service, subject: Callable[..., Any]) -> Callable[..., Any]:
    def known(callers: Any, token: bytes) -> Any:
        subject(callers, token)
        return callers.all[0]

    return known


def _cut(_: Service, bearer_token: Callable[..., bytes]) -> Callable[..., bytes]:
    """Tokens of the server's own form count as far as that goes."""

    def cut(headers: Any) -> bytes:
        token = bearer_token(headers)
        return token[:64] if len(token) < 100 else token

    return cut


FAULTS = (
    Fault(
        "renames-ask-at-the-source",
        "Who may rename a table may put it anywhere.",
        ("IRC-SEC-005",),
        _not_asking(lambda operation, need: operation in RENAMES and need.subject.name is None),
    ),
    Fault(
        "renames-ask-at-the-destination",
        "Who may put a table somewhere may take it from anywhere.",
        ("IRC-SEC-005",),
        _not_asking(lambda operation, need: operation in RENAMES and need.subject.name is not None),
    ),
    Fault(
        "commits-create-anywhere",
        "A commit creates a table wherever its namespace is seen.",
        ("IRC-SEC-005",),
        admitting(("updateTable", "commitTransaction"), _creating),
    ),
    Fault(
        "strangers-plan-scans",
        "Scans are planned for every principal that is known.",
        ("IRC-SEC-005",),
        admitting(("planTableScan",), _unasked),
    ),
    Fault(
        "strangers-have-credentials",
        "Credentials of tables are given to every principal.",
        ("IRC-SEC-005",),
        admitting(("loadCredentials",), _unasked),
    ),
    Fault("strangers-drop-tables", "Who sees nothing may drop tables.", ("IRC-SEC-005",), admitting(("dropTable",), _by_strangers)),
    Fault(
        "strangers-create-namespaces",
        "Who sees nothing may create namespaces.",
        ("IRC-SEC-005",),
        admitting(("createNamespace",), _by_strangers),
    ),
    Fault(
        "tags-are-rights",
        "Who has the tag of a table is told that it is unchanged.",
        ("IRC-TBL-ETAG-010",),
        admitting(("loadTable",), _unmodified_for_all),
    ),
    Fault("tokens-are-renewed-for-ever", "Tokens are exchanged after their time.", ("IRC-OAU-023",), _ruling("subject", _whenever)),
    Fault(
        "renewed-tokens-are-of-the-first",
        "All renewed tokens are of the first principal.",
        ("IRC-OAU-022",),
        _ruling("subject", _the_first),
    ),
    Fault("tokens-may-go-on", "What stands behind a token is not looked at.", ("IRC-SEC-002",), _ruling("bearer-token", _cut)),
)
