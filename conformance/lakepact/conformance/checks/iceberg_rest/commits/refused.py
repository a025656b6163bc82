"""Checks of commits that say what cannot be understood, or what can never be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import CatalogLab, Reply, Table, check, expect, op, set_properties, set_ref
from lakepact.conformance.checks.iceberg_rest.kit.commits.requirements import (
    HARMLESS,
    NOBODY,
    UNKNOWN_REQUIREMENT,
    UNKNOWN_TYPE,
    Assertion,
    Cases,
    assert_ref,
    assert_uuid,
    judge_answers,
)
from lakepact.conformance.checks.iceberg_rest.kit.commits.updates import (
    DOWNGRADE,
    LAST_ADDED,
    NOT_ADDED,
    UNKNOWN_ACTION,
    UNKNOWN_UPDATE,
    UNSUPPORTED,
    Refusal,
    add_schema,
    add_snapshot,
    current_schema,
    impossible,
    judge_refusals,
    next_column,
    schema_with,
    set_current_schema,
    table_of_version,
    unknown_id,
    upgrade_format_version,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import properties_of, unchanged
from lakepact.conformance.evidence.outcome import LOWEST_ERROR, Mutation, Wrong, wrong_type

Update = Mapping[str, Any]


def _judge_bodies(lab: CatalogLab, requirement: str, table: Table, bodies: Mapping[str, Any], mutation: Mutation) -> None:
    """Judge a requirement by bodies that have to be answered with 400."""
    for wrong, body in lab.each(bodies.items()):
        reply = lab.send(op.update_table, body=body, **table.at)
        with lab.judge(requirement):
            expect.status(reply, 400, about=f"for {wrong}", mutation=mutation)


@check("IRC-COM-003")
def commits_without_updates_or_requirements_return_400(lab: CatalogLab) -> None:
    """A commit without `updates` or `requirements` as arrays returns 400; accepting missing requirements is a warning."""
    table = lab.make_table()
    wrong: dict[str, Any] = {
        f"{expect.shown(value)} as updates": {"requirements": [], "updates": value} for value in (None, {}, HARMLESS, "none", 0)
    }
    _judge_bodies(lab, "IRC-COM-003", table, {"no updates": {"requirements": []}}, Mutation(Wrong.MISSING, "/updates"))
    _judge_bodies(lab, "IRC-COM-003", table, wrong, wrong_type("/updates"))
    wrong = {
        f"{expect.shown(value)} as requirements": {"requirements": value, "updates": [HARMLESS]}
        for value in ({}, assert_uuid(table.uuid), "none", 0)
    }
    _judge_bodies(lab, "IRC-COM-003", table, wrong, wrong_type("/requirements"))
    without: tuple[dict[str, Any], ...] = ({"updates": [HARMLESS]}, {"requirements": None, "updates": [HARMLESS]})
    for body in lab.each(without):
        reply = lab.send(op.update_table, body=body, **table.at)
        if reply.status == 200:
            lab.warn(
                "IRC-COM-003", expected="status 400 for a commit without requirements", actual="status 200: the commit is unconditional"
            )
            continue
        with lab.judge("IRC-COM-003"):
            expect.status(reply, 400, mutation=Mutation(Wrong.MISSING, "/requirements"))


@check("IRC-COM-007")
def commits_with_unknown_requirements_return_400(lab: CatalogLab) -> None:
    """A commit with an unknown requirement returns 400, alone or among others, and changes nothing."""
    table = lab.make_table()
    before, holds = lab.load(table), assert_uuid(table.uuid)
    known_but_in_part = {"type": "assert-ref", "ref": "main", "snapshot-id": None}
    for requirements in lab.each(
        (
            [UNKNOWN_REQUIREMENT],
            [holds, UNKNOWN_REQUIREMENT],
            [UNKNOWN_REQUIREMENT, holds],
            [known_but_in_part],
            [{"type": ""}],
        )
    ):
        for updates in lab.each(([HARMLESS], [])):
            reply = lab.try_commit(table, *updates, requirements=requirements)
            with lab.judge("IRC-COM-007"):
                expect.status(reply, 400, mutation=UNKNOWN_TYPE)
                unchanged(lab, before)


@check("IRC-COM-008")
def commits_with_unknown_updates_return_400(lab: CatalogLab) -> None:
    """A commit with an unknown update returns 400, at any position among others, and changes nothing."""
    table = lab.make_table()
    before = lab.load(table)
    more = [add_schema(schema_with(table, next_column(table, "more"))), set_current_schema(LAST_ADDED)]
    commits: tuple[list[Update], ...] = (
        [UNKNOWN_UPDATE],
        [HARMLESS, UNKNOWN_UPDATE],
        [UNKNOWN_UPDATE, HARMLESS],
        [HARMLESS, UNKNOWN_UPDATE, *more],
        [*more, HARMLESS, UNKNOWN_UPDATE],
        [HARMLESS, {**HARMLESS, "action": "set-property"}],
        [HARMLESS, {**HARMLESS, "action": ""}],
    )
    for updates in lab.each(commits):
        reply = lab.try_commit(table, *updates, requirements=[assert_uuid(table.uuid)])
        with lab.judge("IRC-COM-008"):
            expect.status(reply, 400, mutation=UNKNOWN_ACTION)
            unchanged(lab, before)


@check("IRC-COM-009")
def unknown_members_return_400_before_conflicts(lab: CatalogLab) -> None:
    """A commit with an unknown update or requirement returns 400, even if another requirement fails."""
    table = lab.make_table()
    fails = assert_uuid(NOBODY)
    cases: Cases = {
        "a requirement behind the one that fails is unknown": [fails, UNKNOWN_REQUIREMENT],
        "a requirement before the one that fails is unknown": [UNKNOWN_REQUIREMENT, fails],
    }
    judge_answers(lab, "IRC-COM-009", table, cases=cases, allowed=[400], mutation=UNKNOWN_TYPE)
    cases = {"an update is unknown and a requirement fails": [fails]}
    updates = [HARMLESS, UNKNOWN_UPDATE]
    judge_answers(lab, "IRC-COM-009", table, cases=cases, allowed=[400], updates=updates, mutation=UNKNOWN_ACTION)


@check("IRC-COM-016")
def updates_and_requirements_need_a_type(lab: CatalogLab) -> None:
    """A commit with an update without `action`, or a requirement without `type`, returns 400."""
    table = lab.make_table()
    updates: tuple[Update, ...] = (
        {},
        {"updates": {"a": "b"}},
        {"removals": []},
        {"location": table.location},
        {"type": "set-properties", "updates": {"a": "b"}},
    )
    requirements: tuple[Assertion, ...] = (
        {},
        {"uuid": table.uuid},
        {"ref": "main", "snapshot-id": None},
        {"action": "assert-table-uuid", "uuid": table.uuid},
    )
    bodies = {
        f"the update {expect.shown(update)} without action": {"requirements": [], "updates": [HARMLESS, update]} for update in updates
    }
    _judge_bodies(lab, "IRC-COM-016", table, bodies, Mutation(Wrong.MISSING, "/updates/*/action"))
    bodies = {f"the requirement {expect.shown(one)} without type": {"requirements": [one], "updates": [HARMLESS]} for one in requirements}
    _judge_bodies(lab, "IRC-COM-016", table, bodies, Mutation(Wrong.MISSING, "/requirements/*/type"))


@check("IRC-COM-018")
def view_updates_on_tables_are_refused(lab: CatalogLab) -> None:
    """A table commit with an update that only views have returns 400 or 406."""
    table = lab.make_table()
    version = {
        "version-id": 1,
        "timestamp-ms": table.member("last-updated-ms"),
        "schema-id": 0,
        "summary": {"engine-name": "lakepact"},
        "representations": [{"type": "sql", "sql": "select 1", "dialect": "spark"}],
        "default-namespace": list(table.namespace),
    }
    adding, setting = (
        {"action": "add-view-version", "view-version": version},
        {"action": "set-current-view-version", "view-version-id": LAST_ADDED},
    )
    cases: dict[str, Refusal] = {
        "add-view-version": (OF_VIEWS, [adding]),
        "set-current-view-version": (OF_VIEWS, [setting]),
        "both of them": (OF_VIEWS, [adding, setting]),
        "both of them behind another update": (OF_VIEWS, [HARMLESS, adding, setting]),
    }
    judge_refusals(lab, "IRC-COM-018", table, cases, allowed=UNSUPPORTED)


@check("IRC-COM-019")
def view_requirements_on_tables_are_refused(lab: CatalogLab) -> None:
    """A table commit with assert-view-uuid returns 400 or 406, even with the UUID of the table."""
    table = lab.make_table()
    for_views = {"type": "assert-view-uuid", "uuid": table.uuid}
    cases: Cases = {
        "the table's UUID is asserted as a view's": for_views,
        "another UUID is asserted as a view's": {**for_views, "uuid": NOBODY},
        "assert-view-uuid stands beside a requirement that holds": [assert_uuid(table.uuid), for_views],
    }
    judge_answers(lab, "IRC-COM-019", table, cases=cases, allowed=UNSUPPORTED, mutation=OF_VIEWS)


CONFLICTING = 409
OF_VIEWS = Mutation(Wrong.VALUE, "update or requirement of views")


def _expect_refusal(lab: CatalogLab, reply: Reply, requirement: str, mutation: Mutation, *, about: str) -> None:
    """Expect status 400; another refusal than 409, or none, belongs to the requirement about the update."""
    if reply.status != CONFLICTING:
        with lab.step(requirement):
            expect.status(reply, 400, about=about, mutation=mutation)
    expect.status(reply, 400, about=about, mutation=mutation)


@check("IRC-COM-023")
def commits_that_cannot_succeed_return_400(lab: CatalogLab) -> None:
    """A commit that no retry can help returns 400, not 409, with or without requirements that hold."""
    table = lab.append(table_of_version(lab, 2))
    tag = unknown_id(set_ref("tag", 1, kind="tag"), "snapshot-id")
    cases: dict[str, tuple[str, Mutation, Sequence[Update]]] = {
        **impossible(table),
        "a tag at an unknown snapshot": ("IRC-UPD-046", *tag),
        "a last added schema that was not added": ("IRC-UPD-019", NOT_ADDED, [set_current_schema(LAST_ADDED)]),
        "a lower format version": ("IRC-UPD-007", DOWNGRADE, [upgrade_format_version(1)]),
    }
    for wrong, (requirement, mutation, updates) in lab.each(cases.items()):
        reply = lab.try_commit(table, *updates)
        with lab.judge("IRC-COM-023"):
            _expect_refusal(lab, reply, requirement, mutation, about=f"for {wrong}")
    is_spoilt = True
    for wrong, (requirement, mutation, updates) in lab.each(cases.items()):
        if is_spoilt:  # by a commit that was accepted: its requirements would not hold any more
            table = lab.append(table_of_version(lab, 2))
        holds = [assert_uuid(table.uuid), assert_ref("main", table.member("current-snapshot-id"))]
        reply = lab.try_commit(table, HARMLESS, *updates, requirements=holds)
        is_spoilt = reply.status < LOWEST_ERROR
        with lab.judge("IRC-COM-023"):
            _expect_refusal(lab, reply, requirement, mutation, about=f"for {wrong} although all requirements hold")


@check("IRC-COM-025")
def unknown_commit_members_are_ignored(lab: CatalogLab) -> None:
    """A commit with unknown members in its updates and requirements returns 200 and is applied."""
    table = lab.make_table()
    extra = {"x-lakepact": True, "comment": {"by": ["lakepact"]}}
    for requirement in lab.each((assert_uuid(table.uuid), assert_ref("main", None))):
        reply = lab.try_commit(table, HARMLESS, requirements=[{**requirement, **extra}])
        with lab.judge("IRC-COM-025"):
            expect.status(reply, 200, about=f"for {requirement['type']} with further members")
    snapshot = lab.snapshot(table)
    updates = (
        set_properties(extra="seen"),
        add_schema(schema_with(table, next_column(table, "extra"))),
        add_snapshot(snapshot),
        set_ref("main", snapshot["snapshot-id"]),
    )
    for update in lab.each(updates):
        reply = lab.try_commit(table, {**update, **extra})
        with lab.judge("IRC-COM-025"):
            expect.status(reply, 200, about=f"for {update['action']} with further members")
    with lab.judge("IRC-COM-025"):
        after = lab.load(table)
        expect.member("seen", after.place("properties", "extra"), "the property")
        expect.equal(
            snapshot["snapshot-id"],
            after.metadata.get("current-snapshot-id"),
            "the current snapshot",
            at=after.place("current-snapshot-id"),
        )
        expect.equal(
            current_schema(table)["fields"], current_schema(after)["fields"], "the fields of the current schema", at=after.place("schemas")
        )


@check("IRC-COM-031")
def actions_and_types_are_case_sensitive(lab: CatalogLab) -> None:
    """Actions and types in another letter case return 400, or are applied and checked."""
    table = lab.make_table()
    for action in lab.each(("Set-Properties", "SET-PROPERTIES")):
        reply = lab.try_commit(table, {"action": action, "updates": {action: "done"}})
        done = reply.status == 200 and properties_of(lab.load(table)).get(action) == "done"
        with lab.judge("IRC-COM-031", remark=f"{action} is understood" if done else ""):
            expect.status(reply, *((200,) if done else (400,)), about=f"for {action}, or that it is done", mutation=UNKNOWN_ACTION)
    for kind in lab.each(("Assert-Table-UUID", "ASSERT-TABLE-UUID")):
        holding, failing = (lab.try_commit(table, HARMLESS, requirements=[{"type": kind, "uuid": uuid}]) for uuid in (table.uuid, NOBODY))
        understood = (holding.status, failing.status) == (200, 409)
        with lab.judge("IRC-COM-031", remark=f"{kind} is understood" if understood else "") as case:
            for reply in () if understood else (holding, failing):
                with case():
                    expect.status(reply, 400, about=f"for {kind}, or that it is checked", mutation=UNKNOWN_TYPE)
