"""Principals who may do more than they were granted, or are refused in other ways."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import (
    EVERY,
    Install,
    UnknownFault,
    fault,
    on_status,
    wrap_rule,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.service import Arguments, admit
from mutants.iceberg_rest.access.authentication import NEEDS_PRINCIPALS

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.generated.contract import OperationId
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.http.service import Handler, Service

    May = Callable[..., bool]

CREATES, COMMITS, TRANSACTS = op.create_namespace, op.update_table, op.commit_transaction


def letting(*operations: OperationId) -> Install:
    """Let every principal that is known do some operations to what it sees."""

    def wrap(may: May) -> May:
        def lets(operation: OperationId, rights: Any, need: Any) -> bool:
            return operation in operations or may(operation, rights, need)

        return lets

    return wrap_rule("may", wrap)


def admitting(
    operations: tuple[OperationId, ...], act: Callable[[Handler, Handler, dict[str, Any]], Reply]
) -> Install:
    """Answer some operations by `act(asks, handler, arguments)`: what asks whether the caller may,
    and what does not.
    """

    def install(service: Service) -> None:
        former = service.rules.current("admit")
        if former is admit:
            raise UnknownFault(NEEDS_PRINCIPALS)

        def admission(operation: OperationId, handler: Handler) -> Handler:
            asks: Handler = former(operation, handler)
            if operation not in operations:
                return asks

            def answer(**arguments: Any) -> Reply:
                return act(asks, handler, arguments)

            return answer

        service.rules.replace("admit", admission)

    return install


def without_asking(_: Handler, handler: Handler, arguments: Arguments) -> Reply:
    """Answer as if the caller might do everything."""
    del arguments["caller"]
    return handler(**arguments)


def after_the_deed(asks: Handler, handler: Handler, arguments: Arguments) -> Reply:
    """Do what is asked for where it is refused, and refuse it then."""
    try:
        return asks(**arguments)
    except Problem as problem:
        if problem.status == 403:
            without_asking(asks, handler, dict(arguments))
        raise


@fault("IRC-SEC-014", by=partial(admitting, (TRANSACTS,)))
def transactions_as_far_as_they_may(asks: Handler, _: Handler, arguments: Arguments) -> Reply:
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


@fault("IRC-SEC-014", by=partial(admitting, (TRANSACTS,)))
def transactions_ask_about_the_first_table(
    asks: Handler, handler: Handler, arguments: Arguments
) -> Reply:
    first = {
        "identifier": arguments["body"]["table-changes"][0]["identifier"],
        "requirements": [],
        "updates": [],
    }
    asks(**{**arguments, "body": {"table-changes": [first]}})
    return without_asking(asks, handler, dict(arguments))


FAULTS = {
    "readers-create-namespaces IRC-SEC-005": letting(CREATES),
    "readers-commit IRC-SEC-005": letting(COMMITS),
    "readers-drop-tables IRC-SEC-005": letting(op.drop_table),
    "readers-rename IRC-SEC-005": letting(op.rename_table, op.rename_view),
    "readers-change-views IRC-SEC-005": letting(op.replace_view),
    "any-principal-reads-tables IRC-SEC-005": admitting(
        (op.load_table, op.table_exists), without_asking
    ),
    "forbidden-is-unauthorized IRC-SEC-005": on_status(EVERY, {403: 401}),
    "forbidden-drops-find-nothing IRC-SEC-005": on_status(
        (op.drop_table, op.drop_view, op.drop_namespace), {403: 404}
    ),
    "refused-commits-are-applied IRC-SEC-016": admitting(
        (COMMITS, op.replace_view), after_the_deed
    ),
    "refused-property-updates-are-applied IRC-SEC-016": admitting(
        (op.update_properties,), after_the_deed
    ),
    "refused-drops-are-applied IRC-SEC-016": admitting(
        (op.drop_table, op.drop_namespace), after_the_deed
    ),
    "callers-without-rights-get-empty-listings IRC-SEC-008": letting(op.list_namespaces),
    "any-principal-lists-tables IRC-SEC-008": admitting(
        (op.list_tables, op.list_views), without_asking
    ),
    "any-principal-finds-views IRC-VIEW-LOAD-006": admitting((op.view_exists,), without_asking),
}
