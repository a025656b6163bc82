"""Scans that are asked for otherwise than was said, and plans whose tasks and files are told
otherwise than they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, on_answer, wrap_rule
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments
from lakepact.reference_server.iceberg_rest.documents import Document
from mutants.iceberg_rest.operators.tables import Handlers, for_operation

PLAN, FETCH, CANCEL, TASKS = (
    op.plan_table_scan,
    op.fetch_planning_result,
    op.cancel_planning,
    op.fetch_scan_tasks,
)
TOLD = (PLAN, FETCH, TASKS)  #: operations whose answers tell tasks

Ask = Callable[[Document, Document], Any]


def asked(act: Callable[[Ask, Document, Document], Any]) -> Install:
    """Scans are answered by `act(ask, metadata, body)`, where `ask(metadata, body)` is the correct
    answer.
    """
    return wrap_rule("scan_of_request", lambda ask: lambda metadata, body: act(ask, metadata, body))


def asked_as(rewrite: Callable[[Document, Document], Document]) -> Install:
    """Scans are planned as if `rewrite(metadata, body)` had been sent."""
    return asked(lambda ask, metadata, body: ask(metadata, rewrite(metadata, dict(body))))


def without(body: Document, *members: str) -> Document:
    """A request without some of its members."""
    return {member: value for member, value in body.items() if member not in members}


def filtered_as(change: Callable[[Any], Any]) -> Install:
    """Each expression in a filter is taken for `change(expression)`."""

    def rewrite(_: Document, body: Document) -> Document:
        return {**body, "filter": _changed(body["filter"], change)} if "filter" in body else body

    return asked_as(rewrite)


def _changed(expression: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(expression, dict):
        inner = {
            side: _changed(expression[side], change)
            for side in ("left", "right", "child")
            if side in expression
        }
        expression = {**expression, **inner}
    return change(expression)


def kinds_as(become: dict[str, str]) -> Install:
    """Some kinds of expressions are taken for others."""

    def change(expression: Any) -> Any:
        kind = expression.get("type") if isinstance(expression, dict) else None
        return {**expression, "type": become[kind]} if kind in become else expression

    return filtered_as(change)


def kinds_in(expression: Any) -> set[Any]:
    """The kinds of all expressions in one."""
    if not isinstance(expression, dict):
        return {expression} if isinstance(expression, bool) else set()
    return {expression.get("type")}.union(
        *(kinds_in(expression.get(side)) for side in ("left", "right", "child"))
    )


def tasks_told(
    change: Callable[[Document], Any], by: OperationId | tuple[OperationId, ...] = TOLD
) -> Install:
    """File scan tasks are told as `change(task)` leaves them, or what it returns."""
    return on_answer(by, lambda document: _each(document, "file-scan-tasks", change))


def deletes_told(change: Callable[[Document], Any]) -> Install:
    """Delete files are told as `change(file)` leaves them, or what it returns."""
    return on_answer(TOLD, lambda document: _each(document, "delete-files", change))


def data_told(change: Callable[[Document], Any]) -> Install:
    """Data files are told as `change(file)` leaves them, or what it returns."""

    def of_task(task: Document) -> None:
        edited = change(task["data-file"])
        task["data-file"] = task["data-file"] if edited is None else edited

    return tasks_told(of_task)


def _each(document: Document, member: str, change: Callable[[Document], Any]) -> None:
    if isinstance(document.get(member), list):
        edited = [(one, change(one)) for one in document[member]]
        document[member] = [one if other is None else other for one, other in edited]


def set_to(
    member: str, value: Any, *, where: Callable[[Document], bool] = lambda _: True
) -> Callable[[Document], None]:
    """Sets a member of what it is given, if that is what is meant."""

    def change(document: Document) -> None:
        if where(document):
            document[member] = value

    return change


def left_out(*members: str) -> Callable[[Document], None]:
    """Leaves members of what it is given out."""

    def change(document: Document) -> None:
        for member in members:
            document.pop(member, None)

    return change


def changed(member: str, change: Callable[[Any], Any]) -> Callable[[Document], None]:
    """Changes a member of what it is given, where there is one."""

    def edit(document: Document) -> None:
        if document.get(member) is not None:
            document[member] = change(document[member])

    return edit


def in_state(
    state: str,
    edit: Callable[[Document], Any],
    by: OperationId | tuple[OperationId, ...] = (PLAN, FETCH),
) -> Install:
    """Plans in one state are told as `edit(document)` leaves them."""

    def change(document: Document) -> Any:
        return edit(document) if document.get("status") == state else None

    return on_answer(by, change)


def at_any_table(
    operation: OperationId, name: Callable[[Arguments], str], named: Callable[[Document], list[str]]
) -> Install:
    """A plan of one table is found at the path of any table.

    Args:
        operation: the operation that finds it.
        name: its parameter with the id.
        named: returns the ids in an answer of planning.
    """

    def install(service: Any) -> None:
        homes: dict[str, Arguments] = {}

        def remember(document: Document, arguments: Arguments) -> None:
            home = {key: arguments[key] for key in ("namespace", "table")}
            homes.update((one, home) for one in named(document))

        def planned(handlers: Handlers, arguments: Arguments) -> Reply:
            reply = handlers[PLAN](**arguments)
            remember(reply.document, arguments)
            return reply

        def found(handlers: Handlers, arguments: Arguments) -> Reply:
            return handlers[operation](**{**arguments, **homes.get(name(arguments), {})})

        for_operation(PLAN, planned)(service)
        for_operation(operation, found)(service)

    return install
