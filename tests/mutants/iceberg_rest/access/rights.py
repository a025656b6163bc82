"""Principals who may do more than they were granted, or are refused in other ways."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import EVERY, Install, UnknownFault, fault, on_status, wrap_rule
from lakepact.reference_server.http.problems import Problem
from mutants.iceberg_rest.access.authentication import NEEDS_PRINCIPALS

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.generated.contract import OperationId
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.service import Handler, Service

    May = Callable[..., bool]

CREATES, COMMITS, TRANSACTS = op.create_namespace, op.update_table, op.commit_transaction


def letting(*operations: OperationId) -> Install:
    """Let every principal that is known do some operations to what it sees."""

    def wrap(may: May) -> May:
        def lets(operation: OperationId, rights: Any, need: Any) -> bool:
            return operation in operations or may(operation, rights, need)

        return lets

    return wrap_rule("may", wrap)


def admitting(operations: tuple[OperationId, ...], act: Callable[[Handler, Handler, dict[str, Any]], Reply]) -> Install:
    """Answer some operations by `act(asks, handler, arguments)`: what asks whether the caller may, and what does not."""

    def install(service: Service) -> None:
        former = service.admission
        if former is None:
            raise UnknownFault(NEEDS_PRINCIPALS)

        def admission(operation: OperationId, handler: Handler) -> Handler:
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


@fault("IRC-SEC-005")
def readers_create_namespaces() -> Install:
    """A caller with read rights may create namespaces."""
    return letting(CREATES)


@fault("IRC-SEC-005")
def readers_commit() -> Install:
    """A caller with read rights may change a table."""
    return letting(COMMITS)


@fault("IRC-SEC-005")
def readers_drop_tables() -> Install:
    """A caller with read rights may drop a table."""
    return letting(op.drop_table)


@fault("IRC-SEC-005")
def readers_rename() -> Install:
    """A caller with read rights may rename."""
    return letting(op.rename_table, op.rename_view)


@fault("IRC-SEC-005")
def readers_change_views() -> Install:
    """A caller with read rights may change a view."""
    return letting(op.replace_view)


@fault("IRC-SEC-005")
def any_principal_reads_tables() -> Install:
    """Every known principal may load tables."""
    return admitting((op.load_table, op.table_exists), without_asking)


@fault("IRC-SEC-005")
def forbidden_is_unauthorized() -> Install:
    """A missing right returns 401."""
    return on_status(EVERY, {403: 401})


@fault("IRC-SEC-005")
def forbidden_drops_find_nothing() -> Install:
    """Dropping a visible object without the right returns 404."""
    return on_status((op.drop_table, op.drop_view, op.drop_namespace), {403: 404})


@fault("IRC-SEC-016")
def refused_commits_are_applied() -> Install:
    """A commit without the right is applied and returns 403."""
    return admitting((COMMITS, op.replace_view), after_the_deed)


@fault("IRC-SEC-016")
def refused_property_updates_are_applied() -> Install:
    """Properties are changed without the right, and the request returns 403."""
    return admitting((op.update_properties,), after_the_deed)


@fault("IRC-SEC-016")
def refused_drops_are_applied() -> Install:
    """An object is dropped without the right, and the request returns 403."""
    return admitting((op.drop_table, op.drop_namespace), after_the_deed)


@fault("IRC-SEC-014", by=partial(admitting, (TRANSACTS,)))
def transactions_as_far_as_they_may(asks: Handler, _: Handler, arguments: dict[str, Any]) -> Reply:
    """A transaction with a table that the caller may not change returns 403, and changes the others."""
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
def transactions_ask_about_the_first_table(asks: Handler, handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Only the right to change the first table of a transaction is checked."""
    first = {"identifier": arguments["body"]["table-changes"][0]["identifier"], "requirements": [], "updates": []}
    asks(**{**arguments, "body": {"table-changes": [first]}})
    return without_asking(asks, handler, dict(arguments))


@fault("IRC-SEC-008")
def callers_without_rights_get_empty_listings() -> Install:
    """A caller without rights gets empty listings."""
    return letting(op.list_namespaces)


@fault("IRC-SEC-008")
def any_principal_lists_tables() -> Install:
    """Every known principal may list tables and views."""
    return admitting((op.list_tables, op.list_views), without_asking)


@fault("IRC-VIEW-LOAD-006")
def any_principal_finds_views() -> Install:
    """HEAD of a view returns 204 to every known principal."""
    return admitting((op.view_exists,), without_asking)
