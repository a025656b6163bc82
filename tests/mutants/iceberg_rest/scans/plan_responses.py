"""Plans, tasks and files that are told in other words than those of the contract."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lakepact.generated.contract import OperationId
from lakepact.reference_server.faults import Install, on_answer
from lakepact.reference_server.iceberg_rest.documents import Document
from mutants.iceberg_rest.operators.scans import (
    FETCH,
    PLAN,
    TASKS,
    TOLD,
    changed,
    data_told,
    deletes_told,
    in_state,
    left_out,
    set_to,
    tasks_told,
)


def _cancelled(_: Document) -> Document:
    return {"status": "cancelled"}


def _plan_status(document: Document) -> Document:
    return {"plan-status" if key == "status" else key: value for key, value in document.items()}


def _as(member: str, change: Callable[[Any], Any], by: OperationId | tuple[OperationId, ...] = TOLD) -> Install:
    """A member of answers is told as `change(value)`."""
    return on_answer(by, changed(member, change))


def _upper(value: str) -> str:
    return value.upper()


def _of_equality(file: Document) -> bool:
    return str(file["content"]).lower() == "equality-deletes"


def _shorter(statistics: Document) -> Document:
    return {**statistics, "values": statistics["values"][:-1]}


def _keys_as_texts(statistics: Document) -> Document:
    return {**statistics, "keys": [str(key) for key in statistics["keys"]]}


def _as_object(document: Document) -> None:
    for task in document.get("file-scan-tasks") or ():
        if isinstance(task.get("residual-filter"), dict):
            task["residual-filter"] = {"expression": task["residual-filter"]}


def _residuals(change: Callable[[Any], Any]) -> Install:
    """Residual filters are replaced by `change(expression)`, innermost first."""

    def told(expression: Any) -> Any:
        if not isinstance(expression, dict):
            return expression
        inner = {side: told(expression[side]) for side in ("left", "right", "child") if side in expression}
        return change({**expression, **inner})

    return tasks_told(changed("residual-filter", told))


def _of_kind(kinds: str, edit: Callable[[Document], Any]) -> Install:
    """Expressions of some kinds are told as `edit(expression)`."""
    return _residuals(lambda one: edit(one) if one.get("type") in kinds.split() else one)


def _less(*members: str) -> Callable[[Document], Document]:
    return lambda document: {key: value for key, value in document.items() if key not in members}


def _with_term(change: Callable[[Any], Any]) -> Install:
    return _residuals(lambda one: {**one, "term": change(one["term"])} if "term" in one else one)


PLANS = {
    "completed-plans-are-cancelled IRC-SCAN-PLAN-002": in_state("completed", _cancelled, PLAN),
    "status-is-plan-status IRC-SCAN-PLAN-003": on_answer(PLAN, _plan_status),
    "completed-plans-have-no-tasks IRC-SCAN-PLAN-004": in_state("completed", left_out("file-scan-tasks", "plan-tasks"), PLAN),
    "submitted-plans-have-no-id IRC-SCAN-PLAN-005": in_state("submitted", left_out("plan-id"), PLAN),
    "failed-plans-do-not-say-why IRC-SCAN-PLAN-006": in_state("failed", left_out("error"), PLAN),
    "failed-plans-say-it-in-a-text IRC-SCAN-PLAN-006": in_state("failed", changed("error", lambda error: error["message"]), PLAN),
    "plans-fail-silently-in-the-background IRC-SCAN-FETCH-004": in_state("failed", left_out("error"), FETCH),
    "plan-tasks-are-objects IRC-SCAN-SCH-016 IRC-SCH-PlanTask": _as("plan-tasks", lambda tasks: [{"task": one} for one in tasks]),
}

FILES = {
    "data-files-shout IRC-SCAN-SCH-005": data_told(changed("content", _upper)),
    "delete-files-shout IRC-SCAN-SCH-006": deletes_told(changed("content", _upper)),
    "equality-of-nothing IRC-SCAN-SCH-006": deletes_told(left_out("equality-ids")),
    "formats-shout IRC-SCAN-SCH-007 IRC-SCH-FileFormat": data_told(changed("file-format", _upper)),
    "files-without-records IRC-SCAN-SCH-009": data_told(left_out("record-count")),
    "vectors-without-length IRC-SCAN-SCH-010": deletes_told(left_out("content-size-in-bytes")),
    "counts-are-cut-off IRC-SCAN-SCH-011": data_told(changed("value-counts", _shorter)),
    "keys-are-texts IRC-SCAN-SCH-011": data_told(changed("value-counts", _keys_as_texts)),
    "residuals-are-wrapped IRC-SCAN-SCH-013": on_answer(TOLD, _as_object),
    "offsets-are-texts IRC-SCAN-SCH-015": data_told(changed("split-offsets", lambda offsets: [str(one) for one in offsets])),
    "keys-are-base64 IRC-SCAN-SCH-015": data_told(changed("key-metadata", lambda _: "Cv8=")),
}

SCHEMAS = {
    "plan-ids-are-numbers IRC-SCH-CompletedPlanningWithIDResult": in_state("completed", changed("plan-id", len), PLAN),
    "submitted-ids-are-numbers IRC-SCH-AsyncPlanningResult": in_state("submitted", set_to("plan-id", 7), PLAN),
    "failures-without-error IRC-SCH-FailedPlanningResult": in_state("failed", left_out("error"), PLAN),
    "plans-are-running IRC-SCH-PlanTableScanResult": on_answer(PLAN, set_to("status", "running")),
    "fetched-plans-are-running IRC-SCH-FetchPlanningResult": on_answer(FETCH, set_to("status", "running")),
    "tasks-are-an-object IRC-SCH-ScanTasks": _as("file-scan-tasks", lambda tasks: {"tasks": tasks}),
    "fetched-tasks-are-an-array IRC-SCH-FetchScanTasksResult": on_answer(TASKS, lambda tasks: [tasks]),
    "references-are-a-number IRC-SCH-FileScanTask": tasks_told(changed("delete-file-references", len)),
    "sizes-are-texts IRC-SCH-ContentFile": data_told(changed("file-size-in-bytes", str)),
    "data-files-are-files IRC-SCH-DataFile": data_told(changed("content", lambda _: "file")),
    "delete-files-have-another-content IRC-SCH-DeleteFile": deletes_told(changed("content", lambda _: "deletes")),
    "positions-lie-in-a-text IRC-SCH-PositionDeleteFile": deletes_told(
        set_to("content-offset", "4", where=lambda one: not _of_equality(one))
    ),
    "equality-ids-are-names IRC-SCH-EqualityDeleteFile": deletes_told(set_to("equality-ids", ["id"], where=_of_equality)),
    "bounds-are-one-value IRC-SCH-ValueMap": data_told(changed("lower-bounds", lambda bounds: {**bounds, "values": 5})),
    "keys-are-one-key IRC-SCH-CountMap": data_told(changed("value-counts", lambda one: {**one, "keys": 1})),
    "residuals-without-value IRC-SCH-LiteralExpression": _of_kind("gt", _less("value")),
    "residuals-with-one-value IRC-SCH-SetExpression": _of_kind("in", lambda one: {**one, "values": 5}),
    "residuals-without-term IRC-SCH-UnaryExpression": _of_kind("is-null", _less("term")),
    "negations-of-nothing IRC-SCH-NotExpression @/file-scan-tasks/*/residual-filter/child": _of_kind(
        "gt", lambda one: {"type": "not", "expression": one}
    ),
    "residuals-of-one-side IRC-SCH-AndOrExpression": _of_kind("and or", _less("right")),
    "residuals-are-arrays IRC-SCH-Expression": tasks_told(changed("residual-filter", lambda one: [one])),
    "terms-are-arrays IRC-SCH-Term": _with_term(lambda term: [term]),
    "transforms-without-name IRC-SCH-TransformTerm": _with_term(lambda term: _less("transform")(term) if isinstance(term, dict) else term),
    "transforms-of-ids IRC-SCH-Reference": _with_term(lambda term: {**term, "term": 1} if isinstance(term, dict) else term),
}


FAULTS = {**PLANS, **FILES, **SCHEMAS}
