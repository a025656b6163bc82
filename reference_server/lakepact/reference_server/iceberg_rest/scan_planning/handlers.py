"""The operations of scan planning: plan at once or in the background, fetch, cancel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NO_CONTENT, Reply, json_reply
from lakepact.reference_server.iceberg_rest.identifiers import bad_request, levels_of
from lakepact.reference_server.iceberg_rest.scan_planning.planner import Planner
from lakepact.reference_server.iceberg_rest.scan_planning.plans import Plan, Plans, State, Table

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.documents import (
        ErrorModel,
        FetchScanTasksRequest,
        PlanTableScanRequest,
        TableMetadata,
    )
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.scan_planning.rules import Rules
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
    from lakepact.reference_server.storage.store import Record

#: Table properties by which a table says how it is planned, and what holds without them.
#: the most files that a plan waits for; more are planned in the background
AT_ONCE = "lakepact.scan-planning.at-once-files"
#: the most file scan tasks of one answer; more are left to plan tasks
PAGE = "lakepact.scan-planning.page-files"
#: how often a plan that is made in the background is on its way at least, for tests of clients
POLLS = "lakepact.scan-planning.polls"
MOST_AT_ONCE, MOST_ON_PAGE = 100_000, 2_000


class Planning:
    """Scans of the tables of one catalog."""

    def __init__(self, catalog: Catalog, rules: Rules, plans: Plans) -> None:
        self._catalog, self._rules = catalog, rules
        self._plans = plans

    def plan_table_scan(
        self, *, namespace: str, table: str, body: PlanTableScanRequest | None = None
    ) -> Reply:
        """Return the tasks of a scan, or an id under which they can be fetched once they are
        known.
        """
        record, key = self._table(namespace, table)
        metadata = record.document["metadata"]
        scan = self._rules.scan_of_request(metadata, body or {})
        page = max(1, _setting(metadata, PAGE, MOST_ON_PAGE))
        planner = Planner(self._catalog, self._rules)
        try:
            work = planner.begin(scan)
            if work.files <= _setting(metadata, AT_ONCE, MOST_AT_ONCE):
                return _reply_of(
                    self._plans.keep(key, planner.pages(work, size=page)), with_id=True
                )
        except Problem as problem:
            return json_reply({"status": State.FAILED.value, "error": _error(problem)})
        plan = self._plans.submit(
            key, lambda is_cancelled: planner.pages(work, size=page, is_cancelled=is_cancelled)
        )
        plan.polls = _setting(metadata, POLLS, 0)
        return json_reply({"status": State.SUBMITTED.value, "plan-id": plan.id})

    def fetch_planning_result(self, *, namespace: str, table: str, plan_id: str) -> Reply:
        """Return how far a plan is, and its tasks once they are known."""
        plan = self._plan(namespace, table, plan_id)
        if plan.polls > 0 and plan.state is not State.CANCELLED:
            plan.polls -= 1
            return json_reply({"status": State.SUBMITTED.value})
        return _reply_of(plan, with_id=False)

    def cancel_planning(self, *, namespace: str, table: str, plan_id: str) -> Reply:
        """Make no more of a plan; it may be made already."""
        self._plans.cancel(self._plan(namespace, table, plan_id))
        return NO_CONTENT

    def fetch_scan_tasks(
        self, *, namespace: str, table: str, body: FetchScanTasksRequest | None = None
    ) -> Reply:
        """Return the file scan tasks that a plan task stands for."""
        key = self._table(namespace, table)[1]
        task = (body or {}).get("plan-task")
        if not isinstance(task, str):
            raise bad_request(
                "at /plan-task: expected a plan task, as the answer to planning a scan has it"
            )
        page = self._plans.page(key, task)
        if page is None:
            raise Problem(
                404,
                "NoSuchPlanTaskException",
                "Plan task does not exist: it is none of this table, or its plan was cancelled or"
                " has expired",
            )
        return Reply(200, page)

    def _plan(self, namespace: str, table: str, plan_id: str) -> Plan:
        key = self._table(namespace, table)[1]
        plan = self._plans.plan(key, plan_id)
        if plan is None:
            raise Problem(
                404,
                "NoSuchPlanIdException",
                "Plan does not exist: the id is none of a plan of this table, or it has expired",
            )
        return plan

    def _table(self, namespace: str, table: str) -> tuple[Record, Table]:
        levels = levels_of(namespace)
        with self._catalog.store.view() as view:
            record = self._catalog.rules.table_exists(view, levels, table)
        return record, Table(
            levels, table, record.document["metadata"]["table-uuid"], self._rules.plans_are_of()
        )


def _setting(metadata: TableMetadata, name: str, usual: int) -> int:
    value = (metadata.get("properties") or {}).get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else usual


def _reply_of(plan: Plan, *, with_id: bool) -> Reply:
    """Return the answer for a plan, with its id if `with_id`."""
    state, pages, tasks = plan.state, plan.pages, plan.tasks
    if state is State.COMPLETED and not pages:
        state = State.CANCELLED  # this very moment
    head: Document = {"status": state.value}
    if with_id and state in {State.COMPLETED, State.SUBMITTED}:
        head["plan-id"] = plan.id
    if state is State.FAILED and plan.problem is not None:
        head["error"] = _error(plan.problem)
    if state is not State.COMPLETED:
        return json_reply(head)
    if tasks:
        head["plan-tasks"] = tasks
    return Reply(200, orjson.dumps(head)[:-1] + b"," + pages[0][1:])


def _error(problem: Problem) -> ErrorModel:
    return {"message": problem.message, "type": problem.kind, "code": problem.status}
