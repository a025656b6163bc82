"""Background plans that are lost, return after cancelling, are readable by every caller, or cannot
be cancelled.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from lakepact.reference_server.faults import Install, fault, on_answer, on_call, on_status
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NO_CONTENT, Reply, json_reply
from lakepact.reference_server.http.service import Arguments, Service
from lakepact.reference_server.iceberg_rest.documents import Document
from mutants.iceberg_rest.operators.scans import CANCEL, FETCH, PLAN, at_any_table, in_state
from mutants.iceberg_rest.operators.tables import Handlers, for_operation


def _again(document_of: Any) -> Install:
    """Every second answer that says that a plan is complete is `document_of(document)`."""

    def install(service: Service) -> None:
        seen: list[bool] = []

        def change(document: Document) -> Any:
            if document.get("status") != "completed":
                return None
            seen.append(True)
            return document_of(document) if len(seen) % 2 == 0 else None

        on_answer(FETCH, change)(service)

    return install


def _with_tasks(document: Document) -> None:
    document["plan-tasks"] = ["the-first"]


@fault("IRC-SCAN-FETCH-006", by=partial(for_operation, FETCH))
def unknown_plans_were_cancelled(handlers: Handlers, arguments: Arguments) -> Reply:
    try:
        return handlers[FETCH](**arguments)
    except Problem as problem:
        if problem.kind != "NoSuchPlanIdException":
            raise
        return json_reply({"status": "cancelled"})


@fault("IRC-SCAN-CANCEL-003", by=partial(for_operation, CANCEL))
def cancelling_the_complete_fails(handlers: Handlers, arguments: Arguments) -> Reply:
    state = handlers[FETCH](**arguments).document["status"]
    if state == "completed":
        raise Problem(500, "IllegalStateException", "the plan is complete")
    return handlers[CANCEL](**arguments)


FAULTS = {
    "fetched-plans-are-accepted IRC-SCAN-FETCH-001": on_status(FETCH, {200: 202}),
    "plans-are-finished IRC-SCAN-FETCH-001": in_state(
        "submitted", lambda document: {**document, "status": "running"}, FETCH
    ),
    "fetched-plans-lose-a-task IRC-SCAN-FETCH-002": in_state(
        "completed",
        lambda document: document.update({"file-scan-tasks": document["file-scan-tasks"][:-1]}),
        FETCH,
    ),
    "plans-on-their-way-have-tasks IRC-SCAN-FETCH-003": in_state("submitted", _with_tasks, FETCH),
    "submitted-plans-have-tasks IRC-SCAN-PLAN-007": in_state("submitted", _with_tasks, PLAN),
    "cancels-nothing IRC-SCAN-FETCH-005 IRC-SCAN-CANCEL-004": on_call(
        CANCEL, lambda _handler, _arguments: NO_CONTENT
    ),
    "unknown-plans-are-bad-requests IRC-SCAN-FETCH-006": on_status(FETCH, {404: 400}),
    "plans-belong-to-every-table IRC-SCAN-FETCH-008": at_any_table(
        FETCH,
        lambda arguments: arguments["plan_id"],
        lambda document: [document.get("plan-id", "")],
    ),
    "completed-plans-become-submitted IRC-SCAN-FETCH-009": _again(
        lambda _: {"status": "submitted"}
    ),
    "plans-are-emptied IRC-SCAN-FETCH-010": _again(
        lambda _: {"status": "completed", "file-scan-tasks": []}
    ),
    "cancelling-is-200 IRC-SCAN-CANCEL-001": on_status(CANCEL, {204: 200}),
    "cancelling-the-unknown-fails IRC-SCAN-CANCEL-002": on_status(CANCEL, {404: 500}),
}
