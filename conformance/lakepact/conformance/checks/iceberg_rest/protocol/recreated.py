"""Objects that are created under the name of a dropped one have nothing of it."""

from __future__ import annotations

from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    check,
    expect,
    op,
    set_properties,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.dropped import (
    drop_namespace,
    drop_table,
    former_tables,
)
from lakepact.conformance.checks.iceberg_rest.kit.namespaces import properties_of
from lakepact.conformance.checks.iceberg_rest.kit.views import View, load_view, make_view, version
from lakepact.conformance.checks.iceberg_rest.kit.views import create as create_view

OLD = "lakepact.old"


@check("IRC-GEN-037")
def recreated_tables_have_nothing_of_the_dropped(lab: CatalogLab) -> None:
    """A table under the name of a dropped one has no snapshot, ref, property, column or UUID of
    it.
    """
    old = lab.append(lab.make_table(properties={OLD: "1"}))
    wider = upd.add_column(old, "old")
    old = lab.commit(old, wider, upd.set_current_schema(upd.LAST_ADDED), set_properties(old="1"))
    drop_table(lab, old)
    new = lab.load(lab.make_table(old.namespace, name=old.name))

    with lab.judge("IRC-GEN-037") as case:
        expect.true(new.uuid != old.uuid, "another UUID", new.uuid, at=new.place("table-uuid"))
        for member in ("snapshots", "snapshot-log", "refs", "statistics"):
            with case():
                empty: Any = new.metadata.get(member) or None
                expect.equal(None, empty, f"of the dropped table, `{member}`", at=new.place(member))
        for name in (OLD, "old"):
            with case():
                properties = new.metadata.get("properties") or {}
                expect.lacks(name, properties, "properties", at=new.place("properties"))
        with case():
            columns = [field["name"] for field in upd.current_schema(new)["fields"]]
            expect.lacks("old", columns, "columns", at=new.place("schemas"))


@check("IRC-GEN-037")
def recreated_views_have_nothing_of_the_dropped(lab: CatalogLab) -> None:
    """A view under the name of a dropped one has no version, property or UUID of it."""
    home = lab.make_namespace()
    old = make_view(lab, home, properties={OLD: "1"})
    lab.require(lab.send(op.drop_view, **old.at))
    created = lab.require(create_view(lab, home, old.name, view_version=version(home)), 200)
    new = load_view(lab, View(home, old.name, created))

    with lab.judge("IRC-GEN-037") as case:
        expect.true(new.uuid != old.uuid, "another UUID", new.uuid, at=new.place("view-uuid"))
        with case():
            properties = new.reply.at("metadata").get("properties") or {}
            expect.lacks(OLD, properties, "properties", at=new.place("properties"))
        with case():
            expect.equal(1, len(new.versions), "number of versions", at=new.place("versions"))


@check("IRC-GEN-037")
def recreated_namespaces_have_nothing_of_the_dropped(lab: CatalogLab) -> None:
    """A namespace under the name of a dropped one has no property and no table of it."""
    (level,) = old = lab.make_namespace(properties={OLD: "1"})
    for _ in former_tables(lab, old):
        pass
    drop_namespace(lab, old)
    new = lab.make_namespace(level=level)

    with lab.judge("IRC-GEN-037") as case:
        with case():
            properties = properties_of(lab, new)
            expect.lacks(OLD, properties, "properties", at=properties.place())
        with case():
            tables = lab.require(lab.send(op.list_tables, namespace=new)).place("identifiers")
            expect.member([], tables, "tables of a new namespace:")
