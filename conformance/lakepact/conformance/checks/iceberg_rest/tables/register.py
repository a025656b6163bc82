"""Checks of registering tables, with metadata files of tables that were dropped without purge."""

from __future__ import annotations

from collections.abc import Iterator

from lakepact.conformance.checks.iceberg_rest.api import (
    LOWEST_ERROR,
    CatalogLab,
    Document,
    Members,
    Namespace,
    Table,
    Wrong,
    check,
    expect,
    op,
    req,
    set_properties,
    set_ref,
    states,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.registration import (
    NO_FILE,
    expect_file,
    expect_registration,
    left_behind,
    load_table,
    location_of,
    register,
)
from lakepact.conformance.checks.iceberg_rest.kit.views import OVER_VIEW

#: Members that a server may change when it writes its own file for a registered table.
CHANGED_BY_REGISTERING = ("last-updated-ms", "metadata-log")


def register_former(lab: CatalogLab, former: Table) -> Table:
    """Return the table that is registered, by a new name, from what another one left behind.

    Raises:
        Blocked: it cannot be registered.
    """
    name = lab.name()
    reply = register(lab, former.namespace, name, location_of(former))
    if reply.status >= LOWEST_ERROR:
        expect_file(lab, former)
    return Table(former.namespace, name, lab.require(reply, 200))


def with_history(lab: CatalogLab, table: Table) -> Table:
    """Return the table with two schemas, properties, two snapshots, a branch and a tag."""
    wider = upd.add_column(table, "more")
    first = lab.append(
        lab.commit(
            table,
            wider,
            upd.set_current_schema(upd.LAST_ADDED),
            set_properties(owner="lakepact", note=""),
        )
    )
    tag = set_ref("first", first.member("current-snapshot-id"), kind="tag")
    second = lab.append(lab.commit(first, tag))
    return lab.append(second, ref="side")


def tables_to_register(lab: CatalogLab, home: Namespace) -> Iterator[Table]:
    """Yield tables with little in them and with much, of each format version."""
    yield lab.make_table(home)
    yield with_history(lab, lab.make_table(home))
    yield lab.append(
        lab.append(lab.make_table(home, properties={"owner": "lakepact"})), ref="only-a-branch"
    )
    for version in (1, 3):
        if lab.feature(f"format-v{version}"):
            yield with_history(lab, upd.table_of_version(lab, version))


@check("IRC-TBL-REG-001", "IRC-TBL-REG-002")
def register_returns_the_metadata_of_the_file(lab: CatalogLab) -> None:
    """Registering a metadata file returns 200 with the metadata and location of that file, under
    the old or a new name.
    """
    for table in lab.each(tables_to_register(lab, lab.make_namespace())):
        former = left_behind(lab, table)
        for name in lab.each((former.name, lab.name())):
            reply = register(lab, former.namespace, name, location_of(former))
            with lab.judge("IRC-TBL-REG-001"):
                expect_registration(lab, former, name, reply)
            with lab.judge("IRC-TBL-REG-002"):
                if reply.status >= LOWEST_ERROR:
                    expect_file(lab, former)
                with lab.step("IRC-TBL-REG-001"):
                    expect.status(reply, 200)
                expect.member(
                    former.metadata_location,
                    reply.place("metadata-location"),
                    "the requested metadata-location",
                )
            lab.try_drop_table(namespace=former.namespace, table=name)


@check("IRC-TBL-REG-001")
def register_uses_the_named_metadata_file(lab: CatalogLab) -> None:
    """Registering uses the named metadata file, not the newest one in its folder."""
    table = lab.make_table()
    earlier = [lab.load(table)]
    for turn in ("first", "second"):
        lab.append(lab.commit(lab.load(table), set_properties(**{turn: "yes"})))
        earlier.append(lab.load(table))
    left_behind(lab, table)

    for file in lab.each(earlier):
        name = lab.name()
        reply = register(lab, table.namespace, name, location_of(file))
        with lab.judge("IRC-TBL-REG-001"):
            expect_registration(lab, file, name, reply)
        lab.try_drop_table(namespace=table.namespace, table=name)


@check("IRC-TBL-LOAD-001")
def registered_tables_keep_all_metadata(lab: CatalogLab) -> None:
    """A registered table loads with all metadata of its file: specs, orders, logs and statistics
    too.
    """
    table = with_history(lab, lab.make_table())
    at, current = upd.column(table, "at"), table.member("current-snapshot-id")
    lab.try_commit(table, upd.set_statistics(upd.statistics_file(table, current)))
    lab.try_commit(
        table, upd.set_partition_statistics(upd.partition_statistics_file(table, current))
    )
    lab.try_commit(
        table,
        upd.add_spec(upd.partition_field(at, "day", "by_day", field_id=upd.next_field(table))),
        upd.set_default_spec(upd.LAST_ADDED),
    )
    lab.try_commit(
        table, upd.add_sort_order(upd.sort_field(at)), upd.set_default_sort_order(upd.LAST_ADDED)
    )
    former = left_behind(lab, table)
    again = register_former(lab, former)

    with lab.judge("IRC-TBL-LOAD-001"):
        states.assert_same_table(
            lab,
            former,
            load_table(lab, again.namespace, again.name),
            ignore=(*CHANGED_BY_REGISTERING, states.LOCATION),
        )


@check("IRC-TBL-REG-003")
def incomplete_register_requests_return_400(lab: CatalogLab) -> None:
    """A register request without `name` or `metadata-location` returns 400."""
    former = left_behind(lab, lab.make_table())
    name, location = lab.name(), location_of(former)
    lab.drop_afterwards(former.namespace, name)
    bodies: dict[str, Document] = {
        "nothing at all": {},
        "no metadata-location": {"name": name},
        "null as metadata-location": {"name": name, "metadata-location": None},
        "metadataLocation instead of metadata-location": {
            "name": name,
            "metadataLocation": location,
        },
        "metadata_location instead of metadata-location": {
            "name": name,
            "metadata_location": location,
        },
        "no name": {"metadata-location": location},
        "null as name": {"name": None, "metadata-location": location},
        "no name, but overwrite": {"metadata-location": location, "overwrite": True},
    }
    for wrong, body in lab.each(bodies.items()):
        reply = lab.send(op.register_table, namespace=former.namespace, body=body)
        with lab.judge("IRC-TBL-REG-003"):
            member = "/name" if body.get("metadata-location") else "/metadata-location"
            expect.status(reply, 400, about=f"for {wrong}", mutation=Wrong.MISSING(member))


@check("IRC-TBL-REG-004")
def registering_existing_tables_returns_409(lab: CatalogLab) -> None:
    """Registering under the name of an existing table without `overwrite` returns 409 and changes
    nothing.
    """
    table = lab.table_with_snapshot()
    former = left_behind(lab, lab.make_table(table.namespace))
    before = lab.load(table)
    for location in lab.each((location_of(former), location_of(before))):
        for members in lab.each(({}, {"overwrite": False})):
            reply = register(lab, table.namespace, table.name, location, **members)
            with lab.judge("IRC-TBL-REG-004"):
                if LOWEST_ERROR <= reply.status != 409 and location != before.metadata_location:
                    expect_file(lab, former)
                expect.status(reply, 409, mutation=Wrong.PRESENT("table"))
                states.expect_no_change(lab, before)


#: Further statuses, without and with `overwrite`: a server may not support overwriting at all.
UNSUPPORTED = {False: (), True: (406,)}


@check("IRC-TBL-REG-008")
def registering_over_views_returns_409(lab: CatalogLab) -> None:
    """Registering a table under the name of a view returns 409."""
    home = lab.make_namespace()
    view = lab.make_view(home)
    former = left_behind(lab, lab.make_table(home))
    for members in lab.each(({}, {"overwrite": True})):
        reply = lab.send(
            op.register_table,
            namespace=home,
            body={"name": view, "metadata-location": location_of(former), **members},
        )
        with lab.judge("IRC-TBL-REG-008"):
            if LOWEST_ERROR <= reply.status != 409:
                expect_file(lab, former)
            expect.status(reply, 409, *UNSUPPORTED[bool(members)], mutation=OVER_VIEW)


@check("IRC-TBL-REG-009")
def registering_in_missing_namespaces_returns_404(lab: CatalogLab) -> None:
    """Registering a table in a missing or dropped namespace returns 404."""
    former = left_behind(lab, lab.make_table())
    former_namespace = lab.make_namespace()
    lab.require(lab.send(op.drop_namespace, namespace=former_namespace))
    missing = [(lab.name(),), former_namespace]
    if lab.child_of(former.namespace):
        missing += [(*former.namespace, lab.name()), (lab.name(), former.namespace[-1])]
    for namespace in lab.each(missing):
        for members in lab.each(({}, {"overwrite": True})):
            reply = register(lab, namespace, lab.name(), location_of(former), **members)
            with lab.judge("IRC-TBL-REG-009"):
                expect.not_found(reply, "namespace", *UNSUPPORTED[bool(members)])


@check("IRC-TBL-REG-010")
def registering_missing_files_returns_4xx(lab: CatalogLab) -> None:
    """Registering a missing metadata file returns 4xx and registers nothing."""
    former = left_behind(lab, lab.make_table())
    folder, _, _ = location_of(former).rpartition("/")
    missing, foreign = (400, 404), (400, 403, 404)
    nowhere = {
        "a missing file": (f"{folder}/{NO_FILE}", missing),
        "a missing folder": (f"{folder}/nowhere/{NO_FILE}", missing),
        "a folder": (folder, missing),
        "the location of a table": (former.location, missing),
        "no location": ("", missing),
        "a missing storage": (f"nowhere://{NO_FILE}", foreign),
        "a text that is no location": (f"nowhere {NO_FILE}", foreign),
    }
    for what, (location, allowed) in lab.each(nowhere.items()):
        name = lab.name()
        reply = register(lab, former.namespace, name, location)
        behind = lab.send(op.load_table, namespace=former.namespace, table=name)
        with lab.judge("IRC-TBL-REG-010"):
            expect.status(
                reply,
                *allowed,
                about=f"for {what}",
                mutation=Wrong.ABSENT("metadata file"),
            )
            expect.not_found(behind, "table", about=f"for a table of {what}")


@check("IRC-TBL-REG-012")
def registered_tables_accept_commits(lab: CatalogLab) -> None:
    """Commits to a registered table return 200."""
    for table in lab.each((lab.make_table(), with_history(lab, lab.make_table()))):
        now = register_former(lab, left_behind(lab, table))
        snapshot = lab.snapshot(now)
        commits: tuple[list[Members], ...] = (
            [set_properties(registered="yes")],
            [upd.add_snapshot(snapshot), set_ref("main", snapshot["snapshot-id"])],
            [
                upd.add_column(now, "later"),
                upd.set_current_schema(upd.LAST_ADDED),
            ],
        )
        for updates in lab.each(commits):
            reply = lab.try_commit(now, *updates, requirements=[req.assert_uuid(now.uuid)])
            with lab.judge("IRC-TBL-REG-012"):
                expect.status(reply, 200)
        with lab.judge("IRC-TBL-REG-012"):
            after = load_table(lab, now.namespace, now.name)
            expect.equal(
                "yes",
                after.member("properties").get("registered"),
                "the property that was committed,",
                at=after.place("properties", "registered"),
            )
