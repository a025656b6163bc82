"""Checks of commits that create their table: the requirement `assert-create`."""

from __future__ import annotations

import uuid
from functools import partial

from lakepact.conformance.checks.iceberg_rest.api import (
    SCHEMA,
    CatalogLab,
    Table,
    Wrong,
    check,
    expect,
    op,
    req,
    set_ref,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.commits.creations import (
    FreeTableSlot,
    create,
    creating_works,
    creation,
    free_slot,
)
from lakepact.conformance.checks.iceberg_rest.kit.steps import expect_history
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import expect_no_change, restrict_to

REFUSED = 400  #: status of a server that refuses commits without updates
#: How many of each member a table has that a commit creates.
WHOLE = {"schemas": 1, "partition-specs": 1, "sort-orders": 1} | dict.fromkeys(
    ("snapshots", "refs", "snapshot-log", "statistics"), 0
)
EXISTS = Wrong.PRESENT("table")


@check("IRC-REQ-001")
def commits_create_tables(lab: CatalogLab) -> None:
    """A commit with assert-create returns 200 and creates the table, again after it was dropped."""
    slot = free_slot(lab, lab.make_namespace())
    for _ in lab.each(range(2)):
        table_uuid = str(uuid.uuid4())
        reply = create(lab, slot, creation(slot, table_uuid))
        with lab.judge("IRC-REQ-001"):
            expect.status(reply, 200)
            load = lab.send(op.load_table, **slot.at)
            expect.status(load, 200)
            table = Table(slot.namespace, slot.name, load)
            expect.equal(
                table_uuid,
                table.uuid.lower(),
                "the assigned table-uuid, in whatever case,",
                at=table.place("table-uuid"),
            )
            names = [field["name"] for field in SCHEMA["fields"]]
            expect.equal(
                names,
                list(upd.columns(upd.current_schema(table))),
                "columns of the current schema",
                at=table.place("schemas"),
            )
            expect.member("by a commit", table.place("properties", "made"), "the property")
        lab.drop_table(**slot.at)


@check("IRC-REQ-040")
def created_tables_hold_nothing_else(lab: CatalogLab) -> None:
    """A table that a commit creates has the schema, spec and order of the commit, and no others; it
    has no snapshots.
    """
    home = lab.make_namespace()
    creating_works(lab, home)
    slot = free_slot(lab, home)
    with lab.step("IRC-REQ-001"):
        expect.status(create(lab, slot, creation(slot, str(uuid.uuid4()))), 200)
        load = lab.send(op.load_table, **slot.at)
        expect.status(load, 200)
    table = Table(slot.namespace, slot.name, load)

    with lab.judge_each("IRC-REQ-040") as case:
        for member, many in WHOLE.items():
            with case():
                expect.equal(
                    many,
                    len(table.metadata.get(member) or ()),
                    f"the number of {member}",
                    at=table.place(member),
                )
        with case():
            fields = restrict_to(SCHEMA["fields"], upd.current_schema(table)["fields"])
            expect.equal(SCHEMA["fields"], fields, "columns", at=table.place("schemas"))
        with case():
            expect.member(len(SCHEMA["fields"]), table.place("last-column-id"))


@check("IRC-REQ-002")
def assert_create_on_existing_tables_returns_409(lab: CatalogLab) -> None:
    """A commit with assert-create to an existing table returns 409 and changes nothing."""
    table = lab.table_with_snapshot()
    before = lab.load(table)
    slot = FreeTableSlot(table.namespace, table.name, table.location)
    whole = creation(slot, str(uuid.uuid4()))
    for updates in lab.each(
        (
            whole,
            [update for update in whole if update["action"] != "assign-uuid"],
            [req.HARMLESS],
            [],
        )
    ):
        reply = create(lab, slot, updates)
        if not updates and reply.status == REFUSED:
            continue  # refused as a commit of nothing
        with lab.judge("IRC-REQ-002"):
            expect.status(reply, 409, mutation=EXISTS)
            expect_no_change(lab, before)


@check("IRC-REQ-003")
def creating_incomplete_tables_returns_400(lab: CatalogLab) -> None:
    """A creating commit without a schema or a location returns 400 and creates nothing."""
    home = lab.make_namespace()
    creating_works(lab, home)
    # Without set-current-schema, servers take the only schema.
    lacking: tuple[tuple[str, ...], ...] = (
        ("add-schema", "set-current-schema"),
        ("add-schema",),
        ("set-location",),
        ("add-schema", "set-current-schema", "set-location"),
        (),
    )
    for left_out in lab.each(lacking):
        slot = free_slot(lab, home)
        updates = [
            update
            for update in creation(slot, str(uuid.uuid4()))
            if left_out and update["action"] not in left_out
        ]
        reply = create(lab, slot, updates)
        with lab.judge("IRC-REQ-003"):
            expect.status(
                reply,
                400,
                about=f"for a new table without {', '.join(left_out) or 'any update'}",
                mutation=Wrong.MISSING("/".join(["/updates", *left_out[:1]])),
            )
            expect.not_found(lab.send(op.load_table, **slot.at), "table")


@check("IRC-REQ-004")
def assert_create_with_other_requirements_is_refused(lab: CatalogLab) -> None:
    """A commit with assert-create and another requirement returns 400 or 409 if the table
    exists.
    """
    table = lab.table_with_snapshot()
    others = (
        req.assert_uuid(table.uuid),
        req.assert_ref("main", table.member("current-snapshot-id")),
        req.assert_ref("none", None),
    )
    for other in lab.each(others):
        for requirements in lab.each(([req.ASSERT_CREATE, other], [other, req.ASSERT_CREATE])):
            reply = lab.try_commit(table, req.HARMLESS, requirements=requirements)
            with lab.judge("IRC-REQ-004"):
                expect.status(reply, 400, 409, mutation=EXISTS)


@check("IRC-REQ-005")
def creating_commits_in_missing_namespaces_return_404(lab: CatalogLab) -> None:
    """A creating commit in a missing namespace returns 404 and does not create the namespace."""
    home = lab.make_namespace()
    slot = free_slot(lab, home)
    missing = [(lab.name(),), *([(*home, lab.name())] if lab.child_of(home) else [])]
    for nowhere in lab.each(missing):
        astray = FreeTableSlot(nowhere, slot.name, slot.location)
        lab.add_cleanup(partial(lab.send, op.drop_namespace, namespace=nowhere))
        lab.drop_afterwards(nowhere, slot.name)
        reply = create(lab, astray, creation(astray, str(uuid.uuid4())))
        with lab.judge("IRC-REQ-005"):
            expect.not_found(reply, "namespace")
            expect.not_found(lab.send(op.load_namespace_metadata, namespace=nowhere), "namespace")


@check("IRC-TBL-STAGE-005", "IRC-UPD-045")
def created_tables_keep_their_refs(lab: CatalogLab) -> None:
    """A table that a commit creates with a snapshot, main and a tag has all of them."""
    expect_history(lab)
    home = lab.make_namespace()
    creating_works(lab, home)
    like = lab.append(lab.make_table(home))
    slot = free_slot(lab, home)
    snapshot = slot.snapshot(lab, like)
    at = snapshot["snapshot-id"]
    more = [
        {"action": "add-snapshot", "snapshot": snapshot},
        set_ref("main", at),
        set_ref("kept", at, kind="tag"),
    ]
    reply = create(lab, slot, [*creation(slot, str(uuid.uuid4())), *more])

    with lab.judge("IRC-TBL-STAGE-005", "IRC-UPD-045"):
        expect.status(reply, 200)
        load = lab.send(op.load_table, **slot.at)
        expect.status(load, 200)
        table = Table(slot.namespace, slot.name, load)
        expect.equal(
            [at],
            [snapshot.get("snapshot-id") for snapshot in table.member("snapshots")],
            "snapshots",
            at=table.place("snapshots"),
        )
        refs = {
            name: (ref.get("type"), ref.get("snapshot-id"))
            for name, ref in (table.metadata.get("refs") or {}).items()
        }
        expect.equal(
            {"main": ("branch", at), "kept": ("tag", at)}, refs, "refs", at=table.place("refs")
        )


@check("IRC-UPD-005")
def created_tables_have_the_requested_version(lab: CatalogLab) -> None:
    """A table that a commit creates with format version 3 has that version."""
    if not lab.feature("format-v3"):
        lab.skip("IRC-UPD-005", "the target makes no tables of format version 3")
        return
    upd.table_of_version(lab, 3)
    slot = free_slot(lab, lab.make_namespace())
    creating_works(lab, slot.namespace)
    whole = creation(slot, str(uuid.uuid4()))
    reply = create(
        lab,
        slot,
        [
            upd.upgrade_format_version(3) if one["action"] == "upgrade-format-version" else one
            for one in whole
        ],
    )

    with lab.judge("IRC-UPD-005"):
        expect.status(reply, 200)
        after = lab.send(op.load_table, **slot.at)
        expect.member(3, after.place("metadata", "format-version"))
