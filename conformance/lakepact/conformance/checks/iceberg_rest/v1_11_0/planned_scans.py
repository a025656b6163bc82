"""Checks of the additions to scan planning."""

from __future__ import annotations

import uuid
from dataclasses import replace

from lakepact.conformance.checks.iceberg_rest.api import CatalogLab, expect, op, scans
from lakepact.conformance.checks.iceberg_rest.v1_11_0.suite import check


@check("IRC-PLAN-001", "IRC-PLAN-002")
def completed_plans_have_ids(lab: CatalogLab) -> None:
    """A plan that completes at once has a `plan-id`, whatever `min-rows-requested` is."""
    table = lab.make_table()

    for body in lab.each(({}, {"min-rows-requested": 0}, {"min-rows-requested": 9007199254740993})):
        reply = lab.send(op.plan_table_scan, body=body, **table.at)
        with lab.judge("IRC-PLAN-002"):
            expect.status(reply, 200, about=f"for {expect.excerpt(body)}")
            expect.true(
                reply.at("status") in {"completed", "submitted"},
                "a scan that is completed or submitted",
                reply.at("status"),
                at=reply.place("status"),
            )
        if lab.require(reply, 200).at("status") == "completed":
            with lab.judge("IRC-PLAN-001"):
                plan_id = reply.at("plan-id")
                expect.true(
                    isinstance(plan_id, str) and bool(plan_id),
                    "a text as `plan-id`",
                    plan_id,
                    at=reply.place("plan-id"),
                )
        else:
            lab.skip("IRC-PLAN-001", "scans are planned in the background")


@check("IRC-PLAN-002")
def plans_cover_min_rows_requested(lab: CatalogLab) -> None:
    """The files of a plan have at least `min-rows-requested` rows, or are all files of the scan."""
    for properties in lab.each(({}, scans.on_pages(lab))):
        table = scans.table_with_files(lab, properties=properties)
        rows = {
            table.path(name): count
            for name, count in (("first", 10), ("second", 10), ("third", 10))
        }
        table.append(
            *(
                table.file(path.rpartition("/")[2].removesuffix(".parquet"), rows=count)
                for path, count in rows.items()
            )
        )
        for least in lab.each((1, 10, 11, 25, 1000)):
            with lab.judge("IRC-PLAN-002"):
                paths = set(scans.complete_plan(lab, table.table, min_rows_requested=least).paths)
                enough = sum(rows.get(path, 0) for path in paths) >= min(least, sum(rows.values()))
                expect.true(
                    enough,
                    f"files with {least} rows, or all of them",
                    f"{len(paths)} of {len(rows)} files",
                    at=None,
                )


@check("IRC-PLAN-002")
def deleted_rows_do_not_count(lab: CatalogLab) -> None:
    """Deleted rows do not count towards `min-rows-requested`."""
    table = scans.table_with_files(lab)
    rows = {
        table.path(name): count for name, count in (("first", 10), ("second", 10), ("third", 10))
    }
    table.append(*(table.file(name, rows=10) for name in ("first", "second", "third")))
    deletes = [
        replace(scans.position_deletes(table, f"of-{name}", target=table.path(name)), rows=10)
        for name in ("first", "third")
    ]
    table.append(*deletes, operation="delete")
    live = {**rows, table.path("first"): 0, table.path("third"): 0}
    for least in lab.each((1, 10, 30)):
        with lab.judge("IRC-PLAN-002"):
            paths = set(scans.complete_plan(lab, table.table, min_rows_requested=least).paths)
            enough = sum(live.get(path, 0) for path in paths) >= min(least, sum(live.values()))
            expect.true(
                enough,
                f"files with {least} rows that are there, or all of them",
                f"{len(paths)} of {len(rows)} files",
                at=None,
            )


@check("IRC-PLAN-003")
def cancelling_unknown_plans_returns_204_or_404(lab: CatalogLab) -> None:
    """Cancelling an unknown plan returns 404 or 204."""
    table = lab.make_table()
    reply = lab.send(op.cancel_planning, plan_id=str(uuid.uuid4()), **table.at)

    with lab.judge("IRC-PLAN-003"):
        expect.not_found(reply, "plan", 204)
        if reply.status == 404:
            expect.member("NoSuchPlanIdException", reply.place("error", "type"), "error.type")
