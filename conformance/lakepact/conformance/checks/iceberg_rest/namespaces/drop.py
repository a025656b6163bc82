"""Dropping namespaces: only empty ones, and nothing beside them."""

from __future__ import annotations

from functools import partial

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Namespace,
    Wrong,
    check,
    expect,
    op,
)
from lakepact.conformance.checks.iceberg_rest.kit.concurrency import send_after
from lakepact.conformance.checks.iceberg_rest.kit.dropped import drop_namespace, drop_table
from lakepact.conformance.checks.iceberg_rest.kit.lab import REFUSES_NAMES
from lakepact.conformance.checks.iceberg_rest.kit.namespaces import children, properties_of
from lakepact.conformance.checks.iceberg_rest.kit.renames import rename_table
from lakepact.conformance.checks.iceberg_rest.kit.tables.requests import commit_stage, stage_table

NOT_ACCEPTABLE = 406  #: status of a server that does not drop namespaces with tables
ROUNDS = 40  #: of the race; a server that checks and removes in two steps loses within a few
STEP = 0.0002  #: seconds by which the second request of the race comes later in each round


@check("IRC-NS-DROP-001", "IRC-NS-DROP-002")
def empty_namespaces_are_dropped(lab: CatalogLab) -> None:
    """Dropping an empty namespace returns 204 and removes it; dropping a missing namespace returns
    404.
    """
    top = lab.make_namespace()
    child = lab.child_of(top)
    # A child that cannot be found cannot be dropped, and blocks its parent: then another one is
    # used.
    bare = top if child or not lab.feature("nesting") else lab.make_namespace()

    with lab.judge_each("IRC-NS-DROP-001") as case:
        for namespace, parent in (*([(child, top)] if child else []), (bare, None)):
            with case():
                expect.status(lab.send(op.drop_namespace, namespace=namespace), 204)
                expect.not_found(
                    lab.send(op.load_namespace_metadata, namespace=namespace), "namespace"
                )
                names = children(lab, parent)
                expect.lacks(list(namespace), names, "the list", at=names.at)
    lab.send(op.drop_namespace, namespace=bare)  # should the judgement have ended before
    with lab.judge("IRC-NS-DROP-002"):
        expect.not_found(lab.send(op.drop_namespace, namespace=bare), "namespace")
        expect.not_found(lab.send(op.drop_namespace, namespace=(lab.name(),)), "namespace")


@check("IRC-NS-DROP-001", "IRC-NS-DROP-006")
def emptied_namespaces_are_dropped(lab: CatalogLab) -> None:
    """Dropping a namespace returns 204 once all its tables were dropped or renamed away, and keeps
    those.
    """
    stem = lab.name()
    namespace, sibling = lab.make_namespace(level=stem), lab.make_namespace(level=f"{stem}b")
    lab.make_table(sibling)
    table, other = lab.make_table(namespace), lab.make_table(namespace)
    drop_table(lab, table)
    destination = {"namespace": list(sibling), "name": other.name}
    rename = (
        rename_table(lab, other.identifier, destination) if lab.offers(op.rename_table) else None
    )
    if rename is None or rename.status == NOT_ACCEPTABLE:
        drop_table(lab, other)
    else:
        lab.require(rename)
        with lab.step("IRC-TBL-REN-001"):
            expect.not_found(
                lab.send(op.load_table, **other.at),
                "table",
                about="for the old name of a renamed table",
            )

    with lab.judge("IRC-NS-DROP-001"):
        expect.status(lab.send(op.drop_namespace, namespace=namespace), 204)
        expect.not_found(lab.send(op.load_namespace_metadata, namespace=namespace), "namespace")
    if rename is None or rename.status == NOT_ACCEPTABLE:
        lab.skip("IRC-NS-DROP-006", "the target does not rename tables into other namespaces")
        return
    with lab.judge("IRC-NS-DROP-006"):
        load = lab.send(op.load_table, namespace=sibling, table=other.name)
        expect.status(load, 200, about="for a table that was renamed out of it")


@check("IRC-NS-DROP-003")
def namespaces_with_tables_are_not_dropped(lab: CatalogLab) -> None:
    """Dropping a namespace that holds a table returns 409 and keeps the namespace and the table."""
    table = lab.make_table()
    with lab.step("IRC-TBL-CREATE-001"):
        expect.status(
            lab.send(op.load_table, **table.at), 200, about="for a table that was created"
        )
    reply = lab.send(op.drop_namespace, namespace=table.namespace)

    with lab.judge("IRC-NS-DROP-003"):
        expect.status(reply, 409, mutation=Wrong.PRESENT("table"))
        expect.status(lab.send(op.load_table, **table.at), 200)
        expect.status(lab.send(op.load_namespace_metadata, namespace=table.namespace), 200)


@check("IRC-NS-DROP-005", "IRC-NS-DROP-006")
def namespaces_with_children_are_not_dropped(lab: CatalogLab) -> None:
    """Dropping a namespace that holds only a child namespace returns 409 and keeps the child;
    dropping the child keeps the namespace.
    """
    top = lab.make_namespace()
    child = lab.make_namespace(top, properties={"a": "1"})
    with lab.step("IRC-NS-CREATE-009"):
        below = children(lab, top)
        expect.contains(list(child), below, "children", at=below.at)
    child_loads = lab.send(op.load_namespace_metadata, namespace=child).status == 200
    reply = lab.send(op.drop_namespace, namespace=top)

    with lab.judge("IRC-NS-DROP-005"):
        expect.status(reply, 409, mutation=Wrong.PRESENT("child namespace"))
        below = children(lab, top)
        expect.contains(list(child), below, "children", at=below.at)
        if child_loads:
            expect.member_of(
                properties_of(lab, child),
                "a",
                lab.supported_properties({"a": "1"}).get("a"),
                "property of the child",
            )
    if reply.status == 204:
        lab.skip("IRC-NS-DROP-006", "the parent was dropped before its child")
        return
    lab.require(lab.send(op.drop_namespace, namespace=child))
    with lab.judge("IRC-NS-DROP-006"):
        parent = lab.send(op.load_namespace_metadata, namespace=top)
        expect.status(parent, 200, about="for the parent of a dropped namespace")


@check("IRC-NS-DROP-006", "IRC-NS-ENC-002")
def dropping_a_namespace_keeps_its_siblings(lab: CatalogLab) -> None:
    """Dropping a namespace keeps other namespaces whose names begin with its name."""
    stem = lab.name()
    namespace, siblings = lab.make_namespace(level=stem), [lab.make_namespace(level=f"{stem}b")]
    statuses: dict[Namespace, int] = {}
    for tail in (".b", "_", "%"):
        odd = (f"{stem}{tail}",)
        statuses[odd] = lab.send(op.create_namespace, body={"namespace": list(odd)}).status
        if (
            statuses[odd] == 200
            and lab.send(op.load_namespace_metadata, namespace=odd).status == 200
        ):
            lab.add_cleanup(partial(lab.send, op.drop_namespace, namespace=odd))
            siblings.append(odd)
    table = lab.make_table(siblings[0])
    reply = lab.send(op.drop_namespace, namespace=namespace)
    with_dot = (f"{stem}.b",)
    if statuses[with_dot] in REFUSES_NAMES:
        lab.skip("IRC-NS-ENC-002", "the target refuses names with dots")
    if with_dot in siblings and reply.status in {204, 409}:
        with lab.judge("IRC-NS-ENC-002"):
            expect.status(
                reply,
                204,
                about="for a namespace beside another whose name goes on behind a dot",
            )
    if with_dot in siblings and reply.status == 409:
        siblings.remove(with_dot)
        lab.require(lab.send(op.drop_namespace, namespace=with_dot))
        reply = lab.send(op.drop_namespace, namespace=namespace)
    lab.require(reply)

    with lab.judge("IRC-NS-DROP-006") as case:
        for sibling in siblings:
            with case():
                expect.status(lab.send(op.load_namespace_metadata, namespace=sibling), 200)
        expect.status(lab.send(op.load_table, **table.at), 200)


@check("IRC-NS-DROP-007")
def staged_tables_do_not_keep_their_namespace(lab: CatalogLab) -> None:
    """Dropping a namespace with only a staged table returns 204 or 409; after 204, committing the
    staged table returns 404.
    """
    table = stage_table(lab)
    reply = lab.send(op.drop_namespace, namespace=table.namespace)

    with lab.judge("IRC-NS-DROP-007"):
        expect.status(reply, 204, 409)
        if reply.status == 204:
            expect.not_found(commit_stage(lab, table), "namespace")
            expect.not_found(
                lab.send(op.load_namespace_metadata, namespace=table.namespace), "namespace"
            )


@check("IRC-NS-DROP-008", alone=True)
def concurrent_drops_leave_no_orphaned_table(lab: CatalogLab) -> None:
    """When a table is created while its namespace is dropped, the table does not load if the
    namespace is gone.
    """
    lab.make_table()
    with lab.judge_each("IRC-NS-DROP-008") as case:
        for turn in lab.repeat(ROUNDS):
            with case():
                namespace, name = lab.make_namespace(), lab.name()
                lab.drop_afterwards(namespace, name)
                create = partial(
                    lab.send, op.create_table, namespace=namespace, body=lab.table_request(name)
                )
                drop = partial(lab.send, op.drop_namespace, namespace=namespace)
                # The one that comes a little later meets the other at another moment in each turn.
                first, second = (create, drop) if turn % 2 else (drop, create)
                lab.concurrently([first, partial(send_after, second, turn % ROUNDS * STEP)])
                there = lab.send(op.load_namespace_metadata, namespace=namespace).status == 200
                table = lab.send(op.load_table, namespace=namespace, table=name)
                if not there:
                    expect.not_found(
                        table, "namespace", about="for a table in a namespace that is gone"
                    )


@check("IRC-NS-DROP-009")
def recreated_namespaces_have_no_old_properties(lab: CatalogLab) -> None:
    """A namespace that is dropped and created again has none of its former properties."""
    name = lab.name()
    lab.make_namespace(level=name, properties={"old": "1"})
    drop_namespace(lab, (name,))
    lab.make_namespace(level=name, properties={"new": "1"})

    with lab.judge("IRC-NS-DROP-009"):
        stored = properties_of(lab, (name,))
        expect.lacks("old", stored, "properties", at=stored.place())
        expect.member_of(stored, "new", "1")
