"""Metrics reports of scans."""

from __future__ import annotations

from typing import Any

from lakepact.conformance.checks.iceberg_rest.kit.lab import (
    CatalogLab,
    Table,
    with_hyphens,
    without_nulls,
)
from lakepact.conformance.evidence.exchanges import Document, Members, Reply
from lakepact.generated.iceberg_rest import op

COUNTER = {"unit": "count", "value": 3}
BYTES = {"unit": "bytes", "value": 4_294_967_296_000}
TIMER = {"time-unit": "nanoseconds", "count": 1, "total-duration": 2_644_235_116}
FILTER = {"type": "eq", "term": "id", "value": 1}


def scan_report(table: Table, **members: Any) -> Document:
    """Return a report about a scan of a table; `members` are named with underscores for hyphens,
    `None` leaves one out.
    """
    metrics = {
        "total-planning-duration": TIMER,
        "result-data-files": COUNTER,
        "total-file-size-in-bytes": BYTES,
    }
    return report_about(
        table,
        {
            "report-type": "scan-report",
            "filter": FILTER,
            "schema-id": table.metadata.get("current-schema-id", 0),
            "projected-field-ids": [1, 2],
            "projected-field-names": ["id", "name"],
            "metrics": metrics,
        },
        members,
    )


def report_about(table: Table, content: Members, members: Members) -> Document:
    """Return a report about a table: its name and snapshot, content, and members named with
    underscores for hyphens.
    """
    header = {
        "table-name": ".".join((*table.namespace, table.name)),
        "snapshot-id": table.metadata.get("current-snapshot-id", -1),
    }
    return without_nulls({**header, **content, **with_hyphens(members)})


def report(lab: CatalogLab, table: Table, body: Any) -> Reply:
    """Return the answer to a report about a table."""
    return lab.send(op.report_metrics, body=body, **table.at)
