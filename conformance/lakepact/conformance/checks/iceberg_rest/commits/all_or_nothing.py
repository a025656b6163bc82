"""Checks that a commit is applied in order and as a whole, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lakepact.conformance.checks.iceberg_rest.kit.commits.requirements import (
    HARMLESS,
    NOBODY,
    Assertion,
    assert_last_partition,
    assert_ref,
    assert_schema,
    assert_uuid,
    judge_answers,
    refused_alone,
    stale,
)
from lakepact.conformance.checks.iceberg_rest.kit.commits.updates import (
    LAST_ADDED,
    NOT_ADDED,
    NOWHERE,
    add_schema,
    add_snapshot,
    add_sort_order,
    add_spec,
    changed,
    columns,
    current_schema,
    impossible,
    next_column,
    next_field,
    partition_field,
    remove_properties,
    remove_ref,
    schema_with,
    set_current_schema,
    set_default_sort_order,
    set_default_spec,
    sort_field,
)
from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Table, set_properties, set_ref
from lakepact.conformance.checks.iceberg_rest.kit.steps import history_is_kept
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import properties_of, unchanged
from lakepact.conformance.checks.iceberg_rest.suite import check
from lakepact.conformance.judging import expect

Update = Mapping[str, Any]

ACCEPTED = 200
UNASSIGNED = 1  #: an id that no partition field has


def evolution(table: Table) -> list[Update]:
    """Updates that widen the schema and set a property."""
    return [
        set_properties(half="done"),
        add_schema(schema_with(table, next_column(table, "more"))),
        set_current_schema(LAST_ADDED),
    ]


def moving(lab: CatalogLab, table: Table) -> list[Update]:
    """Updates that add a snapshot and move main to it."""
    snapshot = lab.snapshot(table)
    return [add_snapshot(snapshot), set_ref("main", snapshot["snapshot-id"])]


@check("IRC-COM-004")
def failed_requirements_change_nothing(lab: CatalogLab) -> None:
    """A commit with one failed requirement changes nothing, for every kind of update."""
    table = lab.append(lab.make_table())
    before = lab.load(table)
    holds, fails = assert_uuid(table.uuid), assert_ref("main", None)
    commits: tuple[tuple[Assertion, list[Assertion], list[Update]], ...] = (
        (fails, [fails], [HARMLESS]),
        (fails, [fails], evolution(table)),
        (fails, [holds, fails], moving(lab, table)),
        (fails, [fails, holds], [*evolution(table), *moving(lab, table)]),
        (other := assert_schema(NOWHERE), [holds, other], [HARMLESS]),
        (other := assert_last_partition(UNASSIGNED), [holds, other], [remove_ref("main")]),
        (other := assert_uuid(NOBODY), [other], moving(lab, table)),
    )
    for failing, requirements, updates in lab.each(commits):
        reply = lab.try_commit(table, *updates, requirements=requirements)
        with lab.judge("IRC-COM-004"):
            if reply.status < 400:
                refused_alone(lab, table, requirements, stale(failing))
            unchanged(lab, before)
        if reply.status < 400:
            before = lab.load(table)


@check("IRC-COM-006")
def every_requirement_is_checked(lab: CatalogLab) -> None:
    """A commit with one failed requirement returns 409, at any position among others."""
    table = lab.append(lab.make_table())
    at = table.member("current-snapshot-id")
    holds = [assert_uuid(table.uuid), assert_ref("main", at), assert_schema(table.member("current-schema-id"))]
    for fails in (assert_ref("gone", at), assert_last_partition(UNASSIGNED)):
        cases = {
            f"{fails['type']} fails at position {position + 1} of {len(holds) + 1}": [*holds[:position], fails, *holds[position:]]
            for position in range(len(holds) + 1)
        }
        judge_answers(lab, "IRC-COM-006", table, cases=cases, allowed=[409], several=True, mutation=stale(fails))


@check("IRC-COM-010")
def properties_change_in_order(lab: CatalogLab) -> None:
    """Several updates of one property in a commit apply in order: the last one decides."""
    table = lab.make_table(properties={"kept": "old", "gone": "old"})

    with lab.judge("IRC-COM-010"):
        after = changed(
            lab,
            table,
            set_properties(twice="first"),
            set_properties(twice="second"),
            set_properties(fleeting="here"),
            remove_properties("fleeting"),
            remove_properties("kept"),
            set_properties(kept="new"),
            set_properties(gone="new"),
            remove_properties("gone"),
        )
        properties = properties_of(after)
        expected = {"twice": "second", "fleeting": None, "kept": "new", "gone": None}
        expect.equal(expected, {key: properties.get(key) for key in expected}, "properties", at=after.place("properties"))


@check("IRC-COM-010")
def updates_see_earlier_updates_of_the_commit(lab: CatalogLab) -> None:
    """An update may refer to earlier updates of the same commit, and not to later ones."""
    table = lab.make_table()
    first, second = next_column(table, "first", "long"), next_column(table, "second", skip=1)

    with lab.judge("IRC-COM-010"):
        after = changed(
            lab,
            table,
            add_schema(schema_with(table, first)),
            add_schema(schema_with(table, first, second, skip=1)),
            set_current_schema(LAST_ADDED),
            add_spec(partition_field(first["id"], "bucket[4]", "first_bucket", field_id=next_field(table))),
            set_default_spec(LAST_ADDED),
            add_sort_order(sort_field(second["id"])),
            set_default_sort_order(LAST_ADDED),
        )
        expect.contains(
            "second", columns(current_schema(after)), "columns of the current schema, which was added last,", at=after.place("schemas")
        )
        default = [spec for spec in after.member("partition-specs") if spec["spec-id"] == after.member("default-spec-id")]
        names = [field["name"] for spec in default for field in spec["fields"]]
        expect.equal(["first_bucket"], names, "partition fields of the default spec", at=after.place("partition-specs"))
    third = schema_with(table, next_column(table, "third", skip=2), skip=2)
    backwards = lab.try_commit(table, set_current_schema(LAST_ADDED), add_schema(third))
    with lab.judge("IRC-COM-010"):
        with lab.step("IRC-UPD-019"):
            expect.refused(lab.try_commit(table, set_current_schema(LAST_ADDED)), mutation=NOT_ADDED)
        expect.refused(backwards, mutation=NOT_ADDED)


@check("IRC-COM-010")
def refs_move_in_order(lab: CatalogLab) -> None:
    """Several updates of one ref in a commit apply in order: the last one decides."""
    table = lab.append(lab.make_table())
    history_is_kept(lab)
    older, snapshot = table.member("current-snapshot-id"), lab.snapshot(table)
    newer = snapshot["snapshot-id"]

    with lab.judge("IRC-COM-010") as case:
        after = changed(
            lab,
            table,
            add_snapshot(snapshot),
            set_ref("there", newer),
            set_ref("there", older),
            set_ref("fleeting", newer, kind="tag"),
            remove_ref("fleeting"),
            set_ref("back", older),
            remove_ref("back"),
            set_ref("back", newer, kind="tag"),
            set_ref("main", newer),
        )
        refs = after.member("refs")
        expected = {"there": older, "back": newer, "main": newer}
        expect.equal(
            expected, {name: refs.get(name, {}).get("snapshot-id") for name in expected}, "snapshots of refs", at=after.place("refs")
        )
        with case():
            with lab.step("IRC-UPD-056"):
                answer = changed(lab, table, remove_ref("there"))
                expect.lacks("there", answer.member("refs"), "refs", at=answer.place("refs"))
            expect.lacks("fleeting", refs, "refs", at=after.place("refs"))


@check("IRC-COM-011")
def invalid_updates_change_nothing(lab: CatalogLab) -> None:
    """A commit with one update that cannot be applied changes nothing, at any position among others."""
    table = lab.append(lab.make_table())
    before = lab.load(table)
    for requirement, mutation, bad in lab.each(impossible(table).values()):
        good = [*evolution(table), *moving(lab, table)]
        for position in lab.each((0, 3, len(good))):
            reply = lab.try_commit(table, *good[:position], *bad, *good[position:])
            with lab.judge("IRC-COM-011"):
                if reply.status < 400:  # it may still have been refused alone
                    lab.disown(reply.exchange)
                    with lab.step(requirement):
                        expect.refused(lab.try_commit(table, *bad), mutation=mutation)
                unchanged(lab, before)
            if reply.status < 400:
                before = lab.load(table)
