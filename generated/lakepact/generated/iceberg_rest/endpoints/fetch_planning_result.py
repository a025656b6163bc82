# Made by openapi-python-client 0.29.1 from the contract of iceberg_rest 1.12.0, sha256 99bc72bd968971a4. Do not edit: nox -s generate
"""GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/plan/{plan-id}."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.generated.calls import Answers, Later, present_parameters, segment
from lakepact.generated.contract import Call

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.models import FetchPlanningResult

ANSWERS = Answers(
    Later("lakepact.generated.iceberg_rest.models"),
    {
        "200": "FetchPlanningResult",
        "400": "IcebergErrorResponse",
        "401": "IcebergErrorResponse",
        "403": "IcebergErrorResponse",
        "404": "IcebergErrorResponse",
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
    plan_id: str,
    x_iceberg_access_delegation: str | None = None,
) -> Call[FetchPlanningResult]:
    """Fetch the result of planning a scan."""
    return Call(
        operation="fetchPlanningResult",
        method="GET",
        path=f"/v1/{segment(prefix)}/namespaces/{segment(namespace)}/tables/{segment(table)}/plan/{segment(plan_id)}",
        query=present_parameters(),
        headers=present_parameters(
            ("X-Iceberg-Access-Delegation", x_iceberg_access_delegation),
        ),
        content=None,
        answers=ANSWERS,
    )
