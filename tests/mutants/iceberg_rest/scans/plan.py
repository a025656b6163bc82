"""Scans of other snapshots than were asked for, and requests that are understood although they
contradict themselves.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import fault, on_answer, on_status
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import bad_request
from mutants.iceberg_rest.operators.refusals import called, refusals_become
from mutants.iceberg_rest.operators.requests import refused_if
from mutants.iceberg_rest.operators.scans import (
    CANCEL,
    FETCH,
    PLAN,
    TASKS,
    Ask,
    asked,
    asked_as,
    without,
)
from mutants.iceberg_rest.operators.tables import Handlers, for_operation

BETWEEN = ("start-snapshot-id", "end-snapshot-id")


def _parent(metadata: Document, snapshot_id: int | None) -> int | None:
    found = [one for one in metadata.get("snapshots") or [] if one["snapshot-id"] == snapshot_id]
    return found[0].get("parent-snapshot-id") if found else snapshot_id


@fault("IRC-SCAN-PLAN-008", by=asked_as)
def plans_the_newest_snapshot(metadata: Document, body: Document) -> Document:
    snapshots = metadata.get("snapshots") or []
    if not snapshots or any(member in body for member in ("snapshot-id", *BETWEEN)):
        return body
    return {**body, "snapshot-id": snapshots[-1]["snapshot-id"]}


@fault("IRC-SCAN-PLAN-010", by=asked_as)
def plans_from_the_start_on(metadata: Document, body: Document) -> Document:
    if body.get("start-snapshot-id") is None:
        return body
    parent = _parent(metadata, body["start-snapshot-id"])
    return {
        **without(body, "start-snapshot-id"),
        **({} if parent is None else {"start-snapshot-id": parent}),
    }


@fault("IRC-SCAN-PLAN-010", by=asked_as)
def plans_before_the_end(metadata: Document, body: Document) -> Document:
    return (
        {**body, "end-snapshot-id": _parent(metadata, body["end-snapshot-id"])}
        if body.get("start-snapshot-id")
        else body
    )


@fault("IRC-SCAN-PLAN-012", by=asked_as)
def scans_end_by_themselves(metadata: Document, body: Document) -> Document:
    if body.get("start-snapshot-id") is None or body.get("end-snapshot-id") is not None:
        return body
    return {**body, "end-snapshot-id": metadata["current-snapshot-id"]}


@fault("IRC-SCAN-PLAN-014", by=asked)
def unknown_snapshots_are_empty(ask: Ask, metadata: Document, body: Document) -> Any:
    try:
        return ask(metadata, body)
    except Problem as problem:
        if "snapshot" not in problem.message:
            raise
        return replace(ask(metadata, {}), snapshots=())


@fault("IRC-SCAN-PLAN-021", by=asked)
def statistics_of_all_columns(ask: Ask, metadata: Document, body: Document) -> Any:
    wanted = ask(metadata, body)
    return replace(wanted, stats=frozenset(wanted.types)) if wanted.stats else wanted


@fault("IRC-SCAN-PLAN-022", by=asked)
def empty_tables_are_refused(ask: Ask, metadata: Document, body: Document) -> Any:
    if not metadata.get("snapshots"):
        raise bad_request("the table has no snapshot")
    return ask(metadata, body)


@fault("IRC-SCAN-PLAN-026", by=partial(for_operation, PLAN))
def planning_writes(handlers: Handlers, arguments: Arguments) -> Reply:
    reply = handlers[PLAN](**arguments)
    updates = [{"action": "set-properties", "updates": {"last-planned": "now"}}]
    at = {key: arguments[key] for key in ("namespace", "table")}
    handlers[op.update_table](**at, body={"requirements": [], "updates": updates})
    return reply


@fault("IRC-SCAN-PLAN-027", by=partial(on_answer, PLAN))
def last_tasks_come_twice(document: Document) -> None:
    if document.get("file-scan-tasks"):
        document["file-scan-tasks"].append(document["file-scan-tasks"][-1])


FAULTS = {
    "plans-are-accepted IRC-SCAN-PLAN-001": on_status(PLAN, {200: 202}),
    "plans-main-alone IRC-SCAN-PLAN-009": asked_as(lambda _, body: without(body, "snapshot-id")),
    "plans-all-up-to-the-end IRC-SCAN-PLAN-010": asked_as(
        lambda _, body: without(body, "start-snapshot-id")
    ),
    "one-snapshot-wins IRC-SCAN-PLAN-011": asked_as(
        lambda _, body: without(body, *BETWEEN) if "snapshot-id" in body else body
    ),
    "lone-ends-are-ignored IRC-SCAN-PLAN-013": asked_as(
        lambda _, body: (
            body if body.get("start-snapshot-id") is not None else without(body, "end-snapshot-id")
        )
    ),
    "schemas-of-snapshots-are-ignored IRC-SCAN-PLAN-019": asked_as(
        lambda _, body: without(body, "use-snapshot-schema")
    ),
    "schemas-are-always-of-snapshots IRC-SCAN-PLAN-019": asked_as(
        lambda _, body: {**body, "use-snapshot-schema": True}
    ),
    "selects-no-nested-columns IRC-SCAN-PLAN-020": refused_if(
        PLAN, lambda body: any("." in name for name in (body or {}).get("select") or ())
    ),
    "missing-tables-are-bad-plans IRC-SCAN-PLAN-023": on_status(PLAN, {404: 400}),
    "missing-tables-are-not-named IRC-SCAN-PLAN-023": refusals_become(
        PLAN, 404, called("NotFoundException")
    ),
    "plans-of-nothing-are-bad-requests IRC-SCAN-FETCH-007": on_status(FETCH, {404: 400}),
    "cancels-plans-of-nothing IRC-SCAN-CANCEL-005": on_status(CANCEL, {404: 204}),
    "tasks-of-nothing-are-bad-requests IRC-SCAN-TASK-005": on_status(TASKS, {404: 400}),
}
