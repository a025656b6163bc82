"""Background plans that are lost, return after cancelling, are readable by every caller, or cannot be cancelled."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Install, fault, on_answer, on_call, on_status
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NO_CONTENT, json_reply
from mutants.iceberg_rest.operators.scans import CANCEL, FETCH, PLAN, at_any_table, in_state
from mutants.iceberg_rest.operators.tables import for_operation

if TYPE_CHECKING:
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.service import Service
    from mutants.iceberg_rest.operators.tables import Arguments, Handlers


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


@fault("IRC-SCAN-FETCH-001")
def fetched_plans_are_accepted() -> Install:
    """Fetched plans return 202."""
    return on_status(FETCH, {200: 202})


@fault("IRC-SCAN-FETCH-001")
def plans_are_finished() -> Install:
    """A plan that is complete is called finished."""
    return in_state("submitted", lambda document: {**document, "status": "running"}, FETCH)


@fault("IRC-SCAN-FETCH-002", by=lambda act: in_state("completed", act, FETCH))
def fetched_plans_lose_a_task(document: Document) -> None:
    """The last task of a fetched plan is lost."""
    document["file-scan-tasks"] = document["file-scan-tasks"][:-1]


@fault("IRC-SCAN-FETCH-003")
def plans_on_their_way_have_tasks() -> Install:
    """Plans that are not complete have tasks."""
    return in_state("submitted", _with_tasks, FETCH)


@fault("IRC-SCAN-PLAN-007")
def submitted_plans_have_tasks() -> Install:
    """Plans that were submitted have tasks."""
    return in_state("submitted", _with_tasks, PLAN)


@fault("IRC-SCAN-FETCH-005", "IRC-SCAN-CANCEL-004")
def cancels_nothing() -> Install:
    """Cancelled plans go on."""
    return on_call(CANCEL, lambda _handler, _arguments: NO_CONTENT)


@fault("IRC-SCAN-FETCH-006")
def unknown_plans_are_bad_requests() -> Install:
    """Unknown plans are bad requests."""
    return on_status(FETCH, {404: 400})


@fault("IRC-SCAN-FETCH-006", by=partial(for_operation, FETCH))
def unknown_plans_were_cancelled(handlers: Handlers, arguments: Arguments) -> Reply:
    """Unknown plans are called cancelled."""
    try:
        return handlers[FETCH](**arguments)
    except Problem as problem:
        if problem.kind != "NoSuchPlanIdException":
            raise
        return json_reply({"status": "cancelled"})


@fault("IRC-SCAN-FETCH-008")
def plans_belong_to_every_table() -> Install:
    """Plans are found at any table."""
    return at_any_table(FETCH, lambda arguments: arguments["plan_id"], lambda document: [document.get("plan-id", "")])


@fault("IRC-SCAN-FETCH-009")
def completed_plans_become_submitted() -> Install:
    """Completed plans return to the status submitted."""
    return _again(lambda _: {"status": "submitted"})


@fault("IRC-SCAN-FETCH-010")
def plans_are_emptied() -> Install:
    """Plans that were fetched have no tasks any more."""
    return _again(lambda _: {"status": "completed", "file-scan-tasks": []})


@fault("IRC-SCAN-CANCEL-001")
def cancelling_is_200() -> Install:
    """Plans are cancelled with 200."""
    return on_status(CANCEL, {204: 200})


@fault("IRC-SCAN-CANCEL-002")
def cancelling_the_unknown_fails() -> Install:
    """Cancelling no plan is a server error."""
    return on_status(CANCEL, {404: 500})


@fault("IRC-SCAN-CANCEL-003", by=partial(for_operation, CANCEL))
def cancelling_the_complete_fails(handlers: Handlers, arguments: Arguments) -> Reply:
    """Cancelling a complete plan is a server error."""
    state = handlers[FETCH](**arguments).document["status"]
    if state == "completed":
        raise Problem(500, "IllegalStateException", "the plan is complete")
    return handlers[CANCEL](**arguments)
