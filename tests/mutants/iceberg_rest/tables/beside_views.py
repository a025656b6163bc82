"""Tables that are taken for views, and views for tables."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, all_of, fault, on_call, replace_rule
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.identifiers import IDENTIFIERS, NAMESPACES, SEPARATOR
from mutants.iceberg_rest.operators.commits import conflict
from mutants.iceberg_rest.operators.requests import while_handling
from mutants.iceberg_rest.operators.views import overlooks, takes_views

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lakepact.generated.contract import OperationId
    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.service import Handler, Service
    from lakepact.reference_server.storage.store import Key, Place, Record, Transaction


def _of_any_kind(transaction: Transaction, levels: Place, behind: str | None) -> Iterator[tuple[str, Record]]:
    yield from transaction.under(IDENTIFIERS, levels, after=behind)


def _create_over_views(find: Callable[..., Record | None]) -> Callable[..., Record | None]:
    def committed_table(transaction: Transaction, key: Key, requirements: Sequence[Document]) -> Record | None:
        record = transaction.get(key)
        creates = any(requirement.get("type") == "assert-create" for requirement in requirements)
        return None if record is not None and record.kind == "view" and creates else find(transaction, key, requirements)

    return committed_table


@fault("IRC-TBL-CREATE-001", "IRC-VIEW-CREATE-001")
def names_stay_with_their_kind(service: Service) -> None:
    """The name of a table that is gone is not free for views, nor the other way round."""
    left: dict[tuple[str, str], str] = {}

    def leaving(operation: OperationId, kind: str) -> Install:
        def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
            reply = handler(**arguments)
            source = arguments["body"]["source"] if "body" in arguments else None
            place = (SEPARATOR.join(source["namespace"]), source["name"]) if source else (arguments["namespace"], arguments[kind])
            left[place] = kind
            return reply

        return on_call(operation, act)

    def creating(operation: OperationId, kind: str) -> Install:
        def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
            if left.get((arguments["namespace"], arguments["body"]["name"]), kind) != kind:
                raise Problem(409, "AlreadyExistsException", "the name is that of something else")
            return handler(**arguments)

        return on_call(operation, act)

    for kind, leaves, creates in (
        ("table", (op.drop_table, op.rename_table), op.create_table),
        ("view", (op.drop_view, op.rename_view), op.create_view),
    ):
        for operation in leaves:
            leaving(operation, kind)(service)
        creating(creates, kind)(service)


@fault("IRC-TBL-LIST-003")
def lists_views_as_tables() -> Install:
    """Views are among the tables."""
    return replace_rule("tables_of", _of_any_kind)


@fault("IRC-VIEW-LIST-001")
def lists_tables_as_views() -> Install:
    """Tables are among the views."""
    return replace_rule("views_of", _of_any_kind)


@fault("IRC-TBL-LOAD-005")
def loads_views_as_tables() -> Install:
    """A view is loaded as a table."""
    return takes_views(op.load_table)


@fault("IRC-TBL-HEAD-003")
def views_exist_as_tables() -> Install:
    """A view exists as a table."""
    return takes_views(op.table_exists)


@fault("IRC-TBL-DROP-008")
def drops_views_as_tables() -> Install:
    """A view is dropped as a table."""
    return takes_views(op.drop_table)


@fault("IRC-TBL-REN-008")
def renames_views_as_tables() -> Install:
    """A view is renamed as a table."""
    return takes_views(op.rename_table)


@fault("IRC-TBL-CREATE-015")
def creates_tables_over_views() -> Install:
    """A new table replaces a view."""
    return overlooks(op.create_table, "view")


@fault("IRC-TBL-REG-008")
def registers_tables_over_views() -> Install:
    """A registered table replaces a view."""
    return overlooks(op.register_table, "view")


@fault("IRC-TBL-REN-005")
def renames_tables_over_views() -> Install:
    """A renamed table replaces a view."""
    return overlooks(op.rename_table, "view")


@fault("IRC-REQ-006")
def commits_tables_over_views() -> Install:
    """A table that its commit creates replaces a view."""
    return while_handling(op.update_table, "committed_table", _create_over_views)


@fault("IRC-TBL-STAGE-010")
def stages_tables_over_views() -> Install:
    """A table that is staged by the name of a view replaces it."""
    return all_of(overlooks(op.create_table, "view"), while_handling(op.update_table, "committed_table", _create_over_views))


@fault("IRC-COM-024", by=partial(while_handling, op.update_table, "committed_table"))
def commits_to_views_conflict(find: Callable[..., Record | None]) -> Callable[..., Record | None]:
    """A commit to a table by the name of a view is a conflict."""

    def committed_table(transaction: Transaction, key: Key, requirements: Sequence[Document]) -> Record | None:
        record = transaction.get(key)
        if record is not None and record.kind == "view":
            raise conflict("there is a view of that name")
        return find(transaction, key, requirements)

    return committed_table


@fault("IRC-NS-DROP-004", by=partial(replace_rule, "namespace_is_empty"))
def drops_what_holds_views(transaction: Transaction, levels: Place) -> None:
    """A namespace with views is dropped."""
    for collection in (NAMESPACES, IDENTIFIERS):
        for name, record in transaction.under(collection, levels):
            if record.kind != "view":
                raise Problem(409, "NamespaceNotEmptyException", f"it holds the {record.kind} {name}")
