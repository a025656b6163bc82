"""Checks of renaming views: what moves, and what is in the way."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from lakepact.conformance import expect
from lakepact.conformance.checks.iceberg_rest.kit.renames import identifier, rename_view
from lakepact.conformance.checks.iceberg_rest.kit.table_states import unchanged as table_unchanged
from lakepact.conformance.checks.iceberg_rest.kit.views import View, loaded, made, next_version, replaced, same_view, unchanged
from lakepact.conformance.checks.iceberg_rest.suite import check
from lakepact.conformance.outcome import NotOffered
from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab


@check("IRC-VIEW-REN-001")
def renamed_views_move(lab: CatalogLab) -> None:
    """A renamed view is loaded by its new name as it was by the old one, by which there is none any more; and so back again."""
    first = made(lab, properties={"lakepact.note": "1"})
    view = loaded(lab, replaced(lab, first, *next_version(first, "SELECT 2 AS id")) if lab.offers(op.replace_view) else first)
    names = [view.name, lab.name(), lab.name(), view.name]
    for old, new in pairwise(names):
        reply = rename_view(lab, identifier(view.namespace, old), identifier(view.namespace, new))
        with lab.judge("IRC-VIEW-REN-001"):
            expect.status(reply, 204)
            unchanged(lab, View(view.namespace, new, view.reply))
            expect.status(lab.send(op.load_view, namespace=view.namespace, view=old), 404)


@check("IRC-VIEW-REN-002", "IRC-VIEW-REN-007")
def only_views_are_renamed(lab: CatalogLab) -> None:
    """Neither what is not there nor a table can be renamed as a view, and the table keeps its name."""
    gone = made(lab)
    lab.require(lab.send(op.drop_view, **gone.at))
    table = lab.load(lab.make_table(gone.namespace))
    nowhere = (lab.name(),)
    for source in (gone.identifier, identifier(gone.namespace, lab.name()), identifier(nowhere, gone.name)):
        reply = rename_view(lab, source, identifier(tuple(source["namespace"]), lab.name()))
        with lab.judge("IRC-VIEW-REN-002"):
            expect.status(reply, 404)
    new = lab.name()
    lab.drop_afterwards(table.namespace, new)
    reply = rename_view(lab, table.identifier, identifier(table.namespace, new))
    with lab.judge("IRC-VIEW-REN-007"):
        expect.status(reply, 404)
        table_unchanged(lab, table)


def moves_between_namespaces(lab: CatalogLab) -> bool:
    """Return whether views can be renamed into another namespace, as the user says and as one of them shows."""
    if not lab.feature("rename-across-namespaces"):
        return False
    return rename_view(lab, made(lab).identifier, identifier(lab.make_namespace(), lab.name())).status != 406


@check("IRC-VIEW-REN-003")
def views_do_not_move_into_nothing(lab: CatalogLab) -> None:
    """A view cannot be renamed into a namespace that does not exist, and it stays where it is."""
    if not moves_between_namespaces(lab):
        lab.skip("IRC-VIEW-REN-003", "the target does not rename views into other namespaces")
        return
    view, gone = loaded(lab, made(lab)), lab.make_namespace()
    lab.require(lab.send(op.drop_namespace, namespace=gone))
    for namespace in (gone, (lab.name(),)):
        for name in (lab.name(), view.name):
            reply = rename_view(lab, view.identifier, identifier(namespace, name))
            with lab.judge("IRC-VIEW-REN-003"):
                expect.status(reply, 404)
                expect.equal("NoSuchNamespaceException", reply.at("error", "type"), "error type")
                unchanged(lab, view)


@check("IRC-VIEW-REN-004")
def taken_names_stay_with_whom_they_are(lab: CatalogLab) -> None:
    """A view cannot be renamed to the name of another view or of a table, and all of them stay what they are."""
    view = loaded(lab, made(lab))
    other, table = loaded(lab, made(lab, view.namespace)), lab.load(lab.make_table(view.namespace))
    for taken in (other.identifier, table.identifier):
        reply = rename_view(lab, view.identifier, taken)
        with lab.judge("IRC-VIEW-REN-004"):
            expect.status(reply, 409)
            unchanged(lab, view)
            unchanged(lab, other)
            table_unchanged(lab, table)


@check("IRC-VIEW-REN-005")
def moves_between_namespaces_are_noted(lab: CatalogLab) -> None:
    """Whether a view can be renamed into another namespace is noted; where it is moved, it is there as it was."""
    view, home = loaded(lab, made(lab)), lab.make_namespace()
    reply = rename_view(lab, view.identifier, identifier(home, view.name))

    with lab.judge("IRC-VIEW-REN-005", remark=f"answered with status {reply.status}"):
        expect.status(reply, 204, 406)
        if reply.status == 204:
            same_view(lab, view.reply, lab.send(op.load_view, namespace=home, view=view.name))


@check("IRC-NS-DROP-001")
def namespaces_whose_views_moved_are_empty(lab: CatalogLab) -> None:
    """A namespace can be dropped once its only view was renamed into another one."""
    view, home = loaded(lab, made(lab)), lab.make_namespace()
    if rename_view(lab, view.identifier, identifier(home, view.name)).status != 204:
        raise NotOffered("the target does not rename views into other namespaces")
    reply = lab.send(op.drop_namespace, namespace=view.namespace)

    with lab.judge("IRC-NS-DROP-001"):
        expect.status(reply, 204, about="for a namespace whose only view has moved")
        expect.status(lab.send(op.load_namespace_metadata, namespace=view.namespace), 404, about="for the namespace afterwards")


@check("IRC-VIEW-REN-006")
def incomplete_renames_are_refused(lab: CatalogLab) -> None:
    """A request that does not say what is renamed, or to what, is refused, and nothing is renamed."""
    view = loaded(lab, made(lab))
    whole = {"source": view.identifier, "destination": identifier(view.namespace, lab.name())}
    lab.add_cleanup(lambda: lab.send(op.drop_view, namespace=view.namespace, view=whole["destination"]["name"]))
    cases: dict[str, dict[str, Any]] = {f"no {side}": {other: whole[other] for other in whole if other != side} for side in whole}
    for side, named in whole.items():
        for member in named:
            part = {key: value for key, value in named.items() if key != member}
            cases[f"a {side} without {member}"] = {**whole, side: part}
    for wrong, body in cases.items():
        reply = lab.send(op.rename_view, body=body)
        with lab.judge("IRC-VIEW-REN-006"):
            expect.status(reply, 400, about=f"for {wrong}")
            unchanged(lab, view)
