"""Callers who are given what was kept for others, or let in, or obeyed, where one has to look twice."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.reference_server.faults import EVERY, Fault, Install, UnknownFault, on_reply
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import Reply

from .access import CHALLENGE, NEEDS_PRINCIPALS, authorization, letting_in
from .access_rights import admitting, after_the_deed, without_asking

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.service import Handler, Scope, Service


def _shown_once(service: Service) -> None:
    """Let everybody see the views that somebody was shown."""
    shown: set[str] = set()

    def keep(reply: Reply, scope: Scope) -> Reply:
        if reply.status == 200:
            shown.add(scope["path"])
        return reply

    on_reply("loadView", keep)(service)
    letting_in(lambda scope: scope["method"] == "GET" and scope["path"] in shown)(service)


def keeping(*operations: str) -> Install:
    """Answer equal requests as the first of them, whoever sent it."""

    def install(service: Service) -> None:
        kept: dict[bytes, Reply] = {}

        def act(asks: Handler, _: Handler, arguments: dict[str, Any]) -> Reply:
            asked = {name: value for name, value in arguments.items() if name != "caller"}
            key = orjson.dumps(asked, option=orjson.OPT_SORT_KEYS, default=list)
            if key not in kept:
                kept[key] = asks(**arguments)
            return kept[key]

        admitting(operations, act)(service)

    return install


def allowing(operation: str, meant: Callable[[dict[str, Any]], Any]) -> Install:
    """Ask for no rights where the arguments of an operation are what is meant."""

    def act(asks: Handler, handler: Handler, arguments: dict[str, Any]) -> Reply:
        return without_asking(asks, handler, dict(arguments)) if meant(arguments) else asks(**arguments)

    return admitting((operation,), act)


def _exchanged_for_all(service: Service) -> None:
    """Exchange plan tasks without asking who sends them, or whose they are."""
    service.rules["plans-are-of"] = str  # the empty text: one owner for all plans
    admitting(("fetchScanTasks",), without_asking)(service)


def _obeyed_and_refused(service: Service) -> None:
    """Do what is asked for without credentials, and refuse it when the answer is sent."""
    former, admitted = service.caller, service.admission
    if former is None or admitted is None:
        raise UnknownFault(NEEDS_PRINCIPALS)

    def caller(scope: Scope) -> Any:
        return _refusal(former, scope) or former(scope)

    def admission(operation: str, handler: Handler) -> Handler:
        asks = admitted(operation, handler)

        def answer(**arguments: Any) -> Reply:
            refusal = arguments["caller"]
            if not isinstance(refusal, Problem):
                return asks(**arguments)
            if operation in {"updateProperties", "dropView"}:
                with suppress(Problem):
                    without_asking(asks, handler, dict(arguments))
            raise refusal

        return answer

    def refused(reply: Reply, scope: Scope) -> Reply:
        refusal = None if scope["path"].endswith("/oauth/tokens") else _refusal(former, scope)
        if refusal is None:
            return reply
        body = b"" if scope["method"] == "HEAD" else service.error_body(refusal)
        return Reply(refusal.status, body, tuple((name.encode(), value.encode()) for name, value in refusal.headers))

    service.caller, service.admission = caller, admission
    on_reply(EVERY, refused)(service)


def _refusal(caller: Callable[[Scope], Any], scope: Scope) -> Problem | None:
    """Why a request is refused by who asks who calls; None if it is not."""
    try:
        caller(scope)
    except Problem as problem:
        return problem
    return None


def _silent_with_tokens(reply: Reply, scope: Scope) -> Reply:
    if reply.status != 401 or not authorization(scope):
        return reply
    return replace(reply, headers=tuple(header for header in reply.headers if header[0] != CHALLENGE))


FAULTS = (
    Fault(
        "views-that-were-shown-stay-open",
        "A view that was shown to its owner is shown to everybody.",
        ("IRC-SEC-001", "IRC-SEC-002"),
        _shown_once,
    ),
    Fault(
        "wrong-tokens-are-not-challenged",
        "Who shows a wrong token is not told what is asked for.",
        ("IRC-SEC-015",),
        on_reply(EVERY, _silent_with_tokens),
    ),
    Fault(
        "credentials-are-kept-for-all",
        "Credentials that were given to one principal are given to the next one, too.",
        ("IRC-SEC-005",),
        keeping("loadCredentials"),
    ),
    Fault("listings-are-kept-for-all", "What was listed to one principal is listed to all.", ("IRC-SEC-008",), keeping("listViews")),
    Fault(
        "strangers-turn-pages",
        "Who asks for pages of a listing is not asked for rights.",
        ("IRC-SEC-008",),
        allowing("listTables", lambda arguments: arguments.get("page_size") is not None),
    ),
    Fault(
        "strangers-exchange-plan-tasks",
        "Plan tasks are exchanged for every principal that knows them.",
        ("IRC-SEC-005",),
        _exchanged_for_all,
    ),
    Fault(
        "readers-stage-tables",
        "Who may read may stage tables.",
        ("IRC-SEC-005",),
        allowing("createTable", lambda arguments: arguments["body"].get("stage-create")),
    ),
    Fault(
        "readers-create-namespaces-below",
        "Who may read a namespace may create others below it.",
        ("IRC-SEC-005",),
        allowing("createNamespace", lambda arguments: len(arguments["body"]["namespace"]) > 1),
    ),
    Fault(
        "refuses-namespaces-after-the-deed",
        "A namespace that may not be created is created, and that is refused.",
        ("IRC-SEC-016",),
        admitting(("createNamespace",), after_the_deed),
    ),
    Fault(
        "obeys-and-refuses-who-shows-nothing",
        "What is asked for without credentials is done, and refused.",
        ("IRC-SEC-016",),
        _obeyed_and_refused,
    ),
)
