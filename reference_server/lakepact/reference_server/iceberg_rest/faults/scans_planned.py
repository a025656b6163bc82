"""Scans of other snapshots than were asked for, and requests that are understood although they contradict themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, on_answer, on_status
from lakepact.reference_server.iceberg_rest.catalog import bad_request
from lakepact.reference_server.iceberg_rest.faults.ways.refusals import called, refusals_become
from lakepact.reference_server.iceberg_rest.faults.ways.requests import refused_if
from lakepact.reference_server.iceberg_rest.faults.ways.scans import CANCEL, FETCH, PLAN, TASKS, asked, asked_as, without
from lakepact.reference_server.iceberg_rest.faults.ways.tables import given
from lakepact.reference_server.problems import Problem

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.faults.ways.scans import Ask
    from lakepact.reference_server.iceberg_rest.faults.ways.tables import Arguments, Handlers
    from lakepact.reference_server.replies import Reply

BETWEEN = ("start-snapshot-id", "end-snapshot-id")


def _newest(metadata: Document, body: Document) -> Document:
    snapshots = metadata.get("snapshots") or []
    if not snapshots or any(member in body for member in ("snapshot-id", *BETWEEN)):
        return body
    return {**body, "snapshot-id": snapshots[-1]["snapshot-id"]}


def _parent(metadata: Document, snapshot_id: int | None) -> int | None:
    found = [one for one in metadata.get("snapshots") or [] if one["snapshot-id"] == snapshot_id]
    return found[0].get("parent-snapshot-id") if found else snapshot_id


def _with_its_start(metadata: Document, body: Document) -> Document:
    if body.get("start-snapshot-id") is None:
        return body
    parent = _parent(metadata, body["start-snapshot-id"])
    return {**without(body, "start-snapshot-id"), **({} if parent is None else {"start-snapshot-id": parent})}


def _without_its_end(metadata: Document, body: Document) -> Document:
    return {**body, "end-snapshot-id": _parent(metadata, body["end-snapshot-id"])} if body.get("start-snapshot-id") else body


def _of_one_alone(_: Document, body: Document) -> Document:
    return without(body, *BETWEEN) if "snapshot-id" in body else body


def _to_the_end(metadata: Document, body: Document) -> Document:
    if body.get("start-snapshot-id") is None or body.get("end-snapshot-id") is not None:
        return body
    return {**body, "end-snapshot-id": metadata["current-snapshot-id"]}


def _without_a_lone_end(_: Document, body: Document) -> Document:
    return body if body.get("start-snapshot-id") is not None else without(body, "end-snapshot-id")


def _nothing_of_the_unknown(ask: Ask, metadata: Document, body: Document) -> Any:
    try:
        return ask(metadata, body)
    except Problem as problem:
        if "snapshot" not in problem.message:
            raise
        return replace(ask(metadata, {}), snapshots=())


def _statistics_of_all(ask: Ask, metadata: Document, body: Document) -> Any:
    wanted = ask(metadata, body)
    return replace(wanted, stats=frozenset(wanted.types)) if wanted.stats else wanted


def _needs_snapshots(ask: Ask, metadata: Document, body: Document) -> Any:
    if not metadata.get("snapshots"):
        raise bad_request("the table has no snapshot")
    return ask(metadata, body)


def _and_writes(handlers: Handlers, arguments: Arguments) -> Reply:
    reply = handlers[PLAN](**arguments)
    updates = [{"action": "set-properties", "updates": {"last-planned": "now"}}]
    at = {key: arguments[key] for key in ("namespace", "table")}
    handlers["updateTable"](**at, body={"requirements": [], "updates": updates})
    return reply


def _last_one_twice(document: Document) -> None:
    if document.get("file-scan-tasks"):
        document["file-scan-tasks"].append(document["file-scan-tasks"][-1])


def _selects_nested(body: Document) -> bool:
    return any("." in name for name in (body or {}).get("select") or ())


FAULTS = (
    Fault("plans-are-accepted", "Plans are answered with 202.", ("IRC-SCAN-PLAN-001",), on_status(PLAN, {200: 202})),
    Fault("plans-the-newest-snapshot", "The newest snapshot of any branch is planned.", ("IRC-SCAN-PLAN-008",), asked_as(_newest)),
    Fault(
        "plans-main-alone",
        "Whatever snapshot is asked for, that of main is planned.",
        ("IRC-SCAN-PLAN-009",),
        asked_as(lambda _, body: without(body, "snapshot-id")),
    ),
    Fault("plans-from-the-start-on", "The start of a scan between two is part of it.", ("IRC-SCAN-PLAN-010",), asked_as(_with_its_start)),
    Fault("plans-before-the-end", "The end of a scan between two is no part of it.", ("IRC-SCAN-PLAN-010",), asked_as(_without_its_end)),
    Fault(
        "plans-all-up-to-the-end",
        "The start of a scan between two is ignored.",
        ("IRC-SCAN-PLAN-010",),
        asked_as(lambda _, body: without(body, "start-snapshot-id")),
    ),
    Fault("one-snapshot-wins", "With ids of both kinds, one snapshot is planned.", ("IRC-SCAN-PLAN-011",), asked_as(_of_one_alone)),
    Fault("scans-end-by-themselves", "A scan without an end ends with main.", ("IRC-SCAN-PLAN-012",), asked_as(_to_the_end)),
    Fault("lone-ends-are-ignored", "An end without a start is ignored.", ("IRC-SCAN-PLAN-013",), asked_as(_without_a_lone_end)),
    Fault(
        "unknown-snapshots-are-empty", "A snapshot that there is not has no files.", ("IRC-SCAN-PLAN-014",), asked(_nothing_of_the_unknown)
    ),
    Fault(
        "schemas-of-snapshots-are-ignored",
        "Names are always those of the table's schema.",
        ("IRC-SCAN-PLAN-019",),
        asked_as(lambda _, body: without(body, "use-snapshot-schema")),
    ),
    Fault(
        "schemas-are-always-of-snapshots",
        "Names are always those of the snapshot's schema.",
        ("IRC-SCAN-PLAN-019",),
        asked_as(lambda _, body: {**body, "use-snapshot-schema": True}),
    ),
    Fault("selects-no-nested-columns", "Dotted names cannot be selected.", ("IRC-SCAN-PLAN-020",), refused_if(PLAN, _selects_nested)),
    Fault("statistics-of-all-columns", "Statistics of all columns come.", ("IRC-SCAN-PLAN-021",), asked(_statistics_of_all)),
    Fault("empty-tables-are-refused", "A table without snapshots cannot be planned.", ("IRC-SCAN-PLAN-022",), asked(_needs_snapshots)),
    Fault("planning-writes", "Each plan leaves a property.", ("IRC-SCAN-PLAN-026",), given(PLAN, _and_writes)),
    Fault("last-tasks-come-twice", "The last task of an answer is there twice.", ("IRC-SCAN-PLAN-027",), on_answer(PLAN, _last_one_twice)),
    Fault("missing-tables-are-bad-plans", "Planning no table is a bad request.", ("IRC-SCAN-PLAN-023",), on_status(PLAN, {404: 400})),
    Fault(
        "missing-tables-are-not-named",
        "Tables that are missing are called NotFoundException.",
        ("IRC-SCAN-PLAN-023",),
        refusals_become(PLAN, 404, called("NotFoundException")),
    ),
    Fault(
        "plans-of-nothing-are-bad-requests", "Fetching of no table is a bad request.", ("IRC-SCAN-FETCH-007",), on_status(FETCH, {404: 400})
    ),
    Fault("cancels-plans-of-nothing", "Plans of no table are cancelled.", ("IRC-SCAN-CANCEL-005",), on_status(CANCEL, {404: 204})),
    Fault("tasks-of-nothing-are-bad-requests", "Tasks of no table are bad requests.", ("IRC-SCAN-TASK-005",), on_status(TASKS, {404: 400})),
)
