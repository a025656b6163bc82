"""Scans that the server plans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from lakepact.conformance.clients.iceberg_rest.kit.scripts import error
from lakepact.conformance.clients.iceberg_rest.suite import check
from lakepact.conformance.clients.listener import Answer
from lakepact.conformance.evidence.outcome import Blocked, NotOffered
from lakepact.conformance.judging import expect
from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.conformance.clients.iceberg_rest.kit.lab import CatalogClientLab
    from lakepact.conformance.clients.lab import Performance
    from lakepact.conformance.clients.scripted_server import Forward, Request, Script

    Document = dict[str, Any]

PLAN_ID = "plan/1 of the script"
POLLS = 2  #: answers that the plan is not complete


def _file(path: str, content: str) -> Document:
    return {
        "content": content,
        "file-path": path,
        "file-format": "parquet",
        "spec-id": 0,
        "partition": [],
        "file-size-in-bytes": 1000,
        "record-count": 10,
    }


def part(number: int, deletes: list[list[int]]) -> Document:
    """Return file scan tasks with delete files of their own; `deletes` are the references of each task."""
    used = sorted({reference for references in deletes for reference in references})
    tasks = [
        {
            "data-file": _file(f"s3://lakepact/data-{number}-{task}.parquet", "data"),
            **({"delete-file-references": references} if references else {}),
        }
        for task, references in enumerate(deletes)
    ]
    files = [_file(f"s3://lakepact/deletes-{number}-{used_number}.parquet", "position-deletes") for used_number in used]
    return {"file-scan-tasks": tasks, **({"delete-files": files} if files else {})}


def tasks_of(*parts: Document) -> list[Document]:
    """Return the tasks that a client returns for the parts of a plan."""
    return [
        {
            "file": task["data-file"]["file-path"],
            "deletes": [one["delete-files"][n]["file-path"] for n in task.get("delete-file-references", [])],
        }
        for one in parts
        for task in one["file-scan-tasks"]
    ]


FIRST, SECOND = part(1, [[0], [], [0, 1]]), part(2, [[0], []])


def planning(first: Document, *, waits: bool = False, later: Document | None = None, fails: bool = False) -> Script:
    """Return a catalog that plans every scan with these tasks.

    Args:
        first: the tasks of the completed plan.
        waits: whether the plan is submitted first.
        later: the answer to the plan task that the plan has.
        fails: whether planning fails.
    """
    polls = 0
    id_of_plan = {"plan-id": PLAN_ID}

    def completed(members: Mapping[str, str]) -> Answer:
        if fails:
            failed = {"status": "failed", "error": {"message": "the plan failed", "type": "ServerError", "code": 500}}
            return Answer(200, body=orjson.dumps(failed))
        plan = {"status": "completed", **members, **first, **({"plan-tasks": ["task/1 of the script"]} if later else {})}
        return Answer(200, body=orjson.dumps(plan))

    def script(request: Request, forward: Forward) -> Answer:
        nonlocal polls
        if request.operation == op.plan_table_scan:
            return Answer(200, body=orjson.dumps({"status": "submitted", **id_of_plan})) if waits else completed(id_of_plan)
        if request.operation == op.fetch_planning_result:
            polls += 1
            return completed({}) if polls > POLLS else Answer(200, body=orjson.dumps({"status": "submitted", **id_of_plan}))
        if request.operation == op.cancel_planning:
            return Answer(204)
        if request.operation == op.fetch_scan_tasks:
            return error(404, "NoSuchPlanTaskException") if later is None else Answer(200, body=orjson.dumps(later))
        return forward(request)

    return script


def _plans(lab: CatalogClientLab, script: Script, home: list[str]) -> Performance:
    done = lab.performs("plan-scan", script, namespace=home, table="t")
    if not done.of(op.plan_table_scan):
        raise NotOffered("the client does not let the server plan scans")
    return done


@check("IRC-CLI-034", "IRC-CLI-035", "IRC-CLI-003")
def planned_scans(lab: CatalogClientLab) -> None:
    """A client returns all tasks of a plan with their delete files, and reports an error for a plan with status failed."""
    home = lab.namespace("t")
    plain = part(0, [[], []])
    ordinary = _plans(lab, planning(plain), home).ended
    if not ordinary.prints(tasks_of(plain)):
        raise Blocked(f"the client does not return the tasks of a plan without delete files: {ordinary.outcome}")
    with lab.judge_each("IRC-CLI-034") as case:
        for first, second in ((FIRST, None), (FIRST, SECOND)):
            expected = tasks_of(first, *([second] if second else []))
            with case():
                done = _plans(lab, planning(first, later=second), home)
                expect.true(done.ended.prints(expected), f"the tasks {expect.shown(expected)}", done.ended.outcome, at=None)
    with lab.judge_each("IRC-CLI-035") as case:
        for waits, later in ((True, None), (False, part(3, [[]])), (True, part(3, [[]]))):
            expected = tasks_of(plain, *([later] if later else []))
            with case():
                done = _plans(lab, planning(plain, waits=waits, later=later), home)
                how = f"of a plan that is{' submitted first' if waits else ''}{' divided into plan tasks' if later else ''}"
                expect.true(done.ended.prints(expected), f"the tasks {expect.shown(expected)} {how}", done.ended.outcome, at=None)
    with lab.judge("IRC-CLI-003"):
        _plans(lab, planning(plain, waits=True, fails=True), home).is_refused("planning failed")
