"""Checks of commits that create their table: the requirement `assert-create`."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.conformance import expect
from lakepact.conformance.checks.iceberg_rest.lab import SCHEMA, Namespace, Table, set_properties, set_ref
from lakepact.conformance.checks.iceberg_rest.suite import check
from lakepact.conformance.checks.iceberg_rest.table_requirements import ASSERT_CREATE, HARMLESS, assert_ref, assert_uuid
from lakepact.conformance.checks.iceberg_rest.table_states import properties_of, unchanged
from lakepact.conformance.checks.iceberg_rest.table_updates import (
    LAST_ADDED,
    add_schema,
    add_sort_order,
    add_spec,
    assign_uuid,
    columns,
    current_schema,
    set_current_schema,
    set_default_sort_order,
    set_default_spec,
    set_location,
    table_of_version,
    upgrade_format_version,
)
from lakepact.conformance.outcome import Blocked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakepact.conformance.checks.iceberg_rest.lab import CatalogLab
    from lakepact.conformance.exchanges import Reply

REFUSED = 400  #: the status of who makes no commits of nothing


@dataclass(frozen=True)
class Plot:
    """A name that no table has, and a place where the target lets a table of that name lie."""

    namespace: Namespace
    name: str
    location: str

    @property
    def at(self) -> dict[str, Any]:
        """The arguments that address the table to be."""
        return {"namespace": self.namespace, "table": self.name}

    def snapshot(self, lab: CatalogLab, like: Table, **members: Any) -> dict[str, Any]:
        """The first snapshot of the table to be, of format version 2 like all of `creation`, with its manifest list where it will lie."""
        snapshot = lab.snapshot(like, parent_snapshot_id=None, sequence_number=1, first_row_id=None, added_rows=None, **members)
        return {**snapshot, "manifest-list": f"{self.location}/metadata/snap-{snapshot['snapshot-id']}.avro"}


def plot(lab: CatalogLab, namespace: Namespace) -> Plot:
    """A free name, and where the target would put a table of that name: as staging it says, or else beside one that it made itself."""
    name = lab.name()
    lab.drop_afterwards(namespace, name)
    if lab.feature("stage-create"):
        staged = lab.send("createTable", namespace=namespace, body=lab.table_request(name, stage_create=True))
        if staged.status == 200 and lab.send("loadTable", namespace=namespace, table=name).status == 404:
            return Plot(namespace, name, staged.at("metadata", "location"))
    further = lab.name()
    lab.drop_afterwards(namespace, further)
    return Plot(namespace, further, f"{lab.make_table(namespace).location}-{further}")


def creation(ground: Plot, table_uuid: str) -> list[dict[str, Any]]:
    """All that a new table needs, as clients send it."""
    return [
        assign_uuid(table_uuid),
        upgrade_format_version(2),
        add_schema(SCHEMA, last_column_id=len(SCHEMA["fields"])),
        set_current_schema(LAST_ADDED),
        add_spec(spec_id=0),
        set_default_spec(LAST_ADDED),
        add_sort_order(order_id=0),
        set_default_sort_order(LAST_ADDED),
        set_location(ground.location),
        set_properties(made="by a commit"),
    ]


def create(lab: CatalogLab, ground: Plot, updates: Sequence[dict[str, Any]]) -> Reply:
    """The answer to a commit that creates a table."""
    return lab.send("updateTable", body={"requirements": [ASSERT_CREATE], "updates": list(updates)}, **ground.at)


def creating_works(lab: CatalogLab, namespace: Namespace) -> None:
    """See that a commit creates a table that nobody has staged, for checks of more than that.

    Raises:
        Blocked: it does not, which IRC-REQ-001 is judged by.
    """
    staged = plot(lab, namespace)
    bare = Plot(namespace, lab.name(), f"{staged.location}-bare")
    lab.drop_afterwards(namespace, bare.name)
    reply = create(lab, bare, creation(bare, str(uuid.uuid4())))
    if reply.status != 200:
        raise Blocked(f"no commit creates a table that was not staged (IRC-REQ-001): {reply.shown}")


@check("IRC-REQ-001")
def commits_create_tables(lab: CatalogLab) -> None:
    """A commit can create a table, and can create it anew after it was dropped."""
    ground = plot(lab, lab.make_namespace())
    for _ in range(2):
        table_uuid = str(uuid.uuid4())
        reply = create(lab, ground, creation(ground, table_uuid))
        with lab.judge("IRC-REQ-001"):
            expect.status(reply, 200)
            loaded = lab.send("loadTable", **ground.at)
            expect.status(loaded, 200)
            table = Table(ground.namespace, ground.name, loaded)
            expect.equal(table_uuid, table.uuid.lower(), "the assigned table-uuid, in whatever case,")
            expect.equal(
                [field["name"] for field in SCHEMA["fields"]], list(columns(current_schema(table))), "columns of the current schema"
            )
            expect.equal("by a commit", properties_of(table).get("made"), "the property")
        lab.dropped(**ground.at)


@check("IRC-REQ-002")
def commits_do_not_create_over_tables(lab: CatalogLab) -> None:
    """A commit that creates a table conflicts with the table that exists, and leaves it as it was."""
    table = lab.append(lab.make_table())
    before = lab.load(table)
    ground = Plot(table.namespace, table.name, table.location)
    whole = creation(ground, str(uuid.uuid4()))
    for updates in (whole, [update for update in whole if update["action"] != "assign-uuid"], [HARMLESS], []):
        reply = create(lab, ground, updates)
        if not updates and reply.status == REFUSED:
            continue  # who refuses commits of nothing need not look further
        with lab.judge("IRC-REQ-002"):
            expect.status(reply, 409)
            unchanged(lab, before)


@check("IRC-REQ-003")
def incomplete_tables_are_not_created(lab: CatalogLab) -> None:
    """A commit that creates a table brings a schema, a current one and a location; else it is refused and nothing is created."""
    home = lab.make_namespace()
    creating_works(lab, home)
    lacking = (
        {"add-schema", "set-current-schema"},
        {"add-schema"},
        {"set-current-schema"},
        {"set-location"},
        {"add-schema", "set-current-schema", "set-location"},
    )
    for left_out in lacking:
        ground = plot(lab, home)
        updates = [update for update in creation(ground, str(uuid.uuid4())) if update["action"] not in left_out]
        reply = create(lab, ground, updates)
        with lab.judge("IRC-REQ-003"):
            expect.status(reply, 400, about=f"for a new table without {', '.join(sorted(left_out))}")
            expect.status(lab.send("loadTable", **ground.at), 404)
    ground = plot(lab, home)
    reply = create(lab, ground, [])
    with lab.judge("IRC-REQ-003"):
        expect.status(reply, 400, about="for a new table without any update")
        expect.status(lab.send("loadTable", **ground.at), 404)


@check("IRC-REQ-004")
def nothing_goes_with_creating(lab: CatalogLab) -> None:
    """A commit that asserts that a table does not exist, and more about it, is never accepted when the table exists."""
    table = lab.append(lab.make_table())
    others = (assert_uuid(table.uuid), assert_ref("main", table.member("current-snapshot-id")), assert_ref("none", None))
    for other in others:
        for requirements in ([ASSERT_CREATE, other], [other, ASSERT_CREATE]):
            reply = lab.commit(table, HARMLESS, requirements=requirements)
            with lab.judge("IRC-REQ-004"):
                expect.status(reply, 400, 409)


@check("IRC-REQ-005")
def creating_makes_no_namespace(lab: CatalogLab) -> None:
    """A commit that creates a table in a namespace that does not exist is refused, and the namespace still does not exist."""
    home = lab.make_namespace()
    ground = plot(lab, home)
    missing = [(lab.name(),), *([(*home, lab.name())] if lab.child_of(home) else [])]
    for nowhere in missing:
        astray = Plot(nowhere, ground.name, ground.location)
        lab.afterwards(partial(lab.send, "dropNamespace", namespace=nowhere))
        lab.drop_afterwards(nowhere, ground.name)
        reply = create(lab, astray, creation(astray, str(uuid.uuid4())))
        with lab.judge("IRC-REQ-005"):
            expect.status(reply, 404)
            expect.status(lab.send("loadNamespaceMetadata", namespace=nowhere), 404)


@check("IRC-TBL-STAGE-005", "IRC-UPD-045")
def created_tables_keep_their_refs(lab: CatalogLab) -> None:
    """A table that a commit creates with a snapshot, with main and with a tag at it has all of them."""
    home = lab.make_namespace()
    creating_works(lab, home)
    like = lab.append(lab.make_table(home))
    ground = plot(lab, home)
    snapshot = ground.snapshot(lab, like)
    at = snapshot["snapshot-id"]
    more = [{"action": "add-snapshot", "snapshot": snapshot}, set_ref("main", at), set_ref("kept", at, kind="tag")]
    reply = create(lab, ground, [*creation(ground, str(uuid.uuid4())), *more])

    with lab.judge("IRC-TBL-STAGE-005", "IRC-UPD-045"):
        expect.status(reply, 200)
        loaded = lab.send("loadTable", **ground.at)
        expect.status(loaded, 200)
        table = Table(ground.namespace, ground.name, loaded)
        expect.equal([at], [one.get("snapshot-id") for one in table.member("snapshots")], "snapshots")
        found = {name: (ref.get("type"), ref.get("snapshot-id")) for name, ref in (table.metadata.get("refs") or {}).items()}
        expect.equal({"main": ("branch", at), "kept": ("tag", at)}, found, "refs")


@check("IRC-UPD-005")
def created_tables_have_their_version(lab: CatalogLab) -> None:
    """A table that a commit creates with format version 3 has it, if the target has tables of that version."""
    if not lab.feature("format-v3"):
        lab.skip("IRC-UPD-005", "the target makes no tables of format version 3")
        return
    table_of_version(lab, 3)
    ground = plot(lab, lab.make_namespace())
    creating_works(lab, ground.namespace)
    whole = creation(ground, str(uuid.uuid4()))
    reply = create(lab, ground, [upgrade_format_version(3) if one["action"] == "upgrade-format-version" else one for one in whole])

    with lab.judge("IRC-UPD-005"):
        expect.status(reply, 200)
        expect.equal(3, lab.send("loadTable", **ground.at).at("metadata", "format-version"), "format-version")
