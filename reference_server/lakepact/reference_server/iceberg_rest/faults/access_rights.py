"""Principals who may do more than they were granted, or are refused in other ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import EVERY, Fault, Install, UnknownFault, around, on_status
from lakepact.reference_server.problems import Problem

from .access import NEEDS_PRINCIPALS

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Service

    May = Callable[..., bool]

CREATES, COMMITS, TRANSACTS = "createNamespace", "updateTable", "commitTransaction"


def letting(*operations: str) -> Install:
    """Let every principal that is known do some operations to what it sees."""

    def wrap(may: May) -> May:
        def lets(operation: str, rights: Any, need: Any) -> bool:
            return operation in operations or may(operation, rights, need)

        return lets

    return around("rules", "may", wrap)


def admitting(operations: tuple[str, ...], act: Callable[[Handler, Handler, dict[str, Any]], Reply]) -> Install:
    """Answer some operations by `act(asks, handler, arguments)`: what asks whether the caller may, and what does not."""

    def install(service: Service) -> None:
        former = service.admission
        if former is None:
            raise UnknownFault(NEEDS_PRINCIPALS)

        def admission(operation: str, handler: Handler) -> Handler:
            asks = former(operation, handler)
            if operation not in operations:
                return asks

            def answer(**arguments: Any) -> Reply:
                return act(asks, handler, arguments)

            return answer

        service.admission = admission

    return install


def without_asking(_: Handler, handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Answer as if the caller might do everything."""
    del arguments["caller"]
    return handler(**arguments)


def after_the_deed(asks: Handler, handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Do what is asked for where it is refused, and refuse it then."""
    try:
        return asks(**arguments)
    except Problem as problem:
        if problem.status == 403:
            without_asking(asks, handler, dict(arguments))
        raise


def _as_far_as_it_may(asks: Handler, _: Handler, arguments: dict[str, Any]) -> Reply:
    """A transaction that is refused, after those of its changes were made that may be."""
    try:
        return asks(**arguments)
    except Problem as refusal:
        if refusal.status == 403:
            for change in arguments["body"]["table-changes"]:
                try:
                    asks(**{**arguments, "body": {"table-changes": [change]}})
                except Problem:
                    continue
        raise


def _by_the_first_table(asks: Handler, handler: Handler, arguments: dict[str, Any]) -> Reply:
    """A transaction that is made if its first table may be changed."""
    first = {"identifier": arguments["body"]["table-changes"][0]["identifier"], "requirements": [], "updates": []}
    asks(**{**arguments, "body": {"table-changes": [first]}})
    return without_asking(asks, handler, dict(arguments))


FAULTS = (
    Fault("readers-create-namespaces", "Who may read may create namespaces.", ("IRC-SEC-005",), letting(CREATES)),
    Fault("readers-commit", "Who may read a table may change it.", ("IRC-SEC-005",), letting(COMMITS)),
    Fault("readers-drop-tables", "Who may read a table may drop it.", ("IRC-SEC-005",), letting("dropTable")),
    Fault("readers-rename", "Who may read may rename.", ("IRC-SEC-005",), letting("renameTable", "renameView")),
    Fault("readers-change-views", "Who may read a view may change it.", ("IRC-SEC-005",), letting("replaceView")),
    Fault(
        "strangers-read-tables",
        "Tables are shown to every principal that is known.",
        ("IRC-SEC-005",),
        admitting(("loadTable", "tableExists"), without_asking),
    ),
    Fault("forbidden-is-unauthorized", "Who may not do something is answered with 401.", ("IRC-SEC-005",), on_status(EVERY, {403: 401})),
    Fault(
        "forbidden-drops-find-nothing",
        "Who may not drop what it sees is told that it does not exist.",
        ("IRC-SEC-005",),
        on_status(("dropTable", "dropView", "dropNamespace"), {403: 404}),
    ),
    Fault(
        "refuses-commits-after-the-deed",
        "A commit by who may not is made, and refused.",
        ("IRC-SEC-016",),
        admitting((COMMITS, "replaceView"), after_the_deed),
    ),
    Fault(
        "refuses-properties-after-the-deed",
        "Properties are changed by who may not change them, who is told that they are not.",
        ("IRC-SEC-016",),
        admitting(("updateProperties",), after_the_deed),
    ),
    Fault(
        "refuses-drops-after-the-deed",
        "What may not be dropped is dropped, and that is refused.",
        ("IRC-SEC-016",),
        admitting(("dropTable", "dropNamespace"), after_the_deed),
    ),
    Fault(
        "transactions-as-far-as-they-may",
        "A transaction with a table that may not be changed is refused, and the others are changed.",
        ("IRC-SEC-014",),
        admitting((TRANSACTS,), _as_far_as_it_may),
    ),
    Fault(
        "transactions-ask-about-the-first-table",
        "A transaction is made if its first table may be changed.",
        ("IRC-SEC-014",),
        admitting((TRANSACTS,), _by_the_first_table),
    ),
    Fault(
        "strangers-are-listed-nothing",
        "Who may see nothing is given empty listings.",
        ("IRC-SEC-008",),
        letting("listNamespaces"),
    ),
    Fault(
        "strangers-list-tables",
        "Tables and views are listed to every principal that is known.",
        ("IRC-SEC-008",),
        admitting(("listTables", "listViews"), without_asking),
    ),
    Fault(
        "strangers-find-views",
        "Whether a view exists is told to every principal that is known.",
        ("IRC-VIEW-LOAD-006",),
        admitting(("viewExists",), without_asking),
    ),
)
