"""Plans, tasks and files that are told in other words than those of the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, on_answer
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

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.generated.contract import OperationId
    from lakepact.reference_server.iceberg_rest.documents import Document


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


def _schema(component: str, name: str, sentence: str, install: Install) -> Fault:
    return Fault(name, sentence, (f"IRC-SCH-{component}",), install)


PLANS = (
    Fault(
        "completed-plans-are-cancelled", "Plans are answered as cancelled.", ("IRC-SCAN-PLAN-002",), in_state("completed", _cancelled, PLAN)
    ),
    Fault("status-is-plan-status", "The status stands under plan-status.", ("IRC-SCAN-PLAN-003",), on_answer(PLAN, _plan_status)),
    Fault(
        "completed-plans-have-no-tasks",
        "Completed plans have no arrays of tasks.",
        ("IRC-SCAN-PLAN-004",),
        in_state("completed", left_out("file-scan-tasks", "plan-tasks"), PLAN),
    ),
    Fault(
        "submitted-plans-have-no-id",
        "Submitted plans have no id.",
        ("IRC-SCAN-PLAN-005",),
        in_state("submitted", left_out("plan-id"), PLAN),
    ),
    Fault(
        "failed-plans-do-not-say-why", "Plans that fail have no error.", ("IRC-SCAN-PLAN-006",), in_state("failed", left_out("error"), PLAN)
    ),
    Fault(
        "failed-plans-say-it-in-a-text",
        "The error of plans that fail is a text.",
        ("IRC-SCAN-PLAN-006",),
        in_state("failed", changed("error", lambda error: error["message"]), PLAN),
    ),
    Fault(
        "plans-fail-silently-in-the-background",
        "Plans that fail in the background have no error.",
        ("IRC-SCAN-FETCH-004",),
        in_state("failed", left_out("error"), FETCH),
    ),
    Fault(
        "plan-tasks-are-objects",
        "Plan tasks are objects.",
        ("IRC-SCAN-SCH-016", "IRC-SCH-PlanTask"),
        _as("plan-tasks", lambda tasks: [{"task": one} for one in tasks]),
    ),
)

FILES = (
    Fault("data-files-shout", "The content of data files is DATA.", ("IRC-SCAN-SCH-005",), data_told(changed("content", _upper))),
    Fault(
        "delete-files-shout",
        "The content of delete files is in upper case.",
        ("IRC-SCAN-SCH-006",),
        deletes_told(changed("content", _upper)),
    ),
    Fault(
        "equality-of-nothing",
        "Files that delete by equality do not say of what.",
        ("IRC-SCAN-SCH-006",),
        deletes_told(left_out("equality-ids")),
    ),
    Fault(
        "formats-shout",
        "File formats are in upper case.",
        ("IRC-SCAN-SCH-007", "IRC-SCH-FileFormat"),
        data_told(changed("file-format", _upper)),
    ),
    Fault(
        "files-without-records", "Files do not say how many records they hold.", ("IRC-SCAN-SCH-009",), data_told(left_out("record-count"))
    ),
    Fault(
        "vectors-without-length", "Deletion vectors have no length.", ("IRC-SCAN-SCH-010",), deletes_told(left_out("content-size-in-bytes"))
    ),
    Fault("counts-are-cut-off", "The last count is lost.", ("IRC-SCAN-SCH-011",), data_told(changed("value-counts", _shorter))),
    Fault(
        "keys-are-texts",
        "Column ids are texts.",
        ("IRC-SCAN-SCH-011",),
        data_told(changed("value-counts", _keys_as_texts)),
    ),
    Fault("residuals-are-wrapped", "Residual filters are wrapped in an object.", ("IRC-SCAN-SCH-013",), on_answer(TOLD, _as_object)),
    Fault(
        "offsets-are-texts",
        "Split offsets are texts.",
        ("IRC-SCAN-SCH-015",),
        data_told(changed("split-offsets", lambda offsets: [str(one) for one in offsets])),
    ),
    Fault("keys-are-base64", "Key metadata is base64.", ("IRC-SCAN-SCH-015",), data_told(changed("key-metadata", lambda _: "Cv8="))),
)

SCHEMAS = (
    _schema(
        "CompletedPlanningWithIDResult",
        "plan-ids-are-numbers",
        "Ids of completed plans are numbers.",
        in_state("completed", changed("plan-id", len), PLAN),
    ),
    _schema(
        "AsyncPlanningResult",
        "submitted-ids-are-numbers",
        "Ids of submitted plans are numbers.",
        in_state("submitted", set_to("plan-id", 7), PLAN),
    ),
    _schema(
        "FailedPlanningResult", "failures-without-error", "Plans that fail have no error.", in_state("failed", left_out("error"), PLAN)
    ),
    _schema("PlanTableScanResult", "plans-are-running", "Plans are called running.", on_answer(PLAN, set_to("status", "running"))),
    _schema(
        "FetchPlanningResult",
        "fetched-plans-are-running",
        "Fetched plans are called running.",
        on_answer(FETCH, set_to("status", "running")),
    ),
    _schema("ScanTasks", "tasks-are-an-object", "Tasks are an object.", _as("file-scan-tasks", lambda tasks: {"tasks": tasks})),
    _schema(
        "FetchScanTasksResult", "fetched-tasks-are-an-array", "Tasks are fetched in an array.", on_answer(TASKS, lambda tasks: [tasks])
    ),
    _schema("FileScanTask", "references-are-a-number", "References are a number.", tasks_told(changed("delete-file-references", len))),
    _schema("ContentFile", "sizes-are-texts", "File sizes are texts.", data_told(changed("file-size-in-bytes", str))),
    _schema("DataFile", "data-files-are-files", "The content of data files is file.", data_told(changed("content", lambda _: "file"))),
    _schema(
        "DeleteFile",
        "delete-files-have-another-content",
        "Delete files are called deletes.",
        deletes_told(changed("content", lambda _: "deletes")),
    ),
    _schema(
        "PositionDeleteFile",
        "positions-lie-in-a-text",
        "Content offsets are texts.",
        deletes_told(set_to("content-offset", "4", where=lambda one: not _of_equality(one))),
    ),
    _schema(
        "EqualityDeleteFile",
        "equality-ids-are-names",
        "Columns of equality are names.",
        deletes_told(set_to("equality-ids", ["id"], where=_of_equality)),
    ),
    _schema(
        "ValueMap",
        "bounds-are-one-value",
        "Bounds are a single value.",
        data_told(changed("lower-bounds", lambda bounds: {**bounds, "values": 5})),
    ),
    _schema("CountMap", "keys-are-one-key", "Keys of counts are one.", data_told(changed("value-counts", lambda one: {**one, "keys": 1}))),
    _schema("LiteralExpression", "residuals-without-value", "Comparisons have no value.", _of_kind("gt", _less("value"))),
    _schema("SetExpression", "residuals-with-one-value", "Sets are a value.", _of_kind("in", lambda one: {**one, "values": 5})),
    _schema("UnaryExpression", "residuals-without-term", "Tests of null have no term.", _of_kind("is-null", _less("term"))),
    _schema(
        "NotExpression", "negations-of-nothing", "Negations have no child.", _of_kind("gt", lambda one: {"type": "not", "expression": one})
    ),
    _schema("AndOrExpression", "residuals-of-one-side", "Combinations have one side.", _of_kind("and or", _less("right"))),
    _schema(
        "Expression",
        "residuals-are-arrays",
        "Residual filters are arrays.",
        tasks_told(changed("residual-filter", lambda one: [one])),
    ),
    _schema("Term", "terms-are-arrays", "Terms are arrays of names.", _with_term(lambda term: [term])),
    _schema(
        "TransformTerm",
        "transforms-without-name",
        "Transforms have no name.",
        _with_term(lambda term: _less("transform")(term) if isinstance(term, dict) else term),
    ),
    _schema(
        "Reference",
        "transforms-of-ids",
        "Transforms are of column ids.",
        _with_term(lambda term: {**term, "term": 1} if isinstance(term, dict) else term),
    ),
)


FAULTS: tuple[Fault, ...] = (*PLANS, *FILES, *SCHEMAS)
