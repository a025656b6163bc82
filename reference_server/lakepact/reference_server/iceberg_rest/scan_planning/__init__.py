"""Scans that the server plans: at once or in the background, told on pages, and cancelled."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.service import Rules as ServiceRules

if TYPE_CHECKING:
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.scan_planning.deletes import Deletes
    from lakepact.reference_server.iceberg_rest.scan_planning.expressions import Expression
    from lakepact.reference_server.iceberg_rest.scan_planning.handlers import Planning
    from lakepact.reference_server.iceberg_rest.scan_planning.manifests import Entry, Manifest
    from lakepact.reference_server.iceberg_rest.scan_planning.pruning import Pruning
    from lakepact.reference_server.iceberg_rest.scan_planning.scans import Scan
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog

#: Operations whose handlers read files.
BLOCKING = frozenset({op.plan_table_scan, op.fetch_planning_result, op.cancel_planning, op.fetch_scan_tasks})


def asked_scan(metadata: Document, body: Document) -> Scan:
    """Return the scan that a request asks for."""
    from lakepact.reference_server.iceberg_rest.scan_planning.scans import scan  # noqa: PLC0415 - what plans is loaded with the first scan that is planned

    return scan(metadata, body)


def manifest_may_match(pruning: Pruning, manifest: Manifest) -> bool:
    """Return whether a file of a manifest may hold a matching row."""
    return pruning.manifest_may_match(manifest)


def rows_remain(pruning: Pruning, entry: Entry) -> Expression:
    """Return the residual filter for the rows of a data file."""
    return pruning.remains(entry)


def deletes_of(deletes: Deletes, entry: Entry) -> list[Entry]:
    """Return the delete files that apply to a data file."""
    return deletes.of(entry)


def plans_are_of() -> str:
    """Return the principal whose plans the caller may use; empty where callers are not known."""
    return ""


class Rules(ServiceRules):
    """Decisions about scans that a fault may replace."""

    asked_scan = staticmethod(asked_scan)
    manifest_may_match = staticmethod(manifest_may_match)
    rows_remain = staticmethod(rows_remain)
    deletes_of = staticmethod(deletes_of)
    plans_are_of = staticmethod(plans_are_of)


class ScanPlanning:
    """The scan planning operations of the contract; what they take is loaded with the first of them."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._lock = threading.Lock()
        self._made: Planning | None = None

    def plan_table_scan(self, *, namespace: str, table: str, body: Document | None = None, **_: object) -> Reply:
        """Return the tasks of a scan, or an id under which they can be fetched once they are known."""
        return self._planning().plan_table_scan(namespace=namespace, table=table, body=body)

    def fetch_planning_result(self, *, namespace: str, table: str, plan_id: str, **_: object) -> Reply:
        """Return how far a plan is, and its tasks once they are known."""
        return self._planning().fetch_planning_result(namespace=namespace, table=table, plan_id=plan_id)

    def cancel_planning(self, *, namespace: str, table: str, plan_id: str, **_: object) -> Reply:
        """Make no more of a plan; it may be made already."""
        return self._planning().cancel_planning(namespace=namespace, table=table, plan_id=plan_id)

    def fetch_scan_tasks(self, *, namespace: str, table: str, body: Document | None = None, **_: object) -> Reply:
        """Return the file scan tasks that a plan task stands for."""
        return self._planning().fetch_scan_tasks(namespace=namespace, table=table, body=body)

    def _planning(self) -> Planning:
        from lakepact.reference_server.iceberg_rest.scan_planning.handlers import Planning  # noqa: PLC0415 - as above
        from lakepact.reference_server.iceberg_rest.scan_planning.plans import Plans  # noqa: PLC0415

        with self._lock:
            if self._made is None:
                self._made = Planning(self._catalog, Plans())
            return self._made
