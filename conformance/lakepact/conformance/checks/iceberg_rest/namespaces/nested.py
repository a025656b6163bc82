"""Tables and views of namespaces of several levels: every operation finds them at their path, and
none finds those of the parent there.
"""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Namespace,
    NotOffered,
    OperationId,
    Table,
    check,
    expect,
    op,
    set_properties,
)
from lakepact.conformance.checks.iceberg_rest.kit.listings import names
from lakepact.conformance.checks.iceberg_rest.kit.metrics_reports import scan_report
from lakepact.conformance.checks.iceberg_rest.kit.renames import identifier, rename_view
from lakepact.conformance.checks.iceberg_rest.kit.views import HARMLESS, make_view, same_view
from lakepact.conformance.checks.iceberg_rest.kit.views import create as create_view


def deep(lab: CatalogLab, parent: Namespace) -> Namespace:
    """Return a namespace below another one.

    Raises:
        NotOffered: there is none, which is judged elsewhere.
    """
    child = lab.child_of(parent)
    if child is None:
        raise NotOffered("namespaces of several levels are refused, or not found at their paths")
    return child


@check("IRC-NS-ENC-001")
def operations_find_tables_of_nested_namespaces(lab: CatalogLab) -> None:
    """Every table operation finds a table of a nested namespace at its path."""
    above = lab.make_table()
    namespace, name = deep(lab, above.namespace), lab.name()
    created = lab.try_create_table(namespace, name)
    lab.drop_afterwards(namespace, name)

    with lab.judge("IRC-NS-ENC-001") as case:
        expect.status(created, 200, about="for creating a table two levels deep")
        table = Table(namespace, name, created)
        if lab.offers(op.table_exists):
            expect.status(
                lab.send(op.table_exists, **table.at), 204, 200, about="for a table that is there"
            )
        expect.status(
            lab.try_commit(table, set_properties(lakepact="deep")), 200, about="for a commit to it"
        )
        after = lab.load(table)
        expect.member(
            "deep", after.place("properties", "lakepact"), "the property that was committed,"
        )
        others: dict[OperationId, Document] = {
            op.load_credentials: {},
            op.report_metrics: {"body": scan_report(table)},
            op.plan_table_scan: {"body": {}},
        }
        for operation, arguments in others.items():
            # Whether these are done is judged elsewhere; here, that the table is not missed.
            if lab.offers(operation) and lab.send(operation, **arguments, **above.at).status != 404:
                with case():
                    reply = lab.send(operation, **arguments, **table.at)
                    expect.serves(
                        reply,
                        reply.status != 404,
                        f"another status than 404 for {operation} of a table that is there",
                    )


@check("IRC-NS-ENC-001")
def tables_are_registered_in_nested_namespaces(lab: CatalogLab) -> None:
    """Registering a table in a nested namespace does not return 404."""
    former = lab.load(lab.make_table())
    namespace = deep(lab, former.namespace)
    if lab.send(op.drop_table, **former.at).status not in {200, 204}:
        raise NotOffered("the target drops no table without its files")
    body = {"name": former.name, "metadata-location": former.reply.at("metadata-location")}
    again = lab.send(op.register_table, namespace=former.namespace, body=body)
    with lab.step("IRC-TBL-DROP-003"):
        expect.status(again, 200, about="for registering the metadata file of a dropped table")
    lab.require(lab.send(op.drop_table, **former.at))
    reply = lab.send(op.register_table, namespace=namespace, body=body)
    lab.drop_afterwards(namespace, former.name)

    with lab.judge("IRC-NS-ENC-001"):
        expect.serves(
            reply,
            reply.status != 404,
            "another status than 404 for registering a table two levels deep",
        )


@check("IRC-NS-ENC-001", "IRC-VIEW-LOAD-005", "IRC-VIEW-REN-001", "IRC-VIEW-LOAD-007")
def operations_find_views_of_nested_namespaces(lab: CatalogLab) -> None:
    """Every view operation succeeds for a view of a nested namespace at its path, from create to
    drop.
    """
    above = make_view(lab)
    namespace, name, new = deep(lab, above.namespace), lab.name(), lab.name()
    at: Document = {"namespace": namespace, "view": name}
    created = create_view(lab, namespace, name)
    with lab.judge("IRC-NS-ENC-001"):
        expect.status(created, 200, about="for creating a view two levels deep")
        expect.status(lab.send(op.load_view, **at), 200, about="for loading it")
        if lab.offers(op.list_views):
            after = lab.send(op.list_views, namespace=namespace)
            expect.equal([name], names(after), "names of views", at=after.place("identifiers"))
        if lab.offers(op.replace_view):
            body = {"requirements": [], "updates": [HARMLESS]}
            expect.status(lab.send(op.replace_view, body=body, **at), 200, about="for replacing it")
    lab.require(created, 200)
    lab.require(lab.send(op.load_view, **at), 200)
    if lab.offers(op.view_exists):
        with lab.judge("IRC-VIEW-LOAD-005"):
            expect.status(lab.send(op.view_exists, **at), 204, about="for a view two levels deep")
    else:
        lab.skip("IRC-VIEW-LOAD-005", "the target does not tell whether a view exists")
    if lab.offers(op.rename_view):
        reply = rename_view(lab, identifier(namespace, name), identifier(namespace, new))
        with lab.judge("IRC-VIEW-REN-001"):
            expect.status(reply, 204, about="for renaming a view two levels deep")
            expect.status(
                lab.send(op.load_view, namespace=namespace, view=new), 200, about="for its new name"
            )
            expect.not_found(lab.send(op.load_view, **at), "view", about="for its old name")
            at = {"namespace": namespace, "view": new}
    else:
        lab.skip("IRC-VIEW-REN-001", "the target does not rename views")
    with lab.judge("IRC-VIEW-LOAD-007"):
        expect.status(
            lab.send(op.drop_view, **at), 204, about="for dropping a view two levels deep"
        )
        expect.not_found(lab.send(op.load_view, **at), "view", about="for it afterwards")


@check("IRC-VIEW-REN-001")
def renaming_views_across_namespaces_keeps_metadata(lab: CatalogLab) -> None:
    """Renaming a view into another namespace returns 204, keeps its metadata, and its old name
    returns 404.
    """
    view = make_view(lab)
    homes = [lab.make_namespace()]
    child = lab.child_of(homes[0])
    moves, before, at = 0, lab.require(lab.send(op.load_view, **view.at), 200), view.identifier
    homes += [child] if child else []
    for home in lab.each(homes):
        to = identifier(home, view.name)
        reply = rename_view(lab, at, to)
        if 400 <= reply.status < 500:
            continue  # a server that does not move views refuses it
        moves += 1
        with lab.judge("IRC-VIEW-REN-001"):
            expect.status(reply, 204)
            there = lab.send(op.load_view, namespace=home, view=view.name)
            expect.status(there, 200, about="for the view in its new namespace")
            same_view(lab, before, there)
            former = lab.send(op.load_view, namespace=tuple(at["namespace"]), view=view.name)
            expect.not_found(former, "view", about="for the view where it was")
            at = to
    if not moves:
        lab.skip("IRC-VIEW-REN-001", "the target does not rename views into other namespaces")


@check(
    "IRC-VIEW-LOAD-002",
    "IRC-VIEW-LOAD-005",
    "IRC-VIEW-LOAD-008",
    "IRC-TBL-DROP-002",
    "IRC-TBL-HEAD-002",
)
def parent_tables_and_views_return_404_in_children(lab: CatalogLab) -> None:
    """Tables and views of a namespace are not found in its child: loading, checking and dropping
    them there returns 404.
    """
    table = lab.make_table()
    namespace, parent = deep(lab, table.namespace), table.namespace
    below: Document = {"namespace": namespace, "table": table.name}
    if lab.offers(op.table_exists):
        with lab.judge("IRC-TBL-HEAD-002"):
            expect.not_found(
                lab.send(op.table_exists, **below), "table", about="below the namespace of a table"
            )
    else:
        lab.skip("IRC-TBL-HEAD-002", f"the target does not declare {op.table_exists}")
    if lab.offers(op.drop_table):
        purge_values = lab.ways_to_drop()
        with lab.judge("IRC-TBL-DROP-002"):
            reply = lab.send(op.drop_table, purge_requested=purge_values[0], **below)
            expect.not_found(reply, "table", about="for dropping a table below its namespace")
            expect.status(
                lab.send(op.load_table, **table.at), 200, about="for the table afterwards"
            )
    if not lab.offers(op.create_view):
        for requirement in ("IRC-VIEW-LOAD-002", "IRC-VIEW-LOAD-005", "IRC-VIEW-LOAD-008"):
            lab.skip(requirement, "the target has no views")
        return
    view = make_view(lab, parent)
    at: Document = {"namespace": namespace, "view": view.name}
    with lab.judge("IRC-VIEW-LOAD-002"):
        expect.not_found(
            lab.send(op.load_view, **at), "view", about="for loading a view below its namespace"
        )
    if lab.offers(op.view_exists):
        with lab.judge("IRC-VIEW-LOAD-005"):
            expect.not_found(
                lab.send(op.view_exists, **at), "view", about="below the namespace of a view"
            )
    else:
        lab.skip("IRC-VIEW-LOAD-005", f"the target does not declare {op.view_exists}")
    with lab.judge("IRC-VIEW-LOAD-008"):
        expect.not_found(
            lab.send(op.drop_view, **at), "view", about="for dropping a view below its namespace"
        )
        expect.status(lab.send(op.load_view, **view.at), 200, about="for the view afterwards")
