"""Plans of other snapshots than they were made for: remembered too long, made too late, or forgotten on their way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.reference_server.faults import Fault, Install, on_answer
from lakepact.reference_server.iceberg_rest.faults.ways.scans import FETCH, PLAN, TASKS, asked, asked_as, left_out, without
from lakepact.reference_server.iceberg_rest.faults.ways.tables import given
from lakepact.reference_server.replies import json_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.faults.ways.scans import Ask
    from lakepact.reference_server.iceberg_rest.faults.ways.tables import Arguments, Handlers
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Service

IDS = ("snapshot-id", "start-snapshot-id", "end-snapshot-id")


def _remembered(service: Service) -> None:
    known: dict[Any, Reply] = {}

    def plan(handlers: Handlers, arguments: Arguments) -> Reply:
        key = (arguments["namespace"], arguments["table"], orjson.dumps(arguments.get("body")))
        if key not in known:
            known[key] = handlers[PLAN](**arguments)
        return known[key]

    given(PLAN, plan)(service)


def _made_late(service: Service) -> None:
    """A plan task is a number of a page of a plan that is made anew when it is exchanged."""
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

    given(PLAN, plan)(service)
    given(TASKS, fetch)(service)


def _of_main(where: Callable[[Document], Any]) -> Install:
    """Plans whose answer is such a one are of main, whatever was asked for."""

    def plan(handlers: Handlers, arguments: Arguments) -> Reply:
        reply = handlers[PLAN](**arguments)
        if where(reply.document):
            return handlers[PLAN](**{**arguments, "body": without(arguments.get("body") or {}, *IDS)})
        return reply

    return given(PLAN, plan)


def _without_deletes(document: Document) -> None:
    document.pop("delete-files", None)
    for task in document.get("file-scan-tasks") or ():
        task.pop("delete-file-references", None)


def _whatever_was_done(ask: Ask, metadata: Document, body: Document) -> Any:
    wanted = ask(metadata, body)
    if not wanted.incremental:
        return wanted
    known = {one["snapshot-id"]: one for one in metadata["snapshots"]}
    found, current = list[Any](), known.get(body["end-snapshot-id"])
    while current is not None and current["snapshot-id"] != body.get("start-snapshot-id"):
        found.insert(0, current)
        current = known.get(current.get("parent-snapshot-id"))
    return replace(wanted, snapshots=tuple(found))


def _in_the_order_of_the_list(ask: Ask, metadata: Document, body: Document) -> Any:
    wanted = ask(metadata, body)
    ids = [one["snapshot-id"] for one in metadata.get("snapshots") or ()]
    if not wanted.incremental or body.get("start-snapshot-id") not in ids:
        return wanted
    places = (ids.index(body[member]) + 1 for member in ("start-snapshot-id", "end-snapshot-id"))
    return replace(wanted, snapshots=tuple(metadata["snapshots"][slice(*places)]))


def _all_of_the_end(_: Document, body: Document) -> Document:
    if body.get("start-snapshot-id") is None or body["start-snapshot-id"] != body.get("end-snapshot-id"):
        return body
    return {**without(body, *IDS), "snapshot-id": body["end-snapshot-id"]}


def _nothing(document: Document) -> Document | None:
    return {"status": "completed", "file-scan-tasks": []} if document.get("status") == "failed" else None


FAULTS = (
    Fault("plans-are-remembered", "What was planned once is planned for ever.", ("IRC-SCAN-PLAN-008",), _remembered),
    Fault("plan-tasks-are-made-late", "Plan tasks are of the table as it is when they are exchanged.", ("IRC-SCAN-PLAN-027",), _made_late),
    Fault(
        "divided-plans-are-of-main",
        "Plans with plan tasks are of main.",
        ("IRC-SCAN-PLAN-009",),
        _of_main(lambda document: document.get("plan-tasks")),
    ),
    Fault(
        "plans-in-the-background-are-of-main",
        "Plans that are made in the background are of main.",
        ("IRC-SCAN-FETCH-002",),
        _of_main(lambda document: document.get("status") == "submitted"),
    ),
    Fault("plan-tasks-lose-deletes", "Plan tasks come without delete files.", ("IRC-SCAN-SCH-003",), on_answer(TASKS, _without_deletes)),
    Fault("fetched-plans-lose-deletes", "Fetched plans have no delete files.", ("IRC-SCAN-FETCH-002",), on_answer(FETCH, _without_deletes)),
    Fault(
        "fetched-plans-lose-plan-tasks",
        "Fetched plans have no plan tasks.",
        ("IRC-SCAN-FETCH-002",),
        on_answer(FETCH, left_out("plan-tasks")),
    ),
    Fault(
        "unreadable-snapshots-are-empty", "What cannot be planned has no files.", ("IRC-SCAN-PLAN-009",), on_answer((PLAN, FETCH), _nothing)
    ),
    Fault(
        "rewritten-files-are-appended",
        "Between two snapshots, files count that were rewritten.",
        ("IRC-SCAN-PLAN-010",),
        asked(_whatever_was_done),
    ),
    Fault(
        "branches-are-between", "Between two snapshots are all that were added.", ("IRC-SCAN-PLAN-010",), asked(_in_the_order_of_the_list)
    ),
    Fault("all-is-behind-itself", "Behind a snapshot up to itself is all of it.", ("IRC-SCAN-PLAN-010",), asked_as(_all_of_the_end)),
)
