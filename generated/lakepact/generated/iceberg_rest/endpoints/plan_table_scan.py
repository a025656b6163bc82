# Made by openapi-python-client 0.29.1 from the contract of iceberg_rest 1.12.0, sha256 99bc72bd968971a4. Do not edit: nox -s generate
"""POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.generated.calls import Answers, Later, present_parameters, segment
from lakepact.generated.contract import Call

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.models import (
        PlanTableScanRequest,
        PlanTableScanResult,
    )

ANSWERS = Answers(
    Later("lakepact.generated.iceberg_rest.models"),
    {
        "200": "PlanTableScanResult",
        "400": "IcebergErrorResponse",
        "401": "IcebergErrorResponse",
        "403": "IcebergErrorResponse",
        "404": "IcebergErrorResponse",
        "406": "IcebergErrorResponse",
        "419": "IcebergErrorResponse",
        "503": "IcebergErrorResponse",
        "5XX": "IcebergErrorResponse",
    },
)


def call(
    *,
    prefix: str,
    namespace: str,
    table: str,
    body: PlanTableScanRequest | None = None,
    idempotency_key: str | None = None,
    x_iceberg_access_delegation: str | None = None,
) -> Call[PlanTableScanResult]:
    """Submit a scan for planning by the server."""
    return Call(
        operation="planTableScan",
        method="POST",
        path=f"/v1/{segment(prefix)}/namespaces/{segment(namespace)}/tables/{segment(table)}/plan",
        query=present_parameters(),
        headers=present_parameters(
            ("Content-Type", "application/json" if body is not None else None),
            ("Idempotency-Key", idempotency_key),
            ("X-Iceberg-Access-Delegation", x_iceberg_access_delegation),
        ),
        content=body.to_json() if body is not None else None,
        answers=ANSWERS,
    )
