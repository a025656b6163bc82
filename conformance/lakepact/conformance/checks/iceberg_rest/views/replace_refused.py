"""Checks of requests that replace no view, because something in them is wrong or is not so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Members,
    Mutation,
    Wrong,
    check,
    expect,
    op,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit import views
from lakepact.conformance.checks.iceberg_rest.kit.commits.requirements import (
    ASSERT_CREATE,
    NOBODY,
    assert_schema,
    assert_uuid,
)

ANOTHER_UUID = Wrong.STALE("assert-view-uuid")


def assert_view_uuid(uuid: str) -> Document:
    """The view has this UUID."""
    return {"type": "assert-view-uuid", "uuid": uuid}


def judge_refusals(
    lab: CatalogLab,
    requirement: str,
    view: views.View,
    *,
    cases: Mapping[str, Sequence[Members]],
    mutation: Mutation,
    allowed: Sequence[int] = (400,),
) -> None:
    """Judge a requirement by updates that the target has to refuse; beside each stands a
    requirement that holds.

    Args:
        lab: the lab of the check.
        requirement: its id.
        view: the view that they are for.
        cases: what is wrong, and the updates.
        mutation: the mistake of all of them.
        allowed: statuses of a refusal.
    """
    holds = [assert_view_uuid(view.uuid)]
    for wrong, updates in lab.each(cases.items()):
        reply = views.try_replace(lab, view, *updates, requirements=holds)
        with lab.judge(requirement):
            expect.status(reply, *allowed, about=f"for {wrong}", mutation=mutation)


@check("IRC-VIEW-REPL-002")
def replacements_without_updates_return_400(lab: CatalogLab) -> None:
    """Replacing a view without `updates` returns 400; without `requirements`, 200."""
    view = views.make_view(lab)
    without: tuple[Document, ...] = (
        {},
        {"requirements": []},
        {"requirements": [assert_view_uuid(view.uuid)], "identifier": view.identifier},
    )

    with lab.judge("IRC-VIEW-REPL-002") as case:
        expect.status(
            lab.send(op.replace_view, body={"updates": [views.HARMLESS]}, **view.at),
            200,
            about="without requirements",
        )
        for body in without:
            with case():
                expect.status(
                    lab.send(op.replace_view, body=body, **view.at),
                    400,
                    about="without updates",
                    mutation=Wrong.MISSING("/updates"),
                )


@check("IRC-VIEW-REPL-005", "IRC-REQ-036")
def view_uuids_are_compared(lab: CatalogLab) -> None:
    """assert-view-uuid with the view's UUID returns 200; with another UUID, 409 and nothing
    changes.
    """
    view = views.load_view(lab, views.make_view(lab))
    cases = {
        "another UUID is asserted": [assert_view_uuid(NOBODY)],
        "both are": [assert_view_uuid(uuid) for uuid in (view.uuid, NOBODY)],
    }
    for situation, requirements in lab.each(cases.items()):
        reply = views.try_replace(lab, view, views.HARMLESS, requirements=requirements)
        with lab.judge("IRC-VIEW-REPL-005"):
            expect.status(reply, 409, about=f"when {situation}", mutation=ANOTHER_UUID)
            views.expect_no_change(lab, view)
        with lab.judge("IRC-REQ-036"):
            expect.status(reply, 409, about=f"when {situation}", mutation=ANOTHER_UUID)
        nothing = views.try_replace(lab, view, requirements=requirements)
        with lab.judge("IRC-VIEW-REPL-005"):
            expect.status(
                nothing,
                409,
                400,
                about=f"when {situation}, and there is no update",
                mutation=ANOTHER_UUID,
            )
    reply = views.try_replace(lab, view, views.HARMLESS, requirements=[assert_view_uuid(view.uuid)])
    with lab.judge("IRC-REQ-036"):
        expect.status(reply, 200, about="when the UUID of the view is asserted")


@check("IRC-REQ-037", "IRC-REQ-038")
def table_requirements_on_views_are_refused(lab: CatalogLab) -> None:
    """assert-view-uuid without `uuid` returns 400; requirements of tables return 400 or 406."""
    view = views.make_view(lab)
    with lab.judge("IRC-REQ-037"):
        expect.status(
            views.try_replace(
                lab, view, views.HARMLESS, requirements=[{"type": "assert-view-uuid"}]
            ),
            400,
            mutation=Wrong.MISSING("/requirements/*/uuid"),
        )
    cases: dict[str, list[Members]] = {
        "the view's UUID as a table's": [assert_uuid(view.uuid)],
        "a table's assertion beside one that holds": [
            assert_view_uuid(view.uuid),
            assert_uuid(view.uuid),
        ],
        "assert-create": [ASSERT_CREATE],
        "assert-current-schema-id": [assert_schema(view.current["schema-id"])],
    }
    for wrong, requirements in lab.each(cases.items()):
        with lab.judge("IRC-REQ-038"):
            expect.status(
                views.try_replace(lab, view, views.HARMLESS, requirements=requirements),
                *upd.UNSUPPORTED,
                about=f"for {wrong}",
                mutation=Wrong.VALUE("/requirements/*/type"),
            )


@check("IRC-VIEW-REPL-008")
def unknown_updates_and_requirements_return_400(lab: CatalogLab) -> None:
    """Unknown updates and requirements of views return 400, alone and among others."""
    view = views.make_view(lab)
    unknown = {"action": "lakepact-unknown"}
    cases: dict[str, list[Members]] = {
        "an unknown update": [unknown],
        "one beside another": [views.HARMLESS, unknown],
    }
    judge_refusals(
        lab,
        "IRC-VIEW-REPL-008",
        view,
        cases=cases,
        mutation=Wrong.VALUE("/updates/*/action"),
    )
    reply = views.try_replace(
        lab, view, views.HARMLESS, requirements=[{"type": "assert-lakepact-unknown"}]
    )
    with lab.judge("IRC-VIEW-REPL-008"):
        expect.status(
            reply,
            400,
            about="for an unknown requirement",
            mutation=Wrong.VALUE("/requirements/*/type"),
        )


@check("IRC-VIEW-REPL-012")
def upgrading_view_format_versions_returns_400(lab: CatalogLab) -> None:
    """Upgrading a view to a format version above 1 returns 400."""
    view = views.make_view(lab)
    cases = {f"format version {number}": [upd.upgrade_format_version(number)] for number in (2, 3)}
    judge_refusals(
        lab,
        "IRC-VIEW-REPL-012",
        view,
        cases=cases,
        mutation=Wrong.VALUE("/updates/*/format-version"),
    )


@check("IRC-UPD-085", "IRC-UPD-086")
def invalid_versions_return_400(lab: CatalogLab) -> None:
    """A version with an unknown schema or a repeated dialect returns 400."""
    view = views.make_view(lab)

    def adding(*representations: Members, **members: Any) -> list[Members]:
        further = {"version_id": 2, "schema_id": view.current["schema-id"], **members}
        return [
            views.add_view_version(views.version(view.namespace, *representations, **further)),
            views.set_current_view_version(),
        ]

    nowhere = {
        "a version of a schema that is not there": adding(
            views.sql("SELECT 2 AS id"), schema_id=upd.NOWHERE
        ),
        "a version of the last added schema where none was": adding(
            views.sql("SELECT 2 AS id"), schema_id=upd.LAST_ADDED
        ),
    }
    unknown = Wrong.UNKNOWN_ID("/updates/*/view-version/schema-id")
    judge_refusals(lab, "IRC-UPD-085", view, cases=nowhere, mutation=unknown)
    twice = adding(views.sql("SELECT 2 AS id"), views.sql("SELECT 3 AS id"))
    mutation = Wrong.DUPLICATE("/updates/*/view-version/representations/*/dialect")
    judge_refusals(
        lab,
        "IRC-UPD-086",
        view,
        cases={"two representations of one dialect": twice},
        mutation=mutation,
    )


@check("IRC-UPD-088")
def unknown_current_versions_return_400(lab: CatalogLab) -> None:
    """Setting an unknown version as current returns 400."""
    view = views.make_view(lab)
    cases = {
        "an unknown version": [views.set_current_view_version(upd.NOWHERE)],
        "the last added version where none was": [views.set_current_view_version(upd.LAST_ADDED)],
    }
    judge_refusals(
        lab,
        "IRC-UPD-088",
        view,
        cases=cases,
        mutation=Wrong.UNKNOWN_ID("/updates/*/view-version-id"),
    )


@check("IRC-UPD-089")
def table_updates_on_views_are_refused(lab: CatalogLab) -> None:
    """Updates that only tables have return 400 or 406 for views."""
    view = views.make_view(lab)
    snapshot = {
        "snapshot-id": 1,
        "sequence-number": 1,
        "timestamp-ms": view.current["timestamp-ms"],
        "manifest-list": f"{view.member('location')}/metadata/snap-1.avro",
        "summary": {"operation": "append"},
    }
    updates = (
        upd.add_spec(),
        upd.set_default_spec(0),
        upd.set_current_schema(view.current["schema-id"]),
        upd.add_snapshot(snapshot),
    )
    cases = {str(update["action"]): [update] for update in updates}
    judge_refusals(
        lab,
        "IRC-UPD-089",
        view,
        cases=cases,
        mutation=Wrong.VALUE("/updates/*/action"),
        allowed=upd.UNSUPPORTED,
    )
