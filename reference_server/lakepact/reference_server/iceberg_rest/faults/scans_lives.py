"""Plans that end with others, or do not end when they should."""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.reference_server.faults import Fault, Install, on_call
from lakepact.reference_server.iceberg_rest.faults.ways.scans import CANCEL, FETCH, PLAN, TASKS
from lakepact.reference_server.iceberg_rest.faults.ways.tables import given
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import NO_CONTENT, json_reply

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.faults.ways.tables import Arguments, Handlers
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Service


def _all_at_once(service: Service) -> None:
    """Cancel all plans of a table with one of them."""
    plans: defaultdict[tuple[Any, Any], list[str]] = defaultdict(list)

    def planned(handlers: Handlers, arguments: Arguments) -> Reply:
        reply = handlers[PLAN](**arguments)
        plans[arguments["namespace"], arguments["table"]].append(reply.document.get("plan-id", ""))
        return reply

    def cancelled(handlers: Handlers, arguments: Arguments) -> Reply:
        for other in plans[arguments["namespace"], arguments["table"]]:
            with suppress(Problem):
                handlers[CANCEL](**{**arguments, "plan_id": other})
        return handlers[CANCEL](**arguments)

    given(PLAN, planned)(service)
    given(CANCEL, cancelled)(service)


def _once_for_all(service: Service) -> None:
    """Give the same scan the plan of the first time, whatever has become of it."""
    submitted: dict[bytes, Reply] = {}

    def planned(handlers: Handlers, arguments: Arguments) -> Reply:
        key = orjson.dumps([arguments["namespace"], arguments["table"], arguments.get("body")])
        reply = handlers[PLAN](**arguments)
        return submitted.setdefault(key, reply) if reply.document.get("status") == "submitted" else reply

    given(PLAN, planned)(service)


def beyond_their_table(operation: str, name: str) -> Install:
    """What was answered once is answered again where the table is not found."""

    def install(service: Service) -> None:
        known: dict[bytes, Reply] = {}

        def answer(handler: Handler, arguments: Arguments) -> Reply:
            key = orjson.dumps(arguments.get(name))
            try:
                known[key] = handler(**arguments)
            except Problem as problem:
                if problem.kind != "NoSuchTableException" or key not in known:
                    raise
            return known[key]

        on_call(operation, answer)(service)

    return install


def _not_found_is_cancelled(handler: Handler, arguments: Arguments) -> Reply:
    try:
        return handler(**arguments)
    except Problem as problem:
        if problem.kind != "NoSuchTableException":
            raise
        return NO_CONTENT


def _up_to_the_third_time(service: Service) -> None:
    """Say from the third time on that a cancelled plan is complete, with nothing to read."""
    asked: Counter[str] = Counter()

    def answer(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        if reply.document["status"] != "cancelled":
            return reply
        asked[arguments["plan_id"]] += 1
        return reply if asked[arguments["plan_id"]] < 3 else json_reply({"status": "completed", "file-scan-tasks": []})

    on_call(FETCH, answer)(service)


def _once(service: Service) -> None:
    """Refuse to cancel what is cancelled."""
    done: set[str] = set()

    def answer(handler: Handler, arguments: Arguments) -> Reply:
        if arguments["plan_id"] in done:
            raise Problem(409, "IllegalStateException", "the plan is cancelled already")
        reply = handler(**arguments)
        done.add(arguments["plan_id"])
        return reply

    on_call(CANCEL, answer)(service)


FAULTS = (
    Fault("plans-are-cancelled-together", "Cancelling one plan cancels all of its table.", ("IRC-SCAN-FETCH-010",), _all_at_once),
    Fault("cancelled-scans-stay-cancelled", "What was cancelled cannot be planned again.", ("IRC-SCAN-FETCH-002",), _once_for_all),
    Fault(
        "plans-outlive-their-table",
        "Plans are found after their table was dropped.",
        ("IRC-SCAN-FETCH-007",),
        beyond_their_table(FETCH, "plan_id"),
    ),
    Fault(
        "plan-tasks-outlive-their-table",
        "Plan tasks are exchanged after their table was dropped.",
        ("IRC-SCAN-TASK-005",),
        beyond_their_table(TASKS, "body"),
    ),
    Fault(
        "cancels-whatever-is-gone",
        "Plans of a table that there is not are cancelled.",
        ("IRC-SCAN-CANCEL-005",),
        on_call(CANCEL, _not_found_is_cancelled),
    ),
    Fault("cancelled-plans-come-back", "A cancelled plan is complete after a while.", ("IRC-SCAN-FETCH-005",), _up_to_the_third_time),
    Fault("cancelling-again-is-a-conflict", "What is cancelled cannot be cancelled.", ("IRC-SCAN-CANCEL-003",), _once),
)
