"""Plan tasks that are good for one time, for every table, or for nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.reference_server.faults import Fault, Install, on_answer, on_status
from lakepact.reference_server.iceberg_rest.faults.ways.refusals import called, refusals_become
from lakepact.reference_server.iceberg_rest.faults.ways.scans import TASKS, at_any_table
from lakepact.reference_server.iceberg_rest.faults.ways.tables import given
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import json_reply

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.faults.ways.tables import Arguments, Handlers
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Service


def _renamed(document: Document) -> Document:
    return {"tasks": document.get("file-scan-tasks", [])}


def _nothing_of_the_unknown(handlers: Handlers, arguments: Arguments) -> Reply:
    try:
        return handlers[TASKS](**arguments)
    except Problem as problem:
        if problem.kind != "NoSuchPlanTaskException":
            raise
        return json_reply({"file-scan-tasks": []})


def _once() -> Install:
    """Each plan task can be exchanged one time."""

    def install(service: Service) -> None:
        seen: set[str] = set()

        def act(handlers: Handlers, arguments: Arguments) -> Reply:
            reply = handlers[TASKS](**arguments)
            task = arguments["body"]["plan-task"]
            if task in seen:
                raise Problem(404, "NoSuchPlanTaskException", "the plan task was used")
            seen.add(task)
            return reply

        given(TASKS, act)(service)

    return install


def _same_file_again(document: Document) -> None:
    document["file-scan-tasks"] = document.get("file-scan-tasks", [])[:1] * 2


FAULTS = (
    Fault("tasks-are-called-tasks", "Scan tasks stand under another name.", ("IRC-SCAN-TASK-001",), on_answer(TASKS, _renamed)),
    Fault(
        "plan-tasks-are-refused",
        "Plan tasks cannot be exchanged.",
        ("IRC-SCAN-TASK-001", "IRC-SCAN-TASK-002"),
        on_status(TASKS, {200: 400}),
    ),
    Fault("plan-tasks-repeat-files", "A plan task names its file twice.", ("IRC-SCAN-PLAN-027",), on_answer(TASKS, _same_file_again)),
    Fault("bad-plan-tasks-fail", "What is no plan task is a server error.", ("IRC-SCAN-TASK-003",), on_status(TASKS, {400: 500})),
    Fault(
        "unknown-plan-tasks-are-empty", "Unknown plan tasks have no files.", ("IRC-SCAN-TASK-004",), given(TASKS, _nothing_of_the_unknown)
    ),
    Fault(
        "unknown-plan-tasks-are-plans",
        "Unknown plan tasks are called NoSuchPlanIdException.",
        ("IRC-SCAN-TASK-004",),
        refusals_become(TASKS, 404, called("NoSuchPlanIdException", instead_of="NoSuchPlanTaskException")),
    ),
    Fault(
        "plan-tasks-belong-to-everybody",
        "Plan tasks are found at any table.",
        ("IRC-SCAN-TASK-006",),
        at_any_table(TASKS, lambda arguments: arguments["body"]["plan-task"], lambda document: document.get("plan-tasks") or []),
    ),
    Fault("plan-tasks-are-good-once", "Plan tasks can be exchanged one time.", ("IRC-SCAN-TASK-007",), _once()),
)
