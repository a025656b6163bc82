"""Plans of other snapshots than they were made for: remembered too long, made too late, or
forgotten on their way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson

from lakepact.reference_server.faults import Install, fault, on_answer
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.service import Arguments, Service
from lakepact.reference_server.iceberg_rest.documents import Document
from mutants.iceberg_rest.operators.scans import (
    FETCH,
    PLAN,
    TASKS,
    Ask,
    asked,
    asked_as,
    left_out,
    without,
)
from mutants.iceberg_rest.operators.tables import Handlers, for_operation

IDS = ("snapshot-id", "start-snapshot-id", "end-snapshot-id")


def _of_main(where: Callable[[Document], Any]) -> Install:
    """Plans whose answer is such a one are of main, whatever was asked for."""

    def plan(handlers: Handlers, arguments: Arguments) -> Reply:
        reply = handlers[PLAN](**arguments)
        if where(reply.document):
            return handlers[PLAN](
                **{**arguments, "body": without(arguments.get("body") or {}, *IDS)}
            )
        return reply

    return for_operation(PLAN, plan)


def _without_deletes(document: Document) -> None:
    document.pop("delete-files", None)
    for task in document.get("file-scan-tasks") or ():
        task.pop("delete-file-references", None)


@fault("IRC-SCAN-PLAN-008")
def plans_are_remembered(service: Service) -> None:
    known: dict[Any, Reply] = {}

    def plan(handlers: Handlers, arguments: Arguments) -> Reply:
        key = (arguments["namespace"], arguments["table"], orjson.dumps(arguments.get("body")))
        if key not in known:
            known[key] = handlers[PLAN](**arguments)
        return known[key]

    for_operation(PLAN, plan)(service)


@fault("IRC-SCAN-PLAN-027")
def plan_tasks_are_made_late(service: Service) -> None:
    asked_for: dict[str, tuple[Arguments, int]] = {}

    def plan(handlers: Handlers, arguments: Arguments) -> Reply:
        reply = handlers[PLAN](**arguments)
        tasks = reply.document.get("plan-tasks") or []
        asked_for.update({task: (arguments, number) for number, task in enumerate(tasks)})
        return reply

    def fetch(handlers: Handlers, arguments: Arguments) -> Reply:
        task = (arguments.get("body") or {}).get("plan-task")
        if task not in asked_for:
            return handlers[TASKS](**arguments)
        former, number = asked_for[task]
        tasks = handlers[PLAN](**former).document.get("plan-tasks") or []
        if number >= len(tasks):
            return json_reply({"file-scan-tasks": []})
        return handlers[TASKS](**{**arguments, "body": {"plan-task": tasks[number]}})

    for_operation(PLAN, plan)(service)
    for_operation(TASKS, fetch)(service)


@fault("IRC-SCAN-PLAN-010", by=asked)
def rewritten_files_are_appended(ask: Ask, metadata: Document, body: Document) -> Any:
    wanted = ask(metadata, body)
    if not wanted.incremental:
        return wanted
    known = {one["snapshot-id"]: one for one in metadata["snapshots"]}
    found, current = list[Any](), known.get(body["end-snapshot-id"])
    while current is not None and current["snapshot-id"] != body.get("start-snapshot-id"):
        found.insert(0, current)
        current = known.get(current.get("parent-snapshot-id"))
    return replace(wanted, snapshots=tuple(found))


@fault("IRC-SCAN-PLAN-010", by=asked)
def branches_are_between(ask: Ask, metadata: Document, body: Document) -> Any:
    wanted = ask(metadata, body)
    ids = [one["snapshot-id"] for one in metadata.get("snapshots") or ()]
    if not wanted.incremental or body.get("start-snapshot-id") not in ids:
        return wanted
    places = (ids.index(body[member]) + 1 for member in ("start-snapshot-id", "end-snapshot-id"))
    return replace(wanted, snapshots=tuple(metadata["snapshots"][slice(*places)]))


@fault("IRC-SCAN-PLAN-010", by=asked_as)
def all_is_behind_itself(_: Document, body: Document) -> Document:
    if body.get("start-snapshot-id") is None or body["start-snapshot-id"] != body.get(
        "end-snapshot-id"
    ):
        return body
    return {**without(body, *IDS), "snapshot-id": body["end-snapshot-id"]}


FAULTS = {
    "divided-plans-are-of-main IRC-SCAN-PLAN-009": _of_main(
        lambda document: document.get("plan-tasks")
    ),
    "plans-in-the-background-are-of-main IRC-SCAN-FETCH-002": _of_main(
        lambda document: document.get("status") == "submitted"
    ),
    "plan-tasks-lose-deletes IRC-SCAN-SCH-003": on_answer(TASKS, _without_deletes),
    "fetched-plans-lose-deletes IRC-SCAN-FETCH-002": on_answer(FETCH, _without_deletes),
    "fetched-plans-lose-plan-tasks IRC-SCAN-FETCH-002 @/file-scan-tasks": on_answer(
        FETCH, left_out("plan-tasks")
    ),
    "unreadable-snapshots-are-empty IRC-SCAN-PLAN-009": on_answer(
        (PLAN, FETCH),
        lambda document: (
            {"status": "completed", "file-scan-tasks": []}
            if document.get("status") == "failed"
            else None
        ),
    ),
}
