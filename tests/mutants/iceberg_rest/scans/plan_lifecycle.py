"""Plans that end with others, or do not end when they should."""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import suppress
from typing import Any

import orjson

from lakepact.generated.contract import OperationId
from lakepact.reference_server.faults import Install, fault, on_call
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NO_CONTENT, Reply, json_reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from mutants.iceberg_rest.operators.scans import CANCEL, FETCH, PLAN, TASKS
from mutants.iceberg_rest.operators.tables import Handlers, for_operation
from mutants.operators import on_refusal


def beyond_their_table(operation: OperationId, name: str) -> Install:
    """An earlier answer is returned if the table is not found."""

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


@fault("IRC-SCAN-FETCH-010")
def plans_are_cancelled_together(service: Service) -> None:
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

    for_operation(PLAN, planned)(service)
    for_operation(CANCEL, cancelled)(service)


@fault("IRC-SCAN-FETCH-002", breaks_at="/status")
def cancelled_scans_stay_cancelled(service: Service) -> None:
    submitted: dict[bytes, Reply] = {}

    def planned(handlers: Handlers, arguments: Arguments) -> Reply:
        key = orjson.dumps([arguments["namespace"], arguments["table"], arguments.get("body")])
        reply = handlers[PLAN](**arguments)
        return (
            submitted.setdefault(key, reply)
            if reply.document.get("status") == "submitted"
            else reply
        )

    for_operation(PLAN, planned)(service)


@fault("IRC-SCAN-FETCH-005")
def cancelled_plans_come_back(service: Service) -> None:
    asked: Counter[str] = Counter()

    def answer(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        if reply.document["status"] != "cancelled":
            return reply
        asked[arguments["plan_id"]] += 1
        return (
            reply
            if asked[arguments["plan_id"]] < 3
            else json_reply({"status": "completed", "file-scan-tasks": []})
        )

    on_call(FETCH, answer)(service)


@fault("IRC-SCAN-CANCEL-003")
def cancelling_again_is_a_conflict(service: Service) -> None:
    done: set[str] = set()

    def answer(handler: Handler, arguments: Arguments) -> Reply:
        if arguments["plan_id"] in done:
            raise Problem(409, "IllegalStateException", "the plan is cancelled already")
        reply = handler(**arguments)
        done.add(arguments["plan_id"])
        return reply

    on_call(CANCEL, answer)(service)


FAULTS = {
    "cancels-whatever-is-gone IRC-SCAN-CANCEL-005": on_refusal(
        CANCEL, "NoSuchTableException", lambda handler, arguments: NO_CONTENT
    ),
    "plans-outlive-their-table IRC-SCAN-FETCH-007": beyond_their_table(FETCH, "plan_id"),
    "plan-tasks-outlive-their-table IRC-SCAN-TASK-005": beyond_their_table(TASKS, "body"),
}
