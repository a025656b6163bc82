# Made by codegen.sync_twin from asynchronous/scans.py beside this folder. Do not edit: nox -s generate
"""Scans of tables that the server plans."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from lakepact.client.errors import LakepactError
from lakepact.client.iceberg_rest import bodies
from lakepact.client.iceberg_rest.scans import (
    FIRST_PAUSE,
    LONGEST_PAUSE,
    ScanPlan,
    failure,
    scan_tasks,
    unusable_plan,
)
from lakepact.client.iceberg_rest.storage import delegation
from lakepact.client.iceberg_rest.synchronous.configured import Configured
from lakepact.generated.iceberg_rest.endpoints import (
    cancel_planning,
    fetch_planning_result,
    fetch_scan_tasks,
    plan_table_scan,
)
from lakepact.reach.urls import path_segment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lakepact.client.iceberg_rest.names import TableName
    from lakepact.client.iceberg_rest.scans import ScanTask
    from lakepact.client.iceberg_rest.settings import TablePath
    from lakepact.client.iceberg_rest.storage import Delegation
    from lakepact.client.rows.row_filters import RowFilter
    from lakepact.client.several import Names
    from lakepact.generated.iceberg_rest.models import (
        CompletedPlanningResult,
        CompletedPlanningWithIDResult,
        Expression,
    )


class Scans(Configured):
    """A catalog's planning of scans."""

    def plan_scan(
        self,
        table: TableName,
        *,
        row_filter: RowFilter | Expression | Mapping[str, Any] | None = None,
        select: Names | None = None,
        snapshot_id: int | None = None,
        min_rows_requested: int | None = None,
        start_snapshot_id: int | None = None,
        end_snapshot_id: int | None = None,
        stats_fields: Names | None = None,
        case_sensitive: bool | None = None,
        use_snapshot_schema: bool | None = None,
        access_delegation: Delegation | None = None,
        patience: float = 300.0,
    ) -> ScanPlan:
        """Let the server plan the files of a scan, and wait for the plan.

        A scan covers one snapshot, or the files appended between two.

        Args:
            table: The table.
            row_filter: The filter of rows, as for `scan`, or an expression of the contract; by
                default all rows.
            select: Names of the columns to read, nested ones with dots; by default all.
            snapshot_id: The snapshot to scan; by default the latest one of the branch main.
            min_rows_requested: The number of rows that suffice, a hint; servers support it from
                1.11.0 on.
            start_snapshot_id: The exclusive start of a scan between two snapshots.
            end_snapshot_id: Its inclusive end.
            stats_fields: Names of columns whose statistics the server should send.
            case_sensitive: Whether column names are case-sensitive; the default is true.
            use_snapshot_schema: Whether to use the snapshot's schema instead of the table's.
            access_delegation: The accepted ways to open the files; servers support it from 1.11.0
                on.
            patience: The seconds to wait for a plan made in the background before cancelling it.

        Raises:
            PlanningFailed: The server could not plan it, or not in time.
            BadRequest: The filter or a name does not fit the table, or the snapshots do not go
                together.
            NoSuchTable: The table does not exist.
            OperationNotSupported: The server does not plan scans.
        """
        config = self._settings()
        where = config.table(table)
        body = bodies.plan_scan(
            row_filter=row_filter,
            select=select,
            snapshot_id=snapshot_id,
            min_rows_requested=min_rows_requested,
            start_snapshot_id=start_snapshot_id,
            end_snapshot_id=end_snapshot_id,
            stats_fields=stats_fields,
            case_sensitive=case_sensitive,
            use_snapshot_schema=use_snapshot_schema,
        )
        access = delegation(access_delegation)
        answer = self._call(
            plan_table_scan.call(**where, body=body, x_iceberg_access_delegation=access)
        )
        if answer.status == "completed":
            return _plan(answer, answer.plan_id, "planTableScan")
        if answer.status == "failed":
            raise failure(answer.error, "planTableScan")
        return self._wait_for_plan(where, answer.plan_id, access, patience)

    def _wait_for_plan(
        self, where: TablePath, plan_id: str, access: str | None, patience: float
    ) -> ScanPlan:
        pause, elapsed = FIRST_PAUSE, 0.0
        while elapsed < patience:
            answer = self._call(
                fetch_planning_result.call(
                    **where, plan_id=path_segment(plan_id), x_iceberg_access_delegation=access
                )
            )
            if answer.status == "completed":
                return _plan(answer, plan_id, "fetchPlanningResult")
            if answer.status == "failed":
                raise failure(answer.error, "fetchPlanningResult")
            if answer.status == "cancelled":
                raise unusable_plan("fetchPlanningResult", "the plan was cancelled")
            self._connection.pause(pause)
            elapsed, pause = elapsed + pause, min(2 * pause, LONGEST_PAUSE)
        with contextlib.suppress(LakepactError):
            self._call(cancel_planning.call(**where, plan_id=path_segment(plan_id)))
        raise unusable_plan(
            "fetchPlanningResult", f"the plan was not made within {patience:g} s, and is cancelled"
        )

    def scan_tasks(self, table: TableName, plan: ScanPlan) -> Iterator[ScanTask]:
        """Yield every task of a plan; tasks on further pages are fetched as they are reached.

        Args:
            table: The table.
            plan: The plan.

        Raises:
            NoSuchPlanTask: The plan was cancelled, or the server no longer keeps it.
            NoSuchTable: The table no longer exists.
            BadReply: A task refers to a delete file that the answer does not contain.
        """
        config = self._settings()
        yield from plan.tasks
        todo = list(plan.plan_tasks)
        while todo:
            body = bodies.fetch_scan_tasks(todo.pop(0))
            answer = self._call(fetch_scan_tasks.call(**config.table(table), body=body))
            todo += answer.plan_tasks or ()
            yield from scan_tasks(answer, "fetchScanTasks")

    def cancel_plan(self, table: TableName, plan: ScanPlan | str) -> None:
        """Cancel a plan; its plan tasks can no longer be fetched.

        Args:
            table: The table.
            plan: The plan or its id; a plan without id is ignored.

        Raises:
            NoSuchPlan: The server does not know the plan.
            NoSuchTable: The table does not exist.
        """
        plan_id = plan if isinstance(plan, str) else plan.plan_id
        if plan_id is None:
            return
        config = self._settings()
        self._call(cancel_planning.call(**config.table(table), plan_id=path_segment(plan_id)))


def _plan(
    answer: CompletedPlanningWithIDResult | CompletedPlanningResult,
    plan_id: str | None,
    operation: str,
) -> ScanPlan:
    tasks = tuple(scan_tasks(answer, operation))
    return ScanPlan(
        plan_id, tasks, tuple(answer.plan_tasks or ()), answer.storage_credentials or ()
    )
