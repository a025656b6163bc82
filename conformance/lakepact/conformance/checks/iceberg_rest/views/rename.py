"""Checks of renaming views: the moved view, and conflicts with existing names."""

from __future__ import annotations

from itertools import pairwise

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    NotOffered,
    Wrong,
    check,
    expect,
    op,
)
from lakepact.conformance.checks.iceberg_rest.kit import views
from lakepact.conformance.checks.iceberg_rest.kit.renames import identifier, rename_view
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import (
    expect_no_change as table_unchanged,
)


@check("IRC-VIEW-REN-001")
def renames_move_views(lab: CatalogLab) -> None:
    """Renaming a view returns 204; it loads unchanged by its new name, and the old name returns
    404.
    """
    first = views.make_view(lab, properties={"lakepact.note": "1"})
    view = views.load_view(
        lab,
        views.replace_view(lab, first, *views.next_version(first, "SELECT 2 AS id"))
        if lab.offers(op.replace_view)
        else first,
    )
    names = [view.name, lab.name(), lab.name(), view.name]
    for old, new in lab.each(pairwise(names)):
        reply = rename_view(lab, identifier(view.namespace, old), identifier(view.namespace, new))
        with lab.judge("IRC-VIEW-REN-001"):
            expect.status(reply, 204)
            views.expect_no_change(lab, views.View(view.namespace, new, view.reply))
            expect.not_found(lab.send(op.load_view, namespace=view.namespace, view=old), "view")


@check("IRC-VIEW-REN-002", "IRC-VIEW-REN-007")
def renaming_missing_views_or_tables_returns_404(lab: CatalogLab) -> None:
    """Renaming a missing view, or a table as a view, returns 404 and keeps the table."""
    former = views.make_view(lab)
    lab.require(lab.send(op.drop_view, **former.at))
    table = lab.load(lab.make_table(former.namespace))
    nowhere = (lab.name(),)
    for source in lab.each(
        (
            former.identifier,
            identifier(former.namespace, lab.name()),
            identifier(nowhere, former.name),
        )
    ):
        reply = rename_view(lab, source, identifier(tuple(source["namespace"]), lab.name()))
        with lab.judge("IRC-VIEW-REN-002"):
            expect.not_found(reply, "view")
    new = lab.name()
    lab.drop_afterwards(table.namespace, new)
    reply = rename_view(lab, table.identifier, identifier(table.namespace, new))
    with lab.judge("IRC-VIEW-REN-007"):
        expect.status(reply, 404, mutation=views.TABLE_AS_VIEW)
        table_unchanged(lab, table)


def moves_between_namespaces(lab: CatalogLab) -> bool:
    """Return whether views can be renamed into another namespace, as the user says and as one of
    them shows.
    """
    if not lab.feature("rename-across-namespaces"):
        return False
    return (
        rename_view(
            lab, views.make_view(lab).identifier, identifier(lab.make_namespace(), lab.name())
        ).status
        != 406
    )


@check("IRC-VIEW-REN-003")
def renaming_into_missing_namespaces_returns_404(lab: CatalogLab) -> None:
    """Renaming a view into a missing namespace returns 404 with NoSuchNamespaceException and keeps
    the view.
    """
    if not moves_between_namespaces(lab):
        lab.skip("IRC-VIEW-REN-003", "the target does not rename views into other namespaces")
        return
    view, former = views.load_view(lab, views.make_view(lab)), lab.make_namespace()
    lab.require(lab.send(op.drop_namespace, namespace=former))
    for namespace in lab.each((former, (lab.name(),))):
        for name in lab.each((lab.name(), view.name)):
            reply = rename_view(lab, view.identifier, identifier(namespace, name))
            with lab.judge("IRC-VIEW-REN-003"):
                expect.not_found(reply, "namespace")
                expect.member(
                    "NoSuchNamespaceException", reply.place("error", "type"), "error type"
                )
                views.expect_no_change(lab, view)


@check("IRC-VIEW-REN-004")
def renaming_to_taken_names_returns_409(lab: CatalogLab) -> None:
    """Renaming a view to the name of another view or a table returns 409 and changes none of
    them.
    """
    view = views.load_view(lab, views.make_view(lab))
    other = views.load_view(lab, views.make_view(lab, view.namespace))
    table = lab.load(lab.make_table(view.namespace))
    for existing in lab.each((other.identifier, table.identifier)):
        reply = rename_view(lab, view.identifier, existing)
        with lab.judge("IRC-VIEW-REN-004"):
            expect.status(
                reply,
                409,
                mutation=views.OVER_TABLE
                if existing == table.identifier
                else Wrong.PRESENT("view"),
            )
            views.expect_no_change(lab, view)
            views.expect_no_change(lab, other)
            table_unchanged(lab, table)


@check("IRC-VIEW-REN-005")
def renaming_across_namespaces_returns_204_or_406(lab: CatalogLab) -> None:
    """Renaming a view into another namespace returns 204 and keeps its metadata, or returns 406."""
    view, home = views.load_view(lab, views.make_view(lab)), lab.make_namespace()
    reply = rename_view(lab, view.identifier, identifier(home, view.name))

    with lab.judge("IRC-VIEW-REN-005", remark=f"answered with status {reply.status}"):
        expect.status(reply, 204, 406, mutation=Wrong.VALUE("/destination/namespace"))
        if reply.status == 204:
            views.same_view(lab, view.reply, lab.send(op.load_view, namespace=home, view=view.name))


@check("IRC-NS-DROP-001")
def emptied_namespaces_are_dropped(lab: CatalogLab) -> None:
    """Dropping a namespace returns 204 once its only view was renamed into another one."""
    view, home = views.load_view(lab, views.make_view(lab)), lab.make_namespace()
    if rename_view(lab, view.identifier, identifier(home, view.name)).status != 204:
        raise NotOffered("the target does not rename views into other namespaces")
    reply = lab.send(op.drop_namespace, namespace=view.namespace)

    with lab.judge("IRC-NS-DROP-001"):
        expect.status(reply, 204, about="for a namespace whose only view has moved")
        load = lab.send(op.load_namespace_metadata, namespace=view.namespace)
        expect.not_found(load, "namespace", about="for the namespace afterwards")


@check("IRC-VIEW-REN-006")
def incomplete_renames_return_400(lab: CatalogLab) -> None:
    """A rename without source or destination, or without their namespace or name, returns 400 and
    changes nothing.
    """
    view = views.load_view(lab, views.make_view(lab))
    whole = {"source": view.identifier, "destination": identifier(view.namespace, lab.name())}
    lab.add_cleanup(
        lambda: lab.send(op.drop_view, namespace=view.namespace, view=whole["destination"]["name"])
    )
    cases: dict[str, Document] = {
        f"/{side}": {other: whole[other] for other in whole if other != side} for side in whole
    }
    for side, end in whole.items():
        for member in end:
            part = {key: value for key, value in end.items() if key != member}
            cases[f"/{side}/{member}"] = {**whole, side: part}
    for missing, body in lab.each(cases.items()):
        reply = lab.send(op.rename_view, body=body)
        with lab.judge("IRC-VIEW-REN-006"):
            expect.status(reply, 400, about=f"without {missing}", mutation=Wrong.MISSING(missing))
            views.expect_no_change(lab, view)
