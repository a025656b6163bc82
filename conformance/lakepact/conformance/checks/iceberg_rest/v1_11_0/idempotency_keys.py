"""Checks that an Idempotency-Key stands for one request and its answer, refusals included, of one
principal, and outlasts other keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import orjson

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    NotOffered,
    OperationId,
    Place,
    Table,
    Wrong,
    expect,
    op,
    set_properties,
)
from lakepact.conformance.checks.iceberg_rest.kit.principals import THIRD, bearing, require_secret
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import properties_of
from lakepact.conformance.checks.iceberg_rest.kit.views import (
    View,
    load_view,
    make_view,
    view_request,
)
from lakepact.conformance.checks.iceberg_rest.kit.views import properties_of as view_properties_of
from lakepact.conformance.checks.iceberg_rest.v1_11_0.idempotency import AGAIN, TURN, twice
from lakepact.conformance.checks.iceberg_rest.v1_11_0.keys import new_key
from lakepact.conformance.checks.iceberg_rest.v1_11_0.register_view import left_behind
from lakepact.conformance.checks.iceberg_rest.v1_11_0.suite import check

BETWEEN = 12  #: requests with keys of their own, after which the first key has to be known


@dataclass(frozen=True)
class Observation:
    """A value of an answer, and its place."""

    value: Any
    at: Place


@dataclass(frozen=True)
class Pair:
    """Two requests of one operation; a key is used for the first only."""

    operation: OperationId
    first: Document
    second: Document
    expected: Any  #: the observed value if the second was not carried out
    look: Callable[[], Observation]


def turn_body(turn: str) -> Document:
    """Return a commit that sets a property."""
    return {"requirements": [], "updates": [set_properties(**{TURN: turn})]}


def pairs(lab: CatalogLab) -> Iterator[Pair]:
    """Yield pairs of requests, each with an observation that depends on the second."""
    table = lab.make_table(properties={TURN: "0"})
    turn = partial(_turn_of, lab, table)
    in_namespace, levels = {"namespace": table.namespace}, list(table.namespace)
    yield Pair(
        op.update_table,
        {**table.at, "body": turn_body("1")},
        {**table.at, "body": turn_body("2")},
        "1",
        turn,
    )
    if lab.offers(op.commit_transaction):
        changes = [
            {"body": {"table-changes": [{"identifier": table.identifier, **turn_body(to)}]}}
            for to in ("3", "4")
        ]
        yield Pair(op.commit_transaction, changes[0], changes[1], "3", turn)
    if lab.feature("namespace-properties"):
        updates = [
            {**in_namespace, "body": {"removals": [], "updates": {"turn": to}}} for to in ("1", "2")
        ]
        yield Pair(
            op.update_properties, updates[0], updates[1], "1", partial(_namespace_turn, lab, table)
        )
    namespaces = [lab.make_namespace() for _ in range(2)]
    status_of_second = partial(_status, lab, op.load_namespace_metadata, namespace=namespaces[1])
    yield Pair(
        op.drop_namespace,
        {"namespace": namespaces[0]},
        {"namespace": namespaces[1]},
        200,
        status_of_second,
    )
    tables = [lab.make_table(table.namespace) for _ in range(3)]
    yield Pair(
        op.drop_table,
        tables[0].at,
        tables[1].at,
        200,
        partial(_status, lab, op.load_table, **tables[1].at),
    )
    renames = []
    for source in (tables[1], tables[2]):
        name = lab.name()
        lab.drop_afterwards(table.namespace, name)
        renames.append(
            {
                "body": {
                    "source": source.identifier,
                    "destination": {"namespace": levels, "name": name},
                }
            }
        )
    yield Pair(
        op.rename_table,
        renames[0],
        renames[1],
        200,
        partial(_status, lab, op.load_table, **tables[2].at),
    )
    if lab.offers(op.register_table):
        yield from _pairs_of_registrations(lab, table)
    if lab.offers(op.create_view):
        yield from _pairs_of_views(lab, table)


def _pairs_of_registrations(lab: CatalogLab, table: Table) -> Iterator[Pair]:
    here: Document = {"namespace": table.namespace}
    requests = []
    for _ in range(2):
        former = lab.make_table(table.namespace)
        location = lab.load(former).metadata_location
        if not location or lab.send(op.drop_table, **former.at).status not in {200, 204}:
            return
        lab.drop_afterwards(table.namespace, former.name)
        requests.append({**here, "body": {"name": former.name, "metadata-location": location}})
    there = partial(_status, lab, op.load_table, **here, table=requests[1]["body"]["name"])
    yield Pair(op.register_table, requests[0], requests[1], 404, there)


def _pairs_of_views(lab: CatalogLab, table: Table) -> Iterator[Pair]:
    here: Document = {"namespace": table.namespace}
    names = [lab.name() for _ in range(2)]
    for name in names:
        lab.add_cleanup(partial(lab.send, op.drop_view, **here, view=name))
    bodies = [{**here, "body": view_request(table.namespace, name)} for name in names]
    yield Pair(
        op.create_view,
        bodies[0],
        bodies[1],
        404,
        partial(_status, lab, op.load_view, **here, view=names[1]),
    )
    view, other = make_view(lab, table.namespace), make_view(lab, table.namespace)
    replacements = [{**view.at, "body": turn_body(to)} for to in ("1", "2")]
    yield Pair(
        op.replace_view, replacements[0], replacements[1], "1", partial(_view_turn, lab, view)
    )
    yield Pair(
        op.drop_view, view.at, other.at, 200, partial(_status, lab, op.load_view, **other.at)
    )


def _turn_of(lab: CatalogLab, table: Table) -> Observation:
    now = lab.load(table)
    return Observation(properties_of(now).get(TURN), now.place("properties", TURN))


def _view_turn(lab: CatalogLab, view: View) -> Observation:
    now = load_view(lab, view)
    return Observation(view_properties_of(now).get(TURN), now.place("properties", TURN))


def _namespace_turn(lab: CatalogLab, table: Table) -> Observation:
    reply = lab.require(lab.send(op.load_namespace_metadata, namespace=table.namespace), 200)
    return Observation(reply.at("properties").get("turn"), reply.place("properties", "turn"))


def _status(lab: CatalogLab, operation: OperationId, **arguments: Any) -> Observation:
    reply = lab.send(operation, **arguments)
    return Observation(reply.status, Place(reply.exchange, "/status"))


@check("IRC-IDEM-013")
def used_keys_run_no_other_operation(lab: CatalogLab) -> None:
    """A request of another operation with a used key changes nothing."""
    every = list(pairs(lab))
    for one, other in lab.each(zip(every, [*every[1:], every[0]], strict=True)):
        key = new_key()
        first = lab.send(one.operation, idempotency_key=key, **one.first)
        if first.status not in {200, 204}:
            continue  # judged by IRC-IDEM-002
        before = other.look()
        definition = lab.contract.operations[other.operation]
        arguments = {name: value for name, value in other.second.items() if name != "body"}
        content = orjson.dumps(other.second["body"]) if "body" in other.second else b""
        # Without its operation: the first answer may be repeated, which is none of this operation.
        headers = [
            ("Idempotency-Key", key),
            *([("Content-Type", "application/json")] if content else []),
        ]
        lab.send_raw(
            definition.method, lab.path(definition, **arguments), headers=headers, content=content
        )
        with lab.judge("IRC-IDEM-013"):
            about = (
                f"what {other.operation} changes, after it was sent with the key of"
                f" {one.operation},"
            )
            after = other.look()
            expect.equal(before.value, after.value, about, at=after.at)


@check("IRC-IDEM-002", "IRC-IDEM-013")
def used_keys_run_no_other_request(lab: CatalogLab) -> None:
    """Another request of the same operation with a used key changes nothing."""
    for pair in lab.each(pairs(lab)):
        key = new_key()
        first = lab.send(pair.operation, idempotency_key=key, **pair.first)
        with lab.judge("IRC-IDEM-002"):
            expect.status(first, 200, 204, about=f"for {pair.operation} with a key of version 7")
        if first.status >= 300:
            continue
        lab.send(pair.operation, idempotency_key=key, **pair.second)
        with lab.judge("IRC-IDEM-013"):
            after = pair.look()
            expect.equal(
                pair.expected,
                after.value,
                f"after another {pair.operation} under a key that was used",
                at=after.at,
            )


@check("IRC-IDEM-012")
def refused_drops_are_repeated(lab: CatalogLab) -> None:
    """Repeating a failed drop with its key returns the same status and drops nothing, after the
    obstacle is gone.
    """
    table, name = lab.make_table(), lab.name()
    missing = partial(
        lab.send, op.drop_table, idempotency_key=new_key(), namespace=table.namespace, table=name
    )
    full = partial(
        lab.send, op.drop_namespace, idempotency_key=new_key(), namespace=table.namespace
    )
    lab.require(missing(), 404)
    lab.require(full(), 409)
    newer = lab.make_table(table.namespace, name=name)

    with lab.judge("IRC-IDEM-012"):
        expect.not_found(missing(), "table", about=f"for dropTable {AGAIN}")
        expect.status(
            lab.send(op.load_table, **newer.at),
            200,
            about="for a table that was not there to be dropped",
        )
    for one in (table, newer):
        lab.require(lab.send(op.drop_table, **one.at), 204, 404)
    with lab.judge("IRC-IDEM-012"):
        expect.status(
            full(),
            409,
            about=f"for dropNamespace {AGAIN}",
            mutation=Wrong.IN_USE("namespace"),
        )
        reply = lab.send(op.load_namespace_metadata, namespace=table.namespace)
        expect.status(reply, 200, about="for a namespace that was not empty")


@check("IRC-IDEM-020")
def views_are_created_and_registered_once(lab: CatalogLab) -> None:
    """Repeating the creation or registration of a view with its key returns 200 with that view."""
    namespace, name = lab.make_namespace(), lab.name()
    lab.add_cleanup(lambda: lab.send(op.drop_view, namespace=namespace, view=name))
    first, again = twice(
        lab, op.create_view, namespace=namespace, body=view_request(namespace, name)
    )
    answers = {op.create_view: (first, again)}
    if lab.offers(op.register_view):
        last, _ = left_behind(lab)
        other = lab.name()
        lab.add_cleanup(lambda: lab.send(op.drop_view, namespace=last.namespace, view=other))
        body = {"name": other, "metadata-location": last.reply.at("metadata-location")}
        answers[op.register_view] = twice(
            lab, op.register_view, namespace=last.namespace, body=body
        )

    with lab.judge_each("IRC-IDEM-020") as case:
        for operation, (before, after) in answers.items():
            with case():
                expect.status(after, 200, about=f"for {operation} {AGAIN}")
                expect.member(
                    before.at("metadata", "view-uuid"),
                    after.place("metadata", "view-uuid"),
                    f"view-uuid of {operation}",
                )


@check("IRC-IDEM-005")
def keys_outlast_other_keys(lab: CatalogLab) -> None:
    """Repeating a commit with its key is not applied again after twelve commits with other keys."""
    table = lab.make_table(properties={TURN: "0"})
    first = partial(
        lab.send, op.update_table, body=turn_body("first"), idempotency_key=new_key(), **table.at
    )
    lab.require(first(), 200)
    for turn in range(BETWEEN):
        lab.require(
            lab.send(
                op.update_table, body=turn_body(str(turn)), idempotency_key=new_key(), **table.at
            ),
            200,
        )
    again = first()

    with lab.judge("IRC-IDEM-005"):
        expect.status(again, 200, about=AGAIN)
        after = lab.load(table)
        expect.equal(
            str(BETWEEN - 1),
            properties_of(after).get(TURN),
            "the property that was changed since,",
            at=after.place("properties", TURN),
        )


@check("IRC-SEC-005")
def keys_grant_no_rights(lab: CatalogLab) -> None:
    """A principal without any rights gets 4xx for another principal's request and key."""
    third = bearing(require_secret(lab, THIRD))
    table = lab.make_table()
    requests: tuple[tuple[OperationId, Document], ...] = (
        (op.update_table, {**table.at, "body": turn_body("1")}),
        (op.create_table, {"namespace": table.namespace, "body": lab.table_request(lab.name())}),
    )
    if lab.send(op.load_table, headers=third, anonymous=True, **table.at).status == 200:
        raise NotOffered(
            "the third principal sees the tables of the first; it should be allowed nothing"
        )
    for operation, arguments in lab.each(requests):
        key = new_key()
        if operation == op.create_table:
            lab.drop_afterwards(table.namespace, arguments["body"]["name"])
        lab.require(lab.send(operation, idempotency_key=key, **arguments), 200)
        reply = lab.send(operation, headers=third, anonymous=True, idempotency_key=key, **arguments)
        with lab.judge("IRC-SEC-005"):
            expect.client_error(reply, mutation=Wrong.ACCESS("principal"))
