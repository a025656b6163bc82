"""Checks of requests that are repeated with their Idempotency-Key: the answer is the same, and
nothing else happens.

A repeated request has the same bytes. Checks compare only the members of the second answer that the
contract fixes: its status and its object.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import orjson

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    OperationId,
    Reply,
    Table,
    Wrong,
    expect,
    op,
    set_properties,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.registration import (
    left_behind,
    location_of,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import properties_of
from lakepact.conformance.checks.iceberg_rest.kit.views import load_view, make_view, replace_view
from lakepact.conformance.checks.iceberg_rest.kit.views import properties_of as view_properties_of
from lakepact.conformance.checks.iceberg_rest.v1_11_0.keys import new_key
from lakepact.conformance.checks.iceberg_rest.v1_11_0.suite import LIFETIME, check

DURATION = re.compile(
    r"P(?!$)(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?(?:T(?!$)(?:\d+H)?(?:\d+M)?(?:\d+(?:[.,]\d+)?S)?)?"
)
AT_ONCE = 8
AGAIN = "when repeated with its key"
TURN = "lakepact.turn"


@check("IRC-IDEM-001")
def lifetimes_are_durations(lab: CatalogLab) -> None:
    """`idempotency-key-lifetime` is an ISO 8601 duration."""
    config = lab.send(op.get_config, warehouse=lab.target.parameters.get("warehouse"))
    lifetime = config.document.get(LIFETIME)

    with lab.judge("IRC-IDEM-001"):
        sound = isinstance(lifetime, str) and DURATION.fullmatch(lifetime) is not None
        expect.true(
            sound, "an ISO 8601 duration such as PT30M", lifetime, at=config.place(LIFETIME)
        )


@check("IRC-IDEM-002", "IRC-IDEM-003", "IRC-IDEM-010")
def namespaces_are_created_and_dropped_once(lab: CatalogLab) -> None:
    """Repeating the creation or drop of a namespace with its key returns the same response."""
    namespace = (lab.name(),)
    lab.add_cleanup(lambda: lab.send(op.drop_namespace, namespace=namespace))
    creating, dropping = new_key(), new_key()
    body = {"namespace": list(namespace), "properties": {"note": "once"}}
    first = lab.send(op.create_namespace, body=body, idempotency_key=creating)
    with lab.judge("IRC-IDEM-002"):
        expect.status(first, 200, about="with a key of version 7")
        expect.member(list(namespace), first.place("namespace"))
    lab.require(first, 200)
    again = lab.send(op.create_namespace, body=body, idempotency_key=creating)
    with lab.judge("IRC-IDEM-003"):
        expect.status(again, 200, about=AGAIN)
        expect.member(list(namespace), again.place("namespace"))

    lab.require(lab.send(op.drop_namespace, namespace=namespace, idempotency_key=dropping), 204)
    lab.send(op.create_namespace, body=body, idempotency_key=creating)
    with lab.judge("IRC-IDEM-003"):
        expect.not_found(lab.send(op.load_namespace_metadata, namespace=namespace), "namespace")
    second_drop = lab.send(op.drop_namespace, namespace=namespace, idempotency_key=dropping)
    with lab.judge("IRC-IDEM-010"):
        expect.status(second_drop, 204, about=AGAIN)
        expect.not_found(lab.send(op.load_namespace_metadata, namespace=namespace), "namespace")


@check("IRC-IDEM-011")
def properties_are_updated_once(lab: CatalogLab) -> None:
    """Repeating a property update with its key returns 200 and does not undo later changes."""
    namespace = lab.make_namespace(properties={"turn": "0"})
    key = new_key()
    lab.require(
        lab.send(
            op.update_properties,
            namespace=namespace,
            body={"updates": {"turn": "1"}},
            idempotency_key=key,
        ),
        200,
    )
    lab.require(
        lab.send(op.update_properties, namespace=namespace, body={"updates": {"turn": "2"}}), 200
    )
    again = lab.send(
        op.update_properties,
        namespace=namespace,
        body={"updates": {"turn": "1"}},
        idempotency_key=key,
    )

    with lab.judge("IRC-IDEM-011"):
        expect.status(again, 200, about=AGAIN)
        now = lab.send(op.load_namespace_metadata, namespace=namespace)
        turn = now.at("properties").get("turn")
        expect.equal(
            "2", turn, "the property that was changed since,", at=now.place("properties", "turn")
        )


@check("IRC-IDEM-004", "IRC-IDEM-014")
def tables_are_created_once(lab: CatalogLab) -> None:
    """Repeating the creation of a table with its key returns that table, and creates none once it
    was dropped; another key returns 409.
    """
    namespace, name, key = lab.make_namespace(), lab.name(), new_key()
    body = lab.table_request(name)
    lab.drop_afterwards(namespace, name)
    first = lab.require(
        lab.send(op.create_table, namespace=namespace, body=body, idempotency_key=key), 200
    )
    again = lab.send(op.create_table, namespace=namespace, body=body, idempotency_key=key)
    other = lab.send(op.create_table, namespace=namespace, body=body, idempotency_key=new_key())

    with lab.judge("IRC-IDEM-004"):
        expect.status(again, 200, about=AGAIN)
        expect.member(first.at("metadata", "table-uuid"), again.place("metadata", "table-uuid"))
    with lab.judge("IRC-IDEM-014"):
        expect.status(other, 409, about="with another key", mutation=Wrong.PRESENT("table"))
    lab.drop_table(namespace=namespace, table=name)
    lab.send(op.create_table, namespace=namespace, body=body, idempotency_key=key)
    with lab.judge("IRC-IDEM-004"):
        expect.not_found(lab.send(op.load_table, namespace=namespace, table=name), "table")


def adding(lab: CatalogLab, table: Table) -> Document:
    """Return a commit that adds a snapshot, which a table accepts once, and changes a property."""
    return {
        "requirements": [],
        "updates": [
            {"action": "add-snapshot", "snapshot": lab.snapshot(table)},
            set_properties(**{TURN: "1"}),
        ],
    }


def _expect_snapshots(table: Table, count: int) -> None:
    snapshots = table.metadata.get("snapshots") or ()
    expect.equal(count, len(snapshots), "the number of snapshots", at=table.place("snapshots"))


@check("IRC-IDEM-005", "IRC-IDEM-014")
def commits_are_applied_once(lab: CatalogLab) -> None:
    """Repeating a commit with its key returns 200 and changes nothing, also after later commits;
    another key commits again.
    """
    table = lab.make_table(properties={TURN: "0"})
    key, body = new_key(), adding(lab, table)
    lab.require(lab.send(op.update_table, body=body, idempotency_key=key, **table.at), 200)
    lab.commit(table, set_properties(**{TURN: "2"}))
    again = lab.send(op.update_table, body=body, idempotency_key=key, **table.at)
    after = lab.load(table)

    with lab.judge("IRC-IDEM-005"):
        expect.status(again, 200, about=AGAIN)
        expect.member("2", after.place("properties", TURN), "the property that was changed since,")
        _expect_snapshots(after, 1)
    for turn in lab.each(("3", "4", "3")):
        one = {"requirements": [], "updates": [set_properties(**{TURN: turn})]}
        reply = lab.send(op.update_table, body=one, idempotency_key=new_key(), **table.at)
        with lab.judge("IRC-IDEM-014"):
            expect.status(reply, 200, about="with a key of its own")
            answer = lab.load(table)
            expect.equal(
                turn,
                properties_of(answer).get(TURN),
                "the property after a commit with a key of its own,",
                at=answer.place("properties", TURN),
            )


@check("IRC-IDEM-006")
def transactions_are_applied_once(lab: CatalogLab) -> None:
    """Repeating a transaction with its key returns 204 and changes none of its tables."""
    namespace = lab.make_namespace()
    tables = [lab.make_table(namespace, properties={TURN: "0"}) for _ in range(2)]
    key = new_key()
    body = {
        "table-changes": [
            {"identifier": table.identifier, **adding(lab, table)} for table in tables
        ]
    }
    lab.require(lab.send(op.commit_transaction, body=body, idempotency_key=key), 204)
    lab.commit(tables[0], set_properties(**{TURN: "2"}))
    again = lab.send(op.commit_transaction, body=body, idempotency_key=key)

    with lab.judge("IRC-IDEM-006") as case:
        expect.status(again, 204, about=AGAIN)
        for table, turn in zip(tables, ("2", "1"), strict=True):
            with case():
                after = lab.load(table)
                expect.equal(
                    turn,
                    properties_of(after).get(TURN),
                    f"the property of {table.name}",
                    at=after.place("properties", TURN),
                )
                _expect_snapshots(after, 1)


@check("IRC-IDEM-007", "IRC-IDEM-008")
def tables_are_dropped_once(lab: CatalogLab) -> None:
    """Repeating a drop with its key returns 204 and keeps a new table of that name."""
    table, key = lab.make_table(), new_key()
    lab.require(lab.send(op.drop_table, idempotency_key=key, **table.at), 204)
    again = lab.send(op.drop_table, idempotency_key=key, **table.at)
    with lab.judge("IRC-IDEM-007"):
        expect.status(again, 204, about=AGAIN)

    newer = lab.make_table(table.namespace, name=table.name)
    late = lab.send(op.drop_table, idempotency_key=key, **table.at)
    with lab.judge("IRC-IDEM-008"):
        expect.no_server_error(late)
        after = lab.send(op.load_table, **newer.at)
        expect.status(after, 200)
        expect.member(
            newer.uuid, after.place("metadata", "table-uuid"), "table-uuid of the newer table"
        )


@check("IRC-IDEM-009")
def tables_are_renamed_once(lab: CatalogLab) -> None:
    """Repeating a rename with its key returns 204, although the old name is gone."""
    table, key, name = lab.make_table(), new_key(), lab.name()
    body = {
        "source": table.identifier,
        "destination": {"namespace": list(table.namespace), "name": name},
    }
    lab.drop_afterwards(table.namespace, name)
    lab.require(lab.send(op.rename_table, body=body, idempotency_key=key), 204)
    again = lab.send(op.rename_table, body=body, idempotency_key=key)

    with lab.judge("IRC-IDEM-009"):
        expect.status(again, 204, about=AGAIN)
        expect.status(
            lab.send(op.load_table, namespace=table.namespace, table=name),
            200,
            about="for the new name",
        )


@check("IRC-IDEM-012")
def conflicts_are_repeated(lab: CatalogLab) -> None:
    """Repeating a request that returned 409 with its key returns 409 and creates nothing; a new key
    creates the table.
    """
    table, key = lab.make_table(), new_key()
    body = lab.table_request(table.name)
    create = partial(lab.send, op.create_table, namespace=table.namespace, body=body)
    lab.require(create(idempotency_key=key), 409)
    lab.drop_table(**table.at)
    again = create(idempotency_key=key)

    with lab.judge("IRC-IDEM-012"):
        expect.status(again, 409, about=AGAIN, mutation=Wrong.PRESENT("table"))
        expect.not_found(
            lab.send(op.table_exists if lab.offers(op.table_exists) else op.load_table, **table.at),
            "table",
        )
        expect.status(create(idempotency_key=new_key()), 200, about="with a key of its own")


@check("IRC-IDEM-013")
def keys_create_only_one_object(lab: CatalogLab) -> None:
    """A key that created a namespace creates no other namespace and no table."""
    namespace, key = (lab.name(),), new_key()
    others = (lab.name(),)
    for one in (namespace, others):
        lab.add_cleanup(partial(lab.send, op.drop_namespace, namespace=one))
    lab.require(
        lab.send(op.create_namespace, body={"namespace": list(namespace)}, idempotency_key=key), 200
    )
    lab.send(op.create_namespace, body={"namespace": list(others)}, idempotency_key=key)
    name = lab.name()
    lab.drop_afterwards(namespace, name)
    # Without its operation: a server may repeat the first answer, which holds no table.
    headers = [("Content-Type", "application/json"), ("Idempotency-Key", key)]
    lab.send_raw(
        "POST",
        lab.path(op.create_table, namespace=namespace),
        headers=headers,
        content=orjson.dumps(lab.table_request(name)),
    )

    with lab.judge("IRC-IDEM-013"):
        expect.not_found(
            lab.send(op.load_namespace_metadata, namespace=others),
            "namespace",
            about="of a second request",
        )
        expect.not_found(
            lab.send(op.load_table, namespace=namespace, table=name),
            "table",
            about="for that of a third request",
        )


@check("IRC-IDEM-015", alone=True)
def concurrent_equal_commits_are_applied_once(lab: CatalogLab) -> None:
    """Of many concurrent commits with one key, one is applied; the others return 200, or a status
    to retry.
    """
    table = lab.make_table()
    for _ in lab.each(range(3)):
        key, body = new_key(), adding(lab, lab.load(table))
        before = len(lab.load(table).metadata.get("snapshots") or ())
        replies = lab.concurrently(
            [partial(lab.send, op.update_table, body=body, idempotency_key=key, **table.at)]
            * AT_ONCE
        )
        after = lab.load(table)

        with lab.judge("IRC-IDEM-015") as case:
            for reply in replies:
                with case():
                    expect.status(
                        reply,
                        200,
                        409,
                        425,
                        429,
                        503,
                        mutation=Wrong.PRESENT(
                            "request with this key",
                            "with the idempotency key of another request",
                        ),
                    )
            expect.true(
                any(reply.status == 200 for reply in replies),
                "one answer of 200",
                [reply.status for reply in replies],
                at=None,
            )
            _expect_snapshots(after, before + 1)


@check("IRC-IDEM-016")
def views_are_changed_once(lab: CatalogLab) -> None:
    """Repeating the replacement, rename or drop of a view with its key returns the same status and
    changes nothing.
    """
    view, key, name = make_view(lab), new_key(), lab.name()
    lab.add_cleanup(lambda: lab.send(op.drop_view, namespace=view.namespace, view=name))
    replacing = partial(
        lab.send,
        op.replace_view,
        body={"requirements": [], "updates": [set_properties(**{TURN: "1"})]},
        **view.at,
    )
    renaming = {
        "source": view.identifier,
        "destination": {"namespace": list(view.namespace), "name": name},
    }
    lab.require(replacing(idempotency_key=key), 200)
    replace_view(lab, view, set_properties(**{TURN: "2"}))
    again = replacing(idempotency_key=key)
    now = load_view(lab, view)
    steps = {
        op.rename_view: twice(lab, op.rename_view, body=renaming),
        op.drop_view: twice(lab, op.drop_view, namespace=view.namespace, view=name),
    }

    with lab.judge("IRC-IDEM-016") as case:
        expect.status(again, 200, about=f"for replaceView {AGAIN}")
        turn = view_properties_of(now).get(TURN)
        expect.equal(
            "2", turn, "the property that was changed since,", at=now.place("properties", TURN)
        )
        for operation, (first, second) in steps.items():
            with case():
                expect.status(second, first.status, about=f"for {operation} {AGAIN}")


def twice(lab: CatalogLab, operation: OperationId, **arguments: Any) -> tuple[Reply, Reply]:
    """Return the answers to a request and to the same again, under one key.

    Raises:
        Blocked: the first one is refused.
    """
    key = new_key()
    first = lab.require(lab.send(operation, idempotency_key=key, **arguments))
    return first, lab.send(operation, idempotency_key=key, **arguments)


@check("IRC-IDEM-017")
def tables_are_registered_once(lab: CatalogLab) -> None:
    """Repeating a registration with its key returns 200 with that table."""
    last = left_behind(lab, lab.make_table())
    name = lab.name()
    lab.drop_afterwards(last.namespace, name)
    first, again = twice(
        lab, op.register_table, namespace=last.namespace, body=registration(name, last)
    )

    with lab.judge("IRC-IDEM-017"):
        expect.status(again, 200, about=AGAIN)
        expect.member(first.at("metadata", "table-uuid"), again.place("metadata", "table-uuid"))


def registration(name: str, table: Table) -> Document:
    """Return a body that registers the metadata file of a table under a name."""
    return {"name": name, "metadata-location": location_of(table)}
