"""Scans that the server plans, and metadata tables, which it may not support."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from lakepact.conformance.clients.iceberg_rest.api import (
    TABLE,
    Answer,
    Blocked,
    CatalogClientLab,
    Document,
    Forward,
    Performance,
    Request,
    Script,
    check,
    error,
    expect,
    op,
    table_with_rows,
    with_endpoints,
)

PLAN_ID = "plan/1 of the script"
PLANS = {"scan-planning-mode": "server"}
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
    """Return file scan tasks with delete files of their own; `deletes` are the references of each
    task.
    """
    used = sorted({reference for references in deletes for reference in references})
    tasks = [
        {
            "data-file": _file(f"s3://lakepact/data-{number}-{task}.parquet", "data"),
            **({"delete-file-references": references} if references else {}),
        }
        for task, references in enumerate(deletes)
    ]
    files = [
        _file(f"s3://lakepact/deletes-{number}-{used_number}.parquet", "position-deletes")
        for used_number in used
    ]
    return {"file-scan-tasks": tasks, **({"delete-files": files} if files else {})}


def tasks_of(*parts: Document) -> list[Document]:
    """Return the tasks that a client returns for the parts of a plan."""
    return [
        {
            "file": task["data-file"]["file-path"],
            "deletes": [
                one["delete-files"][n]["file-path"] for n in task.get("delete-file-references", [])
            ],
        }
        for one in parts
        for task in one["file-scan-tasks"]
    ]


FIRST, SECOND = part(1, [[0], [], [0, 1]]), part(2, [[0], []])


def planning(
    first: Document, *later: Document, waits: bool = False, ends: str = "completed"
) -> Script:
    """Return a catalog that plans every scan with these tasks.

    Args:
        first: the tasks of the completed plan.
        later: the answers to the plan tasks: the plan has the first, and each answer the next.
        waits: whether the plan is submitted first.
        ends: the status of the plan in the end.
    """
    polls = 0
    id_of_plan = {"plan-id": PLAN_ID}

    def link(number: int) -> Document:
        return {"plan-tasks": [f"task/{number} of the script"]} if number < len(later) else {}

    def completion(members: Mapping[str, str]) -> Answer:
        if ends != "completed":
            failure = (
                {"error": {"message": "the plan failed", "type": "ServerError", "code": 500}}
                if ends == "failed"
                else {}
            )
            return Answer(200, body=orjson.dumps({"status": ends, **failure}))
        return Answer(
            200, body=orjson.dumps({"status": "completed", **members, **first, **link(0)})
        )

    def script(request: Request, forward: Forward) -> Answer:
        nonlocal polls
        if request.operation == op.plan_table_scan:
            return (
                Answer(200, body=orjson.dumps({"status": "submitted", **id_of_plan}))
                if waits
                else completion(id_of_plan)
            )
        if request.operation == op.fetch_planning_result:
            polls += 1
            return (
                completion({})
                if polls > POLLS
                else Answer(200, body=orjson.dumps({"status": "submitted", **id_of_plan}))
            )
        if request.operation == op.cancel_planning:
            return Answer(204)
        if request.operation == op.fetch_scan_tasks:
            number = next(
                (
                    index
                    for index in range(len(later))
                    if link(index)["plan-tasks"] == [(request.document or {}).get("plan-task")]
                ),
                None,
            )
            if number is None:
                return error(404, "NoSuchPlanTaskException")
            return Answer(200, body=orjson.dumps({**later[number], **link(number + 1)}))
        return forward(request)

    return script


def _plans(lab: CatalogClientLab, script: Script, home: list[str]) -> Performance:
    performance = lab.performs("plan-scan", script, namespace=home, table="t")
    performance.require(op.plan_table_scan)
    return performance


@check("IRC-CLI-034", "IRC-CLI-035", "IRC-CLI-003")
def planned_scans(lab: CatalogClientLab) -> None:
    """A client returns all tasks of a plan with their delete files, and reports an error for a plan
    that failed or was cancelled.
    """
    home = lab.namespace("t")
    plain = part(0, [[], []])
    ordinary = _plans(lab, planning(plain), home)
    if not ordinary.prints(tasks_of(plain)):
        raise Blocked(
            "the client does not return the tasks of a plan without delete files:"
            f" {ordinary.outcome}"
        )
    with lab.judge_each("IRC-CLI-034") as case:
        for parts in ((FIRST,), (FIRST, SECOND)):
            expected = tasks_of(*parts)
            with case():
                performance = _plans(lab, planning(*parts), home)
                performance.meets(
                    performance.prints(expected), f"the tasks {expect.excerpt(expected)}"
                )
    with lab.judge_each("IRC-CLI-035") as case:
        further = part(3, [[]]), part(4, [[]])
        for waits, later in (
            (True, ()),
            (False, further[:1]),
            (True, further[:1]),
            (False, further),
        ):
            expected = tasks_of(plain, *later)
            with case():
                performance = _plans(lab, planning(plain, *later, waits=waits), home)
                how = (
                    "of a plan that"
                    f" is{' submitted first' if waits else ''}{f' divided into {len(later)} plan tasks' if later else ''}"
                )
                performance.meets(
                    performance.prints(expected), f"the tasks {expect.excerpt(expected)} {how}"
                )
    with lab.judge_each("IRC-CLI-003") as case:
        for status in ("failed", "cancelled"):
            with case():
                _plans(lab, planning(plain, waits=True, ends=status), home).expect_refusal(
                    f"the status of the plan is {status}"
                )


def server_planning(plans: Script) -> Script:
    """Return a catalog that requires planning by the server, and plans scans by a script."""

    def script(request: Request, forward: Forward) -> Answer:
        answer = plans(request, lambda other: with_endpoints()(other, forward))
        if request.operation != op.load_table or answer.status != 200:
            return answer
        return answer.merging(config=PLANS).with_header("etag", None)

    return script


def _tables_only(request: Request, forward: Forward) -> Answer:
    """Answer as a catalog that plans the scans of its tables, and returns 404 for metadata
    tables.
    """
    is_unknown = request.operation == op.plan_table_scan and not request.target.partition("?")[
        0
    ].endswith(f"/tables/{TABLE}/plan")
    return (
        error(404, "NoSuchTableException")
        if is_unknown
        else planning(part(0, [[]]))(request, forward)
    )


@check("IRC-CLI-051")
def metadata_tables(lab: CatalogClientLab) -> None:
    """A client reads the metadata table `snapshots` of a server that plans scans and returns 404
    for metadata tables.
    """
    table = table_with_rows(lab, appends=1)
    ids = [snapshot["snapshot-id"] for snapshot in lab.metadata(**table.where)["snapshots"]]
    lab.does("list-snapshots", ids, **table.where)
    with lab.judge("IRC-CLI-051"):
        performance = lab.performs("list-snapshots", server_planning(_tables_only), **table.where)
        performance.meets(performance.prints(ids), f"the snapshots {expect.excerpt(ids)}")
