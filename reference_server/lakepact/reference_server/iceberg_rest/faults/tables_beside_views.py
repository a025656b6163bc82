"""Tables that are taken for views, and views for tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, all_of, instead, on_call
from lakepact.reference_server.iceberg_rest.catalog import IDENTIFIERS, NAMESPACES, SEPARATOR
from lakepact.reference_server.iceberg_rest.faults.ways.commits import conflict
from lakepact.reference_server.iceberg_rest.faults.ways.requests import during
from lakepact.reference_server.iceberg_rest.faults.ways.views import overlooks, takes_views
from lakepact.reference_server.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Service
    from lakepact.reference_server.store import Key, Place, Record, Transaction


def _of_any_kind(transaction: Transaction, levels: Place, behind: str | None) -> Iterator[tuple[str, Record]]:
    yield from transaction.under(IDENTIFIERS, levels, after=behind)


def _views_do_not_count(transaction: Transaction, levels: Place) -> None:
    for shelf in (NAMESPACES, IDENTIFIERS):
        for name, record in transaction.under(shelf, levels):
            if record.kind != "view":
                raise Problem(409, "NamespaceNotEmptyException", f"it holds the {record.kind} {name}")


def _create_over_views(find: Callable[..., Record | None]) -> Callable[..., Record | None]:
    def committed_table(transaction: Transaction, key: Key, requirements: Sequence[Document]) -> Record | None:
        record = transaction.get(key)
        creates = any(requirement.get("type") == "assert-create" for requirement in requirements)
        return None if record is not None and record.kind == "view" and creates else find(transaction, key, requirements)

    return committed_table


def _conflict_with_views(find: Callable[..., Record | None]) -> Callable[..., Record | None]:
    def committed_table(transaction: Transaction, key: Key, requirements: Sequence[Document]) -> Record | None:
        record = transaction.get(key)
        if record is not None and record.kind == "view":
            raise conflict("there is a view of that name")
        return find(transaction, key, requirements)

    return committed_table


def _names_stay(service: Service) -> None:
    """What was dropped or renamed keeps its name from all that is of the other kind."""
    left: dict[tuple[str, str], str] = {}

    def leaving(operation: str, kind: str) -> Install:
        def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
            reply = handler(**arguments)
            source = arguments["body"]["source"] if "body" in arguments else None
            place = (SEPARATOR.join(source["namespace"]), source["name"]) if source else (arguments["namespace"], arguments[kind])
            left[place] = kind
            return reply

        return on_call(operation, act)

    def creating(operation: str, kind: str) -> Install:
        def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
            if left.get((arguments["namespace"], arguments["body"]["name"]), kind) != kind:
                raise Problem(409, "AlreadyExistsException", "the name is that of something else")
            return handler(**arguments)

        return on_call(operation, act)

    for kind in ("table", "view"):
        for operation in ("drop", "rename"):
            leaving(f"{operation}{kind.capitalize()}", kind)(service)
        creating(f"create{kind.capitalize()}", kind)(service)


FAULTS = (
    Fault(
        "names-stay-with-their-kind",
        "The name of a table that is gone is not free for views, nor the other way round.",
        ("IRC-TBL-CREATE-001", "IRC-VIEW-CREATE-001"),
        _names_stay,
    ),
    Fault("lists-views-as-tables", "Views are among the tables.", ("IRC-TBL-LIST-003",), instead("rules", "tables-of", _of_any_kind)),
    Fault("lists-tables-as-views", "Tables are among the views.", ("IRC-VIEW-LIST-001",), instead("rules", "views-of", _of_any_kind)),
    Fault("loads-views-as-tables", "A view is loaded as a table.", ("IRC-TBL-LOAD-005",), takes_views("loadTable")),
    Fault("views-exist-as-tables", "A view exists as a table.", ("IRC-TBL-HEAD-003",), takes_views("tableExists")),
    Fault("drops-views-as-tables", "A view is dropped as a table.", ("IRC-TBL-DROP-008",), takes_views("dropTable")),
    Fault("renames-views-as-tables", "A view is renamed as a table.", ("IRC-TBL-REN-008",), takes_views("renameTable")),
    Fault("creates-tables-over-views", "A new table replaces a view.", ("IRC-TBL-CREATE-015",), overlooks("createTable", "view")),
    Fault("registers-tables-over-views", "A registered table replaces a view.", ("IRC-TBL-REG-008",), overlooks("registerTable", "view")),
    Fault("renames-tables-over-views", "A renamed table replaces a view.", ("IRC-TBL-REN-005",), overlooks("renameTable", "view")),
    Fault(
        "commits-tables-over-views",
        "A table that its commit creates replaces a view.",
        ("IRC-REQ-006",),
        during("updateTable", "committed-table", _create_over_views),
    ),
    Fault(
        "stages-tables-over-views",
        "A table that is staged by the name of a view replaces it.",
        ("IRC-TBL-STAGE-010",),
        all_of(overlooks("createTable", "view"), during("updateTable", "committed-table", _create_over_views)),
    ),
    Fault(
        "commits-to-views-conflict",
        "A commit to a table by the name of a view is a conflict.",
        ("IRC-COM-024",),
        during("updateTable", "committed-table", _conflict_with_views),
    ),
    Fault(
        "drops-what-holds-views",
        "A namespace with views is dropped.",
        ("IRC-NS-DROP-004",),
        instead("rules", "namespace-is-empty", _views_do_not_count),
    ),
)
