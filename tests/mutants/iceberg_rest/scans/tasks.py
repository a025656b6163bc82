"""Plan tasks that are good for one time, for every table, or for nothing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lakepact.reference_server.faults import Install, fault, on_answer, on_status
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import json_reply
from mutants.iceberg_rest.operators.refusals import called, refusals_become
from mutants.iceberg_rest.operators.scans import TASKS, at_any_table
from mutants.iceberg_rest.operators.tables import for_operation

if TYPE_CHECKING:
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.service import Service
    from mutants.iceberg_rest.operators.tables import Arguments, Handlers


@fault("IRC-SCAN-TASK-001", by=partial(on_answer, TASKS))
def tasks_are_called_tasks(document: Document) -> Document:
    """Scan tasks stand under another name."""
    return {"tasks": document.get("file-scan-tasks", [])}


@fault("IRC-SCAN-TASK-001", "IRC-SCAN-TASK-002")
def plan_tasks_are_refused() -> Install:
    """Plan tasks cannot be exchanged."""
    return on_status(TASKS, {200: 400})


@fault("IRC-SCAN-PLAN-027", by=partial(on_answer, TASKS))
def plan_tasks_repeat_files(document: Document) -> None:
    """A plan task names its file twice."""
    document["file-scan-tasks"] = document.get("file-scan-tasks", [])[:1] * 2


@fault("IRC-SCAN-TASK-003")
def bad_plan_tasks_fail() -> Install:
    """An invalid plan task returns 500."""
    return on_status(TASKS, {400: 500})


@fault("IRC-SCAN-TASK-004", by=partial(for_operation, TASKS))
def unknown_plan_tasks_are_empty(handlers: Handlers, arguments: Arguments) -> Reply:
    """Unknown plan tasks have no files."""
    try:
        return handlers[TASKS](**arguments)
    except Problem as problem:
        if problem.kind != "NoSuchPlanTaskException":
            raise
        return json_reply({"file-scan-tasks": []})


@fault("IRC-SCAN-TASK-004")
def unknown_plan_tasks_are_plans() -> Install:
    """Unknown plan tasks are called NoSuchPlanIdException."""
    return refusals_become(TASKS, 404, called("NoSuchPlanIdException", instead_of="NoSuchPlanTaskException"))


@fault("IRC-SCAN-TASK-006")
def plan_tasks_belong_to_every_table() -> Install:
    """Plan tasks are found at any table."""
    return at_any_table(TASKS, lambda arguments: arguments["body"]["plan-task"], lambda document: document.get("plan-tasks") or [])


@fault("IRC-SCAN-TASK-007")
def plan_tasks_are_good_once() -> Install:
    """Plan tasks can be exchanged one time."""

    def install(service: Service) -> None:
        seen: set[str] = set()

        def act(handlers: Handlers, arguments: Arguments) -> Reply:
            reply = handlers[TASKS](**arguments)
            task = arguments["body"]["plan-task"]
            if task in seen:
                raise Problem(404, "NoSuchPlanTaskException", "the plan task was used")
            seen.add(task)
            return reply

        for_operation(TASKS, act)(service)

    return install
