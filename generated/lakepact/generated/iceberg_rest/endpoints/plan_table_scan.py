# Made by openapi-python-client 0.29.1 from the contract of iceberg_rest 1.10.0, sha256 1d4e15b341ea702d. Do not edit: nox -s generate
"""POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/plan."""

from __future__ import annotations

from typing import Any

from lakepact.generated.calls import given, segment
from lakepact.generated.contract import Call
from lakepact.generated.iceberg_rest.models import IcebergErrorResponse, PlanTableScanRequest, PlanTableScanResult

ANSWERS: dict[str, Any] = {
    "200": PlanTableScanResult,
    "400": IcebergErrorResponse,
    "401": IcebergErrorResponse,
    "403": IcebergErrorResponse,
    "404": IcebergErrorResponse,
    "406": IcebergErrorResponse,
    "419": IcebergErrorResponse,
    "503": IcebergErrorResponse,
    "5XX": IcebergErrorResponse,
}


def call(
    *,
    prefix: str,
    namespace: str,
    table: str,
    body: PlanTableScanRequest | None = None,
) -> Call[PlanTableScanResult]:
    """Submit a scan for planning by the server."""
    return Call(
        operation="planTableScan",
        method="POST",
        path=f"/v1/{segment(prefix)}/namespaces/{segment(namespace)}/tables/{segment(table)}/plan",
        query=given(),
        headers=given(
            ("Content-Type", "application/json" if body is not None else None),
        ),
        content=body.to_json() if body is not None else None,
        answers=ANSWERS,
    )
