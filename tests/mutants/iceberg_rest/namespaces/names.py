"""Names of namespaces that are stored or read wrongly."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import (
    Install,
    all_of,
    fault,
    on_call,
    replace_rule,
    wrap_rule,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from lakepact.reference_server.iceberg_rest.identifiers import NAMESPACES, SEPARATOR
from lakepact.reference_server.storage.store import Place, Record, Transaction
from mutants.iceberg_rest.operators.requests import asked_for


@fault("IRC-NS-ENC-006", by=partial(replace_rule, "levels_are_addressable"))
def three_levels_at_most(levels: tuple[str, ...]) -> None:
    if (
        len(levels) > 2
        or not levels
        or not all(levels)
        or any(SEPARATOR in level for level in levels)
    ):
        raise Problem(400, "BadRequestException", "no more than two levels")


@fault("IRC-NS-ENC-002", by=partial(wrap_rule, "namespace_exists"))
def dots_separate(find: Callable[..., Record]) -> Callable[..., Record]:
    def namespace_exists(transaction: Transaction, levels: Place) -> Record:
        return find(transaction, tuple(part for level in levels for part in level.split(".")))

    return namespace_exists


@fault("IRC-NS-ENC-003", by=partial(wrap_rule, "namespace_exists"))
def empty_levels_overlooked(find: Callable[..., Record]) -> Callable[..., Record]:
    def namespace_exists(transaction: Transaction, levels: Place) -> Record:
        return find(transaction, tuple(level for level in levels if level) or levels)

    return namespace_exists


@fault("IRC-NS-ENC-004", by=partial(wrap_rule, "namespace_exists"))
def case_folded_at_load(find: Callable[..., Record]) -> Callable[..., Record]:
    def namespace_exists(transaction: Transaction, levels: Place) -> Record:
        for name, record in transaction.under(NAMESPACES, levels[:-1]):
            if name.lower() == levels[-1].lower():
                return record
        return find(transaction, levels)

    return namespace_exists


@fault("IRC-NS-ENC-001", by=partial(wrap_rule, "namespace_exists"))
def levels_behind_the_fourth_overlooked(find: Callable[..., Record]) -> Callable[..., Record]:
    def namespace_exists(transaction: Transaction, levels: Place) -> Record:
        return find(transaction, levels[:4])

    return namespace_exists


@fault("IRC-NS-ENC-002", by=partial(on_call, op.list_namespaces))
def dots_separate_parents(handler: Handler, arguments: Arguments) -> Reply:
    parent = arguments.get("parent")
    return handler(
        **{**arguments, "parent": parent.replace(".", SEPARATOR)} if parent else arguments
    )


@fault("IRC-NS-ENC-002")
def dots_make_children() -> Install:
    made: set[str] = set()

    def create(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        made.add(SEPARATOR.join(arguments["body"]["namespace"]))
        return reply

    def drop(handler: Handler, arguments: Arguments) -> Reply:
        name = arguments["namespace"]
        if any(other.startswith(f"{name}.") for other in made):
            raise Problem(409, "NamespaceNotEmptyException", f"{name} has children")
        reply = handler(**arguments)
        made.discard(name)
        return reply

    return all_of(on_call(op.create_namespace, create), on_call(op.drop_namespace, drop))


FAULTS = {
    "levels-stored-as-one IRC-NS-ENC-001": asked_for(
        op.create_namespace, lambda body: {**body, "namespace": [".".join(body["namespace"])]}
    ),
    "created-in-lower-case IRC-NS-ENC-004": asked_for(
        op.create_namespace,
        lambda body: {**body, "namespace": [level.lower() for level in body["namespace"]]},
    ),
}
