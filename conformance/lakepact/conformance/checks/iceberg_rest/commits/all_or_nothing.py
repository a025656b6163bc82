"""Checks that a commit is applied in order and as a whole, or not at all."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Members,
    Table,
    check,
    expect,
    req,
    set_properties,
    set_ref,
    states,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.steps import expect_history

UNASSIGNED = 1  #: an id that no partition field has


def evolution(table: Table) -> list[Members]:
    """Updates that widen the schema and set a property."""
    return [
        set_properties(half="done"),
        upd.add_column(table, "more"),
        upd.set_current_schema(upd.LAST_ADDED),
    ]


def moving(lab: CatalogLab, table: Table) -> list[Members]:
    """Updates that add a snapshot and move main to it."""
    snapshot = lab.snapshot(table)
    return [upd.add_snapshot(snapshot), set_ref("main", snapshot["snapshot-id"])]


@check("IRC-COM-004")
def failed_requirements_change_nothing(lab: CatalogLab) -> None:
    """A commit with one failed requirement changes nothing, for every kind of update, nor does the
    next accepted commit apply its updates.
    """
    table = lab.table_with_snapshot()
    before = lab.load(table)
    holds, fails = req.assert_uuid(table.uuid), req.assert_ref("main", None)
    commits: tuple[tuple[req.Assertion, list[req.Assertion], list[Members]], ...] = (
        (fails, [fails], [req.HARMLESS]),
        (fails, [fails], evolution(table)),
        (fails, [holds, fails], moving(lab, table)),
        (fails, [fails, holds], [*evolution(table), *moving(lab, table)]),
        (other := req.assert_schema(upd.NOWHERE), [holds, other], [req.HARMLESS]),
        (other := req.assert_last_partition(UNASSIGNED), [holds, other], [upd.remove_ref("main")]),
        (other := req.assert_uuid(req.NOBODY), [other], moving(lab, table)),
    )
    for failing, requirements, updates in lab.each(commits):
        reply = lab.try_commit(table, *updates, requirements=requirements)
        with lab.judge("IRC-COM-004"):
            if reply.status < 400:
                req.expect_refusal_alone(lab, table, requirements, req.stale(failing))
            states.expect_no_change(lab, before)
        if reply.status < 400:
            before = lab.load(table)
    lab.commit(table, set_ref("later", before.member("current-snapshot-id"), kind="tag"))
    after = lab.load(table)
    with lab.judge("IRC-COM-004"):
        states.assert_same_table(
            lab, before, after, ignore=("refs", *states.BOOKKEEPING, states.LOCATION)
        )


@check("IRC-COM-006")
def every_requirement_is_checked(lab: CatalogLab) -> None:
    """A commit with one failed requirement returns 409, at any position among others."""
    table = lab.table_with_snapshot()
    at = table.member("current-snapshot-id")
    holds = [
        req.assert_uuid(table.uuid),
        req.assert_ref("main", at),
        req.assert_schema(table.member("current-schema-id")),
    ]
    for fails in lab.each((req.assert_ref("gone", at), req.assert_last_partition(UNASSIGNED))):
        cases = {
            f"{fails['type']} fails at position {position + 1} of {len(holds) + 1}": [
                *holds[:position],
                fails,
                *holds[position:],
            ]
            for position in range(len(holds) + 1)
        }
        req.Commits(lab, table).judge(
            "IRC-COM-006", cases, 409, several=True, mutation=req.stale(fails)
        )


@check("IRC-COM-010")
def properties_change_in_order(lab: CatalogLab) -> None:
    """Several updates of one property in a commit apply in order: the last one decides."""
    table = lab.make_table(properties={"kept": "old", "gone": "old"})

    with lab.judge("IRC-COM-010"):
        after = lab.commit_and_load(
            table,
            set_properties(twice="first"),
            set_properties(twice="second"),
            set_properties(fleeting="here"),
            upd.remove_properties("fleeting"),
            upd.remove_properties("kept"),
            set_properties(kept="new"),
            set_properties(gone="new"),
            upd.remove_properties("gone"),
        )
        properties = states.properties_of(after)
        expected = {"twice": "second", "fleeting": None, "kept": "new", "gone": None}
        expect.includes(
            expected,
            properties,
            "properties",
            at=after.place("properties"),
        )


@check("IRC-COM-010")
def updates_see_earlier_updates_of_the_commit(lab: CatalogLab) -> None:
    """An update may refer to earlier updates of the same commit, and not to later ones."""
    table = lab.make_table()
    first = upd.next_column(table, "first", "long")
    second = upd.next_column(table, "second", skip=1)

    with lab.judge("IRC-COM-010"):
        after = lab.commit_and_load(
            table,
            upd.add_schema(upd.schema_with(table, first)),
            upd.add_schema(upd.schema_with(table, first, second, skip=1)),
            upd.set_current_schema(upd.LAST_ADDED),
            upd.add_spec(
                upd.partition_field(
                    first["id"], "bucket[4]", "first_bucket", field_id=upd.next_field(table)
                )
            ),
            upd.set_default_spec(upd.LAST_ADDED),
            upd.add_sort_order(upd.sort_field(second["id"])),
            upd.set_default_sort_order(upd.LAST_ADDED),
        )
        expect.contains(
            "second",
            upd.columns(upd.current_schema(after)),
            "columns of the current schema, which was added last,",
            at=after.place("schemas"),
        )
        default = [
            spec
            for spec in after.member("partition-specs")
            if spec["spec-id"] == after.member("default-spec-id")
        ]
        names = [field["name"] for spec in default for field in spec["fields"]]
        expect.equal(
            ["first_bucket"],
            names,
            "partition fields of the default spec",
            at=after.place("partition-specs"),
        )
    third = upd.schema_with(table, upd.next_column(table, "third", skip=2), skip=2)
    backwards = lab.try_commit(table, upd.set_current_schema(upd.LAST_ADDED), upd.add_schema(third))
    with lab.judge("IRC-COM-010"):
        with lab.step("IRC-UPD-019"):
            expect.refusal(
                lab.try_commit(table, upd.set_current_schema(upd.LAST_ADDED)),
                mutation=upd.NOT_ADDED,
            )
        expect.refusal(backwards, mutation=upd.NOT_ADDED)


@check("IRC-COM-010")
def refs_move_in_order(lab: CatalogLab) -> None:
    """Several updates of one ref in a commit apply in order: the last one decides."""
    table = lab.table_with_snapshot()
    expect_history(lab)
    older, snapshot = table.member("current-snapshot-id"), lab.snapshot(table)
    newer = snapshot["snapshot-id"]

    with lab.judge("IRC-COM-010") as case:
        after = lab.commit_and_load(
            table,
            upd.add_snapshot(snapshot),
            set_ref("there", newer),
            set_ref("there", older),
            set_ref("fleeting", newer, kind="tag"),
            upd.remove_ref("fleeting"),
            set_ref("back", older),
            upd.remove_ref("back"),
            set_ref("back", newer, kind="tag"),
            set_ref("main", newer),
        )
        refs = after.member("refs")
        expected = {"there": older, "back": newer, "main": newer}
        expect.equal(
            expected,
            {name: refs.get(name, {}).get("snapshot-id") for name in expected},
            "snapshots of refs",
            at=after.place("refs"),
        )
        with case():
            with lab.step("IRC-UPD-056"):
                answer = lab.commit_and_load(table, upd.remove_ref("there"))
                expect.lacks("there", answer.member("refs"), "refs", at=answer.place("refs"))
            expect.lacks("fleeting", refs, "refs", at=after.place("refs"))


@check("IRC-COM-011")
def invalid_updates_change_nothing(lab: CatalogLab) -> None:
    """A commit with one update that cannot be applied changes nothing, at any position among
    others.
    """
    table = lab.table_with_snapshot()
    before = lab.load(table)
    for what, (requirement, mutation, bad) in lab.each(upd.impossible(table).items()):
        good = [*evolution(table), *moving(lab, table)]
        for position in lab.each((0, 3, len(good))):
            reply = lab.try_commit(table, *good[:position], *bad, *good[position:])
            with lab.judge("IRC-COM-011"):
                if (
                    reply.status < 400
                ):  # it may still be refused alone, on a table that it did not change
                    lab.disown(reply.exchange)
                    other = lab.table_with_snapshot()
                    with lab.step(requirement):
                        expect.refusal(
                            lab.try_commit(other, *upd.impossible(other)[what][2]),
                            mutation=mutation,
                        )
                states.expect_no_change(lab, before)
            if reply.status < 400:
                before = lab.load(table)
