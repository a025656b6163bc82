"""Tables that are taken for views, and views for tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, all_of, fault, on_call, replace_rule
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import IDENTIFIERS, NAMESPACES, SEPARATOR
from lakepact.reference_server.storage.store import Key, Place, Record, Transaction
from mutants.iceberg_rest.operators.commits import conflict
from mutants.iceberg_rest.operators.requests import while_handling
from mutants.iceberg_rest.operators.views import overlooks, takes_views


def _of_any_kind(
    transaction: Transaction, levels: Place, behind: str | None
) -> Iterator[tuple[str, Record]]:
    yield from transaction.under(IDENTIFIERS, levels, after=behind)


def _create_over_views(find: Callable[..., Record | None]) -> Callable[..., Record | None]:
    def committed_table(
        transaction: Transaction, key: Key, requirements: Sequence[Document]
    ) -> Record | None:
        record = transaction.get(key)
        creates = any(requirement.get("type") == "assert-create" for requirement in requirements)
        return (
            None
            if record is not None and record.kind == "view" and creates
            else find(transaction, key, requirements)
        )

    return committed_table


@fault("IRC-TBL-CREATE-001", "IRC-VIEW-CREATE-001")
def names_stay_with_their_kind(service: Service) -> None:
    left: dict[tuple[str, str], str] = {}

    def leaving(operation: OperationId, kind: str) -> Install:
        def act(handler: Handler, arguments: Arguments) -> Reply:
            reply = handler(**arguments)
            source = arguments["body"]["source"] if "body" in arguments else None
            place = (
                (SEPARATOR.join(source["namespace"]), source["name"])
                if source
                else (arguments["namespace"], arguments[kind])
            )
            left[place] = kind
            return reply

        return on_call(operation, act)

    def creating(operation: OperationId, kind: str) -> Install:
        def act(handler: Handler, arguments: Arguments) -> Reply:
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


@fault("IRC-COM-024", by=partial(while_handling, op.update_table, "table_to_commit"))
def commits_to_views_conflict(find: Callable[..., Record | None]) -> Callable[..., Record | None]:
    def committed_table(
        transaction: Transaction, key: Key, requirements: Sequence[Document]
    ) -> Record | None:
        record = transaction.get(key)
        if record is not None and record.kind == "view":
            raise conflict("there is a view of that name")
        return find(transaction, key, requirements)

    return committed_table


@fault("IRC-NS-DROP-004", by=partial(replace_rule, "namespace_is_empty"))
def drops_what_holds_views(transaction: Transaction, levels: Place) -> None:
    for collection in (NAMESPACES, IDENTIFIERS):
        for name, record in transaction.under(collection, levels):
            if record.kind != "view":
                raise Problem(
                    409, "NamespaceNotEmptyException", f"it holds the {record.kind} {name}"
                )


FAULTS = {
    "lists-views-as-tables IRC-TBL-LIST-003": replace_rule("tables_of", _of_any_kind),
    "lists-tables-as-views IRC-VIEW-LIST-001": replace_rule("views_of", _of_any_kind),
    "loads-views-as-tables IRC-TBL-LOAD-005": takes_views(op.load_table),
    "views-exist-as-tables IRC-TBL-HEAD-003": takes_views(op.table_exists),
    "drops-views-as-tables IRC-TBL-DROP-008": takes_views(op.drop_table),
    "renames-views-as-tables IRC-TBL-REN-008": takes_views(op.rename_table),
    "creates-tables-over-views IRC-TBL-CREATE-015": overlooks(op.create_table, "view"),
    "registers-tables-over-views IRC-TBL-REG-008": overlooks(op.register_table, "view"),
    "renames-tables-over-views IRC-TBL-REN-005": overlooks(op.rename_table, "view"),
    "commits-tables-over-views IRC-REQ-006": while_handling(
        op.update_table, "table_to_commit", _create_over_views
    ),
    "stages-tables-over-views IRC-TBL-STAGE-010": all_of(
        overlooks(op.create_table, "view"),
        while_handling(op.update_table, "table_to_commit", _create_over_views),
    ),
}
