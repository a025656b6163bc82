"""Plan tasks that are good for one time, for every table, or for nothing."""

from __future__ import annotations

from functools import partial

from lakepact.reference_server.faults import Install, fault, on_answer, on_status
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.service import Arguments, Service
from mutants.iceberg_rest.operators.refusals import called, refusals_become
from mutants.iceberg_rest.operators.scans import TASKS, at_any_table
from mutants.iceberg_rest.operators.tables import Handlers, for_operation


@fault("IRC-SCAN-TASK-004", by=partial(for_operation, TASKS))
def unknown_plan_tasks_are_empty(handlers: Handlers, arguments: Arguments) -> Reply:
    try:
        return handlers[TASKS](**arguments)
    except Problem as problem:
        if problem.kind != "NoSuchPlanTaskException":
            raise
        return json_reply({"file-scan-tasks": []})


@fault("IRC-SCAN-TASK-007")
def plan_tasks_are_good_once() -> Install:
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


FAULTS = {
    "tasks-are-called-tasks IRC-SCAN-TASK-001": on_answer(
        TASKS, lambda document: {"tasks": document.get("file-scan-tasks", [])}
    ),
    "plan-tasks-are-refused IRC-SCAN-TASK-001 IRC-SCAN-TASK-002": on_status(TASKS, {200: 400}),
    "plan-tasks-repeat-files IRC-SCAN-PLAN-027": on_answer(
        TASKS,
        lambda document: document.update(
            {"file-scan-tasks": document.get("file-scan-tasks", [])[:1] * 2}
        ),
    ),
    "bad-plan-tasks-fail IRC-SCAN-TASK-003": on_status(TASKS, {400: 500}),
    "unknown-plan-tasks-are-plans IRC-SCAN-TASK-004": refusals_become(
        TASKS, 404, called("NoSuchPlanIdException", instead_of="NoSuchPlanTaskException")
    ),
    "plan-tasks-belong-to-every-table IRC-SCAN-TASK-006": at_any_table(
        TASKS,
        lambda arguments: arguments["body"]["plan-task"],
        lambda document: document.get("plan-tasks") or [],
    ),
}
