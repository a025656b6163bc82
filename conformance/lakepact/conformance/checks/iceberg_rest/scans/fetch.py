"""Checks of asynchronous plans: polling until they are completed, failed, cancelled or unknown."""

from __future__ import annotations

import contextlib

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    NotOffered,
    Reply,
    Table,
    Unmet,
    check,
    expect,
    scans,
)

STATES = ("completed", "submitted", "cancelled", "failed")


def submit_plan(lab: CatalogLab, table: Table) -> tuple[str, Reply]:
    """Return the id of a plan that the target makes in the background, and the answer with it.

    Raises:
        NotOffered: it makes it at once.
        Blocked: it makes none.
    """
    reply = lab.require(scans.plan(lab, table), 200)
    if reply.document.get("status") != "submitted":
        raise NotOffered(
            "the target plans the scan at once; --parameter"
            " async-planning-properties=PROPERTY=VALUE says when it does not"
        )
    return reply.at("plan-id"), reply


def in_the_background(lab: CatalogLab, **properties: str) -> scans.TableWithFiles:
    """Return a table of three files whose scans are planned in the background, where the target
    does so.

    Raises:
        NotOffered: it plans nothing in the background.
    """
    if not lab.feature("async-planning"):
        raise NotOffered("the target plans no scans in the background")
    scans.needs(lab, scans.FETCH)
    table = scans.table_with_files(lab, properties={**scans.in_background(lab), **properties})
    table.append(*(table.file(name) for name in ("first", "second", "third")))
    return table


def fetch(lab: CatalogLab, table: Table, plan_id: str) -> Reply:
    """Return the answer to fetching a plan."""
    return lab.send(scans.FETCH, plan_id=plan_id, **table.at)


def cancel(lab: CatalogLab, table: Table, plan_id: str) -> Reply:
    """Return the answer to cancelling a plan."""
    return lab.send(scans.CANCEL, plan_id=plan_id, **table.at)


@check("IRC-SCAN-FETCH-001", "IRC-SCAN-FETCH-002", "IRC-SCAN-FETCH-009", "IRC-SCAN-FETCH-010")
def async_plans_complete(lab: CatalogLab) -> None:
    """Fetching an asynchronous plan returns 200 until it is completed, with the files of the scan,
    and stays completed.
    """
    table = in_the_background(lab)
    identifier, reply = submit_plan(lab, table.table)

    first = fetch(lab, table.table, identifier)
    with lab.judge("IRC-SCAN-FETCH-001"):
        expect.status(first, 200)
        expect.one_of(STATES, first.at("status"), "the member `status`", at=first.place("status"))
    with lab.judge("IRC-SCAN-FETCH-002"):
        scans.wait_for_plan(lab, table.table, reply).reads(
            table.snapshots[-1].data, "the files of the scan,"
        )
    again = [fetch(lab, table.table, identifier) for _ in range(3)]
    with lab.judge_each("IRC-SCAN-FETCH-009") as case:
        for one in again:
            with case():
                expect.true(
                    one.status != 200 or one.document.get("status") != "submitted",
                    "a status other than submitted after completion",
                    one.summary,
                    at=one.place("status"),
                )
    with lab.judge_each("IRC-SCAN-FETCH-010") as case:
        for one in again:
            with case():
                scans.wait_for_plan(lab, table.table, one).reads(
                    table.snapshots[-1].data, "the same files again,"
                )


@check("IRC-SCAN-FETCH-002")
def async_plans_cover_the_requested_snapshots(lab: CatalogLab) -> None:
    """An asynchronous plan has the files and delete files of the requested snapshots."""
    for properties in lab.each(({}, scans.on_pages(lab))):
        table = in_the_background(lab, **properties)
        first = table.snapshots[-1]
        second = table.append(table.file("fourth"))
        table.append(
            scans.position_deletes(table, "positions", target=table.path("second")),
            scans.equality_deletes(table, "values"),
            operation="delete",
        )
        expected = {
            "first": {"values"},
            "second": {"positions", "values"},
            "third": {"values"},
            "fourth": {"values"},
        }
        requests: tuple[tuple[dict[str, int], set[str]], ...] = (
            ({"snapshot_id": first.id}, first.data),
            (
                {"start_snapshot_id": first.id, "end_snapshot_id": second.id},
                second.data - first.data,
            ),
        )

        with lab.judge_each("IRC-SCAN-FETCH-002") as case:
            for request, data in requests:
                reply = scans.plan(lab, table.table, **request)
                if reply.status in scans.UNSUPPORTED and "end_snapshot_id" in request:
                    continue
                with case():
                    scans.wait_for_plan(lab, table.table, reply).reads(
                        data, f"the files of a scan with {', '.join(request)},"
                    )
        with lab.judge("IRC-SCAN-FETCH-002"):
            scans.complete_plan(lab, table.table).expect_deletes(table, expected)


@check("IRC-SCAN-CANCEL-001", "IRC-SCAN-FETCH-005")
def cancelling_plans_returns_204(lab: CatalogLab) -> None:
    """Cancelling a plan returns 204 without a body; fetching it then returns 404 or the status
    `cancelled`.
    """
    table = in_the_background(lab)
    scans.needs(lab, scans.CANCEL)
    identifier, _ = submit_plan(lab, table.table)
    reply = cancel(lab, table.table, identifier)
    after = fetch(lab, table.table, identifier)

    with lab.judge("IRC-SCAN-CANCEL-001"):
        expect.status(reply, 204)
        expect.no_body(reply)
    with lab.judge("IRC-SCAN-FETCH-005"):
        expect.status(after, 200, 404)
        if after.status == 200:
            expect.member("cancelled", after.place("status"))


@check("IRC-SCAN-CANCEL-003", "IRC-SCAN-CANCEL-004")
def cancelling_completed_plans_returns_204_or_404(lab: CatalogLab) -> None:
    """Cancelling a completed plan returns 204 or 404; after 204, its plan tasks return 404."""
    table = in_the_background(lab, **scans.on_pages(lab))
    scans.needs(lab, scans.CANCEL, scans.TASKS)
    whole: scans.Plan = scans.wait_for_plan(lab, table.table, scans.plan(lab, table.table))
    identifier = whole.id
    if identifier is None:
        raise NotOffered("the target gives no id to plans that it makes at once")
    reply = cancel(lab, table.table, identifier)

    with lab.judge("IRC-SCAN-CANCEL-003"):
        expect.status(reply, 204, 404)
    tasks = whole.answers[0].document.get("plan-tasks") or []
    if not tasks or reply.status != 204:
        lab.skip("IRC-SCAN-CANCEL-004", "the target has no plan tasks to be cancelled with a plan")
        return
    with lab.judge("IRC-SCAN-CANCEL-004"):
        expect.not_found(
            lab.send(scans.TASKS, body={"plan-task": tasks[0]}, **table.table.at), "plan task"
        )


@check("IRC-SCAN-FETCH-008")
def plans_of_other_tables_return_404(lab: CatalogLab) -> None:
    """Fetching a plan at the path of another table returns 404."""
    table = in_the_background(lab)
    identifier, _ = submit_plan(lab, table.table)
    other = lab.make_table(table.table.namespace)

    with lab.judge("IRC-SCAN-FETCH-008"):
        expect.not_found(fetch(lab, other, identifier), "plan")


@check("IRC-SCAN-FETCH-006", "IRC-SCAN-CANCEL-002")
def unknown_plans_return_404(lab: CatalogLab) -> None:
    """Fetching an unknown plan returns 404; cancelling it returns 204 or 404."""
    table = lab.make_table()
    nobodys = lab.name("plan")

    if lab.offers(scans.FETCH):
        with lab.judge("IRC-SCAN-FETCH-006"):
            expect.not_found(fetch(lab, table, nobodys), "plan")
    else:
        lab.skip("IRC-SCAN-FETCH-006", f"the target does not declare {scans.FETCH}")
    if lab.offers(scans.CANCEL):
        with lab.judge("IRC-SCAN-CANCEL-002"):
            expect.status(cancel(lab, table, nobodys), 204, 404)
    else:
        lab.skip("IRC-SCAN-CANCEL-002", f"the target does not declare {scans.CANCEL}")


@check("IRC-SCAN-PLAN-009")
def unreadable_manifests_are_not_planned_as_empty(lab: CatalogLab) -> None:
    """A plan of a snapshot with missing manifests fails or has all files, and is not empty."""
    table = scans.table_with_files(lab)
    table.append(table.file("first"), table.file("second"))
    for manifest in table.snapshots[-1].manifests:
        lab.remove_file(manifest.path)
    reply = scans.plan(lab, table.table)
    if reply.status != 200:
        lab.note(
            "IRC-SCAN-PLAN-009", f"planning with missing manifests returns status {reply.status}"
        )
        return

    try:
        whole = scans.wait_for_plan(lab, table.table, reply)
    except Unmet:
        lab.note("IRC-SCAN-PLAN-009", "planning with missing manifests fails")
        return
    with lab.judge("IRC-SCAN-PLAN-009"):
        whole.reads(table.snapshots[-1].data, "the files of the snapshot,")


@check("IRC-SCAN-PLAN-001")
def plans_of_unreadable_tables_fail(lab: CatalogLab) -> None:
    """Planning a table with missing manifests returns an error status, or 200 with a plan
    status.
    """
    scans.needs(lab, scans.PLAN)
    nothing = scans.unreadable(lab)
    replies = [scans.plan(lab, nothing)]
    try:
        table = in_the_background(lab)
    except NotOffered:
        pass
    else:
        for manifest in table.snapshots[-1].manifests:
            lab.remove_file(manifest.path)
        replies.append(scans.plan(lab, table.table))
        with contextlib.suppress(Unmet):
            scans.wait_for_plan(lab, table.table, replies[-1])

    with lab.judge_each("IRC-SCAN-PLAN-001") as case:
        for reply in replies:
            with case():
                if reply.status < 400:
                    expect.status(reply, 200)
                    expect.one_of(
                        ("submitted", "failed", "completed"),
                        reply.at("status"),
                        "the member `status`",
                        at=reply.place("status"),
                    )
