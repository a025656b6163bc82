"""Plans in the background that are lost, come back, belong to everybody, or cannot be cancelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, on_answer, on_call, on_status
from lakepact.reference_server.iceberg_rest.faults.ways.scans import CANCEL, FETCH, PLAN, at_any_table, in_state
from lakepact.reference_server.iceberg_rest.faults.ways.tables import given
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import NO_CONTENT, json_reply

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.faults.ways.tables import Arguments, Handlers
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Service


def _less_one(document: Document) -> None:
    document["file-scan-tasks"] = document["file-scan-tasks"][:-1]


def _unless_completed(handlers: Handlers, arguments: Arguments) -> Reply:
    state = handlers[FETCH](**arguments).document["status"]
    if state == "completed":
        raise Problem(500, "IllegalStateException", "the plan is complete")
    return handlers[CANCEL](**arguments)


def _unknown_are_cancelled(handlers: Handlers, arguments: Arguments) -> Reply:
    try:
        return handlers[FETCH](**arguments)
    except Problem as problem:
        if problem.kind != "NoSuchPlanIdException":
            raise
        return json_reply({"status": "cancelled"})


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


FAULTS = (
    Fault("fetched-plans-are-accepted", "Fetched plans are answered with 202.", ("IRC-SCAN-FETCH-001",), on_status(FETCH, {200: 202})),
    Fault(
        "plans-are-finished",
        "A plan that is complete is called finished.",
        ("IRC-SCAN-FETCH-001",),
        in_state("submitted", lambda document: {**document, "status": "running"}, FETCH),
    ),
    Fault(
        "fetched-plans-lose-a-task",
        "The last task of a fetched plan is lost.",
        ("IRC-SCAN-FETCH-002",),
        in_state("completed", _less_one, FETCH),
    ),
    Fault(
        "plans-on-their-way-have-tasks",
        "Plans that are not complete have tasks.",
        ("IRC-SCAN-FETCH-003",),
        in_state("submitted", _with_tasks, FETCH),
    ),
    Fault(
        "submitted-plans-have-tasks",
        "Plans that were submitted have tasks.",
        ("IRC-SCAN-PLAN-007",),
        in_state("submitted", _with_tasks, PLAN),
    ),
    Fault(
        "cancels-nothing",
        "Cancelled plans go on.",
        ("IRC-SCAN-FETCH-005", "IRC-SCAN-CANCEL-004"),
        on_call(CANCEL, lambda _handler, _arguments: NO_CONTENT),
    ),
    Fault("unknown-plans-are-bad-requests", "Unknown plans are bad requests.", ("IRC-SCAN-FETCH-006",), on_status(FETCH, {404: 400})),
    Fault(
        "unknown-plans-were-cancelled", "Unknown plans are called cancelled.", ("IRC-SCAN-FETCH-006",), given(FETCH, _unknown_are_cancelled)
    ),
    Fault(
        "plans-belong-to-everybody",
        "Plans are found at any table.",
        ("IRC-SCAN-FETCH-008",),
        at_any_table(FETCH, lambda arguments: arguments["plan_id"], lambda document: [document.get("plan-id", "")]),
    ),
    Fault(
        "plans-begin-anew",
        "Plans that are complete are on their way again.",
        ("IRC-SCAN-FETCH-009",),
        _again(lambda _: {"status": "submitted"}),
    ),
    Fault(
        "plans-are-emptied",
        "Plans that were fetched have no tasks any more.",
        ("IRC-SCAN-FETCH-010",),
        _again(lambda _: {"status": "completed", "file-scan-tasks": []}),
    ),
    Fault("cancelling-is-200", "Plans are cancelled with 200.", ("IRC-SCAN-CANCEL-001",), on_status(CANCEL, {204: 200})),
    Fault("cancelling-the-unknown-fails", "Cancelling no plan is a server error.", ("IRC-SCAN-CANCEL-002",), on_status(CANCEL, {404: 500})),
    Fault(
        "cancelling-the-complete-fails",
        "Cancelling a complete plan is a server error.",
        ("IRC-SCAN-CANCEL-003",),
        given(CANCEL, _unless_completed),
    ),
)
