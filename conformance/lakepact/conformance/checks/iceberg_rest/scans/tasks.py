"""Checks of plan tasks: exchanged for file scan tasks, as often as one likes, at the path of their
table alone.
"""

from __future__ import annotations

from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Mutation,
    NotOffered,
    Reply,
    Table,
    Wrong,
    check,
    expect,
    scans,
)


def fetch_tasks(lab: CatalogLab, table: Table, task: Any) -> Reply:
    """Return the answer to exchanging a plan task."""
    return lab.send(scans.TASKS, body={"plan-task": task}, **table.at)


def table_with_tasks(lab: CatalogLab) -> tuple[scans.TableWithFiles, list[str]]:
    """Return a table of several files, and the plan tasks of its plan.

    Raises:
        NotOffered: the target does not divide its plan.
    """
    if not lab.feature("plan-tasks"):
        raise NotOffered("the target divides no plans into plan tasks")
    scans.needs(lab, scans.TASKS)
    table = scans.table_with_files(lab, properties=scans.on_pages(lab))
    table.append(*(table.file(f"file-{number}") for number in range(5)))
    tasks = lab.require(scans.plan(lab, table.table), 200).document.get("plan-tasks") or []
    if not tasks:
        raise NotOffered(
            "the target answers with all tasks at once; --parameter"
            " paged-planning-properties=PROPERTY=VALUE says when it does not"
        )
    return table, tasks


@check("IRC-SCAN-TASK-001", "IRC-SCAN-TASK-002", "IRC-SCAN-TASK-007", "IRC-SCAN-PLAN-027")
def plan_tasks_are_exchanged(lab: CatalogLab) -> None:
    """Each plan task returns 200 with tasks, the same ones each time; together they hold each file
    of the scan once.
    """
    table, tasks = table_with_tasks(lab)

    answers = [fetch_tasks(lab, table.table, task) for task in tasks]
    with lab.judge_each("IRC-SCAN-TASK-002") as case:
        for reply in answers:
            with case():
                expect.status(reply, 200)
    with lab.judge_each("IRC-SCAN-TASK-001") as case:
        for reply in answers:
            with case():
                expect.status(reply, 200)
                holds = any(
                    isinstance(reply.document.get(member), list)
                    for member in ("file-scan-tasks", "plan-tasks")
                )
                expect.true(
                    holds,
                    "file-scan-tasks or plan-tasks, as arrays",
                    sorted(reply.document),
                    at=reply.place(),
                )
    with lab.judge_each("IRC-SCAN-TASK-007") as case:
        for task, before in zip(tasks, answers, strict=True):
            with case():
                after = fetch_tasks(lab, table.table, task)
                expect.status(after, 200)
                expect.equal(
                    _paths(before),
                    _paths(after),
                    "the files of the same plan task,",
                    at=after.place("file-scan-tasks"),
                )
    with lab.judge("IRC-SCAN-PLAN-027"):
        scans.wait_for_plan(lab, table.table, scans.plan(lab, table.table)).reads(
            table.snapshots[-1].data, "each file once:"
        )


def _paths(reply: Reply) -> list[Any]:
    return sorted(
        task.get("data-file", {}).get("file-path")
        for task in reply.document.get("file-scan-tasks") or []
    )


@check("IRC-SCAN-PLAN-027", "IRC-SCAN-PLAN-009")
def plan_tasks_keep_their_snapshot(lab: CatalogLab) -> None:
    """Plan tasks return the files of the planned snapshot, also after later commits."""
    table, _ = table_with_tasks(lab)
    first = table.snapshots[-1]
    table.append(*(table.file(f"later-{number}") for number in range(3)))
    former, reply = scans.plan(lab, table.table, snapshot_id=first.id), scans.plan(lab, table.table)
    second = table.snapshots[-1]
    table.append(table.file("last"))

    with lab.judge("IRC-SCAN-PLAN-009"):
        scans.wait_for_plan(lab, table.table, former).reads(
            first.data, f"the files of snapshot {first.id},"
        )
    with lab.judge("IRC-SCAN-PLAN-027"):
        scans.wait_for_plan(lab, table.table, reply).reads(
            second.data, "the files at the time of planning,"
        )


@check("IRC-SCAN-SCH-003")
def plan_tasks_return_their_delete_files(lab: CatalogLab) -> None:
    """Each response to a plan task has the delete files that its tasks reference."""
    table, _ = table_with_tasks(lab)
    names = [f"file-{number}" for number in range(5)]
    of_one = [
        scans.position_deletes(table, f"positions-{n}", target=table.path(n)) for n in names[1:]
    ]
    table.append(*of_one, scans.equality_deletes(table, "values"), operation="delete")
    expected = {
        name: {"values", *([f"positions-{name}"] if name in names[1:] else [])} for name in names
    }

    with lab.judge("IRC-SCAN-SCH-003"):
        scans.wait_for_plan(lab, table.table, scans.plan(lab, table.table)).expect_deletes(
            table, expected
        )


@check("IRC-SCAN-TASK-006")
def plan_tasks_of_other_tables_return_404(lab: CatalogLab) -> None:
    """A plan task at the path of another table returns 404."""
    table, (task, *_) = table_with_tasks(lab)
    other = lab.make_table(table.table.namespace)

    with lab.judge("IRC-SCAN-TASK-006"):
        expect.not_found(fetch_tasks(lab, other, task), "plan task")


@check("IRC-SCAN-TASK-003", "IRC-SCAN-TASK-004")
def invalid_plan_tasks_are_refused(lab: CatalogLab) -> None:
    """A plan task that is missing or not a string returns 400; an unknown one returns 404."""
    scans.needs(lab, scans.TASKS)
    table = lab.make_table()

    bodies: tuple[Document, ...] = (
        {},
        {"plan-task": 5},
        {"plan-task": ["a"]},
        {"plan-task": {}},
    )
    with lab.judge_each("IRC-SCAN-TASK-003") as case:
        for body in bodies:
            with case():
                wrong = Mutation(Wrong.TYPE if body else Wrong.MISSING, "/plan-task")
                reply = lab.send(scans.TASKS, body=body, **table.at)
                expect.status(reply, 400, about=f"for {expect.excerpt(body)}", mutation=wrong)
    reply = fetch_tasks(lab, table, lab.name("task"))
    with lab.judge("IRC-SCAN-TASK-004"):
        expect.not_found(reply, "plan task")
        expect.member("NoSuchPlanTaskException", reply.place("error", "type"), "error type")
