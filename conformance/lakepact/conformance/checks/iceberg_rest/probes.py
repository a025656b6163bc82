"""Requests for what is not there, which tell an operation that is served from one that is not."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from lakepact.conformance.outcome import Blocked

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lakepact.conformance.checks.iceberg_rest.lab import CatalogLab

#: A table that is not there, as it stands in bodies.
NOWHERE = {"namespace": ["lakepact_nowhere"], "name": "nothing"}

#: Operations whose answer to something that is not there tells a served route from a missing one.
PROBES: dict[str, dict[str, Any]] = {
    "listNamespaces": {},
    "loadNamespaceMetadata": {},
    "namespaceExists": {},
    "dropNamespace": {},
    "listTables": {},
    "loadTable": {},
    "tableExists": {},
    "dropTable": {},
    "createNamespace": {"body": {"namespace": [""]}},
    "updateProperties": {"body": {"removals": [], "updates": {}}},
    "createTable": {"body": {}},
    "updateTable": {"body": {"requirements": [], "updates": []}},
    "registerTable": {"body": {}},
    "renameTable": {"body": {"source": NOWHERE, "destination": {**NOWHERE, "name": "anything"}}},
    "listViews": {},
    "loadView": {},
    "viewExists": {},
    "dropView": {},
    "createView": {"body": {}},
    "replaceView": {"body": {}},
    "renameView": {"body": {"source": NOWHERE, "destination": {**NOWHERE, "name": "anything"}}},
    "loadCredentials": {},
    "reportMetrics": {"body": {}},
    "commitTransaction": {"body": {"table-changes": [{"identifier": NOWHERE, "requirements": [], "updates": []}]}},
    "planTableScan": {"body": {}},
    "fetchPlanningResult": {},
    "cancelPlanning": {},
    "fetchScanTasks": {"body": {}},
}

NOT_IMPLEMENTED = 501
UNSERVED = "unserved"  #: what an offer calls the operations that are promised, and said to be not implemented


def unserved(lab: CatalogLab, operations: Iterable[str]) -> frozenset[str]:
    """Those of the operations of which the target says itself that it does not implement them."""
    missing = lab.name()
    values: dict[str, Any] = {"namespace": (lab.name(),), "table": missing, "view": missing, "plan_id": missing}
    probes = {operation: PROBES[operation] for operation in sorted(operations) if operation in PROBES}
    found = set()
    for operation, probe in probes.items():
        with contextlib.suppress(Blocked):  # who does not answer says nothing
            if lab.send(operation, **probe, **values).status == NOT_IMPLEMENTED:
                found.add(operation)
    return frozenset(found)
