"""Plans, tasks and files that are told in other words than those of the contract."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lakepact.generated.contract import OperationId
from lakepact.reference_server.faults import Install, on_answer
from lakepact.reference_server.iceberg_rest.documents import Document
from mutants.iceberg_rest.operators import scans


def _cancelled(_: Document) -> Document:
    return {"status": "cancelled"}


def _plan_status(document: Document) -> Document:
    return {"plan-status" if key == "status" else key: value for key, value in document.items()}


def _as(
    member: str,
    change: Callable[[Any], Any],
    by: OperationId | tuple[OperationId, ...] = scans.TOLD,
) -> Install:
    """A member of answers is told as `change(value)`."""
    return on_answer(by, scans.changed(member, change))


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
        inner = {
            side: told(expression[side])
            for side in ("left", "right", "child")
            if side in expression
        }
        return change({**expression, **inner})

    return scans.tasks_told(scans.changed("residual-filter", told))


def _of_kind(kinds: str, edit: Callable[[Document], Any]) -> Install:
    """Expressions of some kinds are told as `edit(expression)`."""
    return _residuals(lambda one: edit(one) if one.get("type") in kinds.split() else one)


def _less(*members: str) -> Callable[[Document], Document]:
    return lambda document: {key: value for key, value in document.items() if key not in members}


def _with_term(change: Callable[[Any], Any]) -> Install:
    return _residuals(lambda one: {**one, "term": change(one["term"])} if "term" in one else one)


PLANS = {
    "completed-plans-are-cancelled IRC-SCAN-PLAN-002": scans.in_state(
        "completed", _cancelled, scans.PLAN
    ),
    "status-is-plan-status IRC-SCAN-PLAN-003": on_answer(scans.PLAN, _plan_status),
    "completed-plans-have-no-tasks IRC-SCAN-PLAN-004": scans.in_state(
        "completed", scans.left_out("file-scan-tasks", "plan-tasks"), scans.PLAN
    ),
    "submitted-plans-have-no-id IRC-SCAN-PLAN-005": scans.in_state(
        "submitted", scans.left_out("plan-id"), scans.PLAN
    ),
    "failed-plans-do-not-say-why IRC-SCAN-PLAN-006": scans.in_state(
        "failed", scans.left_out("error"), scans.PLAN
    ),
    "failed-plans-say-it-in-a-text IRC-SCAN-PLAN-006": scans.in_state(
        "failed", scans.changed("error", lambda error: error["message"]), scans.PLAN
    ),
    "plans-fail-silently-in-the-background IRC-SCAN-FETCH-004": scans.in_state(
        "failed", scans.left_out("error"), scans.FETCH
    ),
    "plan-tasks-are-objects IRC-SCAN-SCH-016 IRC-SCH-PlanTask": _as(
        "plan-tasks", lambda tasks: [{"task": one} for one in tasks]
    ),
}

FILES = {
    "data-files-shout IRC-SCAN-SCH-005": scans.data_told(scans.changed("content", _upper)),
    "delete-files-shout IRC-SCAN-SCH-006": scans.deletes_told(scans.changed("content", _upper)),
    "equality-of-nothing IRC-SCAN-SCH-006": scans.deletes_told(scans.left_out("equality-ids")),
    "formats-shout IRC-SCAN-SCH-007 IRC-SCH-FileFormat": scans.data_told(
        scans.changed("file-format", _upper)
    ),
    "files-without-records IRC-SCAN-SCH-009": scans.data_told(scans.left_out("record-count")),
    "vectors-without-length IRC-SCAN-SCH-010": scans.deletes_told(
        scans.left_out("content-size-in-bytes")
    ),
    "counts-are-cut-off IRC-SCAN-SCH-011": scans.data_told(scans.changed("value-counts", _shorter)),
    "keys-are-texts IRC-SCAN-SCH-011": scans.data_told(
        scans.changed("value-counts", _keys_as_texts)
    ),
    "residuals-are-wrapped IRC-SCAN-SCH-013": on_answer(scans.TOLD, _as_object),
    "offsets-are-texts IRC-SCAN-SCH-015": scans.data_told(
        scans.changed("split-offsets", lambda offsets: [str(one) for one in offsets])
    ),
    "keys-are-base64 IRC-SCAN-SCH-015": scans.data_told(
        scans.changed("key-metadata", lambda _: "Cv8=")
    ),
}

SCHEMAS = {
    "plan-ids-are-numbers IRC-SCH-CompletedPlanningWithIDResult": scans.in_state(
        "completed", scans.changed("plan-id", len), scans.PLAN
    ),
    "submitted-ids-are-numbers IRC-SCH-AsyncPlanningResult": scans.in_state(
        "submitted", scans.set_to("plan-id", 7), scans.PLAN
    ),
    "failures-without-error IRC-SCH-FailedPlanningResult": scans.in_state(
        "failed", scans.left_out("error"), scans.PLAN
    ),
    "plans-are-running IRC-SCH-PlanTableScanResult": on_answer(
        scans.PLAN, scans.set_to("status", "running")
    ),
    "fetched-plans-are-running IRC-SCH-FetchPlanningResult": on_answer(
        scans.FETCH, scans.set_to("status", "running")
    ),
    "tasks-are-an-object IRC-SCH-ScanTasks": _as("file-scan-tasks", lambda tasks: {"tasks": tasks}),
    "fetched-tasks-are-an-array IRC-SCH-FetchScanTasksResult": on_answer(
        scans.TASKS, lambda tasks: [tasks]
    ),
    "references-are-a-number IRC-SCH-FileScanTask": scans.tasks_told(
        scans.changed("delete-file-references", len)
    ),
    "sizes-are-texts IRC-SCH-ContentFile": scans.data_told(
        scans.changed("file-size-in-bytes", str)
    ),
    "data-files-are-files IRC-SCH-DataFile": scans.data_told(
        scans.changed("content", lambda _: "file")
    ),
    "delete-files-have-another-content IRC-SCH-DeleteFile": scans.deletes_told(
        scans.changed("content", lambda _: "deletes")
    ),
    "positions-lie-in-a-text IRC-SCH-PositionDeleteFile": scans.deletes_told(
        scans.set_to("content-offset", "4", where=lambda one: not _of_equality(one))
    ),
    "equality-ids-are-names IRC-SCH-EqualityDeleteFile": scans.deletes_told(
        scans.set_to("equality-ids", ["id"], where=_of_equality)
    ),
    "bounds-are-one-value IRC-SCH-ValueMap": scans.data_told(
        scans.changed("lower-bounds", lambda bounds: {**bounds, "values": 5})
    ),
    "keys-are-one-key IRC-SCH-CountMap": scans.data_told(
        scans.changed("value-counts", lambda one: {**one, "keys": 1})
    ),
    "residuals-without-value IRC-SCH-LiteralExpression": _of_kind("gt", _less("value")),
    "residuals-with-one-value IRC-SCH-SetExpression": _of_kind(
        "in", lambda one: {**one, "values": 5}
    ),
    "residuals-without-term IRC-SCH-UnaryExpression": _of_kind("is-null", _less("term")),
    "negations-of-nothing IRC-SCH-NotExpression @/file-scan-tasks/*/residual-filter/child": _of_kind(
        "gt", lambda one: {"type": "not", "expression": one}
    ),
    "residuals-of-one-side IRC-SCH-AndOrExpression": _of_kind("and or", _less("right")),
    "residuals-are-arrays IRC-SCH-Expression": scans.tasks_told(
        scans.changed("residual-filter", lambda one: [one])
    ),
    "terms-are-arrays IRC-SCH-Term": _with_term(lambda term: [term]),
    "transforms-without-name IRC-SCH-TransformTerm": _with_term(
        lambda term: _less("transform")(term) if isinstance(term, dict) else term
    ),
    "transforms-of-ids IRC-SCH-Reference": _with_term(
        lambda term: {**term, "term": 1} if isinstance(term, dict) else term
    ),
}


FAULTS = {**PLANS, **FILES, **SCHEMAS}
