"""Checks of renaming tables: what moves, what is in the way, and who wins."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from lakepact.conformance import expect
from lakepact.conformance.checks.iceberg_rest.kit.concurrency import ROUNDS, side_by_side, sole_winner
from lakepact.conformance.checks.iceberg_rest.kit.lab import Table
from lakepact.conformance.checks.iceberg_rest.kit.renames import identifier, rename_table
from lakepact.conformance.checks.iceberg_rest.kit.table_states import BOOKKEEPING, assert_same_table, unchanged
from lakepact.conformance.checks.iceberg_rest.suite import check
from lakepact.conformance.checks.iceberg_rest.tables.register import grown
from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Namespace


def renamed(lab: CatalogLab, table: Table, name: str, *, namespace: Namespace | None = None) -> Table:
    """Return the table as it is loaded by its new name.

    Raises:
        Blocked: it cannot be renamed.
    """
    home = namespace or table.namespace
    lab.require(rename_table(lab, table.identifier, identifier(home, name)))
    return Table(home, name, lab.require(lab.send(op.load_table, namespace=home, table=name), 200))


def moves_between_namespaces(lab: CatalogLab) -> bool:
    """Return whether tables can be renamed into another namespace, as the user says and as one of them shows."""
    if not lab.feature("rename-across-namespaces"):
        return False
    table = lab.make_table()
    return rename_table(lab, table.identifier, identifier(lab.make_namespace(), lab.name())).status != 406


def is_at(lab: CatalogLab, before: Table, namespace: Namespace, name: str) -> None:
    """A table is loaded by this name, as it was and from where it was, with all its history.

    Raises:
        Unmet: it is not.
    """
    reply = lab.send(op.load_table, namespace=namespace, table=name)
    expect.status(reply, 200)
    after = Table(namespace, name, reply)
    expect.equal(before.uuid, after.uuid, "the UUID from before,")
    expect.equal(before.metadata_location, after.metadata_location, "the metadata-location from before,")
    assert_same_table(lab, before, after, ignore=BOOKKEEPING)


def is_nowhere(lab: CatalogLab, namespace: Namespace, name: str) -> None:
    """No table is loaded by this name.

    Raises:
        Unmet: one is.
    """
    expect.status(lab.send(op.load_table, namespace=namespace, table=name), 404)


@check("IRC-TBL-REN-001")
def renamed_tables_move(lab: CatalogLab) -> None:
    """A renamed table is loaded by its new name as it was by the old one, by which there is none any more; and so back again."""
    dropped = lab.make_table()
    lab.drop_table(**dropped.at)
    first, second = lab.name(), lab.name()
    full = grown(lab, lab.make_table(dropped.namespace))
    full = lab.commit(full, {"action": "add-snapshot", "snapshot": lab.snapshot(full)})  # one that no ref names
    for table, free in ((lab.make_table(dropped.namespace), dropped.name), (full, lab.name())):
        before = lab.load(table)
        names = (table.name, first, second, table.name, free)
        for old, new in pairwise(names):
            reply = rename_table(lab, identifier(table.namespace, old), identifier(table.namespace, new))
            with lab.judge("IRC-TBL-REN-001"):
                expect.status(reply, 204)
                is_at(lab, before, table.namespace, new)
                is_nowhere(lab, table.namespace, old)


@check("IRC-TBL-REN-002")
def missing_tables_are_not_renamed(lab: CatalogLab) -> None:
    """Renaming returns 404 for a table that never existed, was dropped, or was renamed."""
    home = lab.make_namespace()
    dropped, moved = lab.make_table(home), lab.make_table(home)
    lab.drop_table(**dropped.at)
    renamed(lab, moved, lab.name())
    for name in (lab.name(), dropped.name, moved.name):
        reply = rename_table(lab, identifier(home, name), identifier(home, lab.name()))
        with lab.judge("IRC-TBL-REN-002"):
            expect.status(reply, 404)
    nowhere = (lab.name(),)
    reply = rename_table(lab, identifier(nowhere, lab.name()), identifier(nowhere, lab.name()))
    with lab.judge("IRC-TBL-REN-002"):
        expect.status(reply, 404)


@check("IRC-TBL-REN-003")
def tables_do_not_move_into_nothing(lab: CatalogLab) -> None:
    """A table cannot be renamed into a namespace that does not exist, and it stays where it is."""
    table = lab.load(grown(lab, lab.make_table()))
    dropped = lab.make_namespace()
    lab.require(lab.send(op.drop_namespace, namespace=dropped))
    missing = [(lab.name(),), dropped]
    if lab.feature("nesting"):
        missing += [(*table.namespace, lab.name()), (lab.name(), table.namespace[-1])]
    if not moves_between_namespaces(lab):
        lab.skip("IRC-TBL-REN-003", "the target does not rename tables into other namespaces")
        return
    for namespace in missing:
        for name in (lab.name(), table.name):
            reply = rename_table(lab, table.identifier, identifier(namespace, name))
            with lab.judge("IRC-TBL-REN-003"):
                expect.status(reply, 404)
                expect.equal("NoSuchNamespaceException", reply.at("error", "type"), "error type")
                unchanged(lab, table)


@check("IRC-TBL-REN-004")
def existing_tables_are_not_replaced(lab: CatalogLab) -> None:
    """A table cannot be renamed to the name of another, and both stay what they are."""
    table = lab.load(grown(lab, lab.make_table()))
    others = [lab.load(lab.make_table(table.namespace)), lab.load(lab.append(lab.make_table(table.namespace)))]
    if moves_between_namespaces(lab):
        home = lab.make_namespace()
        others += [lab.load(lab.make_table(home)), lab.load(lab.make_table(home, name=table.name))]
    for other in others:
        for source, destination in ((table, other), (other, table)):
            reply = rename_table(lab, source.identifier, destination.identifier)
            with lab.judge("IRC-TBL-REN-004"):
                expect.status(reply, 409)
                unchanged(lab, source)
                unchanged(lab, destination)


@check("IRC-TBL-REN-005", "IRC-TBL-REN-008")
def views_are_no_tables(lab: CatalogLab) -> None:
    """A table cannot be renamed to the name of a view, and a view cannot be renamed as if it were a table."""
    home = lab.make_namespace()
    view, table = lab.make_view(home), lab.make_table(home)

    with lab.judge("IRC-TBL-REN-005"):
        expect.status(rename_table(lab, table.identifier, identifier(home, view)), 409)
    with lab.judge("IRC-TBL-REN-008"):
        expect.status(rename_table(lab, identifier(home, view), identifier(home, lab.name())), 404)


@check("IRC-TBL-REN-006")
def tables_move_between_namespaces(lab: CatalogLab) -> None:
    """A table is renamed into another namespace, or the target says that it does no such thing and leaves it where it is."""
    table = lab.load(lab.append(lab.make_table()))
    home = lab.make_namespace()
    reply = rename_table(lab, table.identifier, identifier(home, table.name))

    with lab.judge("IRC-TBL-REN-006", remark=f"answered with status {reply.status}"):
        expect.status(reply, 204, 406)
        if reply.status == 204:
            is_at(lab, table, home, table.name)
        else:
            unchanged(lab, table)
            is_nowhere(lab, home, table.name)


@check("IRC-TBL-REN-007")
def incomplete_renames_are_refused(lab: CatalogLab) -> None:
    """A rename has to say the namespace and the name of both, source and destination."""
    table = lab.make_table()
    source, destination = table.identifier, identifier(table.namespace, lab.name())
    lab.drop_afterwards(table.namespace, destination["name"])
    bodies: dict[str, dict[str, Any]] = {
        "nothing at all": {},
        "no source": {"destination": destination},
        "no destination": {"source": source},
        "null as source": {"source": None, "destination": destination},
        "null as destination": {"source": source, "destination": None},
        "an empty source": {"source": {}, "destination": destination},
        "an empty destination": {"source": source, "destination": {}},
    }
    for member in ("namespace", "name"):
        for absent, rest in (("no", {}), ("null as", {member: None})):
            bodies[f"{absent} {member} of the source"] = {"source": {**_without(source, member), **rest}, "destination": destination}
            bodies[f"{absent} {member} of the destination"] = {"source": source, "destination": {**_without(destination, member), **rest}}
    for wrong, body in bodies.items():
        reply = lab.send(op.rename_table, body=body)
        with lab.judge("IRC-TBL-REN-007"):
            expect.status(reply, 400, about=f"for {wrong}")


def _without(named: Mapping[str, Any], member: str) -> dict[str, Any]:
    return {key: value for key, value in named.items() if key != member}


@check("IRC-TBL-REN-009")
def tables_renamed_to_themselves_stay(lab: CatalogLab) -> None:
    """A table that is renamed to the name that it has can still be loaded."""
    table = lab.load(lab.append(lab.make_table()))
    reply = rename_table(lab, table.identifier, table.identifier)

    with lab.judge("IRC-TBL-REN-009", remark=f"answered with status {reply.status}"):
        expect.status(reply, 204, 409)
        is_at(lab, table, table.namespace, table.name)


@check("IRC-TBL-REN-010")
def tables_move_between_deep_namespaces(lab: CatalogLab) -> None:
    """A table is renamed from one namespace of several levels to another, and it is in no other of them."""
    if not moves_between_namespaces(lab):
        lab.skip("IRC-TBL-REN-010", "the target does not rename tables into other namespaces")
        return
    top = lab.make_namespace()
    left, right = lab.make_namespace(top), lab.make_namespace(top)
    deepest = lab.make_namespace(left)
    elsewhere = lab.make_namespace(lab.make_namespace())
    table = lab.load(lab.append(lab.make_table(left)))
    places = (left, right, deepest, elsewhere, left)
    for old, new in pairwise(places):
        reply = rename_table(lab, identifier(old, table.name), identifier(new, table.name))
        with lab.judge("IRC-TBL-REN-010"):
            expect.status(reply, 204)
            is_at(lab, table, new, table.name)
            for other in (top, left, right, deepest, elsewhere):
                if other != new:
                    is_nowhere(lab, other, table.name)


@check("IRC-TBL-REN-012", alone=True)
def one_of_two_renames_moves_a_table(lab: CatalogLab) -> None:
    """When two clients rename a table, one of them has renamed it, and the other learns that it is not there."""
    home = lab.make_namespace()
    for _ in lab.repeat(ROUNDS):
        table = lab.load(lab.make_table(home))
        names = [lab.name(), lab.name()]
        replies = side_by_side(
            lab, [partial(rename_table, lab, table.identifier, identifier(home, name)) for name in names], what="requests"
        )
        with lab.judge("IRC-TBL-REN-012"):
            # The losing request finds no table, or gets a conflict.
            winner, loser = names if sole_winner(replies, 404, 409, what="renames of one table") == 0 else names[::-1]
            is_at(lab, table, home, winner)
            is_nowhere(lab, home, loser)


@check("IRC-TBL-REN-012", alone=True)
def one_of_two_renames_takes_a_name(lab: CatalogLab) -> None:
    """When two tables are renamed to one name, one of them has it, and the other one keeps its own."""
    home = lab.make_namespace()
    for _ in lab.repeat(ROUNDS):
        tables, name = [lab.load(lab.make_table(home)), lab.load(lab.make_table(home))], lab.name()
        replies = side_by_side(
            lab, [partial(rename_table, lab, table.identifier, identifier(home, name)) for table in tables], what="requests"
        )
        with lab.judge("IRC-TBL-REN-012"):
            winner, loser = tables if sole_winner(replies, what="renames to one name") == 0 else tables[::-1]
            is_at(lab, winner, home, name)
            unchanged(lab, loser)
