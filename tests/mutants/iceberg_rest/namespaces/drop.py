"""Namespaces that are dropped wrongly, or leave something behind."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import (
    Install,
    all_of,
    fault,
    on_call,
    on_status,
    replace_rule,
    wrap_rule,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import NAMESPACES, SEPARATOR, namespace_key
from lakepact.reference_server.storage.store import Place, Transaction
from mutants.iceberg_rest.operators.commits import creates
from mutants.iceberg_rest.operators.namespaces import made_where_missing
from mutants.iceberg_rest.operators.operations import COMMIT
from mutants.iceberg_rest.operators.tables import Handlers, at, exists, for_operation


@fault("IRC-NS-DROP-001", by=partial(wrap_rule, "namespace_is_empty"))
def siblings_keep_it(is_empty: Callable[..., None]) -> Callable[..., None]:
    def namespace_is_empty(transaction: Transaction, levels: Place) -> None:
        is_empty(transaction, levels)
        for key, record in transaction.every("identifiers"):
            if ".".join(key.place).startswith(".".join(levels)):
                raise Problem(
                    409, "NamespaceNotEmptyException", f"it holds the {record.kind} {key.name}"
                )

    return namespace_is_empty


@fault("IRC-NS-DROP-001")
def never_empty_again(service: Service) -> None:
    left: set[tuple[str, ...]] = set()

    def rename(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        left.add(tuple(arguments["body"]["source"]["namespace"]))
        return reply

    def drop(handler: Handler, arguments: Arguments) -> Reply:
        if tuple(arguments["namespace"].split(SEPARATOR)) in left:
            raise Problem(409, "NamespaceNotEmptyException", "it holds a table")
        return handler(**arguments)

    all_of(on_call(op.rename_table, rename), on_call(op.drop_namespace, drop))(service)


@fault("IRC-NS-DROP-001")
def moved_views_count(service: Service) -> None:
    count: Counter[tuple[str, ...]] = Counter()

    def counting(by: int) -> Callable[[Handler, dict[str, Any]], Reply]:
        def act(handler: Handler, arguments: Arguments) -> Reply:
            reply = handler(**arguments)
            count[tuple(arguments["namespace"].split(SEPARATOR))] += by
            return reply

        return act

    def drop(handler: Handler, arguments: Arguments) -> Reply:
        if count[tuple(arguments["namespace"].split(SEPARATOR))] > 0:
            raise Problem(409, "NamespaceNotEmptyException", "it holds views")
        return handler(**arguments)

    all_of(
        on_call(op.create_view, counting(1)),
        on_call(op.drop_view, counting(-1)),
        on_call(op.drop_namespace, drop),
    )(service)


@fault("IRC-NS-DROP-003", "IRC-NS-DROP-008", by=partial(replace_rule, "namespace_is_empty"))
def drops_what_holds_tables(transaction: Transaction, levels: Place) -> None:
    for name, record in transaction.under(NAMESPACES, levels):
        raise Problem(409, "NamespaceNotEmptyException", f"it holds the {record.kind} {name}")


@fault("IRC-NS-DROP-005", by=partial(replace_rule, "namespace_is_empty"))
def drops_what_has_children(transaction: Transaction, levels: Place) -> None:
    for name, record in transaction.under("identifiers", levels):
        raise Problem(409, "NamespaceNotEmptyException", f"it holds the {record.kind} {name}")


@fault("IRC-NS-DROP-006", by=partial(replace_rule, "namespace_is_empty"))
def drops_by_prefix(transaction: Transaction, levels: Place) -> None:
    for name, _ in list(transaction.under(NAMESPACES, levels[:-1])):
        if name.startswith(levels[-1]) and name != levels[-1]:
            transaction.remove(namespace_key((*levels[:-1], name)))


@fault("IRC-NS-DROP-006", by=partial(for_operation, op.drop_namespace))
def parents_go_with_their_last_child(handlers: Handlers, arguments: Arguments) -> Reply:
    reply = handlers[op.drop_namespace](**arguments)
    parent = arguments["namespace"].rpartition(SEPARATOR)[0]
    if parent and not handlers[op.list_namespaces](parent=parent).document["namespaces"]:
        with contextlib.suppress(Problem):
            handlers[op.drop_namespace](namespace=parent)
    return reply


@fault("IRC-NS-DROP-006")
def tables_go_with_their_first_namespace(service: Service) -> None:
    moves: dict[str, Document] = {}

    def rename(handlers: Handlers, arguments: Arguments) -> Reply:
        source, destination = (arguments["body"][end] for end in ("source", "destination"))
        reply = handlers[op.rename_table](**arguments)
        if source["namespace"] != destination["namespace"]:
            moves[SEPARATOR.join(source["namespace"])] = destination
        return reply

    def drop(handlers: Handlers, arguments: Arguments) -> Reply:
        reply = handlers[op.drop_namespace](**arguments)
        if (table := moves.pop(arguments["namespace"], None)) and exists(handlers, table):
            handlers[op.drop_table](**at(table))
        return reply

    for_operation(op.rename_table, rename)(service)
    for_operation(op.drop_namespace, drop)(service)


@fault("IRC-NS-DROP-009")
def properties_outlive_their_namespace() -> Install:
    kept: dict[tuple[str, ...], dict[str, str]] = {}

    def create(handler: Handler, arguments: Arguments) -> Reply:
        body = arguments["body"]
        old = kept.get(tuple(body["namespace"]), {})
        reply = handler(body={**body, "properties": {**old, **(body.get("properties") or {})}})
        kept[tuple(body["namespace"])] = reply.document["properties"]
        return reply

    return on_call(op.create_namespace, create)


FAULTS = {
    "drops-do-nothing IRC-NS-DROP-001": on_call(op.drop_namespace, lambda _h, _a: Reply(204)),
    "drops-of-nothing-succeed IRC-NS-DROP-002": on_status(op.drop_namespace, {404: 204}),
    "staged-tables-resurrect IRC-NS-DROP-007": made_where_missing(COMMIT, when=creates),
}
