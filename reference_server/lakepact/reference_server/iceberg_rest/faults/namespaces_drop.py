"""Namespaces that are dropped wrongly, or leave something behind."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, all_of, around, instead, on_call, on_status
from lakepact.reference_server.iceberg_rest.catalog import NAMESPACES, SEPARATOR, namespace_key
from lakepact.reference_server.iceberg_rest.faults.ways.commits import creates
from lakepact.reference_server.iceberg_rest.faults.ways.namespaces import made_where_missing
from lakepact.reference_server.iceberg_rest.faults.ways.operations import COMMIT
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.service import Handler, Service
    from lakepact.reference_server.store import Place, Transaction


def _kept_properties() -> Install:
    """Keep the properties of dropped namespaces for the next one of that name."""
    kept: dict[tuple[str, ...], dict[str, str]] = {}

    def create(handler: Handler, arguments: dict[str, Any]) -> Reply:
        body = arguments["body"]
        old = kept.get(tuple(body["namespace"]), {})
        reply = handler(body={**body, "properties": {**old, **(body.get("properties") or {})}})
        kept[tuple(body["namespace"])] = reply.document["properties"]
        return reply

    return on_call("createNamespace", create)


def _children_do_not_count(transaction: Transaction, levels: Place) -> None:
    for name, record in transaction.under("identifiers", levels):
        raise Problem(409, "NamespaceNotEmptyException", f"it holds the {record.kind} {name}")


def _tables_do_not_count(transaction: Transaction, levels: Place) -> None:
    for name, record in transaction.under(NAMESPACES, levels):
        raise Problem(409, "NamespaceNotEmptyException", f"it holds the {record.kind} {name}")


def _siblings_go_too(transaction: Transaction, levels: Place) -> None:
    """Remove whatever begins like the name of what is dropped."""
    for name, _ in list(transaction.under(NAMESPACES, levels[:-1])):
        if name.startswith(levels[-1]) and name != levels[-1]:
            transaction.remove(namespace_key((*levels[:-1], name)))


def _siblings_count(is_empty: Callable[..., None]) -> Callable[..., None]:
    """Take for content of a namespace what stands in those whose names begin like its own."""

    def namespace_is_empty(transaction: Transaction, levels: Place) -> None:
        is_empty(transaction, levels)
        for key, record in transaction.every("identifiers"):
            if ".".join(key.place).startswith(".".join(levels)):
                raise Problem(409, "NamespaceNotEmptyException", f"it holds the {record.kind} {key.name}")

    return namespace_is_empty


def _what_moved_counts(service: Service) -> None:
    """Count what was ever in a namespace and was not dropped there."""
    left: set[tuple[str, ...]] = set()

    def rename(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        left.add(tuple(arguments["body"]["source"]["namespace"]))
        return reply

    def drop(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if tuple(arguments["namespace"].split(SEPARATOR)) in left:
            raise Problem(409, "NamespaceNotEmptyException", "it holds a table")
        return handler(**arguments)

    all_of(on_call("renameTable", rename), on_call("dropNamespace", drop))(service)


def _views_that_moved_count(service: Service) -> None:
    """Count the views of a namespace when they are created and dropped, and not when they are renamed."""
    count: Counter[tuple[str, ...]] = Counter()

    def counting(by: int) -> Callable[[Handler, dict[str, Any]], Reply]:
        def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
            reply = handler(**arguments)
            count[tuple(arguments["namespace"].split(SEPARATOR))] += by
            return reply

        return act

    def drop(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if count[tuple(arguments["namespace"].split(SEPARATOR))] > 0:
            raise Problem(409, "NamespaceNotEmptyException", "it holds views")
        return handler(**arguments)

    all_of(on_call("createView", counting(1)), on_call("dropView", counting(-1)), on_call("dropNamespace", drop))(service)


FAULTS = (
    Fault(
        "siblings-keep-it",
        "A namespace cannot be dropped while one whose name begins like its own holds tables.",
        ("IRC-NS-DROP-001",),
        around("rules", "namespace-is-empty", _siblings_count),
    ),
    Fault("never-empty-again", "A namespace that a table was moved out of cannot be dropped.", ("IRC-NS-DROP-001",), _what_moved_counts),
    Fault(
        "moved-views-count",
        "A namespace that a view was moved out of cannot be dropped.",
        ("IRC-NS-DROP-001",),
        _views_that_moved_count,
    ),
    Fault(
        "drops-do-nothing", "Dropping succeeds without effect.", ("IRC-NS-DROP-001",), on_call("dropNamespace", lambda _h, _a: Reply(204))
    ),
    Fault("drops-of-nothing-succeed", "Dropping what is not there succeeds.", ("IRC-NS-DROP-002",), on_status("dropNamespace", {404: 204})),
    Fault(
        "drops-what-holds-tables",
        "A namespace with tables is dropped.",
        ("IRC-NS-DROP-003", "IRC-NS-DROP-008"),
        instead("rules", "namespace-is-empty", _tables_do_not_count),
    ),
    Fault(
        "drops-what-has-children",
        "A namespace with children is dropped.",
        ("IRC-NS-DROP-005",),
        instead("rules", "namespace-is-empty", _children_do_not_count),
    ),
    Fault(
        "drops-by-prefix",
        "Dropping takes along what begins like it.",
        ("IRC-NS-DROP-006",),
        instead("rules", "namespace-is-empty", _siblings_go_too),
    ),
    Fault(
        "staged-tables-resurrect",
        "Committing a staged table brings its namespace back.",
        ("IRC-NS-DROP-007",),
        made_where_missing(COMMIT, when=creates),
    ),
    Fault(
        "properties-outlive-their-namespace",
        "A new namespace has the properties of a dropped one.",
        ("IRC-NS-DROP-009",),
        _kept_properties(),
    ),
)
