"""Names with special characters, at the operations beside loading that take them: each names the
same table or view everywhere.
"""

from __future__ import annotations

from functools import partial

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Namespace,
    check,
    expect,
    op,
    set_properties,
    states,
)
from lakepact.conformance.checks.iceberg_rest.kit.lab import REFUSES_NAMES
from lakepact.conformance.checks.iceberg_rest.kit.listings import names
from lakepact.conformance.checks.iceberg_rest.kit.renames import (
    identifier,
    rename_table,
    rename_view,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.registration import (
    expect_registration,
    left_behind,
    location_of,
    register,
)
from lakepact.conformance.checks.iceberg_rest.kit.views import View, load_view, make_view, same_view
from lakepact.conformance.checks.iceberg_rest.kit.views import create as create_view

#: Names that are others once they are decoded again, trimmed or normalised; a target may refuse any
#: of them.
ODD = ("{}%41", "{}+c", "{} b", "{}e\u0301x", "{}.b", "{}\U0001f9ca\u8868", "{}&b=c", "{} ")

#: Of these, those that namespaces may have: Apache's own kit lets a catalog do without dots there.
ODD_LEVELS = tuple(odd for odd in ODD if "." not in odd)

#: One that is another where letter case is not kept in one place and kept in another.
CAPITALS = "{}Big"

PLAIN_ONLY = "the target refuses names with special characters"
MISSING = 404


def is_refusal(status: int) -> bool:
    """Return whether a status refuses an unusual name; 409 would mean that it exists."""
    return status in REFUSES_NAMES


def missing_names(
    lab: CatalogLab, namespace: Namespace, *odds: str, of: str = "table"
) -> list[str]:
    """The odd names that a target looks up where nothing has them. That it can have others, and not
    address them, is judged elsewhere.
    """
    stem, operation = lab.name(), {"table": op.load_table, "view": op.load_view}[of]

    def status(name: str) -> int:
        arguments: Document = {of: name}
        return lab.send(operation, namespace=namespace, **arguments).status

    return [name for name in (odd.format(stem) for odd in odds) if status(name) == MISSING]


def _tables(lab: CatalogLab, namespace: Namespace) -> list[str]:
    """Odd names that tables have by which they are loaded: that they are is judged elsewhere."""
    stem, there = lab.name(), []
    for odd in ODD:
        name = odd.format(stem)
        if lab.try_create_table(namespace, name).status == 200:
            lab.drop_afterwards(namespace, name)
            if lab.send(op.load_table, namespace=namespace, table=name).status == 200:
                there.append(name)
    return there


@check("IRC-GEN-020", "IRC-GEN-021", "IRC-TBL-HEAD-001")
def tables_with_special_characters_are_addressable(lab: CatalogLab) -> None:
    """A table with special characters in its name is listed, found by HEAD and committed to under
    that name.
    """
    namespace = lab.make_namespace()
    there = _tables(lab, namespace)

    with lab.judge_each("IRC-GEN-020", without=PLAIN_ONLY) as case:
        if there:
            with case():
                members = names(lab.send(op.list_tables, namespace=namespace))
                expect.same_items(
                    there,
                    {*members} & {*there},
                    "of the tables, those listed:",
                    at=members.at,
                )
    with lab.judge_each("IRC-TBL-HEAD-001", without=PLAIN_ONLY) as case:
        for name in there if lab.offers(op.table_exists) else ():
            with case():
                expect.status(
                    lab.send(op.table_exists, namespace=namespace, table=name),
                    204,
                    about=f"for {expect.excerpt(name)}, an existing table or view",
                )
    with lab.judge_each("IRC-GEN-021", without=PLAIN_ONLY) as case:
        for name in there:
            with case():
                body = {"requirements": [], "updates": [set_properties(lakepact=name)]}
                reply = lab.send(op.update_table, namespace=namespace, table=name, body=body)
                expect.status(
                    reply,
                    200,
                    about=f"for a commit to {expect.excerpt(name)}, an existing table or view",
                )
                at = lab.send(op.load_table, namespace=namespace, table=name).place(
                    "metadata", "properties", "lakepact"
                )
                expect.equal(name, at.value, f"the property of {expect.excerpt(name)}", at=at)


@check("IRC-TBL-REN-001")
def tables_are_renamed_to_special_characters(lab: CatalogLab) -> None:
    """A table that is renamed to a name with special characters loads by that name and can be
    renamed back.
    """
    table = lab.load(lab.make_table())
    free = missing_names(lab, table.namespace, *ODD, CAPITALS)

    with lab.judge_each("IRC-TBL-REN-001", without=PLAIN_ONLY) as case:
        for name in free:
            reply = rename_table(lab, table.identifier, identifier(table.namespace, name))
            if is_refusal(reply.status):
                continue
            with case():
                expect.status(reply, 204)
                there = lab.send(op.load_table, namespace=table.namespace, table=name)
                expect.status(there, 200, about=f"for the new name {expect.excerpt(name)}")
                expect.member(
                    table.uuid,
                    there.place("metadata", "table-uuid"),
                    f"table UUID of {expect.excerpt(name)}",
                )
                back = rename_table(lab, identifier(table.namespace, name), table.identifier)
                expect.status(back, 204, about=f"for renaming {expect.excerpt(name)} back")
                states.expect_no_change(lab, table)


@check("IRC-TBL-REG-001")
def tables_are_registered_with_special_characters(lab: CatalogLab) -> None:
    """A table that is registered under a name with special characters loads by that name."""
    former = left_behind(lab, lab.table_with_snapshot())
    free = missing_names(lab, former.namespace, *ODD, CAPITALS)

    with lab.judge_each("IRC-TBL-REG-001", without=PLAIN_ONLY) as case:
        for name in free:
            reply = register(lab, former.namespace, name, location_of(former))
            if not is_refusal(reply.status):
                with case():
                    expect_registration(lab, former, name, reply)
                lab.try_drop_table(namespace=former.namespace, table=name)


@check("IRC-GEN-020", "IRC-VIEW-LOAD-005", "IRC-VIEW-LOAD-007")
def views_with_special_characters_are_addressable(lab: CatalogLab) -> None:
    """A view with special characters in its name is loaded, listed, found by HEAD and dropped under
    that name.
    """
    namespace = lab.make_namespace()
    there: list[str] = []
    with lab.judge_each("IRC-GEN-020", without=PLAIN_ONLY) as case:
        for name in missing_names(lab, namespace, *ODD, of="view"):
            created = create_view(lab, namespace, name)
            if is_refusal(created.status):
                continue
            with case():
                expect.status(created, 200)
                load = lab.send(op.load_view, namespace=namespace, view=name)
                expect.status(load, 200, about=f"for {expect.excerpt(name)}, which was created")
                uuid = created.at("metadata", "view-uuid")
                place = load.place("metadata", "view-uuid")
                expect.equal(
                    uuid,
                    load.at("metadata", "view-uuid"),
                    f"view UUID of {expect.excerpt(name)}",
                    at=place,
                )
                there.append(name)
        if there and lab.offers(op.list_views):
            with case():
                members = names(lab.send(op.list_views, namespace=namespace))
                expect.same_items(
                    there,
                    {*members} & {*there},
                    "of the views, those listed:",
                    at=members.at,
                )
    with lab.judge_each("IRC-VIEW-LOAD-005", without=PLAIN_ONLY) as case:
        for name in there if lab.offers(op.view_exists) else ():
            with case():
                expect.status(
                    lab.send(op.view_exists, namespace=namespace, view=name),
                    204,
                    about=f"for {expect.excerpt(name)}, an existing table or view",
                )
    with lab.judge_each("IRC-VIEW-LOAD-007", without=PLAIN_ONLY) as case:
        for name in there:
            with case():
                at: Document = {"namespace": namespace, "view": name}
                expect.status(
                    lab.send(op.drop_view, **at), 204, about=f"for dropping {expect.excerpt(name)}"
                )
                expect.not_found(
                    lab.send(op.load_view, **at),
                    "view",
                    about=f"for {expect.excerpt(name)} afterwards",
                )


@check("IRC-VIEW-REN-001")
def views_are_renamed_to_special_characters(lab: CatalogLab) -> None:
    """A view that is renamed to a name with special characters loads by that name and can be
    renamed back.
    """
    view = load_view(lab, make_view(lab))
    free = missing_names(lab, view.namespace, *ODD, CAPITALS, of="view")

    with lab.judge_each("IRC-VIEW-REN-001", without=PLAIN_ONLY) as case:
        for name in free:
            target = View(view.namespace, name, view.reply)
            reply = rename_view(lab, view.identifier, target.identifier)
            if is_refusal(reply.status):
                continue
            with case():
                expect.status(reply, 204)
                there = lab.send(op.load_view, **target.at)
                expect.status(there, 200, about=f"for the new name {expect.excerpt(target.name)}")
                same_view(lab, view.reply, there)
                expect.status(
                    rename_view(lab, target.identifier, view.identifier),
                    204,
                    about=f"for renaming {expect.excerpt(target.name)} back",
                )


@check("IRC-GEN-020")
def namespaces_with_special_characters_are_listed(lab: CatalogLab) -> None:
    """Namespaces with special characters in their names are listed under exactly those names."""
    home = lab.make_namespace()
    parent = home if lab.child_of(home) else ()
    stem, there = lab.name(), []
    for odd in ODD_LEVELS:
        namespace = (*parent, odd.format(stem))
        created = lab.send(
            op.create_namespace, body={"namespace": list(namespace), "properties": {}}
        )
        if created.status == 200:
            lab.add_cleanup(partial(lab.send, op.drop_namespace, namespace=namespace))
            if lab.send(op.load_namespace_metadata, namespace=namespace).status == 200:
                there.append(list(namespace))
    listing = lab.send(op.list_namespaces, parent=parent or None)

    with lab.judge_each("IRC-GEN-020", without=PLAIN_ONLY) as case:
        if there:
            with case():
                expect.status(listing, 200)
                actual = [one for one in there if one in listing.at("namespaces")]
                expect.equal(
                    there,
                    actual,
                    "of the namespaces, those listed:",
                    at=listing.place("namespaces"),
                )
