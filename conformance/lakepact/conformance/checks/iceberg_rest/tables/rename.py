"""Checks of renaming tables: the moved table, conflicts with existing names, and concurrent
renames.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Members,
    Namespace,
    Table,
    Wrong,
    check,
    expect,
    op,
    states,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.concurrency import (
    ROUNDS,
    side_by_side,
    sole_winner,
)
from lakepact.conformance.checks.iceberg_rest.kit.renames import identifier, rename_table
from lakepact.conformance.checks.iceberg_rest.kit.views import OVER_VIEW, VIEW_AS_TABLE
from lakepact.conformance.checks.iceberg_rest.tables.register import with_history

RENAMED = 204


def rename_and_load(
    lab: CatalogLab, table: Table, name: str, *, namespace: Namespace | None = None
) -> Table:
    """Return the table as it is loaded by its new name.

    Raises:
        Blocked: it cannot be renamed.
    """
    home = namespace or table.namespace
    lab.require(rename_table(lab, table.identifier, identifier(home, name)))
    return Table(home, name, lab.require(lab.send(op.load_table, namespace=home, table=name), 200))


def moves_between_namespaces(lab: CatalogLab) -> bool:
    """Return whether tables can be renamed into another namespace, as the user says and as one of
    them shows.
    """
    if not lab.feature("rename-across-namespaces"):
        return False
    table = lab.make_table()
    return (
        rename_table(lab, table.identifier, identifier(lab.make_namespace(), lab.name())).status
        != 406
    )


def expect_at(lab: CatalogLab, before: Table, namespace: Namespace, name: str) -> None:
    """A table is loaded by this name, as it was and from where it was, with all its history.

    Raises:
        Unmet: it is not.
    """
    reply = lab.send(op.load_table, namespace=namespace, table=name)
    expect.status(reply, 200)
    after = Table(namespace, name, reply)
    expect.member(before.uuid, after.place("table-uuid"), "the UUID as before,")
    expect.equal(
        before.metadata_location,
        after.metadata_location,
        "the metadata-location as before,",
        at=after.reply.place("metadata-location"),
    )
    states.assert_same_table(lab, before, after, ignore=states.BOOKKEEPING)


def expect_no_table(lab: CatalogLab, namespace: Namespace, name: str) -> None:
    """No table is loaded by this name.

    Raises:
        Unmet: one is.
    """
    expect.not_found(lab.send(op.load_table, namespace=namespace, table=name), "table")


@check("IRC-TBL-REN-001")
def renames_move_tables(lab: CatalogLab) -> None:
    """Renaming a table returns 204; it loads unchanged by its new name, and the old name returns
    404.
    """
    former = lab.make_table()
    lab.drop_table(**former.at)
    first, second = lab.name(), lab.name()
    full = with_history(lab, lab.make_table(former.namespace))
    full = lab.commit(
        full, {"action": "add-snapshot", "snapshot": lab.snapshot(full)}
    )  # one that no ref names
    if lab.feature("format-v3"):
        lab.try_commit(full, upd.upgrade_format_version(3))
    for table, free in lab.each(
        ((lab.make_table(former.namespace), former.name), (full, lab.name()))
    ):
        before = lab.load(table)
        names = (table.name, first, second, table.name, free)
        for old, new in lab.each(pairwise(names)):
            reply = rename_table(
                lab, identifier(table.namespace, old), identifier(table.namespace, new)
            )
            with lab.judge("IRC-TBL-REN-001"):
                expect.status(reply, 204)
                expect_at(lab, before, table.namespace, new)
                expect_no_table(lab, table.namespace, old)
    table = lab.load(lab.make_table(former.namespace))
    other_case = identifier(table.namespace, table.name.swapcase())
    if rename_table(lab, table.identifier, other_case).status == RENAMED:  # names may have one case
        with lab.judge("IRC-TBL-REN-001"):
            expect_at(lab, table, table.namespace, other_case["name"])


@check("IRC-TBL-REN-002")
def renaming_missing_tables_returns_404(lab: CatalogLab) -> None:
    """Renaming returns 404 for a table that never existed, was dropped, or was renamed."""
    home = lab.make_namespace()
    former, other = lab.make_table(home), lab.make_table(home)
    lab.drop_table(**former.at)
    rename_and_load(lab, other, lab.name())
    for name in lab.each((lab.name(), former.name, other.name)):
        reply = rename_table(lab, identifier(home, name), identifier(home, lab.name()))
        with lab.judge("IRC-TBL-REN-002"):
            expect.not_found(reply, "table")
    nowhere = (lab.name(),)
    reply = rename_table(lab, identifier(nowhere, lab.name()), identifier(nowhere, lab.name()))
    with lab.judge("IRC-TBL-REN-002"):
        expect.not_found(reply, "table")


@check("IRC-TBL-REN-003")
def renaming_into_missing_namespaces_returns_404(lab: CatalogLab) -> None:
    """Renaming a table into a missing namespace returns 404 with NoSuchNamespaceException and keeps
    the table.
    """
    table = lab.load(with_history(lab, lab.make_table()))
    former = lab.make_namespace()
    lab.require(lab.send(op.drop_namespace, namespace=former))
    missing = [(lab.name(),), former]
    if lab.feature("nesting"):
        missing += [(*table.namespace, lab.name()), (lab.name(), table.namespace[-1])]
    if not moves_between_namespaces(lab):
        lab.skip("IRC-TBL-REN-003", "the target does not rename tables into other namespaces")
        return
    for namespace in lab.each(missing):
        for name in lab.each((lab.name(), table.name)):
            reply = rename_table(lab, table.identifier, identifier(namespace, name))
            with lab.judge("IRC-TBL-REN-003"):
                expect.not_found(reply, "namespace")
                expect.member(
                    "NoSuchNamespaceException", reply.place("error", "type"), "error type"
                )
                states.expect_no_change(lab, table)


@check("IRC-TBL-REN-004")
def renaming_to_existing_tables_returns_409(lab: CatalogLab) -> None:
    """Renaming a table to the name of another returns 409 and changes neither."""
    table = lab.load(with_history(lab, lab.make_table()))
    others = [
        lab.load(lab.make_table(table.namespace)),
        lab.load(lab.append(lab.make_table(table.namespace))),
    ]
    if moves_between_namespaces(lab):
        home = lab.make_namespace()
        others += [lab.load(lab.make_table(home)), lab.load(lab.make_table(home, name=table.name))]
    for other in lab.each(others):
        for source, destination in lab.each(((table, other), (other, table))):
            reply = rename_table(lab, source.identifier, destination.identifier)
            with lab.judge("IRC-TBL-REN-004"):
                expect.status(reply, 409, mutation=Wrong.PRESENT("table"))
                states.expect_no_change(lab, source)
                states.expect_no_change(lab, destination)


@check("IRC-TBL-REN-005", "IRC-TBL-REN-008")
def renames_keep_views_and_tables_apart(lab: CatalogLab) -> None:
    """Renaming a table to the name of a view returns 409; renaming a view as a table returns
    404.
    """
    home = lab.make_namespace()
    view, table = lab.make_view(home), lab.make_table(home)

    with lab.judge("IRC-TBL-REN-005"):
        expect.status(
            rename_table(lab, table.identifier, identifier(home, view)), 409, mutation=OVER_VIEW
        )
    with lab.judge("IRC-TBL-REN-008"):
        expect.status(
            rename_table(lab, identifier(home, view), identifier(home, lab.name())),
            404,
            mutation=VIEW_AS_TABLE,
        )


@check("IRC-TBL-REN-006")
def renaming_across_namespaces_returns_204_or_406(lab: CatalogLab) -> None:
    """Renaming a table into another namespace returns 204 and moves it, or returns 406 and keeps
    it.
    """
    table = lab.load(lab.table_with_snapshot())
    home = lab.make_namespace()
    reply = rename_table(lab, table.identifier, identifier(home, table.name))

    with lab.judge("IRC-TBL-REN-006", remark=f"answered with status {reply.status}"):
        expect.status(reply, 204, 406, mutation=Wrong.VALUE("/destination/namespace"))
        if reply.status == 204:
            expect_at(lab, table, home, table.name)
        else:
            states.expect_no_change(lab, table)
            expect_no_table(lab, home, table.name)


@check("IRC-TBL-REN-007")
def incomplete_renames_return_400(lab: CatalogLab) -> None:
    """A rename without namespace or name of the source or destination returns 400."""
    table = lab.make_table()
    source, destination = table.identifier, identifier(table.namespace, lab.name())
    lab.drop_afterwards(table.namespace, destination["name"])
    bodies: dict[str, tuple[str, Document]] = {
        "nothing at all": ("/source", {}),
        "no source": ("/source", {"destination": destination}),
        "no destination": ("/destination", {"source": source}),
        "null as source": ("/source", {"source": None, "destination": destination}),
        "null as destination": ("/destination", {"source": source, "destination": None}),
        "an empty source": ("/source/namespace", {"source": {}, "destination": destination}),
        "an empty destination": ("/destination/namespace", {"source": source, "destination": {}}),
    }
    for member in ("namespace", "name"):
        for absent, rest in (("no", {}), ("null as", {member: None})):
            left, right = ({**_without(end, member), **rest} for end in (source, destination))
            bodies[f"{absent} {member} of the source"] = (
                f"/source/{member}",
                {"source": left, "destination": destination},
            )
            bodies[f"{absent} {member} of the destination"] = (
                f"/destination/{member}",
                {"source": source, "destination": right},
            )
    for wrong, (missing, body) in lab.each(bodies.items()):
        reply = lab.send(op.rename_table, body=body)
        with lab.judge("IRC-TBL-REN-007"):
            expect.status(reply, 400, about=f"for {wrong}", mutation=Wrong.MISSING(missing))


def _without(end: Members, member: str) -> Document:
    return {key: value for key, value in end.items() if key != member}


@check("IRC-TBL-REN-009")
def renaming_tables_to_themselves_returns_204_or_409(lab: CatalogLab) -> None:
    """Renaming a table to its own name returns 204 or 409 and keeps the table."""
    table = lab.load(lab.table_with_snapshot())
    reply = rename_table(lab, table.identifier, table.identifier)

    with lab.judge("IRC-TBL-REN-009", remark=f"answered with status {reply.status}"):
        expect.status(reply, 204, 409, mutation=Wrong.PRESENT("table"))
        expect_at(lab, table, table.namespace, table.name)


@check("IRC-TBL-REN-010")
def tables_move_between_nested_namespaces(lab: CatalogLab) -> None:
    """Renaming a table from one nested namespace to another returns 204; no other namespace has
    it.
    """
    if not moves_between_namespaces(lab):
        lab.skip("IRC-TBL-REN-010", "the target does not rename tables into other namespaces")
        return
    top = lab.make_namespace()
    left, right = lab.make_namespace(top), lab.make_namespace(top)
    deepest = lab.make_namespace(left)
    elsewhere = lab.make_namespace(lab.make_namespace())
    table = lab.load(lab.append(lab.make_table(left)))
    places = (left, right, deepest, elsewhere, left)
    for old, new in lab.each(pairwise(places)):
        reply = rename_table(lab, identifier(old, table.name), identifier(new, table.name))
        with lab.judge("IRC-TBL-REN-010"):
            expect.status(reply, 204)
            expect_at(lab, table, new, table.name)
            for other in (top, left, right, deepest, elsewhere):
                if other != new:
                    expect_no_table(lab, other, table.name)


@check("IRC-TBL-REN-012", alone=True)
def concurrent_renames_of_a_table_have_one_winner(lab: CatalogLab) -> None:
    """When two clients rename one table concurrently, one gets 204, the other 404 or 409, and only
    the winner's name loads.
    """
    home = lab.make_namespace()
    for _ in lab.each(lab.repeat(ROUNDS)):
        table = lab.load(lab.make_table(home))
        names = [lab.name(), lab.name()]
        replies = side_by_side(
            lab,
            [
                partial(rename_table, lab, table.identifier, identifier(home, name))
                for name in names
            ],
            what="requests",
        )
        with lab.judge("IRC-TBL-REN-012"):
            # The losing request finds no table, or gets a conflict.
            winner, loser = (
                names
                if sole_winner(replies, 404, 409, what="renames of one table") == 0
                else names[::-1]
            )
            expect_at(lab, table, home, winner)
            expect_no_table(lab, home, loser)


@check("IRC-TBL-REN-012", alone=True)
def concurrent_renames_to_a_name_have_one_winner(lab: CatalogLab) -> None:
    """When two tables are renamed to one name concurrently, one gets 204 and the other keeps its
    name.
    """
    home = lab.make_namespace()
    for _ in lab.each(lab.repeat(ROUNDS)):
        tables, name = [lab.load(lab.make_table(home)), lab.load(lab.make_table(home))], lab.name()
        replies = side_by_side(
            lab,
            [
                partial(rename_table, lab, table.identifier, identifier(home, name))
                for table in tables
            ],
            what="requests",
        )
        with lab.judge("IRC-TBL-REN-012"):
            winner, loser = (
                tables if sole_winner(replies, what="renames to one name") == 0 else tables[::-1]
            )
            expect_at(lab, winner, home, name)
            states.expect_no_change(lab, loser)
