"""Checks of what is new about planned scans; tables without data files are enough for them."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from lakepact.conformance import expect
from lakepact.conformance.checks.iceberg_rest.v1_11_0.suite import check

if TYPE_CHECKING:
    from lakepact.conformance.checks.iceberg_rest.lab import CatalogLab


@check("IRC-PLAN-001", "IRC-PLAN-002")
def completed_scans_have_ids(lab: CatalogLab) -> None:
    """A scan that is completed at once has a plan-id, also where no rows are asked for, or more than there are."""
    table = lab.make_table()

    for body in ({}, {"min-rows-requested": 0}, {"min-rows-requested": 9007199254740993}):
        reply = lab.send("planTableScan", body=body, **table.at)
        with lab.judge("IRC-PLAN-002"):
            expect.status(reply, 200, about=f"for {body}")
            expect.true(reply.at("status") in {"completed", "submitted"}, "a scan that is completed or submitted", reply.at("status"))
        if lab.works(reply, 200).at("status") == "completed":
            with lab.judge("IRC-PLAN-001"):
                plan_id = reply.at("plan-id")
                expect.true(isinstance(plan_id, str) and bool(plan_id), "a text as `plan-id`", plan_id)
        else:
            lab.skip("IRC-PLAN-001", "scans are planned in the background")


@check("IRC-PLAN-003")
def plans_that_are_not_there_cannot_be_cancelled(lab: CatalogLab) -> None:
    """Who cancels a plan that there is not is told so, or that there is none now."""
    table = lab.make_table()
    reply = lab.send("cancelPlanning", plan_id=str(uuid.uuid4()), **table.at)

    with lab.judge("IRC-PLAN-003"):
        expect.status(reply, 204, 404)
        if reply.status == 404:
            expect.equal("NoSuchPlanIdException", reply.at("error", "type"), "error.type")
