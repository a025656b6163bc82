"""Scans that the server plans: at once or in the background, answered in pages, and cancelled."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakepact.generated.iceberg_rest.documents import (
        FetchScanTasksRequest,
        PlanTableScanRequest,
    )
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.iceberg_rest.scan_planning.handlers import Planning
    from lakepact.reference_server.iceberg_rest.scan_planning.rules import Rules
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog

#: Operations whose handlers read files.
BLOCKING = frozenset(
    {op.plan_table_scan, op.fetch_planning_result, op.cancel_planning, op.fetch_scan_tasks}
)


class ScanPlanning:
    """The scan planning operations of the contract; the modules that plan are imported by the first
    call.

    Args:
        catalog: the catalog of the tables.
        rules: the decisions about scans.
    """

    def __init__(self, catalog: Catalog, rules: Rules) -> None:
        self._catalog, self._rules = catalog, rules
        self._lock = threading.Lock()
        self._made: Planning | None = None

    def plan_table_scan(
        self,
        *,
        namespace: str,
        table: str,
        x_iceberg_access_delegation: Sequence[str] = (),  # noqa: ARG002 - plans hold none
        body: PlanTableScanRequest | None = None,
    ) -> Reply:
        """Return the tasks of a scan, or an id under which they can be fetched once they are
        known.
        """
        return self._planning().plan_table_scan(namespace=namespace, table=table, body=body)

    def fetch_planning_result(
        self,
        *,
        namespace: str,
        table: str,
        plan_id: str,
        x_iceberg_access_delegation: Sequence[str] = (),  # noqa: ARG002 - as above
    ) -> Reply:
        """Return how far a plan is, and its tasks once they are known."""
        return self._planning().fetch_planning_result(
            namespace=namespace, table=table, plan_id=plan_id
        )

    def cancel_planning(
        self,
        *,
        namespace: str,
        table: str,
        plan_id: str,
        x_iceberg_access_delegation: Sequence[str] = (),  # noqa: ARG002 - as above
    ) -> Reply:
        """Make no more of a plan; it may be made already."""
        return self._planning().cancel_planning(namespace=namespace, table=table, plan_id=plan_id)

    def fetch_scan_tasks(
        self, *, namespace: str, table: str, body: FetchScanTasksRequest | None = None
    ) -> Reply:
        """Return the file scan tasks that a plan task stands for."""
        return self._planning().fetch_scan_tasks(namespace=namespace, table=table, body=body)

    def _planning(self) -> Planning:
        from lakepact.reference_server.iceberg_rest.scan_planning.handlers import Planning  # noqa: PLC0415 - as above
        from lakepact.reference_server.iceberg_rest.scan_planning.plans import Plans  # noqa: PLC0415

        with self._lock:
            if self._made is None:
                self._made = Planning(self._catalog, self._rules, Plans())
            return self._made
