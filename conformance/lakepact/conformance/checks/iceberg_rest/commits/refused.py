"""Checks of commits that a catalog must refuse: unknown types, unknown ids and invalid members."""

from __future__ import annotations

from collections.abc import Sequence

from lakepact.conformance.checks.iceberg_rest.api import (
    LOWEST_ERROR,
    CatalogLab,
    Document,
    Members,
    Mutation,
    Reply,
    Table,
    Wrong,
    check,
    expect,
    op,
    req,
    set_properties,
    set_ref,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import (
    expect_no_change,
    properties_of,
)


def _judge_bodies(
    lab: CatalogLab, requirement: str, table: Table, bodies: Members, mutation: Mutation
) -> None:
    """Judge a requirement by bodies that have to be answered with 400."""
    for wrong, body in lab.each(bodies.items()):
        reply = lab.send(op.update_table, body=body, **table.at)
        with lab.judge(requirement):
            expect.status(reply, 400, about=f"for {wrong}", mutation=mutation)


@check("IRC-COM-003")
def commits_without_updates_or_requirements_return_400(lab: CatalogLab) -> None:
    """A commit without `updates` or `requirements` as arrays returns 400; accepting missing
    requirements is a warning.
    """
    table = lab.make_table()
    wrong: Document = {
        f"{expect.excerpt(value)} as updates": {"requirements": [], "updates": value}
        for value in ({}, req.HARMLESS, "none", 0)
    }
    _judge_bodies(
        lab,
        "IRC-COM-003",
        table,
        {
            "no updates": {"requirements": []},
            "null as updates": {"requirements": [], "updates": None},
        },
        Wrong.MISSING("/updates"),
    )
    _judge_bodies(lab, "IRC-COM-003", table, wrong, Wrong.TYPE("/updates"))
    wrong = {
        f"{expect.excerpt(value)} as requirements": {
            "requirements": value,
            "updates": [req.HARMLESS],
        }
        for value in ({}, req.assert_uuid(table.uuid), "none", 0)
    }
    _judge_bodies(lab, "IRC-COM-003", table, wrong, Wrong.TYPE("/requirements"))
    without: tuple[Document, ...] = (
        {"updates": [req.HARMLESS]},
        {"requirements": None, "updates": [req.HARMLESS]},
    )
    for body in lab.each(without):
        reply = lab.send(op.update_table, body=body, **table.at)
        if reply.status == 200:
            lab.warn(
                "IRC-COM-003",
                expected="status 400 for a commit without requirements",
                actual="status 200: the commit is unconditional",
                expected_status=(400,),
            )
            continue
        with lab.judge("IRC-COM-003"):
            expect.status(reply, 400, mutation=Wrong.MISSING("/requirements"))


@check("IRC-COM-007")
def commits_with_unknown_requirements_return_400(lab: CatalogLab) -> None:
    """A commit with an unknown requirement returns 400, alone or among others, and changes
    nothing.
    """
    table = lab.make_table()
    before, holds = lab.load(table), req.assert_uuid(table.uuid)
    misspelling = {"type": "assert-ref", "ref": "main", "snapshot-id": None}
    for requirements in lab.each(
        (
            [req.UNKNOWN_REQUIREMENT],
            [holds, req.UNKNOWN_REQUIREMENT],
            [req.UNKNOWN_REQUIREMENT, holds],
            [misspelling],
            [{"type": ""}],
        )
    ):
        for updates in lab.each(([req.HARMLESS], [])):
            reply = lab.try_commit(table, *updates, requirements=requirements)
            with lab.judge("IRC-COM-007"):
                expect.status(reply, 400, mutation=req.UNKNOWN_TYPE)
                expect_no_change(lab, before)


@check("IRC-COM-008")
def commits_with_unknown_updates_return_400(lab: CatalogLab) -> None:
    """A commit with an unknown update returns 400, at any position among others, and changes
    nothing.
    """
    table = lab.make_table()
    before = lab.load(table)
    more = [
        upd.add_column(table, "more"),
        upd.set_current_schema(upd.LAST_ADDED),
    ]
    commits: tuple[list[Members], ...] = (
        [upd.UNKNOWN_UPDATE],
        [req.HARMLESS, upd.UNKNOWN_UPDATE],
        [upd.UNKNOWN_UPDATE, req.HARMLESS],
        [req.HARMLESS, upd.UNKNOWN_UPDATE, *more],
        [*more, req.HARMLESS, upd.UNKNOWN_UPDATE],
        [req.HARMLESS, {**req.HARMLESS, "action": "set-property"}],
        [req.HARMLESS, {**req.HARMLESS, "action": ""}],
    )
    for updates in lab.each(commits):
        reply = lab.try_commit(table, *updates, requirements=[req.assert_uuid(table.uuid)])
        with lab.judge("IRC-COM-008"):
            expect.status(reply, 400, mutation=upd.UNKNOWN_ACTION)
            expect_no_change(lab, before)


@check("IRC-COM-009")
def unknown_members_return_400_before_conflicts(lab: CatalogLab) -> None:
    """A commit with an unknown update or requirement returns 400, even if another requirement
    fails.
    """
    table = lab.make_table()
    fails = req.assert_uuid(req.NOBODY)
    cases: req.Cases = {
        "a requirement behind the one that fails is unknown": [fails, req.UNKNOWN_REQUIREMENT],
        "a requirement before the one that fails is unknown": [req.UNKNOWN_REQUIREMENT, fails],
    }
    commits = req.Commits(lab, table)
    commits.judge("IRC-COM-009", cases, 400, mutation=req.UNKNOWN_TYPE)
    cases = {"an update is unknown and a requirement fails": [fails]}
    updates = [req.HARMLESS, upd.UNKNOWN_UPDATE]
    commits.judge("IRC-COM-009", cases, 400, updates=updates, mutation=upd.UNKNOWN_ACTION)


@check("IRC-COM-016")
def updates_and_requirements_need_a_type(lab: CatalogLab) -> None:
    """A commit with an update without `action`, or a requirement without `type`, returns 400."""
    table = lab.make_table()
    updates: tuple[Members, ...] = (
        {},
        {"updates": {"a": "b"}},
        {"removals": []},
        {"location": table.location},
        {"type": "set-properties", "updates": {"a": "b"}},
    )
    requirements: tuple[req.Assertion, ...] = (
        {},
        {"uuid": table.uuid},
        {"ref": "main", "snapshot-id": None},
        {"action": "assert-table-uuid", "uuid": table.uuid},
    )
    bodies = {
        f"the update {expect.excerpt(update)} without action": {
            "requirements": [],
            "updates": [req.HARMLESS, update],
        }
        for update in updates
    }
    _judge_bodies(lab, "IRC-COM-016", table, bodies, Wrong.MISSING("/updates/*/action"))
    bodies = {
        f"the requirement {expect.excerpt(requirement)} without type": {
            "requirements": [requirement],
            "updates": [req.HARMLESS],
        }
        for requirement in requirements
    }
    _judge_bodies(lab, "IRC-COM-016", table, bodies, Wrong.MISSING("/requirements/*/type"))


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
    adding = {"action": "add-view-version", "view-version": version}
    setting = {"action": "set-current-view-version", "view-version-id": upd.LAST_ADDED}
    cases: dict[str, upd.Refusal] = {
        "add-view-version": (OF_VIEWS, [adding]),
        "set-current-view-version": (OF_VIEWS, [setting]),
        "both of them": (OF_VIEWS, [adding, setting]),
        "both of them behind another update": (OF_VIEWS, [req.HARMLESS, adding, setting]),
    }
    upd.judge_refusals(lab, "IRC-COM-018", table, cases, allowed=upd.UNSUPPORTED)


@check("IRC-COM-019")
def view_requirements_on_tables_are_refused(lab: CatalogLab) -> None:
    """A table commit with assert-view-uuid returns 400 or 406, even with the UUID of the table."""
    table = lab.make_table()
    for_views = {"type": "assert-view-uuid", "uuid": table.uuid}
    cases: req.Cases = {
        "the table's UUID is asserted as a view's": for_views,
        "another UUID is asserted as a view's": {**for_views, "uuid": req.NOBODY},
        "assert-view-uuid stands beside a requirement that holds": [
            req.assert_uuid(table.uuid),
            for_views,
        ],
    }
    req.Commits(lab, table).judge("IRC-COM-019", cases, *upd.UNSUPPORTED, mutation=OF_VIEWS)


OF_VIEWS = Wrong.VALUE("update or requirement of views", "for a table with what only views have")


def _expect_refusal(
    lab: CatalogLab, reply: Reply, requirement: str, mutation: Mutation, *, about: str
) -> None:
    """Expect status 400; another refusal than 409, or none, belongs to the requirement about the
    update.
    """
    if reply.status != 409:
        with lab.step(requirement):
            expect.status(reply, 400, about=about, mutation=mutation)
    expect.status(reply, 400, about=about, mutation=mutation)


@check("IRC-COM-023")
def commits_that_cannot_succeed_return_400(lab: CatalogLab) -> None:
    """A commit that no retry can help returns 400, not 409, with or without requirements that
    hold.
    """
    table = lab.append(upd.table_of_version(lab, 2))
    tag = upd.unknown_id(set_ref("tag", 1, kind="tag"), "snapshot-id")
    cases: dict[str, tuple[str, Mutation, Sequence[Members]]] = {
        **upd.impossible(table),
        "a tag at an unknown snapshot": ("IRC-UPD-046", *tag),
        "a last added schema that was not added": (
            "IRC-UPD-019",
            upd.NOT_ADDED,
            [upd.set_current_schema(upd.LAST_ADDED)],
        ),
        "a lower format version": ("IRC-UPD-007", upd.DOWNGRADE, [upd.upgrade_format_version(1)]),
    }
    for wrong, (requirement, mutation, updates) in lab.each(cases.items()):
        reply = lab.try_commit(table, *updates)
        with lab.judge("IRC-COM-023"):
            _expect_refusal(lab, reply, requirement, mutation, about=f"for {wrong}")
    is_spoilt = True
    for wrong, (requirement, mutation, updates) in lab.each(cases.items()):
        if is_spoilt:  # by a commit that was accepted: its requirements would not hold any more
            table = lab.append(upd.table_of_version(lab, 2))
        holds = [
            req.assert_uuid(table.uuid),
            req.assert_ref("main", table.member("current-snapshot-id")),
        ]
        reply = lab.try_commit(table, req.HARMLESS, *updates, requirements=holds)
        is_spoilt = reply.status < LOWEST_ERROR
        with lab.judge("IRC-COM-023"):
            _expect_refusal(
                lab,
                reply,
                requirement,
                mutation,
                about=f"for {wrong} although all requirements hold",
            )


@check("IRC-COM-025")
def unknown_commit_members_are_ignored(lab: CatalogLab) -> None:
    """A commit with unknown members in its updates and requirements returns 200 and is applied."""
    table = lab.make_table()
    extra = {"x-lakepact": True, "comment": {"by": ["lakepact"]}}
    for requirement in lab.each((req.assert_uuid(table.uuid), req.assert_ref("main", None))):
        reply = lab.try_commit(table, req.HARMLESS, requirements=[{**requirement, **extra}])
        with lab.judge("IRC-COM-025"):
            expect.status(reply, 200, about=f"for {requirement['type']} with further members")
    snapshot = lab.snapshot(table)
    updates = (
        set_properties(extra="seen"),
        upd.add_column(table, "extra"),
        upd.add_snapshot(snapshot),
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
            upd.current_schema(table)["fields"],
            upd.current_schema(after)["fields"],
            "the fields of the current schema",
            at=after.place("schemas"),
        )


@check("IRC-COM-031")
def actions_and_types_are_case_sensitive(lab: CatalogLab) -> None:
    """Actions and types in another letter case return 400, or are applied and checked."""
    table = lab.make_table()
    for action in lab.each(("Set-Properties", "SET-PROPERTIES")):
        reply = lab.try_commit(table, {"action": action, "updates": {action: "done"}})
        is_applied = reply.status == 200 and properties_of(lab.load(table)).get(action) == "done"
        with lab.judge("IRC-COM-031", remark=f"{action} is understood" if is_applied else ""):
            expect.status(
                reply,
                *((200,) if is_applied else (400,)),
                about=f"for {action}, or that it is done",
                mutation=upd.UNKNOWN_ACTION,
            )
    for kind in lab.each(("Assert-Table-UUID", "ASSERT-TABLE-UUID")):
        holding, failing = (
            lab.try_commit(table, req.HARMLESS, requirements=[{"type": kind, "uuid": uuid}])
            for uuid in (table.uuid, req.NOBODY)
        )
        understood = (holding.status, failing.status) == (200, 409)
        with lab.judge("IRC-COM-031", remark=f"{kind} is understood" if understood else "") as case:
            for reply in () if understood else (holding, failing):
                with case():
                    expect.status(
                        reply,
                        400,
                        about=f"for {kind}, or that it is checked",
                        mutation=req.UNKNOWN_TYPE,
                    )
