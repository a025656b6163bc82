"""Names of namespaces in paths: levels, dots, separators and case."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Wrong,
    check,
    expect,
    op,
)
from lakepact.conformance.checks.iceberg_rest.kit.lab import REFUSES_NAMES
from lakepact.conformance.checks.iceberg_rest.kit.listings import identifiers
from lakepact.conformance.checks.iceberg_rest.kit.namespaces import (
    children,
    create,
    expect_loads,
    expect_namespace,
    properties_of,
)

DEEPEST = 6  #: levels that are looked at


@check("IRC-NS-ENC-001", "IRC-NS-ENC-006")
def operations_accept_namespaces_of_three_levels(lab: CatalogLab) -> None:
    """Every operation on a namespace of three levels succeeds at its path, from create to drop."""
    top = lab.make_namespace()
    namespace = (*lab.make_namespace(top), lab.name())
    created = lab.send(op.create_namespace, body={"namespace": list(namespace)})
    with lab.judge("IRC-NS-ENC-006"):
        expect_namespace(created, namespace)
    with lab.judge("IRC-NS-ENC-001"):
        expect.status(created, 200)
        expect_loads(lab, namespace)
        after = lab.send(op.list_namespaces, parent=namespace[:2])
        expect.contains(
            list(namespace), after.at("namespaces"), "children", at=after.place("namespaces")
        )
        if lab.offers(op.namespace_exists):
            expect.status(lab.send(op.namespace_exists, namespace=namespace), 204)
        update = lab.send(
            op.update_properties, namespace=namespace, body={"removals": [], "updates": {"a": "1"}}
        )
        expect.status(update, 200)
        expect.member_of(properties_of(lab, namespace), "a", "1")
        table = lab.make_table(namespace)
        expect.status(lab.send(op.load_table, **table.at), 200)
        tables = identifiers(lab.send(op.list_tables, namespace=namespace))
        expect.contains(table.identifier, tables, "the tables", at=tables.at)
        expect.not_found(
            lab.send(op.load_table, namespace=namespace[:2], table=table.name), "table"
        )
        expect.status(lab.try_drop_table(**table.at), 204)
        expect.status(lab.send(op.drop_namespace, namespace=namespace), 204)


@check("IRC-NS-ENC-001")
def deeper_namespaces_keep_all_levels(lab: CatalogLab) -> None:
    """A namespace of up to six levels is loaded and listed with all its levels, or its creation is
    refused with 4xx.
    """
    if not lab.feature("nesting"):
        lab.skip("IRC-NS-ENC-001", "the target does not nest namespaces")
        return
    namespace = lab.make_namespace()

    with lab.judge("IRC-NS-ENC-001"):
        while len(namespace) < DEEPEST:
            parent, namespace = namespace, (*namespace, lab.name())
            created = create(lab, list(namespace))
            if 400 <= created.status < 500:
                break
            expect_namespace(created, namespace)
            expect_loads(lab, namespace)
            names = children(lab, parent)
            expect.contains(list(namespace), names, "children", at=names.at)


@check("IRC-NS-ENC-002")
def dots_do_not_separate_levels(lab: CatalogLab) -> None:
    """A namespace of one level with a dot is distinct from the namespace of two levels."""
    top = lab.make_namespace()
    name = lab.name()
    two_levels = lab.make_namespace(top, level=name, properties={"is": "two levels"})
    child = lab.child_of(two_levels)
    with_dot = (f"{top[0]}.{name}",)
    created = lab.send(
        op.create_namespace, body={"namespace": list(with_dot), "properties": {"is": "one level"}}
    )
    if created.status == 200:
        lab.add_cleanup(lambda: lab.send(op.drop_namespace, namespace=with_dot))
    elif created.status in REFUSES_NAMES:
        lab.skip("IRC-NS-ENC-002", "the target refuses names with dots")
        return

    with lab.judge("IRC-NS-ENC-002"):
        expect.status(created, 200, about="for a name with a dot that nothing has")
        expect.member_of(properties_of(lab, with_dot), "is", "one level", "property of one level")
        expect.member_of(
            properties_of(lab, two_levels), "is", "two levels", "property of two levels"
        )
        listing = lab.send(op.list_namespaces, parent=with_dot)
        expect.status(listing, 200)
        if child:
            expect.lacks(
                list(child),
                listing.at("namespaces"),
                "children of one level",
                at=listing.place("namespaces"),
            )


@check("IRC-NS-ENC-003")
def surplus_separators_return_400_or_404(lab: CatalogLab) -> None:
    """A namespace path with a leading, trailing or doubled separator returns 400 or 404."""
    top = lab.make_namespace()
    child = lab.child_of(top)
    prefix = lab.path(op.list_namespaces)
    paths = [f"{top[0]}%1F", f"%1F{top[0]}"]
    paths += [f"{top[0]}%1F%1F{child[1]}", f"{top[0]}%1F{child[1]}%1F"] if child else []

    with lab.judge_each("IRC-NS-ENC-003") as case:
        for path in paths:
            with case():
                reply = lab.send_raw(
                    "GET", f"{prefix}/{path}", operation=op.load_namespace_metadata
                )
                expect.status(reply, 400, 404, mutation=Wrong.SYNTAX("namespace"))


@check("IRC-NS-ENC-004")
def case_is_treated_consistently(lab: CatalogLab) -> None:
    """Namespaces whose names differ in case are distinct, or loading and creating treat them as the
    same one.
    """
    lab.make_namespace()
    name = f"{lab.name()}Case"
    other = name.swapcase()
    first = create(lab, [name], properties={"is": "first"})
    if first.status in REFUSES_NAMES:
        lab.skip("IRC-NS-ENC-004", "the target refuses namespaces with capitals in their names")
        return
    lab.require(first, 200)
    load = lab.send(op.load_namespace_metadata, namespace=(name,))
    other_load = lab.send(op.load_namespace_metadata, namespace=(other,))
    again = create(lab, [other], properties={"is": "second"})

    with lab.judge("IRC-NS-ENC-004") as case:
        expect.status(load, 200, about="for the spelling that it was created with")
        if other_load.status == 200:
            expect.status(again, 409, mutation=Wrong.PRESENT("namespace"))
        else:
            expect.status(again, 200)
            for level, value in ((name, "first"), (other, "second")):
                with case():
                    stored = properties_of(lab, (level,))
                    expect.one_of(
                        (value, None),
                        stored.get("is"),
                        f"property of the {value}, if any is kept,",
                        at=stored.place("is"),
                    )
