"""Checks of how long plans live: until they themselves are cancelled, or their table is gone, and
whatever becomes of others.
"""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import CatalogLab, Document, check, expect, scans
from lakepact.conformance.checks.iceberg_rest.kit.dropped import drop_table
from lakepact.conformance.checks.iceberg_rest.scans.fetch import (
    cancel,
    fetch,
    in_the_background,
    submit_plan,
)


@check("IRC-SCAN-FETCH-010", "IRC-SCAN-FETCH-002")
def cancelling_a_plan_keeps_other_plans(lab: CatalogLab) -> None:
    """Cancelling a plan keeps other plans of the table, and the same scan can be planned again."""
    table = in_the_background(lab)
    scans.needs(lab, scans.CANCEL)
    first = table.snapshots[-1]
    second = table.append(table.file("fourth"))
    other = lab.make_table(table.table.namespace)
    other_plan = lab.require(scans.plan(lab, table.table, snapshot_id=first.id), 200)
    identifier, _ = submit_plan(lab, table.table)
    cancel(lab, other, str(other_plan.document.get("plan-id")))
    with lab.step("IRC-SCAN-CANCEL-001"):
        expect.status(cancel(lab, table.table, identifier), 204)

    with lab.judge("IRC-SCAN-FETCH-010"):
        scans.wait_for_plan(lab, table.table, other_plan).reads(
            first.data, "the files of the plan that was not cancelled,"
        )
    with lab.judge("IRC-SCAN-FETCH-002"):
        again = scans.wait_for_plan(lab, table.table, scans.plan(lab, table.table))
        again.reads(
            second.data, "the files of a scan that is planned again after it was cancelled,"
        )


@check("IRC-SCAN-FETCH-005", "IRC-SCAN-CANCEL-003")
def cancelled_plans_stay_cancelled(lab: CatalogLab) -> None:
    """Fetching a cancelled plan always returns 404 or `cancelled`; cancelling it again returns 204
    or 404.
    """
    table = in_the_background(lab)
    scans.needs(lab, scans.CANCEL)
    identifier, _ = submit_plan(lab, table.table)
    with lab.step("IRC-SCAN-CANCEL-001"):
        expect.status(cancel(lab, table.table, identifier), 204)
    replies = [fetch(lab, table.table, identifier) for _ in range(4)]
    again = cancel(lab, table.table, identifier)

    with lab.judge_each("IRC-SCAN-FETCH-005") as case:
        for reply in replies:
            with case():
                expect.status(reply, 200, 404)
                if reply.status == 200:
                    expect.member("cancelled", reply.place("status"))
    with lab.judge("IRC-SCAN-CANCEL-003"):
        expect.status(again, 204, 404, about="for a plan that is cancelled already")


@check("IRC-SCAN-FETCH-007", "IRC-SCAN-CANCEL-005", "IRC-SCAN-TASK-005")
def plans_of_dropped_tables_return_404(lab: CatalogLab) -> None:
    """Plans and plan tasks of a dropped table return 404."""
    scans.needs(lab, scans.PLAN)
    table = scans.table_with_files(
        lab, properties={**scans.in_background(lab), **scans.on_pages(lab)}
    )
    table.append(*(table.file(name) for name in ("first", "second", "third")))
    whole = scans.wait_for_plan(lab, table.table, scans.plan(lab, table.table))
    tasks = whole.answers[0].document.get("plan-tasks") or []
    requests: dict[str, Document] = (
        {}
        if whole.id is None
        else {scans.FETCH: {"plan_id": whole.id}, scans.CANCEL: {"plan_id": whole.id}}
    )
    if tasks:
        requests[scans.TASKS] = {"body": {"plan-task": tasks[0]}}
    drop_table(lab, table.table)

    for operation, identifier in lab.each(
        (
            (scans.FETCH, "IRC-SCAN-FETCH-007"),
            (scans.TASKS, "IRC-SCAN-TASK-005"),
            (scans.CANCEL, "IRC-SCAN-CANCEL-005"),
        )
    ):
        if operation not in requests or not lab.offers(operation):
            lab.skip(identifier, f"there is nothing to ask {operation} for")
            continue
        reply = lab.send(operation, **table.table.at, **requests[operation])
        with lab.judge(identifier):
            expect.not_found(reply, "table", about="for a table that was dropped")
